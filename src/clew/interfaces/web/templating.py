"""Templates: all that they print is cleaned and escaped, so that a text from a record is never markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from clew.app.health.finding import ago, count
from clew.core.context.pressure import thousands
from clew.core.state.ids import short_session
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cost_rows import money
from clew.interfaces.web import draw

_COMMAND: Final = re.compile("`([^`\n]+)`")
_ID: Final = re.compile(r"\(([A-Z]-[a-z0-9]+)\)$")
FOLDER: Final = Path(__file__).parent
# What stands for a kind of item, in the words of a page.
KINDS: Final = {
    "goal": "Goal", "request": "Request", "next": "Next action", "decision": "Decisions", "constraint": "Constraints",
    "failed": "Failed approaches", "question": "Questions", "deferral": "Put off", "learning": "Learned",
    "reminder": "Reminders", "hypothesis": "Hypotheses", "note": "Notes", "step": "Done", "validation": "Checks",
    "file": "Files", "plan": "Plan", "phase": "Phases",
}  # fmt: skip


def environment(now_ms: Callable[[], int]) -> Environment:
    """The templates of this package. Times are told as of `now_ms()`, milliseconds since 1970."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_printable,
    )

    def since(time: str) -> Markup:
        return time_of(time, now_ms())

    made.filters |= {
        "since": since, "money": money, "thousands": thousands, "short": short_session, "code": _code, "until": _until,
        "matched": _matched, "blocks": _blocks, "dollars": lambda cents: money(cents / 100),
        "cut": lambda text, chars: shorten(one_line(text), chars),
    }  # fmt: skip
    made.globals |= {"count": count, "draw": draw, "kinds": KINDS}
    return made


def time_of(time: str, now_ms: int) -> Markup:
    """A moment (RFC 3339) as people say it, with the exact one on hover; nothing for ""."""
    try:
        moment = datetime.fromisoformat(time)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = now_ms / 1000 - moment.timestamp()
    except (ValueError, OverflowError):
        return Markup("")
    exact = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment.isoformat(), exact, ago(max(0.0, seconds)))


def _printable(value: Any) -> Any:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else "" if value is None else value


def _code(text: str) -> Markup:
    """A sentence in which commands stand between back-quotes."""
    parts = [escape(clean(part)) for part in _COMMAND.split(text)]
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def _until(first: str, last: str) -> str:
    """How much time is between two moments, in words."""
    try:
        seconds = (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()
    except (ValueError, TypeError):
        return "?"
    return ago(seconds).removesuffix(" ago").replace("just now", "a moment")


def _blocks(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """A document that tells ids, in blocks of lines of one sort: "payload-head", "frame", "list" or "text". Of each
    line its words, and the id at its end, "" none.
    """
    told = [_line(one) for one in text.split("\n") if one]
    return [(sort, [line for _, line in block]) for sort, block in groupby(told, key=itemgetter(0))]


def _line(line: str) -> tuple[str, tuple[str, str]]:
    if line.startswith(("# ", "## ")):
        return "payload-head", (line.lstrip("# "), "")
    if line.startswith(("<clew-data", "</clew-data")):
        return "frame", (line, "")
    found = _ID.search(line)
    words, name = (line[: found.start()], found[1]) if found else (line, "")
    return ("list", (words[2:].strip(), name)) if line.startswith("- ") else ("text", (words, name))


def _matched(snippet: str) -> Markup:
    """A find of a search: what matched stands between \\x02 and \\x03."""
    pieces = snippet.replace("\x03", "\x02").split("\x02")
    told = [escape(" ".join(clean(piece).split(" "))) for piece in pieces]
    return Markup("").join(
        Markup("<mark>{}</mark>").format(piece) if number % 2 else piece for number, piece in enumerate(told)
    )
