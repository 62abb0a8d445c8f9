"""Keeping a draft: its claims are taken out, proved, and recorded with it in one append, so that the next session gets
what stands and the agent that wrote it hears what does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.app.draft.due import used
from clew.app.draft.newest import Draft, DraftClaim, drafts, newest, packed
from clew.app.intake.find import reader_for
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.lookup import live_state
from clew.app.project.session import ProjectSession
from clew.app.proof.gather import judge
from clew.core.errors import InputError, LedgerError
from clew.core.state.draft import KIND, LETTER, TOKENS_MAX, Claim, JudgedClaim, Source
from clew.core.state.events import Event, Value
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Kind, Provenance
from clew.core.text.cleaning import one_line, shorten
from clew.core.text.tokens import estimate
from clew.documents.draft import claims_in

if TYPE_CHECKING:
    from clew.clients.port import Transcript
    from clew.sessions.capture import Gathered

# To write a text again costs as much as the first time, and nobody counts tokens as we do: so much more is let pass.
REFUSED_FROM: Final = TOKENS_MAX * 4 // 3
_HINT_LONG: Final = (
    "Nothing was saved. Leave out what code and history show, and send it again; see the request: "
    "`clew draft --request`."
)
# What tools prove, if they prove it: what was done, and with which outcome.
_TOOLS_PROVE: Final[frozenset[Kind]] = frozenset(("validation", "step", "file"))


_CLAIM_CHARS: Final = 90
_AGAIN: Final = "Send the whole draft again, corrected: it takes this one's place. Rejected entries are in no payload."


class DraftInput(NamedTuple):
    """A draft as somebody hands it in. `session`: whose it is. `client` and `model` wrote it, "" unknown; `prompt` is
    the mark of what it was asked with, "" for one that nobody headless was asked for; `said_at` is the moment that it
    tells of, "" now.
    """

    text: str
    source: Source
    session: str
    client: str = ""
    model: str = ""
    prompt: str = ""
    said_at: str = ""


class Judgement(NamedTuple):
    """What became of the claims of a draft that is about to be kept. `unquoted` are claims whose quotation is not
    exact, so that it lost its marks. `events` record it; none where the same was kept before, as `draft`. `tokens`:
    what the session had used by then (`due.used`).
    """

    draft: Draft
    judged: tuple[JudgedClaim, ...]
    unquoted: tuple[Claim, ...]
    events: tuple[Event, ...]
    tokens: int

    @property
    def struck(self) -> tuple[JudgedClaim, ...]:
        """The claims that no payload holds."""
        return tuple(one for one in self.judged if not one.stands)

    def answer(self, shown: str) -> tuple[str, ...]:
        """What whoever handed it in is told, so that it can be corrected at once: how many entries stand, what to do,
        each that was struck, then quotations that are none. `shown` is the draft's short id.
        """
        struck = self.struck
        count, proved = len(self.judged), sum(one.verdict == "proved" for one in self.judged)
        said = "Kept" if self.events else "Kept before"
        lines = [f"{said} the draft {shown}: {count - len(struck)} of {count} entries stand, {proved} of them proved."]
        lines += [_AGAIN] if struck else []
        lines += [f"Struck: {_named(one.claim)} ({one.verdict}: {one.reason})." for one in struck]
        lines += [f"Not literal, so without quotation marks: {_named(one)}." for one in self.unquoted]
        return tuple(lines)


def _named(claim: Claim) -> str:
    return f"line {claim.line} “{shorten(one_line(claim.text), _CLAIM_CHARS)}”"


def asking(request: str) -> str:
    """How an agent is asked for a draft, after a checkpoint without one."""
    return (
        "Now write the hand-off, while you know it all, and send it as `draft` of another checkpoint (`clew checkpoint "
        f"--draft -` reads it from stdin). {request}"
    )


def judgement(ports: Ports, rec: ProjectSession, written: DraftInput, sessions: Sessions) -> Judgement:
    """What becomes of a draft, to be kept by whoever asks. `sessions` were imported.

    Raises `InputError` for a text that is too long, that holds no entry, or of a session without a record: nothing in
    it could be proved.
    """
    text = rec.safe_lines(written.text).strip()
    _check_length(text)
    claims = claims_in(text)
    if all(claim.kind == "finding" for claim in claims):  # as prose is: an excuse, say, in the place of a hand-off
        raise InputError(
            "the text has no entry under a heading of a hand-off",
            code="E-draft-empty",
            hint="It is a list with headings and a bullet for each entry; `clew draft --request` shows them.",
        )
    if not (rec.ledger.writable or rec.dry_run):
        raise LedgerError(
            "the ledger cannot be written from here, and drafts cannot wait in the spool",
            code="E-draft-readonly",
            hint="Send it by the tool `checkpoint`, or where the ledger can be written. Nothing was saved.",
        )
    file, gathered = _record(sessions, written.session)
    known = rec.ledger.taken().get(written.session)
    task = known.task if known is not None and known.task else rec.task()
    judged = judge(
        ports._replace(redact=rec.redact),
        text=text,
        transcript=file.path,
        reader=reader_for(file.path, ports.readers),
        root=rec.location.root,
        also=_given(rec, task, written.session),
    )
    pairs = zip(claims, judged, strict=True)
    unquoted = tuple(now.claim for before, now in pairs if now.stands and now.claim.text != before.text)
    name, is_there = _identity(rec, written, text, judged)
    draft = _draft(rec, written._replace(text=text, client=written.client or file.client), name, task, gathered, judged)
    events = () if is_there else tuple(_events(rec, draft, judged))
    return Judgement(draft, judged, unquoted, events, used(gathered.facts()))


def _check_length(text: str) -> None:
    tokens = estimate(text)
    if tokens > REFUSED_FROM:
        raise InputError(
            f"the draft has {tokens:,} tokens (estimated); a hand-off has at most {TOKENS_MAX}",
            code="E-draft-long",
            hint=_HINT_LONG,
        )


def _record(sessions: Sessions, session: str) -> tuple[Transcript, Gathered]:
    file = sessions.files.get(session)
    try:
        gathered = sessions.gather(file) if file is not None else None
    except OSError:
        gathered = None
    if file is None or gathered is None:
        raise InputError(
            f"no record of session {session or '(unknown)'} is at hand, so nothing in the draft can be checked",
            code="E-draft-no-record",
            hint="`clew decide`, `clew reject`, `clew next` (the tool `record`) keep single things as an agent's word.",
        )
    return file, gathered


def _given(at: ProjectSession, task: str, session: str) -> list[str]:
    """What others left of the task: the session may have been given it, and its record does not show that."""
    return [f"{item.text}\n{item.why}" for item in live_state(at, task).items if item.place.session != session]


def _identity(rec: ProjectSession, written: DraftInput, text: str, judged: Sequence[JudgedClaim]) -> tuple[str, bool]:
    """The id of the draft, and whether the session's newest one has it already: the same text with the same verdicts.

    What was kept, replaced by another, and is sent again is a draft of its own.
    """
    ledger = rec.ledger
    verdicts = [f"{one.verdict} {one.reason}" for one in judged]
    mine = {one.id for one in drafts(ledger, session=written.session)}
    last = newest(ledger, session=written.session)
    for time in range(len(mine) + 1):
        name = f"{LETTER}-{identity('draft', ledger.key.hex(), written.session, str(time), text, *verdicts)}"
        if name not in mine or (last is not None and last.id == name):
            return name, name in mine
    raise AssertionError("too many drafts")


def _draft(
    rec: ProjectSession, written: DraftInput, name: str, task: str, gathered: Gathered, judged: Sequence[JudgedClaim]
) -> Draft:
    told = []
    for number, one in enumerate(judged):
        claim = one.claim
        item = f"{LETTERS[claim.kind]}-{identity(name, str(number))}" if one.stands else ""
        told.append(DraftClaim(claim.kind, claim.text, one.verdict, one.reason, item, claim.line, one.stands))
    return Draft(
        name,
        name,
        written.session,
        task,
        written.said_at,
        written.source,
        written.client,
        written.model,
        rec.speaker.actor,
        gathered.extent,
        written.prompt,
        written.text,
        tuple(told),
    )


def _events(rec: ProjectSession, draft: Draft, judged: Sequence[JudgedClaim]) -> list[Event]:
    """The draft and the claims that stand. The draft itself stays on this machine: it is all that a model wrote."""
    data: dict[str, Value] = {"draft": draft.id, "text": draft.text, "source": draft.source}
    more: dict[str, Value] = {
        "client": draft.client,
        "model": draft.model,
        "extent": draft.extent,
        "claims": [packed(one) for one in draft.claims],
        "prompt": draft.prompt,
    }
    data.update((name, value) for name, value in more.items() if value)
    made = [rec.event(KIND, data, task=draft.task, key=f"draft:{draft.id}", visibility="private", said_at=draft.time)]
    for told, one in zip(draft.claims, judged, strict=True):
        if told.item:
            stated = rec.event(
                "item.stated",
                _item(rec, draft, told, one),
                task=draft.task,
                key=f"draft:{told.item}",
                visibility="private" if one.claim.of_user else "team",
                said_at=draft.time,
            )
            made.append(stated._replace(provenance=_provenance(one, is_review=draft.source == "review")))
    if draft.source == "review":
        made += _taken_back(rec, draft)
    return [event._replace(session=draft.session) for event in made]


def _taken_back(rec: ProjectSession, draft: Draft) -> Iterator[Event]:
    """What the same person's hand-offs of this session said before: the new one stands in their place. An agent's need
    no word: of them the newest counts.
    """
    before = [one for one in drafts(rec.ledger, session=draft.session) if one.source == "review"]
    reason = "a newer hand-off of the session replaced it"
    for told in (told for one in before for told in one.claims if told.item):
        data: dict[str, Value] = {"item": told.item, "reason": reason}
        yield rec.event("item.retracted", data, task=draft.task, key=f"draft:{draft.id}:{told.item}")


def _item(at: ProjectSession, draft: Draft, told: DraftClaim, one: JudgedClaim) -> dict[str, Value]:
    """The claim as an item. A file that is not there cannot be compared later: that it was gone then is no change."""
    claim = one.claim
    fields: dict[str, Value] = {
        "why": claim.why,
        "status": claim.status,
        "files": [path for path in claim.files if os.path.lexists(at.location.root / path)],
        "label": claim.label,
        "draft": draft.id,
        "verdict": one.verdict,
        "evidence": one.reason,
    }
    given = {name: value for name, value in fields.items() if value}
    return {"item": told.item, "kind": claim.kind, "text": claim.text, **given}


def _provenance(one: JudgedClaim, *, is_review: bool) -> Provenance:
    """Who vouches for a claim: a person who curated the draft, the tools that prove it, or the agent that wrote it."""
    if is_review:
        return "human"
    return "verified" if one.verdict == "proved" and one.claim.kind in _TOOLS_PROVE else "agent"
