"""`python -m benchmarks.documents.lint --samples DIR [--out FILE]`: all findings over real documents, for judging.

DIR holds `handoffs/OWNER__REPO/…` and `trees/OWNER__REPO.txt`, a path a line. Printed are the counts by rule; FILE gets
one JSON object a finding: file, genre, line, rule, message, text.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from clew.documents.lint.page import Genre, LintFinding, LintGround, page_of
from clew.documents.lint.paths import absent, cited
from clew.documents.lint.rules import lint
from clew.documents.parse import parse


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--today", default="", help="YYYY-MM-DD; without it nothing is called stale")
    given = parser.parse_args()
    found = list(findings(given.samples, given.today))
    if given.out:
        rows = [
            {
                "file": name,
                "genre": kind,
                "line": one.line,
                "rule": one.rule,
                "message": one.message,
                "text": one.text[:300],
            }
            for name, kind, one in found
        ]
        given.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    files = len({name for name, _, _ in found})
    for rule, count in Counter(one.rule for _, _, one in found).most_common():
        print(f"{count:5} {rule}")
    print(f"{len(found):5} findings in {files} files")


def findings(samples: Path, today: str) -> Iterator[tuple[str, Genre, LintFinding]]:
    """File (relative to the folder of hand-offs), what it is, and finding."""
    root = samples / "handoffs"
    for path in sorted(item for item in root.rglob("*") if item.is_file()):
        repository, _, name = str(path.relative_to(root)).partition("/")
        tree = samples / "trees" / f"{repository}.txt"
        source = path.read_bytes().decode("utf-8-sig", "replace")
        parsed = parse(source, name=path.name)
        files = tree.read_text(encoding="utf-8").splitlines() if tree.exists() else []
        page = page_of(parsed, source, name)
        gone = absent(cited(page), name, files) if files else {}
        for one in lint(page, LintGround(gone, today)):
            yield str(path.relative_to(root)), page.genre, one


if __name__ == "__main__":
    main()
