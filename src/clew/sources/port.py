"""What a source of a stack offers: text from somewhere, in parts, with one line that says where from.

A member is a `SourceKind` value in a module, named in `registry.py`; `clew.testing.sources` has the promises that
it keeps. What it fetches is anybody's text: who takes it cleans it, scans it for secrets and holds it to a budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from clew.core.errors import ClewError
from clew.core.text.charset import decode
from clew.remotes.place import RemoteRepository
from clew.remotes.port import ConnectDiscussions as Connect
from clew.remotes.port import Discussions

if TYPE_CHECKING:
    from clew.workspace.git import Git

Trim = Literal["head", "tail", "outline"]
# Of one source so many characters are taken, whatever its budget: what is more was not meant.
CHARS_MAX: Final = 128 << 20


class SourceError(ClewError):
    """A source gives nothing. The others of its stack are built all the same."""


class Spec(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What a `[[source]]` table says, whatever its kind; each kind adds keys of its own.

    `budget`: at most so many tokens, 0 as many as the stack has. `priority`: the greater is served first; the order in
    the text stays that of the file. `trim`: what stays of a text that is too long: its `head`, its `tail`, or (files)
    an `outline` of what is defined there. `off`: it stays in the file, and is not fetched.
    """

    kind: str
    name: str = ""
    budget: int = 0
    priority: int = 0
    trim: Trim = "head"
    off: bool = False


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A piece of what was fetched. `name` is unique in it, mostly a path; "" where there is but one. `language` is the
    word behind a fence.
    """

    text: str
    name: str = ""
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a source gave, in its order. `provenance` is one line: where from, and how much. `notes` are sentences about
    what the reader may not expect (what was passed over). `own`: words of the user's own, to be read as such.
    """

    parts: tuple[SourcePart, ...]
    provenance: str
    notes: tuple[str, ...] = ()
    own: bool = False

    @property
    def chars(self) -> int:
        """How many characters it has."""
        return sum(len(part.text) for part in self.parts)


def _nothing(*_: object) -> str:
    raise SourceError(
        "the project's ledger is not at hand", code="E-source-missing", hint="Build the stack in a project."
    )


def _no_forge(repository: RemoteRepository) -> Discussions:
    raise SourceError(
        f"issues of {repository} cannot be asked for here", code="E-source-missing", hint="Build the stack with `clew`."
    )


def _quiet(_: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What sources need of the project that a stack is built in.

    `root` is its top (absolute), `git` asks its repository (None outside one). `snippets` are folders with the
    user's words or the project's: the first that has a name wins, and `own_snippets` is the user's. `variables` were
    given with the command, so by whoever asks. `memory(topic, scope)` and `payload(budget_tokens)` give documents.
    `trusted(table)` says whether a person trusts exactly the table that is to be run. `at(name)` tells what is read.
    `stopped()` says whether nobody waits any more: who can then ends what it has started.
    `discussions(repository)` reads its issues; `sleep(seconds)` waits for a limit of requests to pass. `loopback`:
    pages may be fetched from this machine, and `services` are addresses to ask in the place of the real ones, by kind.
    Both are for tests.
    """

    root: Path
    git: Git | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    snippets: tuple[Path, ...] = ()
    own_snippets: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    memory: Callable[[str, str], str] = _nothing
    payload: Callable[[int], str] = _nothing
    trusted: Callable[[Mapping[str, Any]], bool] = lambda _: False
    at: Callable[[str], None] = _quiet
    stopped: Callable[[], bool] = lambda: False
    loopback: bool = False
    discussions: Connect = _no_forge
    sleep: Callable[[float], object] = time.sleep
    services: Mapping[str, str] = field(default_factory=dict)


# Gets what a spec names. The last is the table as it stands in the file, to the key. Raises `SourceError`, or another
# `ClewError` of what it asks (git); nothing is written.
Fetch: TypeAlias = Callable[[Any, SourceContext, Mapping[str, Any]], Fetched]


@dataclass(frozen=True, slots=True)
class SourceKind:
    """One kind. `spec` are its keys; `words` is the key that the words of `clew stack add NAME KIND WORDS…` fill ("" it
    takes none), a list or a text. `by_budget`: what is fetched depends on the budget.
    """

    kind: str
    about: str
    spec: type[Spec]
    words: str
    fetch: Fetch
    by_budget: bool = False


def one_text(text: str, provenance: str, *, language: str = "text", notes: tuple[str, ...] = ()) -> Fetched:
    """What was fetched as one piece."""
    return Fetched((SourcePart(text, language=language),), provenance, notes)


def listed(names: Sequence[str], limit: int = 5) -> str:
    """Names for a note: the first ones, and how many more."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


class Notes:
    """What the reader may not expect, by what it is, with the names that it is about."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}

    def add(self, what: str, name: str) -> None:
        self._names.setdefault(what, []).append(name)

    def told(self) -> tuple[str, ...]:
        """In sentences."""
        return tuple(f"{what}: {listed(names)}." for what, names in self._names.items())


def encodable(text: str) -> str:
    """A text without lone surrogates, which JSON and PDFs can bring and nothing can write."""
    return text.encode("utf-8", "replace").decode()


def decode_text(data: bytes) -> str:
    """Bytes as text, in whichever encoding; what is none has replacement characters."""
    return decode(data).text
