"""What git and the disk tell, redacted: subjects, authors, branches and names are text from outside as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.core.errors import ClewError
from clew.core.text.cleaning import clean

if TYPE_CHECKING:
    from clew.core.records.files import Drift, FileCommit, FileDrift

Redact = Callable[[str], str]


def redacted_name(name: str, redact: Redact) -> str:
    """`name` as it is unless it holds a secret: names without one stay what they are looked up by."""
    tidy = clean(name)
    safe = redact(tidy) if tidy else ""
    return name if safe == tidy else safe


@contextmanager
def safe_errors(redact: Redact) -> Iterator[None]:
    """What a `ClewError` says is redacted on its way out of the block: it names files, and what git answered."""
    try:
        yield
    except ClewError as error:
        error.message = redacted_name(error.message, redact)
        error.hint = redacted_name(error.hint, redact)
        error.args = (error.message,)
        raise


def redacted_drift(drift: Drift, redact: Redact) -> Drift:
    """`drift` with every text in it redacted."""

    def plain(text: str) -> str:
        return redacted_name(text, redact)

    def commits(found: tuple[FileCommit, ...]) -> tuple[FileCommit, ...]:
        return tuple(one._replace(subject=plain(one.subject), author=plain(one.author)) for one in found)

    def file(found: FileDrift) -> FileDrift:
        return found._replace(path=plain(found.path), moved_to=plain(found.moved_to), commits=commits(found.commits))

    tree = drift.tree
    # Thousands of untracked files are looked at in one go: hardly ever is there anything to replace.
    names = "\n".join(tree.dirty)
    dirty = tree.dirty if plain(names) == names else tuple(map(plain, tree.dirty))
    told = tree._replace(
        root=plain(tree.root), branch=plain(tree.branch), head_subject=plain(tree.head_subject), dirty=dirty
    )
    return drift._replace(tree=told, files=tuple(map(file, drift.files)), commits_since=commits(drift.commits_since))
