"""The one place that reads the environment and picks adapters."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from clew.app.ports import Ports
from clew.app.settings import Files, load
from clew.clients.detect import Readers
from clew.clients.locate import Locators
from clew.core.settings import Choice, Setting, Settings
from clew.core.tuples import NamedTuple
from clew.secrets import Redactor

if TYPE_CHECKING:
    from clew.app.install import Machine
    from clew.clients.configured import Configured
    from clew.clients.installing import Installer
    from clew.clients.launching import Launcher
    from clew.clients.port import Locator, Reader
    from clew.core.items import Authority
    from clew.core.pressure import Told
    from clew.ledger.port import Ledger


# Gemini CLI says that it runs a command, and not which session does: its process is one above.
_UNNAMED = "GEMINI_CLI"


class _Client(NamedTuple):
    """A client family. `sessions` is where its sessions lie: a client that was never used has no such place.

    `asking` is the variable that it sets in what it starts: the session that asks is not the one to go on from.
    `settings(project)` are the files that decide which hooks run. Each maker imports what it makes.
    """

    name: str
    sessions: Path
    asking: str
    reader: "Callable[[], Reader]"
    locator: "Callable[[], Locator]"
    installer: "Callable[[], Installer]"
    configured: "Callable[[], Configured]"
    settings: Callable[[Path], tuple[Path, ...]]


def _clients(environment: Mapping[str, str]) -> tuple[_Client, ...]:
    return (_claude_code(environment), _codex(environment), _gemini(environment), _opencode(environment))


def _claude_code(environment: Mapping[str, str]) -> _Client:
    """`CLAUDE_CONFIG_DIR` moves its folder, as it does for the client."""
    home = Path(environment.get("CLAUDE_CONFIG_DIR") or _home(environment) / ".claude")

    def reader() -> "Reader":
        from clew.clients.claude_code.reader import ClaudeCodeReader

        return ClaudeCodeReader()

    def locator() -> "Locator":
        from clew.clients.claude_code.paths import ClaudeCodeLocator

        return ClaudeCodeLocator(home)

    def installer() -> "Installer":
        from clew.clients.claude_code.install import ClaudeCodeInstaller

        # Beside its folder, or in the folder that it was told to use instead.
        servers = (home if environment.get("CLAUDE_CONFIG_DIR") else home.parent) / ".claude.json"
        return ClaudeCodeInstaller(home, server=servers if serves() else None)

    def configured() -> "Configured":
        from clew.clients.claude_code.config import ClaudeCodeConfig

        return ClaudeCodeConfig(home)

    def settings(project: Path) -> tuple[Path, ...]:
        from clew.clients.claude_code.paths import settings_of

        return settings_of(home, project)

    asking = "CLAUDE_CODE_SESSION_ID"
    return _Client("claude-code", home / "projects", asking, reader, locator, installer, configured, settings)


def _codex(environment: Mapping[str, str]) -> _Client:
    """`CODEX_HOME` moves its folder, as it does for the client."""
    home = Path(environment.get("CODEX_HOME") or _home(environment) / ".codex")

    def reader() -> "Reader":
        from clew.clients.codex.reader import CodexReader

        return CodexReader()

    def locator() -> "Locator":
        from clew.clients.codex.paths import CodexLocator

        return CodexLocator(home)

    def installer() -> "Installer":
        from clew.clients.codex.install import CodexInstaller

        return CodexInstaller(home, server=serves())

    def configured() -> "Configured":
        from clew.clients.codex.config import CodexConfig

        return CodexConfig(home)

    def settings(project: Path) -> tuple[Path, ...]:
        from clew.clients.codex.paths import settings_of

        return settings_of(home, project)

    return _Client("codex", home / "sessions", "CODEX_THREAD_ID", reader, locator, installer, configured, settings)


def _gemini(environment: Mapping[str, str]) -> _Client:
    """`GEMINI_CLI_HOME` moves the home below which it makes its folder. It tells a command nothing of the session."""
    home = Path(environment.get("GEMINI_CLI_HOME") or _home(environment)) / ".gemini"

    def reader() -> "Reader":
        from clew.clients.gemini.reader import GeminiReader

        return GeminiReader()

    def locator() -> "Locator":
        from clew.clients.gemini.paths import GeminiLocator

        return GeminiLocator(home)

    def installer() -> "Installer":
        from clew.clients.gemini.install import GeminiInstaller

        return GeminiInstaller(home, server=serves())

    def configured() -> "Configured":
        from clew.clients.gemini.config import GeminiConfig

        return GeminiConfig(home)

    def settings(project: Path) -> tuple[Path, ...]:
        from clew.clients.gemini.paths import settings_of

        return settings_of(home, project)

    return _Client("gemini", home / "tmp", "", reader, locator, installer, configured, settings)


def _opencode(environment: Mapping[str, str]) -> _Client:
    """XDG moves its folders, `OPENCODE_DB` its sessions. Commands are told by our plugin which session asks."""
    from clew.clients.opencode.paths import config_folder, database_of

    home = _home(environment)
    config, database = config_folder(environment, home), database_of(environment, home)

    def reader() -> "Reader":
        from clew.clients.opencode.reader import OpenCodeReader

        return OpenCodeReader()

    def locator() -> "Locator":
        from clew.clients.opencode.paths import OpenCodeLocator

        return OpenCodeLocator(database)

    def installer() -> "Installer":
        from clew.clients.opencode.install import OpenCodeInstaller

        return OpenCodeInstaller(config, server=serves())

    def configured() -> "Configured":
        from clew.clients.opencode.config import OpenCodeConfig

        return OpenCodeConfig(config)

    def settings(project: Path) -> tuple[Path, ...]:
        from clew.clients.opencode.paths import settings_of

        return settings_of(config, project)

    asking = "OPENCODE_SESSION_ID"
    return _Client("opencode", database.parent, asking, reader, locator, installer, configured, settings)


def _documents() -> "dict[str, Callable[[], Reader]]":
    """Sessions that lie nowhere of their own: documents that a person names. They are asked behind the clients' own."""

    def specstory() -> "Reader":
        from clew.clients.generic.reader import SpecStoryReader

        return SpecStoryReader()

    def trajectory() -> "Reader":
        from clew.clients.generic.reader import MiniSweAgentReader

        return MiniSweAgentReader()

    def chat() -> "Reader":
        from clew.clients.generic.reader import ChatReader

        return ChatReader()

    return {"specstory": specstory, "mini-swe-agent": trajectory, "chat": chat}


def ports(environment: Mapping[str, str] = os.environ) -> Ports:
    """Adapters for this machine and user."""
    clients = _clients(environment)
    # Without a ledger there is no key, so placeholders name the kind of secret only (docs/secrets.md).
    return Ports(
        readers=Readers({**{client.name: client.reader for client in clients}, **_documents()}),
        locators=Locators({client.sessions: client.locator for client in clients}),
        session_folders=tuple(client.sessions for client in clients),
        redact=Redactor(key=None).redact,
        asking_session=_asking({client.asking: environment.get(client.asking, "") for client in clients}, environment),
        environment=environment,
        redactor=lambda key: Redactor(key=key).redact,
        open_ledger=_open_ledger,
        channel=lambda: _authority(environment),
        actor=environment.get("USER") or environment.get("USERNAME") or "",
        now_ms=lambda: time.time_ns() // 1_000_000,
        chance=os.urandom,
        settings=lambda root: settings(root, environment),
        trust_store=trust_store(environment),
        protected=lambda root: (
            user_folder(environment, "config"),
            user_folder(environment, "data"),
            *(path for client in clients for path in client.settings(root)),
        ),
        told_window=lambda root, client: _told_window(root, client, environment),
    )


def _asking(told: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """The session that asks, by what clients told in their variables. Of clients that run one another it is the
    innermost one's: that whose variable the processes above lack first.
    """
    names = [name for name in (*told, _UNNAMED) if name and environment.get(name)]
    if not names:
        return ""
    if len(names) == 1 and names[0] in told:
        return told[names[0]]
    from clew.workspace.ancestry import channel

    above = channel(environment).processes[1:]
    lacked = (name for process in above for name in names if name not in process.marks)
    name = next(lacked, names[0])
    if name != _UNNAMED:
        return told[name]
    from clew.app.hooking.places import session_above

    return session_above(user_folder(environment, "data"), [process.pid for process in above])


def settings(
    root: Path, environment: Mapping[str, str] = os.environ, flags: Mapping[str, Choice] | None = None
) -> Settings:
    """What holds in the project whose top is `root`. Raises `InputError` for a file or value that cannot be used."""
    return load(
        settings_files(root, environment), environment, trusted=_trusted_program(root, environment), flags=flags
    )


def settings_files(root: Path, environment: Mapping[str, str] = os.environ) -> Files:
    """Where settings are kept."""
    return Files(root, user_folder(environment, "config") / "config.toml")


def trust_store(environment: Mapping[str, str] = os.environ) -> Path:
    """The file in which the user keeps what is trusted."""
    return user_folder(environment, "data") / "trust.json"


def installers(environment: Mapping[str, str] = os.environ) -> "tuple[Installer, ...]":
    """How clew gets into each client that it knows."""
    return tuple(client.installer() for client in _clients(environment))


def configurations(environment: Mapping[str, str] = os.environ) -> "tuple[Configured, ...]":
    """What the settings of each client say on this machine."""
    return tuple(client.configured() for client in _clients(environment))


def launchers() -> "dict[str, Launcher]":
    """How each client is started in a terminal, by its name."""
    from clew.clients.claude_code.launch import LAUNCHER as CLAUDE_CODE
    from clew.clients.codex.launch import LAUNCHER as CODEX
    from clew.clients.gemini.launch import LAUNCHER as GEMINI
    from clew.clients.opencode.launch import LAUNCHER as OPENCODE

    return {one.client: one for one in (CLAUDE_CODE, CODEX, GEMINI, OPENCODE)}


def serves() -> bool:
    """Whether `clew mcp` can run: the SDK (of version 2 or later) is installed."""
    from importlib.util import find_spec

    return find_spec("mcp") is not None and find_spec("mcp_types") is not None


def _told_window(root: Path, client: str, environment: Mapping[str, str]) -> "Told":
    from clew.app.window import told_window  # here: few commands ask

    # Of a client that was never used here nothing needs to be loaded.
    asked = [one for one in _clients(environment) if (one.name == client if client else one.sessions.exists())]
    return told_window([one.configured() for one in asked], root, environment, client)


def machine(environment: Mapping[str, str] = os.environ) -> "Machine":
    """This machine and user, as hooks will find them."""
    import tempfile

    import clew
    from clew.app.install import Machine

    package = Path(clew.__file__).parent
    # Without site packages a hook has nothing but what it is told: all folders that packages were installed in.
    folders = [Path(folder) for folder in sys.path if folder and Path(folder).is_dir()]
    held = [folder for folder in folders if any(folder.glob("*.dist-info"))]
    known = [tempfile.gettempdir(), "/tmp", "/var/tmp", os.fspath(_home(environment) / ".cache")]
    known += [environment.get(name, "") for name in ("TMPDIR", "UV_CACHE_DIR", "XDG_CACHE_HOME")]
    return Machine(
        data=user_folder(environment, "data"),
        python=sys.executable,
        packages=tuple(dict.fromkeys(map(os.path.abspath, (package.parent, *held)))),
        shim=package / "interfaces" / "hook" / "clewhook.py",
        temporary=tuple(Path(place) for place in dict.fromkeys(known) if place),
        version=clew.__version__,
    )


def user_folder(environment: Mapping[str, str], sort: str) -> Path:
    """clew's own folder of this user, for `config` or `data`. Looks; makes nothing.

    `XDG_CONFIG_HOME` and `XDG_DATA_HOME` are heeded everywhere when they are absolute.
    """
    default = {"config": ".config", "data": ".local/share"}[sort]
    given = Path(environment.get(f"XDG_{sort.upper()}_HOME") or "")
    if given.is_absolute():
        return given / "clew"
    if sys.platform in {"darwin", "win32"}:
        import platformdirs  # twice a bare start of the interpreter, and only these systems need it

        folder = platformdirs.user_config_path if sort == "config" else platformdirs.user_data_path
        return folder("clew", appauthor=False)
    return Path(environment.get("HOME") or Path.home()) / default / "clew"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _trusted_program(root: Path, environment: Mapping[str, str]) -> Callable[[Setting, str], bool]:
    def trusted(setting: Setting, program: str) -> bool:
        from clew.app.trust import project_at, trusted_program

        return trusted_program(trust_store(environment), project_at(root), setting, program)

    return trusted


def _open_ledger(path: Path, *, project: str, write: bool) -> "Ledger":
    from clew.ledger.sqlite.opening import open_ledger  # here: most runs of most commands need no database

    return open_ledger(path, project=project, write=write)


def _authority(environment: Mapping[str, str]) -> "Authority":
    from clew.core.authority import authority
    from clew.workspace.ancestry import channel
    from clew.workspace.terminal import shown_code

    return authority(channel(environment))._replace(prove=shown_code)
