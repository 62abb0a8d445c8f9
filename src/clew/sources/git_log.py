"""Commits, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.sources.git_diff import repository
from clew.sources.port import Context, Fetched, Source, SourceError, Spec, one_text

_COUNT_MAX: Final = 1000


class Log(Spec, frozen=True):
    """`range` is what git takes (`main..HEAD`), "" all up to HEAD. At most `count` commits; those of `paths` only, if
    there are any. `body`: with the whole message.
    """

    range: str = ""
    count: int = 20
    paths: tuple[str, ...] = ()
    body: bool = False


def fetch(spec: Log, context: Context, _: Mapping[str, Any]) -> Fetched:
    """A line for each commit. Raises `SourceError`, `InputError` and `Unavailable`."""
    git = repository(context)
    if not 0 < spec.count <= _COUNT_MAX:
        raise SourceError(
            f"a log of {spec.count} commits cannot be told", code="E-source-missing", hint=f"Say 1 to {_COUNT_MAX}."
        )
    text = git.log(spec.range or "HEAD", spec.paths, limit=spec.count, body=spec.body)
    within = f", of {', '.join(spec.paths)}" if spec.paths else ""
    return one_text(text, f"git log of {spec.range or 'HEAD'}, at most {spec.count} commits{within}")


SOURCE: Final = Source("git-log", "the last commits", Log, "range", fetch)
