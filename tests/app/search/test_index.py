"""The index of searches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.search.index import Filters, Passage, SearchIndex, SearchSource

TURNS = [
    Passage(
        "Make the tide ten", "I changed saveTide in the harbour.", "src/tide.py", at=0, time="2026-11-01T10:00:00Z"
    ),
    Passage("And the moon?", "The moon stays as it was.", "pytest -q", at=900, time="2026-11-03T10:00:00Z"),
]


@pytest.fixture
def index() -> SearchIndex:
    """Two sessions in two projects, a document and a decision."""
    made = SearchIndex(":memory:")
    made.put(SearchSource("/s/a.jsonl", "session", "/shop", "claude-code", "aaa"), TURNS, again=True)
    other = [Passage("Paint the boat", "The boat is blue; nobody spoke of tides.", at=0, time="2026-10-01T10:00:00Z")]
    made.put(SearchSource("/s/b.jsonl", "session", "/dock", "codex", "bbb"), other, again=True)
    made.put(
        SearchSource("/shop/NOTES.md", "document", "/shop"), [Passage("Tide", "ten", at=3, kind="document")], again=True
    )
    decision = Passage("Keep the tide at ten", kind="decision", item="D-abcd", task="T-1")
    made.put(SearchSource("/l", "item", "/shop"), [decision], again=True)
    return made


def found(index: SearchIndex, question: str, **filters: object) -> list[str]:
    """What was found: sessions, ids of items, documents."""
    hits = index.search(question, Filters(**filters), limit=10)  # type: ignore[arg-type]
    return [hit.session or hit.item or hit.file for hit in hits]


def test_every_word_in_one_place_comes_first(index: SearchIndex) -> None:
    """Given two words, what holds both stands before what holds one of them."""
    first, *others = index.search("tide harbour", Filters(), limit=10)
    assert (first.session, first.all_terms) == ("aaa", True)
    assert others and not any(hit.all_terms for hit in others)


@pytest.mark.parametrize("question", ["saveTide", "save tide", "SAVE_TIDE", "saving tides"])
def test_names_are_found_as_people_write_them(index: SearchIndex, question: str) -> None:
    """Given a name in code, it is found by its words, in any case and form."""
    assert found(index, question)[0] == "aaa"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"client": "codex"}, {"bbb"}),
        ({"projects": ("/shop",)}, {"aaa", "D-abcd", "/shop/NOTES.md"}),
        ({"since": "2026-11-01"}, {"aaa"}),
        ({"until": "2026-11-01", "since": "2026"}, {"bbb"}),
        ({"file": "TIDE.py"}, {"aaa"}),
        ({"kind": "decision"}, {"D-abcd"}),
        ({"kind": "document"}, {"/shop/NOTES.md"}),
        ({"task": "T-2"}, set()),
    ],
)
def test_filters_leave_what_they_say(index: SearchIndex, filters: dict[str, object], expected: set[str]) -> None:
    """Given a filter, nothing else is found."""
    assert expected == set(found(index, "tide", **filters))


def test_passages_of_one_session_count_together(index: SearchIndex) -> None:
    """Given two turns that match, the session is found once, and tells how many."""
    (hit,) = index.search("tide moon", Filters(client="claude-code"), limit=10)
    assert hit.passages == 2 and "\x02" in hit.snippet


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("灯台", "ja"), ("灯", "ja"), ("光", "ja"), ("防波堤を修理", "ja"),
        ("parse_wave", "zh"), ("waveHeight", "zh"), ("浪高", "zh"),
        ("등대", "ko"), ("고쳤다", "ko"), ("灯塔", ""),
    ],
)  # fmt: skip
def test_words_are_found_in_text_without_spaces(index: SearchIndex, question: str, expected: str) -> None:
    """Given Chinese, Japanese or Korean, each word in a run is found, and a name of the code that touches one."""
    texts = {"ja": "防波堤を修理した。灯台の光", "zh": "修改parse_wave计算浪高的waveHeight值", "ko": "등대를 고쳤다"}
    for name, text in texts.items():
        index.put(SearchSource(f"/{name}", "session", "/p", session=name), [Passage("?", text, at=0)], again=True)
    hits = [hit for hit in index.search(question, Filters(), limit=10) if hit.all_terms]
    assert [hit.session for hit in hits] == [expected] * bool(expected)
    assert all(hit.snippet.replace("\x02", "").replace("\x03", "") == texts[expected] for hit in hits)


@pytest.mark.parametrize("question", ["value error", "saveTide", "tides", "浪高", "gulls"])
def test_an_excerpt_is_a_quotation(index: SearchIndex, question: str) -> None:
    """Given words that match by their parts or stems, the excerpt is the stored text and marks the whole word."""
    body = "Long ago. " * 60 + "Then saveTide(ten) raised ValueError: f_1 of the tide 浪高 " + "and so on " * 60
    index.put(SearchSource("/q", "session", "/q"), [Passage("gulls cry", body, at=0)], again=True)
    (hit,) = index.search(question, Filters(projects=("/q",)), limit=1)
    bare = hit.snippet.replace("\x02", "").replace("\x03", "").strip("…")
    assert bare and (bare in body or bare == "gulls cry")
    assert "\x02" in hit.snippet and len(bare) <= 200


def test_what_holds_no_longer_says_so_and_comes_last(index: SearchIndex) -> None:
    """Given a decision that another one took the place of, it stands behind that one, with its standing."""
    items = [
        Passage("Anchor in the bay bay bay", kind="decision", item="D-1", standing="superseded"),
        Passage("Anchor in the bay behind the mole, where it is calm", kind="decision", item="D-2"),
    ]
    index.put(SearchSource("/l", "item", "/shop"), items, again=True)
    assert [(hit.item, hit.standing) for hit in index.search("anchor bay", Filters(), limit=5)] == [
        ("D-2", ""),
        ("D-1", "superseded"),
    ]


def test_what_is_put_anew_replaces_what_was_there(index: SearchIndex) -> None:
    """Given a file that became another one, its old words are found no more."""
    index.put(
        SearchSource("/s/a.jsonl", "session", "/shop", "claude-code", "aaa"), [Passage("Only gulls", at=0)], again=True
    )
    assert found(index, "harbour") == [] and found(index, "gulls") == ["aaa"]
    index.forget(["/s/a.jsonl"])
    assert found(index, "gulls") == []


@given(st.text(max_size=60))
def test_any_question_is_answered(question: str) -> None:
    """Given whatever somebody types, FTS5's own syntax included, it is words."""
    index = SearchIndex(":memory:")
    index.put(SearchSource("/s", "session", "/p"), [Passage(question, at=0)], again=True)
    hits = index.search(question, Filters(), limit=5)
    assert all(hit.file == "/s" for hit in hits)
