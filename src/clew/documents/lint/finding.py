"""Rules, and what they find. One table says what each means and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.documents.lint.genre import Genre


class Finding(NamedTuple):
    """One thing to mend. `line` counts from 1; `text` is what stands there that fired, `fix` what to do about it."""

    rule: str
    line: int
    text: str
    message: str
    fix: str


class Ground(NamedTuple):
    """What the disk and the clock tell.

    `gone` are those of the paths that `cited` gave that are no file there, each with where the one file of that name
    is now ("" none or several). `today` is a date as `YYYY-MM-DD`, "" unknown. `budget_tokens` is for a hand-off.
    """

    gone: Mapping[str, str] = MappingProxyType({})
    today: str = ""
    budget_tokens: int = 1500


class Rule(NamedTuple):
    """`meaning` is one sentence, `fix` the usual way out (a finding may know a better one), `genres` the documents
    that it is for.
    """

    id: str
    meaning: str
    fix: str
    genres: frozenset[Genre]


_HANDOFF: Final[frozenset[Genre]] = frozenset(("handoff",))
_STANDING: Final[frozenset[Genre]] = frozenset(("handoff", "state"))
_TOLD: Final[frozenset[Genre]] = frozenset(("handoff", "state", "log"))
_WORK: Final[frozenset[Genre]] = frozenset(("handoff", "state", "log", "plan", "task"))
_KEPT: Final[frozenset[Genre]] = _STANDING | {"decisions", "reference"}

_TABLE: Final = (
    Rule("over-budget", "A hand-off has more tokens than its budget.",
         "Cut finished work to one line each and move detail to the files that it is about.", _HANDOFF),
    Rule("no-failed-approaches", "A hand-off does not say what was tried and failed.",
         'Add "## Failed approaches" with what was tried, why it failed and the error text, or "none".', _HANDOFF),
    Rule("no-next-action", "A hand-off does not say what to do next.",
         'Add "## Next action" with one action that names its file.', _HANDOFF),
    Rule("several-next-actions", "Several next actions are listed, and nothing says which is first.",
         "Number them, or keep one and move the others to what is still to do.", _STANDING),
    Rule("no-error-text", "An entry says that something fails, and neither how nor what it printed.",
         "Quote the command and its first error line.", _TOLD),
    Rule("file-gone", "A file of this repository that the document names does not exist.",
         "Name the file as it is called now, or say that it was removed.", _KEPT),
    Rule("nested-list", "A list is nested more than one level deep.", "Flatten it: one line for each point.", _WORK),
    Rule("stale-date", "The newest date of a hand-off or a state file is more than 30 days old, of a plan or log with "
         "open work 90.",
         "Check it against the repository, then date it anew or archive it.", _STANDING | {"plan", "log"}),
    Rule("empty-phrase", "An entry says nothing that the next session could act on, or is a template's place that "
         "nobody filled in.", "Say what exactly: which file, which behaviour, which result; or take the line out.",
         _WORK | {"decisions"}),
    Rule("wrong-layer", "A convention stands in a hand-off, or the state of a task in memory or a rules file.",
         "Move it: conventions to the rules file, stable facts to memory, where a task stands to its hand-off.",
         frozenset(("handoff", "reference", "guide", "state", "log", "plan"))),
)  # fmt: skip
RULES: Final[dict[str, Rule]] = {rule.id: rule for rule in _TABLE}


def found(rule: str, line: int, text: str, message: str, fix: str = "") -> Finding:
    """A finding of a rule in the table, with the rule's own fix where none is given."""
    return Finding(rule, line, text, message, fix or RULES[rule].fix)
