"""Do searches find the session that is meant? `python -m benchmarks.search.recall FOLDER`.

FOLDER holds `docs.jsonl` (what users typed in sessions, and the files they touched) and `queries.jsonl` (subjects of
commits, with the sessions that produced them). Weights were chosen on the queries whose commit's digest is even; those
with an odd one give the figure. Prints R@1, R@5 and MRR of both halves.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from clew.app.search.index import Filters, Passage, SearchIndex, SearchSource


def filled(docs: list[dict[str, Any]]) -> SearchIndex:
    """An index in memory that holds the sessions."""
    index = SearchIndex(":memory:")
    for doc in docs:
        source = SearchSource(doc["id"], "session", doc["repo"], session=doc["id"])
        asked = [Passage(prompt, at=at) for at, prompt in enumerate(doc["prompts"])]
        files = Passage("", names="\n".join([*doc["branch"], *doc["files_touched"]]), at=len(asked))
        index.put(source, [*asked, files], again=True)
    return index


def told(index: SearchIndex, queries: list[dict[str, Any]]) -> str:
    """R@1, R@5 and MRR of some queries."""
    first = five = 0
    reciprocal = 0.0
    for query in queries:
        hits = index.search(query["query"], Filters(projects=(query["repo"],)), limit=200)
        places = [at for at, hit in enumerate(hits, start=1) if hit.session in query["relevant"]]
        first += places[:1] == [1]
        five += bool(places and places[0] <= 5)
        reciprocal += 1 / places[0] if places else 0
    n = len(queries)
    return f"R@1 {first / n:.3f}, R@5 {five / n:.3f}, MRR {reciprocal / n:.3f} ({n} queries)"


def main() -> None:
    """Run it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder
    docs, queries = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("docs.jsonl", "queries.jsonl")
    )
    index = filled(docs)
    halves: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for query in queries:
        halves[int(hashlib.sha256(query["commit"].encode()).hexdigest(), 16) % 2].append(query)
    print("chosen on:", told(index, halves[0]))
    print("figure:   ", told(index, halves[1]))


if __name__ == "__main__":
    main()
