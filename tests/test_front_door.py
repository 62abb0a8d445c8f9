"""`import clew`: what it offers, and that importing does nothing but define names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from tests.interfaces.cli.binary import environment
from tests.recordings.sessions import Recorder

# Dear to import and of no use on the way to a payload (DESIGN, "The hook path"; docs/reference/dependencies.md).
HEAVY = frozenset(
    ("asyncio", "click", "dataclasses", "email", "http", "logging", "multiprocessing", "pyperclip", "socket", "sqlite3")
) | frozenset(("ssl", "subprocess", "tempfile", "unittest", "urllib.request", "xml", "rich", "hypothesis"))


def loaded(code: str, cwd: Path) -> set[str]:
    """Modules that a fresh interpreter has after running `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('\\n' + ' '.join(sys.modules))"],
        env=environment(cwd),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.rstrip("\n").rpartition("\n")[2].split())


def test_what_is_offered_is_exactly_this() -> None:
    """A name that slips out is a promise by accident."""
    errors = ["BudgetError", "ClewError", "InputError", "LedgerError", "NotAllowed", "NotFound", "Unavailable"]
    words = ["Checkpoint", "Compacted", "Document", "Drift", "Event", "Item", "Recorded", "Saved", "State"]
    expected = sorted([*errors, *words, "Project", "Resumption", "SessionDigest", "Showing", "__version__"])
    expected += ["digest", "maybe_compact", "open", "resume", "show"]
    assert expected == sorted(clew.__all__) == dir(clew)
    assert all(getattr(clew, name) is not None for name in expected)
    with pytest.raises(AttributeError):
        clew.nonesuch  # noqa: B018


def test_importing_loads_hardly_anything(tmp_path: Path) -> None:
    """Hooks and other people's programs import it: it may cost what `typing` costs, and that for now only."""
    assert {"clew"} >= loaded("import clew", tmp_path) - loaded(
        "from __future__ import annotations; import typing", tmp_path
    )


def test_the_front_door_of_asyncio_loads_neither_it_nor_a_database(tmp_path: Path) -> None:
    """A program that imports `clew.aio` and does not use it pays for names only."""
    found = loaded("import clew.aio", tmp_path)
    assert not (HEAVY | {"apsw"}) & found
    assert list(tmp_path.iterdir()) == []


def test_importing_writes_nothing_and_reads_no_environment(tmp_path: Path) -> None:
    """Work at import is work nobody asked for."""
    code = "import os, sys; names = []; get = os._Environ.__getitem__\n"
    code += "os._Environ.__getitem__ = lambda self, name: (names.append(name), get(self, name))[1]\n"
    code += "import clew; assert not names, names"
    loaded(code, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_version_needs_no_use_case(tmp_path: Path) -> None:
    """`clew --version` and `--help` answer at once: commands are imported when they are run."""
    found = loaded("from clew.interfaces.cli.main import run; run(['--version']); run(['--help'])", tmp_path)
    ours = {name for name in found if name.split(".")[0] == "clew"}
    assert {"clew", "clew.core", "clew.core.errors", "clew.core.text", "clew.core.text.cleaning"} | {
        *("clew.interfaces", "clew.interfaces.cli", "clew.interfaces.cli.main", "clew.interfaces.cli.group"),
        "clew.interfaces.cli.screen",
    } >= ours
    assert not {"msgspec", "ahocorasick", "json"} & found
    assert not (HEAVY - {"click"}) & found


def test_resuming_one_session_loads_no_database(tmp_path: Path) -> None:
    """Start-up time is a budget, and what one session left is held in memory."""
    path = Recorder(tmp_path).user("Fix the tide").reply("It is mended for good.").write_to(tmp_path / "s.jsonl")
    code = f"from clew.interfaces.cli.main import run; assert run(['resume', '--from', {str(path)!r}]) == 0"
    found = loaded(code, tmp_path)
    assert not (HEAVY - {"click"}) & found
    assert not {"apsw", "clew.app.library", "clew.app.look.show", "clew.ledger.sqlite"} & found


def test_the_program_tells_the_collector_before_it_loads_anything(tmp_path: Path) -> None:
    """What is loaded stays, so to look through it again and again while it is loaded costs a command for nothing."""
    assert not {"click", "clew.interfaces.cli.main"} & loaded("import clew.__main__", tmp_path)


def test_a_payload_in_two_lines(tmp_path: Path) -> None:
    """The example in the package's own docstring."""
    path = (
        Recorder("/nonexistent/tide")
        .user("Fix the tide")
        .reply("It is mended for good.")
        .write_to(tmp_path / "s.jsonl")
    )
    found = clew.resume(tmp_path, transcript=str(path), budget_tokens=500)
    assert "Fix the tide" in found.document.text
    assert found.document.tokens <= 500
    item = clew.show(found.document.shown[0], folder=tmp_path, transcript=path)
    assert isinstance(item, clew.Showing) and item.item is not None
    assert isinstance(found, clew.Resumption)


def test_all_that_goes_wrong_is_one_kind_of_error(tmp_path: Path) -> None:
    """Callers catch `clew.ClewError`, with a code and a hint to go by."""
    with pytest.raises(clew.ClewError) as caught:
        clew.resume(tmp_path, transcript=tmp_path / "nonesuch")
    assert caught.value.code.startswith("E-") and caught.value.hint and caught.value.exit_code == 1
    json.dumps([caught.value.code, caught.value.message, caught.value.hint])


def test_every_error_is_offered_by_name() -> None:
    """Who wants to catch one kind must not look for it in a module that may move."""
    from clew.core import errors

    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, clew.ClewError)}
    assert kinds <= set(clew.__all__)


def test_type_checkers_see_what_is_offered() -> None:
    """The names come late, so what is told to type checkers and what is there must not drift apart."""
    source = Path(clew.__file__).read_text(encoding="utf-8")
    assert Path(clew.__file__).with_name("py.typed").exists()
    for name in clew.__all__:
        if name != "__version__":
            home = next(home for home, names in clew._HOMES.items() if name in names)
            assert f"    from {home} import {name} as {name}\n" in source


def test_a_project_in_five_lines(tmp_path: Path) -> None:
    """The example in the package's own docstring, in a folder that keeps nothing yet."""
    (tmp_path / "tide").mkdir()
    with clew.open(tmp_path / "tide", create=True) as project:
        project.record("decision", "Amounts are integer cents", why="floats lost a cent")
        assert "Amounts are integer cents — floats lost a cent" in project.payload().text
    with pytest.raises(clew.InputError):
        clew.open("\0")
