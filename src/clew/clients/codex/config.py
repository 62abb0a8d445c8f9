"""What Codex's settings say that clew has to know: our hooks, and which of them the user has accepted. Pure.

Sources: docs/clients/codex.md, "Settings" and "Trust".
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.clients.codex import home_of
from clew.clients.codex.install import CLIENT, EVENTS, SERVERS, TIMEOUTS_S_MAX, is_ours
from clew.clients.codex.paths import settings_of
from clew.clients.configured import Configuration, InstalledHook, Problem, Tried, told_apart
from clew.clients.fields import inner
from clew.clients.installing import started

# The client's, for a hook that has none of its own (of those that it cuts short one second).
_TIMEOUT_S: Final = 600
_WORDS: Final = re.compile(r"(?<!^)(?=[A-Z])")
_BROKEN: Final = "Mend the file, or put back an older one: the client does not start with it."
_IGNORED: Final = "Mend the file, or put back an older one: of hooks, the client reads nothing of it."
_TRUST: Final = (
    "Say `/hooks` in Codex and accept those of this file. `Trust all and continue`, which it offers at its start, does "
    "that too, but accepts what came with a repository as well."
)
_ENABLE: Final = "Say `/hooks` in Codex and switch them on."
_FEATURE: Final = "Take `hooks = false` out of `[features]`, if hooks are to run."
_REQUIRE: Final = "Run `clew init` again; or put `required = true` into `[mcp_servers.clew]`."


class _Row(NamedTuple):
    """A hook of ours as it stands in a file. `key` is how its name ends among what the user accepted (before it stands
    the folder, perhaps by another name). `digest` is what the client makes of its content."""

    hook: InstalledHook
    key: str
    digest: str


class CodexConfig(Tried):
    """Implements `clew.clients.configured.Configured`. `home` is the client's folder, by default `~/.codex`."""

    name = CLIENT

    def __init__(self, home: Path) -> None:
        self._home = home

    def files(self, root: Path) -> tuple[Path, ...]:
        """See `Configured.files`."""
        return settings_of(self._home, root)

    def read(
        self,
        found: Sequence[tuple[Path, bytes]],
        environment: Mapping[str, str],  # noqa: ARG002
        *,
        plugins: Collection[Path] = (),
    ) -> Configuration:
        """See `Configured.read`."""
        rows: list[_Row] = []
        problems: list[Problem] = []
        users: dict[str, Any] = {}
        held: dict[str, Any] = {}
        for path, data in found:
            values, problem = _toml(data) if path.suffix == ".toml" else _json(data)
            if problem:
                problems.append(Problem(f"{path} {problem}", _BROKEN if path.suffix == ".toml" else _IGNORED))
            rows += _hooks(path, values)
            if path.suffix != ".toml":
                continue
            if path.parent == self._home:
                users = values
                problems += _unready(path, values)
            problems += _switched_off(path, values)
            held |= values
        own = {self._home / "config.toml", self._home / "hooks.json", *plugins}
        ours, foreign = told_apart((row.hook for row in rows), own)
        problems += _distrusted([row for row in rows if row.hook.place in own], inner(inner(users, "hooks"), "state"))
        told = [_count(held.get(name)) for name in ("model_auto_compact_token_limit", "model_context_window")]
        return Configuration(
            client=self.name,
            events=EVENTS,
            hooks=ours,
            problems=tuple(problems),
            retention_days=0,
            retention_said=False,
            compact_window=min(filter(None, told), default=0),
            compacts=True,
            foreign=foreign,
        )


def configured(environment: Mapping[str, str], user: Path) -> CodexConfig:
    """For a user whose home folder is `user`."""
    return CodexConfig(home_of(environment, user))


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
    most = TIMEOUTS_S_MAX.get(event)
    return min(_count(hook.get("timeout")) or 1, most) if most else _count(hook.get("timeout")) or _TIMEOUT_S


def _snake(event: str) -> str:
    return _WORDS.sub("_", event).lower()


def _toml(data: bytes) -> tuple[dict[str, Any], str]:
    """What a file says, and why the client does not read it, in a clause."""
    try:
        return tomllib.loads(data.decode("utf-8-sig")), ""
    except UnicodeDecodeError:
        return {}, "is no UTF-8, so the client does not start"
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, f"is no TOML ({error}), so the client does not start"


def _json(data: bytes) -> tuple[dict[str, Any], str]:
    try:
        value = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        return {}, "is no UTF-8, so the client runs no hook of it"
    except (ValueError, RecursionError):
        return {}, "is no JSON, or has comments or trailing commas, so the client runs no hook of it"
    return (value, "") if isinstance(value, dict) else ({}, "is no JSON object, so the client runs no hook of it")


def _hooks(path: Path, values: Mapping[str, Any]) -> Iterator[_Row]:
    for event, groups in inner(values, "hooks").items():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            rows = group.get("hooks") if isinstance(group, dict) else None
            for place, row in enumerate(rows if isinstance(rows, list) else ()):
                if not is_ours(("hooks", event, "", "hooks", ""), row):
                    continue
                words = started(str(row["command"]))
                if not words:
                    continue
                matcher = group.get("matcher")
                yield _Row(
                    InstalledHook(event, words[0], words[1:], _timeout_s(event, row), path),
                    f"{path.name}:{_snake(event)}:{number}:{place}",
                    trust_digest(event, matcher if isinstance(matcher, str) else "", row),
                )


def _distrusted(rows: Sequence[_Row], state: Mapping[str, Any]) -> Iterator[Problem]:
    """Hooks that the client skips in silence, by what the user's settings say of each."""
    said = {row.key: [inner(state, name) for name in state if name.endswith(f"/{row.key}")] for row in rows}
    missing = [row for row in rows if row.digest not in {one.get("trusted_hash") for one in said[row.key]}]
    off = [row for row in rows if row not in missing and any(one.get("enabled") is False for one in said[row.key])]
    for skipped, why, mend in ((missing, "are not accepted yet", _TRUST), (off, "are switched off", _ENABLE)):
        for path in dict.fromkeys(row.hook.place for row in skipped):
            events = ", ".join(row.hook.event for row in skipped if row.hook.place == path)
            yield Problem(f"{path} has hooks of clew that {why}, so the client skips them: {events}", mend)


def _switched_off(path: Path, values: Mapping[str, Any]) -> Iterator[Problem]:
    features = inner(values, "features")
    if features.get("hooks") is False or features.get("codex_hooks") is False:
        yield Problem(f"{path} switches all hooks off (`features.hooks`)", _FEATURE)


def _unready(path: Path, values: Mapping[str, Any]) -> Iterator[Problem]:
    server = inner(values, SERVERS).get("clew")
    if is_ours((SERVERS, "clew"), server) and isinstance(server, dict) and server.get("required") is not True:
        said = f"{path} does not let Codex wait for clew's MCP server, so its tools may be missing in a session"
        yield Problem(said, _REQUIRE)


def _count(value: Any) -> int:
    """A whole number above 0, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 40 else 0
