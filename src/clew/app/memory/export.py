"""Writing memory back into a folder that somebody else keeps, in its own form: only on request, and only by a person.

Of what was read from there, each piece is as it was, reworded, or taken out, as the triage had it; facts that it does
not hold come behind it, on pages of their own. Nothing else of it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.memory.folder import INDEX, SUMMARY, Form, MemoryFolder, read_folder, reworded, with_changes
from clew.app.memory.intake import piece_id
from clew.app.memory.pages import heading, plain
from clew.app.memory.store import OpenMemory
from clew.core.errors import InputError, NotFound
from clew.core.state.facts import Fact, topic_order
from clew.core.state.fold import values
from clew.core.text.cleaning import shorten
from clew.documents.escaping import inert, safe
from clew.workspace.atomic import replace

_PAGE: Final = "clew-{}.md"
_BEGINS: Final = "## Kept with clew"
_HOOK_CHARS: Final = 90
_DEED: Final = "write into a memory that sessions are given"


class PageChange(NamedTuple):
    """A file as it is and as it is to be: `before` is None where it is made."""

    path: Path
    before: str | None
    after: str


def planned(memory: OpenMemory, path: Path, form: Form | None = None) -> list[PageChange]:
    """What `export` would change in the folder at `path`, by file. `form` is for a folder that is not there or is
    empty.

    Raises `NotFound`, `InputError`.
    """
    try:
        folder = read_folder(path)
    except NotFound:
        if path.is_file():
            raise
        folder = MemoryFolder(path, form or "plain", {}, ())
    texts = dict(folder.texts)
    facts = memory.facts()
    for name, text in _back(memory, folder, facts).items():
        texts[name] = text
    there = {plain(piece.text) for piece in folder.pieces}
    of_folder = {piece_id(piece) for piece in folder.pieces}
    own = [
        one
        for one in facts
        if not any(plain(wording) in there for wording in one.wordings)
        and not any(source.name in of_folder for source in one.sources)
    ]
    _add(folder.form, texts, own)
    return [
        PageChange(path / name, folder.texts.get(name), text)
        for name, text in sorted(texts.items())
        if text != folder.texts.get(name)
    ]


def export(memory: OpenMemory, changes: Sequence[PageChange]) -> None:
    """Write what was planned. Only a person has it written; a file that changed meanwhile is an error. Raises
    `NotAllowed`, `InputError`.
    """
    if not changes:
        return
    memory.at.require_person(
        "memory folder", _DEED, "`clew memory show` prints what is kept; the person you work for can write it back."
    )
    for one in changes:
        if _text(one.path) != one.before:
            raise InputError(
                f"{one.path} was changed meanwhile",
                code="E-memory-folder",
                hint="Nothing more was written. Run it again: it reads the folder again.",
            )
        try:
            replace(one.path, one.after.encode("utf-8", "replace"), mode=0o600)
        except OSError as error:
            raise InputError(
                f"{one.path} cannot be written: {error.strerror or error}",
                code="E-memory-folder",
                hint="Fix its permissions, or name another folder.",
            ) from error


def _back(memory: OpenMemory, folder: MemoryFolder, facts: Sequence[Fact]) -> dict[str, str]:
    """The files of which something was reworded, merged elsewhere or dropped."""
    entities = memory.at.ledger.fold("").entities
    of_source = {source.name: (one, source) for one in facts for source in one.sources}
    changes: dict[str, dict[tuple[int, int], str | None]] = {}
    for piece in folder.pieces:
        item = piece_id(piece)
        fields = values(entities.get(item, ()))
        place = piece.first, piece.last
        mine = changes.setdefault(piece.file, {})
        if item in of_source:
            fact, source = of_source[item]
            said = {plain(fact.text), *(plain(row) for row in source.text.split("\n") if not fact.text)}
            is_merged = plain(piece.text) not in said and str(fields.get("outcome", "")).startswith("merged")
            if is_merged:
                mine[place] = None
            elif plain(piece.text) not in said and plain(memory.at.safe(piece.text)) not in said:
                mine[place] = reworded(piece, fact.text, piece.why)
        elif fields.get("retracted"):
            mine[place] = None
    return {name: with_changes(folder.texts[name], mine) for name, mine in changes.items() if mine}


def _add(form: Form, texts: dict[str, str], facts: Sequence[Fact]) -> None:
    """Put facts on pages of their own, in the folder's form, and make them known in its index."""
    topics: dict[str, list[Fact]] = {}
    for one in facts:
        topics.setdefault(one.topic, []).append(one)
    if form == "codex" and topics:
        rows = [
            row
            for topic in sorted(topics, key=topic_order)
            for row in ["", f"### {heading(topic)}", "", *_rows(topics[topic])]
        ]
        front = texts.get(INDEX, "").partition(f"\n{_BEGINS}")[0].rstrip("\n")
        texts[INDEX] = "\n".join([*([front, ""] if front else []), _BEGINS, *rows]) + "\n"
        if (
            SUMMARY in texts
            and (line := f"- Kept with clew: {', '.join(sorted(topics))} (see {INDEX})") not in texts[SUMMARY]
        ):
            texts[SUMMARY] = texts[SUMMARY].rstrip("\n") + f"\n{line}\n"
        return
    for topic in sorted(topics, key=topic_order):
        name, mine = _PAGE.format(topic), topics[topic]
        told = shorten(safe(mine[0].text), _HOOK_CHARS)
        matter = (
            ["---", f"name: {heading(topic)}", f"description: {told}", "type: project", "---", ""]
            if form == "claude"
            else []
        )
        page = texts.get(name, "\n".join([*matter, f"# {heading(topic)}", "", ""]))
        texts[name] = page.rstrip("\n") + "\n" + ("" if name in texts else "\n") + "\n".join(_rows(mine)) + "\n"
        index = texts.get(INDEX, "# Memory\n\n")
        if f"]({name})" not in index and (form == "claude" or INDEX in texts):
            texts[INDEX] = index.rstrip("\n") + f"\n- [{heading(topic)}]({name}) — {told}\n"


def _rows(facts: Sequence[Fact]) -> list[str]:
    rows = []
    for one in facts:
        rows.append(f"- {inert(safe(one.text))}")
        rows += [f"  {row}".rstrip() for row in one.why.split("\n") if one.why]
        for wording in one.wordings[1:]:
            more = [
                row
                for row in wording.split("\n")
                if plain(row) not in (plain(one.text), *map(plain, one.why.split("\n")))
            ]
            rows += [f"  {row}".rstrip() for row in more]
    return rows


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
