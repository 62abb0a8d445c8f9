"""Entries into settings of other people and out of them again."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.jsonc import NotJson, parse, plain
from clew.clients.splice import SpliceEntry, Unfit, cut, found_again, holds, insert, prune, without
from tests.clients.settings_texts import ENTRIES, NOTHING, Written, group, is_ours, written

FILES = written() | NOTHING
THEIRS = (
    SpliceEntry(("hooks", "Stop"), "", {"hooks": [{"type": "command", "command": "chime"}]}),
    SpliceEntry((), "theirs", [1]),
)


def value_of(text: str) -> Any:
    node = parse(text)
    return None if node is None else plain(text, node)


def with_entries(value: Any, entries: tuple[SpliceEntry, ...]) -> Any:
    """The value as it must be afterwards, told apart from how the text is made."""
    value = copy.deepcopy(value) or {}
    for entry in entries:
        inner = value
        for key in entry.path:
            inner = inner.setdefault(key, [] if (*entry.path, "") == (*entry.path[:-1], key, entry.key) else {})
        if entry.key:
            inner[entry.key] = entry.value
        else:
            inner.append(entry.value)
    return value


@given(FILES)
def test_what_is_put_in_comes_out_to_the_byte(file: Written) -> None:
    """An uninstall that leaves a trace is the reason why people fear installers."""
    done = insert(file.text, ENTRIES)
    assert cut(done.text, done.spans) == file.text
    assert without(done.text, done.spans, done.made, is_ours) == file.text


@given(FILES)
def test_the_file_says_what_it_said_and_our_entries(file: Written) -> None:
    """And each entry stands behind what was there, so that other hooks keep their order."""
    done = insert(file.text, ENTRIES)
    assert json.dumps(value_of(done.text)) == json.dumps(with_entries(file.value, ENTRIES))
    assert holds(done.text, ENTRIES, is_ours)
    assert not holds(file.text, ENTRIES, is_ours)


@given(FILES, st.booleans())
def test_what_others_did_in_between_stays(file: Written, afresh: bool) -> None:
    """A client rewrites its settings when it likes, another installer adds its own."""
    ours = insert(file.text, ENTRIES)
    changed = insert(ours.text, THEIRS).text
    if afresh:
        changed = json.dumps(value_of(changed), indent=3)
    left = without(changed, ours.spans, ours.made, is_ours)
    assert json.dumps(value_of(left), sort_keys=True) == json.dumps(with_entries(file.value, THEIRS), sort_keys=True)
    if not afresh:
        assert all(left.count(remark) == file.text.count(remark) for remark in ("it */", "// why", "lines */"))


@given(FILES)
def test_our_entries_are_known_without_a_record(file: Written) -> None:
    """The record can be lost; then what stays is at most an empty object that we made."""
    done = insert(file.text, ENTRIES)
    assert json.dumps(value_of(prune(done.text, is_ours, done.made)) or {}) == json.dumps(file.value or {})
    left = value_of(prune(done.text, is_ours))
    assert {key: one for key, one in left.items() if key != "hooks"} == {
        key: one for key, one in (file.value or {}).items() if key != "hooks"
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": [\n    {"c": 2}\n  ]\n}\n'),
        ('{\r\n\t"a": 1,\r\n}', '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t{"c": 2}\r\n\t],\r\n}'),
        ('{"a":1}', '{"a":1,"b":[{"c":2}]}'),
        ('{"a": 1}\n', '{"a": 1, "b": [{"c": 2}]}\n'),
        ("{}", '{\n  "b": [\n    {"c": 2}\n  ]\n}'),
        ("", '{\n  "b": [\n    {"c": 2}\n  ]\n}\n'),
        ('{\n    "a": 1 // one\n}', '{\n    "a": 1, // one\n    "b": [\n        {"c": 2}\n    ]\n}'),
        ('{\n  "b": []\n}', '{\n  "b": [\n    {"c": 2}\n  ]\n}'),
        ('{\n  "b": [1]\n}', '{\n  "b": [1, {"c": 2}]\n}'),
        ("{\n  // none yet\n}", '{\n  // none yet\n  "b": [\n    {"c": 2}\n  ]\n}'),
        ('{"b": [], "b": [1]}', '{"b": [], "b": [1, {"c": 2}]}'),
    ],
)
def test_entries_look_like_the_file(before: str, after: str) -> None:
    """People read and keep these files; some in a repository."""
    done = insert(before, (SpliceEntry(("b",), "", {"c": 2}),))
    assert after.replace('{"c": 2}', json.dumps({"c": 2})) == one_lined(done.text)
    assert cut(done.text, done.spans) == before


def one_lined(text: str) -> str:
    """With the entry itself on one line, whose own lines are not the point here."""
    for broken in ("\n", "\r\n"):
        for indent in ("    ", "\t\t", "        "):
            step = "\t" if "\t" in indent else indent[: len(indent) // 2]
            text = text.replace(f'{{{broken}{indent}{step}"c": 2{broken}{indent}}}', '{"c": 2}')
    return text


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": null}', '{"hooks": {"Stop": {}}}', "[]", "1", '{"hooks": {"Stop": "x"}}']
)
def test_something_else_in_the_place_is_refused(text: str) -> None:
    """To put an array in the place of what somebody wrote would destroy it."""
    with pytest.raises(Unfit):
        insert(text, ENTRIES[:2])


def test_a_member_that_is_there_is_refused() -> None:
    """Two members of one name: which of them counts is anybody's guess."""
    with pytest.raises(Unfit):
        insert('{"statusLine": 1}', ENTRIES)


def test_what_is_no_json_is_refused() -> None:
    """A file that is read as something that it is not gets destroyed when it is written."""
    with pytest.raises(NotJson):
        insert('{"a": 1', ENTRIES)


def test_our_group_is_found_when_its_text_is_there_but_elsewhere() -> None:
    """Who adds a setting at the top keeps every other byte, also of ours: cutting by text keeps all of theirs."""
    done = insert('{\n\t"a": [1,2,   3]\n}\n', ENTRIES)
    moved = done.text.replace("{\n", '{\n\t"first" :0,\n', 1)
    assert found_again(moved, done.spans) is not None
    assert without(moved, done.spans, done.made, is_ours) == '{\n\t"first" :0,\n\t"a": [1,2,   3]\n}\n'


def test_a_hook_of_theirs_in_what_we_made_stays() -> None:
    """Our `hooks` object becomes theirs with the first entry of somebody else's."""
    done = insert("{}", ENTRIES[:1])
    theirs = insert(done.text, (SpliceEntry(("hooks", "Stop"), "", {"hooks": []}),)).text
    left = without(theirs, done.spans, done.made, is_ours)
    assert value_of(left) == {"hooks": {"Stop": [{"hooks": []}]}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[{O}]", "[]"),
        ("[ {O} ]", "[]"),
        ("[1, {O}]", "[1]"),
        ("[1, {O}, 2]", "[1, 2]"),
        ("[{O}, 2]", "[2]"),
        ("[{O}, {O}, 2, {O},]", "[2,]"),
        ("[\n  1, // one\n  {O}, 2\n]", "[\n  1, // one\n  2\n]"),
        ("[\n  1, // one\n  {O}]", "[\n  1 // one\n  ]"),
        ("[\n  1,\n  {O} // was theirs\n]", "[\n  1\n  // was theirs\n]"),
        ("[\n  {O},\n  2\n]", "[\n  2\n]"),
        ("[ /* c */ {O} ]", "[ /* c */ ]"),
    ],
)
def test_what_stands_around_an_entry_stays(before: str, after: str) -> None:
    """Commas belong to the list, remarks to people."""
    entry = json.dumps(group("Stop"))
    frame = '{"hooks": {"Stop": %s}}'
    assert prune(frame % before.replace("{O}", entry), is_ours) == frame % after
