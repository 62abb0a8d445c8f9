"""`python -m tests.accept`: write what is made by code as it is made now. Read the diff before committing it.

The golden files, and the table in docs/settings.md.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from clew.core.settings import SETTINGS, shown
from tests.gold.stories import FOLDER, STORIES

SETTINGS_PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
_TABLE_BEGINS = "<!-- the table of settings: python -m tests.accept -->\n\n"
_TABLE_ENDS = "\n<!-- end of the table -->\n"


def settings_page(page: str) -> str:
    """The page with the table in it as the code has it."""
    front, _, rest = page.partition(_TABLE_BEGINS)
    _, _, back = rest.partition(_TABLE_ENDS)
    return f"{front}{_TABLE_BEGINS}{settings_table()}{_TABLE_ENDS}{back}"


def settings_table() -> str:
    """The table of docs/settings.md."""
    rows = ["| name | value | default | project's file | what it does |", "| --- | --- | --- | --- | --- |"]
    for setting in SETTINGS:
        project = (
            "no" if not setting.project else {"gate": "to tighten", "program": "if trusted"}.get(setting.kind, "yes")
        )
        cells = (f"`{setting.name}`", setting.expected, f"{shown(setting.default)} {setting.unit}".strip(), project)
        rows.append(f"| {' | '.join(cells)} | {setting.meaning} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    for name, story in STORIES.items():
        with tempfile.TemporaryDirectory(prefix="clew-gold-") as folder:
            text = story(Path(folder).resolve())
        _accept(FOLDER / f"{name}.md", text)
    _accept(SETTINGS_PAGE, settings_page(SETTINGS_PAGE.read_text(encoding="utf-8")))


def _accept(path: Path, text: str) -> None:
    same = path.exists() and path.read_text(encoding="utf-8") == text
    path.write_text(text, encoding="utf-8")
    print(f"{'same   ' if same else 'written'} {path.name}")


if __name__ == "__main__":
    main()
