"""Pages and databases of Notion: a page with all that is nested in it, a database as a table of its rows."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from clew.core.text.cleaning import clean, one_line, shorten
from clew.sources.notion_text import block_lines, property_text, rich_text, table, title_of
from clew.sources.port import Fetched, Notes, SourceContext, SourceError, SourceKind, SourcePart, Spec, encodable

if TYPE_CHECKING:
    from notion_client import Client

DEPTH_MAX: Final = 20
ROWS_MAX: Final = 10_000
_BLOCKS_MAX: Final = 50_000
_PAGES_MAX: Final = 200
_TITLE_CHARS: Final = 120
_ID: Final = re.compile("-?".join(f"([0-9a-f]{{{n}}})" for n in (8, 4, 4, 4, 12)) + "$")
# A block in a list, a quotation or a toggle holds its children indented below it.
_INDENTED: Final = frozenset(("bulleted_list_item", "numbered_list_item", "to_do", "toggle"))
SERVICE: Final = "notion"
# As Notion's own examples call it; the second is what several tools read.
TOKENS: Final = ("NOTION_TOKEN", "NOTION_API_KEY")
_VERSION: Final = "2025-09-03"
_TIMEOUT_MS: Final = 30_000
_TRIES: Final = 6
_PAUSE_S: Final = 1.0
# A limit that lasts longer is told; three requests a second are what Notion allows on average.
WAIT_S_MAX: Final = 120.0
_PAGE: Final = 100
_SAID_CHARS: Final = 200


class NotionPage(Spec, frozen=True):
    """`page` is the address or id of a page or database. `subpages`: with the pages and databases below it, a part
    each. At most `rows` rows of a database.
    """

    page: str
    subpages: bool = False
    rows: int = 1000


@dataclass(slots=True)
class _Walk:
    """What is gone through, and what was noticed on the way."""

    notion: Notion
    spec: NotionPage
    context: SourceContext
    blocks: int = 0
    below: list[str] = field(default_factory=list)  # the pages and databases that were met, by id
    notes: Notes = field(default_factory=Notes)

    def note(self, what: str, name: str) -> None:
        self.notes.add(what, encodable(shorten(one_line(clean(name)), _TITLE_CHARS)))


def fetch(spec: NotionPage, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The page, then those below it in the order in which they are met. Raises `SourceError`."""
    first = id_of(spec.page)
    if not 0 < spec.rows <= ROWS_MAX:
        raise SourceError(
            f"{spec.rows} rows cannot be had", code="E-source-missing", hint=f"Notion gives at most {ROWS_MAX:,}."
        )
    with closing(Notion(context)) as notion:
        return _gone_through(_Walk(notion, spec, context), first)


def _gone_through(walk: _Walk, first: str) -> Fetched:
    parts, provenance = _one(walk, first)
    seen = {first}
    while walk.below and walk.spec.subpages:
        id_ = walk.below.pop(0)
        if id_ in seen:
            continue
        if len(seen) == _PAGES_MAX:
            walk.note("Left out, beyond 200 pages", f"{len(walk.below) + 1} more")
            break
        seen.add(id_)
        try:
            parts += _one(walk, id_)[0]
        except SourceError as error:
            if error.code != "E-source-missing":
                raise
            walk.note("Deleted, or not shared with the token", id_)
    provenance += f", and {len(seen) - 1} below it" if len(seen) > 1 else ""
    return Fetched(_renamed(parts), encodable(provenance), walk.notes.told())


def id_of(text: str) -> str:
    """The id that an address or a text names, with its dashes. Of a page that is open beside a database it is the
    page's. Raises `SourceError`.
    """
    parts = urlsplit(text.strip().lower())
    for one in (parse_qs(parts.query).get("p", [""])[0], parts.path.rstrip("/")):
        found = _ID.search(one)
        if found:
            return "-".join(found.groups())
    raise SourceError(
        f"{one_line(clean(text))[:_TITLE_CHARS]} names no page of Notion",
        code="E-source-missing",
        hint="Copy the page's link in Notion (Share, Copy link); it ends with 32 digits and letters.",
    )


def _one(walk: _Walk, id_: str) -> tuple[list[SourcePart], str]:
    """A page or database as parts, and the line that says what it is."""
    walk.context.at(f"Notion {id_}")
    for read in (_page, _database, _data_source):
        try:
            return read(walk, id_)
        except NotionGone:
            continue
    raise SourceError(
        f"Notion has no page or database {id_}, or the token may not see it",
        code="E-source-missing",
        hint="Share it with the integration: in the page's menu, Connections.",
    )


def _page(walk: _Walk, id_: str) -> tuple[list[SourcePart], str]:
    page = walk.notion.page(id_)
    title = title_of(page)
    if page.get("in_trash") or page.get("archived"):
        raise SourceError(
            f"the Notion page “{_short(title)}” is in the trash", code="E-source-missing", hint="Restore it in Notion."
        )
    before = walk.blocks
    lines = [f"# {title}", ""]
    values = [
        (name, property_text(one)) for name, one in (page.get("properties") or {}).items() if one.get("type") != "title"
    ]
    lines += [f"- {one_line(name)}: {one_line(value)}" for name, value in values if value]
    lines += [""] * any(value for _, value in values)
    lines += _below(walk, id_, 1, title)
    told = f"Notion page “{_short(title)}” ({id_}), last edited {page.get('last_edited_time', '?')}"
    return [SourcePart("\n".join(lines).rstrip() + "\n", title, "markdown")], f"{told}, {walk.blocks - before:,} blocks"


def _below(walk: _Walk, id_: str, depth: int, title: str) -> list[str]:
    """The lines of all blocks below one, nested ones with it."""
    lines: list[str] = []
    was_entry = False
    try:
        for block in walk.notion.children(id_):
            if walk.blocks >= _BLOCKS_MAX:
                walk.note(f"Cut after {_BLOCKS_MAX:,} blocks", title)
                break
            walk.blocks += 1
            told = _block(walk, block, depth, title)
            # Entries of a list stand close; all else stands apart.
            is_entry = str(block.get("type")) in _INDENTED
            lines += [*([""] * (bool(told and lines) and not (is_entry and was_entry))), *told]
            was_entry = is_entry if told else was_entry
    except NotionGone:
        walk.note("Deleted while it was read, or not shared: what is below", title)
    return lines


def _block(walk: _Walk, block: Mapping[str, Any], depth: int, title: str) -> list[str]:
    kind, id_ = str(block.get("type") or "unknown"), str(block.get("id") or "")
    if block.get("in_trash") or block.get("archived"):
        walk.note("Deleted blocks, left out", f"{kind} in {title}")
        return []
    lines = block_lines(block)
    if lines is None:
        walk.note("Blocks that Notion's API does not tell", f"{kind} in {title}")
        lines = []
    if kind in ("child_page", "child_database"):
        walk.below.append(id_)
        return lines
    if not block.get("has_children"):
        return lines
    if depth == DEPTH_MAX:
        walk.note(f"Left out, nested deeper than {DEPTH_MAX} levels", title)
        return lines
    if kind == "table":
        return table(list(_cells(walk, id_, title)))
    name = one_line(rich_text((block.get(kind) or {}).get("rich_text"))) or kind
    inner = _below(walk, id_, depth + 1, name)
    if kind in _INDENTED:
        return [*lines, *(f"  {row}" if row else "" for row in inner)]
    if kind in ("quote", "callout"):
        return [*lines, *(f"> {row}".rstrip() for row in inner)]
    return [*lines, "", *inner] if lines else inner


def _cells(walk: _Walk, id_: str, title: str) -> Iterator[list[str]]:
    try:
        for row in walk.notion.children(id_):
            walk.blocks += 1
            yield [rich_text(cell) for cell in (row.get("table_row") or {}).get("cells") or ()]
    except NotionGone:
        walk.note("Deleted while it was read: a table in", title)


def _database(walk: _Walk, id_: str) -> tuple[list[SourcePart], str]:
    found = walk.notion.database(id_)
    title = title_of(found)
    if found.get("in_trash"):
        raise SourceError(
            f"the Notion database “{_short(title)}” is in the trash",
            code="E-source-missing",
            hint="Restore it in Notion.",
        )
    parts: list[SourcePart] = []
    rows = 0
    for one in found.get("data_sources") or ():
        more, count = _table(walk, str(one.get("id") or ""), title)
        parts, rows = parts + more, rows + count
    told = f"Notion database “{_short(title)}” ({id_}), last edited {found.get('last_edited_time', '?')}"
    return parts or [SourcePart(f"# {title}\n", title, "markdown")], f"{told}, {rows:,} rows"


def _data_source(walk: _Walk, id_: str) -> tuple[list[SourcePart], str]:
    parts, rows = _table(walk, id_, "")
    return parts, f"Notion data source “{_short(parts[0].name)}” ({id_}), {rows:,} rows"


def _table(walk: _Walk, id_: str, database: str) -> tuple[list[SourcePart], int]:
    """The rows of a data source as a table, the title first, the other properties by name."""
    source = walk.notion.data_source(id_)
    known = source.get("properties") or {}
    names = sorted(known, key=lambda name: (known[name].get("type") != "title", name))
    title = title_of(source) if title_of(source) != "untitled" else database or "untitled"
    rows: list[list[str]] = [names]

    def told(answer: Mapping[str, Any]) -> None:
        walk.context.at(f"Notion {title}: {len(rows) - 1:,} rows")
        if (answer.get("request_status") or {}).get("type") == "incomplete":
            walk.note(f"Notion tells no more than {ROWS_MAX:,} rows of", title)

    for row in walk.notion.rows(id_, told):
        if len(rows) > walk.spec.rows:
            walk.note(f"Cut after {walk.spec.rows:,} rows", title)
            break
        if row.get("in_trash") or row.get("archived"):
            walk.note("Deleted rows, left out, of", title)
            continue
        values = row.get("properties") or {}
        rows.append([property_text(values[name]) if name in values else "" for name in names])
    text = "\n".join([f"# {title}", "", *table(rows)]) + "\n"
    return [SourcePart(text, title, "markdown")], len(rows) - 1


def _renamed(parts: list[SourcePart]) -> tuple[SourcePart, ...]:
    """Parts with names of their own: titles are not unique."""
    seen: dict[str, int] = {}
    told = []
    for part in parts:
        seen[part.name] = seen.get(part.name, 0) + 1
        name = part.name if seen[part.name] == 1 else f"{part.name} ({seen[part.name]})"
        told.append(SourcePart(encodable(part.text), encodable(name), part.language))
    return tuple(told)


def _short(title: str) -> str:
    return shorten(title, _TITLE_CHARS)


class NotionGone(Exception):
    """What was asked for is not there, or the token may not see it."""


class Notion:
    """Questions to Notion through its client library, one at a time. Its own repetition is off: it gives up early, does
    not repeat questions that are sent by POST, and sleeps where nobody can tell why.

    Raises `NotionGone`, and `SourceError` for all else that goes wrong. `asked` counts requests."""

    def __init__(self, context: SourceContext) -> None:
        self._sleep = context.sleep
        self._client = _client(context)
        self.asked = 0

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def page(self, id_: str) -> Mapping[str, Any]:
        """A page with its properties."""
        return self._told(lambda: self._client.pages.retrieve(page_id=id_))

    def database(self, id_: str) -> Mapping[str, Any]:
        """A database with the names of its data sources."""
        return self._told(lambda: self._client.databases.retrieve(database_id=id_))

    def data_source(self, id_: str) -> Mapping[str, Any]:
        """A data source with the properties that its rows have."""
        return self._told(lambda: self._client.data_sources.retrieve(data_source_id=id_))

    def children(self, id_: str) -> Iterator[Mapping[str, Any]]:
        """The blocks right below a page or block."""
        return self._pages(lambda cursor: self._client.blocks.children.list(block_id=id_, page_size=_PAGE, **cursor))

    def rows(self, id_: str, tell: Callable[[Mapping[str, Any]], object]) -> Iterator[Mapping[str, Any]]:
        """The rows of a data source, the oldest first. `tell` gets each answer as it was."""
        sorts = [{"timestamp": "created_time", "direction": "ascending"}]

        def ask(cursor: Mapping[str, str]) -> Any:
            answer: Any = self._client.data_sources.query(data_source_id=id_, page_size=_PAGE, sorts=sorts, **cursor)
            tell(answer)
            return answer

        return self._pages(ask)

    def _pages(self, ask: Callable[[Mapping[str, str]], Any]) -> Iterator[Mapping[str, Any]]:
        cursor: dict[str, str] = {}
        while True:
            answer = self._told(lambda: ask(cursor))  # noqa: B023 - it is asked at once
            yield from (one for one in answer.get("results") or () if isinstance(one, Mapping))
            following = answer.get("next_cursor")
            if not answer.get("has_more") or not following or {"start_cursor": following} == cursor:
                return
            cursor = {"start_cursor": str(following)}

    def _told(self, ask: Callable[[], object]) -> Mapping[str, Any]:
        import httpx
        from notion_client.errors import HTTPResponseError, RequestTimeoutError

        why = "it does not answer"
        for turn in range(_TRIES):
            pause = _PAUSE_S * 2**turn
            self.asked += 1
            try:
                answer = ask()
                if isinstance(answer, Mapping):
                    return answer
                why = "it answers something else than its API does"
            except HTTPResponseError as error:
                why = f"it answers {error.status}"
                if error.status == 429:
                    why = "it takes no more requests for now"
                    pause = _patience(error.headers.get("retry-after", ""), pause)
                elif error.status < 500:
                    raise _refused(error.status, str(error)) from None
            except (RequestTimeoutError, httpx.HTTPError, ValueError) as error:
                why = "it does not answer in time" if "imeout" in type(error).__name__ else type(error).__name__
            if turn + 1 < _TRIES:
                self._sleep(pause)
        raise _unreachable(why)


def _client(context: SourceContext) -> Client:
    if find_spec("notion_client") is None:
        raise SourceError(
            "pages of Notion need the package `notion-client`, which is not installed",
            code="E-source-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[notion]'`, `uv tool install '.[notion]'`.",
        )
    token = next((told for name in TOKENS if (told := context.environment.get(name, "").strip())), "")
    if not token:
        raise SourceError(
            "there is no token for Notion",
            code="E-source-access",
            hint=f"Make an integration at notion.so/my-integrations, share the page with it, and set {TOKENS[0]}.",
        )
    from notion_client import Client

    quiet = logging.Logger("clew.notion")
    quiet.addHandler(logging.NullHandler())  # without one it prints to stderr
    options: dict[str, Any] = {"auth": token, "timeout_ms": _TIMEOUT_MS, "notion_version": _VERSION, "retry": False}
    options |= {"base_url": context.services[SERVICE]} if SERVICE in context.services else {}
    return Client({**options, "logger": quiet})


def _patience(told: str, pause: float) -> float:
    """How long a limit lasts. Raises `SourceError` where that is longer than anybody waits."""
    seconds = float(told) if told.replace(".", "", 1).isdigit() else pause
    if seconds > WAIT_S_MAX:
        raise SourceError(
            f"Notion takes no more requests for {seconds:.0f} s",
            code="E-source-unreachable",
            hint="Build the stack again later.",
        )
    return max(seconds, pause if not told else 0.0)


def _refused(status: int, message: str) -> Exception:
    said = shorten(one_line(clean(message)), _SAID_CHARS)
    # "Provided ID … is a database, not a page. Use …"
    if status == 404 or (status == 400 and re.search(r" is an? [a-z_ ]+, not an? ", message)):
        return NotionGone(said)
    if status in (401, 403):
        return SourceError(
            f"Notion does not allow it: {said}",
            code="E-source-access",
            hint=f"See that {TOKENS[0]} is the token of an integration that may read content.",
        )
    return SourceError(
        f"Notion refuses it ({status}): {said}", code="E-source-failed", hint="See that the id is right."
    )


def _unreachable(why: str) -> SourceError:
    return SourceError(
        f"Notion cannot be reached: {why}", code="E-source-unreachable", hint="Build the stack again later."
    )


SOURCE: Final = SourceKind("notion", "a page or database of Notion", NotionPage, "page", fetch)
