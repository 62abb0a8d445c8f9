"""Writes the made sessions with their keys, hand-offs and planted lies into a folder: `python -m benchmarks.made DIR`.

Sessions that somebody made up who knew no rule of clew's, with the difficulties of real ones: seven of Claude Code and
Codex, or with `--set second` twelve more, of OpenCode and Gemini CLI, too. DIR gets `transcripts/made/` and `keys/` for
the benchmark of recall, `sessions/`, `drafts/` (of the true claims), `lies.jsonl` and `true_claims.jsonl` for that of
proof, and `goal_next.json` for reading by eye.
"""

import argparse
import importlib
import json
from pathlib import Path

from benchmarks.made import claims
from benchmarks.made.record import key_of

HERE = Path(__file__).resolve().parent


def write(folder: Path, second: bool = False) -> int:
    """Everything into `folder`: how many sessions."""
    for part in ("transcripts/made", "keys", "sessions", "drafts"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    stories = HERE / "stories" / ("second" if second else "")
    goals, lies, true = {}, [], []
    for path in sorted(stories.glob("s*.py")):
        place = ".".join(path.relative_to(HERE.parents[1]).with_suffix("").parts)
        story = importlib.import_module(place)
        session = story.session()
        session.close()
        for part in ("transcripts/made", "sessions"):
            (folder / part / f"{session.name}.jsonl").write_text(session.text(), encoding="utf-8")
        key = json.dumps(key_of(session, story.KEY), indent=1, ensure_ascii=False)
        (folder / "keys" / f"{session.name}.json").write_text(key + "\n", encoding="utf-8")
        goals[session.name] = story.NEXT
        told = story.CLAIMS if second else claims.rows_of(session.name)
        lies += claims.planted(session.name, told)
        proved = claims.held(session.name, told)
        (folder / "drafts" / f"{session.name}.md").write_text(claims.draft_of(proved), encoding="utf-8")
        true += proved
    for name, rows in (("lies", lies), ("true_claims", true)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "goal_next.json").write_text(json.dumps(goals, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return len(goals)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.made", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--set", choices=("first", "second"), default="first")
    given = parser.parse_args()
    print(f"{write(given.folder, given.set == 'second')} sessions in {given.folder}")
