"""Ledgers in a PostgreSQL database. `opening.py` opens one; the promises are in `ledger/port.py`."""
