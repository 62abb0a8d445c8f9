"""Tests of what filled a context."""
