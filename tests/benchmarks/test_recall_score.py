"""The scorer: a payload gets exactly what it says, and a control gets next to nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.recall.check_keys import Session, violations
from benchmarks.recall.keys import BadKey, Key, chain_of, load
from benchmarks.recall.score import normalise, score


def fact(id: str, *match: list[str], **more: object) -> dict[str, object]:
    return {"id": id, "text": f"about {id}", "evidence": [{"line": 1}], "match": list(match), **more}


def key_data(**more: object) -> dict[str, object]:
    return {
        "pair_id": "harbour-01",
        "session_n": {"file": "claude-code/port/harbour/01-a.jsonl"},
        "goal": fact("g", ["quay", "crane"]),
        "decisions": [fact("d1", ["berth_number"], ["berth", "number"])],
        "needed_by_n1": [fact("w1", ["tide table"], weight=3)],
        "traps": [{"id": "t1", "text": "still open", "match": [["crane", "is broken"]]}],
        **more,
    }


def key_of(tmp_path: Path, **more: object) -> Key:
    path = tmp_path / "key.json"
    path.write_text(json.dumps(key_data(**more)), encoding="utf-8")
    return load(path)


def test_each_number_counts_its_own_facts(tmp_path: Path):
    """`all` ignores weights, `needed` looks at what the next session needed, `weighted` at everything by weight."""
    found = score("The crane at the quay needs a berth number.", key_of(tmp_path))
    assert (found.all, found.needed, found.weighted) == (2 / 3, 0.0, 2 / 5)
    assert [missed.id for missed in found.missed] == ["w1"]


def test_how_a_fact_is_set_does_not_matter(tmp_path: Path):
    """Backticks, bold, capitals and line breaks are no reason to miss a fact, or style would be measured."""
    found = score("See the **Tide**\n  `table`.", key_of(tmp_path))
    assert found.needed == 1.0


def test_an_underscore_is_not_forgiven(tmp_path: Path):
    """Identifiers must be right to the letter: `berthnumber` would send the next agent searching."""
    key = key_of(tmp_path, decisions=[fact("d1", ["berth_number"])])
    assert "d1" in [missed.id for missed in score("the berthnumber, the berth number", key).missed]


def test_half_an_alternative_recalls_nothing(tmp_path: Path):
    """Two substrings are asked for because each of them alone says nothing."""
    assert score("a crane", key_of(tmp_path)).all == 0.0


def test_a_false_statement_is_a_trap(tmp_path: Path):
    """A payload that recalls everything and says one false thing misleads."""
    assert [trap.id for trap in score("The crane is broken.", key_of(tmp_path)).traps] == ["t1"]


def test_no_needed_facts_is_no_number(tmp_path: Path):
    """A missing section must not count as nothing recalled, nor as everything."""
    assert score("", key_of(tmp_path, needed_by_n1=[])).needed is None


def test_what_an_audit_set_aside_can_be_scored(tmp_path: Path):
    """Taking hard facts out raises every score; the difference must stay visible."""
    aside = {"section": "decisions", "why": "a double", **fact("d9", ["bollard", "rope"])}
    key = key_of(tmp_path, set_aside=[aside])
    assert len(key.facts) == 3
    assert len(key.with_set_aside().facts) == 4
    assert score("quay crane berth_number tide table", key).all == 1.0
    assert score("quay crane berth_number tide table", key.with_set_aside()).all == 3 / 4


@pytest.mark.parametrize(
    "broken",
    [
        {"decisions": [fact("g", ["x", "y"])]},
        {"decisions": [fact("d", [])]},
        {"decisions": [fact("d", ["", "y"])]},
        {"decisions": [{"id": "d", "text": "no match"}]},
        {"needed_by_n1": [fact("w1", ["x", "y"], weight=7)]},
        {"set_aside": [{"section": "elsewhere", **fact("d9", ["x", "y"])}]},
        {"session_n": None},
    ],
    ids=["id twice", "empty alternative", "empty substring", "no match", "weight", "section", "no session"],
)
def test_a_broken_key_is_refused(tmp_path: Path, broken: dict[str, object]):
    """An empty substring occurs in every payload: a slip in a key would be scored as recall."""
    with pytest.raises(BadKey):
        key_of(tmp_path, **broken)


def test_sessions_of_one_branch_are_one_chain():
    """They share facts, also across clients: as controls for each other they would make a good key look weak."""
    assert chain_of("claude-code/git-sync/move/02-b.jsonl") == chain_of("codex/git-sync/move/01-a.jsonl")
    assert chain_of("claude-code/other/one.jsonl") != chain_of("claude-code/other/two.jsonl")


OWN = "claude-code/port/harbour/01-a.jsonl"


def session(*messages: str) -> Session:
    normalised = tuple(normalise(message) for message in messages)
    return Session("\n".join(normalised), normalised)


def test_a_distinctive_key_has_no_violations(tmp_path: Path):
    """The check must let good keys pass, or it will be ignored."""
    sessions = {
        OWN: session("the quay crane", "berth_number: berth number", "tide table"),
        "claude-code/x/y/1": session(),
    }
    key = key_of(tmp_path, goal=fact("g", ["quay", "crane"]), decisions=[fact("d1", ["berth number", "berth_number"])])
    assert list(violations(key, sessions)) == []


def test_common_words_are_no_evidence(tmp_path: Path):
    """A fact that another session's text also recalls measures nothing."""
    sessions = {OWN: session("quay crane berth_number tide table"), "claude-code/x/y/1": session("tide table")}
    assert any("100% of the other sessions" in line for line in violations(key_of(tmp_path), sessions))


def test_two_words_that_only_share_a_session_are_distinctive(tmp_path: Path):
    """Long sessions hold most words somewhere; what counts is whether they are said together."""
    apart = session("a quay", "a crane")
    sessions = {OWN: session("quay crane berth_number tide table"), "claude-code/x/y/1": apart}
    assert not any(line.startswith("g:") for line in violations(key_of(tmp_path), sessions))


def test_a_fact_that_is_not_in_the_session_is_reported(tmp_path: Path):
    """No payload can recall what was never said; beside what was said an honest summary's own words may stand."""
    assert any("own words" in line for line in violations(key_of(tmp_path), {OWN: session("quay crane berth_number")}))
    said = session("tide table", "quay crane berth_number")
    assert not any("own words" in line for line in violations(key_of(tmp_path), {OWN: said}))
