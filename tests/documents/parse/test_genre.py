"""Guides, templates, rules and conversations hold few items, and records hold many."""

from __future__ import annotations

from clew.documents.parse.genre import genre
from clew.documents.parse.markdown import blocks
from tests.documents.parse.told import kinds, told

GUIDE = """---
name: hand-over
description: Write a hand-off
---

# Hand over

You are tasked with writing a hand-off.

## Process

1. Read the plan
2. Write the file

## When to use

- Before clearing

## Example

- [x] [specific change]
"""
RULES = """# Style

You keep each concern in one home.

- Never edit generated files.
- You must name things fully.
- Do not add tests of absence.
- Each fact appears once.

# Testing

- Always test behaviour.
"""
TALK = "# Session\n\n" + "**User:** Use X.\n\n**Assistant:** Yes:\n\n- a plan\n\n" * 3


def of(text: str) -> str:
    return genre(blocks(text.split("\n")))


def test_a_guide_holds_no_items_of_its_own() -> None:
    """Steps of a procedure are nobody's to-dos: importing a skill must not open ten tasks."""
    assert "guide" == of(GUIDE)
    assert [] == kinds(GUIDE)


def test_rules_are_constraints_under_any_heading() -> None:
    """Below "Testing" stands what must be, not what was checked."""
    assert "rules" == of(RULES)
    assert {"constraint"} == set(kinds(RULES))
    assert 6 == len(kinds(RULES))


def test_a_conversation_is_no_state() -> None:
    """What an assistant proposed was not decided."""
    assert [] == kinds(TALK)


def test_a_record_is_the_rule() -> None:
    """A hand-off with a section on usage is still a hand-off."""
    assert "record" == of("# Hand-off\n\n## Done\n\n- a\n\n## Usage\n\n- b\n\n## Next steps\n\n- c\n")


def test_a_command_for_agents_has_no_steps_of_its_own() -> None:
    """Its numbered steps are a procedure; its rules are rules."""
    text = (
        "---\ndescription: Resume work\n---\n\n# Resume\n\nYou are tasked with resuming work.\n\n## Steps\n\n"
        "### Step 1: Read\n\n1. Read the note\n2. Check the tree\n\n## Rules\n\n- Never skip a file\n"
    )
    assert ["constraint"] == kinds(text)


def test_orders_in_a_guide_are_rules_wherever_they_stand() -> None:
    """A skill's steps are nobody's work; what it forbids binds whoever follows it."""
    text = GUIDE + "\n## Notes\n\n- Keep it short\n- Never paste secrets\n\nYou MUST read the plan in full.\n"
    assert ["constraint", "constraint", "constraint"] == kinds(text)


def test_a_page_on_how_a_thing_is_done_holds_rules() -> None:
    """ "Creating pull requests" is nobody's to-do list: what it says to do is to be done each time."""
    text = (
        "# Creating pull requests\n\n* Follow the guide.\n* For changes that fix problems, add an entry.\n"
        "* The template asks for a number.\n\n## Steps\n\n1. Push the branch\n2. Open the request\n"
    )
    assert "guide" == of(text)
    assert ["constraint", "constraint"] == kinds(text)


def test_notes_and_instructions_of_a_guide_are_rules() -> None:
    """Also where the heading's signs were typed without a blank behind them."""
    text = GUIDE + "\n##. Notes & Instructions\n- **more, not less**. This is a minimum.\n- **be thorough**\n"
    assert ["constraint", "constraint"] == kinds(text)


def test_what_a_client_remembers_of_its_user_are_rules() -> None:
    """A memory of the type "feedback" tells how the user wants it."""
    text = "---\nname: style\ntype: feedback\n---\n\nShort sentences, no tables.\n\n**Why:** said twice.\n"
    assert [("constraint", "", "Short sentences, no tables.")] == told(text)


def test_conventions_on_tests_are_conventions() -> None:
    """A title that names rules governs sections that are on something else."""
    text = "# Conventions\n\n## Tests\n\n- Gated by markers\n\n## Status\n\n- Codes are integers\n"
    assert ["constraint", "constraint"] == kinds(text)


def test_what_a_guide_tells_of_the_project_is_filed() -> None:
    """Files with a note, commands that check and labelled facts are no procedure."""
    text = GUIDE + (
        "\n## Where they are\n\n- `review/SKILL.md` — before merging\n- `other/SKILL.md`\n\n## Gates\n\n"
        "- `npm run lint` → no warnings\n\n## Context\n\n- **Chains:** two are verified\n- It ticks\n"
    )
    assert ["file", "validation", "finding"] == kinds(text)


def test_a_page_that_mostly_says_what_should_be_is_a_guide() -> None:
    """Norms make rules of a page whose title says nothing."""
    text = (
        "# Notes of the team\n\n## Names\n\n- Agents should read it first\n- References must have a prefix\n"
        "- Prefer terse words\n- Use folders for groups, which should be few\n- It is a graph\n"
    )
    assert ["constraint"] * 4 == kinds(text)


def test_bold_rules_stand_side_by_side() -> None:
    """A rule with its reason ends where the next bold sentence begins."""
    text = (
        "---\nname: x\ntype: feedback\n---\n\n**Speak plainly at all times.**\n**Why**: it was said.\n\n"
        "**Look at the logs first.**\nThen at the scores.\n"
    )
    assert ["Speak plainly at all times.", "Look at the logs first. Then at the scores."] == [
        row[2] for row in told(text)
    ]
