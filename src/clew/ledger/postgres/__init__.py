"""Ledgers in a PostgreSQL database. `ledger.py` opens one; the promises are in `ledger/port.py`."""
