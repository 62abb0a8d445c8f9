"""Every rule of the table against its examples, and what all rules have in common."""

import json
import re
import runpy
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from clew.secrets import rules as table
from clew.secrets.prefilter import PIVOTS, Exact, fold, root
from clew.secrets.rules import SecretRule, make_rule, rules
from clew.secrets.scanner import find_at, find_named, named_values, scan
from clew.secrets.values import READERS
from tests.secrets.examples import EXAMPLES, texts_with, texts_without

OWN = json.loads(Path(table.__file__).with_name("rules.json").read_text(encoding="utf-8"))["rows"]


def _finds(rule: SecretRule, text: str) -> bool:
    """Ask this one rule alone, wherever a scan would ask it."""
    if any(find_at(rule, text, at) for at, _ in _places((*rule.keywords, *rule.literals), text)):
        return True
    values = named_values(text, _places(READERS, text))
    return any(find_named(rule, text, value) for value in values if any(name in value.name for name in rule.names))


def _places(keywords: Iterable[str], text: str) -> Iterator[tuple[int, str]]:
    """Where each keyword stands."""
    return ((match.start(), word) for word in keywords for match in re.finditer(re.escape(word), text, re.I))


def test_each_rule_finds_what_it_must() -> None:
    """An example that is not found is a secret that would be stored."""
    for row in OWN:
        texts = [*texts_with(row)]
        assert texts, row["id"]
        for text in texts:
            assert _finds(make_rule(row), text), (row["id"], text)
            assert scan(text), f"the rule sees it, but no keyword leads there: {text}"


def test_each_rule_leaves_alone_what_it_must_not_find() -> None:
    for row in OWN:
        texts = [*texts_without(row)]
        assert texts, row["id"]
        for text in texts:
            assert not _finds(make_rule(row), text), (row["id"], text)


def test_each_rule_can_be_reached_and_named() -> None:
    """A keyword in capitals, or one that the prefilter cannot start from, would never be met."""
    for rule in rules():
        assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", rule.id)
        assert bool(rule.keywords or rule.literals) != bool(rule.names), rule.id
        for keyword in rule.keywords:
            assert keyword == keyword.lower()
            assert 0 <= root(keyword) < len(keyword)
        assert re.compile(rule.pattern).match("") is None, rule.id
    assert len({rule.id for rule in rules()}) == len(rules())
    assert set(EXAMPLES) == {row["id"] for row in OWN}


def test_a_keyword_without_a_place_to_start_is_refused() -> None:
    with pytest.raises(ValueError, match="no character"):
        root("tree")


@pytest.mark.parametrize("text", ["AbC: x", "İstanbul ß ﬁ é", "\ud800 lone", "\N{GRINNING FACE} key", ""])
def test_folding_keeps_places(text: str) -> None:
    """A character that became two would shift every finding behind it."""
    assert len(fold(text)) == len(text)


def test_what_is_looked_for_as_it_stands_is_found_wherever_it_stands() -> None:
    """At a pivot or without one, twice in a row, at both ends of a text; another spelling is another text."""
    exact = Exact({"EAA": (1,), "AIza": (2,), "cio": (3,), "re_": (4,), "1//0": (5,)})
    hits = exact.hits("EAAEAA AIzacio re_ eaa 1//0")
    assert sorted(hits) == [
        (0, "EAA", (1,)),
        (3, "EAA", (1,)),
        (7, "AIza", (2,)),
        (11, "cio", (3,)),
        (15, "re_", (4,)),
        (23, "1//0", (5,)),
    ]
    assert len(set(PIVOTS)) == len(PIVOTS)


def test_a_published_rule_becomes_a_row_if_ours_miss_what_it_finds() -> None:
    """The build knows three shapes; ids, keys that are public, patterns of another kind, and what is known stay out."""
    make_rows = runpy.run_path(str(Path(__file__).parents[2] / "scripts/build_secret_rules.py"))["make_rows"]
    signs = r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|:)[\x60'"\s=]{0,5}"""
    assigned = rf"(?i)(?:quux[_-]?hub){signs}([a-f0-9]{{6}}:[a-f0-9]{{6}})(?:\\?['\x60]|$)"
    patterns = {
        "some.quux-token": (r"\b(quux_(?:live|test)_(?i)[a-f0-9]{20,})(?:\\?['\x60]|[\s;]|$)", True),
        "set/quuxhub": (assigned, True),
        "some.quux-public-key": (r"\b(quuxpk_[a-f0-9]{20})\b", True),
        "some.quux-client": (r"\b(quuxcl_[a-f0-9]{20})\b", False),
        "some.quux-any": (r"(?s)quux.{0,80}?([a-f0-9]{20})", True),
        "some.github": (r"ghp_[0-9a-zA-Z]{36}", True),
    }
    few_bits = {"operator": "<=", "left": {"callee": {"value": "entropy"}}, "right": {"value": "3.2"}}
    rows = list(
        make_rows(
            {"id": name, "pattern": pattern, "visible": visible, "betterleaks_filter": {"left": few_bits}}
            for name, (pattern, visible) in patterns.items()
        )
    )
    assert [row["id"] for row in rows] == ["quux-token", "quuxhub"]
    token, named = map(make_rule, rows)
    assert _finds(token, "x quux_live_0123456789ABCDEF0a1b")
    assert not _finds(token, "quux_live_" + "a" * 30)
    assert _finds(named, 'quuxhub_key = "9f16d0:fab4ce"')
