"""OpenCode. Format and doubts: docs/clients/opencode.md."""
