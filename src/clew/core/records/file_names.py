"""Names of files in records: from a project's root, beside it, in another work tree of it, below a folder. Pure text:
no file is looked at.
"""

import posixpath
import re
from collections.abc import Sequence


def relative(path: str, root: str) -> str:
    """`path` relative to `root` with "/"; "" when it is no file of the project (outside, a client's own). A work tree
    that stands within the project's folder holds the same files.
    """
    path, root = tidy(path), tidy(root).rstrip("/")
    if root and path.startswith(root + "/"):
        path = _INNER_TREE.sub("", path[len(root) + 1 :])
    elif _is_absolute(path):
        return ""
    outside = path in (".", "..") or path.startswith(("../", ".claude/plans/", ".git/", ".claude/projects/"))
    return "" if outside else path


_INNER_TREE = re.compile(r"\A\.(?:claude/)?worktrees/[^/]+/")
# What is tried out, what is the system's, and the settings of programs: files of no project.
_NO_PROJECT = re.compile(
    r"\A(?:/tmp|/var/tmp|/var/folders|/dev|/proc|/etc|/usr|/opt|[A-Za-z]:/Windows)/|\A(?:~|/root|/(?:home|Users)/[^/]+"
    r"|[A-Za-z]:/Users/[^/]+)/(?:\.|AppData/|Library/)|/\.(?:git|claude)/"
)


def beside(path: str, root: str) -> str:
    """The name of a file outside the project: `../web/a.ts` where it has a folder above `root` in common with it, else
    its own path; "" for scratch files, the system's and programs' own.
    """
    path, root = tidy(path), tidy(root).rstrip("/")
    above = posixpath.dirname(root)
    if path.startswith("../"):
        path = posixpath.normpath(f"{root}/{path}") if root else path
    is_near = len(above) > 1 and path.startswith(above + "/")
    if relative(path, root) or path in ("", root) or (not is_near and _NO_PROJECT.search(path + "/")):
        return ""
    if is_near:
        name = path[len(above) + 1 :]
        return "" if name.startswith(".") and not name.startswith(_TOP_FOLDERS) else f"../{name}"
    return path if _is_absolute(path) and path.count("/") > 1 else ""


# Hidden folders that stand at the top of a repository: a session may have run in a part of one.
_TOP_FOLDERS = (".github/", ".gitlab/", ".circleci/", ".husky/")


def is_inside(path: str) -> bool:
    """Whether the name of a file is one from `relative`, of a file of the project."""
    return not (_is_absolute(path) or path.startswith("../"))


def moved_home(path: str, root: str, trees: Sequence[str]) -> str:
    """`path` as it would be in `root`, where it lies in one of `trees` (which hold the same project)."""
    if not path or not trees:
        return path
    path = tidy(path)
    tree = max((one for one in (root, *trees) if path == one or path.startswith(one + "/")), key=len, default=root)
    return root + path[len(tree) :] if tree != root else path


def below(folder: str, path: str) -> str:
    """The place that `path` names in `folder`; `folder` has no part in an absolute path."""
    path = tidy(path)
    return path if _is_absolute(path) else posixpath.normpath(posixpath.join(folder, path))


def after_cd(folder: str, words: Sequence[str], root: str) -> str:
    """The folder after `cd` with `words`; where only the shell knows it (`cd -`, a variable), the root."""
    word = words[0] if words else "-"
    return root if word.startswith(("-", "$", "`")) else below(folder, word)


# Files that are no code.
PROSE_FILES = (".md", ".rst", ".txt")


def tidy(path: str) -> str:
    """`path` with "/", without "." and ".." where they can be resolved, and by the shorter of two names that some
    systems have for a folder at their top.
    """
    path = _LONGER_NAME.sub("", path.replace("\\", "/"))
    return posixpath.normpath(path) if path and ("." in path or "//" in path) else path


_LONGER_NAME = re.compile(r"\A/(?:private(?=/(?:tmp|var|etc)/)|var(?=/home/))")


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or (path[1:3] == ":/" and path[0].isalpha())
