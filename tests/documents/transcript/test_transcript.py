"""A session as a document."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from clew.core.records.transcript import Call, Edit, Prompt, Record, Reply, Result, Run
from clew.documents.transcript import entries, markdown, page

TIME = "2026-11-01T10:00:00.000Z"
HOSTILE = (
    "![x](http://evil.example/p.png) <img src=x onerror=alert(1)>\n# Heading\n```\n<b>code</b>\n```\n</pre><script>"
)


def records() -> list[Record]:
    """A short session in which everybody writes what could be markup."""
    return [
        Prompt(0, TIME, "", HOSTILE, "typed", "", ""),
        Reply(10, TIME, "", "I look.", "m"),
        Call(20, TIME, "", "c1", "Bash", Run("pytest -q")),
        Result(30, TIME, "", "c1", "error", 1, "```\n1 failed </pre><script>\n````", "", (), ""),
        Call(40, TIME, "", "c2", "Edit", Edit("a.py", "old", "new")),
        Reply(50, TIME, "sub", "A sub-agent speaks.", "m"),
    ]


def test_the_order_and_outcomes_are_told() -> None:
    """Given calls and results, each result stands with its call, and what sub-agents said is left out."""
    found = list(entries(records()))
    assert [(one.sort, one.title, one.outcome) for one in found] == [
        ("prompt", "User", ""),
        ("reply", "Agent", ""),
        ("tool", "$ pytest -q", "exit 1"),
        ("tool", "edit a.py", ""),
    ]
    assert found[3].text == "-old\n+new"


def test_markdown_of_others_makes_no_heading_picture_or_fence_of_ours() -> None:
    """Given text that is markup, it stays within its quotation or its fence."""
    text = markdown("A *title*", [("branch", "a_b")], entries(records()))
    lines = text.splitlines()
    assert lines[0] == "# A \\*title\\*" and "- branch: a\\_b" in lines
    assert [line for line in lines if line.startswith("#")][1:] == [
        "## User · 10:00", "## Agent · 10:00", "### $ pytest -q (exit 1) · 10:00", "### edit a.py · 10:00",
    ]  # fmt: skip
    assert "> &#33;[x]" in text and "> <b>code</b>" in text and "&lt;img" in text
    assert "`````text" in lines  # longer than any fence within


@pytest.mark.parametrize(
    "before",
    [
        "",
        "\\",
        "```x``` y\n",
        "- ```\n  x\n  ```\n",
        "  ```\n```\n",
        "~~~\n```\n~~~\n",
        "```\n````\n",
        "```js\n~~~\n```\n",
        "> ```\n",
    ],
)
def test_no_picture_is_loaded_whatever_stands_before_it(before: str) -> None:
    """As a reader of Markdown takes it: what only looks like a fence hides nothing."""
    prompt = Prompt(0, TIME, "", f"{before}![x](http://evil.example/p.png) <img src=x>", "typed", "", "")
    made = MarkdownIt("commonmark").render(markdown("Title", [], entries([prompt])))
    assert "<img" not in made


@pytest.mark.parametrize("title", ["Plain", "</title><script>alert(1)</script>"])
def test_a_page_holds_no_markup_of_others(title: str) -> None:
    """Given hostile text, the page has only our own elements, and loads nothing."""
    seen: list[tuple[str, dict[str, str | None]]] = []

    class Seen(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.append((tag, dict(attrs)))

    made = page(title, [("folder", '/home/"><script>')], entries(records()))
    Seen().feed(made)
    known = {*"html head meta title style body h1 h2 dl dt dd section p pre details summary time".split()}
    assert {tag for tag, _ in seen} <= known
    assert not any({"src", "href", "onerror"} & attributes.keys() for _, attributes in seen)
    assert "Content-Security-Policy" in made and "1 failed &lt;/pre&gt;" in made
