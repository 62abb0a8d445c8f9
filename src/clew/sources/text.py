"""Text that somebody pasted, with its origin and date."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from clew.sources.port import Context, Fetched, Source, SourceError, Spec, one_text


class Text(Spec, frozen=True):
    """`origin` says in words where it is from, `date` of when it is."""

    text: str
    origin: str
    date: date


def fetch(spec: Text, _context: Context, _: Mapping[str, Any]) -> Fetched:
    """The text. Raises `SourceError` where it says nothing, or not where it is from."""
    for key in ("text", "origin"):
        if not getattr(spec, key).strip():
            raise SourceError(f"a pasted text has no {key}", code="E-source-missing", hint=f"Give it one: `{key} = …`.")
    return one_text(spec.text, f"pasted text: {spec.origin}, {spec.date.isoformat()}", language="markdown")


SOURCE: Final = Source("text", "text that you paste, with origin and date", Text, "text", fetch)
