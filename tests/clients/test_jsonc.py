"""Where values stand in settings with comments, and what is no such file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from clew.clients.jsonc import NotJson, parse, plain
from tests.clients.settings_texts import NOTHING, Written, written


@given(written() | NOTHING)
def test_a_file_says_what_it_holds(file: Written) -> None:
    """In whatever manner it is written."""
    node = parse(file.text)
    assert json.dumps(None if node is None else plain(file.text, node)) == json.dumps(file.value)


def test_every_value_is_told_where_it_stands() -> None:
    """Spans lead to the bytes that are cut out."""
    text = '\ufeff{ "a": [1 , {"b": null},], /* , */ "a": "x" }'
    node = parse(text)
    assert node is not None
    first, second = node.children
    assert [text[child.start : child.value.end] for child in node.children] == ['"a": [1 , {"b": null},]', '"a": "x"']
    assert node.child("a") is second
    assert text[first.comma] == ","
    assert second.comma == -1
    assert [text[one.value.start : one.value.end] for one in first.value.children] == ["1", '{"b": null}']
    assert [text[one.comma] for one in first.value.children] == [",", ","]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1', 1),
        ('{\n"a": 1\n"b": 2}', 3),
        ("{'a': 1}", 1),
        ('{"a": 1}\n{}', 2),
        ('{"a": 1,,}', 1),
        ('{"a": "\n"}', 1),
        ('{"a": "\\x"}', 1),
        ("/* no end", 1),
        ("[" * 500 + "]" * 500, 1),
        ("1" * 5000, 1),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    """A file that is read as something that it is not gets destroyed when it is written."""
    with pytest.raises(NotJson) as refused:
        parse(text)
    assert refused.value.line == line


def test_a_comment_that_never_ends_costs_no_more_than_its_length() -> None:
    """Half a megabyte of slashes and stars is an answer at once."""
    with pytest.raises(NotJson):
        parse("/*" * 250_000)
