"""Whether the answer keys can fail: `python -m benchmarks.recall.check_keys SAMPLES [--keys DIR]`.

Prints what is wrong with each key and exits 1 if anything is. The rules:

1. The session exists, evidence points into it, and one alternative of each fact is in its own words (otherwise no
   payload could recall it); others may be words that an honest summary would choose.
2. An alternative is one identifier that occurs in < 5 % of the other sessions, or two substrings and more that do not
   meet within one message of more than 5 % of them. Other sessions are those of other chains.
3. At most a third of the facts can be had for one name alone.
4. The bag of the session's 60 most frequent identifiers recalls at most half, of all facts and by weight: a control
   counts on the number that the bar is set on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.recall import baselines, keys, sessions
from benchmarks.recall.score import normalise, score

RARE_SHARE = 0.05
NAME_SHARE = 1 / 3
BAG_RECALL_MAX = 0.5
# What is longer than this is a file or a log, not a message: two words meet there by chance.
MESSAGE_CHARS = 6_000


class Session(NamedTuple):
    """Texts of one session, normalised: all of them joined, and the short ones one by one."""

    whole: str
    messages: tuple[str, ...]


def read_session(path: Path) -> Session:
    strings = [normalise(text) for text in dict.fromkeys(sessions.strings_of(path))]
    return Session("\n".join(strings), tuple(text for text in strings if len(text) <= MESSAGE_CHARS))


def violations(key: keys.Key, all_sessions: Mapping[str, Session]) -> Iterator[str]:
    """What is wrong with a key, one line each, apart from rule 4."""
    own = all_sessions.get(key.file)
    if own is None:
        yield f"no such session: {key.file}"
        return
    others = [session for file, session in all_sessions.items() if keys.chain_of(file) != key.chain]
    entries: list[keys.Fact | keys.Trap] = [*key.facts, *key.traps]
    for fact in entries:
        said = (all(normalise(part) in own.whole for part in alternative) for alternative in fact.alternatives)
        # A trap is false, so its words need not stand in the session.
        if isinstance(fact, keys.Fact) and not any(said):
            yield f"{fact.id}: no alternative is in the session's own words"
        for alternative in fact.alternatives:
            parts = [normalise(part) for part in alternative]
            share = _share(parts, others)
            if share >= RARE_SHARE:
                yield f"{fact.id}: {' + '.join(map(repr, parts))} also in {share:.0%} of the other sessions"
    by_name = [fact.id for fact in key.facts if _had_for_a_name(fact)]
    if len(by_name) > len(key.facts) * NAME_SHARE:
        yield f"{len(by_name)} of {len(key.facts)} facts can be had for one name: {', '.join(by_name)}"


def _share(parts: list[str], others: list[Session]) -> float:
    if not others:
        return 0.0
    return sum(_meets(parts, other) for other in others) / len(others)


def _meets(parts: list[str], session: Session) -> bool:
    if any(part not in session.whole for part in parts):
        return False
    return len(parts) == 1 or any(all(part in text for part in parts) for text in session.messages)


def _had_for_a_name(fact: keys.Fact) -> bool:
    return any(len(parts) == 1 and " " not in parts[0] for parts in fact.alternatives)


def _misplaced_evidence(key: keys.Key, path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        count = sum(1 for _ in file)
    for fact in key.facts:
        for line in fact.lines:
            if not 1 <= line <= count:
                yield f"{fact.id}: evidence on line {line} of {count}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall.check_keys", description=__doc__)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--keys", type=Path, default=keys.HERE)
    arguments = parser.parse_args(argv)
    transcripts = sessions.transcripts_under(arguments.samples)
    all_sessions = {file: read_session(transcripts / file) for file in sessions.session_files(transcripts)}
    wrong = 0
    for path in sorted(arguments.keys.glob("*.json")):
        try:
            key = keys.load(path)
        except keys.BadKey as error:
            print(error)
            wrong += 1
            continue
        found = list(violations(key, all_sessions))
        if key.file in all_sessions:
            found += _misplaced_evidence(key, transcripts / key.file)
            bag = baselines.bag_of_identifiers(sessions.records_of(transcripts / key.file))
            recall = score(bag, key)
            if recall.control > BAG_RECALL_MAX:
                found.append(
                    f"the bag of {baselines.BAG_SIZE} identifiers recalls {recall.all:.2f} of all facts, "
                    f"{recall.weighted:.2f} by weight"
                )
        aside = len(key.facts_set_aside) + len(key.traps_set_aside)
        print(f"{key.pair}: {len(key.facts)} facts, {len(key.traps)} traps, {aside} set aside, {len(found)} violations")
        for line in found:
            print(f"  {line}")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
