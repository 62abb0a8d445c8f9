"""What is wrong with a rules file (CLAUDE.md, AGENTS.md, GEMINI.md and their like), by rule (docs/reference/audit.md).

Pure: what the disk tells comes as a `Ground`. Where a rule is in doubt it keeps silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from clew.documents.lint.finding import Finding
from clew.documents.lint.page import Page, page_of
from clew.documents.rules_file import commands, meaning, paths, sections
from clew.documents.rules_file.finding import BUDGET_TOKENS, RULES, Ground, Rule
from clew.documents.rules_file.paths import imports, may_import

__all__ = ["BUDGET_TOKENS", "RULES", "Finding", "Ground", "Page", "Rule", "imports", "lint", "may_import", "page_of"]

_CHECKS: Final[tuple[Callable[[Page, Ground], Iterator[Finding]], ...]] = (
    paths.dead_paths,
    paths.dead_imports,
    commands.dead_commands,
    sections.order,
    sections.missing,
    meaning.too_long,
    meaning.contradictions,
    meaning.task_state,
    meaning.said_twice,
)
# What is asked of rules as a client reads them, not of each file that they are put together from.
_OF_THE_WHOLE: Final = (sections.order, sections.missing, meaning.too_long)


def lint(page: Page, ground: Ground) -> tuple[Finding, ...]:
    """What is to be mended, in the order of its lines."""
    order = list(RULES)
    checks = [check for check in _CHECKS if not (ground.is_part and check in _OF_THE_WHOLE)]
    made = [one for check in checks for one in check(page, ground)]
    return tuple(sorted(made, key=lambda one: (one.line, order.index(one.rule), one.message)))
