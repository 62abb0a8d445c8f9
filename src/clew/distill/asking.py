"""What the user asked for, in order, and what came of it."""

import re

from clew.core.records import Edit, Interruption, Prompt, Read, Reply, Run, Todos
from clew.core.text import one_line, shorten, shorten_code
from clew.core.tuples import NamedTuple
from clew.distill import prompts, shell
from clew.distill.blocks import sentences
from clew.distill.commands import error_line, git_words, split
from clew.distill.cues import spoken
from clew.distill.fact import Fact, fact
from clew.distill.identifiers import content_words
from clew.distill.messages import options
from clew.distill.session import Event, Session, Step
from clew.distill.talk import is_announcement
from clew.distill.tree import beside, relative
from clew.distill.work import Work, is_own

# Room in characters, from the trial that worked best on many sessions (benchmarks/recall).
FIRST_ASK_CHARS = 300
LATEST_ASK_CHARS = 420
ASK_CHARS = 160
ASKED_CHARS = 90
ASKS_CHARS = 700
_ANSWER_CHARS = 40
_ACTS_MAX = 3


class Ask(NamedTuple):
    """One request of the user, on one line. Its turns end before the event `end`. `plan`: it was an accepted plan.
    `own`: the prompt without what it quotes of the agent, its lines as they are.
    """

    text: str
    event: int
    end: int
    plan: bool
    own: str


def asks(session: Session) -> list[Ask]:
    """What the user asked for, in order. The same request twice in a row counts once.

    Nods ("go on", "commit") belong to the request before them, except the very last: once the agent has answered, it
    is what is asked for now.
    """
    found: list[Ask] = []
    last_final = -1
    said = bytearray()  # by the agent
    last_words = _last_words(session)
    for index, event in enumerate(session.events):
        last_final = index if index in session.finals else last_final
        if isinstance(event, Reply):
            said += prompts.letters(event.text)
            del said[:-_SAID_BYTES_MAX]  # what is quoted was said not long ago
        if not isinstance(event, Prompt):
            continue
        if prompts.is_nod(event.text):
            answered = found and found[-1].event < last_final
            is_aside = event.source == "command" or prompts.is_command(event.text)
            spoken_for = is_aside or prompts.is_closing(event.text)
            if not answered or spoken_for or index < last_words:
                continue
        plan = event.source == "plan"
        cut, own = (event.text, "") if plan else prompts.parted(event.text, said)
        text = prompts.plan_goal(cut) if plan else prompts.request(cut)
        if found and found[-1].text == text:
            found.pop()
        if text:
            found.append(Ask(text, index, 0, plan, own))
    ends = [ask.event for ask in found[1:]] + [len(session.events)]
    return [ask._replace(end=_end(found, ends, number)) for number, ask in enumerate(found)]


_SAID_BYTES_MAX = 60_000


def _last_words(session: Session) -> int:
    """The event of the last typed prompt that does more than thank, greet or command, -1 if there is none."""
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if not isinstance(event, Prompt) or event.source != "typed":
            continue
        if not prompts.is_closing(event.text) and not prompts.is_command(event.text):
            return index
    return -1


def _end(found: list[Ask], ends: list[int], number: int) -> int:
    """Where the turns of a request end: a "yes, let's do it" after it still belongs to it, an "okay, now …" not."""
    following = found[number + 1].text if number + 1 < len(found) else ""
    goes_on = prompts.is_consent(following) and not prompts.is_nod(following)
    return ends[number + 1] if goes_on else ends[number]


def gather(session: Session, work: Work, found: list[Ask]) -> list[Fact]:
    """Of the requests `found` the first as the goal, the latest, and as many of those between as fit; the same one
    once.
    """
    if not found:
        return []
    first, last = _goal(session, work, found), found[-1]
    text = _shortened(session, first, FIRST_ASK_CHARS)
    is_again = last.text == first.text
    status = _status(session, work, last if is_again else first, last=last)
    if status == "interrupted" and not is_again and work.edits and work.edits[-1].event >= first.end:
        status = ""  # it was taken up again in other words
    facts = [fact("goal", text, first.event, 0, provenance="human", status=status)]
    if not is_again:
        status = f"latest {_status(session, work, last, last=last)}"
        text = _shortened(session, last, LATEST_ASK_CHARS)
        why = _offer(session, last)
        facts.append(fact("step", text, last.event, 1, provenance="human", status=status, why=why))
    between = [ask for ask in found if ask.text not in (first.text, last.text)]
    asked = found[-2] if len(found) > 2 else first
    is_like = prompts.lead(asked.text) == prompts.lead(last.text)
    if asked in between and prompts.goes_on(last.text) and not is_like:  # it says little without what it answers to
        between.remove(asked)
        status = outcome(session, work, asked.event, asked.end)
        facts.append(
            fact("step", shorten(asked.text, LATEST_ASK_CHARS), asked.event, 1, provenance="human", status=status)
        )
    return facts + _between(session, work, between) + _addresses(session, facts)


def _shortened(session: Session, ask: Ask, chars: int) -> str:
    """A request in at most so many characters; of an output that was pasted the line that fails is kept."""
    text = shorten(ask.text, chars)
    prompt = session.events[ask.event]
    if text == ask.text or ask.plan or not isinstance(prompt, Prompt):
        return text
    failing = shorten(prompts.failing_line(prompt.text), chars // 2)
    if not failing or failing.rstrip("…") in text:
        return text
    return f"{shorten(ask.text, chars - len(failing) - 2).rstrip('…')}… {failing}"


_OFFER_CHARS = 160


def _offer(session: Session, ask: Ask) -> str:
    """The "to: …" of a request that is a mere yes to what the agent asked right before it, or that does not say what
    it is about ("delete them"); "" for any other.
    """
    is_answer = prompts.is_consent(ask.text) or prompts.is_nod(ask.text) or prompts.points_back(ask.text)
    if not is_answer or len(ask.text) > _ANSWER_CHARS:
        return ""
    before = next((event for event in reversed(session.events[: ask.event]) if isinstance(event, Reply)), None)
    said = sentences(one_line(before.text.rstrip().rpartition("\n")[2])) if before else []
    return f"to: {shorten(said[-1], _OFFER_CHARS)}" if said and said[-1].endswith("?") else ""


def _agrees(text: str) -> bool:
    return prompts.is_consent(text) or prompts.goes_on(text)


def _goal(session: Session, work: Work, found: list[Ask]) -> Ask:
    """The first request of the session's own; where that only asks how something is and later ones were worked on, the
    first that asks for more.
    """
    own = [ask for ask in found if session.is_own(session.events[ask.event])] or found
    first = next((ask for ask in own if not prompts.is_question(ask.text)), own[0])
    if _agrees(first.text):
        return own[0]  # what was asked is what was agreed to
    is_aside = not work.edited(own[0].event, first.event) and work.edited(first.event, len(session.events))
    return first if is_aside else own[0]


def _between(session: Session, work: Work, found: list[Ask]) -> list[Fact]:
    """Requests between the first and the latest: rules and corrections first, then later ones, while they fit."""
    latest_lead = {prompts.lead(ask.text): ask.event for ask in found}
    rules = {ask.event for ask in found if prompts.is_rule(ask.own)}

    def worth(ask: Ask) -> float:
        score = ask.event / max(1, len(session.events))
        score += 1.0 * (ask.event in rules) + 0.6 * prompts.is_correction(ask.text)
        return score + 0.1 * min(8, len(content_words(spoken(ask.text).words)))

    room = ASKS_CHARS
    facts: list[Fact] = []
    for ask in sorted(found, key=lambda ask: -worth(ask)):
        if latest_lead[prompts.lead(ask.text)] != ask.event or room < 40:
            continue
        status = outcome(session, work, ask.event, ask.end)
        is_rule = ask.event in rules
        # The answer to a question is among the sentences; the question itself matters less.
        chars = ASKED_CHARS if status.startswith("answered") and not is_rule else ASK_CHARS
        text = shorten(ask.text, min(chars, room))
        room -= len(text)
        if is_rule:
            facts.append(fact("constraint", text, ask.event, 3, provenance="human"))
        else:
            is_bare = status in _BARE and session.is_persons(session.events[ask.event])
            tier = _BARE_TIER if is_bare else 8
            why = _offer(session, ask)
            facts.append(fact("step", text, ask.event, tier, provenance="human", status=status, why=why))
    return facts


# These do not tell what came of a request, so a person's comes behind the first sentences. What a program asks is
# worded to stand alone.
_BARE = ("answered", "interrupted", "open")
_BARE_TIER = 9


def _addresses(session: Session, told: list[Fact]) -> list[Fact]:
    """Web addresses that the user gave and that the requests as told do not show."""
    shown = " ".join(line.text for line in told)
    found: dict[str, int] = {}
    for index, event in enumerate(session.events):
        if isinstance(event, Prompt) and "://" in event.text:
            for address in re.findall(_ADDRESS, event.text):
                if address not in shown and len(address) <= _ADDRESS_CHARS_MAX:
                    found.setdefault(address.rstrip(".,;:"), index)
    newest = list(found.items())[-_ADDRESSES_MAX:]
    return [
        fact("finding", f"named in {_whose(session, index)} request: {address}", index, 8, provenance="verified")
        for address, index in newest
    ]


def _whose(session: Session, index: int) -> str:
    """Whose a prompt is."""
    return "the user's" if session.is_persons(session.events[index]) else "a program's"


# One in quotes is a value in code or settings that were pasted: the user points to nothing.
_ADDRESS = r"(?<![\"'`=])https?://[^\s<>\"')\]}]+"
_ADDRESS_CHARS_MAX = 120
_ADDRESSES_MAX = 2


def _status(session: Session, work: Work, ask: Ask, *, last: Ask) -> str:
    """How a request stands. The one in which the record breaks off is under way, unless its work is on record."""
    came = outcome(session, work, ask.event, ask.end)
    if ask is last and not ended(session) and not came.removeprefix(_AGREED).startswith(("committed", "rebased")):
        return "under way"
    return came


def outcome(session: Session, work: Work, start: int, end: int) -> str:
    """What came of the events from `start` to before `end`, in a word or two."""
    commits = [commit for commit in work.commits if start <= commit.event < end and commit.event not in work.rebases]
    if commits:
        names = ", ".join(commit.id[:8] for commit in commits if commit.id)
        agreed = _AGREED if _is_agreed_first(session.events[start : commits[0].event]) else ""
        return f"{agreed}committed {names}" if names else f"{agreed}committed"
    if any(start <= event < end for event in work.rebases):
        return "rebased"
    opened = [
        "/".join(made.url.rsplit("/", 2)[1:]) for made in work.opened if made.proved and start <= made.event < end
    ]
    if opened:
        return f"opened {', '.join(opened)}"
    events = session.events[start:end]
    paths = {
        path
        for event in events
        if isinstance(event, Step) and event.done and isinstance(event.call.action, Edit)
        if (path := relative(event.call.action.path, session.root) or beside(event.call.action.path, session.root))
    }
    status = {file.path: file.status for file in work.files}
    if paths and all(status.get(path) in ("reverted", "removed") for path in paths):
        return "reverted"
    if paths:
        return f"{_AGREED}edited" if _is_agreed_first(_before_edit(events)) else "edited"
    stopped = max((start + at for at, event in enumerate(events) if isinstance(event, Interruption)), default=-1)
    if stopped >= 0 and not any(stopped < index < end for index in session.finals):
        return "interrupted"
    acts = _acts(events)
    said = {start + at: one_line(event.text) for at, event in enumerate(events) if isinstance(event, Reply)}
    if not said:
        return f"ran {', '.join(acts)}" if acts else "open"
    finals = [text for index, text in said.items() if index in session.finals]
    if not acts and all(_is_announced(text) for text in finals):
        return "broken off"
    # One answer that is too short to stand alone is told with its question.
    is_short = len(finals) == 1 and len(finals[0]) <= _ANSWER_CHARS
    if is_short:
        return f"answered: {finals[0].rstrip('.')}"
    return f"ran {', '.join(acts)}" if acts else "answered"


# Programs that change something beside files, and how many of them are told.
_CHANGING = ("rm", "mv")
_SCRATCH = ("/tmp/", "/var/tmp/", "/dev/")
_ACTED_MAX = 2


_AGREED = "agreed to, "


def _before_edit(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Those before the first edit that was made."""
    made = (i for i, e in enumerate(events) if isinstance(e, Step) and e.done and isinstance(e.call.action, Edit))
    return events[: next(made, len(events))]


def _is_agreed_first(events: tuple[Event, ...]) -> bool:
    """Whether a request, with what came before a change was made for it, only asked, and the user then said yes to what
    was answered.
    """
    asked = events[0] if events else None
    if not isinstance(asked, Prompt) or not asked.text.rstrip().endswith("?"):
        return False
    return any(_agrees(event.text) for event in events[1:] if isinstance(event, Prompt) and event.source == "typed")


def _acts(events: tuple[Event, ...]) -> list[str]:
    """The commands among some events that changed something, by their first words: `git stash`, `gh issue create`."""
    found: dict[str, None] = {}
    for event in events:
        if isinstance(event, Step) and event.done and isinstance(event.call.action, Run) and not is_own(event):
            for part in split(event.call.action.command):
                program = shell.program(part.words[0])
                if options(part.words[1:]).is_dry or any(word.startswith(_SCRATCH) for word in part.words):
                    continue
                if program == "git" and (part.purpose in ("push", "rewrite", "revert") or "clean" in part.words[1:2]):
                    found[f"git {git_words(part.words)[0]}"] = None
                elif program == "gh" and "create" in part.words[2:3]:
                    found[" ".join(("gh", *part.words[1:3]))] = None
                elif program in _CHANGING:
                    found[program] = None
    return list(found)[:_ACTED_MAX]


def ended(session: Session) -> bool:
    """Whether the record ends with a finished turn: the agent's last words, or the user's stop."""
    if session.is_torn and session.events:
        return False
    for event in reversed(session.events):
        if isinstance(event, Reply):
            return not _is_announced(event.text)
        if isinstance(event, Interruption):
            return True
        if isinstance(event, Prompt):
            if prompts.is_closing(event.text) or (prompts.is_nod(event.text) and event.text.startswith("/")):
                continue
            return False
        if isinstance(event, Step):
            return event.result is not None and event.result.outcome == "rejected"
    return True


def _is_announced(text: str) -> bool:
    """Whether an agent's words say no more than what it is about to do: a turn that ends with them broke off."""
    if len(text) > _ANNOUNCED_CHARS_MAX or "let me know" in text.lower() or not re.search(_INTENDING, text):
        return False
    return all(map(is_announcement, sentences(one_line(text))))


_INTENDING = r"(?i)\b(?:I'll|I will|I'm going|I am going|let me|let's)\b"
_ANNOUNCED_CHARS_MAX = 300


def latest_event(session: Session) -> int:
    """The event of the latest request, 0 if there is none."""
    return max((i for i, event in enumerate(session.events) if isinstance(event, Prompt)), default=0)


_ASKS_FOR_PLAN = (
    r"(?i)\b(?:make|write|give|present|draft|create|prepare|show|need|want|have|see|work out)\b[^.?!\n]{0,40}\bplan\b"
    r"|\b(?:propose|suggest|outline|your (?:plan|proposal|suggestion))\b"
)
_REQUEST_CHARS = 400


def proposes(session: Session, work: Work) -> bool:
    """Whether the last message answers to a request for a plan or a proposal, and nothing was edited for it."""
    at = latest_event(session)
    request = session.events[at] if session.events else None
    if not isinstance(request, Prompt) or (work.edits and work.edits[-1].event > at):
        return False
    return re.search(_ASKS_FOR_PLAN, request.text[:_REQUEST_CHARS]) is not None


def last_act(session: Session) -> str:
    """What was under way at the end of a record that stops in the middle, in one line.

    The calls that have no result yet (clients make several at once), else the last call. To-do lists and
    calls to clew are no act.
    """
    acts: list[str] = []
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if isinstance(event, Step):
            if isinstance(event.call.action, Todos) or is_own(event) or _is_of_line(session, index):
                continue
            if acts and event.result is not None:
                break
            acts.append(_act(event, session.root))
            if event.result is not None or len(acts) == _ACTS_MAX:
                break
        elif isinstance(event, Prompt):
            return ", ".join(reversed(acts)) or f"{_whose(session, index)} prompt, not answered yet"
        elif acts:
            break
    return ", ".join(reversed(acts))


def _is_of_line(session: Session, index: int) -> bool:
    """Whether an edit is what the shell line behind it writes; several edits of one patch are none."""
    one = session.events[index]
    if not (isinstance(one, Step) and isinstance(one.call.action, Edit)):
        return False
    for at in range(index + 1, len(session.events)):
        behind = session.events[at]
        if not isinstance(behind, Step) or behind.call.at != one.call.at:
            return False
        if isinstance(behind.call.action, Run):
            return True
    return False


_ERROR_CHARS = 140
_HOW = {"ok": " (done)", "error": " (it failed)", "rejected": " (refused)", "interrupted": " (stopped)"}


def _act(step: Step, root: str) -> str:
    action, result = step.call.action, step.result
    how = _HOW[result.outcome] if result is not None else " (no result: its outcome is unknown)"
    if result is not None and result.outcome == "error" and (error := one_line(error_line(result.text))):
        how = f" (it failed: {shorten(error, _ERROR_CHARS)})"
    if isinstance(action, Run):
        return f"`{shorten_code(one_line(action.command), 120)}`{how}"
    if isinstance(action, (Edit, Read)):
        return f"{step.call.tool} of {relative(action.path, root) or action.path}{how}"
    return f"{step.call.tool}{how}"
