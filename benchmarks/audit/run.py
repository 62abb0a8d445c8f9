"""`python -m benchmarks.audit.run [DIR]`: what share of the input tokens of real sessions the bill explains.

DIR is looked through for session files of all clients; without it three made-up sessions show that the benchmark runs.
Told are the sessions with two responses or more (of one alone all is the base) and a context of 2,000 tokens or more
(less is made up). *Explained* is strict: where the pieces that came in are estimated at less than the growth, the rest
is unexplained, however small. *Off* is how far the estimates of all pieces were from the growth that they were fitted
to, as a share of the whole growth.

Bar: 97 % of the input tokens of 20 sessions or more.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.lib.tables import markdown
from clew import wiring
from clew.app.audit.audit import read_session
from clew.clients.places import facts
from clew.core.audit.bill import Bill, bill_of, growths, scale_of
from clew.core.audit.contexts import Response
from clew.core.cost.prices import Price

BAR = 0.97
LEAST = 2_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--all", action="store_true", help="tell of every session, not only of those below the bar")
    given = parser.parse_args()
    if given.folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            _made_up(Path(temporary))
            return report(Path(temporary), every=True)
    return report(given.folder, every=given.all)


def report(folder: Path, *, every: bool) -> int:
    """Print the figures of the sessions below `folder`."""
    rows, explained, tokens, unexplained = [], [], 0, 0.0
    begun = time.perf_counter()
    for path, client, chains in sessions(folder):
        bill = bill_of(chains, _no_price)
        assert abs(sum(one.carried for one in bill.entries) - bill.input_tokens) < 1 + bill.input_tokens / 10_000, path
        explained.append(bill.explained)
        tokens += bill.input_tokens
        unexplained += bill.of("unexplained")
        if every or bill.explained < BAR:
            rows.append(_row(path, client, bill, chains.get("", [])))
    if not explained:
        print(f"no session with two responses below {folder}", file=sys.stderr)
        return 1
    print(markdown(("session", "client", "responses", "input", "base", "explained", "off"), rows))
    reached = sum(one >= BAR for one in explained)
    print(f"{reached} of {len(explained)} sessions at {BAR:.0%} or more; all together {1 - unexplained / tokens:.2%}")
    print(f"{tokens:,} input tokens in {time.perf_counter() - begun:.1f} s")
    return 0


def sessions(folder: Path) -> Iterator[tuple[Path, str, dict[str, list[Response]]]]:
    """The session files below a folder whose main chain has two responses or more."""
    ports = wiring.ports()
    for path in sorted(item for item in folder.rglob("*.json*") if item.is_file() and facts(item).st_size):
        reader = ports.readers.of(path)
        if reader is None:
            continue
        chains = read_session(ports._replace(locators=()), path, reader, lambda _: None).contexts.chains()
        main = chains.get("", [])
        if len(main) > 1 and max(one.tokens.context for one in main) >= LEAST:
            yield path, reader.name, chains


def _row(path: Path, client: str, bill: Bill, main: list[Response]) -> tuple[str, ...]:
    found = list(growths(main))
    scale = scale_of(found)
    far = sum(abs(one.grew - one.own - scale.factor * one.given - scale.frame * one.calls) for one in found)
    grown = sum(max(0, one.grew) for one in found) or 1
    base = bill.of("base") / bill.input_tokens
    return (
        path.stem[:30], client, str(bill.responses), f"{bill.input_tokens:,}", f"{base:.1%}",
        f"{bill.explained:.2%}", f"{far / grown:.1%}" if base < BAR else "-",
    )  # fmt: skip


def _no_price(_response: Response) -> Price | None:
    return None


def _made_up(folder: Path) -> None:
    from benchmarks.resume import transcript

    for number in range(3):
        transcript.write(folder / f"session-{number}.jsonl", size_bytes=100 * 1024, seed=number)


if __name__ == "__main__":
    raise SystemExit(main())
