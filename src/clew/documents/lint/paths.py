"""Files that a document names: which of them are surely meant as files of its repository, and are not there."""

import re
from collections.abc import Iterator
from typing import Final

from clew.core.tuples import NamedTuple
from clew.documents.lint.finding import Finding, Ground, found
from clew.documents.lint.genre import Genre
from clew.documents.lint.page import Page, Place, page_of
from clew.documents.lint.phrases import alternatives
from clew.documents.parsed import Parsed

# So many files out of one folder make a move.
MOVED_FILES_MIN: Final = 2
_ENDINGS: Final = frozenset(
    """py pyi ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro go rs c h cc cpp cxx hpp hh m mm cs java kt kts scala
    swift rb php pl lua r jl ex exs erl hs ml clj dart zig nim sol sh bash zsh fish ps1 bat cmd bats sql graphql proto
    tf css scss less html htm xml svg json jsonc json5 jsonl toml yaml yml ini cfg conf md mdx mdc rst adoc txt csv tsv
    gradle cmake mk lock png jpg gif pdf tcss""".split()
)
# What is made by tools or kept out of git on purpose comes and goes; other names stand for any.
_MADE: Final = re.compile(
    r"(?:^|/)(?:dist|build|out|target|node_modules|coverage|\.venv|venv|__pycache__|\.next|\.cache|tmp|temp|logs?"
    r"|artifacts|generated|\.git|vendor|results|\.specstory|\.vscode|\.idea)/|(?:^|/)\.env|\.local\.|\.(?:log|lock)$"
    r"|(?:^|[./_-])(?:example|sample|foo|bar|baz|my|your|path|some|new)(?=[./_-]|$)"
    r"|(?:^|/)(?:test_)?(?:file|filename|script|module|name|x+|test|something|feature|component)\.",
    re.IGNORECASE,
)
NAME: Final = r"(?:[\w@.+-]+/)*[\w@.+-]+\.([A-Za-z][A-Za-z0-9]{0,8})"
_SPAN: Final = re.compile(r"(?<!`)`([^`\n]{2,160})`(?!`)")
_LINK: Final = re.compile(r"(?<!!)\[[^\]\n]{1,200}\]\(<?([^)\s>#?]{2,200})>?(?:#[^)\s]*)?(?:\s+\"[^\"]*\")?\)")
_PATH: Final = re.compile(rf"(?:\./)?({NAME})(?::\d+(?:[-,:]\d+)*|#L?\d+(?:-L?\d+)?|::[\w.:]+)?")
_LINKED: Final = re.compile(rf"((?:\.{{1,2}}/)*{NAME})")
# A command that reads a file: it fails where there is none.
_COMMAND: Final = re.compile(
    r"[ \t]*(?:\$ )?(?:(?:uv run|poetry run|npx|sudo) )?"
    r"(?:python3?|bash|sh|zsh|node|bun|ruby|tsx|bats|pytest|cat|less|head|tail|source)"
    rf"(?: -[\w-]+)* (?:\./)?({NAME})(?=[\s;|&:]|$)"
)
# Tests in a folder that is not there: nothing is collected.
_TESTS: Final = re.compile(
    r"[ \t]*(?:\$ )?(?:(?:uv|poetry) run )?(?:python3? -m )?(?:pytest|bats)(?: -[\w-]+)* "
    r"(?:\./)?((?:[\w.-]+/)+)(?=[\s;|&]|$)"
)
_FOLDER: Final = re.compile(r"(?:\./)?(?:[\w-][\w.-]*/){2,}")
_SHELLS: Final = frozenset(("", "bash", "sh", "shell", "zsh", "console", "terminal"))
# Said of a file that is not expected to be there: words, and beginnings of words.
_GONE: Final = re.compile(
    r"→|->|~~|\b"
    + alternatives(r"""
        delet | remov | dropp?(?:ed|ing)?\b | mov(?:e|es|ed|ing)\b | renam | retir | no longer | deprecat | archiv |
        replac | supersed | obsolet | former | legacy | stale\b | merg(?:e|ed) into | split (?:into|up|out|off)\b |
        extracted (?:to|into)\b | consolidat(?:ed|ing)\b |
        migrat(?:ed|ing) | git (?:rm|mv)\b | rm\b | does(?:n['’]t| not) | did(?:n['’]t| not) | isn['’]t | missing |
        not found |
        not (?:exist|there|yet|in|committed|tracked)\b | no such | non-?existent | untracked | gitignore | ignored\b |
        ephemeral | gone\b | was\b | were\b | old\b | previous | originally | instead of | rather than
    """),
    re.IGNORECASE,
)
# Said of a file that is still to come, that a program makes, or that only stands for others.
_AHEAD: Final = re.compile(
    r"https?://|github\.com|\b"
    + alternatives(r"""
        creat(?:e|es|ing)\b | new\b | adds?\b | adding\b | will\b | would\b | should\b | could\b | can\b | may\b |
        might\b | propos | plan(?:ned|s)?\b | future | todo\b | to-do | to be\b | target | scaffold |
        implement(?:s|ing)?\b | writ(?:e|es|ing)\b | generat | outputs?\b(?! schema) | produc | save |
        stor(?:e|es|ed|ing)\b | emit |
        dump | exports?\b | e\.g | example | such as | for instance | similar | template | placeholder | if\b |
        optional | upstream | (?:an)?other repo | suggest | maybe | need | want | either\b | per- | each\b | every\b |
        any\b | user['’]?s\b | like\b | introduc | expect |
        deliverable | next\b | later\b | pending | remaining | in progress | candidate | alternativ | option |
        recommend | draft | sketch | mock | fixture | runtime | at run | local | private |
        secret | install | download | clone | symlink
    """),
    re.IGNORECASE,
)
_GONE_TITLE: Final = re.compile(r"\b(?:delet|remov|clean-?up|migrat|deprecat|consolidat)", re.IGNORECASE)
# Said in a list of files of one that is not there yet.
_STILL_NEW: Final = re.compile(
    r"\b(?:new|create[sd]? |creating|untracked|generated|local|private|optional|example|runtime)\b", re.IGNORECASE
)
_TOUCHED: Final = r"created|added|modified|changed|updated|touched"
_DONE: Final = re.compile(
    rf"\b(?:{_TOUCHED}|done|completed?|implemented|wrote|written|fixed|edited|refactored|verified|reviewed|existing|current)\b",
    re.IGNORECASE,
)
# In a state file what is ticked is there.
_TICKED: Final = re.compile(r"[✅✓✔☑]")
_RECORDS: Final[frozenset[Genre]] = frozenset(("plan", "log", "task"))
_DATE: Final = re.compile(r"20\d\d-\d\d-\d\d")
_BEFORE: Final = re.compile(r"\b(?:current (?:state|situation|status)|before|as[- ]is|baseline|today)\b", re.IGNORECASE)
_LIST: Final = re.compile(
    rf"\bfiles?\b.{{0,12}}\b(?:{_TOUCHED}|involved|reviewed|to (?:modify|edit|update|change|read))\b"
    rf"|\b(?:{_TOUCHED}|key|relevant|affected|critical|existing)\b.{{0,18}}\bfiles?\b",
    re.IGNORECASE,
)
_HOME: Final = re.compile(
    r"(?<![\w/.~<-])(?:(?:/Users/|/home/|[A-Z]:\\Users\\)[A-Za-z][\w.-]*[/\\][\w.@+/\\-]*\w"
    r"|/(?:private/)?tmp/[\w.@+/-]*\w|/var/folders/[\w./+-]+)"
)
# Temporary files that the line itself makes.
_MAKES: Final = re.compile(r">|\b(?:mkdir|tee|touch|mktemp|curl|wget|cp|mv|clone)\b|\s-o\b|--out")
_NOBODY: Final = re.compile(
    r"[/\\](?:you|user|username|me|name|runner|node|ubuntu|app|dev|vscode|shared|ec2-user|someone|alice|bob)[/\\]",
    re.IGNORECASE,
)


class Cited(NamedTuple):
    """A file that is named in line `line`. `path` is as written, without "./" and line numbers."""

    path: str
    line: int


def cited(parsed: Parsed, source: str, path: str) -> tuple[str, ...]:
    """The paths whose existence decides what `lint` says, in order, each once: for whoever makes the `Ground`.

    `path` is the document's own, relative to the top of its repository, "" unknown. Paths may begin with "../" where a
    link does; nothing says that they stay inside.
    """
    page = page_of(parsed, source, Ground(path))
    return tuple(dict.fromkeys(one.path for one in named(page)))


def named(page: Page) -> list[Cited]:
    """The files that are surely meant as they are written, in order."""
    if page.genre == "guide" or _GONE_TITLE.search(page.parsed.title):
        return []
    found_at: list[Cited] = []
    past = _past(page)
    for index, place in enumerate(page.places):
        if index in past:
            continue
        found_at += _in_commands(page, place) if place.block.form == "code" else _in_block(page, place)
    gone = _said_gone(page, {_name(one.path) for one in found_at})
    return [one for one in found_at if _name(one.path) not in gone]


def _past(page: Page) -> set[int]:
    """The places that record what was: in a plan, a log or a task all that is done or was the state before, and a log's
    dated entries. In a hand-off what is done is what is there.
    """
    if page.genre not in _RECORDS:
        return set()
    rows = {at for at, place in enumerate(page.places) if place.block.box in ("x", "X")}
    for section in page.sections:
        title = section.place.block.text
        is_entry = page.genre == "log" and _DATE.search(title)
        if section.status == "done" or section.told_done or is_entry or _BEFORE.search(title):
            rows.update(range(section.at, section.end))
    return rows


def _in_block(page: Page, place: Place) -> Iterator[Cited]:
    block = place.block
    if block.form not in ("item", "text", "row"):
        return
    rows = (block.text or " | ".join(block.cells)).split("\n")
    # Under "Files modified" a file is there, whatever is said of it behind its name.
    is_list = bool(_LIST.search(place.above)) or bool(_TICKED.match(block.text) and page.genre == "state")
    for offset, row in enumerate(rows):
        linked = [*_linked(row), *_tested(row)]
        written = list(_written(row, is_list=is_list, begins=block.form == "item" and offset == 0))
        if not (linked or written):
            continue
        # In a long paragraph the lines beside it may speak of it, others do not.
        around = _bare(" ".join(rows[max(0, offset - 1) : offset + 2]))
        if _GONE.search(around) or _is_passed_over(place, is_list):
            linked = [] if _GONE.search(f"{around} {place.above}") else [*_tested(row)]
            written = []
        line = min(block.first + offset, block.last)
        yield from (Cited(path, line) for path in linked)
        is_still_new = (_STILL_NEW if is_list else _AHEAD).search(around)
        is_planned = page.genre == "plan" and not is_list and not _DONE.search(f"{place.above} {row}")
        if not (is_still_new or is_planned):
            yield from (Cited(path, line) for path in written)


def _is_passed_over(place: Place, is_list: bool) -> bool:
    """Whether the headings above speak of files that are not there."""
    return bool(_GONE.search(place.above)) or (not is_list and bool(_AHEAD.search(_bare(place.above))))


def _linked(row: str) -> Iterator[str]:
    for match in _LINK.finditer(row):
        if (path := _LINKED.fullmatch(match[1])) and is_file(path[1], path[2]):
            yield path[1]


def _tested(row: str) -> Iterator[str]:
    """Folders whose tests are to be run: they are needed whenever that is."""
    for match in _SPAN.finditer(row):
        if (test := _TESTS.match(match[1])) and not _MADE.search(test[1]):
            yield test[1]


def _written(row: str, *, is_list: bool, begins: bool) -> Iterator[str]:
    """Paths in back-quotes, and where files are listed lone names and the bare path that an entry begins with."""
    for match in _SPAN.finditer(row):
        path = _PATH.fullmatch(match[1].strip())
        if path and is_file(path[1], path[2]) and (is_list or "/" in path[1]):
            yield path[1]
        elif match[1].count("/") > 1 and _FOLDER.fullmatch(match[1]) and not _MADE.search(match[1]):
            yield match[1].removeprefix("./")
    if is_list and begins and (path := _PATH.match(row)) and is_file(path[1], path[2]):
        rest = row[path.end() :]
        if not rest or rest[0] in " \t:,(":
            yield path[1]


def _in_commands(page: Page, place: Place) -> Iterator[Cited]:
    """Files that a block of commands reads. What another folder or a plan is about cannot be judged."""
    block = place.block
    if page.genre == "plan" or block.info not in _SHELLS or re.search(r"\b(?:cd|pushd|clone)\b|>|\btee\b", block.text):
        return
    if _GONE.search(place.above) or _AHEAD.search(_bare(place.above)):
        return
    for offset, row in enumerate(block.text.split("\n")):
        read, tested = _COMMAND.match(row), _TESTS.match(row)
        if read and "/" in read[1] and is_file(read[1], read[2]):
            yield Cited(read[1], block.first + 1 + offset)
        if tested and not _MADE.search(tested[1]):
            yield Cited(tested[1], block.first + 1 + offset)


def _bare(text: str) -> str:
    """A text without what stands in back-quotes and in the brackets of links: names are no words."""
    return _SPAN.sub("`", _LINK.sub("[]", text))


def is_file(path: str, ending: str) -> bool:
    """Whether a path looks like one file that people keep: with a known ending, and nothing that tools make."""
    return ending.lower() in _ENDINGS and "..." not in path and not _MADE.search(path)


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _said_gone(page: Page, names: set[str]) -> set[str]:
    """Those of the names that some line says are gone."""
    lines = [line for line in page.lines if any(name in line for name in names)]
    return {name for line in lines if _GONE.search(_bare(line)) for name in names if name in line}


def file_gone(page: Page) -> Iterator[Finding]:
    """Each file once, where it is named first. Several whose folder moved are told as one."""
    first: dict[str, int] = {}
    for one in named(page):
        if one.path in page.ground.gone:
            first.setdefault(one.path, one.line)
    moves: dict[tuple[str, str], list[str]] = {}
    for path in first:
        if move := _move(path, page.ground.gone[path]):
            moves.setdefault(move, []).append(path)
    for (old, new), paths in moves.items():
        if len(paths) < MOVED_FILES_MIN:
            continue
        line = first[paths[0]]
        below = _shared(old, paths)
        message = f"{len(paths)} files named below {old}/{below} are below {new}/{below} now"
        yield found("file-gone", line, page.line(line), message, f"Say {new}/{below} instead of {old}/{below}.")
        for path in paths:
            del first[path]
    for path, line in first.items():
        now = page.ground.gone[path]
        fix = f"Say {now}, if that is it; else that it was removed." if now else ""
        yield found("file-gone", line, page.line(line), f"{path} does not exist", fix)


def _shared(folder: str, paths: list[str]) -> str:
    """The one folder in a folder that all paths are in, with its slash, "" if there is none."""
    first, slash, _ = paths[0].removeprefix(f"{folder}/").partition("/")
    below = first + slash
    return below if slash and all(path.startswith(f"{folder}/{below}") for path in paths) else ""


def _move(path: str, now: str) -> tuple[str, str] | None:
    """The folders above what two paths have in common from their ends; none unless both are below one."""
    old, new = path.split("/"), now.split("/")
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return ("/".join(old), "/".join(new)) if old and new and old[0] not in (".", "..") else None


def local_path(page: Page) -> Iterator[Finding]:
    """Each place once, where it is named first, and none below one that was named. Temporary files only in a hand-off,
    and not where they are made. Our own documents name their root on purpose.
    """
    seen: list[str] = []
    for number, line in enumerate(page.lines if page.places and page.parsed.format != "clew" else (), 1):
        for match in _HOME.finditer(line):
            place = match[0]
            temporary = not place.startswith(("/Users", "/home")) and place[1:3] != ":\\"
            if any(f"{place}/".startswith(f"{one}/") for one in seen) or _NOBODY.search(f"{place}/") or "..." in place:
                continue
            if temporary and (page.genre != "handoff" or _MAKES.search(line)):
                continue
            seen.append(place)
            yield found("local-path", number, line.strip(), f"{place} exists on one machine only")
