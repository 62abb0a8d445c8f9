"""Which sentences tell how things were before something that came later: a document tells them as `earlier:`."""

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise

from clew.core.items import Kind
from clew.core.records import Prompt, Reply, Thought
from clew.distill.cues import FAILING, FORETELLING, NEXT, OPEN_HEADING, REASON, spoken
from clew.distill.kinds import hands_over, is_choice, is_deed
from clew.distill.prompts import is_complaint
from clew.distill.sentence import ANSWERED, Sentence
from clew.distill.session import Session
from clew.distill.standing import traces
from clew.distill.work import Work

# Fewer lines may have been put in between others.
_ANEW_LINES_MIN = 20
# A shorter name may be gone from one place for many reasons.
_NAME_CHARS_MIN = 6


def _is_failure(sentence: Sentence) -> bool:
    return sentence.text.startswith(_FAILED) or FAILING.within(sentence.said)


# How an agent begins that was wrong.
_CONCEDING = tuple(f"you{are} {how}right" for are in ("'re", "’re", " are") for how in ("", "absolutely "))
_CONCEDING += ("i was wrong", "my mistake", "good catch")
_HEAD_CHARS = 40

# What test runners put in front of what failed.
_FAILED = ("✖", "✗", "✘", "⨯", "❌")


class Earlier:
    """What a session's later edits and requests make of sentences that were said before them."""

    def __init__(self, session: Session, work: Work) -> None:
        self._work = work
        self._first_edit = work.edits[0].event if work.edits else len(session.events)
        self._last_edit = work.edits[-1].event if work.edits else -1
        self._requests = [i for i, event in enumerate(session.events) if isinstance(event, Prompt)]
        self._latest_request = self._requests[-1] if self._requests else 0
        self._finals = session.finals
        self._events = session.events
        self._edited = {file.path: file.last for file in work.files}
        self._anew = {
            change.path: change.event
            for change in work.edits
            if not change.removed and change.added.count("\n") >= _ANEW_LINES_MIN
        }

    @cached_property
    def _gone(self) -> dict[str, int]:
        """For each word that edits took out of the code when it went; few sentences are asked about it."""
        return traces(self._work.edits)[1]

    @cached_property
    def _complained_of(self) -> set[int]:
        """The requests whose turns ended with a message that the user's next words find fault with, and edits followed:
        what that message says of what it made is what the agent believed.
        """
        events = self._events
        found = set[int]()
        for one, other in pairwise(self._requests):
            told = events[other]
            if isinstance(told, Prompt) and is_complaint(told.text) and other < self._last_edit:
                found.add(one)
        return found

    @cached_property
    def _conceded(self) -> set[int]:
        """The requests whose turns ended with a message that the user spoke against, as the agent then saw, and edits
        followed: nothing of that message is sure.
        """
        found = set[int]()
        for one, other in pairwise(self._requests):
            behind = (self._events[at] for at in range(other + 1, len(self._events)))
            answer = next((event for event in behind if not isinstance(event, Thought)), None)
            concedes = isinstance(answer, Reply) and answer.text[:_HEAD_CHARS].lower().startswith(_CONCEDING)
            if concedes and other < self._last_edit:
                found.add(one)
        return found

    def tells(self, sentence: Sentence, kind: Kind, files: tuple[str, ...]) -> bool:
        """Whether an agent's sentence, which names these project files, says how things were when it was said, or what
        was next then. What was done, decided on the way or tried in vain stays so, and so does what is said of files
        that nobody edited since.
        """
        source = sentence.source
        if source in ANSWERED and sentence.event < self._latest_request and self._is_step(sentence):
            return True
        if source == "summary" and sentence.found and kind != "failed":
            return True
        if sentence.event >= self._last_edit:
            return False
        if source in ("final", "narration") and FORETELLING.within(sentence.said):
            return True
        if source == "thought":
            return True  # nobody said it: what came of it may have changed other files than it names
        if files and all(self._edited.get(path, -1) < sentence.event for path in files):
            return False
        if source == "report" or (source == "paste" and _is_failure(sentence)):
            return True
        is_reason = "i" in sentence.said.words and REASON.within(sentence.said) and not sentence.found
        if kind == "failed" or is_choice(sentence) or is_reason:
            return False
        if source not in ("final", "narration"):
            return sentence.found and source in ("plan-done", "proposal", "suggestion")
        is_own_deed = sentence.event > self._first_edit and is_deed(sentence)
        if is_own_deed or self._is_report(sentence):
            is_over = sentence.found or self._names_what_is_gone(sentence)
            start = self._start(sentence.event)
            is_refuted = start in self._conceded or (not sentence.names and start in self._complained_of)
            return is_over or is_refuted or self._is_of_what_was_rewritten(sentence)
        return True

    def _is_step(self, sentence: Sentence) -> bool:
        said = spoken(f"{sentence.label} {sentence.text}")
        is_open = bool(sentence.label) and OPEN_HEADING.within(spoken(sentence.label))
        return is_open or NEXT.within(said) or hands_over(sentence)

    def _start(self, event: int) -> int:
        """The request in whose turn an event is."""
        at = bisect_left(self._requests, event)
        return self._requests[at - 1] if at else 0

    def _is_report(self, sentence: Sentence) -> bool:
        """Whether it is of a message that ends a turn in which files were edited: that says what was done."""
        event = sentence.event
        return sentence.source == "final" and event in self._finals and self._work.edited(self._start(event), event)

    def _is_of_what_was_rewritten(self, sentence: Sentence) -> bool:
        """Whether a file that was edited in the turn of this report was written anew since: much came in, and nothing
        is known to have gone.
        """
        start = self._start(sentence.event)
        edited = (change.path for change in self._work.edits if start < change.event < sentence.event)
        return bool(self._anew) and any(self._anew.get(path, -1) > sentence.event for path in edited)

    def _names_what_is_gone(self, sentence: Sentence) -> bool:
        parts = {part for name in sentence.names for part in (name.removesuffix("()"), *name.split("."))}
        if any(self._gone.get(part, -1) > sentence.event for part in parts if len(part) >= _NAME_CHARS_MIN):
            return True
        paths = [name for name in sentence.names if "/" in name and len(name) >= _NAME_CHARS_MIN]
        return bool(paths) and any(
            path in change.removed.lower() and path not in change.added.lower()
            for change in self._work.edits
            if change.event > sentence.event
            for path in paths
        )
