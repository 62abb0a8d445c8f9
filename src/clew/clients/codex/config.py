"""What Codex's settings say that clew has to know: our hooks, and which of them the user has accepted.

Sources: docs/clients/codex.md, "Settings" and "Trust".
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.codex.install import CodexInstaller
from clew.clients.codex.spec import SPEC
from clew.clients.configured import ClientConfig, HookRow, JsonForm, Problem, SettingLayers, whole
from clew.clients.fields import inner

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
        bom=False,
        empty=False,
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
