"""How results become JSON, apart from what each command tells (the commands' own tests, docs/reference/json.md)."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.app.hooks.confirm import Confirmed
from clew.app.keeping.purge import Left, Purged
from clew.interfaces.cli.encode import _DOCUMENTS, _VALUES, json_of
from tests.interfaces.cli.conftest import Desk


def test_a_result_is_told_by_its_own_names() -> None:
    """In their order, indented, so that a person can read it as well."""
    found = Confirmed("Go on.", True, 1)
    assert '{\n  "said": "Go on.",\n  "fits": true,\n  "misses": 1\n}' == json_of(found)


def test_a_path_that_is_no_text_is_told_all_the_same() -> None:
    """JSON has no other way; a name of a file must not take the whole answer with it."""
    path = Path("/w/a\udce9.md")
    found = Purged("01X", "X", 2, (path,), (Left(path, "ledger"),), (), False)
    assert {"dry_run": False, "id": "01X", "short_id": "X", "changed": 2} | {
        "dropped": ["/w/a?.md"],
        "before": [{"path": "/w/a?.md", "role": "ledger"}],
        "left": [],
    } == json.loads(json_of(found))


def test_an_id_comes_with_its_short_form(desk: Desk) -> None:
    """What is typed next needs it, wherever an item stands."""
    done = json.loads(desk.ada("decide", "Cents are integers", "--json").out)
    assert len(done["item"]["short_id"]) < len(done["item"]["id"])
    shown = json.loads(desk.ada("show", done["item"]["short_id"], "--json").out)
    assert (done["item"]["id"], done["item"]["short_id"]) == (shown["item"]["id"], shown["item"]["short_id"])


def test_a_row_of_a_value_names_a_class() -> None:
    """A row that is found by a name that a class had once tells nothing, and the class tells what it likes."""
    trees = (ast.parse(file.read_text("utf-8")) for file in Path(clew.__file__).parent.rglob("*.py"))
    assert set(_VALUES) <= {one.name for tree in trees for one in ast.walk(tree) if isinstance(one, ast.ClassDef)}


@pytest.mark.parametrize("table", [_DOCUMENTS, _VALUES], ids=["documents", "values"])
def test_no_row_is_empty(table: Any) -> None:
    """A row without a field would answer `{}` to who asked for JSON."""
    assert all(table.values())
