"""Notion, asked by its own client library: what pages and databases become, and what happens on a bad day."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.sources.notion import id_of
from clew.sources.port import Fetched, SourceContext, SourceError
from clew.sources.registry import source, spec_of
from tests.sources.notion_server import TOKEN, Workspace, serving, text


class Asking:
    """Somebody with a token. `slept` are the pauses, which take no time."""

    def __init__(self, folder: Path, space: Workspace, address: str) -> None:
        self.space = space
        self.slept: list[float] = []
        self.told: list[str] = []
        self.context = SourceContext(
            root=folder,
            environment={"NOTION_TOKEN": TOKEN},
            services={"notion": address},
            sleep=self.slept.append,
            at=self.told.append,
        )

    def fetch(self, page: str, **more: Any) -> Fetched:
        table = {"kind": "notion", "page": page, **more}
        return source("notion").fetch(spec_of(table, "source 1"), self.context, table)

    def text(self, page: str, **more: Any) -> str:
        return "\n".join(part.text for part in self.fetch(page, **more).parts)


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    with serving() as (space, address):
        yield Asking(tmp_path, space, address)


def test_a_page_reads_as_it_is_written(asking: Asking) -> None:
    """Headings, marks, lists with what is in them, code as it stands, tables, and what is only named."""
    space = asking.space
    page = space.page("Tide plan", Owner={"id": "o", "type": "people", "people": [{"object": "user", "name": "Ada"}]})
    space.block(page, "heading_2", "Ports")
    space.block(page, "paragraph", "See ", text("the list", href="https://x.example/l"), " of ", text("all", bold=True))
    entry = space.block(page, "bulleted_list_item", "North")
    inner = space.block(entry, "numbered_list_item", "Quay")
    space.block(inner, "paragraph", "deep\nwater")
    space.block(page, "bulleted_list_item", "South")
    space.block(page, "to_do", "Ask ", text("Bo", italic=True), checked=True)
    space.block(page, "code", "a = 1\n", text("b = '*'", bold=True), language="python")
    space.block(page, "equation", expression="x^2")
    quote = space.block(page, "quote", "Slow is smooth")
    space.block(quote, "paragraph", "said Bo")
    table = space.block(page, "table", table_width=2, has_column_header=True)
    for row in (["Port", "Depth"], ["A|B", "3 m\nor so"]):
        space.block(table, "table_row", cells=[[text(cell)] for cell in row])
    columns = space.block(page, "column_list")
    space.block(space.block(columns, "column"), "paragraph", "left")
    signed = {"type": "file", "file": {"url": "https://s3.example/k?X-Amz-Signature=abc", "expiry_time": "2026"}}
    space.block(page, "image", caption=[], **signed)
    space.block(page, "file", caption=[text("chart")], type="external", external={"url": "https://x.example/c.pdf"})
    space.block(page, "bookmark", url="https://x.example/b", caption=[])
    space.block(page, "divider")
    found = asking.fetch(page)
    assert (
        """# Tide plan

- Owner: Ada

## Ports

See [the list](https://x.example/l) of **all**

- North
  1. Quay
    deep
    water
- South
- [x] Ask *Bo*

```python
a = 1
b = '*'
```

$$
x^2
$$

> Slow is smooth
> said Bo

| Port | Depth |
| --- | --- |
| A\\|B | 3 m or so |

left

[image: image]

[file: chart](https://x.example/c.pdf)

https://x.example/b

---
"""
        == found.parts[0].text
    )
    assert f"Notion page “Tide plan” ({page}), last edited 2026-11-20T09:30:00.000Z, 21 blocks" == found.provenance
    assert () == found.notes and [f"Notion {page}"] == asking.told


def test_a_page_of_thousands_of_blocks_comes_whole_and_in_order(asking: Asking) -> None:
    """A hundred at a time."""
    page = asking.space.page("Long")
    for number in range(1_234):
        asking.space.block(page, "paragraph", f"line {number}")
    told = [row for row in asking.text(page).split("\n") if row.startswith("line")]
    assert [f"line {number}" for number in range(1_234)] == told
    assert 1 + 13 == len(asking.space.asked)


@pytest.mark.parametrize(("depth", "is_cut"), [(20, False), (21, True)])
def test_what_is_nested_is_read_to_the_twentieth_level(asking: Asking, depth: int, is_cut: bool) -> None:
    """What lies deeper is said to be left out."""
    page = at = asking.space.page("Deep")
    for number in range(depth):
        at = asking.space.block(at, "toggle", f"level {number + 1}")
    found = asking.fetch(page)
    assert ("level 20" in found.parts[0].text) and ("level 21" in found.parts[0].text) is False
    assert (("Left out, nested deeper than 20 levels: Deep.",) if is_cut else ()) == tuple(
        note.replace("level 19", "Deep") for note in found.notes
    )


def test_a_database_is_a_table_of_its_rows(asking: Asking) -> None:
    """Each sort of value as one reads it."""
    space = asking.space
    kinds = {
        "Name": "title",
        "N": "number",
        "Tags": "multi_select",
        "When": "date",
        "Done": "checkbox",
        "Sum": "rollup",
    }
    kinds |= {"F": "formula", "Id": "unique_id", "Rel": "relation", "State": "status", "By": "created_by", "At": "url"}
    base = space.database("Ports", kinds)
    space.row(
        base,
        Name={"type": "title", "title": [text("North | 1")]},
        N={"type": "number", "number": 3},
        Tags={"type": "multi_select", "multi_select": [{"name": "a"}, {"name": "b"}]},
        When={"type": "date", "date": {"start": "2026-11-01", "end": "2026-11-03"}},
        Done={"type": "checkbox", "checkbox": True},
        Sum={
            "type": "rollup",
            "rollup": {"type": "array", "array": [{"type": "number", "number": 2}], "function": "x"},
        },
        F={"type": "formula", "formula": {"type": "boolean", "boolean": False}},
        Id={"type": "unique_id", "unique_id": {"prefix": "PT", "number": 7}},
        Rel={"type": "relation", "relation": [{"id": "1"}, {"id": "2"}], "has_more": False},
        State={"type": "status", "status": {"name": "open", "color": "x"}},
        By={"type": "created_by", "created_by": {"object": "user", "id": "u1", "name": "Ada"}},
        At={"type": "url", "url": None},
    )
    gone = space.row(base, Name={"type": "title", "title": [text("Gone")]})
    space.row(base, Name={"type": "title", "title": []}, N={"type": "number", "number": None})
    space.trash(gone)
    found = asking.fetch(base)
    assert (
        """# Ports

| Name | At | By | Done | F | Id | N | Rel | State | Sum | Tags | When |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| North \\| 1 |  | Ada | yes | no | PT-7 | 3 | 2 pages | open | 2 | a, b | 2026-11-01 – 2026-11-03 |
|  |  |  |  |  |  |  |  |  |  |  |  |
"""
        == found.parts[0].text
    )
    assert f"Notion database “Ports” ({base}), last edited 2026-11-20T09:30:00.000Z, 2 rows" == found.provenance
    assert ("Deleted rows, left out, of: Ports.",) == found.notes
    assert asking.text(base) == asking.text(space.source_of(base))


def test_ten_thousand_rows_come_whole_and_more_are_said_to_be_cut(asking: Asking) -> None:
    """Notion itself gives no more."""
    base = asking.space.database("Many", {"Name": "title"})
    for number in range(10_001):
        asking.space.row(base, Name={"type": "title", "title": [text(f"row {number}")]})
    found = asking.fetch(base, rows=10_000)
    assert 10_000 + 4 == found.parts[0].text.count("\n")
    assert "| row 9999 |" in found.parts[0].text and "row 10000" not in found.parts[0].text
    assert ("Notion tells no more than 10,000 rows of: Many.",) == found.notes
    assert 100 == sum(one.endswith("/query") for one in asking.space.asked)
    few = asking.fetch(base)
    assert 1_000 + 4 == few.parts[0].text.count("\n") and ("Cut after 1,000 rows: Many.",) == few.notes


def test_pages_below_come_as_parts_when_they_are_wanted(asking: Asking) -> None:
    """Each once, also where one leads back; two of one title have names of their own."""
    space = asking.space
    top = space.page("Top")
    below = space.page("Notes", parent=top)
    base = space.database("Ports", {"Name": "title"}, parent=top)
    space.row(base, Name={"type": "title", "title": [text("North")]})
    space.block(below, "paragraph", "inner")
    other = space.page("Notes", parent=below)
    space.block(other, "paragraph", "innermost")
    gone = space.page("Gone", parent=top)
    space.things.pop(gone)
    assert "[page: Notes]" in asking.text(top) and "inner" not in asking.text(top)
    found = asking.fetch(top, subpages=True)
    assert ["Top", "Notes", "Ports", "Notes (2)"] == [part.name for part in found.parts]
    assert "innermost" in found.parts[3].text and "| North |" in found.parts[2].text
    assert found.provenance.endswith(", and 4 below it") and f"not shared with the token: {gone}." in found.notes[0]


def test_what_was_deleted_is_named(asking: Asking) -> None:
    """Blocks in the trash, blocks that vanish while they are read, and kinds that the API does not tell."""
    space = asking.space
    page = space.page("Plan")
    space.trash(space.block(page, "paragraph", "old words"))
    vanishing = space.block(page, "toggle", "More")
    space.block(vanishing, "paragraph", "hidden")
    space.forget(vanishing)
    space.block(page, "unsupported")
    space.block(page, "paragraph", "new words")
    found = asking.fetch(page)
    assert "old words" not in found.parts[0].text and "hidden" not in found.parts[0].text
    assert "- More\n\nnew words\n" in found.parts[0].text
    assert (
        "Deleted blocks, left out: paragraph in Plan.",
        "Deleted while it was read, or not shared: what is below: More.",
        "Blocks that Notion's API does not tell: unsupported in Plan.",
    ) == found.notes
    space.trash(page)
    with pytest.raises(SourceError, match="is in the trash"):
        asking.fetch(page)


def test_a_limit_is_waited_for_as_long_as_it_says(asking: Asking) -> None:
    """Also in the middle of a list; a server that has a bad moment is asked again, a POST as well."""
    base = asking.space.database("Ports", {"Name": "title"})
    for number in range(150):
        asking.space.row(base, Name={"type": "title", "title": [text(f"row {number}")]})
    whole = asking.text(base)
    asking.space.fail("/query", 429, Retry_After="7")
    asking.space.fail("/query", 502, body="<html>Bad gateway</html>")
    asking.space.fail("/data_sources/", 503)
    asking.space.fail("/databases/", 500, times=2)
    assert whole == asking.text(base)
    assert [7.0] == [pause for pause in asking.slept if pause == 7.0]
    assert 5 == len(asking.slept)


def test_a_limit_that_lasts_too_long_is_told(asking: Asking) -> None:
    """Nobody waits for an hour."""
    page = asking.space.page("Plan")
    asking.space.fail("/pages/", 429, Retry_After="3600")
    with pytest.raises(SourceError, match="no more requests for 3600 s") as told:
        asking.fetch(page)
    assert "E-source-unreachable" == told.value.code and [] == asking.slept
    asking.space.fail("/pages/", 500, times=6)
    with pytest.raises(SourceError, match="cannot be reached: it answers 500"):
        asking.fetch(page)
    assert [1.0, 2.0, 4.0, 8.0, 16.0] == asking.slept


def test_what_stands_in_the_way_is_said(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """No token, a wrong one, nothing there, no server, no package."""
    page = asking.space.page("Plan")
    context = asking.context
    for environment, said in (({}, "no token"), ({"NOTION_TOKEN": "wrong"}, "API token is invalid")):
        asking.context = replace(context, environment=environment)
        with pytest.raises(SourceError, match=said) as told:
            asking.fetch(page)
        assert "E-source-access" == told.value.code
    asking.context = replace(context, environment={"NOTION_API_KEY": TOKEN})
    assert "# Plan\n" == asking.text(page)
    with pytest.raises(SourceError, match="no page or database") as told:
        asking.fetch("0" * 32)
    assert "E-source-missing" == told.value.code
    asking.context = replace(context, services={"notion": "http://127.0.0.1:9"})
    with pytest.raises(SourceError, match="cannot be reached: ConnectError"):
        asking.fetch(page)
    monkeypatch.setattr("clew.sources.notion.find_spec", lambda _: None)
    with pytest.raises(SourceError, match="notion-client") as told:
        asking.fetch(page)
    assert "E-source-extra" == told.value.code


def test_nothing_is_printed_and_no_token_is_told(
    asking: Asking, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The library logs by itself."""
    page = asking.space.page("Plan")
    asking.space.fail("/pages/", 500)
    with caplog.at_level(logging.DEBUG, "notion_client"):
        asking.fetch(page)
    assert ("", "") == capsys.readouterr() and TOKEN not in caplog.text


@pytest.mark.parametrize(
    "named",
    [
        "0123456789abcdef0123456789abcdef",
        "01234567-89AB-cdef-0123-456789abcdef",
        "https://www.notion.so/acme/Cafe-deadbeef-0123456789abcdef0123456789abcdef?pvs=4",
        "https://acme.notion.site/0123456789abcdef0123456789abcdef?v=ffffffffffffffffffffffffffffffff",
        "https://www.notion.so/ffffffffffffffffffffffffffffffff?v=1&p=0123456789abcdef0123456789abcdef&pm=s",
    ],
)
def test_an_id_is_found_in_what_people_copy(named: str) -> None:
    """Of a page open beside a database it is the page's; never a view's."""
    assert "01234567-89ab-cdef-0123-456789abcdef" == id_of(named)


@pytest.mark.parametrize("named", ["", "Tide plan", "https://www.notion.so/acme", "https://www.notion.so/../v1/users"])
def test_what_names_no_page_is_said(named: str) -> None:
    """Nothing is asked then."""
    with pytest.raises(SourceError, match="names no page"):
        id_of(named)
