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
        lasts = dict(self._places)  # the last line that comes of each: what comes of a line stands behind it
        for line in reversed([*self._places]):
            if (parent := self._parents[line]) in lasts:
                lasts[parent] = max(lasts[parent], lasts[line])
        gone = {
            one
            for parent, asked in self._asked.items()
            if parent in self._places or not self._is_told
            for one, other in pairwise(asked)
            if lasts.get(one, 0) < self._places.get(other, 0)
        }
        for line, parent in self._parents.items():
            gone.update((line,) if parent in gone else ())
        return [line in gone for line in lines]
