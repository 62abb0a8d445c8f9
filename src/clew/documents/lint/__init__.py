"""What is wrong with a document, by rule: for people who write what the next session is to read (docs/linting.md).

Pure: what the disk and the clock tell comes as a `Ground`. Where a rule is in doubt it keeps silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from clew.documents.lint import entries, paths, shape
from clew.documents.lint.ahead import ahead, open_but_made
from clew.documents.lint.finding import RULES, Finding, Ground, Rule
from clew.documents.lint.genre import Genre
from clew.documents.lint.page import Page, page_of
from clew.documents.lint.paths import cited
from clew.documents.parsed import Parsed

__all__ = ["RULES", "Finding", "Genre", "Ground", "Rule", "ahead", "cited", "genre", "lint"]

_CHECKS: Final[Mapping[str, Callable[[Page], Iterator[Finding]]]] = MappingProxyType(
    {
        "over-budget": shape.over_budget,
        "no-failed-approaches": shape.no_failed_approaches,
        "no-next-action": shape.no_next_action,
        "several-next-actions": shape.several_next_actions,
        "no-error-text": entries.no_error_text,
        "file-gone": paths.file_gone,
        "local-path": paths.local_path,
        "nested-list": shape.nested_list,
        "empty-section": shape.empty_section,
        "no-date": shape.no_date,
        "stale-date": shape.stale_date,
        "empty-phrase": entries.empty_phrase,
        "placeholder": entries.placeholder,
        "done-but-open": shape.done_but_open,
        "open-but-made": open_but_made,
        "unproved-done": shape.unproved_done,
    }
)
assert list(_CHECKS) == list(RULES)


def lint(parsed: Parsed, source: str, ground: Ground) -> tuple[Finding, ...]:
    """What is to be mended in the document `source`, of which `parsed` is what `parse` gave, in the order of its lines.

    Which rules apply follows from what the document is for (`genre`). Nobody resumes from one that is archived, so
    nothing is said of it; of one that says it is done only what contradicts that.
    """
    page = page_of(parsed, source, ground)
    if page.standing == "archived":
        return ()
    asked = [name for name, rule in RULES.items() if page.genre in rule.genres]
    if page.standing == "done":
        asked = [name for name in asked if name == "done-but-open"]
    made = [one for name in asked for one in _CHECKS[name](page)]
    order = list(RULES)
    return tuple(sorted(made, key=lambda one: (one.line, order.index(one.rule), one.message)))


def genre(parsed: Parsed, source: str, path: str = "") -> Genre:
    """What a document is for, by its name (`path`, "" unknown), title and headings."""
    return page_of(parsed, source, Ground(path)).genre
