"""`clew rules` as it is typed."""

from __future__ import annotations

import json

from clew.app.launching.rules import BLOCK
from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo

TEXT = "# Rules\r\n\r\nNo floats for money."


def test_it_prints_the_block_and_where_it_could_go(clew: Clew, repo: Repo) -> None:
    """Data on stdout, so that it can be piped into a file that clew does not know."""
    repo.write("AGENTS.md", TEXT)
    code, out, err = clew("rules")
    assert (code, out) == (0, BLOCK + "\n")
    assert "AGENTS.md can take it: clew rules AGENTS.md --write\n" in err
    assert "is not initialised: run `clew init`" in err


def test_in_and_out_again(clew: Clew, repo: Repo) -> None:
    """Twice is once, and the file is as it was before, to the byte."""
    clew("init", "--client", "none")
    path = repo.write("AGENTS.md", TEXT)
    assert clew("rules", "AGENTS.md", "--write") == (0, f"Put the block into {path}.\n", "")
    written = path.read_bytes()
    assert BLOCK.replace("\n", "\r\n").encode() in written
    assert clew("rules", "AGENTS.md", "--write").out == f"The block is in {path}.\n"
    assert path.read_bytes() == written
    assert clew("rules", "AGENTS.md").err == f"The block is in {path}.\n"
    assert clew("rules", "AGENTS.md", "--remove").out == f"Took the block out of {path}.\n"
    assert path.read_bytes() == TEXT.encode()
    assert clew("rules", "AGENTS.md", "--remove").out == f"The block is not in {path}.\n"


def test_a_client_with_hooks_needs_none(clew: Clew, repo: Repo) -> None:
    """It would be told twice; it is said, and done all the same, for others may read the file, too."""
    (repo.top.parent / "home" / ".claude").mkdir(exist_ok=True)
    clew("init", "--client", "claude-code")
    repo.write("CLAUDE.md", TEXT)
    assert "not needed by claude-code: hooks of clew run there" in clew("rules").err
    done = clew("rules", "CLAUDE.md", "--write")
    assert done.code == 0 and "claude-code reads CLAUDE.md and has hooks of clew here" in done.err


def test_what_cannot_be_done_says_why(clew: Clew, repo: Repo) -> None:
    """No file is made, and a wrong command line is one."""
    missing = clew("rules", "CLAUDE.md", "--write")
    assert missing.code == 1 and "[E-rules-missing]" in missing.err and "clew makes none" in missing.err
    assert not (repo.top / "CLAUDE.md").exists()
    assert clew("rules", "--write").code == 64
    assert clew("rules", "README.md", "--write", "--remove").code == 64


def test_as_json(clew: Clew, repo: Repo) -> None:
    """For a program that puts it elsewhere."""
    repo.write(".cursorrules", "No floats.\n")
    shape = json.loads(clew("rules", ".cursorrules", "--write", "--json").out)
    assert (shape["block"], shape["did"], shape["tokens"] <= 150) == (BLOCK, "written", True)
    assert shape["files"] == [{"file": ".cursorrules", "has_block": True, "hooked": []}]
