"""What the form of an entry makes of its section's kind."""

from __future__ import annotations

import pytest

from tests.documents.parse.told import kinds, told


def test_a_path_below_checks_is_a_file() -> None:
    """A workflow that is listed below "Testing" is no check that somebody ran."""
    text = "## Testing\n- `.ci/nightly.yml` — each night\n- `make test`: 12 passed\n- `src/a.py` ✅\n"
    assert ["file", "validation", "validation"] == kinds(text)


@pytest.mark.parametrize("heading", ["Tests", "Status", "Notes for the next agent"])
def test_a_norm_is_a_rule_wherever_it_stands(heading: str) -> None:
    """Rules are kept longest: one that stands among facts must not be lost with them."""
    assert ["constraint"] == kinds(f"# X\n\n## {heading}\n- Readers should close the file first. It leaks.\n")
    assert ["constraint"] == kinds(f"# X\n\n## {heading}\n- Keep the reader small. Do not add options to it.\n")


def test_what_was_done_is_done_in_a_log_that_says_no_more() -> None:
    """In a tracker of sessions the first word tells how far an entry is."""
    text = "# Work plan\n\n## Server\n- Added the socket\n- Add the client\n"
    assert [("step", "done", "Added the socket"), ("step", "", "Add the client")] == told(text)


def test_work_that_is_counted_off_in_a_section_of_facts_is_work() -> None:
    """ "Where we are" lists what is done as often as how things are."""
    text = (
        "## Where we stand\n1. **The reader** — done (v2)\n2. **The writer** — in progress\n3. **Speed**: 3 ms a row\n"
    )
    assert [("step", "done"), ("step", "in progress"), ("finding", "")] == [(kind, how) for kind, how, _ in told(text)]


def test_what_a_bold_name_tells_below_a_step_is_a_fact() -> None:
    """A heading that is a step has facts below it, which are no steps."""
    text = "## Phase 1: Reader\n\n### Task 1: Open files\n- **Encoding**: taken from the first bytes\n- Close them\n"
    assert ["phase", "step", "finding", "step"] == kinds(text)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Three principles drive every call:", "constraint"),
        ("The following questions came up in the review:", "question"),
        ("The reader is in use with the following capabilities:", "finding"),
        ("These decisions hold for now:", "decision"),
    ],
)
def test_a_list_is_what_the_sentence_in_front_of_it_calls_its_entries(sentence: str, kind: str) -> None:
    """A heading such as "Lens" says nothing, the sentence below it does."""
    assert [kind, kind] == kinds(f"# X\n\n## Lens\n\n{sentence}\n\n1. small files\n2. plain words\n", name="ROADMAP.md")


def test_entries_of_a_strong_list_stay_what_they_are() -> None:
    """ "Do not rediscover" above the lessons makes no rules of them."""
    text = "## Lessons learned\n\nSeen twice; do not rediscover:\n\n- the cache lies\n- the clock is late\n"
    assert ["learning", "learning"] == kinds(text)


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("必须先运行测试", "constraint"),
        ("先に確認すること", "constraint"),
        ("接続を追加しました", "step"),
        ("形式はJSONに決定済み", "decision"),
        ("どの形式を使うべきか", "question"),
        ("Implementado el lector de filas", "step"),
        ("Nunca borres el registro", "constraint"),
    ],
)
def test_entries_of_other_languages_are_told_by_their_forms(entry: str, kind: str) -> None:
    """Orders, questions and deeds have marks of their own in each language."""
    assert [kind] == kinds(f"# X\n\n## Lens\n- {entry}\n")


def test_a_place_on_somebodys_machine_is_no_file_of_the_project() -> None:
    """ "Local path: /home/…" says where something stands; a project's path behind a label is a file."""
    text = "# X\n\n## State\n- Local copy: `/home/mira/tide/src`\n- Key: `logs/<tag>.tar`\n- Report: `out/report.txt`\n"
    assert ["finding", "finding", "file"] == kinds(text)


def test_norms_and_orders_are_rules_where_nothing_says_more() -> None:
    """ "Should" in a list without a heading's help, and an order among the facts of a section."""
    assert ["constraint"] == kinds("# X\n\n## Cooking\n- Reviews should happen once all slices are done.\n")
    assert ["constraint"] == kinds("# X\n\n## Current state\n\nDo not trust the numbers in here, run the count.\n")


def test_a_path_and_nothing_else_is_a_file_among_facts() -> None:
    """ "Impact" of a decision lists what it touches; with a mark for how far it is a path is work."""
    text = "## Impact\n- `src/reader.py`\n- the pages of the report\n\n## To do\n- `src/writer.py`\n"
    assert ["file", "finding", "step"] == kinds(text)


def test_a_sentence_on_a_phase_is_the_phase() -> None:
    """A status page tells the phases in sentences."""
    text = (
        "## Current truth\n- Phase 2 execution is complete and frozen.\n- Phase 3 is in progress\n- The cache is cold\n"
    )
    assert [("phase", "done"), ("phase", "in progress"), ("finding", "")] == [row[:2] for row in told(text)]


def test_an_order_below_decisions_and_constraints_is_a_constraint() -> None:
    """A decision log may word what was decided as an order; a heading that names both says which these are."""
    text = "- Keep CRLF line ends\n- Test failures are normal\n"
    assert ["constraint", "decision"] == kinds(f"## Decisions and constraints to keep\n{text}")
    assert ["decision", "decision"] == kinds(f"## Decisions\n{text}")


def test_checks_that_are_to_be_written_are_work() -> None:
    """ "Add tests" is no check that somebody can run."""
    assert ["step", "validation"] == kinds("## Testing\n- Add tests for the writer\n- The reader by hand\n")


def test_the_outcome_of_checks_among_facts_is_a_validation() -> None:
    """Where things stand is told along with what passed."""
    assert ["validation", "finding"] == kinds("## Current state\n- All tests pass\n- Two users are on it\n")


def test_what_asks_and_what_waits_is_so_in_any_list() -> None:
    """A question among decisions is not decided, and waiting is no question."""
    text = "## Decisions\n- One table\n- Should the client retry?\n\n## Open questions\n- Waiting on ops for the key\n"
    assert ["decision", "question", "blocker"] == kinds(text)


def test_what_is_planned_among_questions_is_work() -> None:
    """A sign for how far it is says that nobody is asked."""
    text = "## Open questions\n- 🗓 Swap the cache\n- ⬜ Is the limit per user? (It is 32 now.)\n- Who pays\n"
    assert [("step", "pending"), ("question", ""), ("question", "")] == [row[:2] for row in told(text)]


def test_how_a_thing_is_used_is_no_work_but_in_a_plan() -> None:
    """ "Set LOG=debug" below "Environment" is for whoever runs it; a plan says what it shall have."""
    text = "## Environment\n- Set `LOG=debug` for more\n"
    assert ["finding"] == kinds(f"# Hand-off\n\n{text}")
    assert ["step"] == kinds(f"# Client plan\n\n{text}")


def test_a_check_that_passed_is_one() -> None:
    """ "PASS" behind a name below "Result"."""
    assert ["validation", "finding"] == kinds("## Result\n- `test_reader`: PASS\n- The reader is quick\n")
