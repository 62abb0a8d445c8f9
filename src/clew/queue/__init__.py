"""Phases that wait for a worker: what a queue offers (`port.py`), in memory, and on the team's PostgreSQL."""
