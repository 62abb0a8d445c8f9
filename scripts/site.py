"""Makes ready what Zensical builds the website from: the pages below build/pages, and build/site.toml.

The guide comes first, in its order; the reference stands behind it. Links out of `docs/` (to the changelog, examples)
lead to a page of the site where there is one, else to the source.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"
PAGES = BUILD / "pages"
# Pages that stand above docs/, and what they are called on the site.
ABOVE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def pages() -> dict[Path, str]:
    """Every page of the site, by its place below build/pages. A folder's README is its first page."""
    urls = _project()["urls"]
    made = {}
    sources = [*DOCS.rglob("*.md"), *(ROOT / name for name in ABOVE), ROOT / "README.md"]
    places = {source: _place(source) for source in sources}
    for source, place in places.items():

        def lead(match: re.Match[str], source: Path = source, place: Path = place) -> str:
            target = (source.parent / match[2]).resolve()
            if "://" in match[2] or match[2].startswith("mailto:"):
                return match[0]
            if target.is_dir() and target / "README.md" in places:
                target /= "README.md"
            if target in places or target.is_relative_to(DOCS):
                there = places.get(target) or target.relative_to(DOCS)
                return f"{match[1]}{_way(place, there)}{match[3]}"
            return f"{match[1]}{urls['Source']}/blob/main/{target.relative_to(ROOT)}{match[3]}"

        made[place] = _LINK.sub(lead, source.read_text(encoding="utf-8"))
    return made


def _way(start: Path, end: Path) -> str:
    """From one page to another, both below the same folder."""
    up = len(start.parent.parts)
    return "../" * up + end.as_posix()


def _place(source: Path) -> Path:
    if source == ROOT / "README.md":
        return Path("index.md")
    if source.parent == ROOT:
        return Path(ABOVE[source.name])
    place = source.relative_to(DOCS)
    return place.with_name("index.md") if place.name == "README.md" else place


def navigation() -> list[dict[str, object]]:
    """The guide in its order, then what is for looking up; every page once."""
    guide = [{_title(path): _place(path).as_posix()} for path in sorted((DOCS / "guide").glob("[0-9]*.md"))]
    clients = list(_listed(DOCS / "clients"))
    reference = list(_listed(DOCS / "reference"))
    project = [DOCS / "ARCHITECTURE.md", DOCS / "KNOWN_LIMITATIONS.md", *(ROOT / name for name in ABOVE)]
    return [
        {"clew": "index.md"},
        {"Guide": [{"Contents": "guide/index.md"}, *guide]},
        {"Clients": clients},
        {"Reference": reference},
        {"Project": [{_title(path): _place(path).as_posix()} for path in project]},
    ]


def _listed(folder: Path) -> Iterator[dict[str, object]]:
    yield {"Contents": f"{folder.name}/index.md"}
    for path in sorted(folder.glob("*.md")):
        if path.name != "README.md":
            yield {_title(path): _place(path).as_posix()}


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").replace("`", "").strip()


def _project() -> dict[str, dict[str, str]]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, dict[str, str]] = tomllib.load(file)["project"]
    return found


def configuration() -> str:
    """What Zensical is told, as TOML."""
    project = _project()
    rows = [
        "[project]",
        'site_name = "clew"',
        f"site_description = {json.dumps(project['description'])}",
        f"site_url = {json.dumps(project['urls']['Documentation'])}",
        'docs_dir = "pages"',
        'site_dir = "site"',
        f"nav = {_toml(navigation())}",
        "[project.theme]",
        'features = ["navigation.sections", "navigation.top", "content.code.copy"]',
    ]
    return "\n".join(rows) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def main() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    for place, text in pages().items():
        path = PAGES / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for picture in [*DOCS.rglob("*.svg"), *DOCS.rglob("*.png")]:
        path = PAGES / picture.relative_to(DOCS)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, path)
    (BUILD / "site.toml").write_text(configuration(), encoding="utf-8")


if __name__ == "__main__":
    main()
