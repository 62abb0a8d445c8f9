"""What edits put in, commands never did and a search that broke off had looked for, in their own words: for documents
that have room for all that is chosen.
"""

import re

from clew.core.records import Action, Run, Search
from clew.core.text import one_line, shorten, shorten_code
from clew.distill import asking
from clew.distill.commands import only_looks
from clew.distill.fact import FILL_TIER, Fact, fact
from clew.distill.session import Session, Step
from clew.distill.tree import Change, is_inside, relative
from clew.distill.work import Work

# So many of the newest edits are told in full, where there is room for more than sentences, if they are no longer.
_CONTENTS_MAX = 4
_CONTENT_CHARS = 160
_CONTENT_LINES = 2
# Files as they are in another state of the repository.
_RESTORES = r"\bgit\b.*\b(?:restore|stash|revert|clean|apply|checkout|switch|reset|rebase|merge|pull|am)\b"


def gather(session: Session, work: Work) -> list[Fact]:
    """What the last edit of each file put in, if that is short and no command may have changed the file since; commands
    that never worked; and what was looked for since the latest request, if the record breaks off.
    """
    gone = {file.path for file in work.files if file.status in ("reverted", "removed")}
    ran = [
        (index, event.call.action.command)
        for index, event in enumerate(session.events)
        if isinstance(event, Step) and isinstance(event.call.action, Run)
    ]
    newest = {change.path: change for change in work.edits if change.path not in gone}
    facts = []
    for change in sorted(newest.values(), key=lambda change: -change.event)[:_CONTENTS_MAX]:
        name = change.path.rpartition("/")[2]
        if any(at > change.event and _may_change(name, command) for at, command in ran):
            continue
        if text := _became(change):
            facts.append(
                fact(
                    "finding",
                    text,
                    change.event,
                    FILL_TIER,
                    provenance="verified",
                    files=tuple(filter(is_inside, [change.path])),
                )
            )
    for run in work.failed_runs[-2:]:
        text = f"`{shorten_code(run.command, 90)}` failed"
        facts.append(fact("finding", text, run.event, FILL_TIER, why=shorten(run.error, 120), provenance="verified"))
    return facts + ([] if asking.ended(session) else _looks(session))


_STAGES = re.compile(r"\bgit\b.*\badd\b")
_LOOKS_MAX = 10
_LOOK_CHARS = 100
_ERROR_CHARS = 80


def _looks(session: Session) -> list[Fact]:
    """The newest searches and looks since the latest request, which nobody has drawn a conclusion from yet."""
    facts: list[Fact] = []
    for index in range(len(session.events) - 1, asking.latest_event(session), -1):
        event = session.events[index]
        if len(facts) == _LOOKS_MAX:
            break
        if (
            isinstance(event, Step)
            and (event.done or event.failed)
            and (text := _look(event.call.action, session.root))
        ):
            why = shorten(one_line(event.result.text), _ERROR_CHARS) if event.failed and event.result else ""
            facts.append(fact("finding", text, index, FILL_TIER, why=why, provenance="verified"))
    return facts


def _look(action: Action, root: str) -> str:
    """A search, or a command that only looks, in words; "" of other acts, and of what cannot stand in back-quotes."""
    if isinstance(action, Search):
        looked, done = action.pattern, "searched for"
    elif isinstance(action, Run) and only_looks(action.command) and not _STAGES.search(action.command):
        looked, done = action.command, "looked with"
    else:
        return ""
    looked = one_line(looked)
    place = (relative(action.path, root) or action.path) if isinstance(action, Search) else ""
    if not looked or "`" in looked:
        return ""
    return f"{done} `{shorten_code(looked, _LOOK_CHARS)}`" + (f" in {one_line(place)}" if place else "")


def _may_change(name: str, command: str) -> bool:
    """Whether a command may have changed the file `name`: it speaks of it, or restores files."""
    in_place = " -i" in command or ">" in command  # programs that else only look can write so
    harmless = (only_looks(command) and not in_place) or "git add" in command or "git commit" in command
    if name in command and not harmless:
        return True
    return "git" in command and re.search(_RESTORES, command) is not None


def _became(change: Change) -> str:
    """What a short edit did, in the lines that it changed; "" of one that is long."""
    before, after = change.removed.splitlines(), change.added.splitlines()
    least = min(len(before), len(after))
    head = next((i for i in range(least) if before[i] != after[i]), least)
    tail = next((i for i in range(least - head) if before[-1 - i] != after[-1 - i]), least - head)
    gone, new = before[head : len(before) - tail], after[head : len(after) - tail]
    removed, added = one_line(" ".join(gone)), one_line(" ".join(new))
    if max(len(gone), len(new)) > _CONTENT_LINES or removed == added:
        return ""
    if max(len(removed), len(added)) > _CONTENT_CHARS or "`" in removed + added or not removed + added:
        return ""
    if removed and added:
        return f"{change.path}: `{removed}` became `{added}`"
    return f"{change.path}: `{added}` put in" if added else f"{change.path}: `{removed}` taken out"
