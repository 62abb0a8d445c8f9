"""Our slash commands, as clients get them whose files have another form."""

from __future__ import annotations

from clew.clients.texts import ARGUMENTS, slash_commands


def test_each_command_is_given_without_the_form_of_its_file() -> None:
    """What is meant for one client would be read out to the model of another."""
    found = {one.name: one for one in slash_commands()}
    assert set(found) == {"resume", "handoff", "checkpoint", "plan", "issue", "fresh"}
    for one in found.values():
        assert one.description and "\n" not in one.description
        assert "`clew " in one.text and "allowed-tools" not in one.text and "---" not in one.text
        assert one.text == one.text.strip() + "\n"
    assert ARGUMENTS in found["resume"].text and ARGUMENTS not in found["fresh"].text
