"""Documents of our own, read back: what a person left as it was, and what was edited, added or taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from clew.documents.entry import Entry, Heading, Lines, Parsed, ParsedNote
from clew.documents.files import files_in
from clew.documents.frame import LEGENDS
from clew.documents.grammar import entry_in
from clew.documents.profiles import PROFILES, Profile, Section

_DELIMITER: Final = re.compile(r"</?clew-data [0-9a-f]{6}>|<!-- clew [0-9a-f]{6} -->")
_TITLE: Final = re.compile(r"# (\w+)(?::|$)")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_LOOKED_AT_CHARS: Final = 64 * 1024
# So many headings of a profile tell a document of it that has lost its title.
_HEADINGS_MIN: Final = 2
_DATE: Final = re.compile(r"\b(\d{4}-\d{2}-\d{2}) \d{2}:\d{2} UTC")
_IDENTIFIED: Final = re.compile(r"[-*+] .+ [\[(][A-Z]-[0-9a-z]{4,16}[\])]$")
_ENTRY: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\S")
# Entries that stand for nothing.
# The last line where nothing was left out, as documents had it before.
_TAILS: Final = ("All that was noticed is shown; the record says more.", "All that is live is shown.")
_EMPTY: Final = frozenset(
    [
        "not recorded",
        "not recorded: ask the user",
        "not recorded: an open question waits for its answer",
        "left out for lack of room",
        *(
            "none named",
            "none on record: ask the user",
            "none noticed",
            "none recorded",
            "none",
        ),  # before, and of others
    ]
)
# Headings of every document, whose lines tell of the disk and are rebuilt each time.
MADE_HEADINGS: Final = frozenset(("Read first", "Changed on disk since"))
_BY_TITLE: Final[Mapping[str, Profile]] = {profile.title: profile for profile in PROFILES.values()}


def profile_in(text: str) -> Profile | None:
    """The profile of a document of ours; None if it is somebody else's.

    It is ours if it has a trace of ours (a delimiter, our mark at its end, the line that tells how to read it, an entry
    that ends with an id), and the title of a
    profile or two of its headings: people greet above a document, retitle it, and cut off its head.
    """
    rows = [row.strip() for row in text[:_LOOKED_AT_CHARS].split("\n")]
    if not any(_DELIMITER.fullmatch(row) or row.startswith(LEGENDS) or _IDENTIFIED.match(row) for row in rows):
        return None
    headings = {row.removeprefix("## ") for row in rows if row.startswith("## ")}
    known = {
        profile.name: sum(section.heading in headings for section in profile.sections) for profile in PROFILES.values()
    }
    titled = next((_BY_TITLE[title[1]] for row in rows if (title := _TITLE.match(row)) and title[1] in _BY_TITLE), None)
    if titled is not None and known[titled.name]:
        return titled
    best = max(PROFILES.values(), key=lambda profile: known[profile.name])
    return best if known[best.name] >= _HEADINGS_MIN else None


def parse_own(text: str, profile: Profile, elsewhere: Callable[[str], Parsed]) -> Parsed:
    """A document of `profile`, taken apart. What stands under a heading that is none of the profile's, a person put
    there: `elsewhere` reads it, as anybody's document.
    """
    sections = {section.heading: section for section in profile.sections}
    entries: list[Entry] = []
    notes: list[ParsedNote] = []
    headings: list[Heading] = []
    foreign: list[tuple[int, list[str]]] = []
    under, section, title, date = "", None, "", ""
    for number, row in enumerate(text.split("\n"), 1):
        here = Lines(number, number)
        heading = _HEADING.match(row)
        if heading and (len(headings) == 0 or heading[2] in sections or heading[2] in MADE_HEADINGS):
            under, section = heading[2], sections.get(heading[2])
            title = title or under
            headings.append(Heading(under, len(heading[1]), section.kinds[0] if section else None, here))
        elif heading:
            under, section = heading[2], None
            foreign.append((number, [row]))
        elif section is None and foreign and under not in MADE_HEADINGS and not _is_frame(row):
            foreign[-1][1].append(row)
        elif section is None or not row.strip() or _is_frame(row):
            stamp = _DATE.search(row) if len(headings) == 1 else None
            date = date or (stamp[1] if stamp else "")
            notes += [ParsedNote(row, under, here)] if row.strip() else []
        elif is_nothing(row):
            notes.append(ParsedNote(row, under, here))
        elif _ENTRY.match(row):
            entries += [one._replace(lines=here) for one in _read(row, section)]
        elif entries and entries[-1].lines.last == number - 1:
            entries[-1] = _continued(entries[-1], row, number)
        else:
            notes.append(ParsedNote(row, under, here))
    for start, rows in foreign:
        other = elsewhere("\n".join(rows))
        entries += [one._replace(lines=_moved(one.lines, start)) for one in other.entries]
        notes += [one._replace(lines=_moved(one.lines, start)) for one in other.notes]
        headings += [one._replace(lines=_moved(one.lines, start)) for one in other.headings]
    # Sorting is stable: files of one line stay in order.
    return Parsed(
        "clew",
        title,
        date,
        tuple(sorted(entries, key=lambda one: one.lines)),
        tuple(sorted(notes, key=lambda one: one.lines)),
        tuple(sorted(headings, key=lambda one: one.lines)),
    )


def is_made(note: ParsedNote, parsed: Parsed) -> bool:
    """Whether a note of a document of ours is a line that clew sets around the entries, and nobody's word."""
    text = note.text.strip()
    title_line = parsed.headings[0].lines.first if parsed.headings else 0
    return (
        note.under in MADE_HEADINGS
        or _is_frame(text)
        or _told(text) in _EMPTY
        or note.lines.first == title_line + 1  # how far it can be trusted, and where it comes from
        or text.startswith(LEGENDS)
        or text in {profile.intro for profile in PROFILES.values()}
    )


def is_nothing(row: str) -> bool:
    """Whether a list entry says that there is nothing under its heading."""
    return _ENTRY.match(row) is not None and _told(row) in _EMPTY


def _read(row: str, section: Section) -> list[Entry]:
    if section.kinds == ("file",):
        return files_in(row)
    entry = entry_in(row, section)
    return [entry] if entry else []


def _told(row: str) -> str:
    return row.strip().lstrip("-*+ ").rstrip(".").lower()


def _is_frame(row: str) -> bool:
    """Whether the line is one that stands around the entries of every document."""
    told = row.strip()
    return bool(_DELIMITER.fullmatch(told)) or told in _TAILS or told.startswith("Left out for ")


def _continued(entry: Entry, row: str, number: int) -> Entry:
    """The entry with the line that a person (or an editor that wraps lines) put below it."""
    lines = Lines(entry.lines.first, number)
    if entry.why:
        return entry._replace(why=f"{entry.why} {row.strip()}", lines=lines)
    return entry._replace(text=f"{entry.text} {row.strip()}", lines=lines)


def _moved(lines: Lines, start: int) -> Lines:
    return Lines(lines.first + start - 1, lines.last + start - 1)
