"""How results become JSON, apart from what each command tells (the commands' own tests, docs/reference/json.md)."""

from __future__ import annotations

import json
from pathlib import Path

from clew.app.hooks.confirm import Confirmed
from clew.app.keeping.purge import Left, Purged
from clew.app.results import to_json


def test_a_result_is_told_by_its_own_names() -> None:
    """In their order, indented, so that a person can read it as well."""
    found = Confirmed("Go on.", True, 1)
    assert '{\n  "said": "Go on.",\n  "fits": true,\n  "misses": 1\n}' == to_json(found)


def test_a_path_that_is_no_text_is_told_all_the_same() -> None:
    """JSON has no other way; a name of a file must not take the whole answer with it."""
    path = Path("/w/a\udce9.md")
    found = Purged("01X", "X", 2, (path,), (Left(path, "ledger"),), (), False)
    assert {"dry_run": False, "id": "01X", "short_id": "X", "changed": 2} | {
        "dropped": ["/w/a?.md"],
        "before": [{"path": "/w/a?.md", "role": "ledger"}],
        "left": [],
    } == json.loads(to_json(found))
