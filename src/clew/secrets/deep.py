"""The deep engine: Kingfisher's rules (several hundred, kept by its own people), beside ours for whatever leaves.

It comes with the extra `[secrets]` and runs in this process, without a network; nothing of it is imported until it is
opened. Its rules are compiled once and kept in a folder of the cache, for which the first time takes some seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

from clew.secrets.judge import is_example_password, is_masked
from clew.secrets.scanner import PLACEHOLDER_OPEN, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE: Final = "kingfisher_sdk"
# A web token without room for who and until when is an example: of these our own rule says which count.
_OURS: Final = frozenset(("betterleaks.jwt",))
_ADDRESS: Final = "-uri"


class Engine(Protocol):
    """What looks for secrets in a text. `name` is told to people, with its version."""

    @property
    def name(self) -> str: ...

    def scan(self, text: str) -> Sequence[Finding]:
        """The secrets of a text, as `clew.secrets.scan` tells them. Raises whatever went wrong: nobody then knows what
        is in it.
        """
        ...


# Opens the engine, once a process; None where none is installed. Raises where it is and cannot be loaded.
DeepScan = Callable[[], Engine | None]


class Kingfisher:
    """Kingfisher in this process. `cache` is a folder of this user's, or one that is going to be, in which it keeps its
    compiled rules; they are loaded for the first text."""

    def __init__(self, cache: str) -> None:
        from kingfisher_sdk import __version__

        self.name = f"kingfisher {__version__}"
        self._cache = cache

    @cached_property
    def _scanner(self) -> Any:
        from kingfisher_sdk import Rules, Scanner

        return Scanner(Rules(confidence="medium", cache_dir=self._cache))

    def scan(self, text: str) -> list[Finding]:
        """As `Engine.scan`. Its places are bytes of UTF-8; half a character counts as one byte."""
        data = text.encode("utf-8", "replace")
        found = []
        for one in self._scanner.scan(data):
            if not one.visible or one.rule_id in _OURS:
                continue
            start, end = (one.location[name] for name in ("start_offset", "end_offset"))
            if len(data) != len(text):
                start, end = (len(data[:place].decode("utf-8", "ignore")) for place in (start, end))
            value = text[start:end]
            is_example = one.rule_id.endswith(_ADDRESS) and is_example_password(value)
            if PLACEHOLDER_OPEN not in value and not is_masked(value) and not is_example:
                found.append(Finding(_rule(one.rule_id), start, end))
        return found


def _rule(name: str) -> str:
    """A rule's name as ours are written; it is shown."""
    return "".join(char if char.isalnum() else "-" for char in name.lower())[:64]
