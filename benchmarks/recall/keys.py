"""Answer keys: what a payload made from session N must hold, and which false statements it must not make.

A key is a JSON file in `keys/`. Each fact has `match`, a list of alternatives; an alternative holds when all its
substrings occur in the payload (see `score.normalise`), the fact is recalled when any alternative holds. Facts of
`needed_by_n1` carry a weight of 1 to 3, every other fact weighs 1. Keys hold no text of the sessions.

`set_aside` keeps what an audit took out of a key, each with its old section and the reason. It is not scored, but it
can be: what an audit changes in the numbers has to be seen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent / "keys"

NEEDED = "needed_by_n1"
# Sections of a key that hold facts, in the order of its file. `goal` and `next_step` are single facts.
SECTIONS = ("goal", "decisions", "failed_approaches", "user_constraints", "open_items", "next_step", NEEDED)
WEIGHT_MAX = 3

Alternatives = tuple[tuple[str, ...], ...]


class BadKey(ValueError):
    """A file is no answer key; the message names the file and the place in it."""


class Fact(NamedTuple):
    """One thing to recall. `lines` are 1-based lines of the transcript that show it."""

    id: str
    section: str
    text: str
    alternatives: Alternatives
    weight: int
    lines: tuple[int, ...]


class Trap(NamedTuple):
    """A false statement; a payload that matches has stepped into it."""

    id: str
    text: str
    alternatives: Alternatives


class Key(NamedTuple):
    """The answer key of one session. `file` is relative to the folder of the transcripts."""

    pair: str
    file: str
    facts: tuple[Fact, ...]
    traps: tuple[Trap, ...]
    facts_set_aside: tuple[Fact, ...]
    traps_set_aside: tuple[Trap, ...]

    def with_set_aside(self) -> Key:
        """The key with everything that an audit took out put back."""
        return self._replace(
            facts=self.facts + self.facts_set_aside,
            traps=self.traps + self.traps_set_aside,
            facts_set_aside=(),
            traps_set_aside=(),
        )

    @property
    def chain(self) -> str:
        """Sessions of one chain share facts, so they are no controls for each other."""
        return chain_of(self.file)


def chain_of(file: str) -> str:
    """The work a session belongs to: `repository/branch` from its path; a file in `other` stands alone."""
    parts = Path(file).parts
    if len(parts) < 3 or parts[-2] in ("other", "older-format-0.4x"):
        return file
    # Without the client's folder: one branch can have sessions of two clients.
    return "/".join(parts[-3:-1])


def load(path: Path) -> Key:
    """Read one key. Raises `BadKey` on anything that is not of the documented shape."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadKey(f"{path.name}: not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("session_n"), dict):
        raise BadKey(f"{path.name}: no session_n")
    facts = tuple(_fact(path, section, entry) for section in SECTIONS for entry in _entries(path, data, section))
    traps = tuple(_trap(path, entry) for entry in _entries(path, data, "traps"))
    aside = _entries(path, data, "set_aside")
    facts_aside = tuple(_fact(path, str(entry["section"]), entry) for entry in aside if entry["section"] in SECTIONS)
    traps_aside = tuple(_trap(path, entry) for entry in aside if entry["section"] == "traps")
    if len(facts_aside) + len(traps_aside) != len(aside):
        raise BadKey(f"{path.name}: set_aside: an entry is of no known section")
    _unique(path, [entry.id for group in (facts, facts_aside, traps, traps_aside) for entry in group])
    if not facts:
        raise BadKey(f"{path.name}: no facts")
    return Key(str(data["pair_id"]), str(data["session_n"]["file"]), facts, traps, facts_aside, traps_aside)


def load_all(folder: Path = HERE) -> list[Key]:
    """Every key of a folder, by pair id."""
    return sorted((load(path) for path in folder.glob("*.json")), key=lambda key: key.pair)


def _entries(path: Path, data: dict[str, Any], section: str) -> list[dict[str, Any]]:
    value = data.get(section)
    if value is None:
        return []
    entries = value if isinstance(value, list) else [value]
    for entry in entries:
        if not isinstance(entry, dict):
            raise BadKey(f"{path.name}: {section}: an entry is no object")
    return entries


def _fact(path: Path, section: str, entry: dict[str, Any]) -> Fact:
    where = f"{path.name}: {section} {entry.get('id')}"
    weight = entry.get("weight", 1)
    if not isinstance(weight, int) or not 1 <= weight <= WEIGHT_MAX:
        raise BadKey(f"{where}: weight {weight!r} is not 1 to {WEIGHT_MAX}")
    lines = tuple(int(evidence["line"]) for evidence in entry.get("evidence", ()))
    fact = Fact(str(entry["id"]), section, str(entry["text"]), _alternatives(where, entry), weight, lines)
    return fact if section == NEEDED else fact._replace(weight=1)


def _trap(path: Path, entry: dict[str, Any]) -> Trap:
    where = f"{path.name}: traps {entry.get('id')}"
    return Trap(str(entry["id"]), str(entry["text"]), _alternatives(where, entry))


def _alternatives(where: str, entry: dict[str, Any]) -> Alternatives:
    match = entry.get("match")
    if not isinstance(match, list) or not match:
        raise BadKey(f"{where}: no match")
    for alternative in match:
        if not isinstance(alternative, list) or not alternative:
            raise BadKey(f"{where}: an alternative is no list of substrings")
        if not all(isinstance(part, str) and part.strip() for part in alternative):
            raise BadKey(f"{where}: an alternative holds an empty substring")
    return tuple(tuple(alternative) for alternative in match)


def _unique(path: Path, ids: list[str]) -> None:
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise BadKey(f"{path.name}: ids used twice: {', '.join(twice)}")
