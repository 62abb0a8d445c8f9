"""Terms: what a question asks for."""

from __future__ import annotations

import pytest

from clew.core.text.terms import TERMS_MAX, parts, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("saveTask and HTTPServer2", "save Task HTTP Server 2"),
        ("save_task stays as it is", ""),
        ("src/app/PhaseRunner.ts", "Phase Runner"),
        ("", ""),
    ],
)
def test_names_in_humps_have_parts(text: str, found: str) -> None:
    """Given a name as code writes it, people remember the words in it."""
    assert found == parts(text)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where did we fix the tide?", ("fix", "tide")),
        ("saveTask fails", ("savetask", "save", "task", "fails")),
        ("what is it", ("what", "is", "it")),
        ("größe Größe", ("größe",)),
        ('"); DROP TABLE -- * NEAR(', ("drop", "table", "near")),
        ("…", ()),
    ],
)
def test_a_question_is_its_rare_words(question: str, found: tuple[str, ...]) -> None:
    """Given words that stand everywhere, they are asked for only when there is nothing else."""
    assert found == terms(question)


def test_a_pasted_log_is_no_question_of_a_thousand_words() -> None:
    """Given a long text, its beginning is asked for."""
    assert len(terms(" ".join(f"word{n}x" for n in range(1000)))) == TERMS_MAX
