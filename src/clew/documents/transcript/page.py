"""A session as one HTML page that needs nothing else: no script, no picture, no address is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from clew.core.text.cleaning import one_line
from clew.core.text.page import framed
from clew.documents.transcript.turns import Entry

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #b60 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
dt { opacity: .7 } dd { margin: 0; overflow-wrap: anywhere }
section { border-left: 3px solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1rem 0 }
section.prompt { border-color: #27c; background: var(--soft) } section.mark { border-color: var(--mark) }
h2 { font-size: .85rem; margin: .3rem 0; opacity: .75 } time { float: right; font-weight: normal }
p, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 }
details { margin: .5rem 0 .5rem 1rem; border: 1px solid var(--line); border-radius: 4px; padding: .2rem .6rem }
summary { cursor: pointer; font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere }
pre { font: .8rem/1.4 ui-monospace, monospace; max-height: 30rem; overflow: auto } .failed summary { color: #c33 }
"""


def page(title: str, about: Iterable[tuple[str, str]], found: Iterable[Entry]) -> str:
    """The page: as `markdown`. All text is escaped, and a policy forbids whatever would still load something."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(one_line(value))}</dd>" for name, value in about if value)
    pieces = (piece for entry in found for piece in _entry(entry))
    return framed(title, _STYLE, f"<dl>{rows}</dl>\n" + "\n".join(pieces))


def _entry(entry: Entry) -> Iterator[str]:
    moment = f"<time>{escape(entry.time[:16].replace('T', ' '))}</time>" if entry.time else ""
    if entry.sort == "tool":
        failed = entry.outcome not in ("", "ok")
        told = f" — {escape(entry.outcome)}" if failed else ""
        kind = ' class="failed"' if failed else ""
        body = f"<pre>{escape(entry.text)}</pre>" if entry.text else ""
        yield f"<details{kind}><summary>{escape(one_line(entry.title))}{told}{moment}</summary>{body}</details>"
        return
    body = f"<p>{escape(entry.text)}</p>" if entry.text else ""
    yield f'<section class="{entry.sort}" id="at-{entry.at}"><h2>{escape(entry.title)}{moment}</h2>{body}</section>'
