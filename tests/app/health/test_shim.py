"""The start of hooks: each thing that can be missing or old, and how to fix it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clew.app.health import shim
from clew.app.health.finding import HealthFinding
from tests.app.clinic import Clinic, bad, of


@pytest.fixture
def clinic(tmp_path: Path) -> Clinic:
    return Clinic(tmp_path)


def examined(clinic: Clinic, *, opted_in: bool = True) -> list[HealthFinding]:
    return list(shim.examine(clinic.machine, [clinic.configuration()], opted_in=opted_in))


def test_an_old_shim_is_wrong(clinic: Clinic) -> None:
    """An upgrade of the package leaves the copy behind."""
    (clinic.machine.data / "clewhook.py").write_text("# of last year\n")
    assert "another version" in of(examined(clinic), "shim").said
    clinic.init()
    assert {} == bad(examined(clinic))


def test_a_shim_that_is_gone_is_wrong(clinic: Clinic) -> None:
    """Hooks then end in silence, for ever."""
    (clinic.machine.data / "clewhook.py").unlink()
    found = examined(clinic)
    assert ({"shim": "wrong"}, "shim") == (bad(found), shim.hinders(found))


def test_one_cause_is_one_line(clinic: Clinic) -> None:
    """Where the whole folder is gone, the package that it names is, too: nobody has to fix that twice."""
    assert "" == shim.hinders(examined(clinic))
    shutil.rmtree(clinic.machine.data)
    assert {"shim": "wrong"} == bad(examined(clinic))


def test_a_command_that_the_client_does_not_find_is_a_warning(clinic: Clinic) -> None:
    """Hooks run all the same, and so everything seemed well: and no slash command did."""
    found = shim.on_path(clinic.machine, lambda _: None)
    assert ("path", "warn") == found[:2]
    assert "slash commands" in found.said
    assert "pipx install" in found.mend
    assert f"ln -s {Path(clinic.machine.python).with_name('clew')}" in found.mend
    there = shim.on_path(clinic.machine, lambda name: f"/usr/bin/{name}")
    assert ("fine", "`clew` on the PATH is /usr/bin/clew") == there[1:3]


def test_hooks_that_are_switched_off_have_their_own_mend(clinic: Clinic) -> None:
    """Everything is installed, and nothing runs."""
    told = json.loads(clinic.settings.read_text())
    clinic.settings.write_text(json.dumps({**told, "disableAllHooks": True}))
    found = of(examined(clinic), "client.settings")
    assert "`disableAllHooks`" in found.mend


def test_another_clew_is_a_warning(clinic: Clinic, tmp_path: Path) -> None:
    """Two installations: commands and hooks may then be of different versions."""
    (tmp_path / "other" / "clew").mkdir(parents=True)
    (clinic.machine.data / "package").write_text(f"{tmp_path / 'other'}\n")
    assert "warn" == of(examined(clinic), "package").level


def test_a_hook_that_is_missing_is_wrong(clinic: Clinic) -> None:
    """Somebody took one out, or an older clew had fewer."""
    clinic.settings.write_text(clinic.settings.read_text().replace('"PreCompact"', '"PreCompactOff"'))
    assert "no hook for PreCompact" in of(examined(clinic), "hooks").said


def test_no_hooks_are_wrong_only_where_they_were_wanted(clinic: Clinic) -> None:
    """`clew init --client none` is a choice."""
    clinic.settings.write_text("{}")
    assert "wrong" == of(examined(clinic), "hooks").level
    assert "info" == of(examined(clinic, opted_in=False), "hooks").level


def test_hooks_in_two_files_run_twice(clinic: Clinic) -> None:
    """Every session would be told everything twice."""
    held = clinic.configuration()
    found = list(shim.examine(clinic.machine, [held._replace(hooks=held.hooks * 2)], opted_in=True))
    assert "warn" == of(found, "hooks.twice").level


def test_an_interpreter_in_a_temporary_place_is_a_warning(clinic: Clinic) -> None:
    """`uvx clew init` would leave hooks that are dead tomorrow."""
    machine = clinic.machine._replace(temporary=(Path("/"),))
    found = list(shim.examine(machine, [clinic.configuration()], opted_in=True))
    assert "warn" == of(found, "interpreter").level
