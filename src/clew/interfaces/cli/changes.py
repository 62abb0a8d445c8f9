"""How changes of files are said: a line each, and the difference in somebody's settings as a unified diff."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.app.install.entries import Change
from clew.core.text.cleaning import clean, one_line


def told(changes: Iterable[Change], *, would: bool, redact: Callable[[str], str]) -> Iterator[str]:
    """A line for each change; with `would` the whole difference of each settings file as well."""
    for change in changes:
        verb = ("make", "made") if change.before is None else ("remove", "removed") if change.after is None else None
        first, second = verb or ("change", "changed")
        yield one_line(clean(f"{'Would ' + first if would else second.capitalize()} {change.path}"))
        if would and change.settings:
            yield from (clean(line).rstrip("\n") for line in change.diff(redact))
