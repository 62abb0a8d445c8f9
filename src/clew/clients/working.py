"""How a client works headless with its tools in a folder: what it is asked, what it may do, and what it tells
on the way. One `Working` a client, in its `launch.py`; what runs it is `app/launching/worker.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from clew.clients.limits import is_limit

# What a folder of the worker's own is called in a command: only the worker knows where that is.
OWN: Final = "{own}"
_PLAIN: Final = re.compile(r"[\w./=+@%,-]+(?: [\w./=+@%,-]+)*")


class Permissions(NamedTuple):
    """What a client may do; all else is denied without a question. Reading inside of the folder always may.

    `edit`: files inside of the folder. `commands`: beginnings of command lines, in whole words (`python -m pytest`).
    `network`: its own tools for the web. `servers`: MCP servers all of whose tools may be called.
    """

    edit: bool = False
    commands: tuple[str, ...] = ()
    network: bool = False
    servers: tuple[str, ...] = ()

    @property
    def reads_only(self) -> bool:
        return not self.edit and not self.commands


class Job(NamedTuple):
    """What a client is to do in `folder` (absolute). `model` "" is its own; `session` is gone on with, "" creates one.

    `budget_usd` and `budget_tokens` end it, 0 for none. `schema` is a JSON schema for its answer, "" none.
    `settings_file` and `mcp_config` name files in the client's own form, "" none. `appended` is for the end of its
    instructions. `keeps`: the client keeps its record of the session; without it none is kept where it can do so.
    `environment` is set for it and all that it starts. `mark` is a word by which its processes are known, "" for one
    made up. A client that would wait for a limit by itself for longer than `patience_s` is ended.
    """

    prompt: str
    folder: str
    model: str = ""
    session: str = ""
    allow: Permissions = Permissions()
    budget_usd: float = 0.0
    budget_tokens: int = 0
    schema: str = ""
    settings_file: str = ""
    mcp_config: str = ""
    appended: str = ""
    keeps: bool = True
    environment: tuple[tuple[str, str], ...] = ()
    mark: str = ""
    patience_s: float = 60.0


class Began(NamedTuple):
    """A session began, or is gone on with."""

    session: str


class Spoke(NamedTuple):
    """What the model says: the last is its answer. With `more` a piece that goes on where the last one ended."""

    text: str
    more: bool = False


class Called(NamedTuple):
    """The model calls a tool: the client's name of it, and the file or the command that it is about ("" unknown)."""

    tool: str
    target: str = ""


class Denied(NamedTuple):
    """A call was refused by what the client may do."""

    tool: str
    target: str = ""


class Used(NamedTuple):
    """What was used. `request` names the request to the model that it is about: of two with one name the later holds.
    "" is all since the run began, or since the last such word, whatever its requests told before.

    `context`: tokens that the model was sent in its last request, 0 unknown. `tokens_in` counts those from a cache.
    `cost_usd` is the client's own count, -1 unknown.
    """

    context: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = -1.0
    request: str = ""


class Tally:
    """What was used, added up."""

    def __init__(self) -> None:
        self._context = 0
        self._settled = Used()
        self._requests: dict[str, Used] = {}

    def add(self, one: Used) -> None:
        self._context = one.context or self._context
        if one.request:
            self._requests[one.request] = one
        else:
            self._settled = _sum(self._settled, one)
            self._requests.clear()

    @property
    def total(self) -> Used:
        """All of it; the context is that of the last request."""
        total = self._settled
        for one in self._requests.values():
            total = _sum(total, one)
        return total._replace(context=self._context)


def _sum(one: Used, other: Used) -> Used:
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost >= 0]
    return Used(0, one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out, sum(costs) if costs else -1.0)


class Limited(NamedTuple):
    """A usage or rate limit stands in the way. `resets_at` is an ISO 8601 time with its zone, `retry_s` what the client
    waits before it tries again by itself; None unknown.
    """

    text: str
    resets_at: str | None = None
    retry_s: float | None = None


class Ended(NamedTuple):
    """The client is done. `text` is its answer, "" for what it spoke last; `error` why it is not `ok`."""

    ok: bool
    text: str = ""
    error: str = ""


Happening: TypeAlias = Began | Spoke | Called | Denied | Used | Limited | Ended


def _nothing(_: Job) -> Mapping[str, str]:
    return {}


def _nothing_missing(_: Job) -> tuple[str, ...]:
    return ()


def _as_told(job: Job) -> str:
    return job.prompt


class Working(NamedTuple):
    """How a client does a `Job`. `command` is what follows the program's name; `prompt` is put to its stdin,
    `environment` is set for it. `OWN` in command and environment stands for a folder of the worker's own that holds
    `files` (texts by name), and goes when the client has ended.

    `rules`: where in the folder the project's rules stand that the client does not read by itself when it runs so; the
    first that is there is put to the end of its instructions.

    A client that tells neither early on which session it is, nor on the way what it uses: `naming` is the option that
    gives a new session an id, a UUID, and `report` a file in `OWN` that it leaves at its end, which `read` gets whole.

    `read` takes one line of its stdout, or of its stderr, and says what happened; without state, and never raises.
    `gaps` says what of a job it cannot do or forbid: clauses for people.
    """

    command: Callable[[Job], tuple[str, ...]]
    read: Callable[[str], tuple[Happening, ...]]
    environment: Callable[[Job], Mapping[str, str]] = _nothing
    files: Callable[[Job], Mapping[str, str]] = _nothing
    prompt: Callable[[Job], str] = _as_told
    gaps: Callable[[Job], tuple[str, ...]] = _nothing_missing
    rules: tuple[str, ...] = ()
    naming: str = ""
    report: str = ""


def with_appended(job: Job) -> str:
    """The prompt of a client whose instructions cannot be added to."""
    return f"{job.prompt}\n\n{job.appended}" if job.appended else job.prompt


def prefixes(allow: Permissions) -> tuple[str, ...]:
    """The beginnings of commands that are plain words, and so mean the same to every client."""
    return tuple(one for one in allow.commands if _PLAIN.fullmatch(one))


Lack: TypeAlias = Literal["network", "money", "schema", "configuration", "forgetting"]
# What several clients lack: of which jobs that is told, and how.
_LACKS: Final[Mapping[Lack, tuple[Callable[[Job], object], str]]] = {
    "network": (
        lambda job: job.allow.commands and not job.allow.network,
        "a command that is allowed may use the network",
    ),
    "money": (lambda job: job.budget_usd, "it knows no budget in money"),
    "schema": (lambda job: job.schema, "it holds its answer to no schema"),
    "configuration": (
        lambda job: job.settings_file or job.mcp_config,
        "its settings and servers are those of the user alone",
    ),
    "forgetting": (lambda job: not job.keeps, "it keeps its record of the session"),
}


def gaps_of(job: Job, *lacks: Lack) -> tuple[str, ...]:
    """What of a job no client can do, and what one that `lacks` these cannot."""
    odd = (one for one in job.allow.commands if not _PLAIN.fullmatch(one))
    told = (words for concerns, words in map(_LACKS.__getitem__, lacks) if concerns(job))
    return (*(f"`{one}` is not a beginning of plain words, so it is not allowed" for one in odd), *told)


def failed(error: str) -> tuple[Happening, ...]:
    """The end of a run by an error, which may be a limit."""
    ended = Ended(False, "", error)
    return (Limited(error), ended) if is_limit(error) else (ended,)
