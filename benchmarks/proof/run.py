"""How the proof of drafts does: planted lies that are found, true claims that are struck.

    python -m benchmarks.proof.run DIR [--samples DIR] [--show]

DIR holds `drafts/NAME.md`, `sessions/NAME.jsonl`, `lies.jsonl` and `true_claims.jsonl`: rows with `draft` (NAME),
`section` (a heading), `claim` (an entry), lies also with `kind`; rows with a `set` are reported by it, too. A draft
without a session in DIR is of the session `…/TOPIC/NN-….jsonl` below the samples, if its name ends in `TOPIC-NN`. Each
row is judged as an entry of its draft. A lie is struck (unsupported, contradicted), else flagged if its quotation or
status was mended or its words were doubted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from clew import wiring
from clew.app.proof.facts import DiskFacts
from clew.app.proof.gather import facts_of
from clew.app.proof.prove import IN_DOUBT, prove
from clew.core.state.draft import Claim, JudgedClaim
from clew.documents.draft import claims_in


class Row(NamedTuple):
    """An entry with its place, and what is known of it: "lie" (of a kind), "true", or "draft" for those of a draft."""

    draft: str
    section: str
    claim: str
    kind: str
    set: str = ""


class Told(NamedTuple):
    """What became of a row. `outcome`: struck, flagged or stands; `judged` the worst of what its entry gave."""

    row: Row
    outcome: str
    judged: JudgedClaim | None


def rows_of(folder: Path) -> list[Row]:
    found = []
    for name, plain in (("lies.jsonl", ""), ("true_claims.jsonl", "true")):
        path = folder / name
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
            row = json.loads(line)
            found.append(
                Row(
                    row["draft"],
                    row["section"],
                    row["claim"],
                    plain or f"lie: {row.get('kind', '')}",
                    row.get("set", ""),
                )
            )
    return found


def session_of(draft: str, folder: Path, samples: Path | None) -> Path | None:
    """The session that a draft is of, None if there is none."""
    made = folder / "sessions" / f"{draft}.jsonl"
    if made.is_file():
        return made
    topic, _, number = draft.rpartition("-")
    found = sorted(samples.rglob(f"{number}-*.jsonl")) if samples else []
    near = [path for path in found if topic.endswith(path.parent.name)]
    as_client = [path for path in near if topic.startswith("codex-") == ("codex" in path.parts)]
    return next(iter(as_client or near), None)


def judged(draft: str, text: str, rows: list[Row], session: Path) -> list[Told]:
    """The rows of one draft, and the draft's own claims."""
    ports = wiring.ports()
    reader = ports.readers.of(session)
    assert reader is not None, session
    own = claims_in(text)
    parts: list[tuple[Row, tuple[Claim, ...]]] = [(Row(draft, "", claim.text, "draft"), (claim,)) for claim in own]
    parts += [(row, claims_in(f"## {row.section}\n- {row.claim}")) for row in rows]
    claims = [claim for _, some in parts for claim in some]
    facts = facts_of(session, reader, claims, redact=ports.redact, root_of=str)
    answers = iter(prove(claims, facts, DiskFacts()))
    return [_told(row, [(claim, next(answers)) for claim in some]) for row, some in parts]


def _told(row: Row, some: list[tuple[Claim, JudgedClaim]]) -> Told:
    order = ("contradicted", "unsupported", "anchored", "proved")
    if not some:
        return Told(row, "stands", None)
    claim, worst = min(some, key=lambda pair: order.index(pair[1].verdict))
    if not worst.stands:
        return Told(row, "struck", worst)
    mended = (claim.text, claim.why, claim.status) != (worst.claim.text, worst.claim.why, worst.claim.status)
    return Told(row, "flagged" if mended or worst.reason.startswith(IN_DOUBT) else "stands", worst)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--samples", type=Path)
    options.add_argument("--show", action="store_true", help="each lie that stands, each true claim that is struck")
    given = options.parse_args()
    rows = rows_of(given.folder)
    told: list[Told] = []
    started = time.perf_counter()
    for path in sorted((given.folder / "drafts").glob("*.md")):
        session = session_of(path.stem, given.folder, given.samples)
        if session is None:
            print(f"{path.stem}: no session", file=sys.stderr)
            continue
        told += judged(
            path.stem, path.read_text(encoding="utf-8"), [row for row in rows if row.draft == path.stem], session
        )
    spent = time.perf_counter() - started
    lies = [one for one in told if one.row.kind.startswith("lie")]
    report("planted lies", lies)
    for kind in sorted({one.row.kind for one in lies}):
        report(f"  {kind}", [one for one in lies if one.row.kind == kind])
    report("true claims", [one for one in told if one.row.kind == "true"])
    for name in sorted({one.row.set for one in told if one.row.set}):
        report(f"  lies {name}", [one for one in lies if one.row.set == name])
        report(f"  true {name}", [one for one in told if one.row.set == name and one.row.kind == "true"])
    report("claims of the drafts", [one for one in told if one.row.kind == "draft"])
    print(f"verdicts of the drafts' claims: {dict(Counter(_verdict(one) for one in told if one.row.kind == 'draft'))}")
    print(f"{len(told)} entries in {spent:.1f} s")
    if given.show:
        show(told)
    return 0


def _verdict(one: Told) -> str:
    return one.judged.verdict if one.judged else "no claim"


def report(name: str, told: list[Told]) -> None:
    count = Counter(one.outcome for one in told)
    found = count["struck"] + count["flagged"]
    share = f"{found / len(told):.0%}" if told else "-"
    print(
        f"{name}: {len(told)}, struck {count['struck']}, flagged {count['flagged']} ({share}), stand {count['stands']}"
    )


def show(told: list[Told]) -> None:
    for one in told:
        is_lie = one.row.kind.startswith("lie")
        if (is_lie and one.outcome != "struck") or (not is_lie and one.outcome == "struck"):
            reason = one.judged.reason if one.judged else "no claim was read"
            print(f"{one.outcome} {one.row.kind} {one.row.draft} [{one.row.section}] {one.row.claim}\n    {reason}")


if __name__ == "__main__":
    sys.exit(main())
