"""docs/reference/importing.md shows what is printed."""

from __future__ import annotations

import re
from pathlib import Path

from tests.interfaces.cli.conftest import Desk

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "importing.md").read_text(encoding="utf-8")
DOCUMENT = PAGE.partition("```markdown\n")[2].partition("\n```\n")[0] + "\n"
SHOWN = [block.partition("\n")[::2] for block in re.findall(r"```console\n\$ (.*?)```", PAGE, re.DOTALL)]
GROWN = DOCUMENT.replace("- [ ] Measure", "- [x] Measure").replace(
    "Wire the import into the scheduler.", "Watch the second night."
)


def plain(text: str) -> str:
    """Without ids, which every ledger has its own of."""
    return re.sub(r"\b([A-Z])-[0-9a-z]{4,16}\b *", r"\1- ", text)


def test_the_page_shows_what_is_printed(desk: Desk) -> None:
    """People compare it with what they see."""
    desk.ada("task", "new", "Nightly import")
    desk.shop.repo.write("docs/HANDOFF.md", DOCUMENT)
    assert len(SHOWN) == 5
    for command, expected in SHOWN[:2]:
        assert plain(desk.ada(*command.split()[1:]).out) == plain(expected)
    decision = next(row.split()[0] for row in desk.ada("show").out.splitlines() if "integer cents" in row)
    told = desk.ada("show", decision).out.splitlines()
    assert set(SHOWN[2][1].splitlines()) <= set(told)
    desk.shop.repo.write("docs/HANDOFF.md", GROWN)
    assert plain(desk.ada(*SHOWN[3][0].split()[1:]).out) == plain(SHOWN[3][1])


def test_the_page_shows_what_is_printed_where_a_person_has_pinned(desk: Desk) -> None:
    """The same file, where only a person may tick."""
    desk.ada("task", "new", "Nightly import")
    desk.shop.repo.write("docs/HANDOFF.md", DOCUMENT)
    desk.bot("import", "docs/HANDOFF.md")
    step = next(row.split()[0] for row in desk.ada("show").out.splitlines() if "Measure" in row)
    desk.ada("pin", step)
    desk.shop.repo.write("docs/HANDOFF.md", DOCUMENT.replace("- [ ] Measure", "- [x] Measure"))
    assert plain(desk.bot(*SHOWN[4][0].split()[1:]).out) == plain(SHOWN[4][1])
