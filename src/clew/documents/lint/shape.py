"""Rules about a document as a whole: its size, its sections, its lists, its date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from clew.core.tokens import estimate
from clew.documents.lint.finding import Finding, Ground, found
from clew.documents.lint.page import Page, Section, says_something
from clew.documents.lint.phrases import alternatives
from clew.documents.parse.inline import plain
from clew.documents.parse.status import marked

STALE_DAYS: Final = 30
# What counts as a word on what failed, where there is no section for it: then the rule keeps silent.
_FAILED: Final = re.compile(
    r"\b"
    + alternatives(r"""
        did(?:n['’]t| not) work | what failed | failed (?:approach|attempt) | dead[- ]ends? | do not retry |
        don['’]t retry | tried and | anti-?patterns? | abandoned | rejected (?:approach|alternative|option) |
        do(?:n['’]t| not) (?:re-?introduce|regress|try) | (?:we|i|was) tried
    """),
    re.IGNORECASE,
)
_NEXT: Final = re.compile(
    r"下一步|次の|다음|\b"
    + alternatives(r"""
        next (?:steps?|actions?|session|up|tasks?|phase|goal) | what['’]?s next | to-?do | remaining | pending |
        still to do | continue with | after that | pick up | resume (?:with|by|work|here) | your (?:task|job) | task |
        action items? | mission | what to build | open (?:items|issues)
    """)
    + r"\b",
    re.IGNORECASE,
)
_ORDERED: Final = re.compile(r"\b(?:in order|order|priority|ranked|sequence)\b|优先|優先", re.IGNORECASE)
_FIRST: Final = re.compile(r"\b(?:first|then|after|next|P[0-4]|blocked|high|low|optional)\b", re.IGNORECASE)
_PROOF: Final = re.compile(
    r"#\d+|/pull/|✓|テスト|验证|測試|测试|\b"
    + alternatives(r"""
        (?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b | PRs?\b | pass(?:ed|es|ing)?\b | test(?:s|ed|ing)?\b |
        verif |
        validat | commit | merged\b | CI\b | green\b | builds?\b | check(?:s|ed)?\b | exit(?: code)? 0\b
    """),
    re.IGNORECASE,
)
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_ANY_DATE: Final = re.compile(
    r"20\d\d[-/.年]\d\d?|\b\d\d?[./]\d\d?[./](?:20)?\d\d\b|20\d\d[01]\d[0-3]\d"
    rf"|\b{_MONTH}[ _-]?(?:\d{{1,2}}(?:st|nd|rd|th)?|20\d\d)\b|\b\d{{1,2}}\.? {_MONTH}",
    re.IGNORECASE,
)
_DATE_KEY: Final = re.compile(
    r"updated|modified|timestamp|date|generated|created|written|last_?run|as_?of", re.IGNORECASE
)


def over_budget(page: Page, ground: Ground) -> Iterator[Finding]:
    """The line at which the budget is spent."""
    tokens = estimate(page.source)
    if tokens <= ground.budget_tokens:
        return
    spent, last = 0, len(page.lines)
    for number, line in enumerate(page.lines, 1):
        spent += estimate(line + "\n")
        if spent > ground.budget_tokens:
            last = number
            break
    message = f"about {tokens:,} tokens, the budget is {ground.budget_tokens:,}: it is spent here"
    yield found("over-budget", last, page.line(last), message)


def no_failed_approaches(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """Silent where a heading, a label or a word speaks of what failed."""
    kinds = [one.kind for one in page.parsed.headings] + [one.kind for one in page.parsed.entries]
    if "failed" in kinds or _FAILED.search(page.source):
        return
    yield found("no-failed-approaches", 1, page.line(1), "nothing says what was tried and failed")


def no_next_action(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """Silent where there is a next action, an open step, or a word that leads to one."""
    entries = page.parsed.entries
    if any(one.kind == "next" or (one.kind in ("step", "phase") and one.status == "pending") for one in entries):
        return
    if any(one.kind == "next" for one in page.parsed.headings) or _NEXT.search(page.source):
        return
    yield found("no-next-action", 1, page.line(1), "nothing says what to do next")


def several_next_actions(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """The first list under a heading "next" with several open points and no order. Ours have the first one first."""
    if page.parsed.format == "clew":
        return
    for section in page.sections:
        if section.topic != "next" or section.status == "done" or _ORDERED.search(section.place.block.text):
            continue
        points = _first_list(page, section)
        if len(points) < 2 or any(page.places[at].block.number for at in points):
            continue
        texts = [plain(page.places[at].block.text) for at in points]
        is_open = [
            marked(text).status != "done" and page.places[at].block.box not in ("x", "X")
            for at, text in zip(points, texts, strict=True)
        ]
        if sum(is_open) < 2 or any(map(_FIRST.search, texts)):
            continue
        line = page.places[points[0]].block.first
        yield found(
            "several-next-actions", line, page.line(line), f"{sum(is_open)} next actions, and none is the first"
        )
        return


def _first_list(page: Page, section: Section) -> list[int]:
    """The places of the outermost points of the first list in a section, [] where something else is told before it."""
    points: list[int] = []
    for at in range(section.at, section.end):
        block = page.places[at].block
        if block.form in ("heading", "code") or page.places[at].label:
            break
        if block.form == "item" and block.level == 1:
            points.append(at)
        elif points and block.form != "item" and not page.places[at].parents:
            break
    return points


def nested_list(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """The first point of each list that is two levels below its list's top."""
    root = -1
    for at, place in enumerate(page.places):
        if place.block.form != "item":
            continue
        if place.block.level == 1:
            root = at
        elif place.block.level >= 3 and root >= 0:
            root = -1
            yield found("nested-list", place.block.first, page.line(place.block.first), "a list in a list in a list")


def empty_section(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """Headings with neither words nor another heading under them."""
    for section in page.sections:
        if any(says_something(page.places[at].block) for at in range(section.at, section.end)):
            continue
        if section.status == "done" or section.place.block.level == 1:
            continue
        line = section.place.block.first
        yield found("empty-section", line, page.line(line), f'nothing stands under "{section.title}"')


def no_date(page: Page, ground: Ground) -> Iterator[Finding]:
    """Silent where anything looks like a date, the file's name included."""
    if not page.parsed.date and not _ANY_DATE.search(page.source) and not _ANY_DATE.search(ground.path):
        yield found("no-date", 1, page.line(1), "nothing says when it was written")


def stale_date(page: Page, ground: Ground) -> Iterator[Finding]:
    """The document's newest date against today."""
    own, today = _date(page.parsed.date), _date(ground.today)
    if own is None or today is None or (today - own).days <= STALE_DAYS:
        return
    lines = [number for number, text in enumerate(page.lines, 1) if _is_dated(page, text)]
    if not lines:
        return
    line = next((number for number in lines if _DATE_KEY.search(page.line(number))), lines[0])
    message = f"its newest date is {page.parsed.date}, {(today - own).days} days ago"
    changed = _date(ground.changed)
    if changed is not None and (changed - own).days > STALE_DAYS:
        message += f", and it was changed on {ground.changed}"
    yield found("stale-date", line, page.line(line), message)


def _is_dated(page: Page, text: str) -> bool:
    """Whether the line says the document's date: no part of a name, and of data only a key that is about it."""
    if not re.search(rf"(?<![\w/-]){page.parsed.date}(?![\w-])(?!/)|(?<![\w/-]){page.parsed.date}T\d", text):
        return False
    return bool(page.places) or bool(_DATE_KEY.search(text))


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def unproved_done(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """Silent where the document names any commit, test or check at all."""
    claims = [one for one in page.parsed.entries if one.kind in ("step", "phase") and one.status == "done"]
    if not claims or _PROOF.search(page.source):
        return
    line = claims[0].lines.first
    count = f"{len(claims)} things are" if len(claims) > 1 else "one thing is"
    yield found("unproved-done", line, page.line(line), f"{count} called done, and no commit, test or check is named")


def done_but_open(page: Page, ground: Ground) -> Iterator[Finding]:  # noqa: ARG001
    """Headings called done that have open boxes in their own part, and ticked points with open ones below them."""
    for section in page.sections:
        if section.status == "done":
            rows = _own_part(page, section)
            yield from _open_boxes(page, rows, section.place.block.first, f'"{section.title}" is called done')
    for at, place in enumerate(page.places):
        if place.block.form == "item" and place.block.box in ("x", "X") and place.nested:
            rows = list(range(at + 1, place.block.end))
            yield from _open_boxes(page, rows, place.block.first, "a ticked box")


def _own_part(page: Page, section: Section) -> list[int]:
    """The places of a section, up to its first heading that has a status of its own."""
    rows = []
    for at in range(section.at, section.end):
        if page.places[at].block.form == "heading" and marked(plain(page.places[at].block.text)).status:
            break
        rows.append(at)
    return rows


def _open_boxes(page: Page, rows: list[int], line: int, what: str) -> Iterator[Finding]:
    boxes = [
        page.places[at].block
        for at in rows
        if page.places[at].block.form == "item" and page.places[at].block.box == " "
    ]
    boxes = [box for box in boxes if marked(plain(box.text)).status not in ("done", "dropped")]
    if boxes:
        count = "a box is" if len(boxes) == 1 else f"{len(boxes)} boxes are"
        yield found("done-but-open", line, page.line(line), f"{what}, and {count} open from line {boxes[0].first} on")
