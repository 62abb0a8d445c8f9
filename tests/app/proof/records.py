"""Facts of a session told by the builders, without a file of it."""

from __future__ import annotations

from collections.abc import Sequence

from clew.app.proof.facts import RecordFacts
from clew.app.proof.gather import Looking, facts_in
from clew.core.records.transcript import Record
from clew.core.state.draft import Claim
from clew.distill.session import build


def facts_in_records(records: Sequence[Record], claims: Sequence[Claim], *, client: str, root: str = "") -> RecordFacts:
    """What `clew.app.proof.gather.facts_of` makes of a file with these records."""
    looking = Looking(claims, str)
    for record in records:
        looking.take(record)
    return facts_in(build(records, client=client, root=root), looking)
