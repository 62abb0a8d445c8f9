"""Stacks: what a session needs to know, put together within a budget, scanned, locked and replayed."""
