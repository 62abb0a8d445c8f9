"""What an entry of a document says: one item, with the lines it stands in; and a document that was taken apart."""

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


class ParsedNote(NamedTuple):
    """Words that are no item: what introduces, explains or could not be placed. `text` keeps its line breaks; `under`
    is the heading it stands under, "" none.
    """

    text: str
    under: str
    lines: Lines


class Heading(NamedTuple):
    """A heading, or a label that acts as one. `kind` is the kind of the entries below it, None where it names none."""

    text: str
    level: int
    kind: Kind | None
    lines: Lines


# clew: a document of ours; the others as people and tools write them.
Format = Literal["clew", "markdown", "json", "jsonl", "yaml", "backlog", "beads"]


class Parsed(NamedTuple):
    """A document, taken apart, each part in the order of the source.

    Every line of the source that is not blank is in the lines of an entry, a note or a heading. `title` is the first
    heading, "" none. `date` is the newest date that the document gives itself (`YYYY-MM-DD`), "" none.
    """

    format: Format
    title: str
    date: str
    entries: tuple[Entry, ...]
    notes: tuple[ParsedNote, ...]
    headings: tuple[Heading, ...]
