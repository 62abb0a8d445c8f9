"""A draft's text taken apart: whichever style an agent writes in, each entry is a claim of the kind it stands under."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.draft import Claim
from clew.core.text.tokens import estimate
from clew.documents.draft import REQUEST, claims_in

_HEADED = """\
# Hand-off: retries

## Goal
"Add retries to the http client" — done but for the docs.

## Decisions
- **Backoff with jitter** — the server limits the rate — rejected: a fixed delay — mine.
- Keep the sync API because the CLI uses it — the user's
   - `Client.get` stays as it is

## Failed
1. `pytest -x` → "No module named 'httpx'" — missing extra — `pip install -e .[http]` works

## Constraints
- "no new dependencies"

## Open / don't forget
- Deferred: the async client
- Should retries be logged?
- Risk: the tests are slow
- the fixture server is started twice

## Next
Write `docs/retry.md`.

## State
- Committed 1a2b3c4 "Add retries", pushed
- Uncommitted: README.md

## Checks
| command | result | when |
| --- | --- | --- |
| `pytest` | 71 passed | after the last edit |
| mypy | 2 errors | before the last edit |

## Weather
- it is cold
"""
_LABELLED = """\
Goal: "Add retries to the http client" — done but for the docs.

**Decisions:**
* Backoff with jitter — the server limits the rate — rejected: a fixed delay — mine.
* Keep the sync API because the CLI uses it — the user's
Failed:
- `pytest -x` → "No module named 'httpx'" — missing extra
__Constraints__
- "no new dependencies"
Next: Write `docs/retry.md`.
**Checks**
- ✓ `pytest`: 71 passed
- ✗ mypy, before the last edit
"""
_NESTED = """\
- **Goal:** add retries
- **Decisions**
  - backoff with jitter
  - keep the sync API
- **Next:** write docs/retry.md
- **Checks:**
    1. `pytest` passes
    2. lint was not run
"""


def told(text: str) -> list[tuple[str, str]]:
    return [(claim.kind, claim.text) for claim in claims_in(text)]


def only(text: str) -> Claim:
    (claim,) = claims_in(text)
    return claim


def test_headings_tell_the_kind() -> None:
    """A decision read as a goal would stand in the wrong place of every payload."""
    kinds = [kind for kind, _ in told(_HEADED)]
    assert kinds == [
        *("goal", "decision", "decision", "failed", "constraint", "deferral", "question", "risk", "reminder", "next"),
        *("step", "step", "validation", "validation", "finding"),
    ]
    assert claims_in(_HEADED)[-1].label == "Weather"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (_LABELLED, "goal decision decision failed constraint next validation validation"),
        (_NESTED, "goal decision decision next validation validation"),
        ("Goal\n====\nship it\n\nNext\n----\n1) tag it", "goal next"),
        (
            "## What failed\n- a\n## User's constraints (verbatim)\n- b\n## 6. Next action\n- c",
            "failed constraint next",
        ),
        ("## Decisions\n### Parser\n- use a table\n## 🎯 Goal\nx y", "decision goal"),
        ("just a paragraph\nover two lines", "finding"),
    ],
)
def test_other_styles_read_the_same(text: str, kinds: str) -> None:
    """Agents write as they like: a style that is not read would lose a whole section."""
    assert [kind for kind, _ in told(text)] == kinds.split()


def test_a_reason_stands_behind_the_dash() -> None:
    """What was decided is the text, why is the reason: a payload cuts them apart."""
    first, second = [claim for claim in claims_in(_HEADED) if claim.kind == "decision"]
    assert (first.text, first.why) == (
        "Backoff with jitter",
        "the server limits the rate — rejected: a fixed delay — mine.",
    )
    assert second.text == "Keep the sync API"
    assert second.why == "because the CLI uses it — the user's; `Client.get` stays as it is"


@pytest.mark.parametrize(
    "entry", ["`a — b` stays", '"first — second" is what it prints', "“a — b”", "log-level stays", "x - y"]
)
def test_a_dash_within_words_parts_nothing(entry: str) -> None:
    """A quotation cut in two is no quotation, and code that is cut is none."""
    assert only(f"## Decisions\n- {entry}").text == entry


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ("`make test`: 71 passed, after the last edit", "passed"),
        ("`make test`: 71 passed, 0 failed", "passed"),
        ("pytest green — before the last edit", "passed, before the last edit"),
        ("70 passed, 1 failed", "failed"),
        ("it never passed", "failed"),
        ("does not pass yet", "failed"),
        ("no warnings, not flaky, passes", "passed"),
        ("mypy: no errors", "passed"),
        ("mypy: 3 errors", "failed"),
        ("integration tests were not run", "not run"),
        ("e2e untested", "not run"),
        ("✓ ruff", "passed"),
        ("[x] build", "passed"),
        ("see the CI page", ""),
    ],
)
def test_how_a_check_went(entry: str, status: str) -> None:
    """A failed check that reads as passed is the worst that a hand-off can say."""
    assert only(f"## Checks\n- {entry}").status == status


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ("Committed as 1a2b3c4", "committed"),
        ("pushed to origin/main", "pushed"),
        ("committed, not pushed", "committed"),
        ("Uncommitted: a.py", "uncommitted"),
        ("nothing uncommitted", "committed"),
        ("not committed yet: a.py", "uncommitted"),
        ("a.py committed, b.py uncommitted", ""),
        ("docs: not started", "pending"),
        ("parser done", "done"),
    ],
)
def test_how_work_stands(entry: str, status: str) -> None:
    """Uncommitted work that reads as committed is lost with the work tree."""
    assert only(f"## State\n- {entry}").status == status


@pytest.mark.parametrize(
    ("text", "of_user"),
    [
        ("## Constraints\n- “no new dependencies”", True),
        ("## Constraints\n- stdlib only", False),
        ("## Decisions\n- Postgres — the user decided", True),
        ("## Decisions\n- Postgres — it is there — the user's", True),
        ("## Decisions\n- Postgres (user)\n", True),
        ("## Decisions\n- Postgres — mine, not the user's", False),
        ("## Decisions\n- the user table gets an index", False),
        ("## Decisions\n- per the user, no index", True),
    ],
)
def test_what_is_told_as_the_users(text: str, of_user: bool) -> None:
    """What is told as the user's needs a prompt for its proof, and nobody else's does."""
    assert only(text).of_user is of_user


def test_paths_are_named_without_lines() -> None:
    """Drift of a file is told by its path; versions and alternatives are none."""
    claim = only("## Next\n- Fix src/a.py:42 and `docs/b.md`, and/or 3.11, e.g. https://x.example/c.py, not os.path")
    assert claim.files == ("src/a.py", "docs/b.md")


def test_marks_of_emphasis_go_and_names_stay() -> None:
    """`__init__` without its marks would be another name."""
    entry = "**Use** `**kwargs` and __init__ of *every* a_b_c, 2 * 3 * 4"
    assert only(f"## Decisions\n- {entry}").text == "Use `**kwargs` and __init__ of every a_b_c, 2 * 3 * 4"


def test_a_document_of_our_own_reads_too() -> None:
    """An agent may hand in what it was given, edited: our ids, boxes and delimiters are no claims."""
    entry = "- (verify first) use a table — faster [D-7k2qab]"
    claim = only(f"<clew-data 1a2b3c>\n## Decisions and why\n{entry}\n</clew-data 1a2b3c>")
    assert (claim.kind, claim.text, claim.why) == ("decision", "use a table", "faster")


def test_sections_that_say_nothing_give_nothing() -> None:
    """ "None" is no dead end."""
    assert told("## Failed\n- None.\n## Open\nn/a\n## Next\n-\n") == []


def test_fences_are_text_of_their_entry() -> None:
    """Headings and bullets within code are none."""
    assert told("## Failed\n- it prints\n```\n# boom\n- x\n```\n- other") == [
        ("failed", "it prints # boom - x"),
        ("failed", "other"),
    ]


def test_every_claim_tells_its_line() -> None:
    """The agent is told which line is wrong."""
    rows = _HEADED.split("\n")
    for claim in claims_in(_HEADED):
        if claim.kind != "validation":
            assert claim.text.split()[0].strip('"') in rows[claim.line - 1]


def test_evidence_in_brackets_is_taken_out_of_what_is_said() -> None:
    """Given entries with their proof behind them, what it names is known, and its outcome by words alone."""
    rows = """## State
- Retry is capped — asked for [commit 4fe21aa, 1a2b3c4] [file ./src/retry.py] [file `docs/a b.md`]
## Checks
- [check `pytest -k "ok[1]" -- --failed-first`]: 2 failed, before the last edit
- all green [run make test]
- a list [1] and [a link](https://x.test/check)
- left open [check pytest"""
    state, failed, green, plain, unclosed = claims_in(rows)
    assert state.why.startswith("asked for [commit 4fe21aa")
    assert state.files[0] == "src/retry.py"
    assert [tuple(one) for one in state.evidence][:3] == [
        ("commit", "4fe21aa"),
        ("commit", "1a2b3c4"),
        ("file", "src/retry.py"),
    ]
    assert [tuple(one) for one in failed.evidence] == [("check", 'pytest -k "ok[1]" -- --failed-first')]
    assert (failed.status, failed.why) == ("failed, before the last edit", "")
    assert (green.status, green.evidence[0].text) == ("passed", "make test")
    assert plain.evidence == unclosed.evidence == ()


def test_the_request_is_short() -> None:
    """It is said again and again: its tokens are a running cost."""
    assert estimate(REQUEST) <= 170
    headings = "\n".join(f"## {part.partition(':')[0]}\n- something here" for part in REQUEST.split("## ")[1:])
    assert [kind for kind, _ in told(headings)] == [
        *("goal", "decision", "failed", "constraint", "reminder", "next", "step", "validation")
    ]


_MARKS = st.sampled_from(
    ["#", "-", "*", "|", "`", "```", "\n", "  ", ":", "—", '"', "“", "”", "[x] ", "1.", "__", "Goal", "a"]
)


@given(st.lists(st.one_of(_MARKS, st.text(max_size=8)), max_size=60).map("".join))
def test_no_text_raises_and_claims_are_lines(text: str) -> None:
    """A draft comes from a model: whatever it writes, the tool that takes it answers."""
    for claim in claims_in(text):
        assert claim.text
        assert "\n" not in claim.text + claim.why + claim.label


_PIECES = ("- a\n", "  - b\n", '"', "`", "**a ", "a — ", "| a ", "Goal: a\n", "# ", "_a ", "(", "x/", "“", "-- ")


@pytest.mark.parametrize("piece", _PIECES)
def test_time_is_linear(piece: str) -> None:
    """A text made to be slow must not hold the tool's answer up."""

    def seconds(size: int) -> float:
        text = "## Decisions\n- " + piece * (size // len(piece))
        start = time.process_time()
        claims_in(text)
        return time.process_time() - start

    small = max(min(seconds(10_000) for _ in range(3)), 0.01)
    assert min(seconds(160_000) for _ in range(2)) < 16 * 4 * small
