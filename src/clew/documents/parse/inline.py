"""A line's marks taken off: bold, code, escapes, labels, paths. Text is data: what stays is the source's own words."""

import re

from clew.core.text import clean, one_line
from clew.core.tuples import NamedTuple

# What stands in back-quotes, as it is; else marks of bold (not the stars of a path's pattern), of italics and of a line
# through it, escapes, and what draws nothing.
# Each begins with its own sign, so that the search skips what cannot begin one.
_MARKS = re.compile(
    r"`[^`]+`|_(?<!\w_)_(?:[a-z][a-z\d]*(?:_[a-z\d]+)+|init|main|name|all|file|doc|dict|str|repr|new|call|enter|exit|pycache)__(?![\w:])|\*(?<![/\w]\*)\*(?=\S)|\*(?<=\S\*)\*(?![/\w])|_(?<!\w_)_(?=[^\W_])|_(?<=[^\s_]_)_(?!\w)|~~"
    r"|\*(?<![\w*\\]\*)(?=[^\s*])(?P<star>[^*\n`]{1,300})(?<=[^\s\\])\*(?![\w*])"
    r"|_(?<![\w\\]_)(?=[^\s_])(?P<low>[^_\n`]{1,300})(?<=[^\s\\])_(?!\w)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+\-.!|<>~])|<(?P<none>[bB][rR]\s*/?>|!--.{0,300}?-->)",
    re.DOTALL,
)

_BOLD_LABEL = re.compile(
    r"\s*(?:\*\*(?P<a>[^*\n]{1,160}?)\s*:?\s*\*\*|__(?P<b>[^_\n]{1,80}?)\s*:?\s*__)(?P<after>[ \t]*\([^()\n]{0,80}\))?"
    r"[ \t]*(?P<mark>[:：]?)"
)
_PLAIN_LABEL = re.compile(r"\s*(?P<label>[^\W\d_`*][^:：\n`*|<>\"]{0,60}?)[ \t]*[:：](?=\s|$)[ \t]*")
# Scripts without spaces have none behind a colon.
_UNSPACED_LABEL = re.compile(r"\s*(?P<label>[\u3040-\u9fff\uac00-\ud7af]{1,8})[ \t]*：[ \t]*")
_DASHED_LABEL = re.compile(r"(?:—|–|-{1,2}|→)[ \t]+")


class Label(NamedTuple):
    """`name` in front of `value`. `bold`: it was printed bold. `aside` is what stood in brackets behind the name."""

    name: str
    value: str
    bold: bool
    aside: str = ""


def plain(text: str) -> str:
    """`text` on one line without bold, italic, struck-through and escapes; what stands in back-quotes stays."""
    if "\ufe0f" in text or "\u200d" in text:
        text = clean(text)
    text = one_line(text)
    if "*" in text or "_" in text or "~~" in text or "\\" in text or "<" in text:
        text = one_line(_MARKS.sub(_unmarked, text))
    return text


def _unmarked(match: re.Match[str]) -> str:
    group = match.lastgroup
    if group is None:
        # A name as `__init__` keeps its underscores.
        return match[0] if match[0][0] == "`" or len(match[0]) > 2 else ""
    return " " if group == "none" else match[group]


def label(text: str) -> Label | None:
    """The label in front of a text, bold (`**Why:** …`) or plain (`Why: …`); None without one."""
    if text.lstrip()[:2] in ("**", "__"):
        match = _BOLD_LABEL.match(text)
        if match is None:
            return None
        whole = match[0]
        rest = text[match.end() :].lstrip()
        marked = bool(match["mark"]) or whole.rstrip().rstrip("*_").rstrip().endswith((":", "："))
        name = (match["a"] or match["b"] or "").strip()
        aside = (match["after"] or "").strip()
        if not marked and (inner := _PLAIN_LABEL.match(name)) and inner.end() < len(name):
            # "**Goal: ship it** by May"
            return Label(inner["label"].strip(), f"{name[inner.end() :]} {aside} {rest}".strip(), True)
        marked = marked or name.endswith("?")
        if not rest.strip():
            return Label(name, "", True, aside)
        if marked:
            return Label(name, rest.strip(), True, aside)
        if dash := _DASHED_LABEL.match(rest):
            return Label(name, rest[dash.end() :].strip(), True, aside)
        return None
    match = _PLAIN_LABEL.match(text) or _UNSPACED_LABEL.match(text)
    if match is None or match["label"].count(" ") > 6:
        return None
    return Label(match["label"].strip(), text[match.end() :].strip(), False)


_PATH = re.compile(
    r"`(?P<code>[^`\n]{1,200})`|\[(?P<link>[^\]\n]{1,200})\]\((?P<target>[^)\s]{1,400})\)"
    r"|(?<![\w/`:@])(?P<bare>(?:[~.]{0,2}/)?[\w@.+-]+(?:/[\w@.+\[\]-]+)*(?:/|\.[A-Za-z][\w-]{0,9})(?::\d+(?:-\d+)?)?)(?![\w/`(])"
)
_IS_PATH = re.compile(
    r"(?:[A-Za-z]:)?[~.]{0,2}/?[\w@.+\-*{}\[\]<>$ ()]+(?:/[\w@.+\-*{}\[\]<>$ (),]+)*/?(?::[\d,\s-]+)?(?:::[\w.:]+)?"
)
_FILE_NAME = re.compile(
    r"[\w@.+\-*\[\]]*\.[A-Za-z][\w-]{0,11}(?::\d+(?:-\d+)?)?|[\w.@+-]*/[\w.@+/*-]*|Makefile|Dockerfile|LICENSE|\.[\w-]+"
)


def is_path(text: str) -> bool:
    """Whether all of it looks like a path: a slash or an ending, no sentence."""
    text = text.strip()
    if not text or len(text) > 200 or "://" in text or "](" in text or text.endswith(("()", ";")):
        return False
    if text[0] == "@" and "." not in text and text.count("/") == 1:
        return False
    if "/" in text and not text.startswith("/api/") and _IS_PATH.fullmatch(text) and text.count(" ") <= 2:
        # "pytest tests/unit" is a command.
        return re.match(r"[A-Za-z][\w-]*\s", text) is None
    return _FILE_NAME.fullmatch(text) is not None and " " not in text and not text.startswith("v0")


# "Next.js 16", "Socket.io": what is named so is no file, where it is not set as code.
_PRODUCT = re.compile(r"[A-Z]\w*\.(?:js|io|ai|com|net|dev|app|org)")
_ABBREVIATIONS = frozenset(("e.g", "i.e", "e.g.", "i.e.", "a.k.a", "and/or", "w/o", "n/a", "N/A"))


class Path(NamedTuple):
    """A path in a text: where it was found, and the text around it."""

    path: str
    before: str
    after: str


def paths(text: str, limit: int = 3) -> list[Path]:
    """Up to `limit` paths that a line names, in back-quotes, as a link's words or bare."""
    if " " not in text and is_path(text) and not _PRODUCT.fullmatch(text):
        return [Path(text, "", "")]
    found = []
    for match in _PATH.finditer(text[:4000]):
        path = (match["code"] or match["link"] or match["bare"] or "").strip().strip("`")
        before = text[: match.start()]
        if match["link"] and not is_path(path):
            path, before = match["target"], before + path
        if is_path(path) and path not in _ABBREVIATIONS and not (match["bare"] and _PRODUCT.fullmatch(path)):
            found.append(Path(path, before, text[match.end() :]))
            if len(found) >= limit:
                break
    return found


_PATH_LEAD = re.compile(r"\s*(?:`[^`\n]+`|\[[^\]\n]+\]\([^)\n]+\)|\*\*[^*\n]+\*\*|\S+)\s*(?:[—–:(;,-]|\(|(?<=\s)/\s|$)")
_AFTER_LEAD = re.compile(r"[*_`\s]*(?:[—–:(;,.…|+&/-]|→|and\b|$)")
_AFTER_PATH = re.compile(r"\s*(?:\([^()]*\))?[\s.]*")


def leads_with_path(text: str) -> bool:
    """Whether an entry tells about a file: a path, then nothing or a note."""
    if _PATH_LEAD.match(text) is None:
        return False
    found = paths(text[:300], limit=1)
    return (
        bool(found)
        and not found[0].before.strip("*_ ")
        and is_path(found[0].path)
        and _AFTER_LEAD.match(found[0].after) is not None
    )


def is_only_path(text: str) -> bool:
    """Whether it is a path, with no more than a remark in brackets behind it."""
    found = paths(text[:300], limit=1)
    return bool(found) and not found[0].before.strip("*_` ") and _AFTER_PATH.fullmatch(found[0].after) is not None


_CHECK = re.compile(
    r"\s*`(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\./|[a-z][\w.-]*\b)[^`]*\b"
    r"(?:tests?|pytest|check|lint|typecheck|verify|validate|format|build|mypy|ruff|tsc|clippy|vet|audit)\b[^`]*`"
)


_CHECKED = re.compile(
    r"\s*`(?:(?:uv|poetry|npm|pnpm|yarn) run |npx |python -m )?"
    r"(?:pytest|mypy|ruff|tsc|eslint|jest|vitest|rspec|phpunit|flake8|pylint|pyright|clippy)(?![\w./-])[^`]*`"
    r"\s*(?:[:=→—–-]|passe[sd]\b)"
)


def is_check(text: str) -> bool:
    """Whether an entry begins with a command that checks: "`make test`: all green", "`mypy`: clean"."""
    if _CHECKED.match(text):
        return True
    match = _CHECK.match(text)
    return match is not None and " " in match[0].strip() and not is_path(match[0].strip().strip("`"))


# It says where something stands, not what it is.
_POINTS = re.compile(
    r"\s*(?:see|refer to|details? (?:in|at)|full (?:details|list|notes)|read more|documented in)\b[^:;]*$",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\([^()\s]{1,400}\)")


def points(text: str) -> bool:
    """Whether it says only where something stands, not what it is: "See `tests.md` for details"."""
    return _POINTS.match(_TARGET.sub("]", text)) is not None
