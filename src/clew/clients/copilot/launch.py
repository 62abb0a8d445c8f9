"""How GitHub Copilot CLI is started. Seen: the real client, `copilot help`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.launching import Headless, Launcher
from clew.clients.limits import is_limit
from clew.clients.printed import count_at, dict_at, line_of, target_of, text_at
from clew.clients.working import (
    OWN,
    Began,
    Called,
    Denied,
    Ended,
    Happening,
    Job,
    Limited,
    Spoke,
    Used,
    Working,
    failed,
    gaps_of,
    prefixes,
    with_appended,
)

_PLUGIN: Final = "plugin.json"
_HOOKS: Final = "hooks.json"
_REPORT: Final = "usage.json"
_GATE_TIMEOUT_S: Final = 20


def command(job: Job) -> tuple[str, ...]:
    """What no option allows is denied, since nobody is asked. An option allows commands by their first word only, so
    all are allowed, and a hook of this run alone denies those that the job does not.
    """
    words = ["--output-format", "json", "--stream", "off", "--no-ask-user", "--disallow-temp-dir", "--no-auto-update"]
    # Of a session that is gone on with the report adds up what was used before, too.
    words += [] if job.session else ["--usage-output-file", f"{OWN}/{_REPORT}"]
    words += ["--allow-tool=write"] if job.allow.edit else []
    words += ["--allow-tool=shell", "--plugin-dir", OWN] if prefixes(job.allow) else []
    words += ["--allow-all-urls"] if job.allow.network else ["--excluded-tools=web_fetch,web_search"]
    words += [f"--allow-tool={server}" for server in job.allow.servers]
    words += ["--additional-mcp-config", f"@{job.mcp_config}"] if job.mcp_config else []
    words += ["--model", job.model] if job.model else []
    return (*words, *(("--resume", job.session) if job.session else ()))


def files(job: Job) -> Mapping[str, str]:
    """The plugin with that hook."""
    mode = "edit" if job.allow.edit else "read"
    words = [sys.executable, "-E", "-P", "-m", "clew.interfaces.hook.permit", job.folder, mode, "--"]
    run = {"type": "command", "command": shlex.join([*words, *prefixes(job.allow)]), "timeout": _GATE_TIMEOUT_S}
    hooks = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [run]}]}}
    about = {"name": "clew-run", "version": "1.0.0", "hooks": _HOOKS}
    return {_PLUGIN: json.dumps(about), _HOOKS: json.dumps(hooks)} if prefixes(job.allow) else {}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Working`."""
    settings = ("its settings are those of the user alone",) if job.settings_file else ()
    always = "it reports what it used only at its end, and nothing of it for a session that it goes on with"
    return (*gaps_of(job, "network", "money", "schema", "forgetting"), *settings, always)


def read(line: str) -> tuple[Happening, ...]:
    """A line of `--output-format json`, or the report."""
    one = line_of(line.strip())
    if one is None:
        return ()
    data = dict_at(one, "data")
    match one.get("type"):
        case None:
            return tuple(_used(dict_at(one, "modelMetrics")))
        case "assistant.message":
            return tuple(_answer(data, is_main="agentId" not in one))
        case "tool.execution_complete" if text_at(data, "error", "code") == "denied":
            return (Denied(text_at(data, "toolCallId")),)
        case "session.error":
            text = text_at(data, "message") or "it failed"
            return failed(text)
        case "model.call_failure" if is_limit(text := text_at(data, "errorMessage")):
            return (Limited(text),)
        case "result":
            began = (Began(session),) if (session := text_at(one, "sessionId")) else ()
            return (*began, *((Ended(True),) if one.get("exitCode") == 0 else ()))
    return ()


def _answer(data: dict[str, Any], *, is_main: bool) -> Iterator[Happening]:
    if is_main and (text := text_at(data, "content")):
        yield Spoke(text)
    requests = data.get("toolRequests")
    for one in requests if isinstance(requests, list) else ():
        given = one.get("arguments") if isinstance(one, dict) else None
        yield Called(text_at(one, "name"), target_of(given))


def _used(models: dict[str, Any]) -> Iterator[Used]:
    """By model what all its requests used; what came from a cache is counted as input too."""
    for one in models.values():
        yield Used(tokens_in=count_at(one, "usage", "inputTokens"), tokens_out=count_at(one, "usage", "outputTokens"))


LAUNCHER: Final = Launcher(
    "copilot",
    "copilot",
    Headless(
        (
            *("--output-format", "json", "--stream", "off", "--available-tools", "none", "--disable-builtin-mcps"),
            *("--no-custom-instructions", "--no-ask-user", "--no-auto-update"),
        ),
        "--model",
        read,
    ),
    ("--interactive",),
    Working(command, read, files=files, prompt=with_appended, gaps=gaps, naming="--session-id", report=_REPORT),
)
