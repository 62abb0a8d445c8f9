"""The archive: clients' own records of sessions, kept before the clients delete them (docs/reference/archive.md)."""
