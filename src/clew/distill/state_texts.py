"""The texts in which an agent itself wrote down how things stand: a plan not carried out, a hand-off or notes document,
what a compaction kept, the last report, the description of a pull request. Their writer knew what mattered, but not
what came after: so each point is checked against that.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import Literal, NamedTuple

from clew.core.gate.shell import purposes
from clew.core.records.file_names import PROSE_FILES, beside, relative
from clew.core.records.transcript import Edit, Prompt, Reply, Run, Summary
from clew.core.text.cleaning import one_line
from clew.distill import prompts
from clew.distill.identifiers import words_of
from clew.distill.prose import OFFERS, Point, points
from clew.distill.session import Session, ToolStep
from clew.distill.shell_lines import message_of
from clew.distill.standing import Since
from clew.distill.work import SessionWork

# A document of the state is known by its name or folder; what describes the product to its users is none.
_STATE_NAME = re.compile(
    r"(?i)(?:hand-?off|\bnotes?\b|progress|status|plan|to-?do|journal|worklog|proposal|brainstorm|findings|roadmap|memo\b"
    r"|\btasks?\b|thoughts|continu|resume|übergabe|stand\b).*\.(?:mdx?|markdown|txt|rst)$"
)
_ASKED = re.compile(r"(?i)\b(?:hand-?off|notes|write (?:\w+ ){0,2}down|übergabe|notier)")
_NO_STATE = re.compile(r"(?i)\b(?:README|CHANGELOG|CLAUDE|AGENTS|GEMINI|SKILL|CONTRIBUTING|MEMORY)\.")
# The sections of a client's summary that tell the state. Of requests, files and concepts the record has more.
_TELLING = frozenset("pending current next remaining todo decisions decision errors open constraints".split())
# So many requests behind a text, or code files edited behind a document, leave it young.
_LATER_MAX = 2
_REPORT_CHARS_MIN, _FULL_CHARS_MIN = 300, 600
_TRAILER = re.compile(r"(?m)^(?:[A-Z][\w-]+-[Bb]y:|\S*[ \t]*Generated with).*$")
_AHEAD = ("next", "step", "question", "blocker")


class StateText(NamedTuple):
    """`name` says to a reader what it is. `event` is its last change."""

    kind: Literal["plan", "carried-out", "document", "summary", "report", "description"]
    name: str
    text: str
    event: int


def find(session: Session, work: SessionWork, since: Since, asked: list[int], last: int) -> list[StateText]:
    """The texts that tell the state, the one to be trusted most first. `asked` are the events of requests, `last` that
    of the last message (-1: the turn is under way).
    """
    events, found = session.events, list[StateText]()

    def is_old(event: int) -> bool:
        return sum(at > event for at in asked) > _LATER_MAX

    plan = work.plans[-1] if work.plans else None
    if plan and plan.status != "rejected":
        is_open = since.last_edit <= plan.event
        body = prompts.plan_body(plan.text)
        if is_open:
            found.append(StateText("plan", "The plan, not carried out", body, plan.event))
        elif not is_old(plan.event):
            found.append(StateText("carried-out", "Of the plan, not seen done", body, plan.event))
    documents = [one for one in _documents(session, work) if not is_old(one.event)]
    found += documents[-1:]
    summed = max((at for at, event in enumerate(events) if isinstance(event, Summary)), default=-1)
    if summed >= 0 and not is_old(summed) and isinstance(event := events[summed], Summary):
        parts = re.split(r"(?m)^(?=(?:\d+\.|#{1,4}) )", event.text)
        told = [part for part in parts if not _TELLING.isdisjoint(words_of(part.split("\n", 1)[0]))]
        found.append(StateText("summary", "From the last compaction's summary", "".join(told), summed))
    finals = [(at, event.text) for at in session.finals if isinstance(event := events[at], Reply)]
    long = max((at for at, text in finals if len(text) >= _REPORT_CHARS_MIN), default=-1)
    if long not in (-1, last) and not is_old(long):
        found.append(StateText("report", "The last report", dict(finals)[long], long))
    is_full = len(dict(finals).get(last, "")) >= _FULL_CHARS_MIN  # then it says it again
    return [*found, *(one for one in _descriptions(session) if not is_full or one.event > last)]


def _documents(session: Session, work: SessionWork) -> list[StateText]:
    """The young documents of the state, each as its edits left it, the newest last."""
    written: dict[str, tuple[str, int]] = {}
    plans = {one_line(plan.text) for plan in work.plans}
    prompted = ""
    for index, event in enumerate(session.events):
        prompted = event.text if isinstance(event, Prompt) else prompted
        action = event.call.action if isinstance(event, ToolStep) and event.done else None
        if not isinstance(action, Edit) or not action.path.endswith((*PROSE_FILES, ".markdown", ".mdx")):
            continue
        if _NO_STATE.search(action.path):
            continue
        if action.path not in written and not (_STATE_NAME.search(action.path) or _ASKED.search(prompted)):
            continue
        before = written.get(action.path, ("", 0))[0]
        text = before.replace(action.removed, action.added, 1) if action.removed else action.added
        written[action.path] = (text, index)
    found = []
    for path, (text, at) in sorted(written.items(), key=lambda entry: entry[1][1]):
        code = {edit.path for edit in work.edits if edit.event > at and not edit.path.endswith(PROSE_FILES)}
        if len(code) <= _LATER_MAX and text.strip() and one_line(text) not in plans:
            found.append(StateText("document", f"From {_name(path, session.root)}", text, at))
    return found


def _name(path: str, root: str) -> str:
    """A document as the reader finds it from the root; far from that its own name alone, which no machine is in."""
    near = beside(path, root)
    return relative(path, root) or (near if near.startswith("../") else posixpath.basename(path))


def _descriptions(session: Session) -> list[StateText]:
    """What the last pull request, else the last commit, says of itself below its title."""
    bodies: dict[bool, StateText] = {}
    for index, event in enumerate(session.events):
        action = event.call.action if isinstance(event, ToolStep) and event.done else None
        if not isinstance(action, Run) or not ("commit" in action.command or "gh pr" in action.command):
            continue
        is_pull = re.search(r"\bgh pr (?:create|edit)\b", action.command) is not None
        if is_pull or any(one.purpose == "commit" for one in purposes.split(action.command)):
            text = _TRAILER.sub("", message_of(action.command))
            name = "The pull request's description" if is_pull else "The last commit's message"
            if body := (text if is_pull else text.partition("\n")[2]).strip():
                bodies[is_pull] = StateText("description", name, body, index)
    return [bodies[max(bodies)]] if bodies else []


def standing_points(session: Session, work: SessionWork, since: Since, text: StateText, last: int) -> list[Point]:
    """The points of a text that still hold as far as the record tells, by worth: what lies ahead, then a point of each
    section before a second of any.
    """
    full = last if last >= 0 and len(getattr(session.events[last], "text", "")) >= _FULL_CHARS_MIN else -1
    told_later = max([full, *(plan.event for plan in work.plans)]) > text.event
    ranked, seen = list[tuple[bool, int, Point]](), Counter[str]()
    for point in points(text.text, text.event, session.root):
        is_ahead = point.kind in _AHEAD or not {"current", "next"}.isdisjoint(words_of(point.heading))
        is_vague = text.kind == "summary" and (told_later or not point.names)
        if is_ahead and (is_vague or since.closes(point.text, text.event)):
            continue
        if text.kind == "report" and (point.text.endswith("?") or OFFERS.search(point.text)):
            continue
        if text.kind == "description" and re.search(r"(?i)\b(?:tests?|verif\w+|checks?)\b", point.heading):
            continue  # the record itself tells of checks
        if text.kind == "carried-out" and (not point.names or since.touches(point.names, text.event)):
            continue
        seen[point.heading] += 1
        ranked.append((not is_ahead, seen[point.heading], point))
    return [point for _, _, point in sorted(ranked, key=lambda entry: entry[:2])]
