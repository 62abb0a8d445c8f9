"""GitHub Copilot CLI. Format and doubts: docs/clients/copilot.md."""
