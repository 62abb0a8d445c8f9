"""The tools that agents are offered: names, what they say of themselves, and what they take.

Every word here is read by a model in each session of an opted-in project, so words are counted
(`tests/interfaces/mcp/test_tools.py`).
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from clew.app.record.verbs import NOTED
from clew.core.errors import InputError

INSTRUCTIONS: Final = (
    "clew keeps this project's decisions, failed approaches and next action across sessions. Record what no transcript "
    "shows (why, what failed, what comes next) when it happens; resume tells what earlier sessions left."
)
# For the person, where nobody opted in: what they can do about it, and the question that it puts to the model.
PROMPTS: Final = ({"name": "clew", "description": "How to let clew keep this project's state"},)
PROMPT_TEXT: Final = (
    "Say in one sentence, and do nothing else: `clew init`, which I run in a terminal in this project, lets clew keep "
    "its decisions, failed approaches and next action across sessions."
)
# What is said of an item that is there, beside the kinds of new ones.
CHANGES: Final = ("answer", "resolve", "supersede", "retract")
# What can be done with a plan. That a person agrees is not among them.
PLAN_DEEDS: Final = ("show", "prompt", "write", "tick")
_SHAPES: Final[Mapping[str, dict[str, Any]]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "flag": {"type": "boolean"},
    "number": {"type": "integer"},
}


# More than anything that is kept: a plan has 200,000.
_CHARS_MAX: Final = 1 << 18


class Argument(NamedTuple):
    """What a tool takes under `name`; `about` is for the model, "" where the name says it."""

    name: str
    shape: Literal["text", "texts", "flag", "number"]
    about: str = ""
    choices: tuple[str, ...] = ()
    needed: bool = False

    def schema(self) -> dict[str, Any]:
        """It as JSON Schema."""
        found = dict(_SHAPES[self.shape])
        if self.choices:
            found["enum"] = list(self.choices)
        if self.about:
            found["description"] = self.about
        return found

    def refusal(self, value: object) -> str:
        """What is wrong with a value, as a clause; "" if nothing is."""
        fits = {
            "text": isinstance(value, str),
            "texts": isinstance(value, list) and all(isinstance(one, str) for one in value),
            "flag": isinstance(value, bool),
            "number": isinstance(value, int) and not isinstance(value, bool),
        }[self.shape]
        if not fits:
            what = {"text": "a text", "texts": "a list of texts", "flag": "true or false", "number": "a whole number"}
            return f"`{self.name}` is {what[self.shape]}"
        return (
            f"`{self.name}` is one of: {', '.join(self.choices)}" if self.choices and value not in self.choices else ""
        )


class Tool(NamedTuple):
    """A tool. `reads`: it changes nothing that anybody but clew keeps, and records no word of the agent's."""

    name: str
    about: str
    takes: tuple[Argument, ...]
    reads: bool = False

    def listed(self) -> dict[str, Any]:
        """It as `tools/list` tells it. The hints let clients call it without asking: nothing is ever lost by it, and
        nothing leaves the machine.
        """
        hints = {"readOnlyHint": True} if self.reads else {"destructiveHint": False, "openWorldHint": False}
        schema: dict[str, Any] = {"type": "object", "properties": {one.name: one.schema() for one in self.takes}}
        if needed := [one.name for one in self.takes if one.needed]:
            schema["required"] = needed
        return {"name": self.name, "description": self.about, "inputSchema": schema, "annotations": hints}

    def checked(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """What was given, without what is null. Raises `InputError` for what the tool does not take so."""
        held = {name: value for name, value in given.items() if value is not None}
        known = {one.name: one for one in self.takes}
        # Before all else: what is kept of it is redacted first, and that takes seconds a megabyte.
        chars = {name: _chars(value) for name, value in held.items()}
        if sum(chars.values()) > _CHARS_MAX:
            raise InputError(
                f"{self.name} was given {sum(chars.values()):,} characters, of at most {_CHARS_MAX:,} in one call",
                code="E-tool-arguments",
                hint=f"Most are in `{max(chars, key=chars.__getitem__)[:40]}`: say it in short, or in several calls.",
            )
        wrong = [f"`{one.name}` is missing" for one in self.takes if one.needed and one.name not in held]
        for name, value in held.items():
            said = known[name].refusal(value) if name in known else f"it takes no `{name[:40]}`"
            wrong += [said] if said else []
        if wrong:
            raise InputError(
                f"invalid arguments for {self.name}: {'; '.join(wrong)}",
                code="E-tool-arguments",
                hint=f"It takes {', '.join(known)}.",
            )
        return held


def _chars(value: object) -> int:
    if isinstance(value, list):
        return sum(map(_chars, value[:_CHARS_MAX])) + len(value)
    return len(value) if isinstance(value, str) else 0


TOOLS: Final = (
    Tool(
        "record",
        "Keep one thing for later sessions, or change the item `id`.",
        (
            Argument("kind", "text", choices=(*NOTED, *CHANGES), needed=True),
            Argument("text", "text", "Sentence; of a file its path"),
            Argument("why", "text", "Reason; real error"),
            Argument("id", "text"),
            Argument("files", "texts", "PATH or PATH:LINE"),
            Argument("owner", "text", "Who must answer"),
            Argument("blocking", "flag"),
            Argument("until", "text"),
            Argument("status", "text", "Of a file or hypothesis"),
            Argument("guard", "texts", "Commands, paths, imports that retry it"),
        ),
    ),
    Tool(
        "checkpoint",
        "Mark this point.",
        (
            Argument("name", "text"),
            Argument("message", "text"),
            Argument("draft", "text", "Hand-off, at most 900 tokens"),
        ),
    ),
    Tool(
        "resume",
        "What earlier sessions left.",
        (
            Argument("task", "text", "Id or title"),
            Argument("budget", "number"),
            Argument("record", "text", "Session id or last: its record in short"),
        ),
        reads=True,
    ),
    Tool(
        "confirm",
        "Where edits wait for it: goal and next action as told.",
        (Argument("goal", "text", needed=True), Argument("next", "text", "Names its file", needed=True)),
    ),
    Tool(
        "plan",
        "The task's plan: show, write (Markdown), tick (step N.M), prompt (to plan, or do phase N).",
        (Argument("do", "text", choices=PLAN_DEEDS, needed=True), Argument("text", "text")),
    ),
    Tool(
        "show",
        "An item, or who wrote PATH:LINE.",
        (Argument("id", "text"), Argument("words", "text", "Filter the list")),
        reads=True,
    ),
)


def tool_named(name: str) -> Tool | None:
    """The tool of this name."""
    return next((one for one in TOOLS if one.name == name), None)


def listing() -> list[dict[str, Any]]:
    """All tools as `tools/list` tells them."""
    return [one.listed() for one in TOOLS]
