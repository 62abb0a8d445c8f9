"""How OpenCode is started. Seen: the real client, `--help`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.fields import amount, inner, line_of, number, target_of, text
from clew.clients.launching import (
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
    prefixes,
)
from clew.clients.limits import is_limit

# Of a run without tools, in the folder that it runs in, which is ours.
_CONFIG: Final = json.dumps({"tools": {"*": False}, "share": "disabled"})
_READING: Final = ("read", "glob", "grep", "list", "todowrite", "todoread", "skill", "lsp")
# How it begins to tell the model of a rule that denies a call.
_BY_RULE: Final = ("The user has specified a rule which prevents", "The user rejected permission")


def command(job: Job) -> tuple[str, ...]:
    """It waits for a limit in silence, for hours if need be: only its log tells."""
    words = ["run", "--format", "json", "--print-logs", "--log-level", "ERROR"]
    words += [] if job.allow.read else ["--pure"]
    words += ["--session", job.session] if job.session else ["--title", "clew"]
    return (*words, *options(("--model", job.model)))


def files(job: Job) -> Mapping[str, str]:
    """No tools."""
    return {} if job.allow.read else {"opencode.json": _CONFIG}


def environment(job: Job) -> Mapping[str, str]:
    """Of its rules the last that fits holds. The repository's own settings are left out: they could allow more."""
    if not job.allow.read:
        return {}
    rules: dict[str, Any] = {"*": "deny", "external_directory": "deny", **dict.fromkeys(_READING, "allow")}
    rules["edit"] = "allow" if job.allow.edit else "deny"
    rules["bash"] = {"*": "deny"} | {form: "allow" for one in prefixes(job.allow) for form in (one, f"{one} *")}
    return {
        "OPENCODE_PERMISSION": json.dumps(rules),
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    }


def gaps(job: Job) -> tuple[str, ...]:
    """See `Launcher`."""
    printed = ("a command that is allowed may write what it prints to a file",) if job.allow.commands else ()
    return (*gaps_of(job, "network", "money", "forgetting"), *printed)


def read(line: str) -> Iterator[Happening]:
    """A line of `run --format json`, or of its log."""
    one = line_of(line)
    if one is None:
        if 'message="stream error"' in line and is_limit(line):
            yield Limited(line.partition("error.error=")[2].strip('"') or line)
        return
    part = inner(one, "part")
    match one.get("type"):
        case "step_start":
            yield Began(text(one, "sessionID"))
        case "text":
            yield Spoke(text(part, "text"))
        case "tool_use":
            yield from _call(part)
        case "step_finish":
            yield from _step(part)
        case "error":
            yield from failed(
                text(inner(one, "error", "data"), "message") or text(inner(one, "error"), "name") or "it failed"
            )


def _call(part: dict[str, Any]) -> Iterator[Happening]:
    tool, target = text(part, "tool"), target_of(inner(part, "state").get("input"))
    yield Called(tool, target)
    if text(inner(part, "state"), "error").startswith(_BY_RULE):
        yield Denied(tool, target)


def _step(part: dict[str, Any]) -> Iterator[Happening]:
    tokens, cache = inner(part, "tokens"), inner(part, "tokens", "cache")
    sent = number(tokens, "input") + number(cache, "read") + number(cache, "write")
    out = number(tokens, "output") + number(tokens, "reasoning")
    cost = amount(part, "cost")
    yield Used(sent, sent, out, -1.0 if cost is None else cost, request=text(part, "messageID"))
    if part.get("reason") == "stop":
        yield Ended(True)


LAUNCHER: Final = Launcher(
    "opencode",
    "opencode",
    ("--prompt",),
    command,
    read,
    environment,
    files,
    gaps,
    appends=False,
    rules=("AGENTS.md", "CLAUDE.md"),
)
