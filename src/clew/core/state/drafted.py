"""What a draft changes in the state: its claims take the place of what rules read off its session up to then.

The agent that was asked for a hand-off says better than any rule what mattered; tools say better than the agent what
was done. So of a session with a draft there stay: the draft's claims, what tools and the user left before it as far as
the draft does not say so itself, and what happened since. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from clew.core.state.extract import Extract
from clew.core.state.fold import Entity
from clew.core.state.items import Item, Kind, Origin

# Where a claim stands among what rules found (`Item.rank`), by its kind; in one kind in the order of the draft.
_RANKS: Final[dict[Kind, int]] = {
    "goal": 0, "next": 1, "constraint": 2, "blocker": 2, "failed": 3, "decision": 3, "question": 3, "deferral": 4,
    "reminder": 4, "hypothesis": 4, "risk": 4,
}  # fmt: skip
_RANK: Final = 5
# What tools tell better than any claim: where both say it, the fact stands.
_TOOLS: Final[frozenset[Kind]] = frozenset(("file", "validation", "step"))
# What the user's own words leave, unless the draft says it: then the claim stands, which knows what came of it.
_USERS: Final[frozenset[Kind]] = frozenset(("failed", "constraint", "decision"))
# So many ranks behind stands what rules found before a draft.
_BEHIND: Final = 40
# An item is said by a text that holds this share of its words.
_COVERED: Final = 0.7
_WORD: Final = re.compile(r"[^\W_][\w./-]{2,}")


class _SessionDraft(NamedTuple):
    """The newest draft of one session: when it was written, and its claims."""

    session: str
    time: str
    claims: tuple[Item, ...]


def with_drafts(extracts: Sequence[Extract], claims: Iterable[Item]) -> list[Extract]:
    """`extracts` (in turn, the newest last) with the claims of each session's newest draft in them.

    `claims` are live items that were stated in drafts, by agents or by a person who curated one. A draft of a session
    that no extract tells of stands as an extract of its own, by its time. What a newer draft says again is not told a
    second time. Where only what lasts of a session is at hand, its claims are there: those that hold stay.
    """
    claims = tuple(claims)
    drafts, live = {draft.session: draft for draft in _newest(claims)}, {claim.id for claim in claims}
    if not drafts and not any(extract.is_part for extract in extracts):
        return list(extracts)
    known = {extract.origin.session for extract in extracts}
    lone = [
        Extract(Origin("", one.session, "", "", one.time, one.time, True, ""), "", "", 0, 0, "", ())
        for one in drafts.values()
        if one.session not in known
    ]
    ordered = [*extracts]
    if lone:
        ordered = sorted([*extracts, *lone], key=lambda one: (not one.is_foreign, one.origin.last_time))
    told: frozenset[str] = frozenset()
    found: list[Extract] = []
    for extract in reversed(ordered):
        draft = drafts.get(extract.origin.session)
        if extract.is_part:
            kept = (item for item in extract.items if not item.draft or (item.id in live and not _is_told(item, told)))
            found.append(extract._replace(items=tuple(kept)))
            continue
        found.append(extract if draft is None else _joined(extract, draft, told))
        if draft is not None:
            told |= _words(" ".join(f"{claim.text} {claim.why}" for claim in draft.claims))
    return found[::-1]


def is_claim(item: Item) -> bool:
    """Whether an item is a draft's claim that nobody made his own since."""
    return bool(item.draft) and not item.pinned and item.provenance in ("agent", "verified", "unattributed")


def replaced(claims: Iterable[Item]) -> dict[str, str]:
    """The claims in whose place a newer draft of their session stands, by id, each with the id of that draft. Whatever
    became of the newer one's own claims: what is taken back brings no older word back.
    """
    every = tuple(claims)
    newest: dict[str, tuple[str, str]] = {}
    for claim in every:
        newest[claim.place.session] = max(newest.get(claim.place.session, ("", "")), (claim.time, claim.draft))
    return {one.id: by for one in every if (by := newest[one.place.session][1]) != one.draft}


def is_drafted(entity: Entity) -> bool:
    """Whether the item that an entity is was stated in a draft."""
    return any("draft" in change.fields for change in entity)


def drafted_in(entity: Entity, sessions: Collection[str]) -> bool:
    """Whether it was stated in a draft of one of `sessions`."""
    return any("draft" in change.fields and change.session in sessions for change in entity)


def _newest(claims: Iterable[Item]) -> list[_SessionDraft]:
    by_session: dict[str, dict[str, list[Item]]] = {}
    for claim in claims:
        by_session.setdefault(claim.place.session, {}).setdefault(claim.draft, []).append(claim)
    drafts = []
    for session, written in by_session.items():
        newest = max(written, key=lambda name: (max(claim.time for claim in written[name]), name))
        ranked = [one._replace(rank=_RANKS.get(one.kind, _RANK)) for one in written[newest]]
        drafts.append(_SessionDraft(session, max(claim.time for claim in ranked), tuple(ranked)))
    return drafts


def _joined(extract: Extract, draft: _SessionDraft, told: frozenset[str]) -> Extract:
    """The extract of the draft's session with its claims. `told` are the words of newer drafts."""
    said = _words(" ".join(f"{claim.text} {claim.why}" for claim in draft.claims))
    since = [item for item in extract.items if item.time > draft.time]
    before = [item for item in extract.items if item.time <= draft.time]
    went_on = any(item.provenance == "human" and item.kind in ("step", "goal") for item in since)
    later = _AfterDraft(since, went_on=went_on)
    claims = [one for one in draft.claims if is_claim(one)]  # a person's are stated already
    claims = [one for one in claims if not later.overtakes(one)]
    facts = [_completed(item, claims) for item in before if _is_tools(item)]
    # A commit that a claim tells more of ("and pushed"), as proved, is told by the claim; all else by the tool.
    fuller = [claim for claim in claims if claim.kind == "step" and claim.verdict == "proved"]
    facts = [fact for fact in facts if not any(_says(fact, claim) for claim in fuller)]
    claims = [one for one in claims if not (any(_says(fact, one) for fact in facts) or _is_told(one, told))]
    # Of the prose the last message comes behind, where there is room. The agent knew of the rest as well, and of that
    # more no longer stands than is missed (benchmarks/README.md, hand-offs).
    prose = [item for item in before if not _is_tools(item)]
    last = max((item.place.at for item in prose if item.provenance != "human"), default=-1)
    rest = [
        item if _is_users(item) else item._replace(rank=item.rank + _BEHIND)
        for item in prose
        if _adds(item, said, last)
    ]
    # What a tool or the user left needs no agent's word; requests are told by the goal.
    after = [item for item in since if went_on or _is_tools(item) or _is_users(item)]
    return extract._replace(items=(*claims, *facts, *rest, *after))


def _is_told(claim: Item, told: frozenset[str]) -> bool:
    """Whether newer drafts say what a claim does."""
    return bool(told) and _covers(told, claim)


def _completed(fact: Item, claims: Sequence[Item]) -> Item:
    """A check that a tool told, with what a claim counts beside it ("131 tests"): the tool's line is cut short."""
    if fact.kind != "validation" or fact.why:
        return fact
    same = next((claim for claim in claims if _says(fact, claim)), None)
    told = (same.text.rpartition("`")[2], same.why) if same is not None else ()
    counted = next((part for part in told if any(map(str.isdigit, part))), "")
    return fact._replace(why=counted.strip(" :–—-,."))


def _says(fact: Item, claim: Item) -> bool:
    """Whether a fact that tools left says what a claim says."""
    words = _words(fact.text)
    return fact.kind == claim.kind and bool(words) and words <= _words(f"{claim.text} {claim.why}")


def _adds(item: Item, said: frozenset[str], last: int) -> bool:
    """Whether what rules read off before the draft is told beside it: the user's words, and what stands in the `last`
    message, as far as the draft does not say it; nothing of how things stood, and no request, which the goal tells.
    """
    stood = item.kind in ("goal", "next", "step", "question") or item.status.startswith("earlier")
    if stood or _covers(said, item):
        return False
    return item.provenance == "human" or item.place.at == last


class _AfterDraft:
    """What happened behind a draft, as far as it ends what the draft says."""

    def __init__(self, since: Sequence[Item], *, went_on: bool) -> None:
        self._kinds = {item.kind for item in since}
        self._has_committed = any(item.kind == "step" and item.status == "committed" for item in since)
        self._checks = [_words(item.text) for item in since if item.kind == "validation"]
        self._went_on = went_on

    def overtakes(self, claim: Item) -> bool:
        """Whether it says how things stood then: another next action, a check that ran again, work committed since."""
        if claim.kind == "next":
            return self._went_on and "next" in self._kinds
        if claim.kind == "validation":
            words = _words(claim.text)
            return any(check and (check <= words or words <= check) for check in self._checks)
        return claim.kind == "step" and claim.status in ("uncommitted", "pending") and self._has_committed


def _is_tools(item: Item) -> bool:
    return item.kind in _TOOLS and item.provenance == "verified"


def _is_users(item: Item) -> bool:
    return item.kind in _USERS and item.provenance == "human"


def _covers(said: frozenset[str], item: Item) -> bool:
    words = _words(item.text)
    return bool(words) and len(words & said) >= _COVERED * len(words)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.rstrip(".,:;").casefold() for word in _WORD.findall(text))
