"""Search over what was said in sessions, what is recorded, and a project's documents (docs/reference/search.md)."""
