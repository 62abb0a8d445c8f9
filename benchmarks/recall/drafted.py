"""Payloads with a hand-off in them, against answer keys: `python -m benchmarks.recall.drafted DIR [--samples DIR]`.

DIR is as `python -m benchmarks.made DIR` writes it: `drafts/`, `sessions/`, `keys/`. Each draft is proved against its
session's record and takes its place in the state, as it would in a ledger; the payload of at most `--budget` tokens is
scored. A draft without a session or a key in DIR is looked for in the samples and the benchmark's own keys.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean

from benchmarks.proof.run import session_of
from benchmarks.recall import keys
from benchmarks.recall.score import Score, score
from clew import wiring
from clew.app.proof.gather import judge
from clew.core.state.draft import JudgedClaim
from clew.core.state.extract import Extract
from clew.core.state.fold import Change
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Origin
from clew.core.state.projection import state_of
from clew.core.text.tokens import estimate
from clew.documents.profiles import REHYDRATE
from clew.documents.render import View, render
from clew.sessions.capture import captured, gather

_LATER = "9999-01-01T00:00:00.000Z"


def payload(draft: str, session: Path, budget: int) -> str:
    """The payload of a session whose agent wrote `draft` at its end."""
    ports = wiring.ports()
    reader = ports.readers.of(session)
    assert reader is not None, session
    gathered = gather(session, reader, redact=ports.redact)
    state = captured(gathered, client=reader.name, root_of=str).state
    judged = judge(ports, text=draft, transcript=session, reader=reader, root=Path("/nonexistent"))
    extract = Extract(state.origin, "T-1", "", 1, 1, "", state.items)
    entities = {}
    for number, one in enumerate(judged):
        if one.stands:
            name = f"{LETTERS[one.claim.kind]}-{identity(draft, str(number))}"
            entities[name] = (_stated(one, number, state.origin.session),)
    nowhere = Origin("", "", "", "", "", "", True, "")
    now = state_of(entities, [extract], nowhere=nowhere)
    return render(View(now, None, None), REHYDRATE, budget).text


def _stated(one: JudgedClaim, number: int, session: str) -> Change:
    claim = one.claim
    proved = one.verdict == "proved" and claim.kind in ("validation", "step", "file")
    fields = {"kind": claim.kind, "text": claim.text, "why": claim.why, "status": claim.status, "draft": "W-1"}
    return Change(_LATER, f"{number:04d}", "verified" if proved else "agent", "agent", session, fields)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--samples", type=Path)
    options.add_argument("--budget", type=int, default=1500)
    options.add_argument("--show", action="store_true", help="what is missed, and each trap")
    given = options.parse_args()
    folders = [given.folder / "keys", keys.HERE, keys.HERE.parent / "keys_unseen"]
    known = {key.pair: key for folder in reversed(folders) if folder.is_dir() for key in keys.load_all(folder)}
    scores: list[Score] = []
    tokens: list[int] = []
    for path in sorted((given.folder / "drafts").glob("*.md")):
        session = session_of(path.stem, given.folder, given.samples)
        if session is None or path.stem not in known:
            print(f"{path.stem}: no session or no key")
            continue
        text = payload(path.read_text(encoding="utf-8"), session, given.budget)
        got = score(text, known[path.stem])
        scores.append(got)
        tokens.append(estimate(text))
        needed = "-" if got.needed is None else f"{got.needed:.2f}"
        print(f"{path.stem:<32} all {got.all:.2f}  needed {needed}  traps {len(got.traps)}  {tokens[-1]} tokens")
        if given.show:
            print(*(f"    missed {one}" for one in got.missed), *(f"    trap {one}" for one in got.traps), sep="\n")
    needed_all = [one.needed for one in scores if one.needed is not None]
    print(
        f"{len(scores)} sessions: all {fmean(one.all for one in scores):.3f}, needed {fmean(needed_all):.3f}, "
        f"traps {sum(len(one.traps) for one in scores)}, {round(fmean(tokens))} tokens"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
