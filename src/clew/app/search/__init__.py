"""Search: over what was said in sessions, what is recorded, and the documents of a project (docs/search.md)."""
