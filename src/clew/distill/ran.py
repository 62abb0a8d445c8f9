"""A shell line that was run, with what came of it."""

from clew.core.tuples import NamedTuple
from clew.distill.commands import Simple


class Ran(NamedTuple):
    """`ok`: the line as a whole is known to have ended well; `text` is its output. It began and ended at the places
    `began` and `ended` of the record.
    """

    event: int
    command: str
    parts: list[Simple]
    text: str
    ok: bool
    began: int
    ended: int
