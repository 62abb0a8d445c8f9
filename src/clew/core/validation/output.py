"""The output of a run, made ready to be read: clean lines, and which of the places it names are the project's own."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Final

from clew.core.text.cleaning import clean

# Code of others: packages that were installed, a language's own library.
_FOREIGN: Final = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|\.venv|venv|\.tox|\.nox|\.cargo|\.rustup|vendor/bundle)/"
    r"|^/usr/|^/opt/|^/rustc/|^/nix/|^<|^node:|(?:^|/)lib/python\d|^/System/|^library/(?:std|core|alloc)/|/go/pkg/mod/"
    r"|/(?:go|golang)(?:[-\d.]*)/src/|/pyenv/versions/"
)
_COMMAND_LINES: Final = 200_000
_STAMP: Final = re.compile(
    r"^\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]? ?|^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]? "
)
# turbo and lerna `web:test: `, pnpm `packages/web test: `, compose and foreman `web-1  | `, concurrently `[0] `.
_NAMED: Final = re.compile(
    r"^((?!\[?(?i:error|warning|note|info|debug|fatal|make|gmake|hint)\b)"
    r"(?:\[[\w@./-]{1,40}\]|(?:\d\d:\d\d:\d\d )?[\w@./-]{1,60} *\||[\w@./#-]{1,60}(?:[: ][\w:.-]{1,30})?[:$]))(?: |$)"
)
_MOST: Final = 0.6


class Output:
    """What a run printed, in lines. `root` is the top of the project ("" unknown), `files` its paths from there."""

    def __init__(self, text: str, *, root: str = "", files: Collection[str] = ()) -> None:
        self.root = root.rstrip("/")
        self._files = files
        self._by_name: dict[str, list[str]] | None = None
        self.lines: list[str] = _unprefixed(_joined(clean(text)).split("\n")[:_COMMAND_LINES])

    def own(self, path: str) -> str:
        """`path` from the top of the project, "" if it is none of its own."""
        path = path.strip().removeprefix("file://")
        if self.root and path.startswith(f"{self.root}/"):
            path = path[len(self.root) + 1 :]
        path = path.removeprefix("./")
        if path[:1] == "/" and path[1:] in self._files:  # as Vite names them
            path = path[1:]
        if not path or _FOREIGN.search(path) or path.startswith("/"):
            return ""
        return path

    def find(self, name: str, near: str = "") -> str:
        """The project's file with the base name `name`; of several the one whose folder fits `near` best (a package's
        name: `shop.till`, `example.test/shop/deep`), `name` itself where that does not tell.
        """
        if self._by_name is None:
            self._by_name = {}
            for path in self._files:
                self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        found = self._by_name.get(name.rpartition("/")[2], [])
        ends = [path for path in found if f"/{path}".endswith(f"/{name}")]
        if len(ends) < 2:
            return ends[0] if ends else name
        parts = set(re.split(r"[./]", near))
        # Of those that share as much the one with the fewest folders.
        return max(ends, key=lambda path: (len(parts.intersection(path.split("/")[:-1])), -len(path)))


def _joined(text: str) -> str:
    """`go test -json` prints a line of JSON for each piece of output: what it printed, put together."""
    if not text.lstrip().startswith("{"):
        return text
    pieces: list[str] = []
    for line in text.split("\n"):
        try:
            row = json.loads(line) if line.startswith("{") else None
        except ValueError:
            row = None
        if not isinstance(row, dict) or "Action" not in row:
            if line.strip():
                pieces.append(f"{line}\n")
        elif isinstance(row.get("Output"), str):
            pieces.append(row["Output"])
    return "".join(pieces) if pieces else text


def _unprefixed(lines: list[str]) -> list[str]:
    """The lines without what a runner of runners puts before each: the time, and the name of the package, service or
    process that printed it. What each of several printed is put together, in the order in which they began.

    A prefix is one if most lines have one, and a line stands there with nothing behind it or with something indented.
    """
    stamps = [_STAMP.match(line) for line in lines]
    if sum(map(bool, stamps)) > _MOST * sum(map(bool, map(str.strip, lines))):
        lines = [line[found.end() :] if found else line for line, found in zip(lines, stamps, strict=True)]
    parts: dict[str, list[str]] = {}
    for line in lines:
        found = _NAMED.match(line)
        parts.setdefault(found[1] if found else "", []).append(line[len(found[0]) :] if found else line)
    named = [part for name, part in parts.items() if name and len(part) > 2]
    is_of_output = any(not line.strip() or line[0].isspace() for part in named for line in part)
    if not is_of_output or sum(map(len, named)) < _MOST * sum(1 for line in lines if line.strip()):
        return lines
    return [line for part in (*named, parts.get("", [])) for line in part]


def block(lines: Sequence[str], start: int, ends: re.Pattern[str]) -> list[str]:
    """The lines from `start` up to one that `ends` matches, which is left out."""
    found: list[str] = []
    for line in lines[start:]:
        if ends.match(line):
            break
        found.append(line)
    return found
