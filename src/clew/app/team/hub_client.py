"""This device and a hub: joining it, and exchanging a project with it over HTTP.

A talk (`clew.ledger.exchange`) goes in requests that each stand for themselves: one begins with the device's hello and
tells some more, and the hub answers as far as that goes. Whatever is cut or sent twice does no harm.
"""

from __future__ import annotations

import http.client
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.app.project.device import SyncPlace, load_kept
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.team.hub_wire import (
    JoinAnswer,
    JoinRequest,
    ProjectAnswer,
    ProjectRequest,
    SessionAnswer,
    SessionOffer,
    hash_of,
    session_mark,
)
from clew.app.team.side import HUB_WAY, JOIN_DEED, SYNC_AS_USUAL, Side, SyncOptions, SyncResult
from clew.core.errors import ClewError, InputError, NotAllowed, NotFound
from clew.core.state.events import timestamp
from clew.core.text.cleaning import clean, one_line
from clew.ledger.codec import read_extract, write_line
from clew.ledger.exchange import (
    MESSAGE_BYTES_MAX,
    EventBatch,
    Exchanged,
    Hello,
    Offer,
    SendingEnd,
    SyncMessage,
    SyncRefusal,
    Want,
    call,
    decode_message,
    encode_message,
    read_events,
)
from clew.ledger.portable import lower_extract
from clew.remotes.place import remote_of
from clew.workspace.atomic import alone, private_folder, replace
from clew.workspace.git import Git

_TIMEOUT_S: Final = 60
_ROUNDS_MAX: Final = 5
_BLOCK_BYTES: Final = 1 << 20
_ANSWER_BYTES_MAX: Final = 1 << 29
_PART_BYTES_MAX: Final = 8 << 20
_STAMPS: Final = "stamps.json"
T = TypeVar("T")


class HubKey(msgspec.Struct):
    """What this device shows to a hub: its id there and its secret. `machine` is where it was made."""

    device: str
    secret: str
    person: str
    hub: str
    machine: str


class Joined(NamedTuple):
    """A hub that this device has joined. `project`: the project that stands here goes there from now on, and `private`
    tasks of it stay until somebody shares them.
    """

    url: str
    person: str
    project: str
    private: int


class _Moved(Exception):
    """Somebody else's events came to the hub within the talk."""


def join_hub(ports: Ports, folder: Path, link: str, *, past: bool = False) -> Joined:
    """Join the hub that `link` names, URL#CODE, and have the project at `folder` exchanged with it; without a code if
    this device has joined it before. What was recorded before goes there only with `past`, or when it is shared.

    Only a person may. Raises `NotAllowed`, `InputError`, `NotFound`, OSError.
    """
    given, _, code = link.partition("#")
    url = checked_url(given)
    require_person(ports.channel(), "bundle", JOIN_DEED, about=lambda: url)
    known = _made_key(ports, url, code.strip()) if code else _key_for(ports, url)
    place = f"{HUB_WAY} {url}"
    if not (folder.is_dir() and locate(folder).has_ledger):
        return Joined(url, known.person, "", 0)
    with Side.open(ProjectHandle(ports, folder), "", SyncOptions()) as side:
        joined = side.device.places.get(place) or SyncPlace("", since=side.at.ledger.position())
        joined.since = 0 if past else joined.since
        side.device.places[place] = joined
        side.device.person = known.person
        side.save()
        private = 0 if past else sum(task.status == "open" for task in side.at.tasks())
        return Joined(url, known.person, side.at.ledger.project, private)


def sync_hub(project: ProjectHandle, url: str, options: SyncOptions = SYNC_AS_USUAL) -> SyncResult:
    """Exchange with the hub at `url`, which this device has joined. Raises as `sync_folder` does."""
    key = _key_for(project.ports, url)
    with Side.open(project, f"{HUB_WAY} {url}", options) as side, closing(_Line(url, key)) as line:
        if key.machine != platform.node():
            side.at.note(
                f"The key for {url} was made on {key.machine}. If that is still in use, join here anew with a code."
            )
        # What the hub said about who said each event: it is asked for when the hub lost it.
        path, known = side.at.location.exchange_file.with_name(_STAMPS), {}
        with suppress(OSError, ValueError):
            known = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        side.store.stamps.update(known)
        try:
            done = _exchanged(side, line, options, dry_run=project.dry_run)
        finally:
            if not project.dry_run and side.store.stamps != known:
                replace(path, msgspec.json.encode(side.store.stamps), mode=0o600)
        result = side.finish(done, side.place.files)
        if project.ports.settings(side.at.location.root).text("sync.share") == "sessions" and done.confirmed:
            try:
                side.place.files = _exchange_sessions(side, line)
                side.save()
            except (ClewError, OSError) as error:  # the events are exchanged all the same
                told = f"{error.message}. {error.hint}" if isinstance(error, ClewError) else error.strerror or error
                side.at.note(f"Sessions were not exchanged: {told}")
        return msgspec.structs.replace(result, notes=side.at.notes)


def _exchange_sessions(side: Side, line: _Line) -> dict[str, int]:
    """Send what rules read off sessions here, and take in that of others, as theirs: their marks, by session."""
    own = {
        one.origin.session: write_line(one)
        for one in side.at.ledger.extracts()
        if not (one.is_foreign or side.store.holdings.reach.stays(one.task, side.store.holdings.upto))
    }
    times = {one.origin.session: one.origin.last_time for one in side.at.ledger.extracts(items=False)}
    marks = {**side.place.files, **{session: session_mark(told) for session, told in own.items()}}
    head = msgspec.json.encode(SessionOffer(marks, times)) + b"\n"
    path = f"projects/{side.place.project}/sessions"
    answer, *others = line.ask(path, head).splitlines() or [b""]
    wanted = [session for session in line.understood(answer, SessionAnswer).wanted if session in own]
    now = timestamp(side.now_ms())
    for told in others:
        try:
            extract = read_extract(told)
        except ValueError:
            raise line.no_hub() from None
        side.at.redact.guard(side.at.ledger).take_in(lower_extract(extract, "agent", now))
        marks[extract.origin.session] = session_mark(told)
    side.require_clean((f"session {session}", own[session].decode()) for session in wanted)
    head = msgspec.json.encode(SessionOffer(marks, times)) + b"\n"  # what came is not told again
    for part in _parts([own[session].strip() + b"\n" for session in wanted]):
        line.ask(path, head + part)
    if wanted or others:
        side.at.note(f"Sessions: {len(wanted)} sent, {len(others)} received.")
    return {session: mark for session, mark in marks.items() if session not in own}


def _parts(lines: Iterable[bytes]) -> Iterator[bytes]:
    """These lines, as few requests take them."""
    part = b""
    for line in lines:
        if part and len(part) + len(line) > _PART_BYTES_MAX:
            yield part
            part = b""
        part += line
    if part:
        yield part


def checked_url(url: str) -> str:
    """The address of a hub as it is remembered. Raises `InputError` (E-hub-url)."""
    parts = urlsplit(url)
    try:
        is_plain = parts.scheme == "http" and not _is_loopback(parts.hostname or "")
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_plain = is_address = False
    if not is_address or is_plain or parts.query or not url.isprintable() or "@" in parts.netloc:
        what = "would send the key in the clear" if is_plain else "is no address of a hub"
        raise InputError(
            f"{url[:100]!r} {what}",
            code="E-hub-url",
            hint="It is `https://HOST#CODE`, as `clew hub up` and `clew hub invite` print it; `http://` only on this "
            "machine, or through a tunnel to it (`ssh -L 8765:127.0.0.1:8765 HOST`).",
        )
    return url.rstrip("/")


def repository_marks(at: ProjectSession, environment: Mapping[str, str]) -> tuple[str, str]:
    """Hashes of the remote of this clone, however it is spelled, and of its first commit, "" where there is none."""
    git = Git.at(at.location.root, environment=environment)
    if git is None:
        return "", ""
    remote = remote_of(git.settings())
    roots = sorted((git.ask("rev-list", "--max-parents=0", "HEAD") or b"").split())
    return _mark(remote.key.encode() if remote else b""), _mark(roots[0] if roots else b"")


def _mark(told: bytes) -> str:
    return blake2b(told, digest_size=16).hexdigest() if told else ""


def _made_key(ports: Ports, url: str, code: str) -> HubKey:
    """A key of this device's own: the hub learns a hash of it."""
    secret = ports.chance(32).hex()
    asked = JoinRequest(code, platform.node(), ports.actor, hash_of(secret))
    with closing(_Line(url, None)) as line:
        found = line.understood(line.ask("join", msgspec.json.encode(asked)), JoinAnswer)
    key = HubKey(found.device, secret, one_line(clean(found.person)), found.hub, platform.node())
    path = _keys_file(ports)
    private_folder(path.parent)
    with alone(path):
        replace(path, msgspec.json.encode({**_keys(path), url: key}), mode=0o600)
    return key


def _key_for(ports: Ports, url: str) -> HubKey:
    found = _keys(_keys_file(ports)).get(url)
    if found is None:
        raise NotFound(
            f"this device has not joined the hub {url}",
            code="E-hub-key",
            hint="Who runs it makes a code (`clew hub invite NAME`); a person types `clew join URL#CODE` here.",
        )
    return found


def _keys_file(ports: Ports) -> Path:
    return ports.trust_store.with_name("hubs.json")


def _keys(path: Path) -> dict[str, HubKey]:
    hint = "It holds this device's keys for hubs. Move it away, and join them anew."
    return load_kept(path, dict[str, HubKey], code="E-hub-keys", hint=hint) or {}


class _Line:
    """A connection to a hub, used for one request after the other."""

    def __init__(self, url: str, key: HubKey | None) -> None:
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._url, self._path = url, parts.path
        self._connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)
        self._headers = {"Authorization": f"Bearer {key.device}.{key.secret}"} if key else {}

    def ask(self, path: str, body: bytes) -> bytes:
        """What the hub answers. Raises `NotAllowed`, `NotFound`, `InputError`."""
        try:
            try:
                status, said = self._sent(path, body)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self._connection.close()  # it waited too long for the next request
                status, said = self._sent(path, body)
        except (OSError, http.client.HTTPException) as error:
            raise InputError(
                f"the hub {self._url} cannot be reached: {getattr(error, 'strerror', None) or type(error).__name__}",
                code="E-hub-away",
                hint="Nothing is lost: what waits goes with the next `clew sync`.",
            ) from error
        if status != 200:
            raise self._refusal(status, said)
        return said

    def talk(self, project: str, messages: Sequence[SyncMessage]) -> list[SyncMessage]:
        """What the hub answers to these messages."""
        said = self.ask(f"projects/{project}/exchange", b"".join(map(encode_message, messages)))
        if not said.startswith(b"{"):
            raise self.no_hub()
        return [decode_message(line) for line in said.splitlines(keepends=True)]

    def understood(self, said: bytes, kind: type[T]) -> T:
        """An answer of this kind. Raises `InputError` (E-hub-away)."""
        try:
            return msgspec.json.decode(said, type=kind)
        except (ValueError, RecursionError):
            raise self.no_hub() from None

    def no_hub(self, status: int = 200) -> InputError:
        """What to raise where no hub answers."""
        return InputError(
            f"{self._url} answered {status}, and not as a hub does",
            code="E-hub-away",
            hint="See that the address is the hub's, and what a proxy before it says.",
        )

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _sent(self, path: str, body: bytes) -> tuple[int, bytes]:
        self._connection.request("POST", f"{self._path}/v1/{path}", body, self._headers)
        said = bytearray()
        with self._connection.getresponse() as answer:
            while block := answer.read(_BLOCK_BYTES):
                said += block
                if len(said) > _ANSWER_BYTES_MAX:
                    self._connection.close()
                    raise self.no_hub(answer.status)
            if answer.length:
                raise http.client.IncompleteRead(bytes(said[:0]), answer.length)
            return answer.status, bytes(said)

    def _refusal(self, status: int, said: bytes) -> InputError | NotAllowed | NotFound:
        try:
            told = decode_message(said[:MESSAGE_BYTES_MAX])
        except InputError:
            told = None
        if not isinstance(told, SyncRefusal):
            return self.no_hub(status)
        return _raised(told)


def _raised(told: SyncRefusal) -> NotAllowed | NotFound:
    kind = NotFound if told.code == "E-hub-project" else NotAllowed
    code = told.code if told.code in ("E-hub-project", "E-hub-key", "E-hub-code", "E-hub-right") else "E-sync-refused"
    message = one_line(clean(told.message[:1000]))
    return kind(
        message if code == told.code else f"the hub refused: {message}",
        code=code,
        hint=one_line(clean(told.hint[:1000])),
    )


def _exchanged(side: Side, line: _Line, options: SyncOptions, *, dry_run: bool) -> Exchanged:
    """The talk, begun again where others' events came to the hub meanwhile."""
    sent: dict[str, None] = {}
    received: dict[str, None] = {}
    for _ in range(_ROUNDS_MAX):
        talk = _HubTalk(side, line, options, dry_run=dry_run)
        try:
            done = talk.run()
        except _Moved:
            sent |= dict.fromkeys(talk.sent)
            received |= dict.fromkeys(talk.received)
            continue
        return done._replace(
            sent=(*(sent | dict.fromkeys(done.sent)),), received=(*(received | dict.fromkeys(done.received)),)
        )
    raise InputError(
        "others' events came to the hub all the time",
        code="E-sync-unconfirmed",
        hint="What came and went is kept. Run it again.",
    )


class _HubTalk:
    """One talk: it turns what `exchange.call` says into requests."""

    def __init__(self, side: Side, line: _Line, options: SyncOptions, *, dry_run: bool) -> None:
        self._side, self._line, self._options, self._dry_run = side, line, options, dry_run
        self.sent: list[str] = []
        self.received: list[str] = []
        self._hello = side.hello()
        self._offered: list[str] = []

    def run(self) -> Exchanged:
        """See `exchange.call`. Raises `_Moved`."""
        side, dry_run = self._side, self._dry_run
        self._options.progress("with the hub")
        try:
            theirs = self._ask([])[0]
        except NotFound:
            if side.place.project or not self._add_project():
                mine = tuple(side.store.holdings.travelling())
                return Exchanged(mine, (), frozenset(mine), confirmed=False)
            theirs = self._ask([])[0]
        if isinstance(theirs, Hello) and theirs.keeps_nothing:
            side.at.note("You may read this project on the hub, and not write: what is recorded here stays here.")
        talk = call(side.store, self._hello, side.meet, dry_run=dry_run)
        next(talk)
        try:
            sending = talk.send(theirs)
            while True:
                sending = self._answered(talk.send, sending)
        except StopIteration as end:
            done: Exchanged = end.value
            return done

    def _answered(
        self, say: Callable[[SyncMessage], list[SyncMessage]], sending: list[SyncMessage]
    ) -> list[SyncMessage]:
        """Send these, and tell the talk what came back: what it says then."""
        *batches, last = sending
        for batch in batches:
            self._ask([batch])
            if isinstance(batch, EventBatch):
                self.sent += [event.id for event in read_events(batch)]
        if isinstance(last, Offer):
            self._offered = last.ids
            said: list[SyncMessage] = []
            for message in self._ask([last]):
                if isinstance(message, EventBatch):
                    self.received += [event.id for event in read_events(message)]
                said = say(message)
            return said
        held = list(dict.fromkeys([*self._offered, *self.received]))
        *news, receipt = self._ask([Offer(held), SendingEnd()])
        if any(isinstance(one, EventBatch) or (isinstance(one, Want) and one.ids) for one in news):
            raise _Moved
        return say(receipt)

    def _ask(self, messages: list[SyncMessage]) -> list[SyncMessage]:
        """What the hub answers to the hello and these, without its own hello where there is more."""
        project = self._side.place.project or self._side.at.ledger.project
        answer = self._line.talk(project, [self._hello, *messages])
        for one in answer:
            if isinstance(one, SyncRefusal):
                raise _raised(one)
        if not answer or not isinstance(answer[0], Hello) or (len(answer) == 1 and _wants_more(messages)):
            raise InputError("the hub's answer breaks off", code="E-sync-cut", hint="Nothing is lost. Run it again.")
        return answer[1:] if _wants_more(messages) else answer

    def _add_project(self) -> bool:
        """Have the hub know this project: whether it does now. Raises `InputError` (E-sync-project) where it is to be
        told first which one it is; nothing is added in a dry run.
        """
        side, options = self._side, self._options
        remote, root = repository_marks(side.at, side.environment)
        asked = ProjectRequest(side.at.ledger.project, side.at.location.root.name, remote, root, options.apart)
        if self._dry_run:
            return False
        if options.apart:
            side.at.require_person("bundle", "say that what a hub has of this repository is another project")
        answer = self._line.ask("projects", msgspec.json.encode(asked))
        found = self._line.understood(answer, ProjectAnswer).similar
        if not found:
            return True
        if not options.join or len(found) > 1:
            told = ", ".join(f"{one_line(clean(one.title))} ({one.id}, same {one.like})" for one in found)
            raise InputError(
                f"the hub holds {told}: is it this project?",
                code="E-sync-project",
                hint="Nothing was exchanged. A person says so once: `clew sync --join` if it is, `clew sync --apart` "
                "if this is another one (a fork).",
            )
        side.agree(found[0].id)
        return True


def _wants_more(messages: Sequence[SyncMessage]) -> bool:
    return any(isinstance(one, (Offer, SendingEnd)) for one in messages)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
