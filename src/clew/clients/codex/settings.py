"""What Codex gets (hooks, skills that the user calls by name, and on request the MCP server), and what its settings say
that clew has to know: our hooks, and which of them the user has accepted.

Where the client looks and what it does with it: docs/clients/codex.md, "Hooks", "Settings" and "Trust". It runs no hook
before the user has accepted it, and asks again for one whose command has changed: so nothing in a command is of a
version.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.codex.spec import SPEC
from clew.clients.configured import ClientConfig, HookRow, JsonForm, Problem, SettingLayers, whole
from clew.clients.fields import inner
from clew.clients.installing import (
    ABOUT,
    ARGUMENTS,
    ON_PATH,
    SHELL,
    HookCommand,
    Installer,
    OwnFile,
    Parts,
    is_plugin,
    server_command,
    settings_of,
    slash_commands,
)
from clew.clients.registry import specs

_ACCEPT: Final = (
    "Codex runs no hook that you have not accepted. At its next start it says that hooks need review: look at those of "
    "clew under `/hooks` and accept them (`Trust all and continue` takes those of the repository as well). Until then, "
    "and in `codex exec` without a word, it skips them; `clew doctor` tells which."
)
_ARGUMENT: Final = "(the words that the user wrote behind the skill's name)"
# The server, where the program is there and finds clew; else one without tools. Only what every shell has is used. "$1"
# is the program, "$@" starts the server.
_ANSWERS: Final = """\
if [ -x "$1" ] && "$1" -E -P -c 'import clew' 2>/dev/null; then exec "$@"; fi
while IFS= read -r l; do
  i=${l#*\\"id\\":}; i=${i%%[,\\}]*}; v=${l#*\\"protocolVersion\\":\\"}; v=${v%%\\"*}
  r='{"tools":[]}'
  case $l in
    *'"initialize"'*) s='{"name":"clew","version":"0"}'
      r="{\\"protocolVersion\\":\\"$v\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":$s}" ;;
    *'"ping"'*) r='{}' ;;
    *'"id":'*) ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$i" "$r"
done"""


class CodexInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC
    hooks_file = "hooks.json"
    strict = True
    prefix = "$clew-"

    def server_entry(self, command: HookCommand) -> dict[str, Any]:
        """`required`: the first request waits until the server is ready, or its tools would be missing in the session.
        But then the client does not start where the server does not answer, so that a shell answers where clew is gone.

        A server gets no variable but a few of the system's own, and those that are named: they say where clew and the
        clients keep things, and which task a run is for.
        """
        start = server_command(command)
        return {
            "command": SHELL,
            "args": ["-c", _ANSWERS, "clew", start.program, *start.arguments],
            "env_vars": sorted(("CLEW_TASK", *(name for spec in specs() for name in spec.variables))),
            "required": True,
        }

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """Our commands as skills that only the user calls: the model is told of none."""
        for one in slash_commands():
            name = f"{prefix.removeprefix('$')}{one.name}"
            front = f"---\nname: {name}\ndescription: {one.description}\n---\n\n"
            place = folder / "skills" / name
            yield OwnFile(place / "SKILL.md", front + one.text.replace(ARGUMENTS, _ARGUMENT))
            yield OwnFile(place / "agents" / "openai.yaml", "policy:\n  allow_implicit_invocation: false\n")

    def published(self, folder: Path, *, version: str) -> Parts:
        about = {"name": "clew", "version": version, "description": ABOUT, "skills": "./skills/"}
        server = {"command": "clew", "args": ["mcp"], "env_vars": self.server_entry(ON_PATH)["env_vars"]}
        files = {".codex-plugin/plugin.json": {**about, "mcpServers": "./.mcp.json"}, ".mcp.json": {"clew": server}}
        made = [OwnFile(folder / name, json.dumps(value, indent=2) + "\n") for name, value in files.items()]
        return Parts(self.name, (), (*made, *self.texts(folder, self.prefix)), self.is_ours, self.typed(self.prefix))

    def has_plugin(self) -> bool:
        known = settings_of(self.home / "config.toml").get("plugins")
        named = known if isinstance(known, dict) else {}
        return any(
            isinstance(one, dict) and one.get("enabled") is True for name, one in named.items() if is_plugin(name)
        )

    def notes(self) -> tuple[str, ...]:
        return (_ACCEPT,)


INSTALLER: Final = CodexInstaller


# What the client makes of a longer time-out, and its own for a hook that has none (of those that it cuts short one
# second).
_TIMEOUTS_S_MAX: Final = {"SessionEnd": 3}
_TIMEOUT_S: Final = 600
_WORDS: Final = re.compile(r"(?<!^)(?=[A-Z])")
_BROKEN: Final = JsonForm(
    "the client does not start", "Fix the file, or put back an older one: the client does not start with it."
)
_TRUST: Final = (
    "Say `/hooks` in Codex and accept those of this file. `Trust all and continue`, which it offers at its start, does "
    "that too, but accepts what came with a repository as well."
)
_ENABLE: Final = "Say `/hooks` in Codex and switch them on."
_FEATURE: Final = "Take `hooks = false` out of `[features]`, if hooks are to run."
_REQUIRE: Final = "Run `clew init` again; or put `required = true` into `[mcp_servers.clew]`."


class CodexConfig(ClientConfig):
    """What differs from other clients."""

    spec = SPEC
    form = JsonForm(
        "the client runs no hook of it",
        "Fix the file, or put back an older one: of hooks, the client reads nothing of it.",
    )

    def decode(self, path: Path, data: bytes) -> tuple[dict[str, Any], JsonForm, str]:
        if path.suffix != ".toml":
            return super().decode(path, data)
        try:
            return tomllib.loads(data.decode("utf-8-sig")), _BROKEN, ""
        except UnicodeDecodeError:
            return {}, _BROKEN, "is not UTF-8"
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            return {}, _BROKEN, f"is not TOML ({error})"

    def timeout_s(self, event: str, row: Mapping[str, Any]) -> int:
        return _timeout_s(event, row)

    def problems(self, told: SettingLayers) -> Iterator[Problem]:
        users: Mapping[str, Any] = {}
        for path, values in told.files:
            features = inner(values, "features")
            if features.get("hooks") is False or features.get("codex_hooks") is False:
                yield Problem(f"{path} switches all hooks off (`features.hooks`)", _FEATURE)
            if path == self.home / "config.toml":
                users = values
                yield from _unready(path, values)
        yield from _distrusted(told.ours, inner(inner(users, "hooks"), "state"))

    def judge(self, told: SettingLayers) -> dict[str, Any]:
        windows = [whole(told.held.get(name)) for name in ("model_auto_compact_token_limit", "model_context_window")]
        return {"compact_window": min(filter(None, windows), default=0)}


def trust_digest(event: str, matcher: str, hook: Mapping[str, Any]) -> str:
    """What the client calls the content of a hook: it runs only while the user has accepted exactly this."""
    told: dict[str, Any] = {
        "async": hook.get("async") is True,
        "command": hook.get("command"),
        "timeout": _timeout_s(event, hook),
        "type": "command",
    }
    told |= {name: hook[name] for name in ("additionalContextLimit", "statusMessage") if hook.get(name) is not None}
    whole = {"event_name": _snake(event), "hooks": [told], **({"matcher": matcher} if matcher else {})}
    packed = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(packed.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _timeout_s(event: str, hook: Mapping[str, Any]) -> int:
    most = _TIMEOUTS_S_MAX.get(event)
    return min(whole(hook.get("timeout")) or 1, most) if most else whole(hook.get("timeout")) or _TIMEOUT_S


def _snake(event: str) -> str:
    return _WORDS.sub("_", event).lower()


def _distrusted(rows: Sequence[HookRow], state: Mapping[str, Any]) -> Iterator[Problem]:
    """Hooks that the client skips in silence, by what the user's settings say of each: there the name of a hook ends
    with its place (before it stands the folder, perhaps by another name).
    """
    missing, off = [], []
    for one in rows:
        key = f"/{one.hook.place.name}:{_snake(one.hook.event)}:{one.group_number}:{one.number}"
        said = [inner(state, name) for name in state if name.endswith(key)]
        if trust_digest(one.hook.event, one.matcher, one.row) not in {told.get("trusted_hash") for told in said}:
            missing.append(one.hook)
        elif any(told.get("enabled") is False for told in said):
            off.append(one.hook)
    for skipped, why, mend in ((missing, "are not accepted yet", _TRUST), (off, "are switched off", _ENABLE)):
        for path in dict.fromkeys(hook.place for hook in skipped):
            events = ", ".join(hook.event for hook in skipped if hook.place == path)
            yield Problem(f"{path} has hooks of clew that {why}, so the client skips them: {events}", mend)


def _unready(path: Path, values: Mapping[str, Any]) -> Iterator[Problem]:
    server = inner(values, SPEC.servers).get("clew")
    is_ours = CodexInstaller(path.parent).is_ours((SPEC.servers, "clew"), server)
    if is_ours and isinstance(server, dict) and server.get("required") is not True:
        said = f"{path} does not let Codex wait for clew's MCP server, so its tools may be missing in a session"
        yield Problem(said, _REQUIRE)


CONFIG: Final = CodexConfig
