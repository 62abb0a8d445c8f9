"""Triaging memory at the terminal: each candidate with what is known of it, one key each."""

from __future__ import annotations

from collections.abc import Sequence

from clew.app.memory.candidates import Candidate
from clew.app.memory.triage import Decision
from clew.core.state.facts import Fact
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.here import aside
from clew.interfaces.cli.keys import pressed, typed

_FLAGS = {
    "hostile": "IT WANTS TO TAKE OVER ITS READER",
    "instruction": "it tells its reader what to do",
    "state": "it tells where a task stands, which ages",
    "convention": "a convention belongs in the rules file",
    "file": "anybody can have written it",
}
_KEYS = "[k]eep [e]dit [t]opic [m]erge [d]rop [l]ater [K]eep all from this file [q]uit (the rest stays): "


def by_keys(found: Sequence[Candidate], facts: Sequence[Fact]) -> list[Decision]:
    """What the person decides, key by key. Who leaves early leaves the rest waiting."""
    by_id = {one.id: one for one in facts}
    decisions: list[Decision] = []
    at = 0
    while at < len(found):
        one = found[at]
        _show(one, by_id, f"{at + 1} of {len(found)}")
        topic = one.topic
        while True:
            key = pressed(f"  {_KEYS}")
            if key == "t":
                topic = typed("  topic:", topic)
                continue
            if key == "q":
                return decisions
            made = _decided(one, key, topic, by_id)
            if made is not None:
                decisions.append(made)
                at += 1
                break
            if key == "K":
                same = [other for other in found[at:] if _file(other) == _file(one)]
                decisions += [Decision(other, "keep", topic=other.topic) for other in same if not other.is_rule]
                at += len(same)
                break
            aside("  That key means nothing here.")
    return decisions


def _decided(one: Candidate, key: str, topic: str, by_id: dict[str, Fact]) -> Decision | None:
    if key == "k":
        return Decision(one, "keep", topic=topic)
    if key == "e":
        return Decision(one, "keep", topic=topic, text=typed("  words:", one.item.text))
    if key == "d":
        return Decision(one, "drop")
    if key == "l":
        return Decision(one, "later")
    if key == "m" and one.like and one.like[0] in by_id:
        return Decision(one, "merge", into=one.like[0], text=typed("  words of both:", by_id[one.like[0]].text))
    return None


def _file(one: Candidate) -> str:
    """The file that a candidate was read from, "" none."""
    return one.item.source.rpartition(":")[0] if "file" in one.flags else one.item.id


def _show(one: Candidate, by_id: dict[str, Fact], number: str) -> None:
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
