"""A real PostgreSQL server for tests, in a private folder, on a socket: one for each process of the tests, started when
the first test asks for it.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import psycopg
import pytest

_MISSING = "there is no PostgreSQL server here; install one (Debian, Ubuntu: `apt-get install postgresql`)"
# Who comes with a password is checked; all others, who can reach the socket, are trusted.
_RULES = "local all ada scram-sha-256\nlocal all all trust\n"
_OPTIONS = "-c max_connections=30 -c listen_addresses=''"
# What is tested is not the server: it need not survive a power cut.
QUICK = "-c fsync=off -c full_page_writes=off -c shared_buffers=16MB"


class Server:
    """A server that can be stopped and started again."""

    def __init__(self, programs: Path, options: str = QUICK) -> None:
        self._programs = programs
        self._options = f"{options} {_OPTIONS}"
        self.folder = Path(tempfile.mkdtemp(prefix="clew-pg-"))
        # The server refuses to run as root.
        self._user = _other_user() if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", self._data, "-U", "clew", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        (self.folder / "data" / "pg_hba.conf").write_text(_RULES)
        self.start()
        self.sql("CREATE ROLE ada LOGIN PASSWORD 'hunter2'")

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def address(self, database: str = "postgres", *, user: str = "clew", password: str = "") -> str:
        """The address of a database, with a user and perhaps a password."""
        secret = f":{password}" if password else ""
        return f"postgres://{user}{secret}@/{database}?host={self.folder}"

    def sql(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement by itself as the owner of all: its rows."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            done = connection.execute(statement)  # type: ignore[call-overload]
            return done.fetchall() if done.description else []

    def empty(self, database: str = "ledgers") -> str:
        """The address of a database in which nothing is."""
        if not self.sql(f"SELECT 1 FROM pg_database WHERE datname = '{database}'"):
            self.sql(f"CREATE DATABASE {database}")
        self.sql("DROP SCHEMA IF EXISTS clew CASCADE", database)
        return self.address(database)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._run(
            "pg_ctl",
            "-D",
            self._data,
            "-w",
            "-l",
            str(self.folder / "log"),
            "-o",
            f"{self._options} -k {self.folder}",
            "start",
        )

    def stop(self) -> None:
        """Cut all connections and end it."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", "fast", "stop")

    def end(self) -> None:
        """Stop it for good."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        user = {} if self._user is None else {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **user,
        )
        assert done.returncode == 0, done.stderr.decode()


def _other_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise AssertionError("there is no user `postgres` or `nobody` that a server could run as")


def programs() -> Path | None:
    """The folder with the programs of a server, None where none is installed."""
    places = [Path(found).resolve().parent for found in [shutil.which("pg_ctl")] if found]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: -float(one.parent.name))
    return next((place for place in places if (place / "initdb").exists()), None)


@cache
def _started() -> Server | None:
    found = programs()
    if found is None:
        return None
    server = Server(found)
    atexit.register(server.end)
    return server


def server() -> Server:
    """The server of this process. Skips the test where none is installed; in CI that fails it."""
    found = _started()
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(_MISSING)
    return found
