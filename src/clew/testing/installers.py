"""What every installer promises (`clew.clients.installing.Installer`), as tests. A member subclasses the suite and says
which settings files the client has, with texts as people have them:

class TestMine(InstallerContract):
    texts = {"settings.json": (b"{}", b'{"model": "x"}')}
    broken = {"settings.json": b"{"}

    def installer(self, home): return MyInstaller(home / ".mine")
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from clew import wiring
from clew.app.install.entries import Machine, hook_command, install, plan_install
from clew.app.install.uninstall import uninstall
from clew.clients.installing import Installer, Parts
from clew.core.errors import InputError
from clew.core.state.items import Authority

PERSON = Authority("human", "a person types it")


class InstallerContract:
    """The promises, one by one. `texts` and `broken` are by the name of each settings file that gets something."""

    texts: ClassVar[Mapping[str, Sequence[bytes]]]
    broken: ClassVar[Mapping[str, bytes]]

    def installer(self, home: Path) -> Installer:
        """The installer for a user whose home folder is `home`."""
        raise NotImplementedError

    @pytest.fixture
    def machine(self, tmp_path: Path) -> Machine:
        return wiring.machine({"HOME": str(tmp_path / "home")})

    @pytest.fixture
    def parts(self, tmp_path: Path, machine: Machine) -> Parts:
        return self.installer(tmp_path / "home").user(hook_command(machine))

    def test_its_files_are_spoken_of(self, parts: Parts) -> None:
        """A settings file without a text here would never be tried."""
        assert {one.path.name for one in parts.edited} == set(self.texts) == set(self.broken)
        assert parts.edited or parts.placed

    def test_what_was_there_comes_back_to_the_byte(self, machine: Machine, parts: Parts) -> None:
        """Settings are somebody's work, and what is ours goes without a trace."""
        for edited in parts.edited:
            for text in (*self.texts[edited.path.name], None):
                before = self._written(edited.path, text)
                install(machine, parts)
                assert edited.path.read_bytes() != text
                done = uninstall(machine, (parts,), said=PERSON)
                assert done.failed == ()
                assert _files(edited.path.parent) == before, (edited.path.name, text)

    def test_twice_is_once(self, machine: Machine, parts: Parts) -> None:
        """`clew init` in the next project must change nothing."""
        for edited in parts.edited:
            for text in self.texts[edited.path.name]:
                self._written(edited.path, text)
                install(machine, parts)
                once = _files(edited.path.parent)
                assert not plan_install(machine, parts).changes
                install(machine, parts)
                assert _files(edited.path.parent) == once, (edited.path.name, text)
                uninstall(machine, (parts,), said=PERSON)

    def test_what_others_put_in_later_stays(self, machine: Machine, parts: Parts) -> None:
        """Given somebody who edited the file since, only what is ours goes."""
        for edited in parts.edited:
            text = self.texts[edited.path.name][-1]
            self._written(edited.path, text)
            install(machine, parts)
            mine = edited.path.read_bytes()
            edited.path.write_bytes(mine.rstrip() + b"\n\n")
            assert uninstall(machine, (parts,), said=PERSON).failed == ()
            left = edited.path.read_bytes()
            assert left.split() == text.split(), edited.path.name

    def test_a_file_that_cannot_be_read_is_named_and_left_alone(self, machine: Machine, parts: Parts) -> None:
        """It is refused before anything at all is changed."""
        for edited in parts.edited:
            before = self._written(edited.path, self.broken[edited.path.name])
            with pytest.raises(InputError) as refused:
                install(machine, parts)
            assert (
                refused.value.code in ("E-client-settings", "E-client-comments")
                and str(edited.path) in refused.value.message
            )
            assert _files(edited.path.parent) == before, edited.path.name
            edited.path.unlink()

    def test_a_rehearsal_changes_nothing_and_says_the_same(self, machine: Machine, parts: Parts) -> None:
        """Who looks first must see what happens."""
        for edited in parts.edited:
            before = self._written(edited.path, self.texts[edited.path.name][-1])
            planned = plan_install(machine, parts)
            assert _files(edited.path.parent) == before
            assert install(machine, parts).changes == planned.changes
            uninstall(machine, (parts,), said=PERSON)

    def test_what_goes_into_a_repository_names_no_machine(self, tmp_path: Path, machine: Machine) -> None:
        """It is for everybody who has the repository."""
        shared = self.installer(tmp_path / "home").shared(tmp_path / "tide")
        assert not shared.edited
        for own in shared.placed:
            assert own.path.is_relative_to(tmp_path / "tide")
            assert str(tmp_path) not in own.text and machine.python not in own.text

    def _written(self, path: Path, text: bytes | None) -> dict[str, bytes]:
        """What lies in the settings file's folder, once it holds `text`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(text)
        return _files(path.parent)


def _files(folder: Path) -> dict[str, bytes]:
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
