"""The one place that reads the environment and picks adapters."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.ports import Ports
from clew.clients.registry import Family, Locators, Readers, Registry, agents
from clew.core.errors import InputError, Unavailable
from clew.core.state.authority import AWAY_FROM_TERMINAL, authority, of_client
from clew.secrets import Redactor
from clew.workspace.repository import find

if TYPE_CHECKING:
    from clew.app.install.entries import Machine
    from clew.app.project.settings import SettingsFiles
    from clew.app.stack.gather import StackTools
    from clew.clients.configured import ClientConfig
    from clew.clients.installing import Installer
    from clew.clients.launching import Launcher
    from clew.clients.registry import ClientMemory
    from clew.core.context.pressure import ToldWindow
    from clew.core.settings import Choice, Setting, Settings
    from clew.core.state.authority import Channel
    from clew.core.state.items import Authority
    from clew.core.text.tokens import TokenCounter
    from clew.ledger.port import Ledger
    from clew.queue.port import Queue
    from clew.remotes.github.requests import Requests
    from clew.remotes.place import RemoteRepository
    from clew.remotes.port import Connect, ConnectDiscussions, Discussions
    from clew.secrets.deep import Engine

_GH_TIMEOUT_S = 15.0


def ports(environment: Mapping[str, str] = os.environ, *, plugins: bool = True) -> Ports:
    """Adapters for this machine and user. Without `plugins` nothing is loaded but what came with clew."""
    families = Registry(environment, _home(environment), plugins=plugins)
    # Without a ledger there is no key, so placeholders name the kind of secret only (docs/reference/secrets.md).
    return Ports(
        readers=Readers(families.readable),
        locators=Locators(families.clients),
        session_folders=lambda: tuple(folder for one in families.own if (folder := one.sessions)),
        redact=Redactor(key=None).redact,
        asking_session=_asking(families.own, environment),
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
            *(path for client in families.own for path in client.settings(root)),
        ),
        told_window=lambda root, client: _told_window(root, client, environment),
        cache_folder=user_folder(environment, "cache"),
        price_tables=lambda: _price_tables(environment),
        deep_scan=lambda: _deep_engine(_compiled_rules(environment)),
    )


def _asking(clients: Iterable[Family], environment: Mapping[str, str]) -> str:
    """The session that asks, by what clients told in their variables. Of clients that run one another it is the
    innermost one's: that whose variable the processes above lack first.
    """
    told = {
        spec.asking: "" if spec.anonymous else environment[spec.asking]
        for one in clients
        if (spec := one.spec) and environment.get(spec.asking)
    }
    if not told:
        return ""
    first = next(iter(told))
    if len(told) == 1 and told[first]:
        return told[first]
    above = _channel(environment).processes[1:]
    lacked = (name for process in above for name in told if name not in process.marks)
    if session := told[next(lacked, first)]:
        return session
    from clew.app.project.runtime_dirs import session_above

    return session_above(user_folder(environment, "data"), [process.pid for process in above])


def settings(
    root: Path, environment: Mapping[str, str] = os.environ, flags: "Mapping[str, Choice] | None" = None
) -> "Settings":
    """What holds in the project whose top is `root`. Raises `InputError` for a file or value that cannot be used."""
    from clew.app.project.settings import load  # here: recording asks for none

    return load(
        settings_files(root, environment), environment, trusted=_trusted_program(root, environment), flags=flags
    )


def settings_files(root: Path, environment: Mapping[str, str] = os.environ) -> "SettingsFiles":
    """Where settings are kept."""
    from clew.app.project.settings import SettingsFiles  # here: as above

    return SettingsFiles(root, user_folder(environment, "config") / "config.toml")


def trust_store(environment: Mapping[str, str] = os.environ) -> Path:
    """The file in which the user keeps what is trusted."""
    return user_folder(environment, "data") / "trust.json"


def installers(environment: Mapping[str, str] = os.environ) -> "tuple[Installer, ...]":
    """How clew gets into each client that it knows."""
    return tuple(made for one in _families(environment) if (made := one.installer(server=True)))


def configurations(environment: Mapping[str, str] = os.environ) -> "tuple[ClientConfig, ...]":
    """What the settings of each client say on this machine."""
    return tuple(made for one in _families(environment) if (made := one.config()))


def launchers(environment: Mapping[str, str] = os.environ) -> "dict[str, Launcher]":
    """How each client is started in a terminal, by its name."""
    return {one.name: made for one in _families(environment) if (made := one.launcher())}


def memories(root: Path, environment: Mapping[str, str] = os.environ) -> "dict[str, ClientMemory]":
    """The memory that each client keeps by itself of the project with a work tree at `root`."""
    from clew.clients.registry import memories as kept

    found = find(root)
    main = found.common_dir.parent if found is not None and found.common_dir.name == ".git" else root
    return kept(environment, _home(environment), main)


def _families(environment: Mapping[str, str]) -> Iterator[Family]:
    return Registry(environment, _home(environment)).clients()


def token_counter() -> "TokenCounter":
    """What counts tokens exactly, where the extra `tokens` is installed; else the estimate."""
    from clew.core.text.tokens import ESTIMATED, EXACT_NAME, TokenCounter

    try:
        from rs_bpe.bpe import openai  # brings its vocabulary along; 25 MB that few need
    except ImportError:
        return ESTIMATED
    return TokenCounter(EXACT_NAME, openai.o200k_base().count)


def stacks(environment: Mapping[str, str] = os.environ) -> "StackTools":
    """What stacks need of this machine beside the ports."""
    from clew.app.stack.gather import SNIPPETS, StackTools

    folder = user_folder(environment, "config") / SNIPPETS
    return StackTools(token_counter(), folder, lambda root: discussions(root, environment))


def trackers(root: Path, environment: Mapping[str, str] = os.environ) -> "Connect":
    """How the issues of a repository are reached from the project whose top is `root`. Raises `Unavailable` without the
    extra.
    """
    if find_spec("githubkit") is None:
        raise Unavailable(
            "issues need the package `githubkit`, which is not installed",
            code="E-issue-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[github]'`, `uv tool install '.[github]'`.",
        )
    from clew.remotes.github.tracker import GitHubTracker

    return lambda repository: GitHubTracker(repository, _github(repository, root, environment))


def discussions(root: Path, environment: Mapping[str, str] = os.environ) -> "ConnectDiscussions":
    """How issues and pull requests are read from the project whose top is `root`. Raises as `trackers`, once asked."""

    def connect(repository: "RemoteRepository") -> "Discussions":
        trackers(root, environment)  # it says what is missing
        from clew.remotes.github.tracker import GitHubTracker

        return GitHubTracker(repository, _github(repository, root, environment))

    return connect


def _github(repository: "RemoteRepository", root: Path, environment: Mapping[str, str]) -> "Requests":
    from clew.remotes.github.access import token_for
    from clew.remotes.github.requests import Requests
    from clew.remotes.place import is_chosen, remote_of
    from clew.workspace.git import Git

    git = Git.at(root, environment=environment)
    chosen = is_chosen(repository.host, remote_of(git.settings()) if git is not None else None, environment)
    token = token_for(repository.host, environment, lambda host, rest: _gh_token(host, root, rest), chosen=chosen)
    return Requests(repository.host, token, sleep=time.sleep, now_s=time.time)


def _gh_token(host: str, root: Path, environment: Mapping[str, str]) -> str:
    """The token of `gh`'s own login on a server, "" where there is none."""
    from clew.workspace.process import LimitExceeded, find_program, run

    program = find_program("gh", environment.get("PATH", os.defpath), outside=root)
    if not program:
        return ""
    try:
        asked = [program, "auth", "token", "--hostname", host]
        done = run(asked, environment=environment, timeout_s=_GH_TIMEOUT_S, folder=str(_home(environment)))
    except (OSError, LimitExceeded):
        return ""
    return done.out.decode("utf-8", "replace").strip() if done.code == 0 else ""


def _told_window(root: Path, client: str, environment: Mapping[str, str]) -> "ToldWindow":
    from clew.app.context.window import told_window  # here: few commands ask

    clients = Registry(environment, _home(environment), plugins=False).own
    # Of a client that was never used here nothing needs to be loaded.
    asked = (one for one in clients if (one.name == client if client else one.is_used))
    return told_window([made for one in asked if (made := one.config())], root, environment, client)


def machine(environment: Mapping[str, str] = os.environ) -> "Machine":
    """This machine and user, as hooks will find them."""
    import tempfile

    import clew
    from clew.app.install.entries import Machine

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
    """clew's own folder of this user, for `config`, `data` or `cache`. Looks; makes nothing.

    `XDG_CONFIG_HOME`, `XDG_DATA_HOME` and `XDG_CACHE_HOME` are heeded everywhere when they are absolute.
    """
    default = {"config": ".config", "data": ".local/share", "cache": ".cache"}[sort]
    given = Path(environment.get(f"XDG_{sort.upper()}_HOME") or "")
    if given.is_absolute():
        return given / "clew"
    if sys.platform in {"darwin", "win32"}:
        import platformdirs  # twice a bare start of the interpreter, and only these systems need it

        folders = {
            "config": platformdirs.user_config_path,
            "data": platformdirs.user_data_path,
            "cache": platformdirs.user_cache_path,
        }
        return folders[sort]("clew", appauthor=False)
    return Path(environment.get("HOME") or Path.home()) / default / "clew"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _trusted_program(root: Path, environment: Mapping[str, str]) -> "Callable[[Setting, str], bool]":
    def trusted(setting: "Setting", program: str) -> bool:
        from clew.app.project.trust import project_at, trusted_program

        return trusted_program(trust_store(environment), project_at(root), setting, program)

    return trusted


def _price_tables(environment: Mapping[str, str]) -> "tuple[dict[str, Any], tuple[Path, ...]]":
    from clew.app.cost.prices import own_prices, table_files  # here: only where money is counted

    own = own_prices(user_folder(environment, "config") / "config.toml")
    return own, table_files(user_folder(environment, "data"))


def _compiled_rules(environment: Mapping[str, str]) -> Path:
    """Where the deep engine keeps its compiled rules: its own variable says so, as when an image is built."""
    return Path(environment.get("KF_RULE_CACHE_DIR") or user_folder(environment, "cache") / "rules")


@cache
def _deep_engine(rules: Path) -> "Engine | None":
    """The deep engine of the extra `[secrets]`, opened once a process; None where it is not installed."""
    from clew.secrets.deep import PACKAGE, Kingfisher  # here: only what leaves asks for it

    return Kingfisher(str(rules)) if find_spec(PACKAGE) is not None else None


def below_client(environment: Mapping[str, str] = os.environ) -> str:
    """Why this may have been started by an agent's client, as a clause; "" where nothing says so."""
    return of_client(_channel(environment))


def _channel(environment: Mapping[str, str]) -> "Channel":
    from clew.workspace.ancestry import channel  # here: it looks at processes, which most commands need not

    return channel(environment, agents())


def _open_ledger(path: Path, *, project: str, write: bool) -> "Ledger":
    if path.suffix == ".toml":
        return _server_ledger(path, write=write, make=bool(project))
    from clew.ledger.sqlite.opening import open_ledger  # here: most runs of most commands need no database

    return open_ledger(path, project=project, write=write)


def open_queue(path: Path, *, make: bool = False) -> "Queue":
    """The queue of workers beside the ledger that the file at `path` tells. With `make` it is made where there is none.
    Raises `InputError` for a ledger on this machine, `Unavailable` without the extra, `LedgerError`.
    """
    from clew.ledger.postgres.address import read_address

    if path.suffix != ".toml":
        raise InputError(
            "workers share a ledger on a PostgreSQL server, and this project keeps its own on this machine",
            code="E-worker-ledger",
            hint="`clew init --ledger postgres://…` (docs/reference/workers.md); `clew run --jobs K` needs no server.",
        )
    if find_spec("absurd_sdk") is None or find_spec("absurdctl") is None:
        raise Unavailable(
            "workers need the packages `absurd-sdk` and `absurdctl`, which are not installed",
            code="E-worker-extra",
            hint="Install clew with them, from its checkout: `pipx install '.[worker]'`.",
        )
    from clew.queue.absurd import AbsurdQueue

    place = read_address(path)
    return AbsurdQueue(place.address, place.project, make=make)


def _server_ledger(path: Path, *, write: bool, make: bool) -> "Ledger":
    """The ledger on the server that the file at `path` tells. Raises `Unavailable` without the extra."""
    from clew.ledger.postgres.address import read_address, shown

    place = read_address(path)
    if find_spec("psycopg") is None:
        raise Unavailable(
            f"the ledger {shown(place.address)} needs the package `psycopg`, which is not installed",
            code="E-ledger-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[postgres]'`.",
        )
    from clew.ledger.postgres.ledger import open_ledger

    return open_ledger(place.address, project=place.project, write=write, make=make)


def _authority(environment: Mapping[str, str]) -> "Authority":
    if not _reads_terminal():
        return AWAY_FROM_TERMINAL  # whatever stands above it; to look there costs a fifth of a command
    return authority(_channel(environment))._replace(prove=_prove)


def _reads_terminal() -> bool:
    """Whether stdin is the controlling terminal."""
    try:
        return os.tcgetpgrp(0) != 0
    except OSError:
        return False
    except AttributeError:  # this system has no terminals that tell
        return True


def _prove(deed: str, about: str) -> str:
    from clew.workspace.terminal import shown_code  # here: few deeds are a person's only

    return shown_code(deed, about)
