"""Claude Code. Format and doubts: docs/clients/claude-code.md."""
