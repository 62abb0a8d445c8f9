"""Guides, templates, rules and conversations hold few items, and records hold many."""

from __future__ import annotations

from clew.documents.parse.genre import genre
from clew.documents.parse.markdown import blocks
from tests.documents.parse.told import kinds

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
    assert ["constraint", "constraint"] == kinds(text)
