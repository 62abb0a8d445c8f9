"""For each rule rules files in which it must speak, and in which it must keep silent."""

# ruff: noqa: E501 - a table of texts

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.documents.lint.page import LintFinding, page_of
from clew.documents.parse import parse
from clew.documents.rules_file.disk import RULES, RulesGround
from clew.documents.rules_file.rules import lint

FILES = frozenset(
    """AGENTS.md docs/more.md till/refunds.py till/cents.py till/split/parts.py tests/test_split.py scripts/run.sh
    web/a.ts
    web/b.ts package.json Makefile assets/AGENTS.md""".split()
)
GROUND = RulesGround(
    FILES, scripts={"package.json": frozenset(("test", "lint"))}, targets={"Makefile": frozenset(("test", "build"))}
)


def linted(source: str, *, path: str = "AGENTS.md", ground: RulesGround = GROUND) -> list[LintFinding]:
    return list(lint(page_of(parse(source, name=path.rpartition("/")[2]), source, path), ground))


GOOD = """\
# Till

## Hard constraints

- Never use floats for money.

## How changes are made

- Read `till/cents.py` first; code that splits stands in `till/split/`.

## Checks

```sh
make test && make build
./scripts/run.sh
```

## Code style

- Always use full words for names.
"""


def test_good_rules_have_no_finding() -> None:
    assert [] == linted(GOOD)


class Case(NamedTuple):
    """Texts that stand behind good rules, in which a rule speaks, and in which it keeps silent."""

    speaks: tuple[str, ...]
    silent: tuple[str, ...]


CASES = {
    "dead-path": Case(
        (
            "Refunds are in `till/old/refunds.py`.",
            "See [the guide](docs/guide.md).",
            "Parts stand in `till/parts/`.",
        ),
        (
            "`till/old.py` was removed.",
            "Create `till/new.py` for each.",
            "Set `America/Chicago`; branches are `feat/tide/`.",
            "Output goes to `dist/till/`.",
            "Use `.claude/settings.json` for that.",
            "Never edit `till/refunds.py:12` or `refunds.py`.",
        ),
    ),
    "dead-command": Case(
        ("```sh\nnpm run deploy\n```", "Run `pnpm run e2e` first.", "```\nmake deploy\n```", "- `python scripts/gone.py`"),
        (
            "```sh\nnpm run test -- --watch\nnpm --prefix web run x\nnpm run x --workspace web\nmake -C web x\n```",
            "```python\nmake deploy\n```",
            "```sh\nmake <target>\nnpm run ...\n```",
            "Add `npm run deploy` when it is needed.",
        ),
    ),
    "contradiction": Case(
        ("- Always use tabs in Makefiles\n- Never use tabs in Makefiles",),
        (
            "- Do NOT run the server\n- Do run the tests",
            "- Never use tabs in Python\n- Always use tabs in Makefiles",
        ),
    ),
    "task-state": Case(
        ("- The refunds are in progress", "- Blocked by review of the split"),
        ("- Mark a task `in progress` when you begin", "- If tests fail, the phase is not done"),
    ),
    "said-twice": Case(
        ("- The odd cent goes to the largest part of a split\n- Other\n- The odd cent goes to the largest part of a split",),
        ("- Run the tests\n- Other\n- Run the tests",),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, case in CASES.items() for text in case.speaks])
def test_a_rule_speaks(rule: str, text: str) -> None:
    """Once, in its line."""
    found = linted(f"{GOOD}\n## More\n\n{text}\n")
    assert [rule] == [one.rule for one in found]
    assert found[0].line > GOOD.count("\n") and found[0].fix and "```" not in found[0].text


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, case in CASES.items() for text in case.silent])
def test_a_rule_keeps_silent(rule: str, text: str) -> None:
    """Where it is in doubt."""
    assert rule not in [one.rule for one in linted(f"{GOOD}\n## More\n\n{text}\n")]


def test_order() -> None:
    """Constraints behind something else, and style before the checks; each once."""
    style, checks = "## Code style\n\n- Always use full words.\n", "## Checks\n\n```sh\nmake test\n```\n"
    hard = "## Hard rules\n\n- Never use floats.\n"
    assert [] == linted(f"# Till\n\n{hard}\n{checks}\n{style}")
    found = linted(f"# Till\n\n{style}\n{checks}\n{hard}")
    assert [("order", 3), ("order", 13)] == [(one.rule, one.line) for one in found]
    assert "style comes before the checks (line 7)" == found[0].message
    assert "hard constraints come after style" in found[1].message


def test_a_heading_alone_does_not_make_a_constraint() -> None:
    """What stands below "Important notes" decides; a section inside of another is a part of it."""
    checks = "## Testing\n\n```sh\nmake test\n```\n\n- Never skip one.\n"
    soft, hard = (
        "## Important Notes\n\n- It is old\n- It is slow\n",
        "## Important Notes\n\n- Never push\n- Always ask\n",
    )
    assert [] == linted(f"# Till\n\n{checks}\n{soft}")
    assert ["order"] == [one.rule for one in linted(f"# Till\n\n{checks}\n{hard}")]
    inside = "## Code style\n\n- Use tabs.\n\n### Testing\n\n```sh\nmake test\n```\n\n- Never skip one.\n"
    assert [] == linted(f"# Till\n\n{inside}")


def test_what_is_missing_is_said_of_a_project_s_own_rules_only() -> None:
    """Not of a pointer, of rules for one folder, or where another language is spoken."""
    text = "# Till\n\n" + "The till counts the money of the shop and splits it in parts for the owners. " * 12
    said = ["nothing says what must never be done", "no command is named that tests or checks the work"]
    assert sorted(said) == sorted(one.message for one in linted(text) if one.rule == "missing")
    for path in ("web/AGENTS.md", ".cursor/rules/a.mdc"):
        assert [] == [one for one in linted(text, path=path) if one.rule == "missing"]
    assert [] == linted("See @AGENTS.md", path="CLAUDE.md")
    other = (
        "# Till\n\n" + "Das Programm zählt Geld und teilt es auf alle Besitzer auf; niemals mit Fließkommazahlen. " * 12
    )
    assert said[1:] == [one.message for one in linted(other) if one.rule == "missing"]


def test_imports_of_clients_that_import() -> None:
    """`@file` outside code; a package's name and a person are none."""
    text = f"{GOOD}\n@docs/more.md\n@docs/lost.md\n\nAsk @ada about `@docs/none.md` and @scope/pkg; see @~/own.md\n"
    (one,) = linted(text, path="CLAUDE.md")
    assert ("dead-import", "@docs/lost.md leads to no file") == (one.rule, one.message)
    assert [] == [one for one in linted(text) if one.rule == "dead-import"]


def test_too_long_is_told_where_the_budget_is_spent() -> None:
    (one,) = linted(GOOD, ground=GROUND._replace(budget_tokens=40))
    assert "too-long" == one.rule and 5 < one.line < 12


def test_rules_for_other_projects_name_other_trees() -> None:
    """A template stands in a folder for such."""
    text = f"{GOOD}\nSee `till/lost.py`.\n"
    assert [] == linted(text, path="assets/AGENTS.md")
    assert ["dead-path"] == [one.rule for one in linted(text)]


def test_without_a_tree_nothing_is_said_to_be_gone() -> None:
    assert [] == linted(f"{GOOD}\nSee `till/lost.py`, run `npm run lost`.\n", ground=RulesGround())


@given(st.text(alphabet="#-`@*[]()/.│├─ \nabcNever", max_size=300))
def test_no_text_makes_it_fail_and_every_finding_has_its_rule(source: str) -> None:
    """Lines count from 1 and are in order."""
    found = linted(source, path="CLAUDE.md")
    assert all(one.rule in RULES and one.line >= 1 for one in found)
    assert sorted(one.line for one in found) == [one.line for one in found]
