"""The boundary: what was made safe is not looked at again, and a later redaction reaches what is remembered."""

from __future__ import annotations

from clew.app.project.redaction import LedgerRedaction
from clew.app.project.session import Speaker
from clew.app.project.tombstones import PLACEHOLDER, hashes_of
from clew.ledger.memory import MemoryLedger
from tests.app.projects import session_over

PROJECT = "01KANQ0000000000000000PRJ0"
KEY = b"k" * 32
WORDS = "the door code is tall blue heron"


def test_what_was_made_safe_is_not_looked_at_again() -> None:
    """A note passes four hands between the prompt and the ledger, and looking for secrets is the dearest step."""
    looked: list[str] = []

    def rules(text: str) -> str:
        looked.append(text)
        return text.replace("hunter2", "[R]")

    redact = LedgerRedaction(MemoryLedger(PROJECT, key=KEY), rules)
    safe = redact("Use hunter2")
    assert ["Use [R]", "Use [R]"] == [safe, redact(safe)]
    assert "Use [R] and [R]" == redact("Use [R] and hunter2"), "only the very text is remembered"
    assert ["Use hunter2", "Use [R] and hunter2"] == looked


def test_what_is_remembered_obeys_a_later_redaction() -> None:
    """A program that holds a project open for hours would go on writing what a person took out."""
    ledger = MemoryLedger(PROJECT, key=KEY)
    redact = LedgerRedaction(ledger, str)
    assert [WORDS, WORDS] == [redact(WORDS), redact(WORDS)]
    person = session_over(ledger, by=Speaker("mira", "human", "", "", ""))
    gone = person.event("item.redacted", {"item": "D-0000000000000000"}, task="")
    ledger.append([gone._replace(data={**gone.data, "hashes": hashes_of(KEY, ["tall blue heron"])})])
    assert redact.look_again()
    assert f"the door code is {PLACEHOLDER}" == redact(WORDS)
