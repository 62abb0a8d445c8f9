"""A shell line that was run, with what came of it."""

from typing import NamedTuple

from clew.core.gate.shell.cut import Command


class Ran(NamedTuple):
    """`ok`: whether the line as a whole ended well, None where that is not known; `text` is its output. It began in the
    folder `folder`, and began and ended at the places `began` and `ended` of the record.
    """

    event: int
    command: str
    parts: list[Command]
    text: str
    ok: bool | None
    began: int
    ended: int
    folder: str = ""
