"""For each rule documents in which it must speak and must not. The first that it speaks in is the example in the docs.

They lie as HANDOFF.md in a repository that holds `FILES`; it is 20 March 2026.
"""

# ruff: noqa: E501 - a table of documents

from __future__ import annotations

from typing import Final, NamedTuple

from clew.documents.lint.page import LintFinding, LintGround, page_of
from clew.documents.lint.paths import absent, cited
from clew.documents.lint.rules import lint
from clew.documents.parse import parse

FILES: Final = ("HANDOFF.md", "till/refunds.py", "till/cents.py", "tests/test_split.py", "docs/old/README.md")
TODAY: Final = "2026-03-20"

GOOD: Final = """\
# Handoff: whole cents

Updated: 2026-03-14

## Goal

Refunds are split into whole cents that add up.

## Done

- `till/cents.py` rounds half to even (commit 4be1c02, `pytest tests/test_split.py` passed)

## Failed approaches

- `math.ceil` on each share: `AssertionError: 101 != 100` in `tests/test_split.py`

## Next action

Give the odd cent to the largest part in `till/refunds.py`.
"""


class Case(NamedTuple):
    """Documents in which a rule speaks, and in which it keeps silent."""

    speaks: tuple[str, ...]
    silent: tuple[str, ...]


def linted(source: str, *, budget_tokens: int = 1500, path: str = "HANDOFF.md") -> tuple[LintFinding, ...]:
    """The findings in a document, in the repository and on the day above."""
    page = page_of(parse(source, name=path), source, path)
    gone = absent(cited(page), path, FILES)
    return lint(page, LintGround(gone, TODAY, budget_tokens=budget_tokens))


def _listed(*points: str, heading: str = "Done") -> str:
    return f"# Handoff\n\nUpdated: 2026-03-14\n\n## {heading}\n\n" + "".join(f"- {point}\n" for point in points)


CASES: Final[dict[str, Case]] = {
    "over-budget": Case(
        ("# Handoff\n\n" + "Refunds are split by weight, and each share is rounded to whole cents in its own place.\n" * 90,),
        (GOOD, "# Design of the till\n\n" + "Refunds are split by weight, and each share is rounded.\n" * 300),
    ),
    "no-failed-approaches": Case(
        ("# Handoff\n\n## Done\n\n- Whole cents\n\n## Next action\n\nSplit refunds in `till/refunds.py`.\n",),
        (
            GOOD,
            "# Handoff\n\n## Goal\n\nWhole cents.\n\n## Next action\n\nSplit refunds in `till/refunds.py`.\n",
            "# Handoff\n\n## Done\n\n- Whole cents\n\n## Known gotchas\n\n- Floats drift\n",
            "# Handoff\n\n## Failed approaches\n\nNone.\n",
            "# Handoff\n\n**What didn't work:** `math.ceil`, shares of 101 cents.\n",
            "# Plan: whole cents\n\n- [ ] Split refunds\n",
            "# How to write a handoff\n\nSay what failed.\n",
        ),
    ),
    "no-next-action": Case(
        ("# Handoff\n\n## Done\n\n- Whole cents (commit 4be1c02)\n\n## Failed approaches\n\nNone.\n",),
        (
            GOOD,
            "# Handoff\n\n## Remaining\n\n- [ ] Split refunds\n",
            "# Handoff\n\nYour task: split refunds in `till/refunds.py`.\n",
            "# Decisions\n\n## Cents are integers\n\nFloats lose money.\n",
        ),
    ),
    "several-next-actions": Case(
        (
            "# Handoff\n\n## Next steps\n\n- Split refunds in `till/refunds.py`\n- Ask Ada about tips\n- Release 1.4\n",
        ),
        (
            GOOD,
            "# Handoff\n\n## Next steps\n\n1. Split refunds\n2. Release 1.4\n",
            "# Handoff\n\n## Next steps\n\n- [x] Split refunds\n- [ ] Release 1.4\n",
            "# Handoff\n\n## Next action\n\nSplit refunds.\n\n**Expected:**\n\n- 100 cents\n- no float\n",
            "# Handoff\n\n## Next steps\n\n- Split refunds\n- Release 1.4\n\nNext session: refunds → release\n",
            "# Handoff\n\n## Next steps\n\n- Split refunds\n- Release 1.4\n\n## Issues\n\n- Refunds\n  - Priority: high\n",
        ),
    ),
    "no-error-text": Case(
        (
            _listed("The refund test still fails", heading="Not working"),
            _listed("The import crashes", heading="Known issues"),
        ),
        (
            _listed("The refund test fails: `AssertionError: 101 != 100`", heading="Not working"),
            _listed("The refund test no longer fails"),
            _listed("The import crashes\n\n  ```\n  KeyError: 'tip'\n  ```", heading="Known issues"),
            "# Plan: cents\n\n- Floats do not work\n",
        ),
    ),
    "file-gone": Case(
        (
            _listed("`till/rounding.py` rounds half to even (commit 4be1c02)"),
            _listed("Whole cents, see `tests/unit/test_split.py:12`"),
            _listed("See [the tests](tests/test_refunds.py)"),
            "# Handoff\n\n## Files modified\n\n- till/rounding.py - half to even\n- `shares.py`\n",
        ),
        (
            GOOD,
            _listed("`till/cents.py:12-30`, `cents.py` and `old/README.md` are there"),
            _listed("Deleted `till/rounding.py`", "All of `till/rounding.py` is in `till/cents.py` now"),
            _listed("Create `till/rounding.py`", heading="Next"),
            _listed("`till/*.py`, `till/<name>.py`, `till/example.py`, `build/till.js`, `till/.env.local`"),
            _listed("`https://example.org/till/rounding.py`, `/etc/till/rounding.py`, `~/till/rounding.py`"),
            _listed("The report goes to `till/report.json`, which the program writes"),
            "# Handoff\n\n```python\nopen('till/rounding.py')\n```\n\n```bash\ncd ../shop\npython till/check.py\n```\n",
            "# Plan: cents\n\n## Phase 1\n\n- [ ] Rounding in `till/rounding.py`\n",
            "# Session log\n\n## 2026-03-13\n\n### Files created\n\n- till/rounding.py\n\n## 2026-03-14\n\n- Tips\n",
            "# Plan: cents\n\n**Status:** Complete\n\n## Files to modify\n\n- `till/rounding.py`\n",
        ),
    ),
    "nested-list": Case(
        (_listed("Refunds\n  - by weight\n    - the odd cent goes to the largest part"),),
        (GOOD, _listed("Refunds\n  - by weight\n  - by count"), "# Decisions\n\n- a\n  - b\n    - c\n"),
    ),
    "stale-date": Case(
        (
            "# Handoff\n\nUpdated: 2026-01-09\n\n## Next action\n\nSplit refunds in `till/refunds.py`.\n",
            "# Handoff of 2026-01-09\n\n## Still\n\n- Split refunds\n",
            "# Plan: cents\n\n**Created:** 2025-10-09\n\n- [ ] Split refunds\n",
            "# Progress log\n\n## 2025-10-09\n\n- [ ] Split refunds\n",
        ),
        (
            GOOD,
            "# Session log\n\n## 2025-01-09\n\n- Whole cents\n",
            "# Handoff\n\nRead `plans/2025-01-09-cents.md`.\n",
            '{"task": "cents", "updated": "2025-01-09"}',
            "# Plan: cents\n\n**Created:** 2026-01-09\n\n- [ ] Split refunds\n",
            "# Plan: cents\n\n**Created:** 2025-01-09\n\n- [x] Split refunds\n",
            "# Handoff\n\nUpdated: 2026-01-09\n\nAda asked again on 2026-03-14.\n",
        ),
    ),
    "empty-phrase": Case(
        (
            _listed("Matching done", "Various improvements", "As discussed"),
            *map(
                _listed,
                (
                    "✅ Misc bug fixes and tweaks", "minor code cleanup", "As discussed in the last session.", "Works now!",
                    "It should be fine", "Clean up code", "Fixed some issues", "Continue work", "continue where we left off",
                ),
            ),
            _listed("<describe what failed>", heading="Failed approaches"),
            _listed("TODO: fill in", heading="Blockers"),
            _listed("**Owner:** [name]"),
            "# Handoff\n\n## Goal\n\n[Describe the goal in one sentence]\n",
            '{"tasks": [{"title": "Clean up code", "status": "done"}, {"title": "Split refunds", "status": "todo"}]}',
        ),
        tuple(
            map(
                _listed,
                (
                    "Various improvements to `till/cents.py`", "Clean up code in till/", "Works now with Python 3.13",
                    "As discussed, cents are integers", "Continue with tips", "Fix bug 12", "Fixed the rounding of tips",
                    "Split refunds", "Should be fine for amounts below 2**53", "The usual fee is 2 %", "完了",
                    "Refactor the parser", "Update documentation", "Run the refund tests\n- Fix bugs", "Changes:\n  - whole cents",
                    "Whether tips count is TBD by Ada",
                ),
            )
        ),
    ),
    "wrong-layer": Case(
        (
            _listed("Always use four spaces, never tabs", heading="Key decisions"),
            _listed("Prefer early returns over nested ifs", heading="Key decisions"),
        ),
        tuple(
            map(
                _listed,
                (
                    "The formatter ruff fails on `till/cents.py`: `E501 line too long`", "Tips are kept in cents",
                    "The docstring of `split` is wrong about half cents", "Use `Decimal` in `till/refunds.py`, since floats drift",
                    "Keep the odd cent with the largest part", "ESLint: only warnings about unused names",
                ),
            )
        ),
    ),
}  # fmt: skip
