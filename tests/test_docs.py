"""What the pages say is what the program does."""

from __future__ import annotations

import posixpath
import re
import runpy
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from clew.app.results import JsonResult

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "clew"


def test_the_reference_is_as_the_code_has_it() -> None:
    """The code in a message is what people search for: each has its heading, with what is said and done about it."""
    done = subprocess.run([sys.executable, "scripts/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"run scripts/reference.py:\n{done.stdout}{done.stderr}"


def test_a_new_error_gets_its_place_and_one_that_is_gone_loses_it() -> None:
    """The page follows the code by itself; what people wrote below a code stays."""
    made = runpy.run_path(str(ROOT / "scripts" / "reference.py"))["errors_page"]
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    old = page.replace("## E-no-task\n", "## E-gone-for-good\n")
    assert old != page
    again = made(old)
    assert "## E-gone-for-good" not in again
    assert again.count("\n## E-no-task\n\n```error\nerror: ") == 1
    assert again.count("There is none, too, when the five\nnewest ones hold nothing.") == 1


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


def test_the_website_has_every_page_and_no_dead_link() -> None:
    """The guide first, the reference behind it; each page is in the navigation once, and links lead to pages of the
    site or to the source.
    """
    site = runpy.run_path(str(ROOT / "scripts" / "site.py"))
    pages = {place.as_posix(): text for place, text in site["pages"]().items()}
    listed = re.findall(r'"([^"]+\.md)"', site["configuration"]())
    assert sorted(pages) == sorted(listed)
    assert listed[:3] == ["index.md", "guide/index.md", "guide/01-start.md"]
    assert listed.index("guide/14-teams.md") < listed.index("reference/index.md")
    for place, text in pages.items():
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)", prose):
            if "://" not in link:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(place), link))
                assert target in pages or (ROOT / "docs" / target).is_file(), f"{place}: {link}"


def test_the_changelog_is_short_and_has_the_version() -> None:
    """What is new is read in a minute: two lines a bullet at most."""
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.search(rf"(?m)^## {re.escape(version)}\b", page)
    bullets = re.split(r"(?m)^- ", page)[1:]
    long = [one[:60] for one in bullets if len(re.split(r"\n(?:\n|#)", one)[0].strip().split("\n")) > 2]
    assert not long
    assert max(map(len, page.split("\n"))) <= 180
