"""Entries in TOML that people keep by hand: in, and out again to the byte."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from clew.clients.splice import SpliceEntry, Unfit
from clew.clients.splice_toml import holds, insert, without

ENTRY = SpliceEntry(
    ("servers",), "ours", {"command": 'a "b" \\ \u00e9 \x7f', "args": ["-c", "x"], "on": True, "env": {"A.B": "c"}}
)
TEXTS = (
    "",
    "# only a remark",
    'a = 1 # one\n\n[servers.theirs] # kept\nrun = ["x",\n  "y", # why\n]\n',
    '\ufeffa = "b"\r\n[servers]\r\nlimit = 3\r\n',
    "[[list]]\nn = 1\n[[list]]\nn = 2\n\n\n",
    "when = 2026-03-02T09:00:00Z\nrate = nan\n",
)


def ours(path: tuple[str, ...], value: Any) -> bool:
    return path == ("servers", "ours") and isinstance(value, dict)


@pytest.mark.parametrize("text", TEXTS)
def test_in_and_out_again(text: str) -> None:
    """Given any file, what goes in can be read, stands there once, and leaves nothing behind."""
    done = insert(text, [ENTRY])
    assert done.text.startswith(text)
    assert tomllib.loads(done.text.removeprefix("\ufeff"))["servers"]["ours"] == ENTRY.value
    assert holds(done.text, [ENTRY], ours) and not holds(text, [ENTRY], ours)
    assert without(done.text, done.spans, done.made, ours) == text
    assert "\r\n" not in done.text.replace(text, "") or "\r\n" in text


@pytest.mark.parametrize("text", TEXTS)
def test_what_somebody_wrote_behind_it_stays(text: str) -> None:
    """Clients add to their settings themselves."""
    done = insert(text, [ENTRY])
    more = '\n[projects."/w"]\ntrust = true # yes\n'
    assert without(done.text + more, done.spans, done.made, ours) == text + more
    moved = "# new\n" + done.text.removeprefix("\ufeff")
    assert without(moved, done.spans, done.made, ours) == "# new\n" + text.removeprefix("\ufeff")


def test_the_order_of_tables_is_no_matter() -> None:
    """Given our table was the first of its kind and others came behind it, it goes in and out all the same."""
    done = insert('model = "x"\n', [ENTRY])
    more = '\n[projects."/x"]\ntrust = true\n\n[servers.other]\nrun = 1\n'
    assert without(done.text + more, done.spans, done.made, ours) == 'model = "x"\n' + more
    changed = (done.text + more).replace("on = true", "on = false")
    assert without(changed, done.spans, done.made, ours) == 'model = "x"\n' + more


@pytest.mark.parametrize(
    "text",
    [
        "[servers.ours]\ncommand = 'x' # a\n\n[b]\nc = 1\n\n[servers.ours.env]\nd = 1\n",
        "[servers]\nours.command = 'x' # a\nlimit = 3\n",
        "[servers.ours]\nargs = [\n['x'],\n]\n[servers.ours.env]\nd = 1\n[[servers.ours.list]]\ne = 1\n[b]\nc = 1\n",
    ],
)
def test_it_goes_in_whatever_form_somebody_wrote_it(text: str) -> None:
    """Clients and people write the file again."""
    left = without(text, (), (), ours)
    whole = tomllib.loads(text)
    del whole["servers"]["ours"]
    assert {key: one for key, one in tomllib.loads(left).items() if one} == {k: one for k, one in whole.items() if one}


@pytest.mark.parametrize(
    "text",
    [
        "[servers.ours]\ncommand = 'x'\n\n# of b\n[b]\nc = 1\n\n[servers.ours.env]\nd = 1\n",
        "[servers.ours]\ncommand = 'mine'\n\n# of b\n[b]\nc = 1\n",
    ],
)
def test_what_cannot_go_without_a_remark_stays(text: str) -> None:
    """Given a table that somebody wrote in, nobody can tell whose a remark behind it is: the person is asked."""
    with pytest.raises(Unfit, match="remarks"):
        without(text, (), (), ours)


@pytest.mark.parametrize("text", TEXTS[2:5])
def test_what_somebody_wrote_into_it_goes_with_it(text: str) -> None:
    """And nothing else does."""
    done = insert(text, [ENTRY])
    changed = done.text.replace("on = true", "on = false\nmine = 1")
    left = without(changed, done.spans, done.made, ours)
    assert tomllib.loads(left.removeprefix("\ufeff")) == tomllib.loads(text.removeprefix("\ufeff"))
    assert left.startswith(text.rstrip())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = ", "not TOML"),
        ("servers = 3\n", "no object"),
        ("servers = { theirs = {} }\n", "in a form"),
        ("[servers.ours]\nrun = 1\n", "exists already"),
    ],
)
def test_a_file_that_cannot_take_it_is_refused(text: str, why: str) -> None:
    """Who guesses at a file destroys it."""
    with pytest.raises(Unfit, match=why):
        insert(text, [ENTRY])
