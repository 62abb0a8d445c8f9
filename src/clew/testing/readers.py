"""What every reader of a client's sessions promises (`clew.clients.port.Reader`), as tests. A member subclasses
`ReaderContract` and says what it reads and what its recordings hold:

class TestMine(ReaderContract):
    reader = MyReader()
    recordings = (FOLDER / "session.jsonl",)
    usage = {"session.jsonl": Totals(…)}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from clew.clients.lines import read_file
from clew.clients.places import file_of
from clew.clients.port import Reader
from clew.clients.registry import HEAD_BYTES
from clew.core.cost.uses import Totals, UsageFold
from clew.core.records.transcript import (
    Batch,
    Call,
    Compaction,
    Context,
    Poll,
    Prompt,
    Record,
    Result,
    Running,
    Summary,
    Unreadable,
)
from clew.distill.session import ToolStep, build
from clew.secrets import Redactor
from clew.sessions.capture import gather

# A line of a kind that no client writes yet.
UNKNOWN: Final = b'{"type":"clew-testing-unheard-of","id":"u1","payload":{"type":"odd","text":"Nobody knows this"}}\n'
# Long lines hold nothing that short ones do not, and make every example slow.
_SHORT_BYTES: Final = 4_000
# One promise is tried with every member, each an executor of its own.
_SOME: Final = settings(max_examples=60, deadline=None, suppress_health_check=(HealthCheck.differing_executors,))
_MANY: Final = settings(_SOME, max_examples=240)

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


class ReaderContract:
    """The promises, one by one. Names are those of the recordings' files.

    `recordings` are addresses of whole sessions. `usage`: what the client itself says was used. `compacted` hold a
    compaction with its summary, `headless` were driven by a program. `apart`: words that only a sub-agent said or was
    told; `helpers` are the sessions of sub-agents alone, of clients that have such files. `injected`: words that a hook
    of ours put before the model. `started` hold commands that went on behind the answers to their calls. `strangers`:
    words that another agent, another session or the client itself put where the user's stand. `others` are readers of
    other clients.

    Of each kind there must be a recording. What the client does not tell at all, a member says in `untold` ("headless",
    "compacted", "apart", "injected", "started", "strangers"); then its reader must not make any up.
    """

    reader: ClassVar[Reader]
    recordings: ClassVar[Sequence[Path]]
    usage: ClassVar[Mapping[str, Totals]] = {}
    compacted: ClassVar[Sequence[str]] = ()
    headless: ClassVar[Sequence[str]] = ()
    apart: ClassVar[Mapping[str, str]] = {}
    helpers: ClassVar[Sequence[Path]] = ()
    injected: ClassVar[Mapping[str, str]] = {}
    started: ClassVar[Sequence[str]] = ()
    strangers: ClassVar[Mapping[str, str]] = {}
    others: ClassVar[Sequence[Reader]] = ()
    untold: ClassVar[frozenset[str]] = frozenset()

    def planted(self, folder: Path, secret: str) -> Path:
        """A session in `folder` in which a person typed `secret` and a command printed it: its address."""
        raise NotImplementedError

    def test_every_recording_is_read_whole(self) -> None:
        """A line that cannot be read is a part of somebody's day."""
        for path in self.recordings:
            found = self._records(path)
            assert not [one for one in found if isinstance(one, Unreadable)], path.name
            assert any(isinstance(one, Prompt) and not one.agent for one in found), path.name
            assert any(isinstance(one, Context) and one.cwd and one.session for one in found), path.name
            for result in (one for one in found if isinstance(one, Result)):
                assert any(isinstance(one, Call) and one.id == result.call for one in found), (path.name, result.call)

    def test_the_format_is_known_by_what_it_holds(self) -> None:
        """Whatever it is called and wherever it lies; and no other client takes it for its own."""
        for path in self.recordings:
            head = file_of(path).read_bytes()[:HEAD_BYTES]
            assert self.reader.recognises(head), path.name
            assert not [other.name for other in self.others if other.recognises(head)], path.name
        assert not self.reader.recognises(b"")
        assert not self.reader.recognises(b"# Notes\n\nUser: a document, and no session\n")

    def test_places_are_those_of_lines(self) -> None:
        """Every line of a document traces to its place, in a stream that is the same each time."""
        for path in self.recordings:
            stream = self._stream(path)
            assert stream == self._stream(path), path.name
            begins = {0, *(at + 1 for at, byte in enumerate(stream) if byte == 0x0A)}
            assert {record.at for record in self._records(path)} <= begins, path.name

    @_SOME
    @drawn(st.data())
    def test_two_halves_are_one_whole(self, data: st.DataObject) -> None:
        """A session is imported whenever it has grown; no record may be lost, doubled or changed by where that cuts."""
        stream = self._stream(data.draw(st.sampled_from(self.recordings)))
        cut = data.draw(st.integers(0, len(stream)))
        first = self.reader.read(stream[:cut], offset=0)
        second = self.reader.read(stream[first.offset :], offset=first.offset)
        assert self.reader.read(stream, offset=0).records == first.records + second.records

    @_SOME
    @drawn(st.data())
    def test_a_torn_last_line_waits(self, data: st.DataObject) -> None:
        """The client was killed while it wrote, or writes just now: what is not whole is no record and no error."""
        lines = self._stream(data.draw(st.sampled_from(self.recordings))).splitlines(keepends=True)
        line = data.draw(st.sampled_from([one for one in lines if len(one) > 3]))
        cut = data.draw(st.integers(1, len(line.rstrip()) - 1))
        assert self.reader.read(line[:cut], offset=0) == Batch([], 0)
        assert self.reader.final(line[:cut], offset=7) == Batch([], 7)
        whole = self.reader.final(line.rstrip(b"\n"), offset=0)
        assert whole.records == self.reader.read(line, offset=0).records

    @_SOME
    @drawn(st.data())
    def test_damage_and_unknown_records_cost_only_themselves(self, data: st.DataObject) -> None:
        """A crash of the machine leaves rubbish in the middle of a file, and clients change their format."""
        lines = data.draw(st.lists(st.sampled_from(self._short()), min_size=1, max_size=6))
        place = data.draw(st.integers(0, len(lines)))
        odd = data.draw(
            st.just(UNKNOWN) | st.binary(max_size=60).map(lambda some: b"\x01" + some.replace(b"\n", b"") + b"\n")
        )
        before, after = b"".join(lines[:place]), b"".join(lines[place:])
        found = self.reader.read(before + odd + after, offset=0).records
        expected = self.reader.read(before, offset=0).records
        expected += self.reader.read(after, offset=len(before) + len(odd)).records
        here = [one for one in found if one.at == len(before) and isinstance(one, Unreadable)]
        assert expected == [one for one in found if one not in here]
        assert len(here) == (odd != UNKNOWN)

    @_SOME
    @drawn(st.binary(max_size=400))
    def test_no_bytes_raise(self, noise: bytes) -> None:
        """The reader stands in every hook's way: an exception would lose the rest of the session."""
        self._everything(noise)

    @_MANY
    @drawn(st.data())
    def test_no_mutated_line_raises(self, data: st.DataObject) -> None:
        """Half-written, overwritten and doubled bytes inside real lines."""
        line = data.draw(st.sampled_from(self._short()))
        at, length = data.draw(st.integers(0, len(line))), data.draw(st.integers(0, 30))
        self._everything(line[:at] + data.draw(st.binary(max_size=8)) + line[at + length :])

    @_MANY
    @drawn(st.data())
    def test_no_change_of_a_fields_type_raises(self, data: st.DataObject) -> None:
        """Clients change their format without notice: any value can stand anywhere."""
        fields = json.loads(data.draw(st.sampled_from(self._short())))
        place: Any = fields
        while True:
            key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else list(range(len(place)))))
            if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
                break
            place = place[key]
        place[key] = data.draw(_JSON)
        self._everything(json.dumps(fields).encode() + b"\n")

    def test_usage_is_what_the_client_says(self) -> None:
        """Who decides by it would decide wrongly; and a response that is told twice counts once."""
        assert self.usage
        for path in self._named(self.usage):
            tally = UsageFold()
            tally.add(self._records(path))
            assert tally.total() == self.usage[path.name], path.name

    def test_compactions_are_found_with_their_summaries(self) -> None:
        """What a compaction drops is what has to be kept."""
        assert bool(self.compacted) != ("compacted" in self.untold)
        if not self.compacted:
            assert not any(isinstance(one, Compaction) for path in self.recordings for one in self._records(path))
        for path in self._named(self.compacted):
            found = self._records(path)
            assert any(isinstance(one, Compaction) for one in found), path.name
            assert any(isinstance(one, Summary) and one.text for one in found), path.name

    def test_a_command_that_was_only_started_is_not_done(self) -> None:
        """That it was begun proves nothing: it ends with an exit code, told later, or nobody knows how."""
        assert bool(self.started) != ("started" in self.untold)
        for path in self.recordings:
            found = self._records(path)
            looks = {one.id for one in found if isinstance(one, Call) and isinstance(one.action, Poll)}
            begun = {one.call for one in found if isinstance(one, Running)} - looks
            assert bool(begun) == (path.name in self.started), path.name
            ends = [one for one in found if isinstance(one, Result) and one.call in begun and one.outcome == "ok"]
            assert all(one.exit_code is not None for one in ends), path.name
            steps = [one for one in build(found, client=self.reader.name).events if isinstance(one, ToolStep)]
            told = [one.result for one in steps if one.call.id in begun and one.done]
            assert all(one is not None and one.exit_code == 0 for one in told), path.name

    def test_words_of_others_are_not_the_users(self) -> None:
        """Who another agent is told to be, and what it asks for, binds nobody."""
        assert bool(self.strangers) != ("strangers" in self.untold)
        for path in self._named(self.strangers):
            assert self.strangers[path.name] in self._stream(path).decode()
            said = [one.text for one in self._records(path) if isinstance(one, Prompt) and not one.agent]
            assert said and not [text for text in said if self.strangers[path.name] in text], path.name

    def test_sub_agents_are_kept_apart(self) -> None:
        """A helper's prompt is no word of the user's, and its findings are not the session's."""
        assert bool(self.apart or self.helpers) != ("apart" in self.untold)
        if "apart" in self.untold:
            assert not any(one.agent for path in self.recordings for one in self._records(path))
        for path in self._named(self.apart):
            main = [one for one in self._records(path) if not one.agent and not isinstance(one, Call | Result)]
            assert not [one for one in main if self.apart[path.name] in str(one)], path.name
        for path in self.helpers:
            found = self._records(path)
            assert found and all(one.agent for one in found), path.name

    def test_a_headless_run_is_known(self) -> None:
        """What a program typed is no word of a person's. Where the client does not tell, all counts as a person's."""
        assert bool(self.headless) != ("headless" in self.untold)
        for path in self.recordings:
            head = self._stream(path)[:HEAD_BYTES]
            attended = self.reader.attended(head) and all(
                one.attended for one in self._records(path) if isinstance(one, Context)
            )
            assert attended == (path.name not in self.headless), path.name

    def test_receipts_are_found(self) -> None:
        """Whether the model got what was given to it is told by the client's own record."""
        assert bool(self.injected) != ("injected" in self.untold)
        if not self.injected:
            lines = [line for path in self.recordings for line in self._stream(path).splitlines()]
            assert not any(list(self.reader.injected(line)) for line in lines)
        for path in self._named(self.injected):
            lines = self._stream(path).splitlines()
            assert any(self.injected[path.name] in given for line in lines for given in self.reader.injected(line))

    def test_nothing_secret_comes_out_of_capture(self, tmp_path: Path) -> None:
        """Whatever part of a session held it."""
        secret = "gh" + "p_" + "q7Rk" * 9
        path = self.planted(tmp_path, secret)
        assert secret in self._stream(path).decode()
        gathered = gather(path, self.reader, redact=Redactor(key=None).redact)
        assert any(isinstance(one, Prompt) for one in gathered.kept)
        assert any(isinstance(one, Result) for one in gathered.kept)
        assert secret not in str(gathered.kept)

    def _records(self, path: Path) -> list[Record]:
        return [record for batch in read_file(path, self.reader) for record in batch.records]

    def _stream(self, path: Path) -> bytes:
        with self.reader.open(path) as stream:
            return stream.read()

    def _short(self) -> list[bytes]:
        lines = [line for path in self.recordings for line in self._stream(path).splitlines(keepends=True)]
        return [line for line in lines if len(line) < _SHORT_BYTES and line.endswith(b"\n") and line.startswith(b"{")]

    def _named(self, names: Sequence[str] | Mapping[str, Any]) -> Iterator[Path]:
        found = {path.name: path for path in self.recordings}
        return (found[name] for name in names)

    def _everything(self, data: bytes) -> None:
        """All that a reader does with bytes; what it makes of them are plain values."""
        self.reader.recognises(data)
        self.reader.attended(data)
        batch = self.reader.read(data, offset=0)
        for record in batch.records + self.reader.final(data[batch.offset :], offset=batch.offset).records:
            json.dumps(record)
        for line in data.split(b"\n"):
            assert all(isinstance(version.content, bytes) for version in self.reader.file_versions(line))
            assert all(isinstance(given, str) for given in self.reader.injected(line))
