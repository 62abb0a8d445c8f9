"""A repository of a size, made of this one's own sources: each file several times, every copy with other words.

    python -m benchmarks.stack.tree FOLDER [--megabytes 24]

The same arguments make the same files. The 300 commonest long words change places from copy to copy, so that no copy is
another's and all look like code. Files in which our rules or the deep engine see a secret are left out: a stack with
one goes nowhere.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from pathlib import Path

from clew import wiring
from clew.secrets import scan

_ROOT = Path(__file__).parents[2]
_FOLDERS = ("src", "docs", "tests", "benchmarks")
_WORD = re.compile(r"(?<![A-Za-z])[a-z]{6,14}(?![A-Za-z])")
_WORDS = 300


def make(folder: Path, *, megabytes: float) -> tuple[int, int]:
    """Make and commit the repository; its files and bytes."""
    deep = wiring.ports().deep_scan()

    def is_clean(text: str) -> bool:
        return not scan(text) and not (deep and deep.scan(text))

    texts = {path: text for path, text in _sources() if is_clean(text)}
    counted = Counter(word for text in texts.values() for word in _WORD.findall(text))
    words = [word for word, _ in counted.most_common(_WORDS)]
    size, count, copy = 0, 0, 0
    while size < megabytes * 1e6:
        change = dict(zip(words, words[copy * 7 % len(words) :] + words[: copy * 7 % len(words)], strict=True))
        for path, text in texts.items():
            changed = _WORD.sub(lambda match, change=change: change.get(match[0], match[0]), text)
            if not is_clean(changed):
                continue
            data = changed.encode()
            target = folder / f"part{copy}" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            size, count = size + len(data), count + 1
            if size >= megabytes * 1e6:
                break
        copy += 1
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "All of it")
    return count, size


def touch(folder: Path, *, share: float) -> int:
    """Put a line at the end of this share of the files, evenly spread; how many."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    some = paths[:: max(1, round(1 / share))]
    for path in some:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"# changed: {path.name}\n")
    return len(some)


def git(folder: Path, *arguments: str) -> None:
    """Plain git there, by nobody in particular."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def _sources() -> list[tuple[str, str]]:
    found = []
    for name in _FOLDERS:
        for path in sorted((_ROOT / name).rglob("*")):
            if path.suffix in (".py", ".md") and path.is_file():
                found.append((str(path.relative_to(_ROOT)), path.read_text(encoding="utf-8", errors="replace")))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=24)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print("{:,} files, {:,} bytes".format(*make(given.folder, megabytes=given.megabytes)))
