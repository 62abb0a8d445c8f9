"""What is kept of a record: of commands that outlive their answers, no more than of others."""

from __future__ import annotations

import pytest

from clew.core.records.transcript import Call, Poll, Record, Result, Run, Running
from clew.sessions.redaction import RecordRedactor

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
