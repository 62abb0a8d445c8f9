"""What is kept of a record: of commands that outlive their answers, no more than of others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.records.transcript import Call, Poll, Record, Result, Run, Running
from clew.sessions.redaction import RecordRedactor, excerpt
from tests.app.worlds import private_key

BEGINS, ENDS = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"


def kept(command: str, *printed: str, named: str = "7") -> list[str]:
    """What is kept of what a command printed: at first, at each look, and at the last one, which ends it. Answers to
    looks call the command `named`.
    """
    safe = RecordRedactor(lambda text: text)
    records: list[Record] = [
        Call(0, "", "", "a", "exec_command", Run(command)),
        Running(0, "", "", "a", "7", printed[0]),
    ]
    for number, text in enumerate(printed[1:-1]):
        records += [
            Call(0, "", "", f"b{number}", "write_stdin", Poll("7")),
            Running(0, "", "", f"b{number}", named, text),
        ]
    records += [
        Call(0, "", "", "c", "write_stdin", Poll("7")),
        Result(0, "", "", "c", "ok", 0, printed[-1], "", (), ""),
    ]
    made = [safe.record(record) for record in records]
    return [record.text for record in made if isinstance(record, (Running, Result))]


def test_a_key_that_is_printed_in_parts_is_kept_in_none() -> None:
    """Each part is redacted alone, and the second half of a key looks like nothing."""
    told = kept("make deploy", f"deploys\n{BEGINS}\nAAAA", "BBBB", f"CCCC\n{ENDS}\ndone")
    assert told[0] == "deploys\n"
    assert told[1] == ""
    assert told[2].endswith("done") and "CCCC" not in told[2]


@pytest.mark.parametrize(("command", "is_kept"), [("make test", True), ("cat notes.txt", False)])
def test_what_only_looks_is_not_kept_in_parts_either(command: str, is_kept: bool) -> None:
    """A file that was shown is kept of no command; a look at one that goes on is no other."""
    assert all(map(bool, kept(command, "one", "two", "three"))) == is_kept
    assert any(kept(command, "one", "two", "three")) == is_kept
    assert all(map(bool, kept(command, "one", "two", "three", named=""))) == is_kept


LINE = "The answer is a long one.\n"


@given(st.text(st.sampled_from("ab \n"), max_size=400), st.integers(2, 300))
def test_an_excerpt_is_head_and_tail_and_no_more_than_asked(text: str, chars: int) -> None:
    """What was never said must not be quoted, and half a word may be half a token."""
    short = excerpt(text, chars)
    if len(text) <= chars:
        assert text == short
        return
    head, _, tail = short.partition("…")
    assert len(head) + len(tail) <= chars + 2
    assert text.startswith(head.removesuffix("\n"))
    assert text.endswith(tail.removeprefix("\n"))
    assert tail == "\n" or text[-len(tail)] in " \n"


def test_the_tail_begins_behind_an_empty_line_if_there_is_one() -> None:
    """A name and its value can be two lines."""
    text = LINE * 100 + "password:\n  hunter\n\nDone.\n" + LINE * 3
    at = len(text) - text.index("  hunter")
    assert "…\nDone.\n" in excerpt(text, 2 * at)


@pytest.mark.parametrize("kept", range(40, 1700, 240))
@pytest.mark.parametrize("blank", [False, True])
def test_the_tail_never_begins_inside_a_private_key(kept: int, blank: bool) -> None:
    """Its lines without its header are base64 like any other. An armoured key has an empty line of its own."""
    key = private_key()
    if blank:
        key = key.replace("-----\n", "-----\nComment: made\n\n", 1)
    behind = LINE * 80
    text = LINE * 400 + key + "\n" + behind
    assert excerpt(text, 2 * (len(behind) + kept)).partition("…")[2] == "\n" + behind
