"""How GitHub Copilot CLI is started. Seen: the real client, `copilot help`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.fields import inner, line_of, number, rows, target_of, text
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
    Used,
    failed,
    gaps_of,
    options,
    permitting,
    prefixes,
)
from clew.clients.limits import is_limit

_PLUGIN: Final = "plugin.json"
_HOOKS: Final = "hooks.json"
_REPORT: Final = "usage.json"


def command(job: Job) -> tuple[str, ...]:
    """What no option allows is denied, since nobody is asked. An option allows commands by their first word only, so
    all are allowed, and a hook of this run alone denies those that the job does not.
    """
    words = ["--output-format", "json", "--stream", "off", "--no-ask-user", "--disallow-temp-dir", "--no-auto-update"]
    if not job.allow.read:
        words += ["--available-tools", "none", "--disable-builtin-mcps", "--no-custom-instructions"]
    # Of a session that is gone on with the report adds up what was used before, too.
    words += [] if job.session else ["--usage-output-file", f"{OWN}/{_REPORT}"]
    words += ["--allow-tool=write"] if job.allow.edit else []
    words += ["--allow-tool=shell", "--plugin-dir", OWN] if prefixes(job.allow) else []
    words += ["--excluded-tools=web_fetch,web_search"] if job.allow.read else []
    return (*words, *options(("--model", job.model), ("--resume", job.session)))


def files(job: Job) -> Mapping[str, str]:
    """The plugin with that hook."""
    hooks = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [permitting(job)]}]}}
    about = {"name": "clew-run", "version": "1.0.0", "hooks": _HOOKS}
    return {_PLUGIN: json.dumps(about), _HOOKS: json.dumps(hooks)} if prefixes(job.allow) else {}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Launcher`."""
    always = "it reports what it used only at its end, and nothing of it for a session that it goes on with"
    return (*gaps_of(job, "network", "money", "forgetting"), always)


def read(line: str) -> Iterator[Happening]:
    """A line of `--output-format json`, or the report."""
    one = line_of(line.strip())
    if one is None:
        return
    data = inner(one, "data")
    match one.get("type"):
        case None:
            yield from _used(inner(one, "modelMetrics"))
        case "assistant.message":
            yield from _answer(data, is_main="agentId" not in one)
        case "tool.execution_complete" if text(inner(data, "error"), "code") == "denied":
            yield Denied(text(data, "toolCallId"))
        case "session.error":
            yield from failed(text(data, "message") or "it failed")
        case "model.call_failure" if is_limit(words := text(data, "errorMessage")):
            yield Limited(words)
        case "result":
            if session := text(one, "sessionId"):
                yield Began(session)
            if one.get("exitCode") == 0:
                yield Ended(True)


def _answer(data: dict[str, Any], *, is_main: bool) -> Iterator[Happening]:
    if is_main and (words := text(data, "content")):
        yield Spoke(words)
    for one in rows(data, "toolRequests"):
        yield Called(text(one, "name"), target_of(inner(one, "arguments")))


def _used(models: dict[str, Any]) -> Iterator[Used]:
    """By model what all its requests used; what came from a cache is counted as input too."""
    for name in models:
        usage = inner(models, name, "usage")
        yield Used(tokens_in=number(usage, "inputTokens"), tokens_out=number(usage, "outputTokens"))


LAUNCHER: Final = Launcher(
    "copilot",
    "copilot",
    ("--interactive",),
    command,
    read,
    files=files,
    gaps=gaps,
    appends=False,
    naming="--session-id",
    report=_REPORT,
)
