"""A new process reads the state of one task: python -m benchmarks.ledger.restore FILE TASK N. FILE: also an address."""

from __future__ import annotations

import sys
from pathlib import Path

from clew.ledger.port import Ledger
from clew.ledger.sqlite.opening import open_ledger


def main() -> None:
    """Open, fold, read the extracts, close."""
    file, task, count = sys.argv[1:4]
    if file.startswith("postgres"):
        from benchmarks.ledger.material import PROJECT
        from clew.ledger.postgres import opening

        ledger: Ledger = opening.open_ledger(file, project=PROJECT, write=False)
    else:
        ledger = open_ledger(Path(file), write=False)
    assert len(ledger.fold(task).entities) == int(count)
    ledger.extracts(task=task)
    ledger.close()


if __name__ == "__main__":
    main()
