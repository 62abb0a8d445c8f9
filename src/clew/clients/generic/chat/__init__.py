"""Conversations as lists of messages, the way APIs have them. Format: docs/clients/generic.md."""
