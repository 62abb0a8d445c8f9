"""What is known around a rules file, the rules for it, and what they find."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.documents.lint.finding import Finding
from clew.documents.lint.page import Page

BUDGET_TOKENS: Final = 2_000


class Ground(NamedTuple):
    """What the disk tells. `files` are all files of the repository, relative to its top (empty: not known).

    `scripts` are the scripts of each `package.json`, by its path; `targets` those of each Makefile and `recipes` those
    of each justfile, None for a file that brings in others, whose targets nobody can list.

    Of the rules file that is looked at: `imports` are the files that it brings in with `@`, through others too, and
    that the budget is not told of elsewhere; `may_import`: its client follows such imports; `is_part`: it is read
    because another one imports it, so it need not be rules by itself.
    """

    files: frozenset[str] = frozenset()
    scripts: Mapping[str, frozenset[str]] = MappingProxyType({})
    targets: Mapping[str, frozenset[str] | None] = MappingProxyType({})
    recipes: Mapping[str, frozenset[str] | None] = MappingProxyType({})
    budget_tokens: int = BUDGET_TOKENS
    imports: tuple[Page, ...] = ()
    may_import: bool = False
    is_part: bool = False


class Rule(NamedTuple):
    """`meaning` is one sentence, `fix` the usual way out."""

    id: str
    meaning: str
    fix: str


_TABLE: Final = (
    Rule("dead-path", "A file or folder that the rules name is not there.",
         "Name it as it is called now, or take the line out."),
    Rule("dead-command", "A script, target or recipe that the rules say to run is not defined.",
         "Name the command that does it now."),
    Rule("dead-import", "A file that is imported with `@` is not there, so nothing of it reaches the agent.",
         "Correct the path, or take the import out."),
    Rule("order", "What must not be broken stands behind what may bend, or style before the checks.",
         "Hard constraints first, then how changes are made, then the checks; style last."),
    Rule("missing", "The rules of a project say nothing of what must not be done, or name no command that checks it.",
         "`clew rules init` proposes what is missing."),
    Rule("too-long", "The rules have more tokens than their budget; every session pays for them with every response.",
         "Move what holds for one folder into a file there, and what is looked up into a page that is named."),
    Rule("contradiction", "Two lines say the opposite of each other.", "Keep the one that holds."),
    Rule("task-state", "The state of a task stands in a rules file: it is out of date in days.",
         'Record it for the task (`clew note step "…"`, `clew next "…"`), and take the line out.'),
    Rule("said-twice", "The same line stands twice.", "Keep one of them."),
)  # fmt: skip
RULES: Final[dict[str, Rule]] = {rule.id: rule for rule in _TABLE}


def found(rule: str, line: int, text: str, message: str, fix: str = "") -> Finding:
    """A finding of a rule in the table, with the rule's own fix where none is given."""
    return Finding(rule, line, text, message, fix or RULES[rule].fix)
