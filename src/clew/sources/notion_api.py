"""Asking Notion through its client library: one request at a time, patient with its limits, again after a bad moment.

The library's own repetition is off: it gives up early, does not repeat questions that are sent by POST, and sleeps
where nobody can tell why.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from clew.core.text.cleaning import clean, one_line, shorten
from clew.sources.port import Context, SourceError

if TYPE_CHECKING:
    from notion_client import Client

SERVICE: Final = "notion"
# As Notion's own examples call it; the second is what several tools read.
TOKENS: Final = ("NOTION_TOKEN", "NOTION_API_KEY")
_VERSION: Final = "2025-09-03"
_TIMEOUT_MS: Final = 30_000
_TRIES: Final = 6
_PAUSE_S: Final = 1.0
# A limit that lasts longer is told; three requests a second are what Notion allows on average.
WAIT_S_MAX: Final = 120.0
_PAGE: Final = 100
_SAID_CHARS: Final = 200


class Gone(Exception):
    """What was asked for is not there, or the token may not see it."""


class Notion:
    """Questions to Notion. Raises `Gone`, and `SourceError` for all else that goes wrong. `asked` counts requests."""

    def __init__(self, context: Context) -> None:
        self._sleep = context.sleep
        self._client = _client(context)
        self.asked = 0

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def page(self, id_: str) -> Mapping[str, Any]:
        """A page with its properties."""
        return self._told(lambda: self._client.pages.retrieve(page_id=id_))

    def database(self, id_: str) -> Mapping[str, Any]:
        """A database with the names of its data sources."""
        return self._told(lambda: self._client.databases.retrieve(database_id=id_))

    def data_source(self, id_: str) -> Mapping[str, Any]:
        """A data source with the properties that its rows have."""
        return self._told(lambda: self._client.data_sources.retrieve(data_source_id=id_))

    def children(self, id_: str) -> Iterator[Mapping[str, Any]]:
        """The blocks right below a page or block."""
        return self._pages(lambda cursor: self._client.blocks.children.list(block_id=id_, page_size=_PAGE, **cursor))

    def rows(self, id_: str, tell: Callable[[Mapping[str, Any]], object]) -> Iterator[Mapping[str, Any]]:
        """The rows of a data source, the oldest first. `tell` gets each answer as it was."""
        sorts = [{"timestamp": "created_time", "direction": "ascending"}]

        def ask(cursor: Mapping[str, str]) -> Any:
            answer: Any = self._client.data_sources.query(data_source_id=id_, page_size=_PAGE, sorts=sorts, **cursor)
            tell(answer)
            return answer

        return self._pages(ask)

    def _pages(self, ask: Callable[[Mapping[str, str]], Any]) -> Iterator[Mapping[str, Any]]:
        cursor: dict[str, str] = {}
        while True:
            answer = self._told(lambda: ask(cursor))  # noqa: B023 - it is asked at once
            yield from (one for one in answer.get("results") or () if isinstance(one, Mapping))
            following = answer.get("next_cursor")
            if not answer.get("has_more") or not following or {"start_cursor": following} == cursor:
                return
            cursor = {"start_cursor": str(following)}

    def _told(self, ask: Callable[[], object]) -> Mapping[str, Any]:
        import httpx
        from notion_client.errors import HTTPResponseError, RequestTimeoutError

        why = "it does not answer"
        for turn in range(_TRIES):
            pause = _PAUSE_S * 2**turn
            self.asked += 1
            try:
                answer = ask()
                if isinstance(answer, Mapping):
                    return answer
                why = "it answers something else than its API does"
            except HTTPResponseError as error:
                why = f"it answers {error.status}"
                if error.status == 429:
                    why = "it takes no more requests for now"
                    pause = _patience(error.headers.get("retry-after", ""), pause)
                elif error.status < 500:
                    raise _refused(error.status, str(error)) from None
            except (RequestTimeoutError, httpx.HTTPError, ValueError) as error:
                why = "it does not answer in time" if "imeout" in type(error).__name__ else type(error).__name__
            if turn + 1 < _TRIES:
                self._sleep(pause)
        raise _unreachable(why)


def _client(context: Context) -> Client:
    if find_spec("notion_client") is None:
        raise SourceError(
            "pages of Notion need the package `notion-client`, which is not installed",
            code="E-source-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[notion]'`, `uv tool install '.[notion]'`.",
        )
    token = next((told for name in TOKENS if (told := context.environment.get(name, "").strip())), "")
    if not token:
        raise SourceError(
            "there is no token for Notion",
            code="E-source-access",
            hint=f"Make an integration at notion.so/my-integrations, share the page with it, and set {TOKENS[0]}.",
        )
    from notion_client import Client

    quiet = logging.Logger("clew.notion")
    quiet.addHandler(logging.NullHandler())  # without one it prints to stderr
    options: dict[str, Any] = {"auth": token, "timeout_ms": _TIMEOUT_MS, "notion_version": _VERSION, "retry": False}
    options |= {"base_url": context.services[SERVICE]} if SERVICE in context.services else {}
    return Client({**options, "logger": quiet})


def _patience(told: str, pause: float) -> float:
    """How long a limit lasts. Raises `SourceError` where that is longer than anybody waits."""
    seconds = float(told) if told.replace(".", "", 1).isdigit() else pause
    if seconds > WAIT_S_MAX:
        raise SourceError(
            f"Notion takes no more requests for {seconds:.0f} s",
            code="E-source-unreachable",
            hint="Build the stack again later.",
        )
    return max(seconds, pause if not told else 0.0)


def _refused(status: int, message: str) -> Exception:
    said = shorten(one_line(clean(message)), _SAID_CHARS)
    # "Provided ID … is a database, not a page. Use …"
    if status == 404 or (status == 400 and re.search(r" is an? [a-z_ ]+, not an? ", message)):
        return Gone(said)
    if status in (401, 403):
        return SourceError(
            f"Notion does not allow it: {said}",
            code="E-source-access",
            hint=f"See that {TOKENS[0]} is the token of an integration that may read content.",
        )
    return SourceError(
        f"Notion refuses it ({status}): {said}", code="E-source-failed", hint="See that the id is right."
    )


def _unreachable(why: str) -> SourceError:
    return SourceError(
        f"Notion cannot be reached: {why}", code="E-source-unreachable", hint="Build the stack again later."
    )
