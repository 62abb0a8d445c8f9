"""`clew rules init`: a rules file proposed for a project, or what an existing one lacks, as a diff.

Hard constraints first, then how changes are made, then the commands that check this project, style last. What a person
said of hard constraints is taken from the ledger; nothing else is made up about the project but what its files tell.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import structs

from clew.app.install.entries import SettingsChange, apply, read_file
from clew.app.project.authority import require_person
from clew.app.project.location import locate
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.app.validate.configured import Proposed, commands_of
from clew.core.errors import InputError
from clew.core.state.headings import Purpose
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.lint.page import page_of
from clew.documents.parse import parse
from clew.documents.rules_file.rules import has_check, headed, sections
from clew.workspace.atomic import make_folder

FILE: Final = "AGENTS.md"
# Where rules stand already, the first one that does.
_KNOWN: Final = ("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md")
_POINTER: Final = re.compile(r"\s*@(?:\./)?([\w./-]+\.md)\s*\Z")
_CONSTRAINTS_MAX: Final = 10
_CONSTRAINT_CHARS: Final = 200
_NEVER: Final = (
    "Never weaken, skip or delete a test or a check to make it pass.",
    "Never commit secrets, and never print them.",
    "Never force-push, publish, or delete data or branches, unless the user asked for exactly that.",
)
_CHANGES: Final = (
    "Read a file before changing it, and change only what the task needs.",
    "When something fails, read its first error before trying again; the same command is not run twice unchanged.",
    "What was read once and did not change is not read again; ask for the lines that are needed.",
)
# Folders in which code and tests stand, files that programs write, and who decides about style.
_SOURCES: Final = ("src", "lib", "app", "cmd", "internal", "pkg", "packages", "crates")
_TESTS: Final = ("tests", "test", "spec", "__tests__", "e2e")
_WRITTEN: Final = (
    "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "uv.lock", "poetry.lock", "Cargo.lock", "go.sum",
)  # fmt: skip
_STYLE: Final = (
    ("ruff.toml", "ruff"), (".ruff.toml", "ruff"), (".prettierrc", "prettier"), (".prettierrc.json", "prettier"),
    ("biome.json", "biome"), (".editorconfig", ".editorconfig"), ("rustfmt.toml", "rustfmt"),
    (".golangci.yml", "golangci-lint"), (".golangci.yaml", "golangci-lint"), ("eslint.config.js", "eslint"),
    (".clang-format", "clang-format"),
)  # fmt: skip
_TITLES: Final[dict[Purpose, str]] = {
    "constraints": "Hard constraints",
    "changes": "How changes are made",
    "checks": "Checks",
    "style": "Style",
}


class ProposedRules(JsonResult, frozen=True):
    """What is proposed for `file`: `added` are the titles of the sections, `diff` how it would change ("" it lacks
    nothing). `written`: it was. `notes` are sentences for the person who asked.
    """

    file: Path
    added: tuple[str, ...]
    diff: str
    written: bool
    notes: tuple[str, ...]


def propose_rules(project: ProjectHandle, *, write: bool) -> ProposedRules:
    """The proposal for the project that `folder` is in; with `write` a person is asked, and it is written.

    Raises `NotAllowed` to anybody else, `InputError` for a file that cannot be read or written.
    """
    root = locate(project.folder).root
    file, before = _file(root)
    source = (before or b"").decode("utf-8", "replace")
    commands = commands_of(root)
    wanted = dict(_wanted(project, root, commands))
    missing = {sort: lines for sort, lines in wanted.items() if sort in _lacking(source, file.name)}
    after = _with(source, missing, root.name)
    name = file.relative_to(root).as_posix()
    rows = difflib.unified_diff(source.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    titles = tuple(_TITLES[sort] for sort in _TITLES if sort in missing)
    notes = tuple(_notes(root, file, before, commands))
    made = ProposedRules(file, titles, project.ports.redact("\n".join(rows)), False, notes)
    if not write or not missing:
        return made
    shown = "\n".join(rows)
    require_person(
        project.ports.channel(), "rules file", f"write rules for agents into {file.name}", about=lambda: shown
    )
    end = "\r\n" if "\r\n" in source else "\n"
    try:
        make_folder(file.parent)
        done = apply(SettingsChange(file, before, after.replace("\n", end).encode(), settings=False))
    except OSError as error:
        raise _unwritable(file, error.strerror or type(error).__name__) from error
    if not done:
        raise _unwritable(file, "somebody else is writing it just now")
    return structs.replace(made, written=True)


def _file(root: Path) -> tuple[Path, bytes | None]:
    """The rules file that is there, followed where it only points at another one; else the one to be made."""
    for name in _KNOWN:
        data = read_file(root / name)
        if data is None:
            continue
        pointed = _POINTER.match(data.decode("utf-8", "replace"))
        place = root / pointed[1] if pointed and not Path(pointed[1]).is_absolute() else None
        if place is not None and ".." not in place.parts:
            return place, read_file(place)
        return root / name, data
    return root / FILE, None


def _lacking(source: str, name: str) -> frozenset[Purpose]:
    """What a rules file says nothing of."""
    page = page_of(parse(source, name=name), source, name)
    there = headed(page) | {one.sort for one in sections(page)} | ({"checks"} if has_check(page) else set())
    return frozenset(sort for sort in _TITLES if sort not in there)


def _wanted(project: ProjectHandle, root: Path, commands: Sequence[Proposed]) -> Iterator[tuple[Purpose, list[str]]]:
    """What each section would say."""
    written = [name for name in _WRITTEN if (root / name).is_file()]
    never = [*_of_persons(project), *_NEVER]
    if written:
        never.append(f"Never edit by hand what programs write: {_listed(written)}.")
    yield "constraints", _points(never)
    sources = [f"{name}/" for name in _SOURCES if (root / name).is_dir()]
    tests = [f"{name}/" for name in _TESTS if (root / name).is_dir()]
    where = [f"Code stands in {_listed(sources)}."] if sources else []
    where += [f"Tests stand in {_listed(tests)}; a change of behaviour comes with one there."] if tests else []
    yield "changes", _points([*where, *_CHANGES])
    if commands:
        told = (
            "Run these before saying that something is done; fix the first failure and run them again until all pass:"
        )
        yield "checks", [told, "", "```sh", *(one.run for one in commands), "```"]
    style = list(dict.fromkeys(program for name, program in _STYLE if (root / name).is_file()))
    if style:
        yield "style", _points([f"What {_listed(style)} says holds; it is run, and not argued with."])


def _of_persons(project: ProjectHandle) -> list[str]:
    """The constraints that a person said, as the ledger has them."""
    if not locate(project.folder).has_ledger:
        return []
    with project.open(write=False) as at:
        items = live_state(at, at.task()).items
    said = [one for one in items if one.kind == "constraint" and one.provenance == "human" and not one.status]
    return [shorten(one_line(clean(one.text)), _CONSTRAINT_CHARS) for one in said[:_CONSTRAINTS_MAX]]


def _with(source: str, missing: dict[Purpose, list[str]], name: str) -> str:
    """The rules with what they lack: hard constraints behind the title, the rest at the end, in their order."""
    blocks = {sort: "\n".join([f"## {_TITLES[sort]}", "", *lines]) + "\n" for sort, lines in missing.items()}
    text = source.replace("\r\n", "\n")
    if not text.strip():
        return "\n".join(
            [f"# Rules for agents: {one_line(clean(name))}\n", *(blocks[sort] for sort in _TITLES if sort in blocks)]
        )
    front = blocks.pop("constraints", "")
    if front:
        at = _behind_title(text)
        text = f"{text[:at]}{front}\n{text[at:].lstrip(chr(10))}" if at < len(text) else f"{text.rstrip()}\n\n{front}"
    rest = [blocks[sort] for sort in _TITLES if sort in blocks]
    return "\n".join([text.rstrip("\n") + "\n", *rest]) if rest else text


def _behind_title(text: str) -> int:
    """Where the first section begins: behind the title and what introduces it."""
    page = page_of(parse(text, name=FILE), text, FILE)
    heads = [place.block.first for place in page.places if place.block.form == "heading"]
    line = next((one for one in heads if one > 1 and heads[0] == 1), heads[0] if heads and heads[0] > 1 else 0)
    if not line:
        return len(text.rstrip("\n")) + 2 if heads else 0
    return sum(len(row) + 1 for row in text.split("\n")[: line - 1])


def _notes(root: Path, file: Path, before: bytes | None, commands: Sequence[Proposed]) -> Iterator[str]:
    if not commands:
        yield "No command was found that checks this project; name one in the rules, and in `clew validate --init`."
    if before is None and file.name == FILE and not (root / "CLAUDE.md").exists():
        yield "Claude Code reads CLAUDE.md only: one with the line `@AGENTS.md` gives it these rules."


def _points(lines: Sequence[str]) -> list[str]:
    return [f"- {line}" for line in lines]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _unwritable(file: Path, why: str) -> InputError:
    return InputError(
        f"{file} cannot be written: {why}",
        code="E-rules-unwritable",
        hint="Check its rights and the room on its disk, and run it again.",
    )
