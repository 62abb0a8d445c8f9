"""Which sentences tell how things were before something that came later: a document tells them as `earlier:`."""

from bisect import bisect_left

from clew.core.items import Kind
from clew.core.records import Prompt
from clew.distill.cues import NEXT, REASON, spoken
from clew.distill.identifiers import identifiers
from clew.distill.kinds import is_choice, is_deed
from clew.distill.sentence import ANSWERED, Sentence
from clew.distill.session import Session
from clew.distill.standing import traces
from clew.distill.work import Work

# Fewer lines may have been put in between others.
_ANEW_LINES_MIN = 20
# A shorter name may be gone from one place for many reasons.
_NAME_CHARS_MIN = 6


class Earlier:
    """What a session's later edits and requests make of sentences that were said before them."""

    def __init__(self, session: Session, work: Work) -> None:
        edits = [change.event for change in work.edits]
        self._first_edit = edits[0] if edits else len(session.events)
        self._last_edit = edits[-1] if edits else -1
        self._requests = [i for i, event in enumerate(session.events) if isinstance(event, Prompt)]
        self._latest_request = self._requests[-1] if self._requests else 0
        self._reports = _reports_of(session, edits)
        self._edited = {file.path.rpartition("/")[2].lower(): file.last for file in work.files}
        self._read = frozenset(path.rpartition("/")[2].lower() for path in work.read) - self._edited.keys()
        self._changes = work.edits
        self._gone = traces(work.edits)[1] if work.edits else {}

    def tells(self, sentence: Sentence, kind: Kind) -> bool:
        """Whether an agent's sentence says how things were when it was said, or what was next then. What was done,
        decided on the way or tried in vain stays so.
        """
        source = sentence.source
        if source in ANSWERED and sentence.event < self._latest_request and self._is_step(sentence):
            return True
        if sentence.event >= self._last_edit or self._is_untouched(sentence):
            return False
        if source in ("report", "thought"):
            return True
        is_reason = "i" in sentence.said.words and REASON.within(sentence.said) and not sentence.found
        if kind == "failed" or is_choice(sentence) or is_reason:
            return False
        if source not in ("final", "narration"):
            return sentence.found and source in ("plan-done", "proposal", "suggestion")
        is_own_deed = sentence.event > self._first_edit and is_deed(sentence)
        if is_own_deed or (source == "final" and sentence.event in self._reports):
            is_over = sentence.found or self._names_what_is_gone(sentence)
            return is_over or self._is_of_what_was_rewritten(sentence)
        return True

    def _is_step(self, sentence: Sentence) -> bool:
        return NEXT.within(spoken(f"{sentence.label} {sentence.text}"))

    def _is_untouched(self, sentence: Sentence) -> bool:
        """Whether it names files, and none of them was edited since."""
        names = sentence.names | identifiers(sentence.label)
        files = {name.rpartition("/")[2].partition(":")[0] for name in names}
        if any(self._edited.get(name, -1) > sentence.event for name in files):
            return False
        return not files.isdisjoint(self._read) or not files.isdisjoint(self._edited)

    def _is_of_what_was_rewritten(self, sentence: Sentence) -> bool:
        """Whether a file that was edited in the turn of this report was written anew since: much came in, and nothing
        is known to have gone.
        """
        at = bisect_left(self._requests, sentence.event)
        start = self._requests[at - 1] if at else 0
        edited = {change.path for change in self._changes if start < change.event < sentence.event}
        later = (change for change in self._changes if change.event > sentence.event and change.path in edited)
        return any(not change.removed and change.added.count("\n") >= _ANEW_LINES_MIN for change in later)

    def _names_what_is_gone(self, sentence: Sentence) -> bool:
        parts = {part for name in sentence.names for part in (name.removesuffix("()"), *name.split("."))}
        if any(self._gone.get(part, -1) > sentence.event for part in parts if len(part) >= _NAME_CHARS_MIN):
            return True
        paths = [name for name in sentence.names if "/" in name and len(name) >= _NAME_CHARS_MIN]
        return bool(paths) and any(
            path in change.removed.lower() and path not in change.added.lower()
            for change in self._changes
            if change.event > sentence.event
            for path in paths
        )


def _reports_of(session: Session, edits: list[int]) -> frozenset[int]:
    """The messages that end a turn in which files were edited: they say what was done."""
    found: set[int] = set()
    start = 0
    for index, event in enumerate(session.events):
        if isinstance(event, Prompt):
            start = index
        elif index in session.finals and bisect_left(edits, start) < bisect_left(edits, index):
            found.add(index)
    return frozenset(found)
