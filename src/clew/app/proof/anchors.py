"""The anchors of a claim: what in it can be looked for word by word (hashes, quotations, paths, numbers); and how alike
two texts are, by the stems of the words that carry meaning. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from clew.app.proof.facts import Needle
from clew.core.state.draft import Claim
from clew.distill.identifiers import content_words
from clew.distill.identifiers import words_of as plain_words_of
from clew.documents.draft import evidence_in
from clew.documents.paths import path_of, paths_in

Kind = Literal["hash", "quotation", "code", "path", "name", "reference", "count", "number"]

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
# Digits alone are a number, but behind "commit"; letters alone are a hash unless they are a word that there is.
_HASH: Final = re.compile(
    r"(?<![\w/.-])(?=[0-9]*[a-f])(?!(?:defaced|effaced|acceded)\b)[0-9a-f]{7,40}(?![\w-])"
    r"|(?:(?<=\bcommit )|(?<=\bcommitted in ))\d{7,40}\b"
)
_REFERENCE: Final = re.compile(
    r"(?<![\w&/])[#!](\d{2,7})\b|\b(?:PRs?|MRs?|pull requests?|merge requests?|issues?|tickets?) ?#?!?(\d{1,7})\b", re.I
)
_REFERRING: Final = r"(?:[#!]|pull/|pulls/|issues/|merge_requests/|\b[pm]rs? ?#?|(?:request|issue|ticket)s? ?#?)"
# An address, a branch, a flag, a call, a name with "_" in it: each occurs as it stands.
_NAME: Final = re.compile(
    r"https?://[^\s<>()\[\]\"'`]+|(?<=\bbranch )[\w.]+[/_-][\w./-]+|\b(?:origin|upstream)/[\w./-]+"
    r"|(?<![\w-])--[A-Za-z][\w-]+|(?<![\w`])[A-Za-z_][\w.]*\w\(\)"
    r"|(?<![\w/.-])_{0,2}[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+(?![\w/])"
)
_COUNT: Final = re.compile(
    r"(?<![\w.#/-])(\d{1,3}(?:,\d{3})+|\d{1,13})(?: of \d[\d,]*| ?/ ?\d[\d,]*)?[ -]+"
    r"(?:(?:new|unit|more|other|all|integration|e2e|of|the|test|regression|existing|type|lint|total)[ -]+){0,2}"
    r"(?:tests?|pass(?:ed|ing|es)?|fail(?:ed|ing|ures?)|errors?|warnings?|skipped|specs?|examples?|assertions?|checks?"
    r"|cases|problems?|issues?|suites?|xfailed|subtests?)\b"
    r"|\b(?:passed|failed|failures|errors|warnings|skipped|tests)(?:[:=] *| +)(\d{1,13})(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?<![\w.#:/@-])v?(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)*)(?=[\s.,;:)%\]/–-]|$|[kKMG]?B\b|ms\b|s\b|m\b|h\b|k\b|x\b)"
)
_DIGITS_MAX: Final = 18
_UNIT: Final = re.compile(r" ?(?:ms|s|secs?|seconds?|%|[kKMG]i?B|bytes)\b|%", re.IGNORECASE)
_ROUGH: Final = re.compile(
    r"(?:about|around|roughly|approx\w*\.?|some|nearly|almost|circa|over|under|≈|~|up to|>|<)\W*$", re.I
)
_TOKEN: Final = re.compile(r"[\w@$%+-](?:[\w./@:+~$%-]*[\w/])?")
_QUOTATION_CHARS_MIN: Final = 10
# Code of so many words is a command or what one printed: where they stand apart it is not that.
_LONG_WORDS: Final = 3
# So few may have been written anew, which nobody counts but whoever wrote them.
_FEW: Final = 20
# So much of a line is looked at for words that have to stand in one.
_LINE_CHARS: Final = 800
_STEM_CHARS: Final = 5


class Anchor(NamedTuple):
    """`text` as it stands in the claim. One of `ways` has to occur: all the needles of it. `digits` are those of a
    count or a number.
    """

    kind: Kind
    text: str
    ways: tuple[tuple[Needle, ...], ...]
    digits: str = ""


def normal(text: str) -> str:
    """`text` as it is compared: lower case, plain signs, no marks of code or emphasis, white space folded."""
    return " ".join(plain(text).split())


def plain(text: str) -> str:
    """The same with its white space."""
    return text.translate(_SIGNS).lower()


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared; a path or a number with its unit is one."""
    return re.findall(r"\w(?:[\w./:@'-]*\w)?", normal(text))


def told(claim: Claim) -> str:
    """All that a claim says, as one text, without the evidence that it gives."""
    return evidence_in(f"{claim.text} — {claim.why}" if claim.why else claim.text)[1]


def anchors_of(claim: Claim) -> tuple[Anchor, ...]:
    """The anchors of what a claim says, and the commits and files that it gives as its evidence."""
    given = [
        _path(one.text) if one.kind == "file" else _hash(one.text) for one in claim.evidence if one.kind != "check"
    ]
    return tuple(dict.fromkeys((*anchors_in(told(claim)), *given)))


@lru_cache(maxsize=512)
def anchors_in(text: str) -> tuple[Anchor, ...]:
    """The anchors of a text, those of a kind together; what stands in quotation marks or code is that alone."""
    found: list[Anchor | None] = []
    rest = _taken(text, _MAKERS[:4], found)
    for path in paths_in(rest):
        found.append(_path(path))
        rest = rest.replace(path, " ")
    _taken(rest, _MAKERS[4:], found)
    return tuple(dict.fromkeys(filter(None, found)))


def _taken(text: str, makers: Iterable[Maker], found: list[Anchor | None]) -> str:
    """`text` without what an anchor was made of, or could have been: it is no other."""
    for pattern, make in makers:
        found += [make(match) for match in pattern.finditer(text)]
        text = pattern.sub(" ¤ ", text)
    return text


def _hash(id: str) -> Anchor:
    return Anchor("hash", id, ((Needle(id[:7]),),))


def _marked(match: re.Match[str]) -> Anchor | None:
    words = (match[2] or match[3] or match[4] or match[5]).strip()
    if not re.search(r"\w", words):
        return None
    if match[1] and _HASH.fullmatch(words):
        return _hash(words)
    if match[1] and " " not in words and (path := path_of(words)):
        return _path(path)
    if match[1] or (len(words) < _QUOTATION_CHARS_MIN and " " not in words):
        return Anchor("code", words, _code_ways(words))
    # Where it is not to the letter: its words in one line, or what stands around its colons word for word.
    loose: list[tuple[Needle, ...]] = [(in_line(sorted(content_stems(words))),)]
    clauses = re.split(r": | - ", normal(words))
    if len(clauses) > 1 and all(" " in clause for clause in clauses):
        loose.append(tuple(map(Needle, clauses)))
    return Anchor("quotation", words, (tuple(map(Needle, pieces(words))), *loose))


def pieces(quotation: str) -> list[str]:
    """What stands between the dots of a quotation that leaves something out, `normal`."""
    parts = (part.strip(" .,;:!") for part in re.split(r"[\[(]\s*\.\.\.\s*[\])]|\.\.\.|\[\s*\]", normal(quotation)))
    return [part for part in parts if part] or [normal(quotation)]


def in_line(words: list[str]) -> Needle:
    """What is looked for where words have to stand in one line; without words, what no text holds."""
    each = "".join(rf"(?=.{{0,{_LINE_CHARS}}}{re.escape(word)})" for word in dict.fromkeys(words))
    return Needle(max(words, key=len, default="\0"), f"(?m)^{each}")


def by_itself(number: str) -> str:
    """The pattern of a number that is no part of another."""
    return rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)"


def _code_ways(words: str) -> tuple[tuple[Needle, ...], ...]:
    """A piece of code occurs as it stands, else its words do: those of a long one in one line, else anywhere."""
    whole = normal(words).removesuffix("()")
    tokens = (re.split(r"::|:(?!/)|(?<=\w)=", token) for token in _TOKEN.findall(normal(words)))
    parts = [name for each in tokens for one in each if re.search(r"\w", name := one.strip("./:~"))]
    needles = (Needle(part, by_itself(part) if part.replace(".", "").isdigit() else "") for part in parts)
    ways: list[tuple[Needle, ...]] = [(Needle(whole),)]
    if len(parts) >= _LONG_WORDS:
        ways.append((in_line(parts),))
    if parts and parts != [whole]:
        ways.append(tuple(dict.fromkeys(needles)))
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


def _reference(match: re.Match[str]) -> Anchor:
    number = match[1] or match[2]
    return Anchor("reference", match[0], ((Needle(number, rf"{_REFERRING}{number}(?!\d)"),),))


def _count(match: re.Match[str]) -> Anchor | None:
    """A count of tests and the like."""
    number = (match[1] or match[2]).replace(",", "")
    ways = ((Needle(number, by_itself(number)),),) if int(number) >= _FEW else ()
    return Anchor("count", match[0], ways, number) if int(number) else None


def _number(match: re.Match[str]) -> Anchor | None:
    """Another number; none that is small or rough."""
    digits, unit = match[1].replace(",", ""), _UNIT.match(match.string, match.end())
    is_rough = _ROUGH.search(match.string[max(0, match.start() - 12) : match.start()])
    if len(digits) > _DIGITS_MAX or is_rough or (len(digits) < 2 and unit is None):
        return None
    forms = dict.fromkeys((digits, match[1], f"{int(digits):,}" if digits.isdigit() else digits))
    ways = tuple((Needle(form, by_itself(form)),) for form in forms)
    return Anchor("number", match[0] + (unit[0] if unit else ""), ways, digits)


Maker = tuple[re.Pattern[str], Callable[[re.Match[str]], Anchor | None]]
# What is looked for, one after the other, with paths between words and numbers.
_MAKERS: Final[tuple[Maker, ...]] = (
    (_MARKED, _marked),
    (_HASH, lambda match: _hash(match[0])),
    (_REFERENCE, _reference),
    (_NAME, lambda match: Anchor("name", match[0], _code_ways(match[0].rstrip(".,;:!?/")))),
    (_COUNT, _count),
    (_NUMBER, _number),
)


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    words = plain_words_of(normal(text))
    carrying = {*content_words(words), *(word for word in words if word.isdigit())}
    return frozenset(word[:_STEM_CHARS] for word in carrying)


def share(stems: frozenset[str], *texts: str) -> float:
    """How much of `stems` one of some `normal` texts holds at most, from 0 to 1; 1 without stems."""
    return max((sum(stem in text for stem in stems) / len(stems) if stems else 1.0 for text in texts), default=0.0)
