"""Every rule against its own examples, and what all rules have in common."""

import re
from collections.abc import Iterable, Iterator

import pytest

from clew.secrets.prefilter import PIVOTS, Exact, fold, root
from clew.secrets.readers import READERS
from clew.secrets.rules import Rule
from clew.secrets.scanner import find_at, find_named, named_values, rules, scan

RULES = rules()


def _finds(rule: Rule, text: str) -> bool:
    """Ask this one rule alone, wherever a scan would ask it."""
    if any(find_at(rule, text, at) for at, _ in _places((*rule.keywords, *rule.literals), text)):
        return True
    values = named_values(text, _places(READERS, text))
    return any(find_named(rule, text, value) for value in values if any(name in value.name for name in rule.names))


def _places(keywords: Iterable[str], text: str) -> Iterator[tuple[int, str]]:
    """Where each keyword stands."""
    return ((match.start(), word) for word in keywords for match in re.finditer(re.escape(word), text, re.I))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_what_it_must(rule: Rule) -> None:
    """An example that is not found is a secret that would be stored."""
    assert rule.must()
    for text in rule.must():
        assert _finds(rule, text), text
        assert scan(text), f"the rule sees it, but no keyword leads there: {text}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_leaves_alone_what_it_must_not_find(rule: Rule) -> None:
    assert rule.must_not()
    for text in rule.must_not():
        assert not _finds(rule, text), text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_can_be_reached_and_named(rule: Rule) -> None:
    """A keyword in capitals, or one that the prefilter cannot start from, would never be met."""
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", rule.id)
    assert bool(rule.keywords or rule.literals) != bool(rule.names)
    for keyword in rule.keywords:
        assert keyword == keyword.lower()
        assert 0 <= root(keyword) < len(keyword)
    assert re.compile(rule.pattern).match("") is None


def test_ids_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_there_are_rules_for_many_kinds() -> None:
    assert len(RULES) >= 80


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
