"""Gemini CLI: where its sessions are and what they say. Format and doubts: docs/clients/gemini.md."""
