"""Three versions of a document made one, entry by entry: what we rendered, the state now, what a person made of it.

Pure. Knows nothing about events: what the person did comes back as changes of entries, for the caller to record: an
import, a review of a hand-off and a pull of an issue differ in what they do with a change, not in how it is found.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

from clew.documents.entry import NOWHERE, Entry
from clew.documents.pairing import Ids, Matching, matched, normal

# reworded: text or why; ticked: status or answer; moved: to another kind; marked: locked, blocking or the owner.
# Who said it, "verify first" and the extent of a cut are set by us, so they are nobody's change.
Did = Literal["added", "removed", "reworded", "ticked", "moved", "marked"]


# What each is a change of, settled field by field, the person having the last word. For words see `_worded`.
FIELDS: Final[tuple[tuple[Did, tuple[str, ...]], ...]] = (
    ("ticked", ("status", "answer")),
    ("moved", ("kind",)),
    ("marked", ("locked", "blocking", "owner")),
)


class EntryChange(NamedTuple):
    """One thing that was done to one entry; for each thing there is one. `before` is None where it was added, `after`
    where it was removed. `of_front`: what was reworded was shown cut, so the new words stand for its front part.
    `at` is the entry's index in theirs, -1 where it is not there.
    """

    did: Did
    before: Entry | None
    after: Entry | None
    of_front: bool = False
    at: int = -1


class EntryConflict(NamedTuple):
    """Both did something to the same entry, and not the same thing.

    `about` is what they did, "removed" if one of them removed what the other changed (None on that side). `stands`
    says whose version the merged document holds: "both" is ours, and theirs as an entry of its own behind it.
    """

    about: Did
    ours: Entry | None
    theirs: Entry | None
    stands: Literal["ours", "theirs", "both"]


class Reconciliation(NamedTuple):
    """`entries` are what the next document is to hold. `changes` lead from ours to them: what is to be recorded of what
    the person did, `before` as it is in ours. All in the order of the entries. `pairs` tells by index in theirs which
    one of ours an entry is.
    """

    entries: tuple[Entry, ...]
    changes: tuple[EntryChange, ...]
    conflicts: tuple[EntryConflict, ...]
    pairs: Mapping[int, int]


def reconcile(base: Sequence[Entry] | None, ours: Sequence[Entry], theirs: Sequence[Entry]) -> Reconciliation:
    """The document that holds what both did to `base`: we, who have `ours`, and a person, who has `theirs`.

    Nobody's edit is lost. What only one of them changed is as that one has it; what both reworded differently stands
    twice; of two ticks the person's counts; a change wins over a removal. Only what is in `base` can be removed: what
    the person never saw stays. The order is that of ours, what only theirs has follows the entry that it followed.
    Ours keep their ids, entries have no lines. Merging the result with the same two again changes nothing (limits:
    docs/reference/merging.md). With `ours` for `base` as well, the changes are what was done to it.

    `base` None: nobody knows what theirs was made from. Then it removes nothing, an entry is one of ours by its id or
    its very words only, and what it says otherwise is a change.
    """
    entries: list[Entry] = []
    done: list[EntryChange] = []
    conflicts: list[EntryConflict] = []
    standing = {_words(entry) for entry in ours}
    threes, pairs = _threes(base or (), ours, theirs)
    if base is None:
        threes = [three._replace(was=three.ours) if three.theirs else three for three in threes]
    for three in threes:
        settled, clashes = _settled(three)
        conflicts += clashes
        if three.ours or settled:
            done += _done(three, settled)
        if settled:
            entries.append(settled._replace(lines=NOWHERE))
        if any(clash.stands == "both" for clash in clashes) and _words(beside := _alone(three)) not in standing:
            entries.append(beside)
            done.append(EntryChange("added", None, beside, at=three.at))
    return Reconciliation(tuple(entries), tuple(done), tuple(conflicts), pairs)


def _done(three: "_Three", after: Entry | None) -> Iterator[EntryChange]:
    """What was done to make `after` of ours."""
    before, at = three.ours, three.at
    if before is None or after is None:
        yield EntryChange("removed" if after is None else "added", before, after, at=at)
        return
    if (before.text, before.why) != (after.text, after.why):
        of_front = before.cut or (three.was is not None and three.was.cut)
        yield EntryChange("reworded", before, after, of_front, at)
    for did, names in FIELDS:
        if any(getattr(before, name) != getattr(after, name) for name in names):
            yield EntryChange(did, before, after, at=at)


def _is_changed(before: Entry, after: Entry) -> bool:
    return any(_done(_Three(None, before, None), after))


# Which is which


class _Three(NamedTuple):
    """One entry in the three documents, None where it is not; never so in both ours and theirs."""

    was: Entry | None
    ours: Entry | None
    theirs: Entry | None
    at: int = -1


def _threes(
    base: Sequence[Entry], ours: Sequence[Entry], theirs: Sequence[Entry]
) -> tuple[list[_Three], dict[int, int]]:
    """The entries of ours and theirs, in the order of the merged document; and ours by those of theirs."""
    edited = matched(base, theirs)
    base_ids, our_ids = Ids(enumerate(base)), Ids(enumerate(ours))
    theirs = [_not_named(entry, base_ids) if index in edited.new_left else entry for index, entry in enumerate(theirs)]
    base_of_theirs = {new: old for old, new in edited.pairs.items()}
    stated, twins = _ours_paired(base, ours, theirs, edited)
    base_of_ours = {new: old for old, new in stated.pairs.items()}
    ours_of_theirs = twins | {new: stated.pairs[old] for old, new in edited.pairs.items() if old in stated.pairs}
    theirs_of_ours = {mine: yours for yours, mine in ours_of_theirs.items()}

    behind: dict[int, list[_Three]] = defaultdict(list)
    place = -1
    for index, entry in enumerate(theirs):
        if index in ours_of_theirs:
            place = ours_of_theirs[index]
        elif index in base_of_theirs:
            behind[place].append(_Three(base[base_of_theirs[index]], None, entry, index))
        else:
            behind[place].append(_Three(None, None, _not_named(entry, our_ids), index))
    threes = behind[-1]
    for index, entry in enumerate(ours):
        was, yours = base_of_ours.get(index), theirs_of_ours.get(index, -1)
        three = _Three(None if was is None else base[was], entry, theirs[yours] if yours >= 0 else None, yours)
        threes += [three, *behind[index]]
    return threes, ours_of_theirs


def _not_named(entry: Entry, ids: Ids) -> Entry:
    """An entry that was added, without the id if that is another's: people copy a line to write the next one."""
    return entry._replace(id="", cut=False) if ids.like(entry.id) else entry


def _ours_paired(
    base: Sequence[Entry], ours: Sequence[Entry], theirs: Sequence[Entry], edited: Matching
) -> tuple[Matching, dict[int, int]]:
    """Ours by base, and ours by those of theirs that both added.

    What is the same in ours and theirs is one entry, before likeness to something in base can make two of it: else
    what came from theirs at the last merge would come again at the next.
    """
    found = Matching(base, ours)
    found.by_id()
    found.by_words()
    base_of_theirs = {new: old for old, new in edited.pairs.items()}
    same = Matching(theirs, ours)

    def open_to(is_addition: bool) -> None:
        """Let pairs be sought for what theirs has of base and ours seems not to have, and for additions."""
        left = (index for index in same.old_left if base_of_theirs.get(index) not in found.pairs)
        same.old_left = {index: None for index in left if is_addition or index in base_of_theirs}
        same.new_left = dict(found.new_left)

    def adopt() -> None:
        for yours, mine in same.pairs.items():
            if (was := base_of_theirs.get(yours)) is not None and was not in found.pairs:
                found.join(was, mine)

    open_to(is_addition=True)
    same.by_id()
    same.by_words()
    adopt()
    twins = {yours: mine for yours, mine in same.pairs.items() if yours not in base_of_theirs}
    taken = set(twins.values())
    known = {(entry.kind, normal(entry.text)) for entry in theirs}
    for index in list(found.new_left):
        if index in taken or (ours[index].kind, normal(ours[index].text)) in known:
            del found.new_left[index]
    found.moved()
    found.alike(among=edited.pairs)
    open_to(is_addition=False)
    same.moved()
    same.alike()
    adopt()
    found.alike()  # last, what theirs removed: we may have removed it as well, whatever is like it
    return found, twins


# What becomes of it


def _settled(three: _Three) -> tuple[Entry | None, list[EntryConflict]]:
    """The merged entry, None if it goes, and the conflicts about it."""
    was, ours, theirs, _ = three
    if ours is None:
        assert theirs is not None
        if was is None:
            return theirs, []
        if not _is_changed(was, theirs):
            return None, []
        return theirs._replace(id=was.id or theirs.id), [EntryConflict("removed", None, theirs, "theirs")]
    if theirs is None:
        if was is None:
            return ours, []
        if not _is_changed(_uncut(was, ours, was)[0], ours):
            return None, []
        return ours, [EntryConflict("removed", ours, None, "ours")]
    if was is None:
        was = Entry(ours.kind, "")
    return _united(was, ours, theirs)


def _united(was: Entry, ours: Entry, theirs: Entry) -> tuple[Entry, list[EntryConflict]]:
    """What both have, with what either of them changed."""
    merged, stands = _worded(was, ours, theirs)
    clashes = [EntryConflict("reworded", ours, theirs, stands)] if stands else []
    for did, names in FIELDS:
        told: Literal["ours", "theirs"] | None = None
        for name in names:
            theirs_here = getattr(theirs, name)
            value, clash = _of_three(getattr(was, name), getattr(ours, name), theirs_here)
            merged = merged._replace(**{name: value})
            if clash:
                told = "theirs" if value == theirs_here else "ours"
        if told:
            clashes.append(EntryConflict(did, ours, theirs, told))
    return merged, clashes


def _worded(was: Entry, ours: Entry, theirs: Entry) -> tuple[Entry, Literal["ours", "theirs", "both"] | None]:
    """Ours with the words that it is to have, and whose they are if both changed them."""
    was, theirs = _uncut(was, ours, theirs)
    text, text_clash = _of_three(was.text, ours.text, theirs.text)
    if text_clash and (normal(theirs.text) == normal(ours.text) or _is_front(ours.text, theirs.text, ours.cut)):
        text, text_clash = ours.text, False
    why, why_clash = _of_three(was.why, ours.why, theirs.why)
    if text_clash or (why_clash and ours.why and theirs.why):
        return ours, "both"
    merged = ours._replace(text=text, why=why)
    if text != ours.text:
        merged = merged._replace(said=theirs.said, cut=theirs.cut)
    if why_clash:  # one changed the reason that the other took away
        return merged, "theirs" if theirs.why else "ours"
    return merged, None


_Value = TypeVar("_Value")


def _of_three(was: _Value, ours: _Value, theirs: _Value) -> tuple[_Value, bool]:
    """What a field is to hold, and whether both changed it: then theirs, but something before nothing."""
    if theirs in (was, ours):
        return ours, False
    if ours == was:
        return theirs, False
    return theirs or ours, True


def _uncut(was: Entry, ours: Entry, theirs: Entry) -> tuple[Entry, Entry]:
    """The first and the last as they would be, were they cut as `ours` is: a shorter form of the same is no change."""
    for name in ("text", "why"):
        before, now = getattr(was, name), getattr(ours, name)
        if _is_front(before, now, was.cut) or _is_front(now, before, ours.cut):
            if getattr(theirs, name) == before:
                theirs = theirs._replace(**{name: now})
            was = was._replace(**{name: now})
    return was, theirs


def _is_front(front: str, whole: str, cut: bool) -> bool:
    """Whether the text of a cut entry is the front part of `whole`, or is left out."""
    return cut and normal(whole).startswith(normal(front) if front else "")


def _alone(three: _Three) -> Entry:
    """The entry as theirs has it, as another one than ours."""
    was, ours, theirs, _ = three
    assert ours is not None and theirs is not None
    theirs = _uncut(was, ours, theirs)[1] if was else theirs
    return theirs._replace(id="", cut=False, lines=NOWHERE)


def _words(entry: Entry) -> tuple[str, str, str]:
    return entry.kind, normal(entry.text), entry.why
