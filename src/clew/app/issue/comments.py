"""The comment that an issue gets for a phase that is done, with the mark by which it is known. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from clew.app.issue.content import Held
from clew.core.text.cleaning import shorten
from clew.documents.escaping import claimed, inert, safe
from clew.documents.profiles import stage_of

_TITLE_CHARS: Final = 120
_WORDS_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class PhaseComment:
    """What is said of one phase, once."""

    phase: str
    title: str
    text: str
    marker: str


def due(held: Held, hid: str, *, but: Collection[str]) -> list[PhaseComment]:
    """The comments on the phases that are done, in their order, but for these."""
    done = [one for one in held.items.values() if one.kind == "phase" and stage_of(one) == "done"]
    return [_comment(held, one.id, hid) for one in done if one.id not in but]


def _comment(held: Held, phase: str, hid: str) -> PhaseComment:
    item = held.items[phase]
    there = held.known.get(phase)
    title = shorten(claimed(safe(item.text)), _TITLE_CHARS)
    came = there.because if there is not None and there.standing == "resolved" else ""
    words = [f"**Phase done: {title}**"]
    words += [inert(shorten(claimed(safe(part)), _WORDS_CHARS)) for part in (came, item.why) if part.strip()]
    marker = f"<!-- clew:phase {hid} {phase} -->"
    return PhaseComment(phase, title, "\n\n".join([*words, marker]), marker)
