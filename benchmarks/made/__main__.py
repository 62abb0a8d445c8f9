"""Writes the made sessions with their keys, hand-offs and planted lies into a folder: `python -m benchmarks.made DIR`.

Fourteen sessions of Claude Code and Codex that somebody made up who knew no rule of clew's, with the difficulties of
real ones (docs: benchmarks/README.md, *Made sessions*). DIR gets `transcripts/made/` and `keys/` for the benchmark of
recall, `sessions/`, `drafts/`, `lies.jsonl` and `true_claims.jsonl` for that of proof, and `goal_next.json`.
"""

import importlib
import json
import shutil
import sys
from pathlib import Path

from benchmarks.made import claims
from benchmarks.made.record import key_of

HERE = Path(__file__).resolve().parent


def write(folder: Path) -> int:
    """Everything into `folder`: how many sessions."""
    for part in ("transcripts/made", "keys", "sessions"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    goals = {}
    for path in sorted((HERE / "stories").glob("s*.py")):
        story = importlib.import_module(f"benchmarks.made.stories.{path.stem}")
        session = story.session()
        session.close()
        record = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in session.records)
        for part in ("transcripts/made", "sessions"):
            (folder / part / f"{session.name}.jsonl").write_text(record, encoding="utf-8")
        key = json.dumps(key_of(session, story.KEY), indent=1, ensure_ascii=False)
        (folder / "keys" / f"{session.name}.json").write_text(key + "\n", encoding="utf-8")
        goals[session.name] = story.NEXT
    shutil.copytree(HERE / "drafts", folder / "drafts", dirs_exist_ok=True)
    for name, rows in (("lies", claims.lies()), ("true_claims", claims.true_claims())):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "goal_next.json").write_text(json.dumps(goals, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return len(goals)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m benchmarks.made: say DIR, the folder to write into")
    print(f"{write(Path(sys.argv[1]))} sessions in {sys.argv[1]}")
