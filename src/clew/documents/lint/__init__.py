"""What is wrong with a document, by rule: for people who write what the next session is to read
(docs/reference/linting.md).

Pure: what the disk and the clock tell comes as a `Ground`. Where a rule is in doubt it keeps silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from clew.documents.lint import layers, paths, phrases, shape
from clew.documents.lint.finding import RULES, Finding, Ground, Rule
from clew.documents.lint.genre import Genre
from clew.documents.lint.page import Page, page_of
from clew.documents.lint.paths import cited

__all__ = ["RULES", "Finding", "Genre", "Ground", "Page", "Rule", "cited", "lint", "page_of"]

_CHECKS: Final[Mapping[str, Callable[[Page, Ground], Iterator[Finding]]]] = {
    "over-budget": shape.over_budget,
    "no-failed-approaches": shape.no_failed_approaches,
    "no-next-action": shape.no_next_action,
    "several-next-actions": shape.several_next_actions,
    "no-error-text": phrases.no_error_text,
    "file-gone": paths.file_gone,
    "nested-list": shape.nested_list,
    "stale-date": shape.stale_date,
    "empty-phrase": phrases.empty_phrase,
    "wrong-layer": layers.wrong_layer,
}


def lint(page: Page, ground: Ground) -> tuple[Finding, ...]:
    """What is to be mended in the document, in the order of its lines.

    Which rules apply follows from what the document is for (`page.genre`). Nobody resumes from one that is archived
    or done, so nothing is said of it.
    """
    if page.closed:
        return ()
    made = [one for name, rule in RULES.items() if page.genre in rule.genres for one in _CHECKS[name](page, ground)]
    order = list(RULES)
    return tuple(sorted(made, key=lambda one: (one.line, order.index(one.rule), one.message)))
