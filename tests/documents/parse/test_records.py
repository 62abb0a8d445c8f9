"""State files in JSON and YAML: the same words as keys, each item with its lines."""

from __future__ import annotations

import json

from clew.documents.parse import parse
from clew.documents.parse.records import read_json
from tests.documents.parse.told import kinds, told


def test_a_state_file() -> None:
    """Keys name what headings name; settings and states are no items."""
    state = {
        "goal": "ship v1",
        "nextAction": "wire the webhook",
        "blockers": ["need a key"],
        "decisions": [{"decision": "use SQLite", "why": "one file"}],
        "completed": ["the parser"],
        "files": {"modified": ["src/a.py"]},
        "lastRun": "2026-01-01T00:00:00Z",
        "queueLength": 0,
        "mode": "fast",
        "notes": "The loop is proved.",
    }
    assert [
        ("goal", "", "ship v1"),
        ("next", "", "wire the webhook"),
        ("blocker", "", "need a key"),
        ("decision", "", "use SQLite"),
        ("step", "done", "the parser"),
        ("file", "", "src/a.py"),
        ("note", "", "The loop is proved."),
        ("note", "", "mode: fast"),
    ] == told(json.dumps(state), name="state.json")


def test_a_feature_list_has_lines_and_loses_no_word() -> None:
    """An editor jumps there; what the entry does not tell stays as a note."""
    features = [
        {"id": 1, "title": "Themes", "status": "done", "owner": "Tom Reed"},
        {"title": "Login", "passes": False, "steps": ["open it", "type"]},
    ]
    parsed = parse(json.dumps({"features": features}, indent=2), name="feature_list.json")
    assert [
        ("step", "done", "Themes; owner: Tom Reed", 3),
        ("step", "pending", "Login", 9),
        ("note", "", "open it", 13),
        ("note", "", "features: Login: steps: type", 14),
    ] == [(entry.kind, entry.status, entry.text, entry.lines.first) for entry in parsed.entries]
    assert "json" == parsed.format


def test_phases_bring_their_tasks() -> None:
    """What a step holds tells of it, unless it has a state of its own."""
    state = {
        "phases": [{"name": "Phase 1", "status": "done", "tasks": ["parse it", "lint it"]}],
        "stories": [
            {"title": "As a user", "acceptanceCriteria": ["a b"], "subtasks": [{"title": "do it", "done": True}]}
        ],
    }
    assert [
        ("phase", "Phase 1"),
        ("step", "parse it"),
        ("step", "lint it"),
        ("step", "As a user"),
        ("note", "a b"),
        ("step", "do it"),
    ] == [(kind, text) for kind, _, text in told(json.dumps(state))]


def test_settings_and_logs_are_no_items() -> None:
    """Most JSON in a repository is neither plan nor state."""
    assert {"note"} >= set(kinds('{"provider": "codex", "max_hours": 18, "tools": ["a b"]}', name="config.json"))
    assert ["note"] >= kinds(
        '{"timestamp": "2026-01-01T00:00:00Z", "event": "saved", "reason": "all is well"}\n', name="x.jsonl"
    )


def test_issues_of_a_tracker() -> None:
    """Beads: an epic is a phase, closed is done, the description is the reason."""
    rows = [
        {"id": "a-1", "title": "Badge", "description": "Show a count.", "status": "closed", "issue_type": "task"},
        {"id": "a-2", "title": "Signing", "status": "open", "issue_type": "epic", "labels": ["ux"]},
    ]
    parsed = parse("\n".join(map(json.dumps, rows)) + "\n", name="issues.jsonl")
    assert "beads" == parsed.format
    assert [("step", "done", "Badge", "Show a count.", 1), ("phase", "pending", "Signing", "", 2)] == [
        (e.kind, e.status, e.text, e.why, e.lines.first) for e in parsed.entries
    ]


def test_a_yaml_handoff() -> None:
    """Keys and lists, a line each."""
    text = "---\ndate: 2026-01-08\n---\ngoal: build it well\nfailed:\n  - polling\n"
    text += "next:\n  - a b\n  - c d\ntasks:\n  - title: e f\n    status: done\n"
    parsed = parse(text, name="h.yaml")
    assert [
        ("goal", "build it well", 4),
        ("failed", "polling", 6),
        ("next", "a b", 8),
        ("step", "c d", 9),
        ("step", "e f", 11),
    ] == [(e.kind, e.text, e.lines.first) for e in parsed.entries]
    assert ("yaml", "2026-01-08") == (parsed.format, parsed.date)


def test_trees_know_their_lines_and_refuse_what_is_too_deep() -> None:
    """Nesting is bounded: a parser that recurses must not be led into the depth."""
    node = read_json('{\n "a": [1,\n  "x"],\n "b": {"c": null}}')
    assert node is not None and node.pairs is not None
    assert [("a", 2, 3), ("b", 4, 4)] == [(key, value.first, value.last) for key, value in node.pairs]
    assert read_json("[" * 100 + "]" * 100) is None
    assert read_json("{") is None


def test_what_a_key_allows_or_forbids_is_nothing_to_be_done() -> None:
    """And no word is lost where all of a file stands on one line."""
    text = '{"next_steps": "do not b", "constraints": {"allowed": ["push it"]}, "status": "blocked", "error": "boom"}'
    assert [
        ("constraint", "", "do not b"),
        ("note", "", "allowed: push it"),
        ("note", "", "status: blocked"),
        ("note", "", "error: boom"),
    ] == told(text, name="state.json")


def test_parts_are_told_with_what_they_are_parts_of() -> None:
    """The name of the list that they stand in says nothing; what is put off is a deferral."""
    tasks = [
        {"title": "Chart it", "status": "in-progress", "subtasks": [{"title": "Sound it", "status": "pending"}]},
        {"title": "Sell it", "status": "deferred"},
    ]
    parsed = parse(json.dumps({"master": {"tasks": tasks}}, indent=1), name="tasks.json")
    found = [(one.kind, one.status, one.label, one.text) for one in parsed.entries if one.kind != "note"]
    assert found == [
        ("step", "in progress", "master", "Chart it"),
        ("step", "pending", "Chart it", "Sound it"),
        ("deferral", "", "master", "Sell it"),
    ]
