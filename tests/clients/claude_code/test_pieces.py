"""Properties: reading in pieces is reading at once, and no bytes make the reader raise."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records import Record, Unreadable

from .recordings import NAMES, content, records

LINES = [line for name in NAMES for line in content(name).splitlines(keepends=True)]
# Long lines hold nothing that short ones do not, and make every example slow.
SHORT = [line for line in LINES if len(line) < 4_000]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def read_all(reader: ClaudeCodeReader, data: bytes) -> list[Record]:
    batch = reader.read(data, offset=0)
    return batch.records + reader.final(data[batch.offset :], offset=batch.offset).records


@given(st.sampled_from(NAMES), st.floats(0, 1))
def test_two_halves_are_one_whole(name: str, where: float) -> None:
    """A session is taken in whenever it has grown; no record may be lost, doubled or changed by where that cuts."""
    reader, data = ClaudeCodeReader(), content(name)
    first = reader.read(data[: int(where * len(data))], offset=0)
    second = reader.read(data[first.offset :], offset=first.offset)
    assert records(data) == first.records + second.records
    assert len(data) == second.offset


@given(st.lists(st.sampled_from(SHORT), max_size=6), st.binary(max_size=60), st.integers(0, 6))
def test_damage_costs_only_its_own_line(lines: list[bytes], damage: bytes, place: int) -> None:
    """A crash of the machine leaves rubbish in the middle of a file; sessions go on behind it."""
    reader = ClaudeCodeReader()
    rubbish = b"\x01" + damage.replace(b"\n", b"") + b"\n"
    before, after = b"".join(lines[:place]), b"".join(lines[place:])
    found = reader.read(before + rubbish + after, offset=0).records
    expected = records(before) + reader.read(after, offset=len(before) + len(rubbish)).records
    assert expected == [r for r in found if not (isinstance(r, Unreadable) and r.at == len(before))]


@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    """The reader stands in every hook's way: an exception would lose the rest of the session."""
    reader = ClaudeCodeReader()
    reader.recognises(data)
    read_all(reader, data)
    list(reader.file_versions(data))


@settings(max_examples=300)
@given(st.sampled_from(SHORT), st.data())
def test_no_mutated_line_raises(line: bytes, data: st.DataObject) -> None:
    """Half-written, overwritten and doubled bytes inside real lines."""
    at, length = data.draw(st.integers(0, len(line))), data.draw(st.integers(0, 30))
    mutated = line[:at] + data.draw(st.binary(max_size=8)) + line[at + length :]
    reader = ClaudeCodeReader()
    reader.recognises(mutated)
    for record in read_all(reader, mutated):
        json.dumps(record)  # only plain values come out
    list(reader.file_versions(mutated))


@settings(max_examples=300)
@given(st.sampled_from(SHORT), JSON, st.data())
def test_no_change_of_a_fields_type_raises(line: bytes, value: Any, data: st.DataObject) -> None:
    """Clients change their format without notice: any value can stand anywhere."""
    fields = json.loads(line)
    place: Any = fields
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    place[key] = value
    changed = json.dumps(fields).encode()
    reader = ClaudeCodeReader()
    for record in read_all(reader, changed):
        str(record).encode()
    for version in reader.file_versions(changed):
        assert isinstance(version.content, bytes)
    reader.recognises(changed)
