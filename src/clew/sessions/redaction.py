"""Cleaning and redacting: what a session file says, before anything else looks at it, and what was made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, cast

from clew.core.records.transcript import (
    Action,
    Call,
    Context,
    Delegate,
    Edit,
    Lineage,
    Link,
    Model,
    Other,
    Poll,
    Prompt,
    Record,
    Reply,
    Result,
    Run,
    Running,
    Search,
    Summary,
    Thought,
    Usage,
)
from clew.core.state.items import Item, State
from clew.core.text.cleaning import clean, shorten

# So much is kept of a text, and so many times as much is redacted before: what the first cut may have parted from its
# name does not reach what is kept. Messages are that long when somebody pastes a log or a picture.
_MESSAGE_CHARS: Final = 128_000
_RESULT_CHARS: Final = 16_000
_MARGIN: Final = 4
# A private key can be printed in parts.
_KEY_BEGINS: Final = "-----BEGIN "
_KEY_ENDS: Final = "-----END "

T = TypeVar("T")


class RecordRedactor:
    """Cleans and redacts every text that distilling looks at, and drops those it does not look at.

    Cleaning comes first: an invisible character inside a secret would hide it from the rules.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._names: dict[str, str] = {}
        self._run: set[str] = set()
        self._looks: dict[str, str] = {}  # at processes, by call
        self._telling: dict[str, bool] = {}  # of each process, whether what it prints is looked at
        self._within_key: set[str] = set()  # processes that were printing a private key
        self._other: set[str] = set()

    def text(self, text: str) -> str:
        """`text`, clean and redacted."""
        return self._redact(clean(text)) if text else ""

    def _excerpt(self, text: str, chars: int) -> str:
        return excerpt(self.text(excerpt(text, _MARGIN * chars)), chars)

    def name(self, name: str) -> str:
        """The same for what is met again and again: tools, models, branches, messages that are quoted."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self.text(name)
        return known

    def usage(self, usage: Usage) -> Usage:
        """What a model's response used, with a model name that can be shown."""
        model = self.name(usage.model)
        return usage if model == usage.model else usage._replace(model=model)

    def record(self, record: Record) -> Record:
        """`record` with texts that can be shown. Records are given in file order: a result belongs to a call."""
        if isinstance(record, (Prompt, Reply, Thought, Summary)):
            text = self._excerpt(record.text, _MESSAGE_CHARS)
            if text != record.text:
                return record._replace(text=text)
            self._names[text] = text  # it is safe as it is, and items quote it whole
            return record
        if isinstance(record, Call):
            tool, action = self.name(record.tool), self._action(record.action)
            is_safe = tool == record.tool and action == record.action  # as nearly all are: a copy would be dear
            safe = record if is_safe else record._replace(tool=tool, action=action)
            self.remember(safe)
            return safe
        if isinstance(record, Result):
            return self._result(record)
        if isinstance(record, Running):
            process = self._looks.get(record.call) or self.name(record.process)
            self.remember(record._replace(process=process))
            return record._replace(process=process, text=self._printed(process, record.text))
        if isinstance(record, Link):
            return record._replace(text=self.text(record.text), url=self.text(record.url))
        if isinstance(record, Model):
            return record._replace(name=self.name(record.name))
        if isinstance(record, Lineage):
            return record._replace(session=self.name(record.session))
        if isinstance(record, Context):
            session, branch, cwd = self.name(record.session), self.name(record.branch), clean(record.cwd)
            if (session, branch, cwd) == (record.session, record.branch, record.cwd):
                return record
            return record._replace(session=session, cwd=cwd, branch=branch)
        return record

    def remember(self, record: Call | Running) -> None:
        """Note of a call that was made safe, or of an answer whose command goes on, whether its result is looked at."""
        if isinstance(record, Running):
            if record.call not in self._looks:
                self._telling[record.process] = record.call in self._run
            return
        from clew.core.gate.shell.git_output import tells_state  # here: most hooks of a client find nothing to read
        from clew.core.gate.shell.purposes import only_looks

        action = record.action
        if isinstance(action, Poll):
            self._looks[record.id] = self.name(action.process)
        elif isinstance(action, Delegate) or (
            isinstance(action, Run) and (tells_state(action.command) or not only_looks(action.command))
        ):
            self._run.add(record.id)
        elif isinstance(action, (Edit, Other, Run, Search)):
            self._other.add(record.id)

    def _action(self, action: Action) -> Action:
        """`action` with all its texts made safe; the folder of a command has to be found."""
        if isinstance(action, Run):
            command = self.text(action.command)
            return action if command == action.command else action._replace(command=command)
        return self.values(action)

    def values(self, value: T) -> T:
        """`value` with every text in it made safe, in tuples and named tuples within each other."""
        if isinstance(value, str):
            return cast("T", self.text(value))
        if not isinstance(value, tuple):
            return value
        parts = [self.values(one) for one in value]
        return cast("T", type(value)(*parts) if hasattr(value, "_fields") else tuple(parts))

    def _printed(self, process: str, text: str) -> str:
        """What a process printed, of one whose result is looked at."""
        text = self._outside_key(process, text)
        return self._excerpt(text, _RESULT_CHARS) if self._telling.get(process) else ""

    def _outside_key(self, process: str, text: str) -> str:
        """What a process printed, without a key whose beginning stood in what it printed before: each part is redacted
        alone.
        """
        if process in self._within_key:
            if _KEY_ENDS not in text:
                return ""
            self._within_key.discard(process)
            text = text.rpartition(_KEY_ENDS)[2]
        if _KEY_BEGINS in text and _KEY_ENDS not in text.rpartition(_KEY_BEGINS)[2]:
            self._within_key.add(process)
            text = text.rpartition(_KEY_BEGINS)[0]
        return text

    def _result(self, result: Result) -> Result:
        """What commands that do something or tell the branch print, sub-agents answer, and edits, looks and other tools
        fail with; no other is looked at.
        """
        if process := self._looks.get(result.call, ""):
            return result._replace(text=self._printed(process, result.text))
        told = result.call in self._run or (result.outcome == "error" and result.call in self._other)
        if not (told or result.reason or result.answers):
            return result if not result.text else result._replace(text="")
        return result._replace(
            text=self._excerpt(result.text, _RESULT_CHARS) if told else "",
            reason=self.text(result.reason),
            answers=tuple((self.text(question), self.text(answer)) for question, answer in result.answers),
        )

    def state(self, state: State) -> State:
        """What was made of the records, redacted once more: markup that is gone now may have hidden a secret."""
        origin = state.origin
        told = origin._replace(branch=self.text(origin.branch), last_act=self.text(origin.last_act))
        return state._replace(origin=told, items=tuple(map(self._item, state.items)))

    def _item(self, item: Item) -> Item:
        safe = item._replace(
            text=self.text(item.text),
            why=self.text(item.why),
            label=self.name(item.label),
            status=self.name(item.status),
            place=item.place._replace(quote=self.name(item.place.quote)),
        )
        return item if safe == item else safe


# What stands behind a private key. Its lines without its header look like any other base64.
_KEY_FOOTS: Final = ("-----END ", "---- END ", "Private-MAC:")
# So much of the words that are looked for: items are cut, and markup is taken out of them.
_KNOWN_BY_CHARS: Final = 40
_KEY_HEADS: Final = ("-BEGIN ", "- BEGIN ")


def excerpt(text: str, chars: int) -> str:
    """`text` if it has at most `chars` characters; else its head and its tail, joined by a line "…".

    Both are whole lines, or whole words of one endless line. The tail begins behind the end of a private key that
    began before it, else after an empty line, else with any line. A name on the line before may still be cut off from
    its value: who redacts takes an excerpt of more than is kept, redacts, and takes the excerpt of that.
    """
    if len(text) <= chars:
        return text
    head, tail = text[: chars // 2], text[-(chars // 2) :]
    head = head[: max(head.rfind("\n"), 0)] or head[: max(head.rfind(" "), 0)]
    return f"{head}\n…\n{tail[_beginning(tail) :]}"


def around(text: str, words: str, chars: int) -> str:
    """At most `chars` characters of `text`, those around `words` if they stand there; "…" marks what is left out.

    What is cut was redacted before.
    """
    start = max(0, text.find(words[:_KNOWN_BY_CHARS]) - chars // 6)
    lead = "…" if start else ""
    return lead + shorten(text[start:], chars - len(lead))


def _beginning(tail: str) -> int:
    """Where the text that may be kept begins: in the first half if anything there allows it."""
    half = len(tail) // 2
    ends = [end for mark in _KEY_FOOTS if (end := tail.find(mark, 0, half)) >= 0]
    if ends and not any(head in tail[: min(ends)] for head in _KEY_HEADS):
        return _after(tail, "\n", min(ends), len(tail)) or len(tail)
    for mark, end in (("\n\n", half), ("\n", len(tail)), (" ", len(tail))):
        if beginning := _after(tail, mark, 0, end):
            return beginning
    return len(tail)


def _after(text: str, mark: str, start: int, end: int) -> int:
    """The place behind `mark`, 0 if it is not there."""
    found = text.find(mark, start, end)
    return found + len(mark) if found >= 0 else 0
