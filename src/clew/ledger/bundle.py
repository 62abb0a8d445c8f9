"""Bundles: a whole ledger as JSON lines, for a backup, another machine or another store. Format:
docs/reference/ledger.md.

The lines, in order: a head; events by arrival, and before the event from which on it counted each extract that is kept
(those that only a checkpoint still sees, too); an end with the counts and a hash of all lines before it.
"""

import errno
import tempfile
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from heapq import merge
from itertools import chain
from typing import IO, Final, NamedTuple, TypeAlias

import msgspec

from clew.core.errors import InputError, LedgerError
from clew.core.state.events import Event, checked
from clew.core.state.extract import Extract
from clew.core.state.fold import FOLDED_KINDS
from clew.core.state.items import Provenance
from clew.ledger.codec import read_event, read_extract, write_line
from clew.ledger.port import Ledger
from clew.ledger.portable import find_malformation, is_ulid, lower_event, lower_extract, lower_provenance
from clew.ledger.redaction import REDACTION

BUNDLE_VERSION: Final = 1
LINE_BYTES_MAX: Final = 64 << 20
# One transaction of an import: large enough to be quick, small enough not to keep other writers waiting.
BATCH_EVENTS_MAX: Final = 1000

# Kinds that steer clew or a harness on this machine rather than tell what somebody said, or bring back what somebody
# here took away: not taken from others.
STEERING: Final = frozenset(
    """agent.saved item.restored payload.given payload.seen place.bound project.aliased session.audited
    session.seen session.set_aside""".split()
)
_MEMORY_BYTES_MAX: Final = 8 << 20


# A position, what it is, and the event or extract.
_Carried: TypeAlias = tuple[int, str, Event | Extract]


class BundleImport(NamedTuple):
    """What an import did. `events` and `extracts` were new, `known` events were there already: with trust those that
    say here what they say there, by somebody who counts as much; without it whatever has an id that is here.
    `left_out` events steer and came without trust. `project` is the bundle's.
    """

    project: str
    events: int
    known: int
    extracts: int
    left_out: int


class _BundleHead(msgspec.Struct):
    clew_bundle: int
    project: str


class _BundleEnd(msgspec.Struct, forbid_unknown_fields=True):
    events: int
    extracts: int
    digest: str


class _BundleLine(msgspec.Struct, forbid_unknown_fields=True):
    event: msgspec.Raw = msgspec.Raw()
    extract: msgspec.Raw = msgspec.Raw()
    end: _BundleEnd | None = None


def export_bundle(ledger: Ledger, *, task: str = "") -> Iterator[bytes]:
    """Everything that `ledger` holds at this moment, or all of one `task`, as lines with their line ends. The same
    ledger, the same bytes.

    The ledger's key is left out: hashes of redacted values mean nothing elsewhere. Raises `LedgerError`.
    """
    digest = blake2b(digest_size=16)
    counts = {"event": 0, "extract": 0}
    head = msgspec.json.encode({"clew_bundle": BUNDLE_VERSION, "project": ledger.project}) + b"\n"
    for line in chain([head], _body(ledger, task, counts)):
        digest.update(line)
        yield line
    end = {"events": counts["event"], "extracts": counts["extract"], "digest": digest.hexdigest()}
    yield msgspec.json.encode({"end": end}) + b"\n"


def _body(ledger: Ledger, task: str, counts: dict[str, int]) -> Iterator[bytes]:
    upto = ledger.position()
    versions = _different(one for one in ledger.versions() if task in ("", one[1].task))
    extracts: Iterator[_Carried] = ((since, "extract", extract) for since, extract in versions)
    facts: Iterator[_Carried] = (
        (seq, "event", event)
        for seq, event in ledger.events(upto=upto)
        if not task or task in (event.task, event.data.get("task"))
    )
    # Of one position the extract comes first: it counted from before the event on.
    for _, what, value in merge(extracts, facts, key=lambda one: (one[0], one[1] == "event")):
        counts[what] += 1
        yield b'{"%s":%s}\n' % (what.encode(), write_line(value))


def _different(versions: Iterator[tuple[int, Extract]]) -> Iterator[tuple[int, Extract]]:
    """Versions without those that say the same as the one before of their session: a task given and taken back."""
    last: dict[str, Extract] = {}
    for since, extract in versions:
        if last.get(extract.origin.session) != extract:
            last[extract.origin.session] = extract
            yield since, extract


def import_bundle(
    lines: Iterable[bytes],
    ledger: Ledger,
    *,
    ceiling: Provenance,
    now: str,
    safe: Callable[[Event], Event] = lambda event: event,
) -> BundleImport:
    """Take the `lines` of a bundle into `ledger`; what exists already stays as it is, so importing twice is once.

    `ceiling` is the highest class that is believed: "human" takes everything as it is (a person trusts the file);
    any other lowers classes and times to it and to `now` (RFC 3339 UTC), refuses what clew does not write and leaves
    out what steers. `safe` is what `ledger` keeps of an event. All lines are checked before the first is kept. Then
    they are kept in batches: an import that is killed, or for which the disk is too small, leaves a beginning, and
    doing it again completes it.

    Raises `InputError` (E-bundle-damaged with the line, E-bundle-newer, E-bundle-project), with nothing kept;
    `LedgerError` as `append` does.
    """
    with tempfile.SpooledTemporaryFile(_MEMORY_BYTES_MAX) as copy:
        project = _check(lines, copy, ledger, trusted=ceiling == "human")
        copy.seek(0)
        return _keep(copy, _EventIndex(ledger, safe), ledger, project, ceiling, now)


def _check(lines: Iterable[bytes], copy: IO[bytes], ledger: Ledger, *, trusted: bool) -> str:
    """Look at every line and write it to `copy`: the bundle's project. Raises `InputError`."""
    digest = blake2b(digest_size=16)
    events = extracts = number = 0
    project = ""
    end: _BundleEnd | None = None
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip(b"\r\n")
        if end is not None:
            raise _damaged(number, "there are lines behind its end")
        if len(line) > LINE_BYTES_MAX:
            raise _damaged(number, f"it is longer than {LINE_BYTES_MAX >> 20} MiB")
        try:
            if number == 1:
                project = _project(line, ledger)
            else:
                carried = msgspec.json.decode(line, type=_BundleLine)
                end = carried.end
                if end is None:
                    events += bool(carried.event)
                    extracts += bool(carried.extract)
                    _check_one(carried, trusted=trusted)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise _damaged(number, f"it is not a line of a bundle ({error})") from None
        except InputError as error:
            if error.code != "E-event-invalid":
                raise
            raise _damaged(number, error.message) from None
        if end is None:
            digest.update(line + b"\n")
            _write(copy, line + b"\n")
    if end is None:
        raise _damaged(number, "the bundle breaks off there")
    if (end.events, end.extracts, end.digest) != (events, extracts, digest.hexdigest()):
        raise _damaged(number, "lines before it are missing or were changed: its counts and hash do not fit")
    return project


def _write(copy: IO[bytes], line: bytes) -> None:
    try:
        copy.write(line)
    except OSError as error:
        raise LedgerError(
            f"the bundle cannot be held in the folder for temporary files ({error.strerror})",
            code="E-ledger-full" if error.errno == errno.ENOSPC else "E-ledger-io",
            hint="Nothing was imported. Make room there, or set TMPDIR to a folder with room.",
        ) from None


def _check_one(carried: _BundleLine, *, trusted: bool) -> None:
    if bool(carried.event) == bool(carried.extract):
        raise ValueError("neither an event nor an extract")
    if carried.extract:
        read_extract(carried.extract)
        return
    event = checked(read_event(carried.event))
    why = "" if trusted else find_malformation(event)
    if not trusted and not is_ulid(event.id):
        why = "its id is none that clew makes"
    if why:
        raise ValueError(f"an event of another's that clew did not write: {why}")


def _project(line: bytes, ledger: Ledger) -> str:
    head = msgspec.json.decode(line, type=_BundleHead)
    if head.clew_bundle > BUNDLE_VERSION:
        raise InputError(
            f"the bundle has the format {head.clew_bundle}; this clew reads formats up to {BUNDLE_VERSION}",
            code="E-bundle-newer",
            hint="Nothing was imported. Use the version of clew that wrote it, or a newer one.",
        )
    if head.project != ledger.project and not any(
        recorded.event.data.get("other") == head.project for recorded in ledger.events(kinds=("project.aliased",))
    ):
        raise InputError(
            f"the bundle is of the project {head.project[:26]!r}, this ledger of {ledger.project!r}",
            code="E-bundle-project",
            hint="Nothing was imported. If both are one project, say so with --join; else import it over there.",
        )
    return head.project


def _keep(
    copy: IO[bytes], kept: "_EventIndex", ledger: Ledger, project: str, ceiling: Provenance, now: str
) -> BundleImport:
    """Append what `_check` let pass, in its order."""
    trusted = ceiling == "human"
    new = known = extracts = left_out = 0
    waiting: list[Event] = []
    ours: dict[str, tuple[int, int, str]] = {}
    sessions = {} if trusted else ledger.taken()

    def flush() -> int:
        before = ledger.position()
        added = sum(seq > before for seq in set(ledger.append(waiting)))
        waiting.clear()
        return added

    next(copy)
    for line in copy:
        carried = msgspec.json.decode(line, type=_BundleLine)
        if carried.event:
            event = read_event(carried.event)
            if not trusted and event.kind in STEERING:
                left_out += 1
                continue
            known += 1
            if kept.has(event, trusted=trusted):
                continue
            waiting.append(kept.added(event) if trusted else kept.added(lower_event(event, ceiling, now)))
            if len(waiting) >= BATCH_EVENTS_MAX:
                new += flush()
            continue
        new += flush()
        extract = read_extract(carried.extract)
        extract = extract if trusted else lower_extract(extract, ceiling, now)
        session = extract.origin.session
        if session in sessions:  # where people met it: what they said of it is there
            extract = extract._replace(task=sessions[session].task)
        if ledger.take_in(extract):
            # A later version in this bundle says what it counts for; that of a foreign one says so without us.
            if session in ours and not extract.is_foreign:
                ledger.assign(session, extract.task)
            ours[session] = extract.stamp
            extracts += 1
        elif ours.get(session) == extract.stamp and not extract.is_foreign:
            ledger.assign(session, extract.task)  # the same reading, given to another task afterwards
    new += flush()
    return BundleImport(project, new, known - new, extracts, left_out)


class _EventIndex:
    """What events a ledger has: their ids, and what each says.

    An id is one event, but anybody may have sent a copy of one before it came itself, with another text or time, or by
    nobody who counts as much. So what a person trusts is compared by what it says.
    """

    def __init__(self, ledger: Ledger, safe: Callable[[Event], Event]) -> None:
        self._key = ledger.key
        self._safe = safe
        self._ids: set[str] = set()
        self._said: dict[bytes, Provenance] = {}
        self._redacted: set[object] = set()
        for recorded in ledger.events():
            self._add(recorded.event)

    def has(self, event: Event, *, trusted: bool) -> bool:
        """Whether `event` adds nothing."""
        if not trusted or event.id not in self._ids:
            return event.id in self._ids
        if event.kind != REDACTION and event.data.get("item") in self._redacted:
            return True  # its words were taken away here
        kept = self._said.get(_said(self._safe(event)))
        if kept is None:
            return False
        return event.kind not in FOLDED_KINDS or lower_provenance(event.provenance, kept) == event.provenance

    def added(self, event: Event) -> Event:
        """`event` as it may be kept: where its key is its id, and that is here already, under another one that follows
        from what it says.
        """
        if event.key == event.id and event.id in self._ids:
            told = msgspec.json.encode(self._safe(event), order="sorted")
            event = event._replace(key=f"{event.id}:{blake2b(told, key=self._key[:64], digest_size=10).hexdigest()}")
        self._add(event)
        return event

    def _add(self, event: Event) -> None:
        self._ids.add(event.id)
        if event.kind == REDACTION and event.provenance == "human":
            self._redacted.add(event.data.get("item"))
        said = _said(event)
        before = self._said.get(said)
        if before is None or lower_provenance(event.provenance, before) != event.provenance:
            self._said[said] = event.provenance


def _said(event: Event) -> bytes:
    """What an event says, as a hash: all but its key, who counts for how much, and when it came here."""
    told = event._replace(key="", provenance="unattributed", recorded_at="")
    return blake2b(msgspec.json.encode(told, order="sorted"), digest_size=16).digest()


def _damaged(number: int, why: str) -> InputError:
    return InputError(
        f"line {number} of the bundle cannot be imported: {why[:300]}",
        code="E-bundle-damaged",
        hint="Nothing was imported. Export the bundle again, or copy it again from where it is whole.",
    )
