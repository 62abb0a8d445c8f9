"""Files of a document, grouped by folder, so that a path's front part is said once; and such lines taken apart.

- src/a/{b.py, c.py* [reverted] (adds f)}
- src/: a/b.py, c/{d.py, e.py}
- `odd, name.py`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from clew.core.state.items import Item
from clew.documents.entry import Entry
from clew.documents.escaping import active, claimed, inert, safe

# So many folders that begin alike are told under their common beginning.
_SHARING_MIN: Final = 3
_LEGEND: Final = " (* last edit in no commit seen here)"
_LEGEND_BEFORE: Final = " (* not in a commit seen here)"  # as documents said it that somebody may still have
_EDITED: Final = "edited"
# What has a meaning in these lines: a path that holds one stands alone, in back-quotes.
_SIGNS: Final = frozenset("{}[]()*,:")
_BRACKETS: Final = str.maketrans("(){}", "[][]")
_NAMED: Final = r"(?P<name>[^*\[(]*?)(?P<edited>\*)?(?: \[(?P<status>[^\]]*)\])?(?: \((?P<note>[^)]*)\))?"


def file_entry_of(item: Item) -> Entry:
    """What a document tells of a file: its path, what was done to it (`why`), and how it stands unless committed."""
    status = claimed(safe(item.status)).translate(_BRACKETS).replace("]", "").replace("[", "").replace(",", ";").strip()
    path = claimed(safe(item.text)).replace("`", "'").strip() or "(no name)"
    note = claimed(safe(item.why)).translate(_BRACKETS).strip()
    return Entry("file", path, note, "" if status == "committed" else status)


def file_lines(files: Iterable[Entry]) -> list[str]:
    """Lines such as `- src/a/{b.py, c.py (adds f)}` and, for many folders, `- src/: a/b.py, c/{d.py, e.py}`.

    The last line explains the mark of files whose last edit is in no commit, where one is.
    """
    folders: dict[str, list[Entry]] = {}
    rows: list[str] = []
    odd: list[Entry] = []
    for file in files:
        if _is_odd(file.text):
            odd.append(file)
        else:
            folders.setdefault(file.text.rpartition("/")[0], []).append(file)
    top = _common(list(folders))
    under: list[str] = []
    for folder, inside in folders.items():
        names = [_name(file) for file in inside]
        rest = folder.removeprefix(top).lstrip("/") if _is_under(folder, top) else folder
        prefix = rest + "/" if rest else ""
        # Braces only after a folder's name: without one, names stand side by side as they are.
        inside_it = ", ".join(names) if len(names) == 1 or not prefix else f"{{{', '.join(names)}}}"
        if _is_under(folder, top):
            under.append(prefix + inside_it)
        else:
            rows.append(f"- {inert(prefix + inside_it)}")
    if under:
        rows.append(f"- {inert(top + '/')}: {', '.join(under)}")
    rows += [f"- `{file.text}`{_marks(file)}" for file in odd]
    if any(file.status == _EDITED for inside in (*folders.values(), odd) for file in inside):
        rows[-1] += _LEGEND
    return rows


def files_in(line: str) -> list[Entry]:
    """The files that such a line tells, in its order; [] if it is no list entry."""
    opened = re.match(r"\s*[-*+] +", line)
    if opened is None:
        return []
    rest = line[opened.end() :].rstrip().removesuffix(_LEGEND).removesuffix(_LEGEND_BEFORE)
    if rest.startswith("`") and (end := rest.find("`", 1)) > 0:
        return [_quoted(rest[1:end], rest[end + 1 :])]
    rest = active(rest)
    top, colon, behind = rest.partition("/: ")
    front, rest = (top + "/", behind) if colon else ("", rest)
    found = []
    for part in _split(rest):
        brace = part.find("{")
        if brace >= 0 and part.endswith("}"):
            found += [_file(name, front + part[:brace]) for name in _split(part[brace + 1 : -1])]
        else:
            found.append(_file(part, front))
    return found


def _is_odd(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(_SIGNS.intersection(path)) or not name or name != name.strip() or path[0] in "\\/" or "//" in path


def _file(named: str, front: str = "") -> Entry:
    """A file whose marks stand behind its name."""
    part = re.fullmatch(_NAMED, named)
    return _marked(front + part["name"], part) if part is not None else Entry("file", front + named)


def _quoted(name: str, marks: str) -> Entry:
    """A file whose name stands in back-quotes: what is in it is no mark."""
    part = re.fullmatch(_NAMED, marks)
    return _marked(name, part) if part is not None else Entry("file", name, marks.strip())


def _marked(name: str, part: re.Match[str]) -> Entry:
    return Entry("file", name, part["note"] or "", _EDITED if part["edited"] else part["status"] or "")


def _split(text: str) -> Iterator[str]:
    """The parts between commas that stand in no brackets."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        if sign in "{(":
            depth += 1
        elif sign in "})":
            depth -= 1
        elif sign == "," and depth <= 0 and text[at : at + 2] == ", ":
            yield text[start:at]
            start = at + 2
    yield text[start:]


def _is_under(folder: str, top: str) -> bool:
    return bool(top) and (folder == top or folder.startswith(top + "/"))


def _common(folders: list[str]) -> str:
    """The folder whose name in front of others costs most, "" if too few share one."""
    sharing: dict[str, int] = {}
    for folder in folders:
        parts = folder.split("/")
        for depth in range(1, len(parts) + 1):
            top = "/".join(parts[:depth])
            sharing[top] = sharing.get(top, 0) + 1
    best, saved = "", 0
    for top, count in sharing.items():
        if count >= _SHARING_MIN and (count - 1) * len(top) > saved:
            best, saved = top, (count - 1) * len(top)
    return best


def _name(file: Entry) -> str:
    return file.text.rpartition("/")[2] + _marks(file)


def _marks(file: Entry) -> str:
    marks = "*" if file.status == _EDITED else f" [{file.status}]" if file.status else ""
    return marks + (f" ({file.why})" if file.why else "")
