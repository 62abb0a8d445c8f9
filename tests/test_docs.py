"""What the pages say is what the program does."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from clew.app.results import JsonResult

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "clew"
_CODE = re.compile(r"\bE-[a-z]+(?:-[a-z]+)*\b")


def _raised() -> set[str]:
    return {code for path in SOURCE.rglob("*.py") for code in re.findall(r'"(E-[a-z-]+)"', path.read_text("utf-8"))}


def test_every_error_code_has_its_entry_and_every_entry_its_code() -> None:
    """The code in a message is what people search for."""
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    assert _raised() == set(_CODE.findall(page))


def test_every_error_code_has_a_heading_of_its_own() -> None:
    """So that a link to it lands there."""
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    headings = [code for row in page.split("\n") if row.startswith("#") for code in _CODE.findall(row)]
    assert sorted(_raised()) == sorted(headings)


def test_every_json_field_is_documented() -> None:
    """Scripts are written from docs/reference/json.md."""
    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    fields = {field for one in _json_results() for field in one.__struct_fields__}
    fields |= {field for one in _json_results() for part in _parts(one) for field in part._fields}
    assert len(fields) > 300
    assert not sorted(field for field in fields if f"`{field}`" not in page)


def _json_results() -> set[type[JsonResult]]:
    """The results that are a JSON document as they stand, and those within them."""
    for file in (SOURCE / "app").rglob("*.py"):
        if "frozen=True" in file.read_text("utf-8"):
            import_module(".".join(file.relative_to(SOURCE.parent).with_suffix("").parts))
    found, new = set[type[JsonResult]](), {JsonResult}
    while new:
        found |= new
        new = {below for one in new for below in one.__subclasses__()} - found
    return found - {JsonResult}


def _parts(result: type[JsonResult]) -> list[Any]:
    """The named tuples in a result."""
    known = vars(import_module(result.__module__))
    names = {name for text in result.__annotations__.values() for name in re.findall(r"\w+", str(text))}
    return [known[name] for name in sorted(names) if hasattr(known.get(name), "_fields")]


def test_every_command_and_option_is_in_the_documents() -> None:
    """An option that only `--help` knows is found by nobody."""
    from clew.interfaces.cli.main import COMMANDS
    from tests.interfaces.cli.helped import options_of

    pages = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    for name in COMMANDS:
        assert f"clew {name}" in pages
        options = options_of(name)
        assert options >= {"--help"}
        assert not [option for option in options if option not in pages]


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/**/*.md")), ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    """A page that sends people to nowhere is worse than a short one."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert not [link for link in targets if not (path.parent / link).exists()]


def test_comments_that_name_a_page_name_one_that_exists() -> None:
    """`docs/x.md` in a docstring is a promise."""
    named = {
        page
        for path in SOURCE.rglob("*.py")
        for page in re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text(encoding="utf-8"))
    }
    assert named
    assert not sorted(page for page in named if not (ROOT / page).is_file())
