"""Files, folders, scripts and targets that a rules file names, and that are not there; and the rules that find what is
wrong with such a file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import starmap
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.walker import Command
from clew.core.gate.shell.words import program
from clew.documents.lint.page import LintFinding, LintPage, LintRule, finding, rows_of
from clew.documents.lint.paths import FILE_MADE, FOLDER_MADE, absent, named_files, said_otherwise

BUDGET_TOKENS: Final = 2_000


class RulesGround(NamedTuple):
    """What the disk tells. `files` are all files of the repository, relative to its top (empty: not known).

    `scripts` are the scripts of each `package.json`, by its path; `targets` those of each Makefile and `recipes` those
    of each justfile, None for a file that brings in others, whose targets nobody can list.

    Of the rules file that is looked at: `imports` are the files that it brings in with `@`, through others too, and
    that the budget is not told of elsewhere; `may_import`: its client follows such imports; `is_part`: it is read
    because another one imports it, so it need not be rules by itself.
    """

    files: frozenset[str] = frozenset()
    scripts: Mapping[str, frozenset[str]] = MappingProxyType({})
    targets: Mapping[str, frozenset[str] | None] = MappingProxyType({})
    recipes: Mapping[str, frozenset[str] | None] = MappingProxyType({})
    budget_tokens: int = BUDGET_TOKENS
    imports: tuple[LintPage, ...] = ()
    may_import: bool = False
    is_part: bool = False


_TABLE: Final = (
    ("dead-path", "A file or folder that the rules name is not there.",
     "Name it as it is called now, or take the line out."),
    ("dead-command", "A script, target or recipe that the rules say to run is not defined.",
     "Name the command that does it now."),
    ("dead-import", "A file that is imported with `@` is not there, so nothing of it reaches the agent.",
     "Correct the path, or take the import out."),
    ("order", "Hard constraints come after softer rules, or style before the checks.",
     "Hard constraints first, then how changes are made, then the checks; style last."),
    ("missing", "The rules of a project say nothing of what must not be done, or name no command that checks it.",
     "`clew rules init` proposes what is missing."),
    ("too-long", "The rules have more tokens than their budget; every session pays for them with every response.",
     "Move what holds for one folder into a file there, and what is looked up into a page that is named."),
    ("contradiction", "Two lines say the opposite of each other.", "Keep the one that holds."),
    ("task-state", "The state of a task is in a rules file: it is out of date in days.",
     'Record it for the task (`clew note step "…"`, `clew next "…"`), and take the line out.'),
    ("said-twice", "The same line occurs twice.", "Keep one of them."),
)  # fmt: skip
RULES: Final[dict[str, LintRule]] = {rule.id: rule for rule in starmap(LintRule, _TABLE)}
found: Final = partial(finding, RULES)


_FOLDER: Final = re.compile(r"(?<!`)`((?:\.{1,2}/)?(?:[\w@.+-]+/){2,})`(?!`)")
_IMPORT: Final = re.compile(r"(?:^|(?<=[\s(]))@((?:~/|\.{1,2}/)?[\w.-]+(?:/[\w.-]+)*\.(?:md|mdc|txt|mdx))(?![\w/])")
_IMPORTERS: Final = frozenset(("claude.md", "claude.local.md", "gemini.md"))
# Files of these folders are rules for other projects.
_FOR_OTHERS: Final = frozenset(("assets", "templates", "template", "examples", "fixtures", "scaffold", "testdata"))
# Settings that a user makes, and folders that nobody keeps.
_OWN: Final = re.compile(r"^\.(?:claude|cursor|gemini|codex|vscode|idea)/(?:[\w-]*settings|mcp|config)[\w.-]*$")


def dead_paths(page: LintPage, ground: RulesGround) -> Iterator[LintFinding]:
    """Files as `clew lint` finds them, and folders in back-quotes; each once."""
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


def may_import(name: str) -> bool:
    """Whether the clients that read a rules file of this name follow `@file` in it."""
    return name.lower() in _IMPORTERS


def imports(page: LintPage) -> Iterator[tuple[int, str, str]]:
    """`@file` outside code: the line, the path as it is written, and relative to the top of the repository (which it
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


def dead_imports(page: LintPage, ground: RulesGround) -> Iterator[LintFinding]:
    """What is imported and is not a file, in files of clients that import so."""
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


def _named_folders(page: LintPage) -> Iterator[tuple[int, str]]:
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
    if FOLDER_MADE.search(path) or plain.startswith(".") or beside.startswith(".."):
        return False
    is_there = plain in folders or beside in folders or any(one.endswith("/" + plain) for one in folders)
    above = plain.rpartition("/")[0]
    return not is_there and (above in folders or posixpath.dirname(beside) in folders)


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


def dead_commands(page: LintPage, ground: RulesGround) -> Iterator[LintFinding]:
    """Each once, where it stands first."""
    told: set[str] = set()
    for line, text in _commands(page):
        for part in split(text):
            said = _dead(part, page.path, ground) if part.words else ""
            if said and said not in told:
                told.add(said)
                yield found("dead-command", line, page.line(line), said)


def _commands(page: LintPage) -> Iterator[tuple[int, str]]:
    """Lines of code for a shell, and short code in sentences that begins with a program of interest."""
    for place in page.places:
        block = place.block
        if block.form == "code":
            if block.info.split(" ")[0].lower() in _SHELLS and not said_otherwise(place.label):
                for number, row in rows_of(block):
                    text = row.strip().removeprefix("$ ").partition(" #")[0].strip()
                    if text and not text.startswith("#") and "<" not in text and "..." not in text:
                        yield number, text
        elif block.form in ("item", "text", "row"):
            for number, row in rows_of(block):
                if not said_otherwise(row):
                    yield from ((number, match[1]) for match in _SPAN.finditer(row) if " " in match[1].strip())


def _dead(part: Command, document: str, ground: RulesGround) -> str:
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
    if (
        ground.files
        and is_named
        and _SCRIPT.fullmatch(file)
        and not (FILE_MADE.search(file) or FOLDER_MADE.search(file))
    ):
        return _program(file, document, ground)
    return ""


def _script(manager: str, words: tuple[str, ...], ground: RulesGround) -> str:
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


def _program(file: str, document: str, ground: RulesGround) -> str:
    """A script of the project that is nowhere, though its folder is there."""
    plain = posixpath.normpath(file)
    beside = posixpath.normpath(posixpath.join(document.rpartition("/")[0], plain))
    if plain in ground.files or beside in ground.files or any(one.endswith("/" + plain) for one in ground.files):
        return ""
    folder = plain.rpartition("/")[0]
    is_judged = not plain.startswith("..") and (not folder or any(one.startswith(folder + "/") for one in ground.files))
    return f"{file} does not exist" if is_judged else ""
