"""Files that a document says are still to be made, and that are there: it tells work as open that is done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.documents.lint.finding import Finding, Ground, found
from clew.documents.lint.page import Page, page_of
from clew.documents.lint.paths import NAME, Cited, is_file
from clew.documents.parsed import Parsed

_CREATE: Final = re.compile(
    rf"[*_]{{0,2}}(?:create|new file)[*_]{{0,2}}:?[*_]{{0,2}} +(`?)(?:\./)?({NAME})\1(?=[\s,;.:(]|$)", re.I
)


def ahead(parsed: Parsed, source: str, path: str) -> tuple[str, ...]:
    """The paths that are to be made, in order, each once: for whoever makes the `Ground`. `path` is the document's own,
    relative to the top of its repository, "" unknown.
    """
    return tuple(dict.fromkeys(one.path for one in _planned(page_of(parsed, source, Ground(path)))))


def open_but_made(page: Page) -> Iterator[Finding]:
    """Once a document, where the first such file is named. A plan in which anything is ticked is kept up, and its open
    points are judged alone, as those of other documents.
    """
    planned = [one for one in _planned(page) if one.path in page.ground.made]
    paths = tuple(dict.fromkeys(one.path for one in planned))
    if paths:
        line = planned[0].line
        told = (
            f"{len(paths)} files are to be created that are"
            if len(paths) > 1
            else f"{paths[0]} is to be created, and is"
        )
        yield found("open-but-made", line, page.line(line), f"{told} there already")


def _planned(page: Page) -> Iterator[Cited]:
    done = {at for one in page.sections if one.status == "done" or one.told_done for at in range(one.at, one.end)}
    is_plan = page.genre == "plan" and not any(place.block.box in ("x", "X") for place in page.places)
    for at, place in enumerate(page.places):
        block = place.block
        if block.form not in ("item", "text") or at in done or not (block.box == " " or (is_plan and not block.box)):
            continue
        for offset, row in enumerate(block.text.split("\n")):
            match = _CREATE.match(row.strip())
            if match and "/" in match[2] and is_file(match[2], match[3]):
                yield Cited(match[2], min(block.first + offset, block.last))
