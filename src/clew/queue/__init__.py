"""Phases that wait for a worker: what a queue offers (`port.py`), and one on the team's PostgreSQL."""
