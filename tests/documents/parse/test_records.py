"""State files in JSON, JSONL and YAML: the same words as keys, each item with its lines."""

from __future__ import annotations

import json

from clew.documents.parse import parse
from clew.documents.parse.tree import read_json, read_yaml
from tests.documents.parse.told import kinds, told


def test_a_state_file() -> None:
    """Keys name what headings name."""
    state = {
        "goal": "ship v1",
        "current_phase": "Phase 2",
        "nextAction": "wire the webhook",
        "blockers": ["need a key"],
        "decisions": [{"decision": "use SQLite", "why": "one file"}],
        "completed": ["parser"],
        "openQuestions": [],
        "files": {"modified": ["src/a.py"]},
        "lastRun": "2026-01-01T00:00:00Z",
        "queueLength": 0,
        "status": "checkpointed",
    }
    assert [
        ("goal", "", "ship v1"),
        ("phase", "", "Phase 2"),
        ("next", "", "wire the webhook"),
        ("blocker", "", "need a key"),
        ("decision", "", "use SQLite"),
        ("step", "done", "parser"),
        ("file", "", "src/a.py"),
        ("finding", "", "status: checkpointed"),
    ] == sorted(told(json.dumps(state), name="state.json"), key=lambda row: row[0] == "finding")


def test_a_feature_list_has_lines() -> None:
    """An editor jumps there; a merge writes there."""
    text = json.dumps(
        {"features": [{"id": 1, "title": "Themes", "status": "done"}, {"title": "Login", "passes": False}]}, indent=2
    )
    parsed = parse(text, name="feature_list.json")
    assert [("step", "done", "Themes", (3, 7)), ("step", "pending", "Login", (8, 11))] == [
        (e.kind, e.status, e.text, tuple(e.lines)) for e in parsed.entries
    ]
    assert "json" == parsed.format


def test_phases_bring_their_tasks_and_steps_only_those_with_a_status() -> None:
    """What a story accepts is part of the story; a sub-task with a state is not."""
    state = {
        "phases": [{"name": "Phase 1", "status": "done", "tasks": ["parse", "lint"]}],
        "userStories": [
            {"title": "As a user", "acceptanceCriteria": ["a b", "c d"], "subtasks": [{"title": "do it", "done": True}]}
        ],
    }
    assert ["Phase 1", "parse", "lint", "As a user", "do it"] == [row[2] for row in told(json.dumps(state))]


def test_settings_and_logs_are_no_items() -> None:
    """Most JSON in a repository is neither plan nor state."""
    assert [] == kinds('{"provider": "codex", "max_hours": 18, "tools": ["a b"]}', name="config.json")
    assert [] == kinds(
        '{"timestamp": "2026-01-01T00:00:00Z", "event": "saved", "reason": "all is well"}\n', name="x.jsonl"
    )


def test_issues_of_a_tracker() -> None:
    """Beads: an epic is a phase, closed is done, the description is the reason."""
    rows = [
        {"id": "a-1", "title": "Badge", "description": "Show a count.", "status": "closed", "issue_type": "task"},
        {
            "id": "a-2",
            "title": "Signing",
            "status": "open",
            "issue_type": "epic",
            "acceptance_criteria": "all of it works",
        },
    ]
    parsed = parse("\n".join(map(json.dumps, rows)) + "\n", name="issues.jsonl")
    assert "beads" == parsed.format
    assert [("step", "done", "Badge", "Show a count.", 1), ("phase", "pending", "Signing", "", 2)] == [
        (e.kind, e.status, e.text, e.why, e.lines.first) for e in parsed.entries
    ]
    assert any("all of it works" in note.text for note in parsed.notes)


def test_a_yaml_handoff() -> None:
    """Front matter and keys; a line each."""
    text = (
        "---\ndate: 2026-01-08\nstatus: partial\n---\ngoal: build it well\n"
        "now: run the tests\nfailed:\n  - polling\nnext:\n  - a\n  - b\n"
    )
    parsed = parse(text, name="h.yaml")
    assert [
        ("finding", "status: partial", 3),
        ("goal", "build it well", 5),
        ("next", "run the tests", 6),
        ("failed", "polling", 8),
        ("next", "a", 10),
        ("step", "b", 11),
    ] == [(e.kind, e.text, e.lines.first) for e in parsed.entries]
    assert ("yaml", "2026-01-08") == (parsed.format, parsed.date)


def test_a_task_file() -> None:
    """Backlog.md: its title and description are the goal, its boxes the criteria."""
    text = (
        "---\nid: BACK-1\ntitle: 'CLI: view'\nstatus: Done\n---\n\n## Description\n\nShow tasks.\n\n"
        "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 it scrolls\n<!-- AC:END -->\n"
    )
    parsed = parse(text, name="back-1 - view.md")
    assert ("backlog", "CLI: view") == (parsed.format, parsed.title)
    assert [("goal", 3), ("goal", 9), ("step", 13)] == [(e.kind, e.lines.first) for e in parsed.entries]


def test_spec_kit_tasks() -> None:
    """`- [ ] T001 [P] …` below a phase."""
    text = "# Tasks: Albums\n\n## Phase 1: Setup\n\n- [ ] T001 [P] Create it\n- [X] T002 Lint it in `a.toml`\n"
    assert [("phase", ""), ("step", "pending"), ("step", "done")] == [row[:2] for row in told(text)]


def test_trees_know_their_lines_and_refuse_what_is_too_deep() -> None:
    """Nesting is bounded: a parser that recurses must not be led into the depth."""
    node = read_json('{\n "a": [1,\n  "x"],\n "b": {"c": null}}')
    assert node is not None and node.pairs is not None
    assert [("a", 2, 3), ("b", 4, 4)] == [(key, value.first, value.last) for key, value in node.pairs]
    assert read_json("[" * 100 + "]" * 100) is None
    assert read_json("{") is None
    assert [] == read_yaml("a: " + "[" * 100 + "]" * 100)
    assert [] == read_yaml("a: !!python/object/apply:os.system [ls]\nb: [")


def test_an_alias_is_followed_once() -> None:
    """Nine lines of YAML can stand for a billion values."""
    rows = ["a0: &a0 [x y z]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    assert 10 == len((read_yaml("\n".join(rows))[0].pairs) or ())


def test_the_notes_of_a_state_file_tell_a_finding() -> None:
    """They are where people write what the fields cannot say; a word or two are none."""
    assert [("finding", "", "The loop is proved on the main net.")] == told(
        '{"version": 2, "notes": "The loop is proved on the main net.", "mode": "ok"}', name="state.json"
    )


def test_words_in_a_list_of_rules_are_values() -> None:
    """ "valid_status": ["done", "open"] forbids nothing."""
    assert [("constraint", "", "one task at a time")] == told(
        '{"rules": {"valid_status": ["done", "open"], "note": ["one task at a time"]}}', name="list.json"
    )


def test_the_files_of_a_task_stand_in_its_front_matter() -> None:
    """Backlog.md lists there what was changed."""
    text = "---\nid: B-1\ntitle: Bar\nstatus: Done\nmodified_files:\n  - src/bar.ts\n---\n\n## Notes\n"
    assert [("goal", "", "Bar"), ("file", "", "src/bar.ts")] == told(text)
