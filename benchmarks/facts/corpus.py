"""Every fact of a corpus of session files, read with several processes through the public reader.

`python -m benchmarks.facts.corpus ROOT [--client codex] [--workers N]` prints the facts as JSON: the program that
`run.py` times.
A fact counts once however many files repeat its line (resumed sessions copy lines), so ids are kept as 64-bit hashes.
"""

from __future__ import annotations

import argparse
import gc
import json
import marshal
import multiprocessing
import os
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from clew.clients.lines import read_file
from clew.clients.port import Reader
from clew.core.records.transcript import Call, Compaction, Edit, Model, Read, Result, Usage

# Larger than Python's 700: the facts kept are plain values, so collecting them over and over finds nothing.
_GC_THRESHOLD = 50_000
# A child hands over what it knows at so many calls.
_CALLS_HELD = 2_000
_END = b"end:"
_FILES = (Read, Edit)


class Facts:
    """What one worker has seen. Merged by union: every fact has a key, and a key seen twice is one fact."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.models: dict[str, str] = {}  # one string a name, not one a response
        self.model = ""
        self.responses: dict[str, tuple[Any, ...]] = {}  # model, input, cache_write, cache_read, output
        self.max_context = 0
        self.names: dict[tuple[str, str], int] = {}  # (tool, path) -> its number
        self.calls: dict[int, int] = {}  # call -> number of its (tool, path)
        self.errors: set[int] = set()
        self.compactions: set[tuple[str, int]] = set()
        self.records = 0
        self._notes: dict[type, Callable[[Any], None]] = {
            Usage: self._usage,
            Call: self._call,
            Result: self._result,
            Model: self._model,
            Compaction: self._compaction,
        }

    def take(self, path: Path) -> None:
        """Read one file whole."""
        for batch in read_file(path, self.reader):
            self.records += len(batch.records)
            for record in batch.records:
                if (note := self._notes.get(type(record))) is not None:
                    note(record)

    def _usage(self, usage: Usage) -> None:
        name = usage.model or self.model
        told = (self.models.setdefault(name, name), usage.input, usage.cache_write, usage.cache_read, usage.output)
        self._count(usage.key or f" {len(self.responses)}", told)
        self.max_context = max(self.max_context, usage.context)

    def _model(self, model: Model) -> None:
        self.model = model.name

    def _count(self, key: str, told: tuple[Any, ...]) -> None:
        """The last snapshot of a response holds, but none with less output than one before."""
        known = self.responses.get(key)
        if known is None or told[-1] >= known[-1]:
            self.responses[key] = told

    def _call(self, call: Call) -> None:
        file = call.action.path if isinstance(call.action, _FILES) else ""
        self.calls[hash(call.id)] = self.names.setdefault((call.tool, file), len(self.names))

    def _result(self, result: Result) -> None:
        if result.outcome == "error":
            self.errors.add(hash(result.call))

    def _compaction(self, compaction: Compaction) -> None:
        self.compactions.add((compaction.time, compaction.tokens_before))

    def pack(self) -> bytes:
        """For another process of the same family (same hash seed)."""
        names = list(self.names)
        whole = (self.responses, self.max_context, names, self.calls, self.errors, self.compactions, self.records)
        return marshal.dumps(whole)

    def merge(self, packed: bytes) -> None:
        responses, context, names, calls, errors, compactions, records = marshal.loads(packed)
        for key, told in responses.items():
            self._count(f" {len(self.responses)}" if key.startswith(" ") else key, told)
        self.max_context = max(self.max_context, context)
        numbers = [self.names.setdefault(name, len(self.names)) for name in names]
        for call, number in calls.items():
            self.calls[call] = numbers[number]
        self.errors |= errors
        self.compactions |= compactions
        self.records += records

    def report(self) -> dict[str, Any]:
        """In the shape of the generator's `truth.json`, as far as it goes."""
        import hashlib  # only the first process makes a report

        tools: Counter[str] = Counter()
        paths: Counter[str] = Counter()
        names = list(self.names)
        for number, count in Counter(self.calls.values()).items():
            tool, path = names[number]
            tools[tool] += count
            if path:
                paths[path] += count
        digest = hashlib.sha256(repr(sorted(paths.items())).encode()).hexdigest()[:16]
        models: dict[str, Counter[str]] = {}
        for model, *tokens in self.responses.values():
            named = zip(("requests", "input", "cache_creation", "cache_read", "output"), (1, *tokens), strict=True)
            models.setdefault(model, Counter()).update(dict(named))
        return {
            "requests": sum(model["requests"] for model in models.values()),
            "models": models,
            "compactions": len(self.compactions),
            "tool_calls": dict(tools),
            "tool_errors": len(self.errors),
            "distinct_paths": len(paths),
            "path_digest": digest,
            "max_context": self.max_context,
        }


def session_files(root: Path) -> list[tuple[int, str]]:
    """(size, path) of every session file below `root`, largest first, so that no worker ends with a big one."""
    return sorted(_walk(os.fspath(root)), reverse=True)


def _walk(folder: str) -> Iterator[tuple[int, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
            elif entry.name.endswith(".jsonl"):
                yield entry.stat().st_size, entry.path


def reader_for(client: str) -> Reader:
    """The reader of a client; nothing of another is imported."""
    if client == "codex":
        from clew.clients.codex.reader import CodexReader

        return CodexReader()
    from clew.clients.claude_code.reader import ClaudeCodeReader

    return ClaudeCodeReader()


def read_corpus(root: Path, workers: int, reader: Reader) -> tuple[Facts, int]:
    """Facts of all files, and the sum over all processes of their peaks of resident memory, in bytes."""
    files = [path for _, path in session_files(root)]
    fork = multiprocessing.get_context("fork")  # shares what is imported, and the hash seed
    taken = fork.Value("q", 0)
    facts = Facts(reader)
    children = [_Child(fork, files, taken, reader) for _ in range(workers - 1)]
    for path in _dealt(files, taken):
        facts.take(path)
        for child in children:
            child.hand_over(facts, wait=False)
    for child in children:
        child.hand_over(facts, wait=True)
    return facts, sum(child.peak_bytes for child in children) + _peak_bytes()


def _dealt(files: list[str], taken: Any) -> Iterator[Path]:
    """The next file that no other process has taken, until there is none."""
    while True:
        with taken.get_lock():
            number = taken.value
            taken.value = number + 1
        if number >= len(files):
            return
        yield Path(files[number])


class _Child:
    """Another process that reads. It hands over in between, so that no fact is held twice for long."""

    def __init__(self, fork: Any, files: list[str], taken: Any, reader: Reader) -> None:
        self._receiver, sender = fork.Pipe(duplex=False)
        self._process = fork.Process(target=_child, args=(files, taken, sender, reader))
        self._process.start()
        sender.close()
        self.peak_bytes = 0

    def hand_over(self, facts: Facts, *, wait: bool) -> None:
        """Take what it has sent; with `wait` until it is done. Raises `EOFError` if it died."""
        while not self.peak_bytes and (wait or self._receiver.poll()):
            packed = self._receiver.recv_bytes()
            if packed.startswith(_END):
                self.peak_bytes = int.from_bytes(packed[len(_END) :], "big")
                self._process.join()
            else:
                facts.merge(packed)


def _child(files: list[str], taken: Any, sender: Any, reader: Reader) -> None:
    facts = Facts(reader)
    for path in _dealt(files, taken):
        facts.take(path)
        if len(facts.calls) >= _CALLS_HELD:
            sender.send_bytes(facts.pack())
            facts = Facts(reader)
    sender.send_bytes(facts.pack())
    sender.send_bytes(_END + _peak_bytes().to_bytes(8, "big"))


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--client", choices=("claude-code", "codex"), default="claude-code")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    gc.set_threshold(_GC_THRESHOLD)
    facts, memory = read_corpus(chosen.root, chosen.workers, reader_for(chosen.client))
    print(json.dumps({**facts.report(), "records": facts.records, "peak_bytes": memory}))


if __name__ == "__main__":
    main()
