"""What a start is given is prepared while nobody waits: it is what the start itself would say, or it is not given."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from clew.app.hooks.prepared import PreparedStart, prepared
from clew.app.project.runtime_dirs import enter
from clew.core.records.hook_events import HookEvent
from clew.workspace import stats
from tests.app.hooks.hooked import EARLIER, GONE, NOW, OTHER, Hooked, own_process
from tests.app.projects import open_task, state_item

HISTORIES: Final = int(os.environ.get("PREPARED_HISTORIES", "12"))
_HOUR_MS: Final = 3_600_000


def prepare(world: Hooked, session: str = EARLIER, **fields: bool) -> PreparedStart | None:
    """What is prepared behind the end of a turn of a session."""
    event = HookEvent("claude-code", "stop", session, folder=str(world.top), **fields)  # type: ignore[arg-type]
    return prepared(world.hook(session), event, str(world.data))


def holds(world: Hooked, found: PreparedStart) -> bool:
    """Whether a start would give it as it is."""
    same = found.stamp["seen"] == stats.digest(stats.each(found.stamp["paths"]))
    return bool(same and world.clock() / 1000 < found.stamp["until_s"])


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    made = Hooked(tmp_path)
    made.story().save(made.home)
    return made


def test_what_was_prepared_is_what_a_start_says(world: Hooked) -> None:
    """Once for every start until something changes."""
    found = prepare(world)
    assert found is not None and "keep `moon()`" in found.answer.context and holds(world, found)
    assert world.start().context == found.answer.context
    assert not holds(world, found), "the ledger has the receipt of what was given"


def test_it_takes_in_what_was_left(world: Hooked) -> None:
    """However short the time was that the client gave."""
    prepare(world)
    with world.desk(write=False) as at:
        assert {EARLIER} == set(at.ledger.taken())


@pytest.mark.parametrize("why", ["another runs", "nobody sits there", "the text is confirmed", "no ledger"])
def test_where_a_start_depends_on_more_nothing_is_prepared(why: str, world: Hooked, tmp_path: Path) -> None:
    """It is made when it is wanted then."""
    if why == "another runs":
        enter(world.live, OTHER, own_process())
    if why == "the text is confirmed":
        world.setting("gate.confirm", "warn")
    if why == "no ledger":
        world = Hooked(tmp_path / "other", opted_in=False)
        (world.top / ".git" / "clew" / "ledger.db").unlink()
    assert prepare(world, attended=why != "nobody sits there") is None


def note(world: Hooked) -> None:
    with world.desk() as at:
        state_item(at, "constraint", "Never round before the sum", task=at.task())


def task(world: Hooked) -> None:
    with world.desk() as at:
        state_item(at, "next", "Round the sum", task=open_task(at, "Round once"))


def edit(world: Hooked) -> None:
    world.repo.write("src/a.py", "a = 3\nb = 4\n")


def remove(world: Hooked) -> None:
    (world.top / "src" / "a.py").unlink(missing_ok=True)


def move(world: Hooked) -> None:
    if (world.top / "src" / "a.py").exists():
        (world.top / "src" / "a.py").rename(world.top / "src" / "moved.py")


def commit(world: Hooked) -> None:
    world.repo.git("add", "-A")
    world.repo.git("commit", "-qm", "As it is", "--allow-empty")


def branch(world: Hooked) -> None:
    world.repo.git("checkout", "-qB", "feat/sum")


def ignore(world: Hooked) -> None:
    world.repo.write("src/.gitignore", "*.py\n")


def session(world: Hooked) -> None:
    world.finished(session=OTHER, start="2026-11-21T23:30:00").save(world.home)


def growth(world: Hooked) -> None:
    world.story().user("And round the sum once").save(world.home)


def budget(world: Hooked) -> None:
    world.setting("resume.budget_tokens", 700)


def silence(world: Hooked) -> None:
    world.setting("inject.on", False)


def memory(world: Hooked) -> None:
    place = world.data / "memory" / "MEMORY.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("- Speaks plainly\n")


def hours(world: Hooked) -> None:
    world.clock.now_ms += 30 * _HOUR_MS


def weeks(world: Hooked) -> None:
    world.clock.now_ms += 20 * 24 * _HOUR_MS


def nothing(_world: Hooked) -> None:
    pass


CHANGES: Final[tuple[Callable[[Hooked], None], ...]] = (
    *(note, task, edit, remove, move, commit, branch, ignore, session, growth, budget, silence, memory, hours, weeks),
    nothing,
)


@settings(max_examples=HISTORIES)
@given(history=some.lists(some.sampled_from(CHANGES), min_size=2, max_size=6))
def test_whatever_happened_meanwhile_nothing_stale_is_given(
    history: list[Callable[[Hooked], None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Where it still holds, it is what the start says."""
    world = Hooked(tmp_path_factory.mktemp("world"))
    world.story().save(world.home)
    for number, change in enumerate(history):
        found = prepare(world)
        change(world)
        if found is not None and holds(world, found):
            begun = world.start(session=f"{NOW[:-4]}{number:04}", pid=GONE)
            assert begun.context == found.answer.context, change.__name__
