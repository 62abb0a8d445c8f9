"""How Claude Code is started. Seen: docs/clients/claude-code.md, and the real client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from clew.clients.launching import Headless, Launcher
from clew.clients.printed import count_at, dict_at, line_of, list_at, number_at, target_of, text_at
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
)

_TOKENS_IN: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


_READING: Final = ("Read", "Glob", "Grep", "ToolSearch")
_WORKING: Final = ("Agent", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite", "Skill")
_EDITING: Final = ("Edit", "Write", "NotebookEdit")
_WEB: Final = ("WebFetch", "WebSearch")
_SETTINGS: Final = "settings.json"


def command(job: Job) -> tuple[str, ...]:
    """Only the tools that the job needs are there, and in this mode whatever no rule allows is denied without a
    question. The repository's own settings are left out: they could allow more.
    """
    words = ["-p", "--output-format", "stream-json", "--verbose", "--tools", ",".join(_tools(job))]
    words += ["--permission-mode", "dontAsk", "--permission-prompts", "none", "--setting-sources", "user"]
    words += ["--settings", f"{OWN}/{_SETTINGS}"]
    if job.mcp_config or not job.allow.servers:  # else the user's own servers are there
        words += ["--strict-mcp-config", "--mcp-config", job.mcp_config or '{"mcpServers":{}}']
    for option, value in (
        ("--model", job.model),
        ("--resume", job.session),
        ("--append-system-prompt", job.appended),
        ("--json-schema", job.schema),
        ("--max-budget-usd", f"{job.budget_usd:.4f}" if job.budget_usd else ""),
    ):
        words += [option, value] if value else []
    return (*words, *(() if job.keeps else ("--no-session-persistence",)))


def files(job: Job) -> Mapping[str, str]:
    """The settings of the run: those that the job names, and what it may do."""
    settings = line_of(_text(job.settings_file).strip()) or {}
    rules = dict_at(settings, "permissions")
    allow = [*(f"Bash({one}:*)" for one in prefixes(job.allow)), *(f"mcp__{one}" for one in job.allow.servers)]
    if job.allow.edit:
        allow.append(f"Edit(/{_escaped(job.folder)}/**)")
    if job.allow.network:
        allow += _WEB
    given = {**rules, "allow": [*list_at(rules, "allow"), *allow]}
    return {_SETTINGS: json.dumps({**settings, "permissions": given})}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Working`."""
    own = () if job.allow.reads_only else ("what your own settings of the client allow is allowed as well",)
    return (*gaps_of(job, "network"), *own)


def read(line: str) -> tuple[Happening, ...]:
    """A line of `--output-format stream-json`."""
    one = line_of(line)
    if one is None:
        return ()
    match one.get("type"):
        case "system":
            return tuple(_system(one))
        case "assistant":
            return tuple(_assistant(one))
        case "rate_limit_event":
            return tuple(_rate_limit(dict_at(one, "rate_limit_info")))
        case "result":
            return tuple(_result(one))
    return ()


def _tools(job: Job) -> Iterator[str]:
    yield from _READING
    if not job.allow.reads_only:
        yield from _WORKING
    if job.allow.edit:
        yield from _EDITING
    if job.allow.commands:
        yield "Bash"
    if job.allow.network:
        yield from _WEB


def _escaped(folder: str) -> str:
    """A folder in a rule's pattern, which is one of gitignore."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", folder)


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8") if path else ""


def _system(one: dict[str, Any]) -> Iterator[Happening]:
    if one.get("subtype") == "init":
        yield Began(text_at(one, "session_id"))
    elif one.get("subtype") == "permission_denied":
        yield Denied(text_at(one, "tool_name"))
    elif one.get("subtype") == "api_retry" and one.get("error_status") in (429, 529):
        delay_ms = number_at(one, "retry_delay_ms")
        yield Limited(f"HTTP {one['error_status']}", retry_s=None if delay_ms is None else delay_ms / 1000)


def _assistant(one: dict[str, Any]) -> Iterator[Happening]:
    message = dict_at(one, "message")
    if message.get("model") == "<synthetic>":  # the client's own words: an error, which its last line tells as well
        return
    for block in list_at(message, "content"):
        if text := text_at(block, "text"):
            yield Spoke(text)
        elif tool := text_at(block, "name"):
            yield Called(tool, target_of(block.get("input")))
    sent = sum(count_at(message, "usage", name) for name in _TOKENS_IN)
    context = 0 if one.get("parent_tool_use_id") else sent  # a sub-agent has a context of its own
    yield Used(context, sent, count_at(message, "usage", "output_tokens"), request=text_at(message, "id"))


def _rate_limit(told: dict[str, Any]) -> Iterator[Happening]:
    if told.get("status") == "rejected":
        yield Limited(f"usage limit ({text_at(told, 'rateLimitType') or 'of the account'})", _moment(told))


def _moment(told: dict[str, Any]) -> str | None:
    at = number_at(told, "resetsAt")
    try:
        return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
    except (OverflowError, OSError, ValueError):  # no moment that a calendar has
        return None


def _result(one: dict[str, Any]) -> Iterator[Happening]:
    models = dict_at(one, "model_usage_since_last_result").values()
    costs = [cost for model in models if (cost := number_at(model, "costUSD")) is not None]
    total = number_at(one, "total_cost_usd")
    yield Used(
        tokens_in=sum(
            count_at(model, name)
            for model in models
            for name in ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        )
        or sum(count_at(one, "usage", name) for name in _TOKENS_IN),
        tokens_out=sum(count_at(model, "outputTokens") for model in models) or count_at(one, "usage", "output_tokens"),
        cost_usd=sum(costs) if costs else -1.0 if total is None else total,
    )
    text = text_at(one, "result")
    if one.get("is_error") is True or one.get("subtype") != "success":
        yield from failed(text or text_at(one, "subtype").replace("_", " ") or "it printed nothing")
    else:
        yield Ended(True, text)


LAUNCHER: Final = Launcher(
    "claude-code",
    "claude",
    Headless(
        (
            *("-p", "--output-format", "json", "--max-turns", "1", "--tools", "", "--strict-mcp-config"),
            *("--disable-slash-commands", "--no-session-persistence", "--settings", '{"disableAllHooks":true}'),
        ),
        "--model",
        read,
        fork=("--resume", "{}", "--fork-session"),
        environment=(("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "8000"),),
    ),
    working=Working(command, read, files=files, gaps=gaps, rules=("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")),
)
