"""Whether settings of other people come back to the byte after our entries were in them.

    python -m benchmarks.install.configs SAMPLES/config

Every JSON-like file below the folder gets the entries of the installer, as it is and in ten other manners (CRLF, a
mark, tabs, comments, trailing commas, one line, other ends), and loses them again: from the record, and after somebody
else added an entry. Files that are refused are named with the reason. Exit code 1 if one did not come back, or says
anything else than before.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from clew.clients.claude_code.settings import ClaudeCodeInstaller
from clew.clients.installing import HookCommand
from clew.clients.jsonc import BOM, NotJson, parse, plain
from clew.clients.splice import SpliceEntry, Unfit, cut, insert, without

SUFFIXES = (".json", ".jsonc", ".json.bak")
_COMMAND = HookCommand("/usr/bin/python3", ("-I", "-S", "-c", "__import__('clewhook')"))
_PARTS = ClaudeCodeInstaller(Path("/config"), server=Path("/config/server.json")).user(_COMMAND)
ENTRIES = tuple(entry for edited in _PARTS.edited for entry in edited.entries)
THEIRS = (
    SpliceEntry(("hooks", "Stop"), "", {"hooks": [{"type": "command", "command": "chime"}]}),
    SpliceEntry((), "chime", True),
)


def _in_lines(text: str, change: Callable[[str], str]) -> str:
    return "\n".join(change(line) for line in text.split("\n"))


def _tabs(line: str) -> str:
    bare = line.lstrip(" ")
    return "\t" * ((len(line) - len(bare)) // 2) + bare


def _trailing(line: str) -> str:
    """A comma behind each value that ends a line without one, where the next thing can only be a closing bracket."""
    return line + "," if line.rstrip("\r") == line and line.endswith(("}", "]", '"')) and line.startswith(" ") else line


MANNERS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"),
    "mark": lambda text: BOM + text.removeprefix(BOM),
    "tabs": lambda text: _in_lines(text, _tabs),
    "comments": lambda text: _in_lines(
        text, lambda line: line + " // why, [it" if line.endswith(("{", "[", ",")) else line
    ),
    "block comments": lambda text: _in_lines(
        text, lambda line: line + " /* } */" if line.endswith(("}", "]")) else line
    ),
    "trailing commas": lambda text: _in_lines(text, _trailing),
    "one line": lambda text: json.dumps(plain(text, node)) if (node := parse(text)) else text,
    "tight": lambda text: json.dumps(plain(text, node), separators=(",", ":")) if (node := parse(text)) else text,
    "no line end": lambda text: text.rstrip("\r\n"),
    "more line ends": lambda text: text + "\n\n",
}


def main(arguments: list[str]) -> int:
    """Say what came back and what did not."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m benchmarks.install.configs FOLDER", file=sys.stderr)
        return 64
    start, counts, wrong = time.perf_counter(), Counter[str](), []
    files = list(_files(Path(arguments[0])))
    for path in files:
        for manner, change in MANNERS.items():
            what = _tried(path.read_bytes(), change)
            counts[what.partition(":")[0]] += 1
            if what != "restored" and manner == "as it is":
                print(f"{path}: {what}")
            if what.startswith("wrong"):
                wrong.append(f"{path}, {manner}: {what}")
    print(
        f"{len(files)} files in {len(MANNERS)} manners: " + ", ".join(f"{n} {what}" for what, n in counts.most_common())
    )
    print(f"{time.perf_counter() - start:.1f} s")
    print("\n".join(wrong))
    return int(bool(wrong or not files))


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file() and path.name.endswith(SUFFIXES))


def _tried(data: bytes, change: Callable[[str], str]) -> str:
    try:
        text = change(data.decode())
        before = _value(text)
    except (NotJson, UnicodeDecodeError) as why:
        return f"refused: {why}"
    try:
        done = insert(text, ENTRIES)
    except Unfit as why:
        return f"refused: {why}"
    if cut(done.text, done.spans) != text:
        return "wrong: other bytes after the entries were cut out"
    added = sum(1 for _ in _walk(_value(done.text))) - sum(1 for _ in _walk(before))
    if added <= 0 or not _within(before, _value(done.text)):
        return "wrong: something of theirs is missing while the entries are in"
    theirs = insert(done.text, THEIRS).text
    left = _value(without(theirs, done.spans, done.made, _PARTS.ours))
    if json.dumps(left, sort_keys=True) != json.dumps(_value(insert(text, THEIRS).text), sort_keys=True):
        return "wrong: something else is left after somebody added an entry"
    return "restored"


def _value(text: str) -> Any:
    node = parse(text)
    return {} if node is None else plain(text, node)


def _walk(value: Any) -> Iterator[Any]:
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _walk(inner)


def _within(one: Any, other: Any) -> bool:
    """Whether all of `one` is in `other`, arrays from their beginning on."""
    if isinstance(one, dict):
        return isinstance(other, dict) and all(
            key in other and _within(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(other) >= len(one) and all(map(_within, one, other))
    return bool(one == other)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
