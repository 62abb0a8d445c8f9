"""How Gemini CLI is started. Seen: the real client, `--help`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.fields import inner, line_of, number, target_of, text
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
from clew.clients.limits import is_limit

# Of a run without tools, in the folder that it runs in, which is ours: no hooks and no servers either.
_SETTINGS: Final = json.dumps({"tools": {"core": ["none"]}, "hooksConfig": {"enabled": False}, "mcp": {"allowed": []}})
_POLICY: Final = "policy.toml"
_READING: Final = (
    *("read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"),
    *("write_todos", "get_internal_docs", "activate_skill"),
)
_EDITING: Final = ("replace", "write_file")
# Of the rules of a policy the one with the highest number holds.
_LAST, _FIRST = 1, 900
_RETRIES: Final = re.compile(r"Retrying after (\d+)ms")


def command(job: Job) -> tuple[str, ...]:
    """Its rules stand above those of the user and of the repository."""
    words = ["-o", "stream-json", "--approval-mode", "default", "--skip-trust", "--admin-policy", f"{OWN}/{_POLICY}"]
    words += [] if job.allow.read else ["-e", "none"]
    return (*words, *options(("--model", job.model), ("--resume", job.session)), "-p", "")


def files(job: Job) -> Mapping[str, str]:
    """The policy of the run."""
    rules = [_rule("deny", _LAST, toolName="*")]
    if not job.allow.read:
        return {_POLICY: rules[0], ".gemini/settings.json": _SETTINGS}
    rules.append(_rule("allow", _FIRST, toolName=[*_READING, *(_EDITING if job.allow.edit else ())]))
    if commands := list(prefixes(job.allow)):
        rules.append(_rule("allow", _FIRST, toolName="run_shell_command", commandPrefix=commands))
    return {_POLICY: "\n".join(rules)}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Launcher`."""
    always = ("the repository's own settings and hooks for it hold", "it reports what it used only at its end")
    return (*gaps_of(job, "network", "money", "forgetting"), *always)


def read(line: str) -> Iterator[Happening]:
    """A line of `-o stream-json`, or one of stderr that tells of another try."""
    one = line_of(line)
    if one is None:
        yield from _aside(line)
        return
    match one.get("type"):
        case "init":
            yield Began(text(one, "session_id"))
        case "message" if one.get("role") == "assistant":
            yield Spoke(text(one, "content"), more=one.get("delta") is True)
        case "tool_use":
            yield Called(text(one, "tool_name"), target_of(one.get("parameters")))
        case "tool_result" if _is_denied(one):
            yield Denied(text(one, "tool_id").partition("__")[0])
        case "result":
            yield from _result(one)


def _rule(decision: str, priority: int, **conditions: object) -> str:
    """A rule in the policy's form (TOML, which JSON's texts and lists are as well)."""
    told = "".join(f"{name} = {json.dumps(value)}\n" for name, value in conditions.items())
    return f'[[rule]]\n{told}decision = "{decision}"\npriority = {priority}\n'


def _is_denied(one: dict[str, Any]) -> bool:
    error = inner(one, "error")
    return text(error, "type") == "policy_violation" or "requires user confirmation" in text(error, "message")


def _result(one: dict[str, Any]) -> Iterator[Happening]:
    stats = inner(one, "stats")
    yield Used(tokens_in=number(stats, "input_tokens"), tokens_out=number(stats, "output_tokens"))
    if one.get("status") == "success":
        yield Ended(True)
    else:
        yield from failed(text(inner(one, "error"), "message") or "it failed")


def _aside(line: str) -> Iterator[Happening]:
    found = _RETRIES.search(line)
    if found or (line.startswith("Attempt ") and is_limit(line)):
        yield Limited(line, retry_s=int(found[1]) / 1000 if found else None)


LAUNCHER: Final = Launcher(
    "gemini", "gemini", ("--prompt-interactive",), command, read, files=files, gaps=gaps, appends=False
)
