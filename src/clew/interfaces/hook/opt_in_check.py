"""At a session's start: whether this place is one of a project that a person opted in. Looks only; runs no program.

A place of its own has a live folder. One without may be a folder below, or a linked work tree of, a place that has one.
"""

from pathlib import Path

from clew.core import runtime_dir as places
from clew.interfaces.hook import marks


def wanted(live: str, data: str) -> bool:
    """Whether `live` exists, or a folder above its place, or the main work tree of its linked one, is opted in."""
    if not live:
        return False
    if marks.is_there(live):
        return True
    head = data + "/" + places.FOLDER
    above = live[len(head) : -len(places.LEAF) - 1]
    while above:
        if marks.is_there(places.live_folder(data, above)):
            return True
        if marks.is_there(above + "/.git"):  # the top of a work tree: what lies above it is another project
            main = _main_tree(above)
            return bool(main) and marks.is_there(places.live_folder(data, main))
        above = above.rpartition("/")[0]
    return False


def _main_tree(top: str) -> str:
    """The main work tree of the linked one whose top is `top`; "" if it is none, or nothing there knows of it.

    `.git` of a linked work tree is a file that names its folder below the main one's; `gitdir` there names it back, so
    a file that somebody has put into an archive makes no place a part of somebody's project.
    """
    mark, _, folder = marks.read(top + "/.git", most=8192).decode("utf-8", "surrogateescape").partition(": ")
    folder = folder.strip("\r\n")
    main, cut, _ = folder.rpartition("/.git/worktrees/")
    back = marks.read(folder + "/gitdir", most=8192).decode("utf-8", "surrogateescape").strip("\r\n")
    if not (mark == "gitdir" and folder.startswith("/") and cut and back):
        return ""
    try:
        return main if Path(back).samefile(f"{top}/.git") else ""
    except (OSError, ValueError):
        return ""
