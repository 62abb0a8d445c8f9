"""Issues and pull requests of a repository on GitHub, with what was said about them: a part each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.core.text.cleaning import clean, one_line, shorten
from clew.remotes.place import is_chosen, issue_named, remote_of
from clew.remotes.port import Discussion
from clew.sources.port import Fetched, SourceContext, SourceError, SourceKind, SourcePart, Spec

_ISSUES_MAX: Final = 100
_TITLE_CHARS: Final = 200


class GitHubIssues(Spec, frozen=True):
    """`issues` are numbers of the project's own repository, `owner/name#24`, or URLs. `comments`: with what was said;
    `diff`: with what a pull request changes.
    """

    issues: tuple[str | int, ...]
    comments: bool = True
    diff: bool = False


def fetch(spec: GitHubIssues, context: SourceContext, _table: Mapping[str, Any]) -> Fetched:
    """Each as Markdown, in the order in which they are named. Raises `SourceError`, and what asking GitHub raises."""
    if not 0 < len(spec.issues) <= _ISSUES_MAX:
        raise SourceError(
            "no issue is named" if not spec.issues else f"{len(spec.issues)} issues are named",
            code="E-source-missing",
            hint=f"Name 1 to {_ISSUES_MAX}: `issues = ['24', 'owner/name#7']`.",
        )
    here = remote_of(context.git.settings()) if context.git is not None else None
    # A pull request has its issue's number; only its address differs.
    named = dict.fromkeys(issue_named(str(one).replace("/pull/", "/issues/", 1), here) for one in spec.issues)
    for repository, _ in named:
        # A stack may have come with a repository. What it names is no reason to show a login to a server.
        if not is_chosen(repository.host, here, context.environment):
            raise SourceError(
                f"{repository.host} is neither github.com nor the server of this clone",
                code="E-source-refused",
                hint=f"Name issues there from a clone of that repository, or set GH_HOST={repository.host}.",
            )
    parts, found, notes = [], [], []
    for repository, number in named:
        context.at(f"{repository}#{number}")
        one = context.discussions(repository).discussion(number, comments=spec.comments, diff=spec.diff)
        found.append(one)
        name = f"{repository}#{number}"
        parts.append(SourcePart(_markdown(one), name, "markdown"))
        if one.diff:
            parts.append(SourcePart(one.diff, f"{name}.diff", "diff"))
        if one.cut:
            notes.append(f"Of {name} not all comments were read.")
    pulls = sum(bool(one.into) for one in found)
    counts = [f"{n} {noun}{'s' * (n > 1)}" for n, noun in ((len(found) - pulls, "issue"), (pulls, "pull request")) if n]
    of = ", ".join(dict.fromkeys(str(repository) for repository, _ in named))
    last = max(one.updated_at for one in found)
    said = sum(len(one.said) for one in found)
    told = f"{' and '.join(counts)} of {of}, {said} comments, last changed {last}"
    return Fetched(tuple(parts), one_line(clean(told)), tuple(notes))


def _markdown(one: Discussion) -> str:
    """An issue as people read it. Texts stand as they are; only what we say about them is ours."""
    what = "Pull request" if one.into else "Issue"
    title = shorten(one_line(clean(one.title)), _TITLE_CHARS)
    facts = [one.state, f"by {one.author or 'somebody'}", *(f"`{label}`" for label in one.labels), one.url]
    facts += [f"{one.of} into {one.into}"] if one.into else []
    rows = [
        f"# {what} #{one.number}: {title}",
        "",
        one_line(clean(" · ".join(facts))),
        "",
        one.body.strip() or "(no text)",
    ]
    for said in one.said:
        head = ", ".join(filter(None, (said.login or "somebody", said.at, said.about)))
        rows += ["", f"## {one_line(clean(head))}", "", said.body.strip()]
    return "\n".join(rows) + "\n"


SOURCE: Final = SourceKind("github", "issues and pull requests on GitHub", GitHubIssues, "issues", fetch)
