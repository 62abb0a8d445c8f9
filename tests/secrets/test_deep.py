"""The deep engine: what it finds beside our rules, and where."""

from __future__ import annotations

import os

import pytest

from clew.secrets import scan
from clew.secrets.deep import PACKAGE, Kingfisher
from tests.samples import base64ish, text

pytest.importorskip(PACKAGE)


@pytest.fixture(scope="module")
def engine() -> Kingfisher:
    return Kingfisher(os.environ["KF_RULE_CACHE_DIR"])


def test_places_are_characters(engine: Kingfisher) -> None:
    """Given letters of two and four bytes in front, and half a character, the span is the value's."""
    token = "ghp_" + text(36)
    for before in ("", "é", "日本 🦀 ", "\ud800 "):
        whole = f"{before}it is {token} there"
        (one,) = engine.scan(whole)
        assert whole[one.start : one.end] == token and one.rule == "betterleaks-github-pat"


def test_base64_is_looked_into(engine: Kingfisher) -> None:
    """Given a token in base64 with nothing beside it that says so, which our rules pass over, it is found."""
    from base64 import b64encode

    wrapped = b64encode(f"token = ghp_{text(36)}\n".encode()).decode()
    assert scan(wrapped) == []
    assert engine.scan(f"blob: {wrapped}\n")


@pytest.mark.parametrize(
    "harmless",
    [
        "see https://user:password@example.com and https://user:12345@domain.com",
        "token: [redacted:github-pat:d19844]",
        "ghp_" + "x" * 36,
        "sha256-" + base64ish(43) + "=",
    ],
)
def test_examples_masks_and_placeholders_are_none(engine: Kingfisher, harmless: str) -> None:
    """What our rules leave alone on purpose is not refused because of the engine."""
    assert engine.scan(harmless) == []


def test_a_nul_ends_nothing(engine: Kingfisher) -> None:
    """Given a NUL in front, what stands behind is looked at."""
    assert engine.scan("a\0b ghp_" + text(36) + " c")
