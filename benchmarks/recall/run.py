"""Recall of payloads against answer keys: `python -m benchmarks.recall.run SAMPLES`.

For each key: the payload, the record in short (`clew record`) at three budgets of its own, three baselines of the
payload's size (tail of the conversation, its first and last messages, the client's own compaction summary where there
was one) and two controls that must score low (payloads of other sessions, the bag of the session's 60 most frequent
identifiers). Exit code 1 only with `--check`, when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.lib.tables import markdown
from benchmarks.recall import baselines, keys, sessions
from benchmarks.recall.keys import Key
from benchmarks.recall.score import Score, score
from clew.core.records.transcript import Record
from clew.core.text.tokens import estimate

BUDGET = 1_000
CURVE = (250, 500, 750, 1_000, 1_500, 2_000)

PAYLOAD = "payload"
RECORD = "record in short, {:,}"
RECORD_BUDGETS = (6_000, 8_000, 20_000)
OTHER = "another session's payload (worst)"
OTHER_MEAN = "another session's payload (mean)"
BAG = f"bag of {baselines.BAG_SIZE} identifiers"
BASELINES: dict[str, Callable[[Iterable[Record], int], str | None]] = {
    "tail": baselines.tail,
    "first + last": baselines.ends,
    "compaction summary": baselines.summary,
}

# The bars of `--check`.
WEIGHTED_MIN = 0.90
OTHER_MAX = 0.10
BAG_MAX = 0.50


class Row(NamedTuple):
    """One text scored against one key. `tokens` as estimated."""

    pair: str
    method: str
    tokens: int
    score: Score


def make_payload(transcript: Path, budget: int) -> str:
    """The payload of one recorded session: the only place of this benchmark that calls clew's front door.

    It is made in an empty folder, so that nothing of the repository around it comes into the payload.
    """
    import clew

    with tempfile.TemporaryDirectory() as folder:
        return clew.resume(folder, transcript=transcript, budget_tokens=budget).document.text


def make_record(transcript: Path, budget: int) -> str:
    """The record in short of one recorded session."""
    import clew

    return clew.digest(transcript, budget_tokens=budget).text


def run(
    all_keys: list[Key], transcripts: Path, budget: int, *, baselines_only: bool
) -> tuple[list[Row], dict[str, str]]:
    """Every row of the report, and the payloads by pair id."""
    rows: list[Row] = []
    payloads: dict[str, str] = {}
    for key in all_keys:
        records = sessions.records_of(transcripts / key.file)
        if not baselines_only:
            payloads[key.pair] = make_payload(transcripts / key.file, budget)
            rows.append(_row(key, PAYLOAD, payloads[key.pair]))
            for most in RECORD_BUDGETS:
                rows.append(_row(key, RECORD.format(most), make_record(transcripts / key.file, most)))
        for method, make in BASELINES.items():
            text = make(records, budget)
            if text is not None:
                rows.append(_row(key, method, text))
        rows.append(_row(key, BAG, baselines.bag_of_identifiers(records)))
    # Without a payload maker the tails stand in for the payloads of other sessions.
    texts = payloads or {
        key.pair: baselines.tail(sessions.records_of(transcripts / key.file), budget) for key in all_keys
    }
    for key in all_keys:
        rows += _other_rows(key, [texts[other.pair] for other in all_keys if other.chain != key.chain])
    return rows, payloads


def _row(key: Key, method: str, text: str) -> Row:
    return Row(key.pair, method, estimate(text), score(text, key))


def _other_rows(key: Key, texts: list[str]) -> list[Row]:
    scored = sorted((_row(key, OTHER, text) for text in texts), key=lambda row: row.score.control)
    if not scored:
        return []
    mean = Score(
        all=fmean(row.score.all for row in scored),
        needed=_mean(row.score.needed for row in scored),
        weighted=fmean(row.score.weighted for row in scored),
        recalled=(),
        missed=(),
        traps=(),
    )
    return [scored[-1], Row(key.pair, OTHER_MEAN, round(fmean(row.tokens for row in scored)), mean)]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def means_table(rows: list[Row]) -> str:
    """One row a method: the three numbers over all keys, the worst key of each, traps in all, tokens."""
    head = ("method", "keys", "all facts", "needed", "weighted", "worst weighted", "worst needed", "traps", "tokens")
    methods = dict.fromkeys(row.method for row in rows)
    return markdown(head, [_means_row(method, _of(rows, method)) for method in methods])


def _of(rows: list[Row], method: str) -> list[Row]:
    return [row for row in rows if row.method == method]


def _means_row(method: str, rows: list[Row]) -> tuple[str, ...]:
    needed = [row.score.needed for row in rows if row.score.needed is not None]
    return (
        method,
        str(len(rows)),
        f"{fmean(row.score.all for row in rows):.3f}",
        _number(_mean(needed), 3),
        f"{fmean(row.score.weighted for row in rows):.3f}",
        f"{min(row.score.weighted for row in rows):.2f}",
        _number(min(needed, default=None)),
        str(sum(len(row.score.traps) for row in rows)),
        str(round(fmean(row.tokens for row in rows))),
    )


def key_table(rows: list[Row]) -> str:
    """One key: a row a method, with what it missed and the traps it stepped into."""
    head = ("method", "all facts", "needed", "weighted", "tokens", "traps", "missed")
    return markdown(
        head,
        [
            (
                row.method,
                f"{row.score.all:.2f}",
                _number(row.score.needed),
                f"{row.score.weighted:.2f}",
                str(row.tokens),
                " ".join(trap.id for trap in row.score.traps) or "-",
                " ".join(fact.id for fact in row.score.missed) or "-",
            )
            for row in rows
        ],
    )


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def curve_table(all_keys: list[Key], transcripts: Path) -> str:
    """Means over all keys for each budget."""
    lines = []
    for budget in CURVE:
        rows = [_row(key, PAYLOAD, make_payload(transcripts / key.file, budget)) for key in all_keys]
        lines.append((str(budget), *_means_row(PAYLOAD, rows)[2:]))
    head = ("budget", "all facts", "needed", "weighted", "worst weighted", "worst needed", "traps", "tokens")
    return markdown(head, lines)


def missed_bars(rows: list[Row], budget: int) -> list[str]:
    """Which bars of `--check` are missed, in words."""
    payload = _of(rows, PAYLOAD)
    if not payload:
        return ["no payloads were made"]
    reached = fmean(row.score.weighted for row in payload)
    missed = []
    if reached < WEIGHTED_MIN:
        missed.append(f"mean weighted recall is {reached:.3f}, the bar {WEIGHTED_MIN:.2f}")
    for method in BASELINES:
        # A baseline that exists for some sessions only is compared on those.
        theirs = _of(rows, method)
        pairs = {row.pair for row in theirs}
        if theirs and (best := fmean(row.score.weighted for row in theirs)) >= (
            ours := fmean(row.score.weighted for row in payload if row.pair in pairs)
        ):
            missed.append(f"{method} recalls {best:.3f}, the payload {ours:.3f}")
    missed += [f"{row.pair}: trap {trap.id}: {trap.text}" for row in payload for trap in row.score.traps]
    missed += [f"{row.pair}: {row.tokens} tokens, the budget {budget}" for row in payload if row.tokens > budget]
    for method, bar in ((OTHER, OTHER_MAX), (BAG, BAG_MAX)):
        missed += [
            f"{row.pair}: {method} recalls {row.score.control:.2f}, allowed {bar:.2f}"
            for row in _of(rows, method)
            if row.score.control > bar
        ]
    return missed


def as_json(rows: list[Row], budget: int) -> str:
    """The rows as JSON: {"budget", "rows": [{"pair", "method", "tokens", "all", …, "missed": [fact id], "traps"}]}."""
    return json.dumps(
        {
            "budget": budget,
            "rows": [
                {
                    "pair": row.pair,
                    "method": row.method,
                    "tokens": row.tokens,
                    "all": row.score.all,
                    "needed": row.score.needed,
                    "weighted": row.score.weighted,
                    "missed": [fact.id for fact in row.score.missed],
                    "traps": [trap.id for trap in row.score.traps],
                }
                for row in rows
            ],
        },
        indent=1,
    )


def _print_report(rows: list[Row], all_keys: list[Key], budget: int) -> None:
    facts = sum(len(key.facts) for key in all_keys)
    print(f"{len(all_keys)} keys, {facts} facts, {sum(len(key.traps) for key in all_keys)} traps, budget {budget}")
    facts_aside = sum(len(key.facts_set_aside) for key in all_keys)
    traps_aside = sum(len(key.traps_set_aside) for key in all_keys)
    if facts_aside or traps_aside:
        print(f"not scored: {facts_aside} facts and {traps_aside} traps that an audit set aside (--with-set-aside)")
    print()
    print(means_table(rows))
    for key in all_keys:
        print(f"\n### {key.pair}\n")
        print(key_table([row for row in rows if row.pair == key.pair]))
        print()
        for fact in next((row.score.missed for row in rows if row.pair == key.pair and row.method == PAYLOAD), ()):
            print(f"- missed {fact.id} ({fact.section}, weight {fact.weight}): {fact.text}")


def _save(payloads: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for pair, text in payloads.items():
        (folder / f"{pair}.md").write_text(text, encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall.run", description="Recall of payloads.")
    parser.add_argument("samples", type=Path, help="folder of the samples (holds transcripts/)")
    parser.add_argument("--budget", type=int, default=BUDGET, help="tokens of payload and baselines (default 1000)")
    parser.add_argument("--keys", type=Path, default=keys.HERE, help="folder of answer keys")
    parser.add_argument("--only", default="", help="only keys whose pair id contains this")
    parser.add_argument("--with-set-aside", action="store_true", help="score also what an audit took out of the keys")
    parser.add_argument("--payloads", type=Path, help="save the payloads in this folder")
    parser.add_argument("--curve", action="store_true", help="also the recall at budgets from 250 to 2000")
    parser.add_argument("--baselines-only", action="store_true", help="make no payloads")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    arguments = parser.parse_args(argv)
    transcripts = sessions.transcripts_under(arguments.samples)
    all_keys = [key for key in keys.load_all(arguments.keys) if arguments.only in key.pair]
    if not all_keys:
        parser.error(f"no keys in {arguments.keys}")
    if arguments.with_set_aside:
        all_keys = [key.with_set_aside() for key in all_keys]
    rows, payloads = run(all_keys, transcripts, arguments.budget, baselines_only=arguments.baselines_only)
    if arguments.payloads:
        _save(payloads, arguments.payloads)
    if arguments.json:
        print(as_json(rows, arguments.budget))
    else:
        _print_report(rows, all_keys, arguments.budget)
        if arguments.curve:
            print(f"\n### Recall by budget\n\n{curve_table(all_keys, transcripts)}")
    if not arguments.check:
        return 0
    missed = missed_bars(rows, arguments.budget)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
