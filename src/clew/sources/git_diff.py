"""What changed, as git tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.sources.port import Context, Fetched, Source, SourceError, Spec, one_text
from clew.workspace.git import Git


class Diff(Spec, frozen=True):
    """From `base` (where it and HEAD parted; "" HEAD itself) to `to` ("" the files as they are). `paths` are files and
    folders, as they are called. `context`: so many lines around a change.
    """

    base: str = ""
    to: str = ""
    paths: tuple[str, ...] = ()
    context: int = 3


def repository(context: Context) -> Git:
    """The project's repository. Raises `SourceError` outside of one."""
    if context.git is None:
        raise SourceError(
            f"{context.root} is in no git repository",
            code="E-source-missing",
            hint="Take this source out of the stack.",
        )
    return context.git


def fetch(spec: Diff, context: Context, _: Mapping[str, Any]) -> Fetched:
    """The diff, also where it is empty: that is an answer. Raises `SourceError`, `InputError` and `Unavailable`."""
    git = repository(context)
    text = git.diff(spec.base, spec.to, spec.paths, lines=max(0, min(spec.context, 1000)))
    count = text.count("\ndiff --git ") + text.startswith("diff --git ")
    until = spec.to or "the work tree"
    since = f"where {spec.base} and {spec.to or 'HEAD'} parted" if spec.base else "HEAD"
    within = f", in {', '.join(spec.paths)}" if spec.paths else ""
    notes: tuple[str, ...] = ()
    if not spec.to and (fresh := git.status().untracked):
        notes = (f"Not in it: {len(fresh)} untracked file{'s' * (len(fresh) != 1)} or folders.",)
    told = f"git diff from {since} to {until}{within}: {count} file{'s' * (count != 1)}"
    return one_text(text, told, language="diff", notes=notes)


SOURCE: Final = Source("git-diff", "a diff: of the work tree, or since a branch", Diff, "base", fetch)
