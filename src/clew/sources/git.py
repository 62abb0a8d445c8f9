"""What git tells: a diff, the last commits, one commit or a file as it was in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.sources.files import language_of
from clew.sources.port import Fetched, SourceContext, SourceError, SourceKind, Spec, one_text
from clew.workspace.git import Git

_COUNT_MAX: Final = 1000


class Diff(Spec, frozen=True):
    """From `base` (where it and HEAD parted; "" HEAD itself) to `to` ("" the files as they are). `paths` are files and
    folders, as they are called. `context`: so many lines around a change.
    """

    base: str = ""
    to: str = ""
    paths: tuple[str, ...] = ()
    context: int = 3


def _repository(context: SourceContext) -> Git:
    """The project's repository. Raises `SourceError` outside one."""
    if context.git is None:
        raise SourceError(
            f"{context.root} is in no git repository",
            code="E-source-missing",
            hint="Take this source out of the stack.",
        )
    return context.git


def _fetch_diff(spec: Diff, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The diff, also where it is empty: that is an answer. Raises `SourceError`, `InputError` and `Unavailable`."""
    git = _repository(context)
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


DIFF: Final = SourceKind("git-diff", "a diff: of the work tree, or since a branch", Diff, "base", _fetch_diff)


class Log(Spec, frozen=True):
    """`range` is what git takes (`main..HEAD`), "" all up to HEAD. At most `count` commits; those of `paths` only, if
    there are any. `body`: with the whole message.
    """

    range: str = ""
    count: int = 20
    paths: tuple[str, ...] = ()
    body: bool = False


def _fetch_log(spec: Log, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """A line for each commit. Raises `SourceError`, `InputError` and `Unavailable`."""
    git = _repository(context)
    if not 0 < spec.count <= _COUNT_MAX:
        raise SourceError(
            f"a log of {spec.count} commits cannot be determined",
            code="E-source-missing",
            hint=f"Say 1 to {_COUNT_MAX}.",
        )
    text = git.log(spec.range or "HEAD", spec.paths, limit=spec.count, body=spec.body)
    within = f", of {', '.join(spec.paths)}" if spec.paths else ""
    return one_text(text, f"git log of {spec.range or 'HEAD'}, at most {spec.count} commits{within}")


LOG: Final = SourceKind("git-log", "the last commits", Log, "range", _fetch_log)


class Show(Spec, frozen=True):
    """`commit` is what git takes for one; `path`: the file as it was there, "" the commit with its diff."""

    commit: str = "HEAD"
    path: str = ""


def _fetch_show(spec: Show, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """Message and diff of the commit, or the file. Raises `SourceError`, `InputError` and `Unavailable`."""
    git = _repository(context)
    if spec.path:
        text = git.show(spec.commit, spec.path)
        return one_text(text, f"{spec.path} as of {spec.commit}", language=language_of(spec.path))
    return one_text(git.show(spec.commit), f"git show {spec.commit}", language="diff")


SHOW: Final = SourceKind("git-show", "one commit, or a file as it was", Show, "commit", _fetch_show)
