"""Hooks: how long a text is for a client."""

from __future__ import annotations

from clew.core.records.hook_events import CONTEXT_UNITS_MAX, units


def test_a_text_is_as_long_as_the_clients_strings_say() -> None:
    """A text that is over the client's bound by its count reaches the model as a preview only."""
    for text in ("", "plain", "Grüße, 世界", "🧵" * 30, "a🧵b"):
        assert len(text.encode("utf-16-le")) // 2 == units(text)
    assert CONTEXT_UNITS_MAX == 10_000
