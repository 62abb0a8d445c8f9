"""The anchors of a claim: what in it can be looked for word by word (hashes, quotations, paths, numbers). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from clew.app.proof.facts import Needle
from clew.documents.paths import path_of

# fmt: off
Kind = Literal[
    "hash", "quotation", "code", "path", "name", "camel", "flag", "address", "branch", "reference", "count", "ratio",
    "number",
]
# fmt: on

_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»\"‘’‚‛", "'"), **dict.fromkeys("–—‑−", "-"),
        **dict.fromkeys("`*\\", None), "…": "...", "\u00a0": " ",
    }
)  # fmt: skip
# Code or a quotation, whichever begins first: what stands in it is no other.
_MARKED: Final = re.compile(
    r"(`+)([^`]{1,400})\1|“([^“”]{2,600})”|«([^«»]{2,600})»|(?<![\w\"])\"([^\"]{2,600})\"(?![\w\"])"
)
# Digits alone are a number; letters alone are a hash unless they are one of the words that there are.
_HASH: Final = re.compile(r"(?<![\w/.-])(?=[0-9]*[a-f])(?!(?:defaced|effaced|acceded)\b)[0-9a-f]{7,40}(?![\w-])")
_COMMIT_DIGITS: Final = re.compile(r"\bcommit (\d{7,40})\b")
_REFERENCE: Final = re.compile(
    r"(?<![\w&/])[#!](\d{1,7})\b|\b(?:PRs?|MRs?|pull requests?|merge requests?|issues?|tickets?) ?#?!?(\d{1,7})\b", re.I
)
_ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]\"'`]+")
_BRANCH: Final = re.compile(
    r"\bbranch(?:es)?:? (?:is |named |called )?([\w./-]+)|\b(?:origin|upstream)/([\w./-]+)", re.IGNORECASE
)
_FLAG: Final = re.compile(r"(?<![\w-])--[A-Za-z][\w-]+")
_CALL: Final = re.compile(r"(?<![\w`])[A-Za-z_][\w.]*\w\(\)")
_SNAKE: Final = re.compile(r"(?<![\w/.-])_{0,2}[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+(?![\w/])")
_CAMEL: Final = re.compile(r"(?<![\w/.-])(?:[a-z]+|[A-Z][a-z0-9]+)(?:[A-Z][a-z0-9]+)+(?![\w/])")
_COUNT: Final = re.compile(
    r"(?<![\w.#/-])(\d[\d,]{0,12})(?: of \d[\d,]*| ?/ ?\d[\d,]*)?[ -]+(?:(?:new|unit|more|other|all|integration|e2e|"
    r"of|the|test|regression|existing|type|lint|total)[ -]+){0,2}"
    r"(tests?|passed|passing|pass|passes|failed|failing|failures?|errors?|warnings?|skipped|specs?|examples?"
    r"|assertions?|checks?|cases|problems?|issues?|suites?|xfailed|subtests?)\b"
    r"|\b(tests|passed|failed|failures|errors|warnings|skipped)[:=] ?(\d[\d,]{0,12})(?![\w.,])",
    re.IGNORECASE,
)
# What somebody wrote anew is counted by nobody but him.
_NEW: Final = re.compile(r"\b(?:new|more|added|adds?|wrote|another|other|regression|extra|missing)\b", re.IGNORECASE)
_RATIO: Final = re.compile(r"(?<![\w.#:/-])(\d{1,6})(?: of | out of |/)(?:the |all )?(\d{1,6})(?![\w./-]\w|/)")
_NUMBER: Final = re.compile(
    r"(?<![\w.#:/@-])v?(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)*)(?=[\s.,;:)%\]/–-]|$|[kKMG]?B\b|ms\b|s\b|m\b|h\b|k\b|x\b)"
)
_SPAN_OF_TIME: Final = re.compile(r"[ -]?(?:min(?:ute)?s?|h(?:ou)?rs?|h|days?|weeks?|months?|years?)\b", re.IGNORECASE)
_DIGITS_MAX: Final = 18
_UNIT: Final = re.compile(r" ?(?:ms|s|secs?|seconds?|%|[kKMG]i?B|bytes)\b|%", re.IGNORECASE)
_LITTLE: Final = frozenset(
    "that this with from into have been were when then than they them only also after before".split()
)
_ROUGH: Final = re.compile(
    r"(?:about|around|roughly|approx\w*\.?|some|nearly|almost|circa|over|under|≈|~|up to|>|<)\W*$", re.I
)
_TOKEN: Final = re.compile(r"[\w@$%+-](?:[\w./@:+~$%-]*[\w/])?")
_HUMP: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_PLACEHOLDER: Final = re.compile(r"<[^<>\s]*>|\{[^{}\s]*\}|\.\.\.|…|\$\w+")
_QUOTATION_CHARS_MIN: Final = 10
# Code of so many words is a command or what one printed: where they stand apart it is not that.
LONG_WORDS: Final = 3


class Anchor(NamedTuple):
    """`text` as it stands in the claim. One of `ways` has to occur: all the needles of it."""

    kind: Kind
    text: str
    ways: tuple[tuple[Needle, ...], ...]

    @property
    def needles(self) -> frozenset[Needle]:
        """All that is to be looked for."""
        return frozenset(needle for way in self.ways for needle in way)


def normal(text: str) -> str:
    """`text` as it is compared: lower case, plain signs, no marks of code or emphasis, white space folded."""
    return " ".join(plain(text).split())


def plain(text: str) -> str:
    """The same with its white space."""
    return text.translate(_SIGNS).lower()


def plain_word(word: str) -> str:
    """A word of a command as it is compared: without quotes around it and a slash at its end."""
    return normal(word).strip("'\"").rstrip("/")


@lru_cache(maxsize=512)
def anchors_in(text: str) -> tuple[Anchor, ...]:
    """The anchors of a text, those of a kind together; what stands in quotation marks or code is that alone."""
    found: list[Anchor] = []
    rest = _taken(_MARKED, text, found, _marked)
    rest = _taken(_ADDRESS, rest, found, lambda match: _lone("address", match[0].rstrip(".,;:!?")))
    rest = _taken(_BRANCH, rest, found, _branch)
    for match in _HASH.finditer(rest):
        found.append(Anchor("hash", match[0], ((Needle(match[0][:7]),),)))
    for match in _COMMIT_DIGITS.finditer(rest):
        found.append(Anchor("hash", match[1], ((Needle(match[1][:7]),),)))
    for match in _REFERENCE.finditer(rest):
        number = match[1] or match[2]
        if match[1] and len(number) == 1:
            continue  # "step #2" numbers something here
        found.append(Anchor("reference", match[0], ((Needle(number, "ref"),),)))
    rest = _REFERENCE.sub(" ", rest)
    for match in _FLAG.finditer(rest):
        found.append(Anchor("flag", match[0], ((Needle(normal(match[0])),),)))
    for token in dict.fromkeys(rest.split()):
        if path := path_of(token.strip("()[]\"'<>")):
            found.append(_path(path))
            rest = rest.replace(path, " ")
    found += _names(rest)
    found += _numbers(rest, words_of(text))
    return tuple(dict.fromkeys(found))


def without_marked(text: str) -> str:
    """`text` without what stands in quotation marks or code."""
    return _MARKED.sub("¤", text)


def _taken(
    pattern: re.Pattern[str], text: str, found: list[Anchor], make: Callable[[re.Match[str]], Anchor | None]
) -> str:
    """`text` without the matches that `make` made an anchor of."""

    def take(match: re.Match[str]) -> str:
        anchor = make(match)
        if anchor is None:
            return match[0]
        found.append(anchor)
        return " ¤ "

    return pattern.sub(take, text)


def _lone(kind: Kind, words: str) -> Anchor:
    return Anchor(kind, words, ((Needle(normal(words)),),))


def _branch(match: re.Match[str]) -> Anchor | None:
    name = match[1] or match[2]
    return _lone("branch", name.rstrip(".,/")) if re.search(r"[/_-]", name) else None


def _marked(match: re.Match[str]) -> Anchor | None:
    return _code(match[2].strip()) if match[1] else _quotation(match[3] or match[4] or match[5])


def _quotation(words: str) -> Anchor | None:
    if len(words) < _QUOTATION_CHARS_MIN and " " not in words.strip():
        return Anchor("code", words, _code_ways(words)) if re.search(r"\w", words) else None
    return Anchor("quotation", words, (tuple(Needle(part) for part in pieces(words)),))


def pieces(quotation: str) -> list[str]:
    """What stands between the dots of a quotation that leaves something out, `normal`."""
    parts = (part.strip(" .,;:!") for part in re.split(r"\.\.\.|\[\s*\]", normal(quotation)))
    return [part for part in parts if part] or [normal(quotation)]


def _code(words: str) -> Anchor | None:
    if not re.search(r"\w", words):
        return None
    if _HASH.fullmatch(words):
        return Anchor("hash", words, ((Needle(words[:7]),),))
    if " " not in words and (path := path_of(words)):
        return _path(path)
    return Anchor("code", words, _code_ways(words))


def _code_ways(words: str) -> tuple[tuple[Needle, ...], ...]:
    """A piece of code occurs as it stands, else its words do: those of a long one in one line, else anywhere."""
    whole = normal(words).removesuffix("()")
    parts: list[Needle] = []
    for token in _TOKEN.findall(normal(_PLACEHOLDER.sub(" ", words))):
        for one in re.split(r"::|:(?!/)|(?<=\w)=", token):
            name = one.strip("./:~")
            if re.search(r"\w", name):
                parts.append(Needle(name, "word") if name.replace(".", "").isdigit() else Needle(name))
    ways: list[tuple[Needle, ...]] = [(Needle(whole),)]
    if len(parts) >= LONG_WORDS:
        texts = dict.fromkeys(part.text for part in parts)
        ways.append((Needle(max(texts, key=len), "line", tuple(texts)),))
    if parts and (len(parts) > 1 or parts[0].text != whole):
        ways.append(tuple(dict.fromkeys(parts)))
    names = re.split(r"[./]", whole)
    if len(names) > 1 and all(name.replace("-", "_").isidentifier() for name in names):
        ways.append(tuple(Needle(name) for name in names))
    return tuple(ways)


def _path(path: str) -> Anchor:
    """A path occurs as it is, or its last two names do, or its folder and its name: tools list names alone."""
    whole = normal(path).rstrip("/").removeprefix("~/")
    names = [name for name in whole.split("/") if name not in ("", ".", "..")] or [whole]
    ways: list[tuple[Needle, ...]] = [(Needle(whole),)]
    if len(names) > 2:
        ways.append((Needle("/".join(names[-2:])),))
    if len(names) > 1:
        ways.append((Needle("/".join(names[:-1])), Needle(names[-1])))
    return Anchor("path", path, tuple(ways))


def _names(rest: str) -> list[Anchor]:
    found = []
    for match in _CALL.finditer(rest):
        found.append(Anchor("name", match[0], _code_ways(match[0])))
    for match in _SNAKE.finditer(rest):
        found.append(Anchor("name", match[0], ((Needle(normal(match[0])),),)))
    for match in _CAMEL.finditer(rest):
        humps = tuple(Needle(hump.lower()) for hump in _HUMP.findall(match[0]) if len(hump) > 1)
        found.append(Anchor("camel", match[0], ((Needle(normal(match[0])),), *((humps,) if humps else ()))))
    return found


def _numbers(rest: str, beside: tuple[str, ...]) -> list[Anchor]:
    """Counts of tests and the like; other numbers, which must stand near a word of the claim (`beside`)."""
    found = []
    for match in _COUNT.finditer(rest):
        number, unit = (match[1], match[2]) if match[1] else (match[4], match[3])
        number = number.replace(",", "")
        if int(number) > 0 and not (int(number) < 20 and _NEW.search(rest[max(0, match.start() - 30) : match.end()])):
            found.append(Anchor("count", match[0], ((Needle(number, group_of(unit)),),)))
    rest = _COUNT.sub(" ", rest)
    for match in _RATIO.finditer(rest):
        some, whole = match[1], match[2]
        found.append(Anchor("ratio", match[0], ((Needle(whole, "ratio", (some,)),), (Needle(whole, "ratio"),))))
    rest = _RATIO.sub(" ", rest)
    for match in _NUMBER.finditer(rest):
        digits = match[1].replace(",", "")
        if len(digits) > _DIGITS_MAX:
            continue
        has_unit = _UNIT.match(rest, match.end()) is not None
        if (len(digits) < 2 and not has_unit) or _ROUGH.search(rest[max(0, match.start() - 12) : match.start()]):
            continue
        if _SPAN_OF_TIME.match(rest, match.end()):
            continue
        forms = dict.fromkeys((digits, match[1], f"{int(digits):,}" if digits.isdigit() else digits))
        near = [(Needle(form, "near", beside),) for form in forms]
        # With a unit it is a measure, and of a thing; else it may be a name, a port, a year.
        anywhere = [] if has_unit else [(Needle(form, "word"),) for form in forms]
        unit = _UNIT.match(rest, match.end())
        found.append(Anchor("number", match[0] + (unit[0] if unit else ""), (*near, *anywhere)))
    return found


def words_of(text: str) -> tuple[str, ...]:
    """The beginnings of a claim's words, of which one has to stand near a number of its."""
    words = (word[:6] for word in re.findall(r"[a-z][a-z0-9]{3,}", normal(text)) if word not in _LITTLE)
    return tuple(dict.fromkeys(words))


def group_of(unit: str) -> str:
    """What is counted: "passed" (tests at all), "failed", "warned" or "skipped"."""
    unit = unit.lower()
    if unit.startswith(("fail", "error", "problem", "issue")):
        return "failed"
    if unit.startswith("warn"):
        return "warned"
    return "skipped" if unit.startswith(("skip", "xfail")) else "passed"
