"""Patches of the tool `apply_patch`: which files one writes, and what it puts into them. Pure, and imports nothing.

*** Begin Patch
*** Update File: src/a.py          Add File, Delete File
*** Move to: src/b.py              behind Update File only
@@
-old
+new
*** End Patch
"""

_HEADS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_STARS = "*** "
_DELETED = _HEADS[2]
_MOVED = _HEADS[3]


def files(patch: str, cwd: str) -> "list[tuple[str, bool]]":
    """Every file that the patch writes, in its order, and whether it is there afterwards. Paths that are relative are
    taken from the folder `cwd`, if that is known (not "").
    """
    found: list[tuple[str, bool]] = []
    at = patch.find(_STARS)
    while at >= 0:
        end = patch.find("\n", at)
        line = patch[at:] if end < 0 else patch[at:end]
        head = next((head for head in _HEADS if line.startswith(head)), "")
        path = line[len(head) :].strip() if head else ""
        if path and not patch[patch.rfind("\n", 0, at) + 1 : at].strip():  # nothing stands before it in its line
            if head == _MOVED and found:
                found[-1] = found[-1][0], False
            found.append((path if path.startswith("/") or not cwd else f"{cwd}/{path}", head != _DELETED))
        at = patch.find(_STARS, at + len(_STARS))
    return found


def added(patch: str) -> str:
    """The lines that the patch puts into files."""
    return "\n".join(line[1:] for line in patch.split("\n") if line[:1] == "+")
