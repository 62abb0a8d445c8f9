"""Commands that rules say to run, and that the project does not define: scripts, targets, recipes, own programs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from clew.core.gate.shell.cut import Command
from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.words import program
from clew.documents.lint.finding import Finding
from clew.documents.lint.page import Page, rows_of
from clew.documents.lint.paths import said_otherwise
from clew.documents.rules_file.finding import Ground, found

_SHELLS: Final = frozenset(("", "bash", "sh", "shell", "console", "zsh", "text", "shell-session"))
_SPAN: Final = re.compile(r"(?<!`)`([^`\n]{3,160})`(?!`)")
_NAME: Final = re.compile(r"[\w][\w:.-]*")
_MANAGERS: Final = frozenset(("npm", "pnpm", "yarn", "bun"))
# The package is another one.
_ELSEWHERE: Final = frozenset(
    ("--prefix", "-C", "--dir", "--cwd", "--filter", "-F", "-w", "--workspace", "--workspaces", "-r", "--recursive")
)
_RUNNERS: Final = frozenset(("python", "python3", "node", "bash", "sh", "zsh", "ruby", "deno", "tsx", "ts-node"))
_SCRIPT: Final = re.compile(r"(?:\./)?(?:[\w.-]+/)*[\w.-]+\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl)")
_MADE: Final = re.compile(
    r"(?:^|/)(?:dist|build|out|target|node_modules|\.venv|venv|bin|tmp)/|(?:path|your|my|example|script|file)[./_-]",
    re.I,
)


def dead_commands(page: Page, ground: Ground) -> Iterator[Finding]:
    """Each once, where it stands first."""
    told: set[str] = set()
    for line, text in _commands(page):
        for part in split(text):
            said = _dead(part, page.path, ground) if part.words else ""
            if said and said not in told:
                told.add(said)
                yield found("dead-command", line, page.line(line), said)


def _commands(page: Page) -> Iterator[tuple[int, str]]:
    """Lines of code for a shell, and short code in sentences that begins with a program of interest."""
    for place in page.places:
        block = place.block
        if block.form == "code":
            if block.info.split(" ")[0].lower() in _SHELLS and not said_otherwise(place.label):
                yield from _coded(rows_of(block))
        elif block.form in ("item", "text", "row"):
            for number, row in rows_of(block):
                if not said_otherwise(row):
                    yield from ((number, match[1]) for match in _SPAN.finditer(row) if " " in match[1].strip())


def _coded(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, row in rows:
        text = row.strip().removeprefix("$ ").partition(" #")[0].strip()
        if text and not text.startswith("#") and "<" not in text and "..." not in text:
            yield number, text


def _dead(part: Command, document: str, ground: Ground) -> str:
    """What is wrong with one command, "" if nothing is known to be."""
    head, words = program(part.words[0]), part.words[1:]
    if head in _MANAGERS:
        return _script(head, words, ground)
    if head == "make" and ground.targets:
        return _target("make", "target", [word for word in words if "=" not in word], ground.targets)
    if head == "just" and ground.recipes:
        return _target("just", "recipe", words[:1], ground.recipes)
    file = words[0] if head in _RUNNERS and words else part.words[0]
    is_named = "/" in file or head in _RUNNERS
    if ground.files and is_named and _SCRIPT.fullmatch(file) and not _MADE.search(file):
        return _program(file, document, ground)
    return ""


def _script(manager: str, words: tuple[str, ...], ground: Ground) -> str:
    if len(words) < 2 or words[0] not in ("run", "run-script") or _ELSEWHERE.intersection(words) or not ground.scripts:
        return ""
    name = words[1]
    is_known = any(name in scripts for scripts in ground.scripts.values())
    if is_known or not _NAME.fullmatch(name) or (manager == "bun" and "." in name):
        return ""
    return f"no package.json has the script {name}"


def _target(
    head: str, noun: str, words: list[str] | tuple[str, ...], known: Mapping[str, frozenset[str] | None]
) -> str:
    """The first target that no file defines; where a file brings in others, nothing is known."""
    if any(word.startswith("-") for word in words) or any(names is None for names in known.values()):
        return ""
    every = {name for names in known.values() for name in names or ()}
    missing = next((word for word in words if _NAME.fullmatch(word) and word not in every), "")
    return f"{head} has no {noun} {missing}" if missing else ""


def _program(file: str, document: str, ground: Ground) -> str:
    """A script of the project that is nowhere, though its folder is there."""
    plain = posixpath.normpath(file)
    beside = posixpath.normpath(posixpath.join(document.rpartition("/")[0], plain))
    if plain in ground.files or beside in ground.files or any(one.endswith("/" + plain) for one in ground.files):
        return ""
    folder = plain.rpartition("/")[0]
    is_judged = not plain.startswith("..") and (not folder or any(one.startswith(folder + "/") for one in ground.files))
    return f"{file} does not exist" if is_judged else ""
