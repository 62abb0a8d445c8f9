"""Topics: whether the work went to other files. Pure.

Files are kin when they are the same, stand in one folder, or share a telling word of their names; a turn hardly any of
whose files has kin among those of the session before is about something else.
"""

import re
from collections.abc import Iterable
from typing import Final

from clew.core.records.transcript import Action, Edit, Read, Run

# A look at a few files of before does not make it the same work.
_KIN_SHARE: Final = 0.2
_NAME: Final = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")
_PATH: Final = re.compile(r"(?<![\w$=-])(?:[\w.@~-]*/)*[\w@-][\w.@-]*\.(\w{1,5})\b(?!\()")
# A longer command is mostly the text that it writes.
_COMMAND_CHARS: Final = 2000
_ENDINGS: Final = frozenset(
    "c cc cpp cs css dart ex exs go h hpp html ini java js json jsx kt lua m md mjs php pl proto py rb rs rst scala "
    "scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig".split()
)
# Words that many files have in their names.
_COMMON: Final = frozenset(
    "test tests spec main index init mod app src lib util utils helper helpers common base core types type readme "
    "config setup file files doc docs md go py ts js tsx jsx rs java json yaml yml toml sh txt".split()
)


def files_of(action: Action, folder: str) -> tuple[set[str], bool]:
    """The files that an action is about, as their names below `folder` ("" unknown); and whether it changes them."""
    if isinstance(action, (Read, Edit)):
        return _inside({_below(action.path, folder)}, folder), isinstance(action, Edit)
    if isinstance(action, Run):
        named = (
            one[0]
            for one in _PATH.finditer(action.command[:_COMMAND_CHARS])
            if one[1].lower() in _ENDINGS and ".." not in one[0]
        )
        return _inside({_below(one, folder) for one in named}, folder), False
    return set(), False


def _inside(files: set[str], folder: str) -> set[str]:
    """Those that lie in the work tree: scratch files and a client's own are about nothing."""
    return {one for one in files if not folder or one[:1] not in ("/", "~")}


def is_elsewhere(files: Iterable[str], before: Iterable[str]) -> bool:
    """Whether hardly any of these files is kin to one before (False where there are none of either)."""
    here, there = set(files), set(before)
    if not here or not there:
        return False
    folders, words = {_folder(one) for one in there} - {""}, _words(there)
    kin = sum(one in there or _folder(one) in folders or bool(_words({one}) & words) for one in here)
    return kin <= _KIN_SHARE * len(here)


def _words(files: Iterable[str]) -> set[str]:
    found = {word.lower() for one in files for word in _NAME.findall(one.rpartition("/")[2])}
    return found - _COMMON


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _below(path: str, folder: str) -> str:
    plain = path.replace("\\", "/").removeprefix("./")
    top = folder.replace("\\", "/").rstrip("/") + "/"
    return plain.removeprefix(top) if folder else plain
