"""How a client is started: in a terminal, or headless to do a job (what runs that is `app/launching/worker.py`). One
value a client, in its `launch.py`.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from clew.clients.limits import is_limit

# What a folder of the worker's own is called in a command: only the worker knows where that is.
OWN: Final = "{own}"
_PLAIN: Final = re.compile(r"[\w./=+@%,-]+(?: [\w./=+@%,-]+)*")


class Permissions(NamedTuple):
    """What a client may do; all else is denied without a question, also the web and MCP servers.

    `read`: files inside of the folder; without it the client answers in one turn, and has neither tools nor hooks.
    `edit`: files inside of the folder. `commands`: beginnings of command lines, in whole words (`python -m pytest`).
    """

    read: bool = True
    edit: bool = False
    commands: tuple[str, ...] = ()

    @property
    def reads_only(self) -> bool:
        return not self.edit and not self.commands


class Job(NamedTuple):
    """What a client is to do in `folder` (absolute; "" one of the worker's own, which is empty). `model` "" is its own;
    `session` is gone on with, in a copy where it `forks`; "" creates one.

    `budget_usd`, `budget_tokens` and `timeout_s` end it, 0 for none. `appended` is for the end of its instructions.
    `keeps`: the client keeps its record of the session; without it none is kept where it can do so. `environment` is
    set for it and all that it starts. `mark` is a word by which its processes are known, "" for one made up. A client
    that would wait for a limit by itself for longer than `patience_s` is ended.
    """

    prompt: str
    folder: str
    model: str = ""
    session: str = ""
    forks: bool = False
    allow: Permissions = Permissions()
    budget_usd: float = 0.0
    budget_tokens: int = 0
    timeout_s: int = 0
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


def _silence(_: str) -> Iterable[Happening]:
    return ()


class Launcher(NamedTuple):
    """How a client is started. `program` starts it with a person at it; with `prompted` and then a text, that is its
    first prompt. The rest is how it does a `Job` headless.

    `command` is what follows the program's name (None: it cannot work headless), `environment` is set for it; the
    prompt is put to its stdin. `OWN` in both stands for a folder of the worker's own that holds `files` (texts by
    name), and goes when the client has ended. `forks`: it can go on in a copy of a session.

    `appends`: its instructions can be added to; else what is for their end stands behind the prompt. `rules`: where in
    the folder the project's rules stand that it does not read by itself when it runs so; the first that is there is put
    to the end of its instructions.

    A client that tells neither early on which session it is, nor on the way what it uses: `naming` is the option that
    gives a new session an id, a UUID, and `report` a file in `OWN` that it leaves at its end, which `read` gets whole.

    `read` takes one line of its stdout, or of its stderr, and says what happened; without state, and never raises.
    `gaps` says what of a job it cannot do or forbid: clauses for people.
    """

    client: str
    program: str
    prompted: tuple[str, ...] = ()
    command: Callable[[Job], tuple[str, ...]] | None = None
    read: Callable[[str], Iterable[Happening]] = _silence
    environment: Callable[[Job], Mapping[str, str]] = _nothing
    files: Callable[[Job], Mapping[str, str]] = _nothing
    gaps: Callable[[Job], tuple[str, ...]] = _nothing_missing
    forks: bool = False
    appends: bool = True
    rules: tuple[str, ...] = ()
    naming: str = ""
    report: str = ""

    def arguments(self, prompt: str, model: str = "") -> tuple[str, ...]:
        """What follows the program's name with a person at it; `prompt` is the first prompt, "" none; `model` "" the
        client's own.
        """
        return (*options(("--model", model)), *((*self.prompted, prompt) if prompt else ()))


def options(*pairs: tuple[str, str]) -> tuple[str, ...]:
    """Options of a command line, each with its value; without those that have none ("")."""
    return tuple(word for name, value in pairs if value for word in (name, value))


def prefixes(allow: Permissions) -> tuple[str, ...]:
    """The beginnings of commands that are plain words, and so mean the same to every client."""
    return tuple(one for one in allow.commands if _PLAIN.fullmatch(one))


Lack: TypeAlias = Literal["network", "money", "forgetting"]
# What several clients lack: of which jobs that is told, and how.
_LACKS: Final[Mapping[Lack, tuple[Callable[[Job], object], str]]] = {
    "network": (lambda job: job.allow.commands, "a command that is allowed may use the network"),
    "money": (lambda job: job.budget_usd, "it knows no budget in money"),
    "forgetting": (lambda job: not job.keeps, "it keeps its record of the session"),
}


def gaps_of(job: Job, *lacks: Lack) -> tuple[str, ...]:
    """What of a job no client can do, and what one that `lacks` these cannot."""
    odd = (one for one in job.allow.commands if not _PLAIN.fullmatch(one))
    told = (words for concerns, words in map(_LACKS.__getitem__, lacks) if concerns(job))
    return (*(f"`{one}` is not a beginning of plain words, so it is not allowed" for one in odd), *told)


def permitting(job: Job) -> dict[str, Any]:
    """The hook of a run alone that denies what the job does not allow, as clients write one. Its process may take 20
    seconds, for a machine that hangs.
    """
    words = [sys.executable, "-E", "-P", "-m", "clew.interfaces.hook.permit", job.folder]
    words += ["edit" if job.allow.edit else "read", *prefixes(job.allow)]
    return {"type": "command", "command": shlex.join(words), "timeout": 20}


def failed(error: str) -> Iterator[Happening]:
    """The end of a run by an error, which may be a limit."""
    if is_limit(error):
        yield Limited(error)
    yield Ended(False, "", error)


# Our hooks and our server do nothing in a process that has it.
ASKED: Final = "CLEW_ASKED"
