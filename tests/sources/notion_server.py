"""A server on loopback that answers as Notion's API of 2025-09-03 does, over pages and databases of a test.

The shapes of its answers are those that the public API gave in recordings of its official clients' tests (lists with
cursors, pages, blocks, databases with data sources, errors); the content is ours. It is as strict as the real one where
that matters: a token, a version, ids with or without dashes, at most a hundred to a page, no more than 10,000 rows.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit

TOKEN = "token-of-ada"
_TIME = "2026-11-20T09:30:00.000Z"
_USER = {"object": "user", "id": "5b000000-0000-4000-8000-000000000001"}
_PAGE_MAX = 100
_ROWS_MAX = 10_000


def text(content: str, *, href: str | None = None, **marks: bool) -> dict[str, Any]:
    """A piece of rich text."""
    names = ("bold", "italic", "strikethrough", "underline", "code")
    return {
        "type": "text",
        "text": {"content": content, "link": {"url": href} if href else None},
        "annotations": {**{name: marks.get(name, False) for name in names}, "color": "default"},
        "plain_text": content,
        "href": href,
    }


class Workspace:
    """What is in Notion. `fail` makes the next answers to a path others than they would be."""

    def __init__(self) -> None:
        self.things: dict[str, dict[str, Any]] = {}  # pages, databases, data sources and blocks, by id
        self.children: dict[str, list[str]] = {}
        self.rows: dict[str, list[str]] = {}
        self.asked: list[str] = []
        self._faults: list[tuple[re.Pattern[str], int, object, dict[str, str]]] = []
        self._numbers = count(1)
        self._lock = threading.Lock()

    # What is put there

    def id(self) -> str:
        return f"{next(self._numbers):08x}-0000-4000-8000-000000000000"

    def page(self, title: str, *, parent: str = "", **properties: Any) -> str:
        """A page; below another one it is a block there as well."""
        id_ = self.id()
        named = {"title": {"id": "title", "type": "title", "title": [text(title)]}} if title else {}
        self.things[id_] = self._thing("page", id_) | {
            "properties": {**named, **properties},
            "url": f"https://www.notion.so/{title.replace(' ', '-')}-{id_.replace('-', '')}",
            "public_url": None,
        }
        if parent:
            self.things[f"block:{id_}"] = self._block("child_page", id_, {"title": title})
            self.children.setdefault(parent, []).append(id_)
            self._opened(parent)
        return id_

    def block(self, parent: str, kind: str, *pieces: Any, **value: Any) -> str:
        """A block below a page or block; `pieces` are its rich text."""
        id_ = self.id()
        rich = [text(one) if isinstance(one, str) else one for one in pieces]
        told = {"rich_text": rich, "color": "default", **value} if rich else value
        self.things[f"block:{id_}"] = self._block(kind, id_, told)
        self.children.setdefault(parent, []).append(id_)
        self._opened(parent)
        return id_

    def database(self, title: str, properties: Mapping[str, str], *, parent: str = "") -> str:
        """A database with one data source; the properties by name, with their types."""
        id_, source = self.id(), self.id()
        self.things[id_] = self._thing("database", id_) | {
            "title": [text(title)], "description": [], "is_inline": False,
            "data_sources": [{"id": source, "name": title}], "url": f"https://www.notion.so/{id_.replace('-', '')}",
        }  # fmt: skip
        known = {name: {"id": name[:4], "name": name, "type": kind, kind: {}} for name, kind in properties.items()}
        self.things[source] = self._thing("data_source", source) | {
            "title": [text(title)], "description": [], "properties": known,
            "parent": {"type": "database_id", "database_id": id_},
        }  # fmt: skip
        self.rows[source] = []
        if parent:
            self.things[f"block:{id_}"] = self._block("child_database", id_, {"title": title})
            self.children.setdefault(parent, []).append(id_)
            self._opened(parent)
        return id_

    def row(self, database: str, **values: Any) -> str:
        """A row; each value as the API tells it, without its id."""
        id_ = self.page("", **{name: {"id": name[:4], **value} for name, value in values.items()})
        self.rows[self.source_of(database)].append(id_)
        return id_

    def source_of(self, database: str) -> str:
        return str(self.things[database]["data_sources"][0]["id"])

    def trash(self, id_: str) -> None:
        """Somebody deletes a page, block or row: it says so wherever it is still told."""
        for key in (id_, f"block:{id_}"):
            if key in self.things:
                self.things[key] |= {"in_trash": True, "archived": True}

    def forget(self, id_: str) -> None:
        """Somebody deletes what is below while it is read: it is told of, and no more there."""
        self.children[id_] = []
        self.things.pop(id_, None)
        self._faults.append((re.compile(f"/blocks/{id_}/children"), 404, _error(404, "object_not_found", "gone"), {}))

    def fail(self, path: str, status: int, *, times: int = 1, body: object = None, **headers: str) -> None:
        codes = {429: "rate_limited", 500: "internal_server_error", 502: "bad_gateway", 503: "service_unavailable"}
        told = body if body is not None else _error(status, codes.get(status, "validation_error"), f"status {status}")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._faults += [(re.compile(path), status, told, named)] * times

    def _opened(self, parent: str) -> None:
        if f"block:{parent}" in self.things:
            self.things[f"block:{parent}"]["has_children"] = True

    def _thing(self, sort: str, id_: str) -> dict[str, Any]:
        return {
            "object": sort, "id": id_, "created_time": _TIME, "last_edited_time": _TIME, "created_by": _USER,
            "last_edited_by": _USER, "cover": None, "icon": None, "archived": False, "in_trash": False,
        }  # fmt: skip

    def _block(self, kind: str, id_: str, value: object) -> dict[str, Any]:
        return {
            "object": "block", "id": id_, "created_time": _TIME, "last_edited_time": _TIME, "created_by": _USER,
            "last_edited_by": _USER, "has_children": False, "archived": False, "in_trash": False, "type": kind,
            kind: value,
        }  # fmt: skip

    # What is answered

    def answer(self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any]) -> tuple[int, Any, Any]:
        """Status, content and headers."""
        with self._lock:
            self.asked.append(f"{method} {path}")
            for fault in self._faults:
                if fault[0].search(path):
                    self._faults.remove(fault)
                    return fault[1], fault[2], fault[3]
        sort, _, rest = path.strip("/").partition("/")
        id_, _, tail = rest.partition("/")
        if (method, sort, tail) == ("GET", "blocks", "children"):
            return self._children(id_, query)
        if (method, sort, tail) == ("POST", "data_sources", "query"):
            return self._query(id_, body)
        found = self.things.get(id_)
        if found is None:
            return 404, _error(404, "object_not_found", f"Could not find {sort[:-1]} with ID: {id_}."), {}
        if found["object"] + "s" != sort:
            wrong = f"Provided ID {id_} is a {found['object']}, not a {sort[:-1]}. Use the retrieve API for it instead."
            return 400, _error(400, "validation_error", wrong), {}
        return 200, {**found, "request_id": "r"}, {}

    def _children(self, id_: str, query: Mapping[str, str]) -> tuple[int, Any, Any]:
        if id_ not in self.things and f"block:{id_}" not in self.things:
            return 404, _error(404, "object_not_found", f"Could not find block with ID: {id_}."), {}
        blocks = [self.things[f"block:{one}"] for one in self.children.get(id_, ())]
        return self._listed(blocks, query.get("start_cursor"), query.get("page_size"), "block")

    def _query(self, id_: str, body: Mapping[str, Any]) -> tuple[int, Any, Any]:
        if id_ not in self.rows:
            return 404, _error(404, "object_not_found", f"Could not find data_source with ID: {id_}."), {}
        rows = [self.things[one] for one in self.rows[id_]]
        status, told, headers = self._listed(
            rows[:_ROWS_MAX], body.get("start_cursor"), body.get("page_size"), "page_or_data_source"
        )
        if status == 200 and not told["has_more"] and len(rows) > _ROWS_MAX:
            told["request_status"] = {"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
        return status, told, headers

    def _listed(self, rows: list[Any], cursor: Any, size: Any, sort: str) -> tuple[int, Any, Any]:
        size = int(size or _PAGE_MAX)
        if not 0 < size <= _PAGE_MAX or not re.fullmatch(r"c\d+", str(cursor or "c0")):
            return 400, _error(400, "validation_error", "body failed validation"), {}
        start = int(str(cursor or "c0")[1:])
        more = start + size < len(rows)
        following = f"c{start + size}" if more else None
        told = {"object": "list", "results": rows[start : start + size], "next_cursor": following, "has_more": more}
        return 200, {**told, "type": sort, sort: {}, "request_id": "r"}, {}


def _error(status: int, code: str, message: str) -> dict[str, Any]:
    return {"object": "error", "status": status, "code": code, "message": message, "request_id": "r"}


def _handler(space: Workspace) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                told: tuple[int, Any, Any] = (401, _error(401, "unauthorized", "API token is invalid."), {})
            elif self.headers.get("Notion-Version") != "2025-09-03":
                told = (400, _error(400, "missing_version", "Notion-Version header failed validation"), {})
            else:
                path = parts.path.removeprefix("/v1")
                told = space.answer(self.command, path, dict(parse_qsl(parts.query)), body)
            status, content, headers = told
            sent = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if isinstance(content, str) else "application/json")
            self.send_header("Content-Length", str(len(sent)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = _serve

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def serving() -> Iterator[tuple[Workspace, str]]:
    """A workspace, and the address at which it answers."""
    space = Workspace()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(space))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield space, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
