"""The made sessions, one module a story."""
