"""One bit of a ledger's file is another one: what is read is what was written, or it is said that it is not."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from tests.ledger.given import PROJECT, checkpoint, known, read_off, stated

from benchmarks.attacks.trial import Trial
from clew.core.errors import LedgerError
from clew.ledger.port import Ledger
from clew.ledger.sqlite.opening import COMPANIONS, open_ledger


def flipped(count: int, seed: int) -> Trial:
    """Flip one bit, `count` times, at places drawn from the whole file."""
    chance, outcomes, broke = random.Random(seed), Counter[str](), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.db")
        with closing(open_ledger(path, project=PROJECT, write=True)) as ledger:
            ledger.append([stated(f"fact {n} {'x' * (n % 7 * 150)}", task=f"T-{n % 3}") for n in range(300)])
            ledger.take_in(read_off("s1", 10, *(f"item {n}" for n in range(30))))
            ledger.append([checkpoint("a")])
            ledger.take_in(read_off("s1", 20, "item 1", "another"))
            ledger.fold("T-1")
        whole = path.read_bytes()
        with closing(open_ledger(path, write=False)) as ledger:
            right = _read(ledger)
        for _ in range(count):
            at, bit = chance.randrange(len(whole)), chance.randrange(8)
            outcome = _outcome(path, whole, at, bit, right)
            outcomes[outcome] += 1
            if outcome == "unsaid" or outcome.startswith("crash"):
                broke.append(f"byte {at} bit {bit}: {outcome}")
    return Trial(
        "one bit of a ledger flipped",
        count,
        tuple(broke),
        ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())),
    )


def _outcome(path: Path, whole: bytes, at: int, bit: int, right: object) -> str:
    damaged = bytearray(whole)
    damaged[at] ^= 1 << bit
    path.write_bytes(damaged)
    for end in COMPANIONS:
        Path(f"{path}{end}").unlink(missing_ok=True)
    try:
        with closing(open_ledger(path, write=False)) as ledger:
            found = _read(ledger)
            said = bool(ledger.passed_over() or ledger.damage())
    except LedgerError:
        return "refused"
    except Exception as error:  # whatever it is, it is what this looks for
        return f"crash {type(error).__name__}"
    if found == right:
        return "without effect"
    return "said" if said else "unsaid"


def _read(ledger: Ledger) -> object:
    """All that a ledger tells."""
    return known(ledger), ledger.project, ledger.key, ledger.shortest(ledger.ids("d-")), ledger.taken()
