"""A shell line that was run, with what came of it."""

from typing import NamedTuple

from clew.core.gate.shell.cut import Command
from clew.core.records.file_names import after_cd


class Ran(NamedTuple):
    """`ok`: whether the line as a whole ended well, None where that is not known; `text` is its output. `folders` are
    those of its commands. It began and ended at the places `began` and `ended` of the record. `is_mute`: the client
    says that it printed nothing, and does not only leave it out.
    """

    event: int
    command: str
    parts: list[Command]
    text: str
    ok: bool | None
    began: int
    ended: int
    folders: tuple[str, ...] = ()
    is_mute: bool = False


def folders_of(parts: list[Command], folder: str, root: str) -> tuple[str, ...]:
    """The folder of each command of a line that begins in `folder`: a `cd` in it changes that for those behind it."""
    found = []
    for part in parts:
        if part.words[0] in ("cd", "pushd"):
            folder = after_cd(folder, part.words[1:2], root)
        found.append(folder)
    return tuple(found)
