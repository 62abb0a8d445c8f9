"""`clew audit rules`: rules files linted where they lie."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.source import read_source
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound, Unavailable
from clew.core.text.tokens import estimate
from clew.documents.lint.page import LintFinding, LintPage, page_of
from clew.documents.parse import parse
from clew.documents.rules_file.disk import BUDGET_TOKENS, RULES, RulesGround, imports, may_import
from clew.documents.rules_file.rules import lint
from clew.workspace.disk import Disk, read
from clew.workspace.git import Git
from clew.workspace.repository import resolved

_NAMES: Final = frozenset(
    """AGENTS.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md .cursorrules .windsurfrules .clinerules
    .goosehints copilot-instructions.md""".split()
)
_FOLDERS: Final = (".cursor/rules/", ".claude/rules/", ".clinerules/", ".windsurf/rules/")
_BYTES_MAX: Final = 1 << 20
_FILES_MAX: Final = 500
_IMPORTS_DEEP: Final = 5
_MANIFESTS_MAX: Final = 500
_TARGET: Final = re.compile(r"^([A-Za-z_][\w./-]*(?:[ \t]+[A-Za-z_][\w./-]*)*)[ \t]*:(?![=:])", re.MULTILINE)
_BRINGS_IN: Final = re.compile(r"^(?:-?include|sinclude|import|mod)\b|^[^#\n]*%[^#\n=]*:", re.MULTILINE)
_RECIPE: Final = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:=\n]*)?:(?!=)|^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)


class LintedRules(NamedTuple):
    """One rules file. `file` is as it was given or found, `tokens` what it costs a session. `error` says why it could
    not be read.
    """

    file: str
    tokens: int
    findings: tuple[LintFinding, ...]
    error: InputError | None = None


class Rules(JsonResult, frozen=True):
    """All of them. `notes` are sentences about what could not be judged."""

    files: tuple[LintedRules, ...]
    notes: tuple[str, ...]


def linted_rules(
    ports: Ports,
    here: Path,
    names: Sequence[str],
    *,
    budget_tokens: int = BUDGET_TOKENS,
    rules: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Rules:
    """The rules files of those names, relative to `here` (absolute); without any, all of the project. Only findings of
    `rules`, all if none are named. One that cannot be read stops no other. Raises `NotFound`: there is no such rule.
    """
    if unknown := [rule for rule in rules if rule not in RULES]:
        raise NotFound(f"there is no rule {unknown[0][:60]}", code="E-lint-rule", hint=f"Rules: {', '.join(RULES)}.")
    top, files, notes = _tree(ports, here)
    wanted = [(here / name, name) for name in names] or _rules_files(top, files)
    ground = (_ground(top, files) if not notes else RulesGround())._replace(budget_tokens=budget_tokens)
    if not wanted:
        notes.append("There is no rules file here; `clew rules init` proposes one.")
    pages, made = _pages(wanted, top, progress)
    for page in pages.values():
        found = lint(page.page, _ground_of(page, pages, ground))
        safe = [one._replace(text=ports.redact(one.text), message=ports.redact(one.message)) for one in found]
        kept = tuple(each for each in sorted(safe, key=lambda each: each.line) if not rules or each.rule in rules)
        made[page.name] = LintedRules(page.name, estimate(page.page.source), kept)
    order = {name: at for at, (_, name) in enumerate(wanted)}
    return Rules(
        tuple(sorted(made.values(), key=lambda one: (order.get(one.file, len(order)), one.file))), tuple(notes)
    )


class _Read(NamedTuple):
    """A file that was read: `page.path` is relative to the top if `inside`. `is_part`: another one imports it."""

    file: Path
    name: str
    page: LintPage
    inside: bool
    may_import: bool
    is_part: bool


def _rules_files(top: Path, files: Collection[str]) -> list[tuple[Path, str]]:
    """The rules files of a project with their names, by name; of a file and links to it the file, of two links the
    first.
    """
    found: dict[Path, str] = {}
    for name in sorted(filter(is_rules_file, files)):
        place = resolved(top / name)
        if place not in found or place == top / name:
            found[place] = name
    return [(top / name, name) for name in sorted(found.values())]


def _pages(
    wanted: Sequence[tuple[Path, str]], top: Path, progress: Callable[[str], None]
) -> tuple[dict[str, _Read], dict[str, LintedRules]]:
    """The files that are looked at by their paths from the top, those that others import with them; and by their names
    those that cannot be read.
    """
    pages: dict[str, _Read] = {}
    problems: dict[str, LintedRules] = {}
    met: set[str] = set()
    waiting = [(file, name, False, 0) for file, name in reversed(wanted)]
    linked = {resolved(file) for file in top.glob("*.md") if may_import(file.name)} if wanted else set()
    while waiting and len(pages) < _FILES_MAX:
        file, name, is_part, deep = waiting.pop()
        progress(name)
        try:
            source = read_source(file, name=name).text
        except InputError as problem:
            if not is_part:
                problems[name] = LintedRules(name, 0, (), problem)
            continue
        place = resolved(file)
        inside = place.is_relative_to(top)
        path = place.relative_to(top).as_posix() if inside else file.name
        if is_part and path in pages:
            pages[path] = pages[path]._replace(may_import=True)
        else:
            page = page_of(parse(source, name=file.name), source, path)
            follows = is_part or may_import(file.name) or place in linked
            pages[path if inside else name] = _Read(file, name, page, inside, follows, is_part)
        read_ = pages[path if inside else name]
        for _, _, here in imports(read_.page) if read_.may_import and inside and deep < _IMPORTS_DEEP else ():
            target = top / here
            is_new = here not in met and not (here in pages and pages[here].may_import)
            if here and is_new and target.is_file() and resolved(target).is_relative_to(top):
                met.add(here)
                # Rules files are read first: what one of them imports is no part but what it is.
                waiting.insert(0, (target, here, True, deep + 1))
    return pages, problems


def _ground_of(read_: _Read, pages: Mapping[str, _Read], ground: RulesGround) -> RulesGround:
    """What is known around a file: of one outside the project nothing but the budget."""
    if not read_.inside:
        return RulesGround(budget_tokens=ground.budget_tokens)
    brought: dict[str, _Read] = {}
    waiting = [read_]
    while waiting:
        one = waiting.pop()
        for _, _, here in imports(one.page) if one.may_import else ():
            if here in pages and here not in brought and pages[here] is not read_:
                brought[here] = pages[here]
                waiting.append(pages[here])
    told = (one.page for one in brought.values() if one.is_part or estimate(one.page.source) <= ground.budget_tokens)
    return ground._replace(imports=tuple(told), may_import=read_.may_import, is_part=read_.is_part)


def is_rules_file(path: str) -> bool:
    """Whether a file of a repository (its path from the top) is one that agents read as rules."""
    name = path.rpartition("/")[2]
    in_folder = any(path.startswith(folder) or f"/{folder}" in path for folder in _FOLDERS)
    return name in _NAMES or (in_folder and name.endswith((".md", ".mdc")))


def _tree(ports: Ports, here: Path) -> tuple[Path, frozenset[str], list[str]]:
    """The top of the project, its files from there (none: not known), and why not."""
    git = Git.at(here, environment=ports.environment)
    if git is None:
        root = locate(here).root
        there = frozenset(item.name for item in root.iterdir() if is_rules_file(item.name))
        return root, there, ["Outside of a git repository paths and commands are not looked up."]
    top = resolved(git.repository.top)
    try:
        files = git.files()
    except Unavailable as problem:
        return top, frozenset(), [f"whether paths are gone is not known: {problem.message}"]
    disk = Disk(top)
    files = (*files, *git.ignored(), *_in_folders(top))
    return top, frozenset(path for path in files if _is_there(disk, path)), []


def _in_folders(top: Path) -> Iterator[str]:
    """Rules files in the folders that are there for them at the top: git may ignore such a folder whole."""
    for folder in (*_FOLDERS, ".claude/"):
        if (top / folder).is_dir():
            found = (file.relative_to(top).as_posix() for file in islice((top / folder).iterdir(), _FILES_MAX))
            yield from filter(is_rules_file, found)


def _is_there(disk: Disk, path: str) -> bool:
    place = disk.locate(path)
    return place is not None and os.path.lexists(place)


def _ground(top: Path, files: frozenset[str]) -> RulesGround:
    """What the project defines: scripts, targets, recipes. Files count only where the repository is known."""
    disk = Disk(top)
    scripts: dict[str, frozenset[str]] = {}
    targets: dict[str, frozenset[str] | None] = {}
    recipes: dict[str, frozenset[str] | None] = {}
    manifests = sorted(path for path in files if path.rpartition("/")[2].lower() in _MANIFESTS)
    for path in manifests[:_MANIFESTS_MAX]:
        data = read(disk, path, limit_bytes=_BYTES_MAX).data
        if data is None:
            continue
        words = data.decode("utf-8", "replace")
        name = path.rpartition("/")[2].lower()
        if name == "package.json":
            scripts[path] = frozenset(_scripts(words))
        elif name.endswith("justfile"):
            names = frozenset(filter(None, (one for match in _RECIPE.findall(words) for one in match)))
            recipes[path] = None if _BRINGS_IN.search(words) else names
        else:
            defined = {one for match in _TARGET.findall(words) for one in match.split()}
            targets[path] = None if _BRINGS_IN.search(words) else frozenset(defined)
    return RulesGround(files, scripts, targets, recipes)


_MANIFESTS: Final = frozenset(("package.json", "makefile", "gnumakefile", "justfile", ".justfile"))


def _scripts(words: str) -> Iterator[str]:
    try:
        found = json.loads(words)
    except (ValueError, RecursionError):
        return
    scripts = found.get("scripts") if isinstance(found, dict) else None
    yield from (name for name in scripts if isinstance(name, str)) if isinstance(scripts, dict) else ()
