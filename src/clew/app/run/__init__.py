"""Runs: a plan's phases carried out by clients with nobody at them. What comes next, `core/plan/next_actions.py` says."""
