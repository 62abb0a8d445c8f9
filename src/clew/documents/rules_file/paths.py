"""Files and folders that rules name, and that are not there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from clew.documents.lint.absent import absent
from clew.documents.lint.finding import Finding
from clew.documents.lint.page import Page, rows_of
from clew.documents.lint.paths import named_files, said_otherwise
from clew.documents.rules_file.finding import Ground, found

_FOLDER: Final = re.compile(r"(?<!`)`((?:\.{1,2}/)?(?:[\w@.+-]+/){2,})`(?!`)")
_BRANCH: Final = re.compile(r"^((?:[│|]?[ \t\u00a0]*)*)(?:[├└]|\|--|`--|\+--)[─-]*\s*([\w@.+-]+/?)(?=\s|$)")
_IMPORT: Final = re.compile(r"(?:^|(?<=[\s(]))@((?:~/|\.{1,2}/)?[\w.-]+(?:/[\w.-]+)*\.(?:md|mdc|txt|mdx))(?![\w/])")
_IMPORTERS: Final = frozenset(("claude.md", "claude.local.md", "gemini.md"))
# Files of these folders are rules for other projects.
_FOR_OTHERS: Final = frozenset(("assets", "templates", "template", "examples", "fixtures", "scaffold", "testdata"))
# Settings that a user makes, and folders that nobody keeps.
_OWN: Final = re.compile(r"^\.(?:claude|cursor|gemini|codex|vscode|idea)/(?:[\w-]*settings|mcp|config)[\w.-]*$")
_MADE: Final = re.compile(
    r"(?:^|/)(?:dist|build|out|target|node_modules|coverage|\.venv|venv|__pycache__|\.next|\.cache|tmp|temp|logs?|bin|"
    r"obj|generated|\.git|vendor|results?|output|data|path|your|my|example|foo|bar|some|feature|name|new|project|repo)/"
    r"|[<{*]|xxx",
    re.IGNORECASE,
)


def dead_paths(page: Page, ground: Ground) -> Iterator[Finding]:
    """Files as `clew lint` finds them, folders in back-quotes, and what a drawn tree shows; each once."""
    if not ground.files or _FOR_OTHERS.intersection(page.path.lower().split("/")[:-1]):
        return
    told: set[str] = set()
    named = named_files(page)
    gone = absent([one.path for one in named], page.path, ground.files)
    folders = _folders(ground.files)
    for one in named:
        is_folder = posixpath.normpath(one.path) in folders
        if one.path in gone and one.path not in told and not _OWN.match(one.path) and not is_folder:
            told.add(one.path)
            fix = f"Say {gone[one.path]}, if that is it." if gone[one.path] else ""
            yield found("dead-path", one.line, page.line(one.line), f"{one.path} does not exist", fix)
    for line, path in _named_folders(page):
        if path not in told and _is_dead_folder(path, page.path, folders):
            told.add(path)
            yield found("dead-path", line, page.line(line), f"the folder {path} does not exist")
    for line, path in _drawn(page, ground.files, folders):
        if path not in told:
            told.add(path)
            yield found("dead-path", line, page.line(line), f"{path} does not exist")


def may_import(name: str) -> bool:
    """Whether the clients that read a rules file of this name follow `@file` in it."""
    return name.lower() in _IMPORTERS


def imports(page: Page) -> Iterator[tuple[int, str, str]]:
    """`@file` outside of code: the line, the path as it is written, and relative to the top of the repository (which it
    may lead out of, "" below the user's home).
    """
    folder = page.path.rpartition("/")[0]
    for place in page.places:
        if place.block.form in ("code", "matter"):
            continue
        for line, row in rows_of(place.block):
            for match in _IMPORT.finditer(re.sub(r"`[^`]*`", "`", row)):
                path = match[1]
                here = "" if path.startswith("~/") else posixpath.normpath(posixpath.join(folder, path))
                yield line, path, here


def dead_imports(page: Page, ground: Ground) -> Iterator[Finding]:
    """What is imported and is no file, in files of clients that import so."""
    if not ground.files or not (ground.may_import or may_import(page.path.rpartition("/")[2])):
        return
    for line, path, here in imports(page):
        if here and not here.startswith("..") and here not in ground.files:
            yield found("dead-import", line, page.line(line), f"@{path} leads to no file")


def _folders(files: Collection[str]) -> frozenset[str]:
    made: set[str] = set()
    for file in files:
        folder = file.rpartition("/")[0]
        while folder and folder not in made:
            made.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(made)


def _named_folders(page: Page) -> Iterator[tuple[int, str]]:
    for place in page.places:
        block = place.block
        if block.form not in ("item", "text", "row"):
            continue
        for line, row in rows_of(block):
            if not said_otherwise(row):
                yield from ((line, match[1]) for match in _FOLDER.finditer(row))


def _is_dead_folder(path: str, document: str, folders: Collection[str]) -> bool:
    """Whether a folder is surely gone: the one above it is there, and it is nowhere, not even as the end of another."""
    plain = posixpath.normpath(path.rstrip("/"))
    beside = posixpath.normpath(posixpath.join(document.rpartition("/")[0], plain))
    # What stands in a hidden folder is mostly about what some program makes there.
    if _MADE.search(path) or plain.startswith(".") or beside.startswith(".."):
        return False
    is_there = plain in folders or beside in folders or any(one.endswith("/" + plain) for one in folders)
    above = plain.rpartition("/")[0]
    return not is_there and (above in folders or posixpath.dirname(beside) in folders)


def _drawn(page: Page, files: Collection[str], folders: Collection[str]) -> Iterator[tuple[int, str]]:
    """What a drawn tree of the project shows and is not there, where most of what it shows is."""
    for place in page.places:
        if place.block.form != "code" or said_otherwise(place.above):
            continue
        shown = list(_paths(rows_of(place.block)))
        for root in ("", page.path.rpartition("/")[0]):
            there = [_exists(posixpath.join(root, path), files, folders) for _, path in shown]
            if len(shown) >= 4 and sum(there) * 4 >= len(shown) * 3:
                for (line, path), is_there in zip(shown, there, strict=True):
                    above = posixpath.join(root, path).rstrip("/").rpartition("/")[0]
                    if not is_there and not _MADE.search(f"{path.rstrip('/')}/") and (not above or above in folders):
                        yield line, posixpath.join(root, path)
                break


def _paths(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The paths that a drawn tree shows, each with its line."""
    above: list[tuple[int, str]] = []  # how far in each folder stands, and its name
    for line, row in rows:
        if (match := _BRANCH.match(row)) and not said_otherwise(row[match.end() :]):
            while above and above[-1][0] >= len(match[1]):
                above.pop()
            yield line, "".join(f"{name.rstrip('/')}/" for _, name in above) + match[2]
            above.append((len(match[1]), match[2]))


def _exists(path: str, files: Collection[str], folders: Collection[str]) -> bool:
    return path.rstrip("/") in folders or path in files
