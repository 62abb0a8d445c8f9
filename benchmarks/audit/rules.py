"""`python -m benchmarks.audit.rules --samples DIR [--half tuned|unseen] [--out FILE]`: all findings over rules files.

DIR holds `rules/OWNER__REPO/…` and `trees/OWNER__REPO.txt`, a path a line. The rules were made while looking at the
half "tuned"; which half a file is in follows from a hash of its name. Printed are the counts by rule; FILE gets one
JSON object a finding, to be judged.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from clew.documents.lint.page import LintFinding, page_of
from clew.documents.parse import parse
from clew.documents.rules_file.disk import RulesGround
from clew.documents.rules_file.rules import lint


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--half", choices=("tuned", "unseen"), default="")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    files = [path for path in rules_files(given.samples) if given.half in ("", half(given.samples, path))]
    found = [(path, one) for path in files for one in findings(given.samples, path)]
    if given.out:
        rows = [
            {"file": str(path.relative_to(given.samples / "rules")), **one._asdict(), "text": one.text[:300]}
            for path, one in found
        ]
        given.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    for rule, count in Counter(one.rule for _, one in found).most_common():
        print(f"{count:5} {rule}")
    print(f"{len(found):5} findings in {len({path for path, _ in found})} of {len(files)} files")


def rules_files(samples: Path) -> list[Path]:
    """All rules files of the samples."""
    return sorted(item for item in (samples / "rules").rglob("*") if item.is_file())


def half(samples: Path, path: Path) -> str:
    """Which half a file is in."""
    name = str(path.relative_to(samples / "rules"))
    return "tuned" if sha256(name.encode()).digest()[0] % 2 else "unseen"


def findings(samples: Path, path: Path) -> Iterator[LintFinding]:
    """What is found in one file. Of its repository only the names of files are known."""
    repository, _, name = str(path.relative_to(samples / "rules")).partition("/")
    tree = samples / "trees" / f"{repository}.txt"
    files = frozenset(tree.read_text(encoding="utf-8").splitlines()) if tree.exists() else frozenset()
    source = path.read_bytes().decode("utf-8-sig", "replace")
    yield from lint(page_of(parse(source, name=path.name), source, name), RulesGround(files))


if __name__ == "__main__":
    main()
