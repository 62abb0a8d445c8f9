"""Whether what checks the work was made weaker in a change: tests before and after, and how checks are run. Pure: files
before and after go in, findings come out.

What cannot be determined (a language that is not read, an expected value that changed with the code) is said, and is no
finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from clew.core.text.cleaning import one_line
from clew.core.validation.changes import FileChange, WeakenedCheck, is_collected, is_test, language
from clew.core.validation.check_lines import weakened_runs
from clew.core.validation.suites import Tested, tests_in

_EXACT: Final = re.compile(
    r"(?<![<>!=])==(?!=)|===|!==?|\bassert(?:Equals?|Is|ListEqual|DictEqual|TupleEqual|SetEqual|"
    r"CountEqual|MultiLineEqual|NotEqual|Same|"
    r"ArrayEquals|Throws|JsonEqual)\b|\bto(?:Be|Equal|StrictEqual|HaveLength|HaveBeenCalledWith|"
    r"HaveBeenCalledTimes|HaveBeenNthCalledWith|"
    r"MatchInlineSnapshot|MatchObject|ThrowError|Throw)\(|"
    r"\b(?:not)?(?:[dD]eep)?(?:[sS]trict)?[eE]qual\(|\bassert_(?:eq|ne)!|"
    r"\bassert_(?:called_once_with|called_with|has_calls)\b|\b(?:assert|require)\.(?:Equal|"
    r"EqualValues|ElementsMatch|JSONEq|Len)\(|"
    r"\bpytest\.raises\(|\bassertRaises\w*\(| is (?!not None|None\b)| is None\b|\btoBeNull\(|"
    r"\btoBeUndefined\(|\bassertIsNone\(|\bassertNull\("
)
_KIND: Final = re.compile(
    r" (?:not )?in |<=?|>=?|\bassert(?:In|NotIn|Regex|Greater|Less|AlmostEqual|AlmostEquals|Contains|"
    r"That)\w*\(|\bapprox\(|\bisclose\(|"
    r"\bto(?:Contain|Match|BeCloseTo|BeGreaterThan|BeLessThan|HaveProperty|HaveBeenCalled|"
    r"MatchSnapshot)\w*\(|\bstartswith\(|\bendswith\(|"
    r"\b(?:assert|require)\.(?:Contains|InDelta|Greater|Less|Regexp|ErrorContains|ErrorIs)\w*\(|"
    r"\bmatches!|\.contains\(|\bre\.\w+\(|"
    r"\ball\(|\bany\(|\bassert_called_once\b|\bexpect\.objectContaining|\bmatch\("
)
_ANYTHING: Final = re.compile(
    r"\bis not None\b|!==? (?:undefined|null|nil)\b|\bisinstance\(|\bcallable\(|\bhasattr\(|"
    r"\btoBe(?:Truthy|Falsy|Defined|InstanceOf)\(|\bassert(?:True|False|IsNotNone|NotNull|"
    r"IsInstance)\(|\b(?:assert|require)\.(?:NotNil|NoError|True|"
    r"NotEmpty)\(|\bnot\.toThrow\(|\bassert_called\b|\blen\([^)]*\) *>= *0"
)
_BROAD: Final = re.compile(
    r"\bexpect\.any(?:thing)?\(|\bmock\.ANY\b|\bANY\b|(?:raises|assertRaises\w*)\(\s*(?:Base)?Exception\s*[,)]|toThrow\(\)"
)


def strength(assertion: str) -> int:
    """What an assertion asks, by its words: 3 one value, 2 a kind of value, 1 that there is one."""
    bare = _unquoted(assertion)
    if _BROAD.search(assertion):
        return 1
    if _ANYTHING.search(assertion) and not re.search(r"assertTrue\(.+(?:==| in )|is not None and ", assertion):
        return 1
    if re.search(r"\bapprox\(|assertAlmostEqual|toBeCloseTo|isclose\(", assertion):
        return 2
    return 3 if _EXACT.search(bare) else 2 if _KIND.search(bare) else 1


def _unquoted(text: str) -> str:
    """Without what stands in quotes: a message may say anything."""
    return re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", "''", text)


_ALIKE: Final = 0.6
_COMPARED_CHARS: Final = 1500
_PAIRS_MAX: Final = 900
_NAME: Final = re.compile(r"[A-Za-z_]\w{2,}")
_DEFINED: Final = re.compile(
    r"(?m)^[ \t]*(?:export |pub(?:\(\w+\))? |public |private |protected |static |async |default |final |abstract )*"
    r"(?:def|class|func(?: \([^)]*\))?|fn|function\*?|struct|enum|interface|trait|type|const|let|var|"
    r"[\w<>\[\]]+(?= \w+\())\s+(\w+)"
)
_LITERAL: Final = re.compile(
    r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|\b\d[\d_.]*\b|\bTrue\b|\bFalse\b|\bNone\b|\btrue\b|\bfalse\b|\bnull\b|\bnil\b"
)

_ASKING_WORDS: Final = frozenset(
    "undefined null nil ok strictEqual equal deepEqual range sum max min abs round set sorted tuple "
    "type assert expect not None True False isinstance len str int list dict object bool callable "
    "hasattr self assertTrue assertIsNotNone "
    "assertIsInstance assertIn toBeTruthy toBeDefined toBe toEqual resolves rejects await approx "
    "pytest raises Exception any all".split()
)


class _Placed(NamedTuple):
    path: str
    test: Tested


class Weakened(NamedTuple):
    """`findings` by file and line; `untold` are sentences on what was not judged, without their full stop."""

    findings: tuple[WeakenedCheck, ...]
    untold: tuple[str, ...]


_CHARS_MAX: Final = 400_000
_UNREAD: Final = frozenset("rb php cs java kt swift ex exs clj scala dart c cc cpp lua hs".split())
# By these a test runs in some place at least.
_CONDITIONAL: Final = re.compile(r"should_panic|skipif|skipIf|skipUnless|importorskip|only one that runs")


def weakened(changes: Sequence[FileChange]) -> Weakened:
    """What of this change has the checks of a project ask less."""
    small = [one for one in changes if max(len(one.before or ""), len(one.after or "")) <= _CHARS_MAX]
    untold: list[str] = []
    before: list[_Placed] = []
    after: list[_Placed] = []
    for change in small:
        old, new = _tests(change.path, change.before), _tests(change.path, change.after)
        if old is None or new is None:
            said = f"{change.path} cannot be read as {language(change.path)}, so its tests were not compared"
            untold += [said] if is_test(change.path) else []
            continue
        if change.before is not None and is_test(change.path) and change.path.rpartition(".")[2].lower() in _UNREAD:
            untold.append(f"{change.path} is in a language that clew does not read, so its tests were not compared")
        before += [_Placed(change.was or change.path, one) for one in old]
        after += [_Placed(change.path, one) for one in new]
    renamed = {change.was: change.path for change in small if change.was}
    pairs, gone, fresh = _paired(before, after, renamed)
    lost = _names_lost(small)
    findings = {*_deleted(gone, fresh, small, lost), *weakened_runs(small)}
    has_code = any(not is_test(one.path) and language(one.path) for one in small)
    for old_test, new_test in pairs:
        findings.update(_weaker(old_test, new_test, untold, lost, source_changed=has_code))
    for path, test in fresh:
        if test.skipped and not _CONDITIONAL.search(test.skipped):
            what = f"the new test {test.name} does not run ({test.skipped})"
            findings.add(WeakenedCheck("skipped", path, test.line, what))
    untold += [f"{one.path} is too large to be compared" for one in changes if one not in small]
    return Weakened(tuple(sorted(findings, key=lambda one: one[1:])), tuple(dict.fromkeys(untold)))


def _tests(path: str, text: str | None) -> list[Tested] | None:
    """The tests in a file; None where it cannot be read."""
    return tests_in(text, language(path)) if text is not None and language(path) else []


def _paired(
    before: Sequence[_Placed], after: Sequence[_Placed], renamed: dict[str, str]
) -> tuple[list[tuple[_Placed, _Placed]], list[_Placed], list[_Placed]]:
    """Each test with what became of it: by file and name, by name alone, by what it says. And what is left of both."""
    pairs: list[tuple[_Placed, _Placed]] = []
    left_after = list(after)
    left = list(before)

    def match(same: Callable[[_Placed, _Placed], bool], *, once: bool) -> None:
        nonlocal left
        rest: list[_Placed] = []
        for old in left:
            found = [new for new in left_after if same(old, new)]
            if found and (not once or len(found) == 1):
                pairs.append((old, found[0]))
                left_after.remove(found[0])
            else:
                rest.append(old)
        left = rest

    match(lambda old, new: renamed.get(old.path, old.path) == new.path and old.test.name == new.test.name, once=False)
    match(lambda old, new: _bare(old) == _bare(new), once=True)
    if len(left) * len(left_after) <= _PAIRS_MAX:
        match(lambda old, new: language(old.path) == language(new.path) and _is_like(old.test, new.test), once=False)
    return pairs, left, left_after


def _bare(one: _Placed) -> tuple[str, str]:
    return language(one.path), one.test.name.rpartition("::")[2]


def _is_like(one: Tested, other: Tested) -> bool:
    first, second = (one_line(test.body)[:_COMPARED_CHARS] for test in (one, other))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.real_quick_ratio() > _ALIKE and matcher.quick_ratio() > _ALIKE and matcher.ratio() > _ALIKE


def _deleted(
    gone: Sequence[_Placed], fresh: Sequence[_Placed], changes: Sequence[FileChange], lost: set[str]
) -> Iterator[WeakenedCheck]:
    """Tests that are gone, where neither what they test went with them nor others took their place."""
    dropped = {_stem(change.path) for change in changes if change.after is None and not is_test(change.path)}
    for path in dict.fromkeys(one.path for one in gone):
        own = [one.test for one in gone if one.path == path and not lost.intersection(_NAME.findall(one.test.body))]
        here = next((change for change in changes if (change.was or change.path) == path), None)
        place = here.path if here else path
        new = [one.test for one in fresh if one.path == place or here is None or here.after is None]
        asked = sum(max(1, len(test.asserts)) for test in own)
        if not own or _stem(path) in dropped or sum(len(test.asserts) for test in new if not test.skipped) >= asked:
            continue
        names = own[0].name if len(own) == 1 else f"{len(own)} tests ({own[0].name} …)"
        what = f"deleted, or hidden from the runner: {names}; what is tested is still there"
        yield WeakenedCheck("deleted", place, 0, what)


def _stem(path: str) -> str:
    """A file's name without what makes it a test."""
    name = path.rpartition("/")[2].partition(".")[0]
    return name.removeprefix("test_").removesuffix("_test").removesuffix("Test")


def _names_lost(changes: Sequence[FileChange]) -> set[str]:
    """Names that were defined outside the tests, and are defined nowhere any more."""
    old: set[str] = set()
    new: set[str] = set()
    for change in changes:
        if not is_test(change.path):
            old.update(_DEFINED.findall(change.before or ""))
            new.update(_DEFINED.findall(change.after or ""))
            if change.after is None:
                old.add(re.sub(r"\.\w+$", "", change.path.rpartition("/")[2]))
    return {name for name in old - new if len(name) > 2}


def _weaker(
    old: _Placed, new: _Placed, untold: list[str], lost: set[str], *, source_changed: bool
) -> Iterator[WeakenedCheck]:
    """What one test asks less than before."""
    path, test = new
    if is_collected(old.path) and not is_collected(path) and is_test(path):
        what = f"{test.name} stands in a file that no runner takes for one of tests"
        yield WeakenedCheck("deleted", path, test.line, what)
        return
    if test.skipped and not old.test.skipped:
        what = f"{test.name} does not run any more, or may fail ({test.skipped})"
        yield WeakenedCheck("skipped", path, test.line, what)
        return
    if one_line(old.test.body) == one_line(test.body):
        return
    before, now = Counter(old.test.asserts), Counter(test.asserts)
    removed, added = list((before - now).elements()), list((now - before).elements())
    if removed and not added and not _is_folded(old.test, test):
        if not lost.intersection(_NAME.findall(" ".join(removed))):
            what = f"{test.name} asserts {len(test.asserts)} times, {len(old.test.asserts)} before"
            if one_line(removed[0]) in one_line(test.body):
                what += "; what is never come to, or cannot fail the test, does not count"
            yield WeakenedCheck("loosened", path, test.line, what)
        return
    for one in removed:
        other = max(added, key=lambda made: SequenceMatcher(None, one, made, autojunk=False).ratio(), default="")
        if not other:
            break
        added.remove(other)
        is_same_but_value = _LITERAL.sub("?", one) == _LITERAL.sub("?", other)
        if strength(other) < strength(one) and _is_same_subject(one, other):
            what = f"{test.name} asks less: `{_short(other)}` in the place of `{_short(one)}`"
            yield WeakenedCheck("loosened", path, test.line, what)
        elif is_same_but_value and source_changed:
            what = f"{path}: {test.name} expects another value now (`{_short(other)}`)"
            untold.append(f"{what}; whether that is right, nobody can tell by rule")
        elif is_same_but_value:
            what = f"expects another value (`{_short(other)}`, `{_short(one)}` before), and no code was changed"
            yield WeakenedCheck("loosened", path, test.line, f"{test.name} {what}")


def _is_folded(old: Tested, new: Tested) -> bool:
    """Whether fewer assertions ask the same: in a loop, in a parametrized test, or two in one with `and`."""
    wide = re.search(r"\bfor\b|\ball\(|parametri[sz]e|\.each\b|\bmap\(", new.body) and not re.search(
        r"\bfor\b|\ball\(|parametri[sz]e|\.each\b", old.body
    )
    joined = sum(one.count(" and ") + one.count("&&") + one.count(" == ") for one in new.asserts)
    before = sum(one.count(" and ") + one.count("&&") + one.count(" == ") for one in old.asserts)
    literal = (
        sum(map(len, new.asserts)) >= 0.9 * sum(map(len, old.asserts))
        and max(map(strength, new.asserts), default=0) >= 3
    )
    return bool(wide and new.asserts) or (joined >= before and bool(new.asserts) and literal)


def _is_same_subject(one: str, other: str) -> bool:
    """Whether what `other` asks about is what `one` asked about: its names are there."""
    names, asked = set(_NAME.findall(_LITERAL.sub("", other))), set(_NAME.findall(_LITERAL.sub("", one)))
    names -= _ASKING_WORDS
    return bool(names) and len(names & asked) >= 0.8 * len(names)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else f"{text[:69]}…"
