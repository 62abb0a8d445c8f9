"""A project whose ledger is on a PostgreSQL server: made, shared by a colleague's clone, and away for a while."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew as library
from clew.core.errors import LedgerError
from clew.ledger.postgres.address import Address, address_file, is_address, read_address, shown
from tests.app.worlds import project
from tests.interfaces.cli.conftest import Clew
from tests.interfaces.hook.hooks import SESSION, Hooks, called
from tests.ledger.postgres.server import Server, server
from tests.workspace.repos import Repo


@pytest.fixture
def database() -> str:
    return server().empty()


@pytest.fixture
def away() -> Iterator[Server]:
    """The server, to be stopped; it runs again afterwards."""
    yield server()
    if not (server().folder / "data" / "postmaster.pid").exists():
        server().start()


def file_of(repo: Repo) -> Path:
    return repo.top / ".git" / "clew" / "ledger.toml"


def test_a_colleague_goes_on_from_another_clone(
    clew: Clew, repo: Repo, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they share is the server and the identity in `.clew/config.toml`; the address is in no file that git has."""
    server().sql("GRANT CREATE ON DATABASE ledgers TO ada", "ledgers")
    address = server().address("ledgers", user="ada", password="hunter2")
    told = clew("init", "--client", "none", "--ledger", address)
    assert 0 == told.code and "its ledger is postgres://ada@/ledgers.\n" in told.out
    assert 0o600 == file_of(repo).stat().st_mode & 0o777
    assert not list(file_of(repo).parent.glob("ledger.db*")) and "hunter2" not in told.out + told.err
    clew("note", "decision", "Amounts are integer cents")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repo.top), str(clone)], check=True)
    (clone / ".clew").mkdir()
    (clone / ".clew" / "config.toml").write_bytes((repo.top / ".clew" / "config.toml").read_bytes())
    monkeypatch.chdir(clone)
    assert "E-no-ledger" in clew("status").err
    assert 0 == clew("init", "--client", "none", "--ledger", address).code
    assert "Amounts are integer cents" in clew("log").out
    assert "Make the tide ten" in clew("resume").out  # what the session in the first clone left
    assert "hunter2" not in subprocess.run(["git", "grep", "-I", "hunter2"], capture_output=True, text=True).stdout


def test_doing_it_twice_is_doing_it_once_and_a_dry_run_does_nothing(clew: Clew, repo: Repo, database: str) -> None:
    """Nor does a server that cannot be reached leave anything behind."""
    assert "Would make" in clew("init", "--client", "none", "--ledger", database, "--dry-run").out
    failed = clew("init", "--client", "none", "--ledger", "postgres://clew@127.0.0.1:1/ledgers")
    assert 1 == failed.code and "E-ledger-away" in failed.err
    assert not list(file_of(repo).parent.glob("*")) and [] == server().sql(
        "SELECT 1 FROM pg_namespace WHERE nspname = 'clew'", "ledgers"
    )
    clew("init", "--client", "none", "--ledger", database)
    before = file_of(repo).read_bytes()
    for again in (["--ledger", database], []):
        told = clew("init", "--client", "none", *again)
        assert 0 == told.code and "is a project already" in told.out
    assert before == file_of(repo).read_bytes()


def test_where_no_server_can_be_named(
    clew: Clew, repo: Repo, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that an archive may bring, a ledger that is there already, what is no address."""
    assert "is no address" in clew("init", "--ledger", "mysql://root@localhost/x").err
    clew("init", "--client", "none")
    assert "keeps its ledger in" in clew("init", "--ledger", database).err
    assert not file_of(repo).exists()
    plain = tmp_path / "plain"
    (plain / ".clew").mkdir(parents=True)
    (plain / ".clew" / "ledger.toml").write_bytes(address_file(Address(database, "01KANQ0000000000000000PRJ0")))
    monkeypatch.chdir(plain)
    assert "is in no git repository" in clew("init", "--ledger", database).err
    assert "E-no-ledger" in clew("status").err


def test_a_project_moves_from_a_file_to_a_server(clew: Clew, repo: Repo, database: str, tmp_path: Path) -> None:
    """As docs/reference/ledger.md says; its identity stays, so bundles and colleagues still know it."""
    clew("init", "--client", "none")
    clew("note", "decision", "Amounts are integer cents")
    before, bundle = clew("log").out, str(tmp_path / "work.bundle")
    clew("export", bundle)
    for file in file_of(repo).parent.glob("ledger.db*"):
        file.rename(tmp_path / file.name)
    assert 0 == clew("init", "--client", "none", "--ledger", database).code
    assert 0 == clew("import", bundle).code
    assert "Amounts are integer cents" in before == clew("log").out
    assert 0 == clew("search", "integer cents").code and "E-" not in clew("rebuild").err


def test_while_the_server_is_away_what_is_said_waits(clew: Clew, repo: Repo, database: str, away: Server) -> None:
    """Nobody is told that something is not there only because nobody can look."""
    clew("init", "--client", "none", "--ledger", database)
    clew("note", "decision", "Amounts are integer cents")
    away.stop()
    noted = clew("note", "decision", "Ids are ULIDs")
    assert 0 == noted.code and "is on a server that is away" in noted.err
    assert "is on a server that is away" in clew("checkpoint", "before lunch").err
    for command in (["status"], ["resume"], ["resolve", "D-7k2q"]):
        refused = clew(*command)
        assert 1 == refused.code and "E-ledger-away" in refused.err
    assert "E-ledger-away" in clew("doctor").out
    away.start()
    assert "2 events that waited in the spool" in clew("note", "decision", "Times are UTC").err
    assert {"Amounts are integer cents", "Ids are ULIDs", "Times are UTC"} <= {
        line.partition("decision: ")[2].partition("  [")[0] for line in clew("log").out.splitlines()
    }
    assert "postgres://clew@/ledgers is whole" in clew("doctor", "-v").out
    assert "E-ledger-server" in clew("doctor", "--repair").err


def test_hooks_go_on_while_the_server_is_away(
    clew: Clew, person: None, repo: Repo, home: Path, database: str, away: Server
) -> None:
    """A gate reads its file; a start says once that the server is away, and nothing holds anybody up."""
    clew("init", "--client", "claude-code", "--ledger", database)
    clew("note", "file", "secret/key", "--status", "off limits", "--why", "it is the client's")
    hooks = Hooks(home / ".local" / "share" / "clew", repo.top)
    away.stop()
    begun = time.monotonic()
    event = {"session_id": SESSION, "transcript_path": "", "cwd": str(repo.top)}
    for name, more in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "go on"}),
        ("Stop", {}),
    ):
        said = hooks.run(name, {**event, **more}, environment=hooks.environment() | {"HOME": str(home)})
        assert 0 == said.code and "block" not in said.out
        assert (name == "SessionStart") == ("cannot be reached" in said.out)
    assert time.monotonic() - begun < 15
    denied = hooks.run("PreToolUse", called(hooks, "Write", {"file_path": f"{repo.top}/secret/key", "content": "x"}))
    assert "deny" in denied.out
    allowed = hooks.run("PreToolUse", called(hooks, "Read", {"file_path": f"{repo.top}/src/a.py"}))
    assert "deny" not in allowed.out


def test_a_program_saves_and_restores_by_an_agents_id(
    clew: Clew, home: Path, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a harness on an SDK does, on whichever machine it runs next."""
    here, there = project(tmp_path / "here").top, project(tmp_path / "there").top
    with library.open(here, create=True, ledger=database) as opened:
        opened.save("planner", {"step": 3}, messages=[{"role": "user", "content": "Mend the tide"}])
    (there / ".clew").mkdir()
    (there / ".clew" / "config.toml").write_bytes((here / ".clew" / "config.toml").read_bytes())
    with library.open(there, create=True, ledger=database) as opened:
        saved = opened.restore("planner")
        assert saved is not None and {"step": 3} == saved.state and 1 == len(saved.messages or ())
        assert opened.restore("nobody") is None


def test_a_password_is_shown_to_nobody() -> None:
    """Not in an address that is printed, and a file that says nothing of use is named."""
    for address, seen in (
        ("postgres://ada:hunter2@db:5432/team?sslmode=require", "postgres://ada@db:5432/team"),
        ("postgresql://ada:p%40ss:word@db1,db2/team?password=hunter2", "postgresql://ada@db1,db2/team"),
        ("postgres:///team", "postgres:///team"),
        ("postgres://db", "postgres://db"),
        ("postgres://ada:hunter2@db", "postgres://ada@db"),
        ("postgres://ada:hunter2/x@db/team", "postgres://ada@db/team"),
        ("postgres://ada:hunter2?x@db/team", "postgres://…"),
    ):
        assert is_address(address) and seen == shown(address)
    assert not any(map(is_address, ("", "postgres://", "sqlite://x", "postgres://a\nb/c")))


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"address = 1\nproject = 'x'", b"address = 'http://x'\nproject = 'x'"]
)
def test_a_file_that_does_not_say_where_it_is(content: bytes, tmp_path: Path) -> None:
    """It was cut off, or somebody edited it."""
    file = tmp_path / "ledger.toml"
    file.write_bytes(content)
    with pytest.raises(LedgerError, match="does not say where"):
        read_address(file)


def test_a_server_that_answers_nothing_holds_a_hook_up_for_seconds_at_most(
    clew: Clew, repo: Repo, home: Path, database: str
) -> None:
    """A firewall that swallows what is sent: clients give a hook a quarter of a minute."""
    clew("init", "--client", "claude-code", "--ledger", database)
    hooks = Hooks(home / ".local" / "share" / "clew", repo.top)
    known = read_address(file_of(repo))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        nowhere = f"postgres://clew@127.0.0.1:{silent.getsockname()[1]}/ledgers"
        file_of(repo).write_bytes(address_file(known._replace(address=nowhere)))
        for name in ("SessionStart", "Stop"):
            begun = time.monotonic()
            event = {"session_id": SESSION, "transcript_path": "", "cwd": str(repo.top), "source": "startup"}
            assert 0 == hooks.run(name, event, environment=hooks.environment() | {"HOME": str(home)}).code
            assert time.monotonic() - begun < 10
