"""Codex CLI. Format and doubts: docs/clients/codex.md."""
