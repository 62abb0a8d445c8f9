"""Proof: a draft's claims against the session's record and the disk.

    judged = judge(ports, text=draft, transcript=path, reader=reader, root=top)
    [one for one in judged if one.stands]       # what may get into a payload
    [one for one in judged if not one.stands]   # what the agent is told: `claim.text`, `verdict`, `reason`

An anchored claim whose reason begins with `IN_DOUBT` stands, but not as it was told: its quotation lost its marks, its
check ran with other operands. The agent should hear of it.

`judge` reads the session once and asks git a few questions; it runs nothing and reaches no network. `prove` is the pure
part, for callers that have the facts: `facts_of` and `disk_facts` gather them. Without a transcript only the disk is
known, and what it does not tell is anchored with the reason "no record to check against".

The draft may stand in the record itself (the call that hands it in, a reply): its own words prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from clew.app.proof.facts import DiskFacts, RecordFacts
from clew.app.proof.gather import disk_facts, facts_in_records, facts_of
from clew.app.proof.prove import IN_DOUBT, prove
from clew.core.state.draft import Judged
from clew.core.text.cleaning import clean
from clew.documents.draft import claims_in

if TYPE_CHECKING:
    from clew.app.ports import Ports
    from clew.clients.port import Reader

__all__ = ["IN_DOUBT", "DiskFacts", "RecordFacts", "disk_facts", "facts_in_records", "facts_of", "judge", "prove"]


def judge(
    ports: Ports,
    *,
    text: str,
    transcript: Path | None,
    reader: Reader | None,
    root: Path,
    also: Iterable[str] = (),
) -> tuple[Judged, ...]:
    """The claims of the draft `text`, in its order, each with its verdict; () for a text without any.

    `transcript` is the session's file (an address that `reader` opens); None, or no reader: the record is not known.
    `root` is the top of the project. `also` are texts that the session was given and no record holds (a payload at its
    start): what they say is anchored. The text is cleaned and redacted first, as the record is, so that placeholders
    agree. Raises `OSError` if the transcript cannot be read.
    """
    claims = claims_in(ports.redact(clean(text)))
    if not claims:
        return ()
    disk = disk_facts(root, claims, environment=ports.environment)
    if transcript is None or reader is None:
        return prove(claims, RecordFacts(), disk)
    record = facts_of(
        transcript, reader, claims, redact=ports.redact, root_of=lambda folder: _top(folder, root), also=also
    )
    return prove(claims, record, disk)


def _top(folder: str, root: Path) -> str:
    """What paths are shown relative to: the project, if the session ran in it, else where it ran."""
    from clew.workspace import repository

    if Path(folder) == root or root in Path(folder).parents:
        return str(root)
    found = repository.find(Path(folder))
    return str(found.top) if found is not None else folder
