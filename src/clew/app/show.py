"""One item with its evidence: what it says, who said it, and the words at its place in the record."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clew.app.place import line_number
from clew.app.ports import Ports
from clew.app.session import captured_session
from clew.app.told import redact_error
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.ids import shortest_prefixes
from clew.core.items import Item
from clew.core.text import clean, one_line, shorten

_EXCERPT_CHARS = 1200
_CANDIDATES_MAX = 8
_SESSION_CHARS = 8


class Showing(NamedTuple):
    """`items` in the order they were said, `ids` their shortest unique ids. `chosen` is the one asked for.

    `line` is the number (from 1) of the chosen item's line in `transcript`, 0 without a chosen item.
    """

    items: tuple[Item, ...]
    ids: tuple[str, ...]
    chosen: Item | None
    transcript: Path
    line: int
    client: str

    @property
    def report(self) -> str:
        """The chosen item for people."""
        item = self.chosen
        if item is None:
            return ""
        rows = [
            ("id", item.id),
            ("kind", item.kind),
            ("text", f"{item.label}: {item.text}" if item.label else item.text),
        ]
        rows += [("why", item.why)] if item.why else []
        rows += [("status", item.status)] if item.status else []
        rows += [("said by", _SAID_BY[item.provenance])]
        rows += [("when", item.time)] if item.time else []
        rows += [("files", ", ".join(item.files))] if item.files else []
        rows += [("record", f"{self.client} session {item.place.session}"), ("place", f"{self.transcript}:{self.line}")]
        table = "\n".join(f"{name:<8} {one_line(clean(text))}" for name, text in rows)
        quote = clean(item.place.quote).strip()
        heading = "The words there:"
        if len(quote) > _EXCERPT_CHARS:
            start = max(0, quote.find(item.text[:40]) - 200)
            quote = ("…" if start else "") + shorten(quote[start:], _EXCERPT_CHARS)
            heading = "Of the words there (`--json` has all):"
        words = "\n".join(f"  | {line}" for line in quote.split("\n"))
        return f"{table}\n\n{heading}\n{words}\n" if quote else f"{table}\n"


_SAID_BY = {
    "human": "the user",
    "verified": "a command's outcome",
    "agent": "the agent (a claim)",
    "inferred": "a rule of clew's",
}


def show(ports: Ports, name: str | None, *, folder: Path, transcript: Path | None = None) -> Showing:
    """The item whose id begins with `name`, or all items if it is None.

    `folder` and `transcript` pick the session as in `resume`. Raises `NotFound` when no item has such an id and
    `InputError` when several have.
    """
    try:
        return _show(ports, name, folder, transcript)
    except ClewError as error:
        redact_error(error, ports.redact)
        raise


def _show(ports: Ports, name: str | None, folder: Path, transcript: Path | None) -> Showing:
    path, captured = captured_session(ports, folder, transcript)
    items = captured.state.items
    shown = shortest_prefixes(item.id for item in items)
    ids = tuple(shown[item.id] for item in items)
    client = captured.state.origin.client
    if name is None:
        return Showing(items, ids, None, path, 0, client)
    wanted = name.strip().strip("[]")
    found = [item for item in items if item.id.lower().startswith(wanted.lower())]
    if not wanted or not found:
        raise NotFound(
            f"no item of session {captured.state.origin.session[:_SESSION_CHARS]} ({path}) has the id "
            f"{wanted or 'that was given: it is empty'}",
            code="E-no-item",
            hint="`clew show` lists its items. For a document of another session give that session: --from FILE or ID.",
        )
    if len(found) > 1:
        listed = ", ".join(shown[item.id] for item in found[:_CANDIDATES_MAX])
        raise InputError(
            f"{name} is the beginning of {len(found)} ids", code="E-id-ambiguous", hint=f"Say one of: {listed}"
        )
    return Showing(items, ids, found[0], path, line_number(path, found[0].place.at), client)
