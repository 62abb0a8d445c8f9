"""Claude Code: where its sessions are and what they say. Format and doubts: docs/clients/claude-code.md."""
