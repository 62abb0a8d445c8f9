"""Patches of the tool `apply_patch`: which files one writes, and what it puts into them. Pure, and imports nothing.

*** Begin Patch
*** Update File: src/a.py          Add File, Delete File
*** Move to: src/b.py              behind Update File only
@@
-old
+new
*** End Patch
"""

_HEADS = {
    "Add": "*** Add File: ",
    "Update": "*** Update File: ",
    "Delete": "*** Delete File: ",
    "Move": "*** Move to: ",
}


def head(line: str) -> "tuple[str, str]":
    """The sort of a line that names a file ("Add", "Update", "Delete", "Move") and the file; ("", "") for another line.
    What stands before it may only be white.
    """
    line = line.strip()
    if line[:3] == "***":
        for sort, begins in _HEADS.items():
            if line.startswith(begins):
                return sort, line[len(begins) :].lstrip()
    return "", ""


def files(patch: str, cwd: str) -> "list[tuple[str, bool]]":
    """Every file that the patch writes, in its order, and whether it is there afterwards. Paths that are relative are
    taken from the folder `cwd`, if that is known (not "").
    """
    found: list[tuple[str, bool]] = []
    for line in patch.split("\n"):
        sort, path = head(line)
        if not sort:
            continue
        if sort == "Move" and found:
            found[-1] = found[-1][0], False
        found.append((path if path.startswith("/") or not cwd else f"{cwd}/{path}", sort != "Delete"))
    return found


def added(patch: str) -> str:
    """The lines that the patch puts into files."""
    return "\n".join(line[1:].removesuffix("\r") for line in patch.split("\n") if line[:1] == "+")
