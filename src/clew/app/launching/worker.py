"""A client that works headless in a folder: started, read while it works, and ended with all that it started.

Nothing here knows why it works: a phase of a plan, one question, or a hand-off.
"""

from __future__ import annotations

import os
import re
import tempfile
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from clew.app.egress.guard import require_clean
from clew.app.launching.launch import REFERENCES, program_of
from clew.app.ports import Ports
from clew.clients.launching import (
    OWN,
    Began,
    Called,
    Denied,
    Ended,
    Happening,
    Job,
    Launcher,
    Limited,
    Spoke,
    Tally,
    Used,
)
from clew.clients.limits import is_offline, resets_at
from clew.clients.registry import agents
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line, shorten
from clew.core.text.receipt import as_prompt, changed_throughout
from clew.workspace.disk import Disk
from clew.workspace.fingerprint import read
from clew.workspace.streaming import Streamed, stream

# Why the worker itself ends a client.
OUT_OF_TOKENS: Final = "budget"
LIMIT: Final = "limit"
_RULES_BYTES_MAX: Final = 64 << 10
_ERROR_CHARS: Final = 500
# A client that waits for a limit for longer than its job allows is ended: who waits then is who knows what else there
# is to do. One that ends by itself does so by then.
_LIMIT_GRACE_S: Final = 2.0
_TAKE_OUT: Final = "Take it out with `clew redact ID`, or out of the project's rules for agents"
_FULL: Final = re.compile(
    r"prompt is too long|context (?:window|length) (?:is )?exceed|maximum context length|context_length_exceeded"
    r"|input (?:is too long|token count .* exceeds)",
    re.IGNORECASE,
)
# How the end by a signal that nobody here sent is told.
_SIGNAL: Final = re.compile(r"exit code -\d+")
_RULES: Final = "The project's rules for agents ({name}):\n\n{text}"


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a job. `ok`: the client says that it is done. `text` is its answer, `error` why there is none; both
    as the client said them, cleaned. `tokens` counts all that was read and written, `context` what the model was sent
    last (0 unknown); `cost_usd` is the client's own count, -1 unknown. `session` can be gone on with; "" where the
    model never answered in a new one: not every client has kept it then.

    `limited` is the limit that ended it, `offline` says that the provider could not be reached. `stopped` is why it was
    ended: what `until` said, `budget` or `limit`; "" if it ended by itself. `clean`: nothing that it started is left.
    """

    ok: bool
    text: str = ""
    error: str = ""
    tokens: int = 0
    cost_usd: float = -1.0
    context: int = 0
    session: str = ""
    limited: Limited | None = None
    offline: bool = False
    stopped: str = ""
    denied: tuple[Denied, ...] = ()
    clean: bool = True

    @property
    def cents(self) -> int:
        return round(max(0.0, self.cost_usd) * 100)

    @property
    def failure(self) -> str:
        """Why there is no answer, a clause; "" where there is one."""
        if self.ok and self.text.strip():
            return ""
        if self.limited is not None:
            when = f", until {self.limited.resets_at}" if self.limited.resets_at else ""
            return f"a limit was reached{when}: {self.limited.text}"
        return one_line(self.stopped or self.error or "it printed nothing")

    @property
    def outgrown(self) -> bool:
        """Whether its context was full."""
        return not self.ok and _FULL.search(self.error) is not None

    @property
    def killed(self) -> bool:
        """Whether something that nobody here sent ended it."""
        return not self.ok and not self.stopped and _SIGNAL.search(self.error) is not None


class _ClientProgress:
    """What a client told so far, and whether it has to be ended."""

    def __init__(self, ports: Ports, job: Job, on: Callable[[Happening], None], until: Callable[[], str]) -> None:
        self._ports, self._job, self._on, self._until = ports, job, on, until
        self._begun_ms = ports.now_ms()
        self.session = ""
        self.answered = False
        self.spoken = ""
        self.ended: Ended | None = None
        self.limited: Limited | None = None
        self.denied: list[Denied] = []
        self._limited_ms = 0
        self._tally = Tally()

    def happened(self, one: Happening) -> None:
        if isinstance(one, Limited):
            one, self._limited_ms = _dated(one, self._ports), self._ports.now_ms()
        self.add(one)
        self._on(one)

    def reason(self) -> str:
        """Why it has to be ended, "" for nothing."""
        used = self.used
        if self._job.budget_tokens and used.tokens_in + used.tokens_out > self._job.budget_tokens:
            return OUT_OF_TOKENS
        if self.limited is not None and self.ended is None:
            waited_s, wait_s = (self._ports.now_ms() - self._limited_ms) / 1000, self._job.patience_s
            if waited_s > _LIMIT_GRACE_S and max(waited_s, _wait_s(self.limited, self._ports)) > wait_s:
                return LIMIT
        if self._job.timeout_s and self._ports.now_ms() - self._begun_ms > self._job.timeout_s * 1000:
            return f"no answer after {self._job.timeout_s} s"
        return self._until()

    def add(self, one: Happening) -> None:
        self.answered = self.answered or isinstance(one, Spoke | Called)
        match one:
            case Began(session):
                self.session = session
            case Spoke(text, more):
                self.spoken = self.spoken + text if more else text
            case Called():
                self.spoken, self.limited = "", None
            case Denied():
                self.denied.append(one)
            case Used():
                self._tally.add(one)
                self.limited = None if one.request else self.limited  # the model answers again
            case Limited():
                # What tells of it again may tell less.
                self.limited = one if one.resets_at or self.limited is None else self.limited
            case Ended():
                self.ended = one

    @property
    def used(self) -> Used:
        return self._tally.total


def work(
    ports: Ports,
    launcher: Launcher,
    job: Job,
    *,
    on: Callable[[Happening], None],
    until: Callable[[], str] = lambda: "",
    on_started: Callable[[int, str], None] = lambda _pid, _started: None,
    find_program: Callable[[str], str | None],
) -> JobResult:
    """Have the client of `launcher` do `job`, and tell `on` what happens while it does; limits are dated by then.

    Behind every `@` of the prompt stands a space: clients put a file in the place of `@path`, without asking what may
    be read, and a prompt holds words of anybody's. At its end it has the mark of a prompt of clew's own.

    `until` is asked often, and ends the client by giving a reason. The client's pid and the word of its start
    (`workspace/process_tree.py`) are handed to `on_started` before it is asked anything. When this returns or raises,
    nothing of it runs; so it is, soon after, when this process dies.

    Raises `NotFound` where the client is not installed, `InputError` for one that cannot work so or cannot be started,
    and `NotAllowed` where the prompt holds a secret: it would go to the model.
    """
    program = program_of(launcher, find_program)
    job = _with_rules(launcher, job)
    given = [("the prompt", job.prompt), ("what is added to it", job.appended)]
    require_clean(given, b"", exit="launch", allow=None, deep=ports.deep_scan, hint=_TAKE_OUT)
    told = _ClientProgress(ports, job, on, until)
    last_words: list[str] = []
    named = str(uuid.uuid4()) if launcher.naming and not job.session else ""

    def line(text: str) -> None:
        if named and not told.session:
            told.happened(Began(named))
        for one in launcher.read(text):
            told.happened(one)

    def aside(text: str) -> None:
        line(text)
        if text.strip():
            last_words[:] = [text]

    with tempfile.TemporaryDirectory(prefix="clew-work-") as own:
        job = job._replace(folder=job.folder or os.path.realpath(own))
        for name, text in launcher.files(job).items():
            Path(own, name).parent.mkdir(exist_ok=True)
            Path(own, name).write_text(text, encoding="utf-8")
        words = [word.replace(OWN, own) for word in _command(launcher, job)]
        try:
            ran = stream(
                [program, *words, *((launcher.naming, named) if named else ())],
                folder=job.folder,
                environment=_environment(ports, launcher, job, own),
                given=as_prompt(changed_throughout(job.prompt, partial(REFERENCES.sub, "@ "))),
                mark=job.mark or uuid.uuid4().hex,
                on_started=on_started,
                on_out=line,
                on_err=aside,
                until=told.reason,
            )
        except OSError as error:
            raise InputError(
                f"{launcher.client} could not be started: {error.strerror or type(error).__name__}",
                code="E-worker-start",
                hint=f"Start `{launcher.program}` by hand in {one_line(clean(job.folder))} to see what is wrong.",
            ) from error
        if launcher.report and (report := Path(own, launcher.report)).is_file():
            line(report.read_text(encoding="utf-8", errors="replace"))
    return _result(told, ran, "".join(last_words), job.session)


def _command(launcher: Launcher, job: Job) -> tuple[str, ...]:
    if launcher.command is None:
        raise InputError(
            f"clew cannot run {launcher.client} headless", code="E-worker-client", hint="Name another client."
        )
    return launcher.command(job)


def _environment(ports: Ports, launcher: Launcher, job: Job, own: str) -> dict[str, str]:
    """The caller's, without what a client told its own commands: this one is nobody's child."""
    marks = agents().marks
    callers = {name: value for name, value in ports.environment.items() if name not in marks}
    clients = {name: value.replace(OWN, own) for name, value in launcher.environment(job).items()}
    return {**callers, **clients, **dict(job.environment), "PWD": job.folder}


def _with_rules(launcher: Launcher, job: Job) -> Job:
    """The job, with the rules of its folder that the client does not read by itself, and where its instructions cannot
    be added to with what is for their end in the prompt. A copy of a session has the rules already; a link out of the
    folder is none of its rules.
    """
    rules = "" if job.forks or not job.folder else _rules(Path(job.folder), launcher.rules)
    added = "\n\n".join(filter(None, (job.appended, rules)))
    if launcher.appends or not added:
        return job._replace(appended=added)
    return job._replace(prompt=f"{job.prompt}\n\n{added}", appended="")


def _rules(folder: Path, names: Iterable[str]) -> str:
    disk = Disk(folder)
    for name in names:
        place = disk.follow(str(disk.root / name))
        data = read(place) if place is not None else None
        if data is not None:
            text = clean(data[:_RULES_BYTES_MAX].decode("utf-8", "replace")).strip()
            return _RULES.format(name=name, text=text) if text else ""
    return ""


def _dated(one: Limited, ports: Ports) -> Limited:
    """A limit with the moment when it lets go, as far as it says so."""
    now = datetime.fromtimestamp(ports.now_ms() / 1000).astimezone()
    when = one.resets_at or ((at := resets_at(one.text, now)) and at.isoformat(timespec="seconds")) or None
    return one._replace(text=shorten(one_line(clean(one.text)), _ERROR_CHARS), resets_at=when)


def _wait_s(one: Limited, ports: Ports) -> float:
    """How long a limit that the client waits for by itself still stands; 0 where nobody knows."""
    if one.resets_at is None:
        return one.retry_s or 0.0
    return max(datetime.fromisoformat(one.resets_at).timestamp() - ports.now_ms() / 1000, one.retry_s or 0.0)


def _result(told: _ClientProgress, ran: Streamed, last_words: str, gone_on_with: str) -> JobResult:
    used, ended = told.used, told.ended
    text = clean((ended.text if ended else "") or told.spoken)
    error = ended.error if ended else ""
    if not error and (ran.code or ended is None) and not ran.stopped:
        words = one_line(clean(last_words))
        error = f"it ended with exit code {ran.code}" + (f": {words}" if words else "")
    ok = ended is not None and ended.ok and not error and not ran.stopped
    return JobResult(
        ok=ok,
        text=text,
        error=shorten(one_line(clean(error)), _ERROR_CHARS),
        tokens=used.tokens_in + used.tokens_out,
        cost_usd=used.cost_usd,
        context=used.context,
        session=told.session if told.answered else gone_on_with,
        limited=None if ok else told.limited,
        offline=not ok and told.limited is None and is_offline(error),
        stopped=ran.stopped,
        denied=tuple(told.denied),
        clean=ran.clean,
    )
