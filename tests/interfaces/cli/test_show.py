"""`clew show`: the list, one item, JSON, and ids that people type."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Clew, Desk
from tests.workspace.repos import Repo


def test_the_list_has_a_line_for_each_item(clew: Clew, repo: Repo) -> None:
    """Id, kind, text: what one needs to pick."""
    code, out, err = clew("show")
    assert (code, err) == (0, "")
    rows = out.rstrip("\n").split("\n")
    assert len(rows) == len(json.loads(clew("show", "--json").out)["items"])
    assert all(re.match(r"[A-Z]-[0-9a-z]{4,16}  [a-z]+ +\S", row) for row in rows)


def test_an_item_is_shown_with_its_words_and_its_place(clew: Clew, repo: Repo) -> None:
    """From a line in the payload to the line in the record in one step."""
    row = next(row for row in clew("show").out.split("\n") if "  goal " in row)
    code, out, _ = clew("show", row.split()[0])
    assert code == 0
    assert "said by  the user" in out
    assert re.search(r"^place    .*\.jsonl:\d+$", out, re.MULTILINE)
    assert "The words there:\n  | " in out


def test_json_of_one_item_and_of_all_have_the_documented_fields(clew: Clew, repo: Repo) -> None:
    """docs/reference/json.md names them; scripts depend on them."""
    listed = json.loads(clew("show", "--json").out)
    assert {"file", "items"} <= set(listed)
    one = json.loads(clew("show", "--json", listed["items"][0]["short_id"]).out)
    assert {"file", "line", "item"} <= set(one)
    assert listed["items"][0] == one["item"]


def test_ambiguous_and_unknown_ids_are_errors_with_a_way_out(clew: Clew, repo: Repo) -> None:
    """Never a guess."""
    ids = [row.split()[0] for row in clew("show").out.rstrip("\n").split("\n")]
    letters = [name[:2] for name in ids]
    common = next(letter for letter in letters if letters.count(letter) > 1)
    code, out, err = clew("show", common)
    assert (code, out) == (1, "")
    assert "[E-id-ambiguous]" in err
    assert all(name in err for name in ids if name.startswith(common))
    code, out, err = clew("show", "Q-zzzz")
    assert (code, out) == (1, "")
    assert "[E-no-item]" in err


def test_the_example_in_the_documents_is_what_is_printed(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    """People try it: an id that exists no more teaches them that the page is old."""
    root = Path(__file__).parents[3]
    monkeypatch.chdir(root)
    page = (root / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```console\n\$ clew (show [^\n]+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert (0, example[1], "") == clew(*example[0].split())


def test_an_id_comes_with_its_short_form(desk: Desk) -> None:
    """What is typed next needs it, wherever an item stands."""
    done = json.loads(desk.ada("decide", "Cents are integers", "--json").out)
    assert len(done["item"]["short_id"]) < len(done["item"]["id"])
    shown = json.loads(desk.ada("show", done["item"]["short_id"], "--json").out)
    assert (done["item"]["id"], done["item"]["short_id"]) == (shown["item"]["id"], shown["item"]["short_id"])
