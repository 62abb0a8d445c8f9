"""Requests to GitHub's API: bounded in time, repeated only where that does no harm, patient with its limits.

`githubkit` logs in, speaks HTTP and knows the limits' headers. Its own repetition is off: it would send what opens an
issue a second time after a lost answer. So are its cache, which would keep texts on disk that nobody redacted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import githubkit
import httpx
import msgspec
from githubkit.exception import GitHubException, GraphQLFailed, RateLimitExceeded, RequestError, RequestFailed

from clew.core.errors import ClewError, InputError, NotAllowed, NotFound, Unavailable
from clew.core.text.cleaning import clean, one_line, shorten
from clew.remotes.github.access import api_of
from clew.remotes.github.wire import ApiProblem

CONNECT_S: Final = 10.0
ANSWER_S: Final = 30.0
# A limit that lasts no longer is waited for; GitHub names a minute where it names nothing.
WAIT_S_MAX: Final = 60
_TRIES: Final = 4
_PAUSE_S: Final = 1.0
# What may be sent again whatever became of it.
_REPEATED: Final = frozenset(("GET", "PATCH"))
_SAID_CHARS: Final = 200
_LATER: Final = "Nothing is lost: run it again later."


class Unsure(Exception):
    """Nobody knows whether the server did it: the answer was lost."""


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """`status` below 400. `following` is the URL of the list's next page, "" none."""

    status: int
    content: bytes
    headers: Mapping[str, str]
    following: str


class Requests:
    """Requests to one server with one login. `sleep` takes seconds, `now_s` gives those since 1970."""

    def __init__(
        self,
        host: str,
        token: str,
        *,
        sleep: Callable[[float], object],
        now_s: Callable[[], float],
        timeout: httpx.Timeout | None = None,
    ) -> None:
        self._host = host
        self._sleep = sleep
        self._now_s = now_s
        self._api = api_of(host)
        self._github = githubkit.GitHub(
            githubkit.TokenAuthStrategy(token),
            base_url=self._api,
            user_agent="clew",
            timeout=timeout or httpx.Timeout(ANSWER_S, connect=CONNECT_S),
            auto_retry=False,
            http_cache=False,
        )

    def now(self) -> str:
        """The time an hour ago, RFC 3339: the server's clock may be behind."""
        return datetime.fromtimestamp(self._now_s() - 3600, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def ask(
        self,
        method: str,
        url: str,
        *,
        what: str,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ApiAnswer:
        """The answer to one request. Raises `ClewError`; and `Unsure` where what is not to be sent twice (POST) may
        have been done.
        """
        return self._tried(
            lambda: self._github.request(method, url, params=params, json=json, headers=headers),
            is_repeated=method in _REPEATED,
            what=what,
        )

    def query(self, query: str, variables: Mapping[str, object], *, what: str) -> Mapping[str, Any]:
        """The data that a GraphQL query asks for. Raises `ClewError`."""
        found: dict[str, Any] = {}

        def asked() -> None:
            found.update(self._github.graphql.request(query, dict(variables)))

        self._tried(asked, is_repeated=True, what=what)
        return found

    def _tried(self, send: Callable[[], Any], *, is_repeated: bool, what: str) -> ApiAnswer:
        problem = unreachable(self._host, "it does not answer")
        for turn in range(_TRIES):
            pause = _PAUSE_S * 2**turn
            try:
                return self._answer(send())
            except RateLimitExceeded as limit:
                pause = max(1.0, limit.retry_after.total_seconds())
                problem = _limited(self._host, int(pause))
                if pause > WAIT_S_MAX:
                    raise problem from None
            except RequestFailed as failed:
                status = failed.response.status_code
                problem_here = _refused(self._host, status, failed.response.content, what)
                if status < 500:
                    raise problem_here from None
                if not is_repeated:
                    raise Unsure from None
                problem = problem_here  # type: ignore[assignment]
            except GraphQLFailed as failed:
                types = ", ".join(sorted({str(error.type or "error") for error in failed.response.errors or ()}))
                raise _refused(self._host, 400, b"", f"{what}: {types}") from None
            except RequestError as failed:
                if not is_repeated and not isinstance(failed.exc, httpx.ConnectError):
                    raise Unsure from None
                problem = unreachable(self._host, _why(failed))
            except GitHubException as failed:
                raise unreachable(self._host, type(failed).__name__) from None
            if turn + 1 < _TRIES:
                self._sleep(pause)
        raise problem

    def _answer(self, response: Any) -> ApiAnswer:
        if response is None:
            return ApiAnswer(200, b"", {}, "")
        following = str(response.raw_response.links.get("next", {}).get("url", ""))
        # The login goes to this server only.
        is_ours = following.startswith(f"{self._api}/")
        return ApiAnswer(response.status_code, response.content, response.headers, following if is_ours else "")


def _why(failed: RequestError[Any]) -> str:
    if isinstance(failed.exc, httpx.TimeoutException):
        return "it does not answer in time"
    return f"no connection ({type(failed.exc).__name__})"


def unreachable(host: str, why: str) -> Unavailable:
    """The server gave no answer, or none that helps."""
    return Unavailable(f"{host} cannot be reached: {why}", code="E-issue-unreachable", hint=_LATER)


def _limited(host: str, seconds: int) -> Unavailable:
    """Too many requests; it is said for how long none is taken."""
    minutes = max(1, -(-seconds // 60))
    return Unavailable(
        f"{host} takes no more requests for {minutes} minute{'s' * (minutes > 1)}", code="E-issue-limit", hint=_LATER
    )


def _refused(host: str, status: int, content: bytes, what: str) -> ClewError:
    """A status of 400 and above that is no limit. `what` is the thing that was asked for."""
    said = _said(content)
    told = f": {said}" if said else ""
    if status == 401:
        hint = f"Log in again: `gh auth login --hostname {host}`, or set another token."
        return Unavailable(f"{host} does not take the login{told}", code="E-issue-access", hint=hint)
    if status == 403:
        hint = "The login needs the right to write issues there; an issue may also be locked."
        return NotAllowed(f"{host} does not allow it for {what}{told}", code="E-issue-forbidden", hint=hint)
    if status in (404, 410):
        gone = "was deleted" if status == 410 else "is not there, or the login may not see it"
        hint = "See that number and repository are right, and that the repository has issues."
        return NotFound(f"{what} {gone}", code="E-issue-missing", hint=hint)
    if status >= 500:
        return unreachable(host, f"it answers {status}{told}")
    hint = "If it goes on, `clew issue push --dry-run` shows what would be sent."
    return InputError(f"{host} refuses {what} ({status}){told}", code="E-issue-refused", hint=hint)


def _said(content: bytes) -> str:
    try:
        problem = msgspec.json.decode(content, type=ApiProblem)
    except (ValueError, RecursionError):
        return ""
    details = b" ".join(bytes(one) for one in problem.errors).decode("utf-8", "replace")
    return shorten(one_line(clean(" ".join(filter(None, (problem.message, details))))), _SAID_CHARS)
