"""Gemini CLI. Format and doubts: docs/clients/gemini.md."""
