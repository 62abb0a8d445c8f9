"""What a trial of one attack tells."""

from __future__ import annotations

from typing import NamedTuple


class Trial(NamedTuple):
    """`tried` times somebody did what `attack` says; `broke` tells, each in a few words, where it got through."""

    attack: str
    tried: int
    broke: tuple[str, ...]
    told: str = ""
