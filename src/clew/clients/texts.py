"""Our slash commands, for clients whose command files have another form than Claude Code's. The texts are kept once, in
its form: `claude_code/assets/NAME.md`, of which `skill.md` is no command.
"""

from pathlib import Path
from typing import Final, NamedTuple

# Stands in a text where the words behind the command go.
ARGUMENTS: Final = "$ARGUMENTS"
_ASSETS: Final = Path(__file__).with_name("claude_code") / "assets"
_SKILL: Final = "skill"


class SlashCommand(NamedTuple):
    """`name` without prefix ("resume"), a line that describes it, and what the agent is told to do."""

    name: str
    description: str
    text: str


def slash_commands() -> tuple[SlashCommand, ...]:
    """All of them, by name."""
    found = ((path.stem, path.read_text(encoding="utf-8")) for path in sorted(_ASSETS.glob("*.md")))
    return tuple(_command(name, text) for name, text in found if name != _SKILL)


def _command(name: str, text: str) -> SlashCommand:
    _, front, body = text.split("---\n", 2)
    fields = dict(line.partition(": ")[::2] for line in front.splitlines())
    return SlashCommand(name, fields["description"], body.strip() + "\n")
