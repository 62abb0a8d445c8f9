"""What every source of a stack promises (`clew.sources.port.Source`), as tests. A member subclasses the suite and gives
a context with something in it, a table that fetches from there, and tables that cannot:

class TestMine(SourceContract):
    kind = "mine"
    table = {"kind": "mine", "page": "a"}
    failing = ({"kind": "mine", "page": "not there"},)

    def context(self, folder): return Context(root=folder, …)
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from clew.core.errors import ClewError, InputError
from clew.core.text.cleaning import one_line
from clew.sources.port import Fetched, SourceContext
from clew.sources.registry import KINDS, source, spec_of


class SourceContract:
    """The promises, one by one. `table` stands for a `[[source]]` of a stack; each of `failing` raises an error."""

    kind: ClassVar[str]
    table: ClassVar[Mapping[str, Any]]
    failing: ClassVar[Sequence[Mapping[str, Any]]]

    def context(self, folder: Path) -> SourceContext:
        """A project in `folder` (there, and empty) with what `table` names."""
        raise NotImplementedError

    @pytest.fixture
    def at(self, tmp_path: Path) -> SourceContext:
        folder = tmp_path / "project"
        folder.mkdir()
        return self.context(folder)

    def fetched(self, at: SourceContext, table: Mapping[str, Any]) -> Fetched:
        """What the source gives for a table."""
        return source(self.kind).fetch(spec_of(table, "source 1"), at, table)

    def test_it_is_found_by_its_kind(self) -> None:
        """The registry is the one place that knows it."""
        found = source(self.kind)
        assert self.kind in KINDS
        assert found.kind == self.kind == self.table["kind"]
        assert found.about == one_line(found.about) != ""
        assert found.words == "" or found.words in found.spec.__struct_fields__

    def test_it_says_where_the_text_is_from_in_one_line(self, at: SourceContext) -> None:
        """Whoever reads a stack asks that first."""
        found = self.fetched(at, self.table)
        assert found.provenance == one_line(found.provenance) != ""
        assert "".join(part.text for part in found.parts).strip()

    def test_twice_is_the_same(self, at: SourceContext) -> None:
        """A lock would say that something changed where nothing did."""
        assert self.fetched(at, self.table) == self.fetched(at, self.table)

    def test_parts_have_names_of_their_own(self, at: SourceContext) -> None:
        """What was trimmed is told by name."""
        parts = self.fetched(at, self.table).parts
        assert len({part.name for part in parts}) == len(parts)
        assert all(part.name for part in parts) or len(parts) == 1
        assert all(part.language.replace("-", "").isalnum() for part in parts)

    def test_its_text_can_be_encoded(self, at: SourceContext) -> None:
        """A lone surrogate would break whatever the text goes to."""
        for part in self.fetched(at, self.table).parts:
            assert part.text.encode().decode() == part.text

    def test_nothing_is_written(self, at: SourceContext) -> None:
        """A look must not change what it looks at."""
        before = _contents(at.root)
        self.fetched(at, self.table)
        assert _contents(at.root) == before

    def test_what_common_keys_say_changes_nothing(self, at: SourceContext) -> None:
        """Budget, priority and trimming are whoever packs the stack's business. A command's table is trusted whole."""
        more = {**self.table, "name": "n", "priority": 3, "trim": "tail"}
        assert self.fetched(at, more) == self.fetched(at, self.table)

    def test_a_key_that_it_does_not_know_is_an_error(self) -> None:
        """A misspelt key would be heeded by nobody."""
        with pytest.raises(InputError) as refused:
            spec_of({**self.table, "pathz": "x"}, "source 1")
        assert "pathz" in refused.value.message

    def test_it_tells_what_it_reads_without_failing(self, at: SourceContext) -> None:
        """Progress is said by whoever asks for it."""
        told: list[str] = []
        self.fetched(replace(at, at=told.append), self.table)
        assert all(isinstance(name, str) for name in told)

    def test_what_cannot_be_had_is_an_error_with_a_next_step(self, at: SourceContext) -> None:
        """The stack is built without it, and whoever reads that has to know why."""
        assert self.failing
        for table in self.failing:
            with pytest.raises(ClewError) as failed:
                self.fetched(at, table)
            assert failed.value.code.startswith("E-")
            assert failed.value.message
            assert failed.value.hint or failed.value.code == "E-git-failed"  # which tells it in git's own words


def _contents(folder: Path) -> dict[str, str]:
    """Every file below, but for what git keeps for itself."""
    found = {}
    for parent, names, files in os.walk(folder):
        names[:] = [name for name in names if name != ".git"]
        for name in files:
            path = Path(parent, name)
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
