"""What Notion's API tells of pages, as Markdown: rich text, blocks, values of properties. Pure.

Shapes: Notion API 2025-09-03, as its public reference and the official client's types have them. Tolerant: what is
missing is empty, what is not known is counted by who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from clew.core.text.cleaning import clean, one_line

Json = Mapping[str, Any]
_HEADINGS: Final = {f"heading_{n}": "#" * n + " " for n in range(1, 5)}
_ENTRIES: Final = {
    "bulleted_list_item": "- ",
    "numbered_list_item": "1. ",
    "toggle": "- ",
    "quote": "> ",
    "callout": "> ",
}
_FILES: Final = frozenset(("image", "video", "file", "pdf", "audio"))
# They say nothing themselves, or stand around what does.
_FRAMES: Final = frozenset(
    "column_list column synced_block tab template table_of_contents breadcrumb meeting_notes transcription".split()
)
_MARKS: Final = (("code", "`"), ("bold", "**"), ("italic", "*"), ("strikethrough", "~~"))


def rich_text(items: Any) -> str:
    """A list of rich text as Markdown; links keep their addresses."""
    return "".join(_piece(item) for item in items if isinstance(item, Mapping)) if isinstance(items, Sequence) else ""


def _piece(item: Json) -> str:
    text = str(item.get("plain_text") or "")
    core = text.strip()
    if not core:
        return text
    before, after = text[: text.index(core[0])], text[len(text.rstrip()) :]
    if item.get("type") == "equation":
        core = f"${core}$"
    marks = item.get("annotations") or {}
    for name, mark in _MARKS:
        if marks.get(name) and not (name != "code" and marks.get("code")):
            core = f"{mark}{core}{mark}"
    link = str(item.get("href") or "")
    return f"{before}[{core}]({link}){after}" if link.startswith(("http://", "https://")) else f"{before}{core}{after}"


def block_lines(block: Json) -> list[str] | None:
    """The lines of one block without its children; None for one of a kind that is not known."""
    kind = str(block.get("type") or "")
    found = block.get(kind)
    value: Json = found if isinstance(found, Mapping) else {}
    if kind in _FRAMES or kind in ("table", "table_row"):
        return []
    if kind in _HEADINGS:
        return [_HEADINGS[kind] + one_line(rich_text(value.get("rich_text")))]
    if kind in _ENTRIES:
        return _under(_ENTRIES[kind], rich_text(value.get("rich_text")))
    if kind in _FILES:
        return [_file(kind, value)]
    return _OTHERS[kind](value) if kind in _OTHERS else None


def _code(value: Json) -> list[str]:
    return [f"```{_word(value.get('language'))}", *rich_plain(value.get("rich_text")).split("\n"), "```"]


def _linked(value: Json) -> list[str]:
    caption, url = rich_text(value.get("caption")), str(value.get("url") or "")
    return [f"{caption}: {url}" if caption else url]


def _target(value: Json) -> list[str]:
    kind = str(value.get("type") or "")
    return [f"[link to {kind.removesuffix('_id') or 'page'} {value.get(kind) or ''}]"]


def _child(what: str) -> Callable[[Json], list[str]]:
    return lambda value: [f"[{what}: {one_line(str(value.get('title') or 'untitled'))}]"]


_OTHERS: Final[Mapping[str, Callable[[Json], list[str]]]] = {
    "paragraph": lambda value: rich_text(value.get("rich_text")).split("\n"),
    "to_do": lambda value: _under(f"- [{'x' if value.get('checked') else ' '}] ", rich_text(value.get("rich_text"))),
    "code": _code,
    "equation": lambda value: ["$$", *str(value.get("expression") or "").split("\n"), "$$"],
    "divider": lambda _: ["---"],
    **dict.fromkeys(("bookmark", "embed", "link_preview"), _linked),
    "child_page": _child("page"),
    "child_database": _child("database"),
    "link_to_page": _target,
}


def rich_plain(items: Any) -> str:
    """A list of rich text without marks: what stands in code."""
    return "".join(str(one.get("plain_text") or "") for one in items or () if isinstance(one, Mapping))


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of Markdown; the first row is its head."""
    if not rows:
        return []
    width = max(map(len, rows))
    told = ["| " + " | ".join([_cell(cell) for cell in row] + [""] * (width - len(row))) + " |" for row in rows]
    return [told[0], "|" + " --- |" * width, *told[1:]]


def _cell(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace("|", "\\|")


def _under(front: str, text: str) -> list[str]:
    indent = front if front == "> " else " " * len(front)
    first, *rest = text.split("\n")
    return [front + first, *(indent + row for row in rest)]


def _word(value: Any) -> str:
    told = str(value or "")
    return "" if told == "plain text" else "".join(one for one in told if one.isalnum() or one in "+#-")


def _file(kind: str, value: Json) -> str:
    """What a file is called. An address that Notion signed is a key for an hour, and another one each time."""
    caption = rich_text(value.get("caption"))
    name = caption or one_line(str(value.get("name") or "")) or kind
    outside = value.get("external")
    url = str(outside.get("url") or "") if isinstance(outside, Mapping) else ""
    return f"[{kind}: {name}]({url})" if url else f"[{kind}: {name}]"


def title_of(thing: Json) -> str:
    """The title of a page, database or data source, in one line; "untitled" without one."""
    items = thing.get("title")
    if not isinstance(items, list):
        values = thing.get("properties") or {}
        items = next((one.get("title") for one in values.values() if one.get("type") == "title"), None)
    return one_line(clean(rich_plain(items))) or "untitled"


def property_text(value: Json) -> str:
    """The value of a property of a page as one reads it in a table."""
    kind = str(value.get("type") or "")
    found = value.get(kind)
    if found is None or kind == "button":
        return ""
    if kind in _VALUES:
        return _VALUES[kind](found)
    if kind == "relation":
        more = "+" if value.get("has_more") else ""
        return f"{len(found)}{more} page{'s' * (len(found) != 1)}" if found else ""
    return _named(found) if isinstance(found, Mapping) else str(found)


def _list(found: Any) -> str:
    return ", ".join(_named(one) for one in found)


def _computed(found: Json) -> str:
    if found.get("type") == "array":
        return ", ".join(filter(None, (property_text(one) for one in found.get("array") or ())))
    return property_text(found)


def _number(found: Json) -> str:
    number = str(found.get("number") or "")
    return f"{found['prefix']}-{number}" if found.get("prefix") else number


_VALUES: Final[Mapping[str, Callable[[Any], str]]] = {
    **dict.fromkeys(("title", "rich_text"), rich_text),
    **dict.fromkeys(("people", "multi_select", "files"), _list),
    **dict.fromkeys(("formula", "rollup"), _computed),
    **dict.fromkeys(("checkbox", "boolean"), lambda found: "yes" if found else "no"),
    "date": lambda found: " – ".join(str(found[one]) for one in ("start", "end") if found.get(one)),
    "unique_id": _number,
    "verification": lambda found: str(found.get("state") or ""),
}


def _named(one: Any) -> str:
    return str(one.get("name") or one.get("id") or "") if isinstance(one, Mapping) else ""
