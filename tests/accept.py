"""`python -m tests.accept`: write the golden files as they are made now. Read the diff before committing it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.gold.stories import FOLDER, STORIES


def main() -> None:
    for name, story in STORIES.items():
        with tempfile.TemporaryDirectory(prefix="clew-gold-") as folder:
            text = story(Path(folder).resolve())
        path = FOLDER / f"{name}.md"
        same = path.exists() and path.read_text(encoding="utf-8") == text
        path.write_text(text, encoding="utf-8")
        print(f"{'same   ' if same else 'written'} {path.name}")


if __name__ == "__main__":
    main()
