"""Values at one remove from their name: columns, lists, manifests."""

import pytest

from clew.secrets.values import read_column, read_list, read_manifest
from tests.secrets.examples import wrap


def _values(text: str, word: str) -> list[str]:
    at = text.lower().index(word)
    return [text[value.start : value.end] for value in read_column(text, at, word)]


def test_a_column_of_markdown_is_read_below_its_head() -> None:
    table = "| a | api key | b |\n|---|:--|---|\n| 1 | `one1` | x |\n| 2 | two2 | y |\n\nand on"
    assert _values(table, "key") == ["one1", "two2"]


@pytest.mark.parametrize("mark", [",", "\t", ";"])
@pytest.mark.parametrize("newline", ["\n", "\\n"])
def test_a_column_of_a_file_is_read_below_its_head(mark: str, newline: str) -> None:
    rows = [mark.join(row) for row in (("user", "password", "mail"), ("ann", "one1", "x"), ("bob", "two2", "y"))]
    assert _values(newline.join(rows), "password") == ["one1", "two2"]


def test_a_sentence_with_commas_is_no_head() -> None:
    assert _values('f(user, password, "x")\nann, one1, "y"', "password") == []
    assert _values("| user | password |\n| ann | one1 |", "password") == []


def test_a_list_is_read_to_its_end() -> None:
    text = 'API_KEYS = ["first-1234567890", "second-1234567890"]\nother = ["third-1234567890"]'
    values = list(read_list(text, text.index("KEY"), "key"))
    assert [text[value.start : value.end] for value in values] == ["first-1234567890", "second-1234567890"]
    assert {value.name for value in values} == {"apikey"}


def test_a_manifest_is_read_on_both_sides_of_its_kind() -> None:
    one, two = wrap("hello there"), wrap("hello again")
    for text in (f"kind: Secret\ndata:\n  a: {one}\n  b: {two}", f"data:\n  a: {one}\n  b: {two}\nkind: Secret"):
        values = list(read_manifest(text, text.index("kind"), "kind: secret"))
        assert [text[value.start : value.end] for value in values] == [one, two]
