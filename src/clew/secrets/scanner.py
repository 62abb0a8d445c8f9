"""Find the secrets in a text. Pure: reads nothing, keeps only what it has compiled."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import ahocorasick

from clew.secrets.checks import HoldsSecret
from clew.secrets.judge import entropy, is_about, is_masked, is_wordy
from clew.secrets.prefilter import Exact, Prefilter
from clew.secrets.rules import SecretRule, rules
from clew.secrets.values import FOREIGN, READERS, Span, Value, compiled

# Parts of a text as somebody would read them: lines that a width broke put together, escapes undone.
#
# Knows how texts are broken and escaped, nothing about secrets.

# Widths of terminals and of mail.
WIDTHS = frozenset((70, 72, 78, 79, 80, 100, 120, 132, 160))

# Escapes by the sign that each has to have, which is looked for first: printable ASCII, percent-encoded, as HTML, as
# `\u` and `\x` (by however many writers); colours of a terminal; and what is not seen: zero-width spaces and joiners,
# the word joiner, the byte order mark, the soft hyphen.
_HEX = r"(?P<hex>[2-7][0-9a-fA-F])"
_ESCAPES = (
    ("%", rf"%(?:25)*{_HEX}"),
    ("&", r"&(?:amp;)*(?P<html>quot|apos|lt|gt|\#\d{2,3}|\#[xX][2-7][0-9a-fA-F]);"),
    ("\\", rf"u(?<=\\u)00(?:{_HEX}|1[bB]\[[0-9;]{{0,16}}m)"),
    ("\\", rf"x(?<=\\x)(?:{_HEX}|1[bB]\[[0-9;]{{0,16}}m)"),
    ("\x1b", r"\x1b\[[0-9;]{0,16}m"),
    *((sign, sign) for sign in "\u200b\u200c\u200d\u2060\ufeff\u00ad"),
)
# So much is read before and behind an escape: a name and what leads to it, a value.
_BEFORE, _BEHIND = 80, 600


class Stretch:
    """Some of a text's pieces put together in `text`. A piece is its text and where it starts and ends in the whole,
    which may be a stretch itself (`outer`).
    """

    def __init__(self, pieces: list[tuple[str, int, int]], outer: "Stretch | None" = None) -> None:
        self._outer = outer
        self.text = "".join(text for text, _, _ in pieces)
        self._pieces = pieces
        self._starts: list[int] = []
        at = 0
        for text, _, _ in pieces:
            self._starts.append(at)
            at += len(text)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of `text`, which is not empty, stands in the whole."""
        first, last = self._at(start)[0], self._at(end - 1)[1]
        return self._outer.place(first, last) if self._outer else (first, last)

    def _at(self, place: int) -> tuple[int, int]:
        """Where one character of `text` starts and ends in the whole."""
        number = bisect_right(self._starts, place) - 1
        text, start, end = self._pieces[number]
        if len(text) != end - start:  # an escape, which stands for one character
            return start, end
        at = start + place - self._starts[number]
        return at, at + 1


def stretches(text: str) -> Iterator[Stretch]:
    """Yield what else there is to be read in a text, of which it shows no more than a disguise."""
    for stretch in folded(text):
        yield stretch
        yield from unescaped(stretch.text, stretch)
    yield from unescaped(text)


def folded(text: str) -> Iterator[Stretch]:
    """Yield the stretches of a text whose lines go on in the next one: if no line is longer, those that are full."""
    newline = "\n" if "\n" in text else "\\n"
    lines = text.split(newline)
    # The first line of an escaped text has the opening quote of its string before it.
    head = lines[0].rfind('"') + 1 if newline != "\n" else 0
    last = lines.pop()
    if not lines:
        return
    sizes = [*map(len, lines)]
    sizes[0] -= head
    width = max(sizes)
    if width not in WIDTHS:
        return
    starts = [0, *accumulate(map(len(newline).__add__, map(len, lines)))]
    lines.append(last)
    pieces: list[tuple[str, int, int]] = []
    for number in [number for number, size in enumerate(sizes) if size == width]:
        # A full line and the one behind it, which may be full itself.
        for joined in (number, number + 1)[len(pieces) > 0 :]:
            pieces.append((lines[joined], starts[joined], starts[joined] + len(lines[joined])))
        if number + 1 == len(sizes) or sizes[number + 1] != width:
            yield Stretch(pieces)
            pieces = []


@cache
def _escapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((sign, re.compile(pattern)) for sign, pattern in _ESCAPES)


def unescaped(text: str, outer: Stretch | None = None) -> Iterator[Stretch]:
    """Yield the stretches of a text that hold escapes and signs which are not seen, without them."""
    found = [one for sign, pattern in _escapes() if sign in text for one in pattern.finditer(text)]
    if not found:
        return
    pieces: list[tuple[str, int, int]] = []
    until = 0
    for escape in sorted(found, key=re.Match.start):
        at, end = escape.span()
        while text[at - 1] == "\\" and at > until and text[at] in "ux\\":
            at -= 1
        if at < until:
            continue  # part of another one
        if not pieces or at - _BEFORE > until + _BEHIND:
            if pieces:
                yield Stretch([*pieces, _piece(text, until, until + _BEHIND)], outer)
            pieces, until = [], max(0, at - _BEFORE)
        pieces += (_piece(text, until, at), (_character(escape), at, end))
        until = end
    yield Stretch([*pieces, _piece(text, until, until + _BEHIND)], outer)


def _piece(text: str, start: int, end: int) -> tuple[str, int, int]:
    cut = text[start:end]
    return cut, start, start + len(cut)


def _character(escape: re.Match[str]) -> str:
    """What an escape stands for; "" for what is not seen."""
    named = escape.groupdict()
    if code := named.get("hex"):
        return chr(int(code, 16))
    if html := named.get("html"):
        from html import unescape  # here: its table of names is large, and few texts hold one

        return unescape(f"&{html};")
    return ""


# What a redacted secret was replaced by; see `clew.secrets.redact`. Such text is never a secret.
PLACEHOLDER_OPEN = "[redacted:"


class Finding(NamedTuple):
    """A secret at `text[start:end]`, without the name, quotes or header around it."""

    rule: str
    start: int
    end: int


@cache
def _prefilter() -> Prefilter:
    keywords: dict[str, tuple[int, ...]] = dict.fromkeys(READERS, ())
    for number, rule in enumerate(rules()):
        for keyword in rule.keywords:
            keywords[keyword] = (*keywords.get(keyword, ()), number)
    return Prefilter(keywords)


@cache
def _exact() -> Exact:
    literals: dict[str, tuple[int, ...]] = {}
    for number, rule in enumerate(rules()):
        for literal in rule.literals:
            literals[literal] = (*literals.get(literal, ()), number)
    return Exact(literals)


@cache
def _foreign() -> Exact:
    return Exact(dict.fromkeys(FOREIGN, ()))


@cache
def _names() -> ahocorasick.Automaton:
    """Return the names of the rules that have names, each with the numbers of its rules."""
    numbers: dict[str, tuple[int, ...]] = {}
    for number, rule in enumerate(rules()):
        for name in rule.names:
            numbers[name] = (*numbers.get(name, ()), number)
    automaton = ahocorasick.Automaton()
    for name, users in numbers.items():
        automaton.add_word(name, users)
    automaton.make_automaton()
    return automaton


def find_at(rule: SecretRule, text: str, at: int) -> Span | None:
    """Return the span of the secret that a rule with keywords sees at this one, or None."""
    if at < rule.lead:
        return None
    match = compiled(rule.pattern).match(text, at - rule.lead)
    if match is None:
        return None
    span = match.span(rule.secret_group) if rule.locate is None else rule.locate(match, *_scan_for(rule))
    return span if span and _is_good(rule, text[span[0] : span[1]]) else None


def find_named(rule: SecretRule, text: str, value: Value) -> Span | None:
    """Return the span of the value if a rule, one of whose names it has, takes it for a secret."""
    content = text[value.start : value.end]
    if not compiled(rule.pattern).fullmatch(content) or not _is_good(rule, content):
        return None
    # What only stands near a vendor's name is not for that rule: the generic ones ask whether it stands out.
    plain = value.sign != "near" and not is_wordy(content)
    accepted = plain if rule.judge is None else rule.judge(value, content, *_scan_for(rule))
    return (value.start, value.end) if accepted else None


def _scan_for(rule: SecretRule) -> tuple[HoldsSecret, ...]:
    return (holds_secret,) if rule.unwraps else ()


def holds_secret(text: str) -> bool:
    """Whether a scan of the text finds something."""
    return bool(text) and bool(scan(text))


def _is_itself(value: Value) -> bool:
    """Tell a secret from something about it. An access key id is half of a pair and counts as one."""
    return not is_about(value.about) or value.name.endswith("accesskeyid")


def _is_good(rule: SecretRule, content: str) -> bool:
    if not content or is_masked(content) or PLACEHOLDER_OPEN in content:
        return False
    return not rule.entropy_min or entropy(content) >= rule.entropy_min


def named_values(text: str, places: Iterable[tuple[int, str]]) -> Iterator[Value]:
    """Yield the values of a text that have a telling name, each once. `places`: where a keyword of `READERS` stands."""
    seen: set[tuple[int, str]] = set()
    for at, keyword in places:
        for value in (READERS.get(keyword) or FOREIGN[keyword])(text, at, keyword):
            # `client_secret_key = …` draws attention twice; both times the whole name is read.
            if (value.start, value.sign) not in seen and _is_itself(value):
                seen.add((value.start, value.sign))
                yield value


def scan(text: str) -> list[Finding]:
    """Return the secrets of a text, sorted and disjoint.

    Findings that overlap become one, named by the rule of the longest; of equally long ones by the
    rule that knows more (a vendor's before a generic one). The time is proportional to the length of the text.
    """
    candidates = _candidates(text)
    for stretch in stretches(text):
        for start, minus_end, generic, number in _candidates(stretch.text):
            first, last = stretch.place(start, -minus_end)
            candidates.append((first, -last, generic, number))
    return _disjoint(candidates) if candidates else []


Candidate = tuple[int, int, bool, int]
"""(start, -end, generic, rule number): sorted, what comes first has the text."""


def _candidates(text: str) -> list[Candidate]:
    """What the rules take for secrets, in no order."""
    catalogue = rules()
    candidates: list[Candidate] = []
    places: list[tuple[int, str]] = []
    for at, keyword, numbers in _prefilter().hits(text):
        if keyword in READERS:
            places.append((at, keyword))
        for number in numbers:
            if span := find_at(catalogue[number], text, at):
                candidates.append((span[0], -span[1], catalogue[number].generic, number))
    for at, _literal, numbers in _exact().hits(text):
        for number in numbers:
            if span := find_at(catalogue[number], text, at):
                candidates.append((span[0], -span[1], catalogue[number].generic, number))
    if not text.isascii():
        places += ((at, word) for at, word, _ in _foreign().hits(text))
    for value in named_values(text, places):
        for number in {n for _, numbers in _names().iter(value.name) for n in numbers}:
            if span := find_named(catalogue[number], text, value):
                candidates.append((span[0], -span[1], catalogue[number].generic, number))
    return candidates


def _disjoint(candidates: list[Candidate]) -> list[Finding]:
    """Join the candidates that overlap.

    The whole of them is covered, since a piece of one secret left beside another is still a leak.
    """
    joined: list[Finding] = []
    longest = 0
    for start, minus_end, _generic, number in sorted(candidates):
        end, rule = -minus_end, rules()[number].id
        # Sorted by start, so only the last one can overlap.
        if not joined or start >= joined[-1].end:
            joined.append(Finding(rule, start, end))
            longest = end - start
            continue
        last = joined[-1]
        if end - start > longest:
            longest = end - start
            last = last._replace(rule=rule)
        joined[-1] = last._replace(end=max(end, last.end))
    return joined
