"""How Codex is started. Seen: the real client, `--help`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.codex.settings import trust_digest
from clew.clients.fields import inner, line_of, number, rows, text
from clew.clients.launching import (
    OWN,
    Began,
    Called,
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
)
from clew.clients.limits import is_limit

# What has tools of its own, or runs programs. Some models keep a tool for patches; the sandbox lets it change nothing.
_OFF: Final = "hooks shell_tool unified_exec apps plugins multi_agent image_generation view_image goals".split()

# The tools that the hook of a run is asked about, and what the client calls the place of a hook on its command line.
_GATED: Final = "Bash|apply_patch|mcp__.+"
_GATE_KEY: Final = "/<session-flags>/config.toml:pre_tool_use:0:0"


def command(job: Job) -> tuple[str, ...]:
    """Nobody is asked, so what the sandbox keeps from it is denied; inside of it a hook of this run alone denies what
    is not allowed. The user's and the repository's rules for commands are left out: what they allow would run outside
    of the sandbox.
    """
    settings = ['approval_policy="never"', 'web_search="disabled"']
    if not job.allow.reads_only:
        settings += ["network_access=false", "exclude_slash_tmp=true", "exclude_tmpdir_env_var=true"]
        settings.append(f'writable_roots=["{OWN}"]')
        settings[2:] = [f"sandbox_workspace_write.{one}" for one in settings[2:]]
    if job.allow.read:
        settings.append(f"hooks={_gate(job)}")
    if job.appended:
        settings.append(f"developer_instructions={_toml(job.appended)}")
    words = ["exec", "--json", "--skip-git-repo-check", "--ignore-rules"]
    words += ["-s", "read-only" if job.allow.reads_only else "workspace-write"]
    words += [word for one in settings for word in ("-c", one)]
    words += [] if job.allow.read else [word for name in _OFF for word in ("--disable", name)]
    words += [*options(("--model", job.model)), *([] if job.keeps else ["--ephemeral"])]
    return (*words, *options(("fork" if job.forks else "resume", job.session)), "-")


def environment(job: Job) -> Mapping[str, str]:
    """The system's folder for temporary files is closed to it; checks need one."""
    return {} if job.allow.reads_only else {"TMPDIR": OWN}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Launcher`."""
    return (*gaps_of(job, "money"), "it reports what it used only at its end")


def read(line: str) -> Iterator[Happening]:
    """A line of `exec --json`."""
    one = line_of(line) or {}
    match one.get("type"):
        case "thread.started":
            yield Began(text(one, "thread_id"))
        case "item.started":
            yield from _begun(inner(one, "item"))
        case "item.completed" if text(inner(one, "item"), "type") == "agent_message":
            yield Spoke(text(inner(one, "item"), "text"))
        case "turn.completed":
            usage = inner(one, "usage")
            yield Used(tokens_in=number(usage, "input_tokens"), tokens_out=number(usage, "output_tokens"))
            yield Ended(True)
        case "turn.failed":
            yield from failed(text(inner(one, "error"), "message") or "the turn failed")
        case "error" if is_limit(words := text(one, "message")):
            yield Limited(words)


def _begun(item: dict[str, Any]) -> Iterator[Happening]:
    match item.get("type"):
        case "command_execution":
            yield Called("shell", _inner(text(item, "command")))
        case "file_change":
            yield from (Called("apply_patch", text(one, "path")) for one in rows(item, "changes"))
        case "mcp_tool_call":
            yield Called(f"{text(item, 'server')}.{text(item, 'tool')}")
        case "web_search":
            yield Called("web_search", text(item, "query"))


def _gate(job: Job) -> str:
    """The hook of this run as TOML, with the client's own mark of trust for exactly this command. Its place has no
    file: it is on the command line.
    """
    run = permitting(job)
    group = (
        f"{{matcher={_toml(_GATED)},hooks=[{{{','.join(f'{name}={_toml(value)}' for name, value in run.items())}}}]}}"
    )
    digest = trust_digest("PreToolUse", _GATED, run)
    return f"{{PreToolUse=[{group}],state={{{_toml(_GATE_KEY)}={{trusted_hash={_toml(digest)}}}}}}}"


def _inner(line: str) -> str:
    """The command that a shell is started for."""
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    return words[2] if len(words) == 3 and re.fullmatch(r"-l?c", words[1]) else line


def _toml(value: object) -> str:
    """A text as TOML, which here is JSON but for what stands outside the first 65,536 characters."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


LAUNCHER: Final = Launcher("codex", "codex", (), command, read, environment, gaps=gaps, forks=True)
