"""Whole payloads as they were accepted. A change that is meant is accepted with `python -m tests.accept`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.accept import DOCUMENTS_PAGE, documents_page
from tests.gold.stories import FOLDER, STORIES


@pytest.mark.parametrize("name", STORIES)
def test_the_payload_is_as_it_was_accepted(name: str, tmp_path: Path) -> None:
    """Wording, order and choice are what readers see: none of it changes unnoticed."""
    accepted = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert accepted == STORIES[name](tmp_path.resolve())


def test_the_page_on_documents_shows_the_profiles_as_they_are() -> None:
    """An output that nobody can get any more would be believed."""
    page = DOCUMENTS_PAGE.read_text(encoding="utf-8")
    assert documents_page(page) == page


def test_no_golden_file_is_left_over() -> None:
    """A file that nothing makes any more would be believed for ever."""
    assert sorted(STORIES) == sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")
