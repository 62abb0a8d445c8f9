"""A stack from its file to its text and before a payload, with a real repository, ledger and command."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.memory.use import remember
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.trust import project_at, standings, trust
from clew.app.record.note import NewNote, note
from clew.app.stack.build import StackBuild, StackText, before_payload, build, changes, list_stacks, replay, use_stack
from clew.app.stack.gather import StackTools
from clew.app.stack.lock import VERSION, Lock, keep, read_lock, sha256_of, text_of
from clew.app.stack.stack_file import add_source, new_stack
from clew.app.tasks.lifecycle import task_end, task_new, task_show
from clew.core.errors import BudgetError, InputError, NotAllowed, NotFound
from clew.core.state.items import Authority
from clew.core.text.receipt import without_documents
from clew.core.text.tokens import ESTIMATED
from clew.documents.stack import document
from clew.workspace.objects import Objects
from tests.app.projects import PERSON, World
from tests.app.worlds import secrets


class Stacks(World):
    """A project with a stack `tides`, and its user's snippets."""

    def __init__(self, folder: Path, *, ledger: bool = True) -> None:
        super().__init__(folder, ledger=ledger)
        self.given = StackTools(ESTIMATED, folder / "snippets")
        new_stack(self.top, "tides", title="Tides", budget=4000)

    def ports_of(self, authority: Authority) -> Ports:
        """See `World`; the clock ticks whenever it is read."""
        # The deep engine is made in seconds for a new user; tests/secrets try it.
        plain = super().ports_of(authority)
        cache = self.home.parent / "cache"
        return plain._replace(now_ms=self.clock.tick, cache_folder=cache, deep_scan=lambda: None)

    def add(self, kind: str, *words: str, **keys: str) -> None:
        add_source(self.top, "tides", kind, words, keys)

    def build(self, **more: Any) -> StackBuild:
        return build(
            ProjectHandle(self.ports, self.top, bool(more.pop("dry_run", False))),
            self.given,
            "tides",
            **{"exit": "stdout", **more},
        )

    def trust_all(self) -> None:
        project = project_at(self.top)
        things = [one.thing for one in standings(self.ports.trust_store, project)]
        trust(self.ports.trust_store, project, things, said=PERSON, time="2026-11-25T10:00:00.000Z")


@pytest.fixture
def world(tmp_path: Path) -> Stacks:
    return Stacks(tmp_path)


def test_all_kinds_come_together(world: Stacks) -> None:
    """In the order of the file, each with where it is from, and within one data block that is known for ours."""
    note(world.by_person, NewNote("decision", "Page by cursor", why="rows move"))
    remember(world.by_person, "project", "tides", "They come twice a day")
    (world.top / ".clew/snippets").mkdir()
    (world.top / ".clew/snippets/rules.md").write_text("Mind the {{moon}}.\n")
    world.add("files", "README.md", "src")
    world.add("git-log")
    world.add("git-diff")
    world.add("snippet", "rules")
    world.add("memory", "tides")
    world.add("payload")
    world.add("command", "echo high water")
    world.add("text", "Ship on Friday", origin="mail from Bo", date="2026-11-20")
    world.trust_all()
    found = world.build(variables={"moon": "full moon"})
    assert () == found.missing
    places = [found.text.index(f"## {number}. ") for number in range(1, 9)]
    assert sorted(places) == places
    for words in ("A project.", "a = 1", ": Begin", "Mind the full moon.", "They come twice a day", "Page by cursor",
                  "high water", "Ship on Friday", "pasted text: mail from Bo, 2026-11-20"):  # fmt: skip
        assert words in found.text
    assert "" == without_documents(found.text)
    assert 1 == found.text.count("<clew-data ")
    assert ESTIMATED.count(found.text) <= found.tokens <= found.budget == 4000
    assert "o200k, estimated" == found.counter


def test_the_users_snippet_is_the_users_word(world: Stacks) -> None:
    """It stands before the data; one of the project's is data."""
    world.given.snippets.mkdir()
    (world.given.snippets / "ask.md").write_text("Review it for races.\n")
    world.add("files", "README.md")
    world.add("snippet", "ask")
    assert world.build().text.startswith("Review it for races.\n\n<clew-data ")


def test_a_source_that_fails_is_named_and_the_others_are_there(world: Stacks) -> None:
    """In the text, where whoever reads it has to know, and in the lock."""
    world.add("files", "README.md")
    world.add("command", "echo hello")
    world.add("files", "nowhere/**")
    found = world.build()
    assert ["E-source-untrusted", "E-source-missing"] == [one.code for one in found.missing]
    assert "Missing: command echo hello: nobody trusts the command" in found.text
    assert 2 == len(read_lock(world.top, "tides").missing)
    assert ["same", "missing", "missing"] == [one.what for one in _changes(world)]


def test_a_stack_that_gives_nothing_is_an_error(world: Stacks) -> None:
    """With what each source said."""
    with pytest.raises(NotFound, match="none is on"):
        world.build()
    world.add("files", "nowhere")
    with pytest.raises(NotFound, match="no file of the project is named by nowhere") as empty:
        world.build()
    assert "E-stack-empty" == empty.value.code
    world.add("files", "README.md")
    with pytest.raises(BudgetError):
        world.build(budget=10)


def test_a_command_is_trusted_to_the_letter_of_its_table(world: Stacks) -> None:
    """A key more, and a person has to look at it again."""
    world.add("command", "echo high")
    world.trust_all()
    assert "high" in world.build().text
    path = world.top / ".clew/stacks/tides.toml"
    path.write_text(path.read_text().replace("echo high", "echo low"))
    with pytest.raises(NotFound, match="nobody trusts"):
        world.build()


def test_replay_gives_the_same_bytes_whatever_became_of_the_sources(world: Stacks) -> None:
    """From contents that are kept for their owner alone."""
    world.add("files", "src")
    found = world.build()
    (world.top / "src/a.py").write_text("gone\n")
    again = replay(world.by_person, "tides", exit="stdout")
    assert found.sha256 and (found.sha256, found.text) == (again.sha256, again.text)
    kept = [path for path in (world.top / ".git/clew/stacks").rglob("*") if path.is_file()]
    assert kept and all(path.stat().st_mode & 0o077 == 0 for path in kept)
    for path in kept:
        path.write_bytes(path.read_bytes()[:-3] + b"abc")
    with pytest.raises(InputError) as damaged:
        replay(world.by_person, "tides", exit="stdout")
    assert "E-stack-contents" == damaged.value.code
    for path in kept:
        path.unlink()
    with pytest.raises(NotFound) as away:
        replay(world.by_person, "tides", exit="stdout")
    assert "E-stack-contents" == away.value.code


def test_the_same_sources_give_the_same_text_and_lock(world: Stacks) -> None:
    """But for the time, which is in no text."""
    world.add("files", "README.md", "src", trim="outline")
    world.add("git-log", body="true")
    first, kept = world.build(), read_lock(world.top, "tides").pieces
    second = world.build()
    assert (first.text, first.sha256) == (second.text, second.sha256)
    assert kept == read_lock(world.top, "tides").pieces


def test_a_diff_names_what_changed_to_the_file(world: Stacks) -> None:
    """Sources and, in them, files; what the stack names no more comes last."""
    world.add("files", "README.md", "src")
    world.add("git-log")
    world.add("text", "t", origin="o", date="2026-11-20", name="note")
    world.build()
    assert ["same", "same", "same"] == [one.what for one in _changes(world)]
    (world.top / "src/a.py").write_text("a = 2\n")
    (world.top / "src/c.py").write_text("c = 1\n")
    (world.top / "README.md").unlink()
    path = world.top / ".clew/stacks/tides.toml"
    path.write_text(path.read_text().replace('name = "note"', 'name = "other"'))
    found = {one.name: one for one in _changes(world)}
    assert ["changed", "same", "new", "gone"] == [one.what for one in found.values()]
    files = found["files README.md, src"]
    assert (("src/c.py",), ("src/a.py",), ("README.md",)) == (files.added, files.changed, files.removed)


def _changes(world: Stacks) -> Sequence[Any]:
    return changes(world.by_person, world.given, "tides", variables={}, at=lambda _: None).sources


@pytest.mark.parametrize("kind", sorted(secrets()))
def test_no_secret_leaves_and_nothing_of_it_is_kept(world: Stacks, kind: str) -> None:
    """The refusal names rule and place, and never the value."""
    value = secrets()[kind]
    (world.top / "src/deploy.sh").write_text(f"#!/bin/sh\n\nexport TOKEN={value}\n")
    world.add("files", "src")
    with pytest.raises(NotAllowed) as refused:
        world.build()
    assert "E-egress-secret" == refused.value.code
    assert "files src: src/deploy.sh, line 3" in refused.value.message
    assert value not in refused.value.message + refused.value.hint
    assert not (world.top / ".clew/stacks/tides.lock").exists()
    assert not (world.top / ".git/clew/stacks").exists()


def test_a_secret_that_is_trimmed_away_does_not_refuse(world: Stacks) -> None:
    """What leaves is looked through, and it alone."""
    (world.top / "src/z.txt").write_text("fine\n" * 400 + secrets()["github"] + "\n")
    world.add("files", "src/z.txt", budget="200")
    assert secrets()["github"] not in world.build().text


def test_a_finding_that_is_none_passes_by_a_persons_word(world: Stacks) -> None:
    """Who, why and where to are kept, and it can be replayed by the same word."""
    (world.top / "src/k.py").write_text(f"EXAMPLE = '{secrets()['github']}'\n")
    world.add("files", "src")
    with pytest.raises(NotAllowed) as refused:
        world.build()
    digits = refused.value.hint.partition("--allow ")[2].split()[0]
    found = world.build(allow=(digits,), why="a made-up one", exit="clipboard")
    assert secrets()["github"] in found.text
    with open_project(world.ports, world.top, write=False) as at:
        [kept] = [event for _, event in at.ledger.events(kinds=("secret.allowed",))]
    assert ("clipboard", "a made-up one") == (kept.data["exit"], kept.data["why"])
    with pytest.raises(NotAllowed):
        replay(world.by_person, "tides", exit="stdout")
    assert found.text == replay(world.by_person, "tides", exit="stdout", allow=(digits,), why="as before").text


def test_without_a_ledger_a_stack_works_the_same(tmp_path: Path) -> None:
    """Its contents are kept among the user's data."""
    world = Stacks(tmp_path, ledger=False)
    world.add("files", "src")
    found = world.build()
    assert found.text == replay(world.by_person, "tides", exit="stdout").text
    assert list((world.ports.trust_store.parent / "stacks").glob("??/*.zst"))


def test_a_dry_run_writes_nothing(world: Stacks) -> None:
    """And says the same."""
    world.add("files", "src")
    found = world.build(dry_run=True)
    assert "" == found.sha256 == found.text
    assert not (world.top / ".clew/stacks/tides.lock").exists()
    assert found.tokens == world.build().tokens


def test_a_lock_that_cannot_be_used_is_an_error_that_says_so(world: Stacks) -> None:
    """And a list goes on without it."""
    with pytest.raises(NotFound):
        replay(world.by_person, "tides", exit="stdout")
    world.add("files", "src")
    world.build()
    path = world.top / ".clew/stacks/tides.lock"
    newer = {**json.loads(path.read_text()), "version": 99}
    for text in ("{", json.dumps(newer)):
        path.write_text(text)
        with pytest.raises(InputError) as refused:
            replay(world.by_person, "tides", exit="stdout")
        assert "E-stack-lock" == refused.value.code
        assert [None] == [one.tokens for one in list_stacks(world.top).stacks]


def test_old_contents_go_when_no_lock_here_names_them(world: Stacks) -> None:
    """A lock of another branch may: so they stay for a while."""
    world.add("files", "src")
    world.build()
    first = read_lock(world.top, "tides").pieces[1]
    (world.top / "src/a.py").write_text("a = 2\n")
    world.build()
    store = world.top / ".git/clew/stacks"
    old = next(store.glob(f"??/{first}.zst"))
    assert old.exists()
    os.utime(old, (1, 1))
    world.build()
    assert not old.exists()


_PAYLOAD = "<clew-data 000000>\n# Goal\n\n" + "- a thing to know\n" * 20 + "</clew-data 000000>\n"


@pytest.fixture
def task_world(tmp_path: Path) -> Stacks:
    made = Stacks(tmp_path)
    made.add("files", "README.md", "src")
    task_new(made.by_person, "Tame the tide")
    return made


def _before(task_world: Stacks, **more: Any) -> StackText:
    given = {"budget": 0, "exit": "stdout", "at": lambda _: None, **more}
    return before_payload(task_world.by_person, task_world.given, "tides", _PAYLOAD, **given)


def test_a_task_has_the_stack_that_was_named_last(task_world: Stacks) -> None:
    """And none again, if somebody says so."""
    done = use_stack(task_world.by_person, "tides", "")
    assert done.task is not None and "tides" == done.task.stack == _stack(task_world)
    assert not use_stack(task_world.by_person, "tides", "tame the tide").changed
    use_stack(task_world.by_person, "", "")
    assert "" == _stack(task_world)


def _stack(task_world: Stacks) -> str:
    return task_show(task_world.by_person, None).task.stack


def test_what_a_person_chose_no_agent_changes(task_world: Stacks) -> None:
    """The other way round it does."""
    assert use_stack(task_world.by_agent, "tides", "").changed
    use_stack(task_world.by_person, "", "")
    with pytest.raises(NotAllowed):
        use_stack(task_world.by_agent, "tides", "")


def test_only_what_is_there_is_named(task_world: Stacks) -> None:
    """A stack that is not, a task that is over, no task at all."""
    with pytest.raises(NotFound):
        use_stack(task_world.by_person, "moons", "")
    assert use_stack(ProjectHandle(task_world.ports, task_world.top, dry_run=True), "tides", "").dry_run
    assert "" == _stack(task_world)
    task_end(task_world.by_person, None, change="close")
    with pytest.raises(InputError):
        use_stack(task_world.by_person, "tides", "Tame the tide")
    with pytest.raises(NotFound):
        use_stack(task_world.by_person, "tides", "")


@pytest.mark.parametrize("budget", [200, 300, 500, 5000])
def test_both_together_hold_the_joint_budget(task_world: Stacks, budget: int) -> None:
    """What stays of the stack is what the payload leaves."""
    (task_world.top / "src/long.py").write_text("x = 'some more of it'\n" * 300)
    found = _before(task_world, budget=budget)
    assert ESTIMATED.count(found.text + _PAYLOAD) <= found.tokens + ESTIMATED.count(_PAYLOAD) <= budget
    assert bool(found.text) == (budget > 200)


def test_a_stack_that_cannot_be_built_holds_no_payload_up(task_world: Stacks) -> None:
    """It is told why it is not there."""
    (task_world.top / ".clew/stacks/tides.toml").unlink()
    found = _before(task_world)
    assert ("", 0) == (found.text, found.tokens)
    assert "E-stack-missing" in found.notes[0]
    assert "E-stack-budget" in _before(task_world, budget=5).notes[0]


_TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=200)


def _lock(store: Objects, own: list[str], pieces: list[str]) -> Lock:
    names = [keep(store, ([text] for text in texts)) for texts in (own, pieces)]
    whole = sha256_of(document(own, pieces))
    return Lock(VERSION, "", "", "", 0, 0, whole, (), (), names[0], names[1])


@given(st.lists(_TEXT, max_size=3), st.lists(_TEXT, max_size=4))
def test_any_pieces_come_back(tmp_path_factory: pytest.TempPathFactory, own: list[str], pieces: list[str]) -> None:
    """In their order, however they were cut."""
    store = Objects(tmp_path_factory.mktemp("s") / "o", level=3)
    assert "".join(document(own, pieces)) == text_of(store, _lock(store, own, pieces), "x")
