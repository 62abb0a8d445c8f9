"""A ledger in one SQLite file (write-ahead log). `opening.py` opens it; the promises are in `ledger/port.py`."""
