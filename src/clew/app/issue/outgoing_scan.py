"""What leaves for an issue is scanned once more: a finding refuses it, and names rule and place, never the value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from clew.core.errors import NotAllowed
from clew.secrets import Redactor, scan

_SHOWN_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class Leak:
    """What looks like a secret: of what kind (`rule`), in which text, on which of its lines (from 1). `digits` name the
    value under the ledger's key, as placeholders do.
    """

    rule: str
    digits: str
    where: str
    line: int


def leaks(texts: Collection[tuple[str, str]], key: bytes) -> list[Leak]:
    """What looks like a secret in texts, each with what it is called."""
    named = Redactor(key)
    return [
        Leak(
            finding.rule,
            named.fingerprint(text[finding.start : finding.end]),
            where,
            text.count("\n", 0, finding.start) + 1,
        )
        for where, text in texts
        for finding in scan(text)
    ]


def require_clean(texts: Collection[tuple[str, str]], key: bytes, *, allow: Collection[str]) -> None:
    """Nothing, if none of `texts` holds what looks like a secret, but for what a person lets pass by its digits. Raises
    `NotAllowed` (E-issue-secret).
    """
    found = [one for one in leaks(texts, key) if one.digits not in allow]
    if not found:
        return
    shown = [f"{one.rule} {one.digits} ({one.where}, line {one.line})" for one in found[:_SHOWN_MAX]]
    more = f" and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
    raise NotAllowed(
        f"what would leave holds what looks like a secret: {', '.join(shown)}{more}",
        code="E-issue-secret",
        hint="Nothing was sent. `clew issue push --dry-run` shows the text: take the value out there or in the issue, "
        f"or, if it is no secret, a person lets it pass: --allow {found[0].digits}",
    )
