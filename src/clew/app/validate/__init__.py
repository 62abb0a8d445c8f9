"""Validation: a project's own commands, run and read, tied to the tree that they ran on."""
