"""How Claude Code is started. Seen: docs/clients/claude-code.md, and the real client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from clew.clients.fields import amount, inner, line_of, number, rows, target_of, text
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
    prefixes,
)

_TOKENS_IN: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_READING: Final = ("Read", "Glob", "Grep", "ToolSearch")
_WORKING: Final = ("Agent", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite", "Skill")
_EDITING: Final = ("Edit", "Write", "NotebookEdit")
_SETTINGS: Final = "settings.json"


def command(job: Job) -> tuple[str, ...]:
    """Only the tools that the job needs are there, and in this mode whatever no rule allows is denied without a
    question. The repository's own settings are left out: they could allow more.
    """
    words = ["-p", "--output-format", "stream-json", "--verbose", "--tools", ",".join(_tools(job))]
    words += ["--permission-mode", "dontAsk", "--permission-prompts", "none", "--settings", f"{OWN}/{_SETTINGS}"]
    words += ["--setting-sources", "user"] if job.allow.read else ["--max-turns", "1", "--disable-slash-commands"]
    words += ["--strict-mcp-config", "--mcp-config", '{"mcpServers":{}}']
    words += options(
        ("--model", job.model),
        ("--resume", job.session),
        ("--append-system-prompt", job.appended),
        ("--max-budget-usd", f"{job.budget_usd:.4f}" if job.budget_usd else ""),
    )
    return (*words, *["--fork-session"] * job.forks, *["--no-session-persistence"] * (not job.keeps))


def files(job: Job) -> Mapping[str, str]:
    """The settings of the run: what it may do."""
    allow = [f"Bash({one}:*)" for one in prefixes(job.allow)]
    if job.allow.edit:
        allow.append(f"Edit(/{_escaped(job.folder)}/**)")
    settings = {"permissions": {"allow": allow}} if job.allow.read else {"disableAllHooks": True}
    return {_SETTINGS: json.dumps(settings)}


def environment(job: Job) -> Mapping[str, str]:
    """An answer alone is never long."""
    return {} if job.allow.read else {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "8000"}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Launcher`."""
    own = () if job.allow.reads_only else ("what your own settings of the client allow is allowed as well",)
    return (*gaps_of(job, "network"), *own)


def read(line: str) -> Iterator[Happening]:
    """A line of `--output-format stream-json`."""
    one = line_of(line) or {}
    match one.get("type"):
        case "system":
            yield from _system(one)
        case "assistant":
            yield from _assistant(one)
        case "rate_limit_event":
            yield from _rate_limit(inner(one, "rate_limit_info"))
        case "result":
            yield from _result(one)


def _tools(job: Job) -> Iterator[str]:
    if job.allow.read:
        yield from _READING
    if not job.allow.reads_only:
        yield from _WORKING
    if job.allow.edit:
        yield from _EDITING
    if job.allow.commands:
        yield "Bash"


def _escaped(folder: str) -> str:
    """A folder in a rule's pattern, which is one of gitignore."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", folder)


def _system(one: dict[str, Any]) -> Iterator[Happening]:
    if one.get("subtype") == "init":
        yield Began(text(one, "session_id"))
    elif one.get("subtype") == "permission_denied":
        yield Denied(text(one, "tool_name"))
    elif one.get("subtype") == "api_retry" and one.get("error_status") in (429, 529):
        delay_ms = amount(one, "retry_delay_ms")
        yield Limited(f"HTTP {one['error_status']}", retry_s=None if delay_ms is None else delay_ms / 1000)


def _assistant(one: dict[str, Any]) -> Iterator[Happening]:
    message = inner(one, "message")
    if message.get("model") == "<synthetic>":  # the client's own words: an error, which its last line tells as well
        return
    for block in rows(message, "content"):
        if words := text(block, "text"):
            yield Spoke(words)
        elif tool := text(block, "name"):
            yield Called(tool, target_of(block.get("input")))
    usage = inner(message, "usage")
    sent = sum(number(usage, name) for name in _TOKENS_IN)
    context = 0 if one.get("parent_tool_use_id") else sent  # a sub-agent has a context of its own
    yield Used(context, sent, number(usage, "output_tokens"), request=text(message, "id"))


def _rate_limit(told: dict[str, Any]) -> Iterator[Happening]:
    if told.get("status") == "rejected":
        yield Limited(f"usage limit ({text(told, 'rateLimitType') or 'of the account'})", _moment(told))


def _moment(told: dict[str, Any]) -> str | None:
    at = amount(told, "resetsAt")
    try:
        return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
    except (OverflowError, OSError, ValueError):  # no moment that a calendar has
        return None


def _result(one: dict[str, Any]) -> Iterator[Happening]:
    usage = inner(one, "usage")
    models = [model for model in inner(one, "model_usage_since_last_result").values() if isinstance(model, dict)]
    costs = [cost for model in models if (cost := amount(model, "costUSD")) is not None]
    total = amount(one, "total_cost_usd")
    yield Used(
        tokens_in=sum(
            number(model, name)
            for model in models
            for name in ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        )
        or sum(number(usage, name) for name in _TOKENS_IN),
        tokens_out=sum(number(model, "outputTokens") for model in models) or number(usage, "output_tokens"),
        cost_usd=sum(costs) if costs else -1.0 if total is None else total,
    )
    words = text(one, "result")
    if one.get("is_error") is True or one.get("subtype") != "success":
        yield from failed(words or text(one, "subtype").replace("_", " ") or "it printed nothing")
    else:
        yield Ended(True, words)


LAUNCHER: Final = Launcher(
    "claude-code",
    "claude",
    command=command,
    read=read,
    environment=environment,
    files=files,
    gaps=gaps,
    forks=True,
    rules=("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"),
)
