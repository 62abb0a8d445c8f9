"""`clew memory`: what is known for good of this project, or of you: show, triage, edit, check, read in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from clew import wiring
from clew.app.memory import use
from clew.app.memory.candidates import Candidate, CandidateList, CandidateRow
from clew.app.memory.check import MemoryCheck
from clew.app.memory.check import check as memory_trouble
from clew.app.memory.folder import FolderImport, import_folder
from clew.app.memory.store import Scope
from clew.app.memory.triage import Decision, Triage
from clew.app.memory.use import MemoryOutcome, MemoryShown
from clew.app.project.location import locate
from clew.core.errors import InputError
from clew.core.state.facts import Fact
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.asking import ask_each, at_terminal, typed
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, count, find_project, here, present, remark, say_notes, text_of
from clew.interfaces.cli.options import json_option, wants_json

_FLAGS = {
    "hostile": "IT WANTS TO TAKE OVER ITS READER",
    "instruction": "it is an instruction",
    "state": "it is the state of a task, which soon goes stale",
    "convention": "a convention belongs in the rules file",
    "file": "anybody can have written it",
}
_KEYS = {
    "k": ("keep", "keep it"),
    "e": ("edit", "keep it in other words"),
    "t": ("topic", "choose its topic"),
    "m": ("merge", "merge it into the fact that it is like"),
    "d": ("drop", "drop it"),
    "l": ("later", "leave it for later"),
    "K": ("rest", "keep all from this file"),
    "q": ("quit", "quit; the rest stays"),
    "?": ("help", "these keys"),
}
_LISTED = "  [k]eep [e]dit [t]opic [m]erge [d]rop [l]ater [K]eep all from this file [q]uit (the rest stays): "


class _TriageReview:
    """A triage under way: of `left` the first one is asked about; `decisions` are the person's so far."""

    def __init__(self, found: Sequence[Candidate], facts: Sequence[Fact]) -> None:
        self.left = list(found)
        self.decisions: list[Decision] = []
        self._all = len(found)
        self._facts = {one.id: one for one in facts}
        self._topic = ""
        self._show()

    def press(self, key: str) -> str:
        """What a key about the first one means, as `ask_each` wants it."""
        meant, one = _KEYS.get(key, ("", ""))[0], self.left[0]
        if meant in ("quit", "help", ""):
            return meant
        if meant == "topic":
            self._topic = typed("  topic:", self._topic)
            return meant
        decided = self._decided(meant, one)
        self.decisions += decided
        taken = sum(_file(other) == _file(one) for other in self.left) if meant == "rest" else len(decided)
        del self.left[:taken]
        self._show()
        return ("next" if self.left else "done") if taken else ""

    def _decided(self, meant: str, one: Candidate) -> list[Decision]:
        match meant:
            case "keep":
                return [Decision(one, "keep", topic=self._topic)]
            case "edit":
                return [Decision(one, "keep", topic=self._topic, text=typed("  words:", one.item.text))]
            case "drop" | "later":
                return [Decision(one, meant)]
            case "merge" if one.like and one.like[0] in self._facts:
                words = typed("  words of both:", self._facts[one.like[0]].text)
                return [Decision(one, "merge", into=one.like[0], text=words)]
            case "rest":
                same = (other for other in self.left if _file(other) == _file(one) and not other.is_rule)
                return [Decision(other, "keep", topic=other.topic) for other in same]
        return []

    def _show(self) -> None:
        if self.left:
            self._topic = self.left[0].topic
            _show_candidate(self.left[0], self._facts, f"{self._all - len(self.left) + 1} of {self._all}")


def triage_by_keys(found: Sequence[Candidate], facts: Sequence[Fact]) -> list[Decision]:
    """What the person decides, key by key. Who leaves early leaves the rest waiting."""
    review = _TriageReview(found, facts)
    if found:
        ask_each(lambda: _LISTED, review.press, _KEYS)
    return review.decisions


def _file(one: Candidate) -> str:
    """The file that a candidate was read from, "" none."""
    return one.item.source.rpartition(":")[0] if "file" in one.flags else one.item.id


def _show_candidate(one: Candidate, by_id: dict[str, Fact], number: str) -> None:
    aside(one_line(clean(f"{number}: {one.item.text}")))
    for row in one.item.why.split("\n") if one.item.why else ():
        aside(f"    | {one_line(clean(row))}")
    where = f", under “{one.item.label}”" if one.item.label else ""
    aside(one_line(clean(f"    from {one.source}{where}; topic {one.topic}")))
    for flag in one.flags:
        aside(f"    ! {_FLAGS[flag]}")
    for name in one.like[:2]:
        if name in by_id:
            aside(one_line(clean(f"    like {name[:6]} ({by_id[name].topic}): {by_id[name].text}")))


EXIT_FOUND = 1
_TEXT_CHARS = 100

command = Group(
    "memory",
    help="""Long-term facts by topic, for this project or (--user) for you.

What sessions learn waits for triage; starting sessions are then given the index (docs/reference/memory.md).
""",
)


def _user(function: Any) -> Any:
    """`--user`, given as `scope`."""
    return click.option(
        "--user", "scope", flag_value="user", default="project", help="Your own memory, which applies to all projects."
    )(function)


def _dry_run(function: Any) -> Any:
    return click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")(function)


@command.command("show", short_help="Show the index, a topic, or a fact.")
@click.argument("wanted", metavar="[TOPIC|ID]", required=False, default="")
@_user
@json_option()
def show(wanted: str, scope: Scope) -> None:
    """Show the index of the memory, the facts of a TOPIC with their sources, or one fact with all its wordings."""
    present(use.show(find_project(), scope, wanted), _show)


def _show(found: MemoryShown) -> None:
    print(found.text, end="")
    ids = {one.id: one.short_id for one in found.facts}
    for name, what, said in found.stale:
        remark(f"note: {ids[name]} is to be verified ({what}): {said}")


@command.command("triage", short_help="Decide what to keep of what sessions learned.")
@click.option("--decide", "decisions", metavar="FILE", type=click.Path(), help="Decisions as JSON (- is stdin).")
@_user
@_dry_run
@json_option()
def triage(decisions: str | None, scope: Scope, dry_run: bool) -> None:
    """Go through what waits: what sessions learned, what finished tasks left, what was read from memory folders or
    added to a page by hand. At a terminal you decide key by key; --json lists the entries, and --decide carries out
    decisions.

    Instructions that do not come from a person are kept only by a person.
    """
    if decisions is None and (wants_json() or not at_terminal()):
        present(use.waiting(find_project(), scope), _list)
        return
    rows = _rows_in(decisions) if decisions is not None else None

    def choose(found: Sequence[Candidate], facts: Sequence[Fact]) -> Sequence[Decision]:
        return triage_by_keys(found, facts) if rows is None else use.decisions_of(rows, found)

    present(use.triage(find_project(dry_run=dry_run), scope, choose), _tell_triage)


def _list(found: CandidateList) -> None:
    for one in found.candidates:
        print(_row(one))
    waits = count(len(found.candidates), "candidate")
    remark(f"note: {waits}; at a terminal you triage key by key, else --decide FILE does.")


def _tell_triage(done: Triage) -> None:
    told = f"{len(done.kept)} kept, {len(done.joined)} joined, {len(done.dropped)} dropped, {done.left} left for later"
    print(f"Dry run, nothing was recorded. It would say: {told}" if done.dry_run else told)
    say_notes(done.notes)


@command.command("edit", short_help="Reword, move, merge or confirm a fact.")
@click.argument("wanted", metavar="ID")
@click.argument("text", metavar="[TEXT…]", nargs=-1)
@click.option("--why", metavar="TEXT", help="The reason, and how it is known.")
@click.option("--topic", metavar="TOPIC", default="", help="Move it to another topic.")
@click.option("--into", metavar="ID", default="", help="Merge it into this fact; no wording is lost.")
@_user
@_dry_run
@json_option()
def edit(
    wanted: str, text: tuple[str, ...], why: str | None, topic: str, into: str, scope: Scope, dry_run: bool
) -> None:
    """Reword the fact ID; without options, confirm it for its files as they are now."""
    words = text_of(text) if text else ""
    done = use.edit(find_project(dry_run=dry_run), scope, wanted, text=words, why=why, topic=topic, into=into)
    present(done, _told)


@command.command("check", short_help="Report what is stale, duplicated, or in the wrong place.")
@_user
@json_option()
def check(scope: Scope) -> None:
    """Check the memory for facts whose files changed, duplicates, task state, conventions and instructions.

    Exits with 1 if something was found.
    """
    found = memory_trouble(find_project(), scope)
    present(found, _tell_check)
    if found.wrong:
        raise SystemExit(EXIT_FOUND)


def _tell_check(found: MemoryCheck) -> None:
    for one in found.findings:
        print(one_line(clean(f"{one.subject or 'memory'}: {one.what}: {one.said}")))
        if one.text:
            print(f"    | {shorten(one_line(clean(one.text)), _TEXT_CHARS)}")
        print(f"    fix: {one_line(clean(one.fix))}")
    aside(f"{count(found.wrong, 'finding')}.")


@command.command("import", short_help="Queue a client's memory, or a folder of it, for triage.")
@click.argument("place", metavar="CLIENT|FOLDER")
@_user
@_dry_run
@json_option()
def import_(place: str, scope: Scope, dry_run: bool) -> None:
    """Read the memory that a client keeps by itself (claude-code, codex), or a FOLDER of Markdown files, block by
    block. Each waits for `clew memory triage`. Nothing in the folder changes; running it again adds nothing.
    """
    path, name = _place(place)
    done = import_folder(find_project(dry_run=dry_run), scope, path, name)
    present(done, partial(_tell_import, dry_run=dry_run))


def _tell_import(done: FolderImport, *, dry_run: bool) -> None:
    would = "would wait" if dry_run else "wait"
    print(f"{count(done.files, 'file')}: {done.new:,} new {would} for triage, {done.known:,} known.")
    if done.new and not dry_run:
        remark("next: clew memory triage")


def remember(text: tuple[str, ...], *, topic: str, why: str, scope: Scope, pinned: bool, dry_run: bool) -> None:
    """Put a fact straight into memory (`clew learn --topic`)."""
    said = text_of(text)
    done = use.remember(find_project(dry_run=dry_run), scope, topic, said, why=why, pinned=pinned)
    present(done, _told)


def _place(place: str) -> tuple[Path, str]:
    """A client's memory or a folder, and what its files are called in sources."""
    known = wiring.memories(locate(here()).root)
    return (known[place].folder, place) if place in known else (here() / Path(place).expanduser(), "")


def _told(done: MemoryOutcome) -> None:
    print(f"Dry run, nothing was recorded. It would say: {done.said}" if done.dry_run else one_line(clean(done.said)))
    say_notes(done.notes)


def _row(one: CandidateRow) -> str:
    flags = f" [{', '.join(one.flags)}]" if one.flags else ""
    like = f" (like {', '.join(name[:6] for name in one.like)})" if one.like else ""
    return one_line(
        clean(f"{one.id[:8]}  {one.topic:<14} {shorten(one.text, _TEXT_CHARS)}{flags}{like}  <{one.source}>")
    )


def _rows_in(name: str) -> list[dict[str, Any]]:
    """Decisions from a file or stdin."""
    text = text_of(("-",)) if name == "-" else (here() / name).read_text(encoding="utf-8", errors="replace")
    try:
        return msgspec.json.decode(text, type=list[dict[str, Any]])
    except msgspec.DecodeError as error:
        raise InputError(
            f"the decisions cannot be used: {error}",
            code="E-memory-decision",
            hint='A list of {"id": "L-…", "deed": "keep"}.',
        ) from None
