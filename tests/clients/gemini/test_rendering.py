"""A session that the client rewrites as it goes, folded into lines that stand once."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.gemini.rendering import lines
from clew.clients.gemini.wire import entries
from clew.core.records.transcript import Call, Compaction, Context, Interruption, Prompt, Reply, Result, Summary, Usage
from tests.clients.gemini import recordings
from tests.clients.gemini.recordings import DOCUMENT, FOLDER, STORY, TURNS, called, message, of, session

SNAPSHOT = "<state_snapshot>\n<overall_goal>Ship it</overall_goal>\n</state_snapshot>"


def rendered(data: bytes) -> list[dict[str, Any]]:
    return list(lines(entries(io.BytesIO(data)), lambda _: ""))


def rewritten(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"$set": {"messages": list(messages), "lastUpdated": "2026-03-02T09:00:09.000Z"}}


@pytest.mark.parametrize("path", [STORY, TURNS], ids=lambda path: path.name)
def test_what_is_appended_only_adds_lines(path: Path) -> None:
    """A place that a document names must not move because the session goes on."""
    raw = path.read_bytes().splitlines(keepends=True)
    before: list[dict[str, Any]] = []
    for end in range(1, len(raw) + 1):
        now = rendered(b"".join(raw[:end]))
        for line in (*before, *now):
            line.pop("cwd", None)  # known once the session told of it
        assert before == now[: len(before)], f"after entry {end}"
        before = now
    assert len(before) > 20


def test_every_prompt_and_answer_of_a_run_stands_once() -> None:
    """The client writes the whole conversation again at each resume and at a compaction."""
    prompts = [(one.source, one.text) for one in of(Prompt, STORY)]
    assert prompts == [
        ("typed", "Set the rate to 2. Never touch forbidden.txt."),
        ("command", "/greet Ada"),
        ("typed", "And now the receipts: print the rate."),
    ]
    replies = [one.text for one in of(Reply, STORY)]
    spoken = ["I look.", "I change it.", "Done: the rate is 2.", "All done.", "Hello Ada.", "Receipts.", "end"]
    assert replies == spoken
    assert len({one.at for one in of(Usage, STORY)}) == len(of(Usage, STORY)) == 8


def test_words_typed_twice_stay_two() -> None:
    """Somebody who says "go on" twice said it twice; only the client's copies are copies."""
    texts = [one.text for one in of(Prompt, TURNS)]
    assert texts.count("Only the unit tests") == 2


def test_a_compaction_stands_at_its_place_and_drops_nothing() -> None:
    """What it dropped is what has to be kept; what it kept must not come twice."""
    found = recordings.records(TURNS)
    kinds = [type(one) for one in found]
    at = kinds.index(Compaction)
    assert (found[at], found[at + 1]) == (
        Compaction(found[at].at, "2026-03-02T09:01:00.000Z", "", "auto", 9000, 0),
        Summary(
            found[at].at, "2026-03-02T09:01:00.000Z", "", "<overall_goal>Drop the old parameter in May.</overall_goal>"
        ),
    )
    before = [one.text for one in found[:at] if isinstance(one, Prompt)]
    after = [one.text for one in found[at:] if isinstance(one, Prompt)]
    assert before[0] == "Plan how to drop the old parameter @tide.py"
    assert after == ["/greet Ada", "Only the unit tests"]
    assert not [one for one in found if isinstance(one, Reply) and one.text.startswith("Got it.")]


def test_a_way_that_the_user_went_back_from_has_the_same_parent() -> None:
    """By that the words of the abandoned way are left out later. A turn that was stopped is no such way."""
    parents = {one.text: one.parent for one in of(Prompt, TURNS)}
    assert parents["Rename height to level"] == parents["Leave the name alone"]
    assert len(set(parents.values())) == len(parents) - 1
    assert [one.time for one in of(Interruption, TURNS)] == ["2026-03-02T09:00:44.000Z"]


def test_going_back_to_a_copy_goes_back_to_what_it_copies(tmp_path: Path) -> None:
    """After a compaction the client knows the kept messages by new ids."""
    path = session(
        tmp_path,
        message("a", "user", "First"),
        message("b", "gemini", "One."),
        message("c", "user", "Second"),
        rewritten(message("s", "user", [{"text": SNAPSHOT}]), message("copy", "user", [{"text": "Second"}])),
        {"$rewindTo": "copy"},
        message("d", "user", "Third"),
        {"$rewindTo": "nobody knows this one"},
        message("e", "user", "Fourth"),
    )
    parents = {one.text: one.parent for one in of(Prompt, path)}
    assert parents["Second"] == parents["Third"] == "b"
    assert parents["Fourth"] == "d"


def test_a_session_that_is_copied_message_for_message_is_told_once(tmp_path: Path) -> None:
    """So the client does it when it cut long results and has no ids for them."""
    around = message("x", "user", [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}])
    path = session(
        tmp_path,
        rewritten({**around, "id": "env"}),
        message("a", "user", "Go on"),
        message("b", "gemini", "Gone on."),
        message("c", "user", "Go on"),
        around,
        message("a2", "user", [{"text": "Go on"}]),
        message("b2", "gemini", [{"text": "Gone on."}]),
        rewritten(around, message("a2", "user", "Go on"), message("b2", "gemini", "Gone on.")),
        message("d", "user", "Go on"),
    )
    assert [one.uid for one in of(Prompt, path)] == ["a", "c", "d"]
    assert len(of(Reply, path)) == 1


def test_a_call_is_told_when_it_begins_and_when_it_ends(tmp_path: Path) -> None:
    """The session may be killed in between."""
    running = {**called("run_shell_command", None, status="executing"), "result": None}
    done = called("run_shell_command", "Output: hi\nProcess Group PGID: 7")
    begun = message("g", "gemini", "", toolCalls=[running])
    path = session(tmp_path, message("u", "user", "Run"), begun)
    assert len(of(Call, path)) == 1 and not of(Result, path)
    path = session(tmp_path, message("u", "user", "Run"), begun, message("g", "gemini", "", toolCalls=[done]))
    assert [(one.outcome, one.text, one.exit_code) for one in of(Result, path)] == [("ok", "hi", 0)]
    assert len(of(Call, path)) == 1


def test_an_id_that_comes_again_in_another_message_is_another_call(tmp_path: Path) -> None:
    """Servers that number their calls begin again with each request."""
    one = message("g1", "gemini", "", toolCalls=[called("read_file", "a", args={"file_path": "/w/a"})])
    two = message("g2", "gemini", "", toolCalls=[called("read_file", "b", args={"file_path": "/w/b"})])
    path = session(tmp_path, one, two, one, rewritten(one, two))
    assert [one.text for one in of(Result, path)] == ["a", "b"]
    assert len(of(Call, path)) == 2


def test_a_result_that_only_the_model_was_given_counts(tmp_path: Path) -> None:
    """Of some turns nothing else is left."""
    path = session(
        tmp_path,
        message("g", "gemini", [{"functionCall": {"id": "c1", "name": "glob", "args": {"pattern": "*"}}}]),
        message("u", "user", [{"functionResponse": {"id": "c1", "name": "glob", "response": {"error": "too many"}}}]),
    )
    assert [(one.call, one.outcome, one.text) for one in of(Result, path)] == [("c1", "error", "too many")]


def test_usage_that_comes_later_counts_once(tmp_path: Path) -> None:
    """The client writes an answer first and what it cost a moment after."""
    tokens = {"input": 10, "output": 2, "cached": 4, "thoughts": 3, "tool": 1, "total": 16}
    bare, full = message("g", "gemini", "Hi.", model="m"), message("g", "gemini", "Hi.", model="m", tokens=tokens)
    path = session(tmp_path, bare, full, full, rewritten(bare))
    (used,) = of(Usage, path)
    assert (used.input, used.cache_read, used.output, used.model) == (7, 4, 5, "m")
    assert used.input + used.cache_write + used.cache_read + used.output == tokens["total"]
    assert len(of(Reply, path)) == 1


def test_a_document_says_what_its_lines_would(tmp_path: Path) -> None:
    """Older versions write one document, which a newer one copies into lines."""
    found = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    messages = found.pop("messages")
    copied = recordings.lines(tmp_path / "copied.jsonl", [found, *messages])
    assert rendered(copied.read_bytes()) == rendered(DOCUMENT.read_bytes())
    assert not [one for one in of(Prompt, DOCUMENT) if "continue" in one.text]
    assert not [one for one in recordings.records(DOCUMENT) if "SECRETTHOUGHT" in str(one)]


@pytest.mark.parametrize("manner", [{"indent": 2}, {"indent": None}], ids=["pretty", "one line"])
def test_a_torn_document_keeps_its_whole_messages(manner: dict[str, Any]) -> None:
    """The client was killed while it rewrote the file."""
    text = json.dumps(json.loads(DOCUMENT.read_text(encoding="utf-8")), **manner)
    whole = rendered(text.encode())
    lengths = set()
    for cut in range(0, len(text), 61):
        found = [line for line in rendered(text[:cut].encode()) if line["type"] != "broken"]
        for line in found:
            line.pop("cwd", None)
        assert found == [{key: line[key] for key in line if key != "cwd"} for line in whole[: len(found)]]
        lengths.add(len(found))
    assert max(lengths) > 10


def test_the_folder_is_the_one_that_has_the_hash() -> None:
    """The session names several folders: those of the workspace, and those of all files that it touched."""
    for path in (STORY, TURNS, DOCUMENT):
        assert len({one.cwd for one in of(Context, path)}) == 1
    assert {one.cwd for one in of(Context, STORY)} == {"/home/dev/till"}
    assert {one.cwd for one in of(Context, TURNS)} == {"/home/mira/tide"}  # the second of its workspace
    assert {one.cwd for one in of(Context, DOCUMENT)} == {"/home/mira/tide"}  # only its files tell


def test_a_file_that_a_resume_leaves_behind_holds_nothing() -> None:
    """The client begins it, and goes on in the old one."""
    assert rendered((FOLDER / "0.61.0-resume-stub.jsonl").read_bytes()) == []


_ENTRY = st.sampled_from([json.loads(line) for line in TURNS.read_text(encoding="utf-8").splitlines()])
_VALUE: st.SearchStrategy[Any] = (
    st.none() | st.integers() | st.text(max_size=6) | st.just([]) | st.just([7, None, "x"]) | st.just({"id": 1})
)


@st.composite
def _changed(draw: st.DrawFn) -> dict[str, Any]:
    """An entry in which a value is another one."""
    entry: dict[str, Any] = json.loads(json.dumps(draw(_ENTRY)))
    place: Any = entry
    while True:
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else list(range(len(place)))))
        if not (isinstance(place[key], dict | list) and place[key] and draw(st.booleans())):
            place[key] = draw(_VALUE)
            return entry
        place = place[key]


@given(st.lists(_changed() | _ENTRY, max_size=6))
def test_no_change_of_a_fields_type_raises(found: Sequence[dict[str, Any]]) -> None:
    """Clients change their format without notice: any value can stand anywhere."""
    data = b"".join(json.dumps(entry).encode() + b"\n" for entry in found)
    assert rendered(data) == rendered(data)


@given(st.binary(max_size=300) | st.binary(max_size=60).map(lambda noise: TURNS.read_bytes()[:700] + noise + b"\n{"))
def test_no_bytes_raise(data: bytes) -> None:
    """A disk that is full or a crash leaves anything behind."""
    for line in rendered(data):
        json.dumps(line)
