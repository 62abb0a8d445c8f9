"""Files that a document names: which of them are surely meant as files of its repository, and are not there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from clew.documents.lint.page import LintFinding, LintGround, LintPage, PageBlock, found, rows_of
from clew.documents.paths import ENDINGS

# What is made by tools or kept out of git on purpose comes and goes; other names stand for any.
_FOLDERS_MADE: Final = (
    r"(?:^|/)(?:dist|build|out|target|node_modules|coverage|\.venv|venv|__pycache__|\.next|\.cache|tmp|temp|logs?|"
    r"generated|\.git|vendor|results?)/"
)
_STANDS_FOR_ANY: Final = r"(?:example|sample|foo|bar|baz|my|your|path|some|new)"
FILE_MADE: Final = re.compile(
    rf"{_FOLDERS_MADE}|(?:^|/)(?:artifacts|\.specstory|\.vscode|\.idea)/|(?:^|/)\.env|\.local\.|\.(?:log|lock)$|"
    rf"(?:^|[./_-]){_STANDS_FOR_ANY}(?=[./_-]|$)|(?:^|/)(?:test_)?(?:file|filename|script|module|name|x+|test|"
    r"something|feature|component)\.",
    re.IGNORECASE,
)
FOLDER_MADE: Final = re.compile(
    rf"{_FOLDERS_MADE}|(?:^|/)(?:bin|obj|output|data|feature|name|project|repo|{_STANDS_FOR_ANY})/|[<{{*]|xxx",
    re.IGNORECASE,
)
_NAME: Final = r"(?:[\w@.+-]+/)*[\w@.+-]+\.([A-Za-z][A-Za-z0-9]{0,8})"
_SPAN: Final = re.compile(r"(?<!`)`([^`\n]{2,160})`(?!`)")
_LINK: Final = re.compile(r"(?<!!)\[[^\]\n]{1,200}\]\(<?([^)\s>#?]{2,200})>?(?:#[^)\s]*)?(?:\s+\"[^\"]*\")?\)")
_PATH: Final = re.compile(rf"(?:\./)?({_NAME})(?::\d+(?:[-,:]\d+)*|#L?\d+(?:-L?\d+)?|::[\w.:]+)?")
_LINKED: Final = re.compile(rf"((?:\.{{1,2}}/)*{_NAME})")
_WORD: Final = re.compile(r"[\w@+-][\w.@+-]*[\w@+-]")
# Said of a file that is not expected to be there: words, and beginnings of words.
_GONE: Final = re.compile(
    r"→|->|~~|\b(?:delet|remov|dropp?(?:ed|ing)?\b|mov(?:e|es|ed|ing)\b|renam|retir|no longer|deprecat|archiv|replac|"
    r"supersed|obsolet|former|legacy|stale\b|merged? into|split (?:into|up|out|off)\b|extracted (?:to|into)\b|"
    r"consolidat|migrat(?:ed|ing)|git (?:rm|mv)\b|rm\b|does(?:n['’]t| not)|did(?:n['’]t| not)|isn['’]t|missing|not "
    r"(?:found|exist|there|yet|in|committed|tracked)\b|no such|non-?existent|untracked|gitignore|ignored\b|ephemeral|"
    r"gone\b|was\b|were\b|old\b|previous|originally|instead of|rather than)",
    re.IGNORECASE,
)
# Said of a file that is still to come, that a program makes, or that only stands for others.
_AHEAD: Final = re.compile(
    r"https?://|github\.com|\b(?:creat(?:e|es|ing)\b|new\b|add(?:s|ing)?\b|(?:will|would|should|could|can|may|"
    r"might)\b|propos|plan(?:ned|s)?\b|future|to-?do\b|to be\b|target|scaffold|implement(?:s|ing)?\b|writ(?:e|es|"
    r"ing)\b|generat|outputs?\b|produc|save|stor(?:e|es|ed|ing)\b|emit|dump|exports?\b|e\.g|example|such as|for "
    r"instance|similar|template|placeholder|if\b|optional|upstream|(?:an)?other repo|suggest|maybe|need|want|"
    r"either\b|per-|each\b|every\b|any\b|user['’]?s\b|like\b|introduc|expect|deliverable|next\b|later\b|pending|"
    r"remaining|in progress|candidate|alternativ|option|recommend|draft|sketch|mock|fixture|runtime|at run|local|"
    r"private|secret|install|download|clone|symlink)",
    re.IGNORECASE,
)
_GONE_TITLE: Final = re.compile(r"\b(?:delet|remov|clean-?up|migrat|deprecat|consolidat)", re.IGNORECASE)
# Said in a list of files of one that is not there yet.
_STILL_NEW: Final = re.compile(r"\b(?:new|creat(?:es?|ing)|untracked|generated|local|optional|example)\b", re.I)
_TOUCHED: Final = r"created|added|modified|changed|updated|touched"
_LIST: Final = re.compile(
    rf"\bfiles?\b.{{0,12}}\b(?:{_TOUCHED}|involved|reviewed|to (?:modify|edit|update|change|read))\b|\b(?:{_TOUCHED}|"
    rf"key|relevant|affected|critical|existing)\b.{{0,18}}\bfiles?\b",
    re.IGNORECASE,
)


class Cited(NamedTuple):
    """A file that is named in line `line`. `path` is as written, without "./" and line numbers."""

    path: str
    line: int


def cited(page: LintPage) -> tuple[str, ...]:
    """The paths whose existence decides what `lint` says, in order, each once: for whoever makes the `LintGround`. They
    may begin with "../" where a link does; nothing says that they stay inside.
    """
    return tuple(dict.fromkeys(one.path for one in _named(page)))


def file_gone(page: LintPage, ground: LintGround) -> Iterator[LintFinding]:
    """Each file once, where it is named first."""
    first: dict[str, int] = {}
    for one in _named(page):
        if one.path in ground.gone:
            first.setdefault(one.path, one.line)
    for path, line in first.items():
        now = ground.gone[path]
        fix = f"Say {now}, if that is it; else that it was removed." if now else ""
        yield found("file-gone", line, page.line(line), f"{path} does not exist", fix)


def _named(page: LintPage) -> list[Cited]:
    return [] if page.genre == "guide" else named_files(page)


def named_files(page: LintPage) -> list[Cited]:
    """The files that are surely meant as they are written, in order."""
    if _GONE_TITLE.search(page.parsed.title):
        return []
    found_at = [one for place in page.places for one in _in_block(place)]
    gone = _said_gone(page, {_name(one.path) for one in found_at})
    return [one for one in found_at if _name(one.path) not in gone]


def said_otherwise(text: str) -> bool:
    """Whether a text says of what it names that it is gone, still to come, made by a program, or stands for others."""
    bare = _bare(text)
    return _GONE.search(bare) is not None or _AHEAD.search(bare) is not None


def _in_block(place: PageBlock) -> Iterator[Cited]:
    block = place.block
    if block.form not in ("item", "text", "row"):
        return
    rows = list(rows_of(block))
    # Under "Files modified" a file is there, whatever is said of it behind its name.
    is_list = _LIST.search(place.above) is not None
    for offset, (line, row) in enumerate(rows):
        linked = [*_linked(row)]
        written = [*_written(row, is_list=is_list, begins=block.form == "item" and offset == 0)]
        if not (linked or written):
            continue
        # In a long paragraph the lines beside it may speak of it, others do not.
        around = _bare(" ".join(row for _, row in rows[max(0, offset - 1) : offset + 2]))
        if _GONE.search(f"{around} {place.above}"):
            continue
        is_ahead = (_STILL_NEW if is_list else _AHEAD).search(around) or (
            not is_list and _AHEAD.search(_bare(place.above))
        )
        yield from (Cited(path, line) for path in (*linked, *(() if is_ahead else written)))


def _linked(row: str) -> Iterator[str]:
    for match in _LINK.finditer(row) if "](" in row else ():
        if (path := _LINKED.fullmatch(match[1])) and _is_file(path[1], path[2]):
            yield path[1]


def _written(row: str, *, is_list: bool, begins: bool) -> Iterator[str]:
    """Paths in back-quotes, and where files are listed lone names and the bare path that an entry begins with."""
    for match in _SPAN.finditer(row) if "`" in row else ():
        path = _PATH.fullmatch(match[1].strip())
        if path and _is_file(path[1], path[2]) and (is_list or "/" in path[1]):
            yield path[1]
    if is_list and begins and (path := _PATH.match(row)) and _is_file(path[1], path[2]):
        rest = row[path.end() :]
        if not rest or rest[0] in " \t:,(":
            yield path[1]


def _bare(text: str) -> str:
    """A text without what stands in back-quotes and in the brackets of links: names are no words."""
    return _SPAN.sub("`", _LINK.sub("[]", text) if "](" in text else text)


def _is_file(path: str, ending: str) -> bool:
    """Whether a path looks like one file that people keep: with a known ending, and nothing that tools make."""
    return ending.lower() in ENDINGS and "..." not in path and not FILE_MADE.search(path)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _said_gone(page: LintPage, names: set[str]) -> set[str]:
    """Those of the names that some line says are gone."""
    gone: set[str] = set()
    for line in page.lines if names else ():
        here = names.intersection(_WORD.findall(line)) if "." in line else None
        if here and _GONE.search(_bare(line)):
            gone |= here
    return gone


_UP: Final = re.compile(r"\A(?:\.{1,2}/)+")


def absent(
    named: Iterable[str], document: str, files: Collection[str], deleted: Collection[str] = ()
) -> Mapping[str, str]:
    """The paths that are surely gone, each with where the one file of that name is now, "" if there is none or
    several: for `Ground.gone`.

    `files` are all files of the repository, `deleted` those of them that are there no more, `document` the path of
    the document that names the others, all relative to its top. A path is there as it is written, from the document's
    folder, or as the end of another path. One that neither begins with a folder of the repository nor leads up from
    the document's cannot be judged, and is left out.
    """
    by_name: dict[str, list[str]] = {}
    for file in set(files).difference(deleted):
        by_name.setdefault(file.rpartition("/")[2], []).append(file)
    tops = {file.partition("/")[0] for file in files if "/" in file}
    folder = document.rpartition("/")[0]
    gone = {}
    for path in dict.fromkeys(named):
        beside = posixpath.normpath(posixpath.join(folder, path))
        same = by_name.get(path.rpartition("/")[2], [])
        tail = "/" + _UP.sub("", path)
        is_there = path in same or beside in same or any(file.endswith(tail) for file in same)
        is_judged = not beside.startswith("../") and ("/" not in path or path.partition("/")[0] in tops | {".", ".."})
        if not is_there and is_judged:
            gone[path] = same[0] if len(same) == 1 else ""
    return gone
