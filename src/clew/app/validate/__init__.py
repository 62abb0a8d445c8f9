"""Validation: a project's own commands, run and read, tied to the tree they ran on (docs/reference/validation.md)."""
