"""How Codex is started. Seen: the real client, `--help`."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Any, Final

from clew.clients.codex.config import trust_digest
from clew.clients.launching import Headless, Launcher
from clew.clients.limits import is_limit
from clew.clients.printed import count_at, dict_at, line_of, list_at, text_at
from clew.clients.working import (
    OWN,
    Began,
    Called,
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

# What has tools of its own, or runs programs. Some models keep a tool for patches; the sandbox lets it change nothing.
_OFF: Final = "hooks shell_tool unified_exec apps plugins multi_agent image_generation view_image goals".split()

_SCHEMA: Final = "schema.json"
# The tools that the hook of a run is asked about, and what the client calls the place of a hook on its command line.
_GATED: Final = "Bash|apply_patch|mcp__.+"
_GATE_KEY: Final = "/<session-flags>/config.toml:pre_tool_use:0:0"
_GATE_TIMEOUT_S: Final = 20


def command(job: Job) -> tuple[str, ...]:
    """Nobody is asked, so what the sandbox keeps from it is denied; inside of it a hook of this run alone denies what
    is not allowed. The user's and the repository's rules for commands are left out: what they allow would run outside
    of the sandbox.
    """
    allow = job.allow
    words = ["exec", "--json", "--skip-git-repo-check", "--ignore-rules"]
    words += ["-s", "read-only" if allow.reads_only else "workspace-write", "-c", 'approval_policy="never"']
    words += ["-c", f'web_search="{"live" if allow.network else "disabled"}"']
    if not allow.reads_only:
        words += ["-c", f"sandbox_workspace_write.network_access={_toml(allow.network)}"]
        words += ["-c", "sandbox_workspace_write.exclude_slash_tmp=true"]
        words += ["-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"]
        words += ["-c", f'sandbox_workspace_write.writable_roots=["{OWN}"]']
    words += ["-c", f"hooks={_gate(job)}"]
    if job.appended:
        words += ["-c", f"developer_instructions={_toml(job.appended)}"]
    words += ["--model", job.model] if job.model else []
    words += ["--output-schema", f"{OWN}/{_SCHEMA}"] if job.schema else []
    words += [] if job.keeps else ["--ephemeral"]
    return (*words, *(("resume", job.session) if job.session else ()), "-")


def files(job: Job) -> Mapping[str, str]:
    """The schema of the answer: it is told by a file."""
    return {_SCHEMA: job.schema} if job.schema else {}


def environment(job: Job) -> Mapping[str, str]:
    """The system's folder for temporary files is closed to it; checks need one."""
    return {} if job.allow.reads_only else {"TMPDIR": OWN}


def gaps(job: Job) -> tuple[str, ...]:
    """See `Working`."""
    servers = (f"the server {server} answers it as your configuration says" for server in job.allow.servers)
    return (*gaps_of(job, "money", "configuration"), "it reports what it used only at its end", *servers)


def read(line: str) -> tuple[Happening, ...]:
    """A line of `exec --json`."""
    one = line_of(line)
    if one is None:
        return ()
    match one.get("type"):
        case "thread.started":
            return (Began(text_at(one, "thread_id")),)
        case "item.started":
            return _begun(dict_at(one, "item"))
        case "item.completed" if text_at(one, "item", "type") == "agent_message":
            return (Spoke(text_at(one, "item", "text")),)
        case "turn.completed":
            usage = dict_at(one, "usage")
            return (
                Used(tokens_in=count_at(usage, "input_tokens"), tokens_out=count_at(usage, "output_tokens")),
                Ended(True),
            )
        case "turn.failed":
            return failed(text_at(one, "error", "message") or "the turn failed")
        case "error" if is_limit(text := text_at(one, "message")):
            return (Limited(text),)
    return ()


def _begun(item: dict[str, Any]) -> tuple[Happening, ...]:
    match item.get("type"):
        case "command_execution":
            return (Called("shell", _inner(text_at(item, "command"))),)
        case "file_change":
            return tuple(Called("apply_patch", text_at(one, "path")) for one in list_at(item, "changes"))
        case "mcp_tool_call":
            return (Called(f"{text_at(item, 'server')}.{text_at(item, 'tool')}"),)
        case "web_search":
            return (Called("web_search", text_at(item, "query")),)
    return ()


def _gate(job: Job) -> str:
    """The hook of this run as TOML, with the client's own mark of trust for exactly this command. Its place has no
    file: it is on the command line.
    """
    mode = "edit" if job.allow.edit else "read"
    servers = [word for server in job.allow.servers for word in ("--server", server)]
    words = [sys.executable, "-E", "-P", "-m", "clew.interfaces.hook.permit", job.folder, mode, *servers, "--"]
    run = {"type": "command", "command": shlex.join([*words, *prefixes(job.allow)]), "timeout": _GATE_TIMEOUT_S}
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
    """A text or a switch as TOML, which here is JSON but for what stands outside the first 65,536 characters."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


LAUNCHER: Final = Launcher(
    "codex",
    "codex",
    Headless(
        (
            *("exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"),
            *(word for name in _OFF for word in ("--disable", name)),
            *("-c", 'web_search="disabled"', "-c", 'approval_policy="never"'),
        ),
        "--model",
        read,
        fork=("fork", "{}"),
        last=("-",),
    ),
    working=Working(command, read, environment=environment, files=files, gaps=gaps),
)
