"""Where a session's prose stands: which events say something that may be quoted, and in what role."""

import re
from bisect import bisect
from collections.abc import Iterator

from clew.core.records import Delegate, Edit, Plan, Prompt, Reply, Run, Summary, Thought
from clew.core.tuples import NamedTuple
from clew.distill import commands, prompts
from clew.distill.cues import REASON, spoken
from clew.distill.messages import message_of
from clew.distill.sentence import Source
from clew.distill.session import Event, Session, Step
from clew.distill.talk import is_order
from clew.distill.verdict import is_review
from clew.distill.work import Work


class Prose(NamedTuple):
    """The text of an event that may be quoted. `recency` is its place in the session, 0 (first) to 1 (last)."""

    text: str
    source: Source
    event: int
    recency: float


def gather(session: Session, work: Work) -> Iterator[Prose]:
    """All of a session's prose in order. Talk for a call that the user then refused is left out."""
    events = session.events
    asked = [i for i, event in enumerate(events) if isinstance(event, Prompt)]
    answers = _answers(session, asked, work)
    last = max((i for i, event in enumerate(events) if isinstance(event, Reply)), default=-1)
    plan_in_force = max((plan.event for plan in work.plans if plan.status != "rejected"), default=-1)
    open_plan = _open_plan(work)
    refused = {plan.event for plan in work.plans if plan.status == "rejected"}
    size = max(1, len(events) - 1)
    last_summary = max((i for i, event in enumerate(events) if isinstance(event, Summary)), default=-1)
    for index, event in enumerate(events):
        if isinstance(event, Reply):
            if _leads_to_refusal(events, index):
                continue
            source: Source = "last" if index == last else "narration"
            if index in session.finals and index != last:
                behind = bisect(asked, index)
                answer = events[asked[answers[behind]]] if behind < len(asked) else None
                source = _of_final(event, answer, index, work)
            elif source == "narration" and _begins_to_propose(event.text):
                source = "suggestion"  # the answer came through a tool
            text = _without_menus(event.text)
        elif index in refused or (isinstance(event, Summary) and index != last_summary):
            continue  # a summary tells what those before it told
        else:
            text, source = _other(event, is_open_plan=index == open_plan)
        if text:
            # The plan in force counts as said now, whenever it was made.
            yield Prose(_plainly(text, session.root), source, index, 1.0 if index == plan_in_force else index / size)


def thoughts(session: Session) -> Iterator[Prose]:
    """What the agent thought, in order, where the client keeps that. Thoughts of what the user then refused are not."""
    for index, event in enumerate(session.events):
        if isinstance(event, Thought) and not _leads_to_refusal(session.events, index):
            yield Prose(_plainly(event.text, session.root), "thought", index, index / len(session.events))


def last_message(session: Session) -> Prose | None:
    """The agent's last message, None if it said nothing."""
    events = session.events
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, Reply):
            return Prose(_plainly(_without_menus(event.text), session.root), "last", index, index / len(events))
    return None


# A leaf directive of Markdown (`::name{key="value"}`): what a client is to draw, no words.
_DIRECTIVE = r"::[a-z][\w-]*\{[^{}\n]*\}"
# A document names the root once; behind one of these it is a part of another path.
_WITHIN_PATH = r"(?<![\w./~-])"


def _plainly(text: str, root: str) -> str:
    """A text without what says nothing more: the root in front of paths, directives, typographic apostrophes; of one in
    JSON its sentences.
    """
    if text.startswith("{") and text.endswith("}"):
        text = _unpacked(text)
    inside = root.rstrip("/") + "/"
    if len(inside) > 1 and inside in text:
        text = re.sub(_WITHIN_PATH + re.escape(inside) + r"(?=[\w.])", "", text)
    if "::" in text:
        text = re.sub(_DIRECTIVE, "", text)
    return text.replace("’", "'")


def _unpacked(text: str) -> str:
    """The sentences of an answer in JSON, one paragraph or list entry each: a review by Codex is one."""
    import json  # here: few sessions have such an answer

    try:
        return "\n\n".join(_paragraphs(json.loads(text), ""))
    except (ValueError, RecursionError):
        return text


def _paragraphs(value: object, mark: str) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _paragraphs(one, "- ")
    elif isinstance(value, dict):
        said = ": ".join(one for one in value.values() if isinstance(one, str) and " " in one)
        if said:
            yield mark + said + _location(value.get("code_location"))
        for one in value.values():
            yield from _paragraphs(one, mark)


def _location(place: object) -> str:
    """Where a finding of a review is: ` (path:line)`."""
    if not isinstance(place, dict) or not isinstance(path := place.get("absolute_file_path"), str):
        return ""
    lines = place.get("line_range")
    return f" ({path}:{lines['start']})" if isinstance(lines, dict) and "start" in lines else f" ({path})"


def _other(event: Event, *, is_open_plan: bool) -> tuple[str, Source]:
    plan: Source = "plan-open" if is_open_plan else "plan-done"
    if isinstance(event, Summary):
        return event.text, "summary"
    if isinstance(event, Prompt):
        if event.source == "plan":
            return prompts.plan_body(event.text), plan
        return (prompts.prose_of_paste(event.text), "paste") if prompts.is_paste(event.text) else ("", "paste")
    if isinstance(event, Step) and not event.failed:
        action = event.call.action
        if isinstance(action, Plan):
            return action.text, plan
        if isinstance(action, Delegate) and event.result is not None:
            return event.result.text.partition("\nagentId: ")[0], "report"  # the client's bookkeeping follows
        if isinstance(action, Run) and event.done and _gives_message(action.command):
            return re.sub(_TRAILER, "", message_of(action.command).partition("\n")[2]), "message"
        if isinstance(action, Edit) and event.done:
            return _comments(action), "comment"
    return "", "narration"


def _open_plan(work: Work) -> int:
    """The event of the plan still to be carried out, -1 if there is none: the last, if no file was edited since."""
    if not work.plans or work.plans[-1].status == "rejected":
        return -1
    at = work.plans[-1].event
    return -1 if any(file.last > at for file in work.files) else at


def _answers(session: Session, asked: list[int], work: Work) -> list[int]:
    """For each of the prompts `asked` which of them answers what stands before it: itself; of one that only asks, where
    the agent then puts nothing else forward and edits nothing, what answers that.
    """
    events = session.events
    finals = {bisect(asked, index): events[index] for index in sorted(session.finals)}  # by the prompt behind them
    found = list(range(len(asked)))
    for number in range(len(asked) - 2, -1, -1):
        prompt, following = events[asked[number]], number + 1
        if isinstance(prompt, Prompt) and prompt.text.rstrip().endswith("?"):
            is_about_it = not _puts_another_forward(finals.get(following))
            if is_about_it and not work.edited(asked[number], asked[following]):
                found[number] = found[following]
    return found


def _puts_another_forward(answer: Event | None) -> bool:
    """Whether the answer to a question proposes something, and does not confirm what was asked about."""
    return (
        isinstance(answer, Reply)
        and not prompts.is_consent(answer.text)
        and re.search(_PROPOSES, answer.text) is not None
    )


def _of_final(proposal: Reply, answer: Event | None, index: int, work: Work) -> Source:
    """The role of a message that ended a turn: a proposal if the user said yes to it, at once or after a question
    about it, and files were edited; a suggestion if it begins like one and they were.
    """
    if not isinstance(answer, Prompt) or not work.edits or work.edits[-1].event < index or is_review(proposal.text):
        return "final"
    if prompts.goes_on(answer.text) and re.search(_PROPOSES, proposal.text):
        return "proposal"
    return "suggestion" if _begins_to_propose(proposal.text) else "final"


def _begins_to_propose(text: str) -> bool:
    head = text[:_HEAD_CHARS].lower()
    return any(word in head for word in _PROPOSING) and re.search(_BEGINS_TO_PROPOSE, head) is not None


_HEAD_CHARS = 120
_PROPOSING = ("suggest", "propos", "recommend", "i'd ", "i’d ", "i would ")
_BEGINS_TO_PROPOSE = (
    r"\b(?:my (?:suggestion|proposal|recommendation)|i (?:suggest|propose|recommend)"
    r"|i(?:'d|’d| would) (?:suggest|propose|recommend|keep|put|move|add))\b"
)
_PROPOSES = (  # this and the two below are compiled when a session needs them
    r"(?i)\b(?:option|approach|would you|want me to|shall i|should i|recommend|suggest|propose|could|two ways"
    r"|let me know|my plan)\b"
)
# A menu that some clients let the agent draw.
_OPENS, _CLOSES = "<options>", "</options>"
_OPTION = r"</?option[^<>]*>"
_TRAILER = r"(?m)^(?:[A-Z][\w-]+-[Bb]y:|\S*[ \t]*Generated with).*$"
_COMMENT = re.compile(r"^\s*(?://+|#+(?![!#])|--|\*)\s+(\S.*)$")
_PROSE_FILES = (".md", ".txt", ".rst", ".json")


def _without_menus(text: str) -> str:
    """A reply without the menus in it, and without the tags of one that never closes."""
    if "option" not in text:
        return text
    kept: list[str] = []
    at = 0
    while (start := text.find(_OPENS, at)) >= 0 and (end := text.find(_CLOSES, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(_CLOSES)
    kept.append(text[at:])
    return "".join(re.sub(_OPTION, "", piece) for piece in kept)


def _gives_message(command: str) -> bool:
    """Whether a command commits or opens a pull request: what it is given to say is a report."""
    if "commit" not in command and "pr create" not in command:
        return False
    return any(part.purpose in ("commit", "pull-request") for part in commands.split(command))


def _leads_to_refusal(events: tuple[Event, ...], index: int) -> bool:
    """Whether a reply speaks for a call that the user then refused: what it says is not what will be done."""
    behind = (events[at] for at in range(index + 1, len(events)))
    step = next((event for event in behind if not isinstance(event, (Reply, Thought))), None)
    refused = isinstance(step, Step) and step.result is not None and step.result.outcome == "rejected"
    return refused and isinstance(step, Step) and step.result is not None and bool(step.result.reason)


def _comments(action: Edit) -> str:
    """Comments that an edit brought in, one paragraph for each run of lines: reasons often stand only there.

    A comment is worth keeping for its reason; what the code does, the code says.
    """
    if action.path.endswith(_PROSE_FILES):
        return ""
    had = set(action.removed.split("\n"))
    paragraphs: list[list[str]] = []
    previous = False
    for line in action.added.split("\n"):
        comment = None if line in had else _COMMENT.match(line)
        if comment is None:
            previous = False
            continue
        words = comment.group(1).rstrip().removesuffix("*/").rstrip()
        if previous:
            paragraphs[-1].append(words)
        else:
            paragraphs.append([words])
        previous = True
    name = action.path.replace("\\", "/").rpartition("/")[2]
    told = map(" ".join, paragraphs)
    telling = (text for text in told if len(text) >= 40 and REASON.within(spoken(text)) and not is_order(text))
    return "\n\n".join(f"{name}: {text}" for text in telling)
