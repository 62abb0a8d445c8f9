"""A document taken apart: entries (one item each), notes and headings, each with the lines it stands in. Who makes a
document reads none, and loads nothing of this.
"""

from typing import Literal, NamedTuple

from clew.core.state.items import Kind
from clew.documents.entry import Entry, Lines


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
Format = Literal["clew", "markdown", "json", "yaml", "backlog"]


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
