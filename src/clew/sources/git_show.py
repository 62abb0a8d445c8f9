"""One commit, or a file as it was in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.sources.files import language_of
from clew.sources.git_diff import repository
from clew.sources.port import Context, Fetched, Source, Spec, one_text


class Show(Spec, frozen=True):
    """`commit` is what git takes for one; `path`: the file as it was there, "" the commit with its diff."""

    commit: str = "HEAD"
    path: str = ""


def fetch(spec: Show, context: Context, _: Mapping[str, Any]) -> Fetched:
    """Message and diff of the commit, or the file. Raises `SourceError`, `InputError` and `Unavailable`."""
    git = repository(context)
    if spec.path:
        text = git.show(spec.commit, spec.path)
        return one_text(text, f"{spec.path} as of {spec.commit}", language=language_of(spec.path))
    return one_text(git.show(spec.commit), f"git show {spec.commit}", language="diff")


SOURCE: Final = Source("git-show", "one commit, or a file as it was", Show, "commit", fetch)
