"""`clew serve` as it is started: what it prints, how it is refused, how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.app.projects import World
from tests.people import typed

CLEW = Path(sys.executable).with_name("clew")


def started(world: World, *options: str) -> subprocess.Popen[str]:
    """The command in the project, without a terminal."""
    environment = {"HOME": str(world.home), "PATH": os.environ["PATH"]}
    command = [str(CLEW), "serve", *options]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=world.top, env=environment, text=True, **pipes)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_it_serves_until_it_is_told_to_end(world: World) -> None:
    """Started without a terminal it is for reading, and says why; an open page does not hold it up."""
    with started(world, "--port", "0") as process:
        assert process.stdout is not None and process.stderr is not None
        link = process.stdout.readline().split()[-1]
        port, _, ticket = link.rpartition(":")[2].partition("/#")
        with closing(HTTPConnection("127.0.0.1", int(port), timeout=30)) as asks:
            asks.request("POST", "/enter", f"ticket={ticket}", {"Origin": f"http://127.0.0.1:{port}"})
            answer = asks.getresponse()
            cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
            assert 303 == answer.status and not answer.read()
        with closing(HTTPConnection("127.0.0.1", int(port), timeout=30)) as page:
            page.request("GET", "/events?project=", headers={"Cookie": cookie})
            with page.getresponse() as events:
                assert b"event: ready\n" == events.readline()
                process.send_signal(signal.SIGTERM)
                told = process.communicate(timeout=30)[1]
    assert "for reading only" in told and "runs without a terminal" in told
    assert "The next link" in told and "Traceback" not in told


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--public-url", "https://me@page.example.org"), "E-page-url"),
        (("--public-url", "page.example.org"), "E-page-url"),
        (("--public-url", "https://page.example.org/clew"), "E-page-url"),
    ],
)
def test_an_address_that_is_none(world: World, options: tuple[str, ...], code: str) -> None:
    """It says how one looks."""
    with started(world, "--port", "0", *options) as process:
        assert code in process.communicate(timeout=60)[1]


def test_a_port_that_is_taken(world: World) -> None:
    """By another one, most likely."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with started(world, "--port", str(other.getsockname()[1])) as process:
            assert "E-page-port" in process.communicate(timeout=60)[1]
        assert 1 == process.returncode


# Beside the terminal: opens the link, asks to act, and ends the server.
_BROWSER = """
import json, os, re, signal, sys, time
from http.client import HTTPConnection
link, told, limit = sys.argv[1], sys.argv[2], time.monotonic() + 60
while not (found := re.search(r":(\\d+)/#(\\w+)", open(link).read() if os.path.exists(link) else "")):
    assert time.monotonic() < limit
    time.sleep(0.05)
def ask(method, path, body="", **headers):
    asks = HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
    asks.request(method, path, body, {"Origin": f"http://127.0.0.1:{found[1]}", **headers})
    answer = asks.getresponse()
    return answer.getheader("set-cookie"), answer.read().decode()
cookie = ask("POST", "/enter", "ticket=" + found[2])[0].partition(";")[0]
token = re.search('clew-token" content="(.+?)"', ask("GET", "/", Cookie=cookie)[1])[1]
said = ask("POST", "/person", "{}", Cookie=cookie, **{"X-Clew-Token": token, "Content-Type": "application/json"})[1]
open(told, "w").write(said)
os.kill(int(sys.argv[3]), signal.SIGTERM)
"""


def test_a_person_who_starts_it_sees_the_code_on_the_terminal(world: World, tmp_path: Path) -> None:
    """There alone: neither the answer nor what the command prints has it."""
    browser, link, told = tmp_path / "browser.py", tmp_path / "link", tmp_path / "told"
    browser.write_text(_BROWSER)
    line = f"{sys.executable} {browser} {link} {told} $$ & exec {CLEW} serve --port 0 > {link}"
    out = typed(
        ["sh", "-c", line], cwd=world.top, folder=tmp_path / "person", environment={"HOME": str(world.home)}
    ).out
    code = re.search(r"A browser asks to act for you. If that is you, type (\w{6}) there", out)
    assert code is not None and '{"asked":true}' == told.read_text()
    assert "for reading only" not in out and code[1] not in link.read_text()
