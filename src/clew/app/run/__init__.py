"""Runs: a plan's phases carried out by clients with nobody at them. What is next says `core/plan/next_actions.py`."""
