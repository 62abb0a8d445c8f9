"""Gates as they are computed: the rules of a place, kept current by whoever records something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.app.ports import runtime_dir
from clew.app.project.gate_state import refresh_everywhere
from clew.app.project.gates import refresh
from clew.app.record.item import edit, resolve, retract
from clew.app.tasks.lifecycle import task_bind, task_end, task_new
from tests.app.recorders import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A project that a person opted in."""
    made = Shop(tmp_path)
    opted_in(made, made.top)
    return made


def opted_in(shop: Shop, top: Path) -> Path:
    live = Path(runtime_dir(shop.ada, top))
    live.mkdir(parents=True)
    (live / "root").write_text(f"{top}\n")
    return live


def gates(shop: Shop, top: Path | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(runtime_dir(shop.ada, top or shop.top), "gates.json").read_bytes())
    return found


def test_what_is_recorded_is_a_rule_at_once(shop: Shop) -> None:
    """The hook of the very next tool call must know it."""
    shop.note("file", "src/a.py", status="off limits", why="generated")
    shop.note("file", "src/b.py", status="done")
    late = shop.noted("deferral", "Round later", files=("src/b.py",))
    dead = shop.noted("failed", "Use moment", why="It is 300 KB", guard=("npm i moment", "lib/*", "import moment"))
    found = gates(shop)
    assert 1 == found["v"]
    assert str(shop.top) == found["root"]
    assert [["src/a.py", found["offlimits"][0][1], ": generated"]] == found["offlimits"]
    assert [["src/b.py", late[:6], "Round later"]] == found["deferred"]
    reason = (
        f"{dead[:6]}: “Use moment” was tried and failed: It is 300 KB. "
        "Take another way; if there is none, ask the person you work for."
    )
    assert {"npm": [[["npm", "i", "moment"], dead[:6], reason]]} == found["guards"]["commands"]
    assert [["lib/*", dead[:6], reason]] == found["guards"]["paths"]
    assert [["import moment", dead[:6], reason]] == found["guards"]["words"]


def test_a_rule_ends_with_its_item(shop: Shop) -> None:
    """What was taken back or is over stops nobody."""
    dead = shop.noted("failed", "Use moment", why="x", guard=("moment",))
    late = shop.noted("deferral", "Round later", files=("src/b.py",))
    retract(shop.by_person, dead)
    resolve(shop.by_person, late)
    assert ([], []) == (gates(shop)["guards"]["words"], gates(shop)["deferred"])


def test_an_agent_cannot_lift_a_persons_rule_and_can_its_own(shop: Shop) -> None:
    """Gates are the person's; what an agent found out it may find out better."""
    person = shop.noted("failed", "Use moment", why="x", guard=("moment",))
    agent = shop.noted("failed", "Use luxon", why="x", guard=("luxon",), by=shop.bot)
    with pytest.raises(Exception, match="person"):
        retract(shop.by_agent, person)
    retract(shop.by_agent, agent)
    assert ["moment"] == [row[0] for row in gates(shop)["guards"]["words"]]


def test_a_persons_rules_hold_in_every_task_and_an_agents_in_its_own(shop: Shop) -> None:
    """Whoever opens a task or makes a branch would else end them; what an agent found in another task is about that."""
    shop.note("failed", "Everywhere wrong", why="x", guard=("everywhere",), by=shop.bot)
    first = task_new(shop.by_person, "First").task
    shop.noted("failed", "Wrong in the first", why="x", guard=("here",), by=shop.bot)
    shop.note("failed", "The person's", why="x", guard=("persons",))
    shop.note("file", "src/a.py", status="off limits")
    assert {"everywhere", "here", "persons"} == {row[0] for row in gates(shop)["guards"]["words"]}
    assert first is not None
    assert first.id == gates(shop)["task"]
    second = task_new(shop.by_person, "Second", bind=False).task
    assert second is not None
    task_bind(shop.by_person, second.id, switch=True)
    assert {"everywhere", "persons"} == {row[0] for row in gates(shop)["guards"]["words"]}
    for away in (("checkout", "-q", "-b", "x"), ("checkout", "-q", "--detach")):
        shop.repo.git(*away)
        with shop.desk() as at:
            refresh(shop.ada, at)
        found = gates(shop)
        assert "" == found["task"]
        assert (["src/a.py"], "persons") == ([row[0] for row in found["offlimits"]], found["guards"]["words"][-1][0])
    task_end(shop.by_person, first.id, change="close")
    assert not gates(shop)["offlimits"], "the person who closed the task did"


def test_a_prohibition_that_names_a_file_or_a_command_warns(shop: Shop) -> None:
    """Said in a prompt or noted: the words count, and the file has to be there."""
    shop.repo.write("till/label.py", "x = 1\n")
    said = shop.noted("constraint", "Don't touch till/label.py until Mia is back")
    shop.note("constraint", "Never run `npm publish`, and do not edit Node.js")
    shop.note("constraint", "Do not edit till/label.py, says the agent", by=shop.bot)
    found = gates(shop)["forbidden"]
    reason = (
        f"“Don't touch till/label.py until Mia is back” ({said[:6]}; the user said so). "
        "Leave it; if the work needs it, ask the person you work for."
    )
    assert [["till/label.py", "warn", said[:6], reason]] == found["paths"]
    assert ["npm", "publish"] == found["commands"]["warn"]["npm"][0][0]
    edit(shop.by_person, said, {"status": "off limits"})
    assert ["deny"] == [row[1] for row in gates(shop)["forbidden"]["paths"]]
    resolve(shop.by_person, said)
    assert [] == gates(shop)["forbidden"]["paths"]


def test_the_file_carries_the_position_and_is_left_alone_without_news(shop: Shop) -> None:
    """Looking changes nothing; and whoever reads it can tell whether it is as of now."""
    shop.note("finding", "The tide is ten")
    with shop.desk(write=False) as at:
        assert at.ledger.position() == gates(shop)["position"]
    file = Path(runtime_dir(shop.ada, shop.top), "gates.json")
    before = file.stat().st_mtime_ns, file.stat().st_ino
    with shop.desk():
        pass
    assert before == (file.stat().st_mtime_ns, file.stat().st_ino)
    with shop.desk() as at:
        refresh(shop.ada, at)
    assert before != (file.stat().st_mtime_ns, file.stat().st_ino)
    assert 0o600 == file.stat().st_mode & 0o777


def test_nothing_is_written_where_nobody_opted_in(tmp_path: Path) -> None:
    """A ledger alone makes no gates, and no folder."""
    shop = Shop(tmp_path)
    shop.note("failed", "Use moment", why="x", guard=("moment",))
    assert not Path(runtime_dir(shop.ada, shop.top)).exists()
    assert not (shop.ada.trust_store.parent / "live").exists()


def test_other_work_trees_hear_of_it(shop: Shop, tmp_path: Path) -> None:
    """Two sessions of one project must not each have to fall into the same hole."""
    shop.repo.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    other = (tmp_path / "other").resolve()
    opted_in(shop, other)
    shop.note("failed", "Use moment", why="x", guard=("moment",))
    assert ["moment"] == [row[0] for row in gates(shop, other)["guards"]["words"]]
    assert (str(other), "other") == (gates(shop, other)["root"], gates(shop, other)["branch"])


def test_a_settings_change_holds_everywhere_at_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that a person has just closed must not stay open until somebody records something."""
    shop.note("finding", "The tide is ten")
    assert "off" == gates(shop)["levels"]["confirm"]
    config = shop.home / ".config" / "clew" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('gate.confirm = "deny"\ngate.stale = "off"\n')
    refresh_everywhere(shop.ada)
    unchanged = {"plan": "deny", "offlimits": "deny", "guard": "warn", "repeat": "warn", "parallel": "warn"}
    assert {**unchanged, "confirm": "deny", "stale": "off"} == gates(shop)["levels"]


def test_what_gates_depend_on_is_off_limits(shop: Shop) -> None:
    """The ledger, our own folders, and the files that say which hooks run."""
    shop.note("finding", "The tide is ten")
    protected = [path for path, _ in gates(shop)["protected"]]
    wanted = [".clew", ".git/clew", ".claude/settings.json", ".claude/settings.local.json"]
    homes = [".config/clew", ".local/share/clew", ".claude/settings.json", ".claude/settings.local.json"]
    assert {*(str(shop.top / one) for one in wanted), *(str(shop.home / one) for one in homes)} <= set(protected)
    assert str(shop.top / "src") not in protected


def test_the_folders_of_sessions_are_off_limits(shop: Shop) -> None:
    """A session that an agent writes by hand would speak for a person. Who works in one is left alone."""
    shop.note("decision", "Anything")
    found = dict(gates(shop)["records"])
    assert {str(shop.home / ".claude/projects"), str(shop.home / ".codex/sessions")} <= set(found)
    assert all("off limits" in reason for reason in found.values())
    within = shop.ada._replace(session_folders=lambda: (shop.top.parent, shop.home / ".claude/projects"))
    with shop.desk() as at:
        refresh(within, at)
    assert [str(shop.home / ".claude/projects")] == [path for path, _ in gates(shop)["records"]]


def test_what_cannot_be_computed_leaves_the_old_rules_and_the_deed(shop: Shop) -> None:
    """A settings file with a slip must not keep anybody from recording; the gates stay as they were."""
    shop.note("failed", "Use moment", why="x", guard=("moment",))
    config = shop.home / ".config" / "clew" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("gate.confirm = 'perhaps'\n")
    shop.note("finding", "The tide is ten")
    assert "The tide is ten" in shop.live()
    assert ["moment"] == [row[0] for row in gates(shop)["guards"]["words"]]


def test_words_of_anybody_are_one_clean_short_line(shop: Shop) -> None:
    """They are told to a model and shown in terminals."""
    shop.note("failed", "Use\x1b[31m moment " + "very " * 100, why="line\none\n\u202e" * 50, guard=("moment",))
    reason = gates(shop)["guards"]["words"][0][2]
    assert len(reason) < 400
    assert reason.isprintable()


def test_a_redacted_name_is_no_rule(shop: Shop) -> None:
    """A placeholder names no file, and no command."""
    secret = "gh" + "p_" + "a1B2" * 9
    shop.note("failed", "Log in", why="x", guard=(f"login --token {secret}",))
    assert {} == gates(shop)["guards"]["commands"]
    assert secret not in json.dumps(gates(shop))
