"""A stack that somebody works on: changed in memory, its sources fetched one by one, packed and scanned as `build`
does. Nothing is written but by `save`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from clew.app.egress.allowing import leaving
from clew.app.egress.guard import Exit, Scanned
from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.output_redaction import redacted_name, safe_errors
from clew.app.stack.build import TAKE_OUT, budget_of, forgetting_of, packed_of, told, what_leaves
from clew.app.stack.gather import Given, Got, Missed, context_of, gathered_one
from clew.app.stack.packing import Packed, Section
from clew.app.stack.stack_file import Entry, parsed, stack_text, typed_table, written
from clew.app.stack.stack_text import appended, moved, removed, with_budget, with_key
from clew.core.errors import BudgetError, ClewError
from clew.core.text.cleaning import in_columns
from clew.sources.registry import source

# Keys that change nothing of what a source gives.
_ASIDE = frozenset(("name", "priority", "trim", "off"))


@dataclass(frozen=True, slots=True)
class Trial:
    """What would be built of what was fetched so far. `packed` is None where there is nothing, or nothing fits; then
    `problem` says so. `sections` are by the name of their source. `missing` is how many sources could not be had,
    `open` how many were not fetched yet.
    """

    packed: Packed | None
    problem: str
    room: int
    sections: Mapping[str, Section]
    missing: int
    open: int

    @property
    def tokens(self) -> int:
        return self.packed.tokens if self.packed else 0

    @property
    def wanted(self) -> int:
        """The tokens of all of it with nothing trimmed."""
        return self.tokens + sum(one.whole_tokens - one.tokens for one in self.sections.values())


class Editing:
    """The stack `name` of the project that `folder` is in. `stack` is what it says now. One thread changes it; any may
    call `fetch`, `trial` and `scan`. Sources are counted from 0.

    Every change raises `InputError` where it cannot be; then all is as it was. To begin raises `NotFound`, too.
    """

    def __init__(
        self, ports: Ports, given: Given, folder: Path, name: str, variables: Mapping[str, str] | None = None
    ) -> None:
        self._ports, self._given, self._variables = ports, given, variables or {}
        with safe_errors(ports.redact):
            self._location = locate(folder)
            self._text = self._saved = stack_text(self._location.root, name)
            self.stack = parsed(self._location.root, name, self._text)
        self._found: dict[str, Got | Missed] = {}
        self._stopped = threading.Event()
        self._one_scan = threading.Lock()
        self.counter = given.counter.name

    @property
    def is_unsaved(self) -> bool:
        """Whether the file says something else."""
        return self._text != self._saved

    def switch(self, at: int) -> None:
        """Let a source be off, or on again."""
        self._change(with_key(self._text, at, "off", None if self.stack.entries[at].spec.off else True))

    def move(self, at: int, to: int) -> None:
        """Put a source in the place `to`."""
        self._change(moved(self._text, at, to))

    def limit(self, at: int, key: Literal["budget", "priority"], value: int) -> None:
        """Give a source another budget or priority; 0 takes it out."""
        self._change(with_key(self._text, at, key, value or None))

    def limit_all(self, budget: int) -> None:
        """Give the whole stack a budget; 0 takes it out, then the settings say."""
        self._change(with_budget(self._text, budget))

    def add(self, kind: str, words: Sequence[str], keys: Mapping[str, str]) -> None:
        """Put a source at the end, as `stack_file.add_source` does."""
        self._change(appended(self._text, typed_table(kind, words, keys)))

    def remove(self, at: int) -> None:
        """Take a source out."""
        self._change(removed(self._text, at))

    def save(self) -> None:
        """Write the file. Raises `InputError`, also where somebody else changed it since."""
        written(self._location.root, self.stack.name, self._text, before=self._saved)
        self._saved = self._text

    def result(self, entry: Entry) -> Got | Missed | None:
        """What a source gave, or why not; None: it was not fetched yet."""
        found = self._found.get(content_key(entry))
        return replace(found, entry=entry) if found else None

    def fetch(self, entry: Entry, at: Callable[[str], None]) -> None:
        """Fetch a source; `at` is told what of it is read. What comes is its `result`, an error too."""
        try:
            forget = forgetting_of(self._ports, self._location)
            context = context_of(self._ports, self._given, self._location, self._variables, at)
            found = gathered_one(entry, replace(context, stopped=self._stopped.is_set), forget)
        except ClewError as error:
            found = Missed(entry, error)
        self._found[content_key(entry)] = found

    def forget(self) -> None:
        """Let all be fetched again."""
        self._found.clear()

    def stop(self) -> None:
        """Nobody waits for sources any more: what they have started ends."""
        self._stopped.set()

    def trial(self) -> Trial:
        """What would be built now."""
        stack = self.stack
        results = [self.result(entry) for entry in stack.entries if not entry.spec.off]
        found = [one for one in results if isinstance(one, Got)]
        missing = [told(one, self._ports.redact) for one in results if isinstance(one, Missed)]
        room = budget_of(self._ports, self._location, stack)
        packed, problem = None, ""
        try:
            packed = packed_of(self._ports, self._given, stack, found, missing, room) if found else None
        except BudgetError as error:
            problem = f"{error.message}. {error.hint}"
        sections = {one.name: one for one in packed.sections} if packed else {}
        return Trial(packed, problem, room, sections, len(missing), results.count(None))

    def scan(self, packed: Packed, exit: Exit) -> Scanned:
        """Look for secrets in what would leave. Raises `NotAllowed`, with rule and place of what was found."""
        with self._one_scan, safe_errors(self._ports.redact):
            return leaving(self._ports, self._location.root, what_leaves(packed), exit=exit, hint=TAKE_OUT)

    def shown(self, *texts: str) -> str:
        """Texts from anywhere as they may be shown: on one clean line, without a secret."""
        return in_columns(*(redacted_name(text, self._ports.redact) for text in texts))

    def told(self, missed: Missed) -> str:
        """Why a source gave nothing, and what can be done."""
        _, code, said = told(missed, self._ports.redact)
        return f"{said} [{code}] {self.shown(missed.error.hint)}"

    def _change(self, text: str) -> None:
        stack = parsed(self._location.root, self.stack.name, text)
        self._text, self.stack = text, stack


def content_key(entry: Entry) -> str:
    """The same for sources that give the same."""
    aside = _ASIDE if source(entry.spec.kind).by_budget else _ASIDE | {"budget"}
    table: dict[str, Any] = {key: value for key, value in entry.table.items() if key not in aside}
    return json.dumps(table, sort_keys=True, default=str)
