"""Ways that the user went back from: what was said there was taken back, what tools did was not."""

from collections.abc import Sequence
from itertools import pairwise

from clew.core.records.transcript import Context, Prompt


class Ways:
    """The lines of a record as the tree that its client made of them.

    Two prompts with one parent mean that the user went back and took another way, or that two processes went on with
    one session. A way is abandoned where nothing that comes of it stands behind the prompt that replaced it. Of a
    client that tells its lines (`Context.uid`), only prompts that follow a line of the record can have been replaced.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._places: dict[str, int] = {}  # of each line, in the order in which they were met
        self._asked: dict[str, list[str]] = {}  # the prompts with one parent
        self._seen: set[tuple[str, str]] = set()
        self._at = -1  # of the line under way
        self._is_copy = self._is_told = False
        self.line = ""  # its id

    def goes_on(self, record: Context) -> None:
        """A line begins."""
        self._is_copy = (record.uid, record.time) in self._seen
        self._at, self._is_told = record.at, True
        if not self._is_copy:
            self._seen.add((record.uid, record.time))
            self._hangs(record.uid, record.parent)

    def is_copy(self, at: int) -> bool:
        """Whether the line at this place stood in the record before: some clients write it again on a compaction."""
        return self._is_copy and at == self._at

    def asked(self, prompt: Prompt) -> None:
        """A prompt of the line."""
        if prompt.uid and prompt.at != self._at:
            self._hangs(prompt.uid, prompt.parent)
        if prompt.parent and self.line not in self._asked.setdefault(prompt.parent, []):
            self._asked[prompt.parent].append(self.line)

    def _hangs(self, uid: str, parent: str) -> None:
        self.line = uid
        self._places.setdefault(uid, len(self._places))
        self._parents.setdefault(uid, parent)

    def abandoned(self, lines: Sequence[str]) -> list[bool]:
        """Of each of some lines, by their ids, whether it is on a way that was gone back from."""
        lasts: dict[str, int] = {}  # the last line that comes of each
        for line in sorted(self._places, key=self._places.__getitem__, reverse=True):
            last = self._places[line]
            while line in self._places and line not in lasts:
                lasts[line] = last
                line = self._parents[line]  # noqa: PLW2901
        gone: dict[str, bool] = {}
        for parent, asked in self._asked.items():
            if self._is_told and parent not in self._places:
                continue
            for one, other in pairwise(asked):
                if lasts.get(one, 0) < self._places.get(other, 0):
                    gone[one] = True
        return [self._is_below(line, gone) for line in lines]

    def _is_below(self, line: str, gone: dict[str, bool]) -> bool:
        """Whether a line comes of one of those; `gone` keeps what is known."""
        passed: list[str] = []
        while line not in gone and line in self._parents:
            gone[line] = False  # a ring ends here
            passed.append(line)
            line = self._parents[line]
        found = gone.get(line, False)
        gone.update(dict.fromkeys(passed, found))
        return found
