"""What an entry of a document says: one item, with the lines it stands in."""

from typing import Literal, NamedTuple

from clew.core.state.items import Kind

# user: in the user's words (“…”); proved: by a command (✓); claimed: all else.
Said = Literal["user", "proved", "claimed"]


class Lines(NamedTuple):
    """Lines of a source text, from 1, both ends included."""

    first: int
    last: int


NOWHERE = Lines(0, 0)


class Entry(NamedTuple):
    """One item as a document tells it.

    `text` and `why` are one line each, without the marks of the document's grammar. `status` is that of `Item`, of a
    step or phase read from anybody's document one of done, in progress, blocked, pending, dropped and "" (not said).
    `id` is the id as printed, mostly a beginning of the whole one; "" where none is. `cut`: the text is the front part
    of a longer one, which the id brings. `verify`: marked "verify first". `lines` is where it stands (`NOWHERE` in what
    was not parsed). `label` is the heading or label it stood under in somebody else's document, "" where that says no
    more than its kind. `depth` is how deep a person nested it in a list of ours.
    """

    kind: Kind
    text: str
    why: str = ""
    status: str = ""
    said: Said = "claimed"
    id: str = ""
    cut: bool = False
    verify: bool = False
    locked: bool = False
    blocking: bool = False
    owner: str = ""
    answer: str = ""
    lines: Lines = NOWHERE
    label: str = ""
    depth: int = 0
