"""The picker of `clew stack edit`, played by Textual's pilot over real stacks in a real repository."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from clew.app.project.trust import project_at, standings, trust
from clew.app.stack.build import build
from clew.app.stack.editing import Editing
from clew.app.stack.gather import Given
from clew.core.errors import Unavailable
from clew.core.text.counter import ESTIMATED
from clew.interfaces.cli.stack import _source_in
from tests.app.projects import PERSON, World
from tests.app.worlds import secrets

pytest.importorskip("textual")

from textual.pilot import Pilot

from clew.interfaces.tui.picker import Picker

_FILE = """\
# Ours, by hand.
title = "Tides"  # as the moon has it
budget = 900

# The way in.
[[source]]
kind = "files"
paths = ["README.md", "src"]  # all of it

[[source]]
kind = "git-log"
name = "lately"  # what changed

# Bo's mail of Friday.
[[source]]
kind = "text"
text = "Ship on Friday"
origin = "a mail"
date = 2026-11-20
"""
_WAIT_S = 60
Story = Callable[[Pilot[None]], Awaitable[None]]


class Desk(World):
    """A project with the stack `tides`, open in the picker; `copied` is what reached the clipboard."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.ports = self.ports._replace(now_ms=self.clock.tick, cache_folder=folder / "cache", deep_scan=lambda: None)
        self.given = Given(ESTIMATED, folder / "snippets")
        self.file = self.top / ".clew/stacks/tides.toml"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(_FILE)
        self.copied: list[str] = []
        self.copy: Callable[[str], None] = self.copied.append
        self.picker: Picker

    def play(self, story: Story, *, size: tuple[int, int] = (80, 24)) -> None:
        """Open the picker, wait until all is fetched, play the story."""

        async def played() -> None:
            async with self.picker.run_test(size=size) as pilot:
                await self.settled()
                await pilot.pause()
                await story(pilot)

        self.open()
        asyncio.run(played())
        assert self.picker.fault is None

    def open(self) -> None:
        """A new picker, not shown yet."""
        editing = Editing(self.ports, self.given, self.top, "tides")
        self.picker = Picker(editing, parse=_source_in, copy=self._to_clipboard)

    def _to_clipboard(self, text: str) -> None:
        self.copy(text)

    def trust_all(self) -> None:
        """A person trusts the commands in the file."""
        project = project_at(self.top)
        things = [one.thing for one in standings(self.ports.trust_store, project)]
        trust(self.ports.trust_store, project, things, said=PERSON, time="2026-11-25T10:00:00.000Z")

    async def settled(self) -> None:
        await self.until(lambda: self.picker.is_settled)

    async def until(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + _WAIT_S
        while not is_so():
            assert time.monotonic() < end, self.screen
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)

    async def press(self, pilot: Pilot[None], *keys: str) -> None:
        await pilot.press(*keys)
        await self.settled()
        await pilot.pause()

    @property
    def screen(self) -> str:
        """What is on the screen."""
        strips = self.picker.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    @property
    def words(self) -> str:
        """The same as one line."""
        return " ".join(self.screen.split())

    def row(self, name: str) -> str:
        """The row of a source."""
        return next(row for row in self.screen.split("\n") if row.startswith(" [") and name in row)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_each_source_is_shown_with_what_it_takes(desk: Desk) -> None:
    """The numbers are those of a build."""
    built = build(desk.ports, desk.given, desk.top, "tides", exit="stdout", dry_run=True)

    async def story(pilot: Pilot[None]) -> None:
        for section in built.sections:
            row = desk.row(section.name)
            share = f"{100 * section.tokens / built.tokens:.0f} %"
            assert row.startswith(" [x]") and f" {section.tokens} " in row and share in row and "█" in row
        assert f"{built.tokens:,} of 900 tokens (o200k, estimated)" in desk.screen
        assert "Nothing is trimmed." in desk.screen
        assert "No secret found (clew)." in desk.screen
        assert "from 2 files by README.md, src" in desk.screen
        assert "not saved" not in desk.screen

    desk.play(story)


def test_a_source_is_ticked_off_and_saved_with_all_comments(desk: Desk) -> None:
    """Nothing is written before; ticked on again the file is the one it was."""

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "down", "space")
        assert desk.row("lately").startswith(" [ ]") and " off " in desk.row("lately")
        assert "(not saved)" in desk.screen
        assert _FILE == desk.file.read_text()
        await desk.press(pilot, "s")
        assert "Saved." in desk.screen and "(not saved)" not in desk.screen
        wanted = _FILE.replace("# what changed\n", "# what changed\noff = true\n")
        assert wanted == desk.file.read_text()
        found = build(desk.ports, desk.given, desk.top, "tides", exit="stdout", dry_run=True)
        assert ["files README.md, src", "text"] == [one.name for one in found.sections]
        await desk.press(pilot, "enter", "ctrl+s")
        assert _FILE == desk.file.read_text()

    desk.play(story)


def test_sources_move_with_their_own_comments(desk: Desk) -> None:
    """The cursor goes along, and the ends are ends."""

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "down", "down", "K", "K", "K", "s")
        text = desk.file.read_text()
        assert text.index("# Bo's mail") < text.index('kind = "text"') < text.index("# The way in.")
        await desk.press(pilot, "J", "J", "J", "s")
        assert _FILE == desk.file.read_text()

    desk.play(story)


def test_what_is_over_the_budget_is_shown(desk: Desk) -> None:
    """With what was trimmed, and the total never above it; what cannot be at all is said."""
    desk.repo.write("src/long.py", "".join(f"def f{n}(): return {n}\n" for n in range(400)))

    async def story(pilot: Pilot[None]) -> None:
        assert "over the budget: 1 trimmed" in desk.screen
        assert "░" in desk.row("files") and "/" in desk.row("files")
        assert "more lines" in desk.screen or "left out" in desk.screen
        await desk.press(pilot, "B", *["backspace"] * 3, "3", "0", "enter")
        assert "nothing of the stack fits into 30 tokens" in desk.screen
        await desk.press(pilot, "c")
        assert "There is no text." in desk.screen and [] == desk.copied
        await desk.press(pilot, "B", *"20,000", "enter")
        assert "Nothing is trimmed." in desk.screen and "of 20,000 tokens" in desk.screen
        await desk.press(pilot, "B", *"many", "enter")
        assert "A whole number is wanted." in desk.screen
        await desk.press(pilot, "escape", "s")
        assert 'title = "Tides"  # as the moon has it\nbudget = 20000\n\n# The way in.' in desk.file.read_text()

    desk.play(story)


def test_a_sources_budget_and_priority_change(desk: Desk) -> None:
    """Nothing is fetched again for it."""
    fetched: list[str] = []
    fetch = Editing.fetch

    def told(self: Editing, entry: Any, at: Any) -> None:
        fetched.append(entry.name)
        fetch(self, entry, at)

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "b", *"60", "enter", "p", *"-2", "enter", "s")
        assert " 60 " in desk.row("files") and "-2" in desk.row("files")
        assert "# all of it\nbudget = 60\npriority = -2\n\n[[source]]" in desk.file.read_text()
        assert "own budgets" in desk.screen or "over the budget" in desk.screen
        await desk.press(pilot, "b", *"-1", "enter")
        assert "a budget is a number of tokens" in desk.screen
        await desk.press(pilot, "escape", "b", *"0", "enter", "p", *"0", "enter", "s")
        assert _FILE == desk.file.read_text()
        assert 3 == len(fetched)
        await desk.press(pilot, "r")
        assert 6 == len(fetched)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Editing, "fetch", told)
        desk.play(story)


def test_a_source_is_added_by_a_line_and_removed(desk: Desk) -> None:
    """In the words of `clew stack add`; what cannot be is said there, and the line stays to be mended."""

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "a", *"files --budget x", "enter")
        assert "'x' is not a valid integer" in desk.screen
        await desk.press(pilot, *["backspace"] * 20, *"text - --key origin=x", "enter")
        assert "stdin is the keyboard" in desk.screen
        await desk.press(pilot, *["backspace"] * 30, *"files 'nowhere", "enter")
        assert "No closing quotation" in desk.screen
        await desk.press(pilot, *["backspace"] * 30, *"git-diff HEAD --name 'the diff' --priority 3", "enter")
        assert desk.row("the diff").rstrip().endswith("3")
        await desk.press(pilot, "s")
        added = '\n[[source]]\nkind = "git-diff"\nbase = "HEAD"\nname = "the diff"\npriority = 3\n'
        assert _FILE + added == desk.file.read_text()
        await desk.press(pilot, "d")
        assert "Removed: the diff" in desk.screen
        await desk.press(pilot, "s", "d", "d", "d", "d")
        assert _FILE == desk.file.read_text()
        assert "No source yet" in desk.screen and "No text yet" in desk.screen
        await desk.press(pilot, "space", "J", "b", "s")
        assert '# Ours, by hand.\ntitle = "Tides"  # as the moon has it\nbudget = 900\n' == desk.file.read_text()

    desk.play(story)


def test_a_secret_is_shown_by_rule_and_place_and_nothing_leaves(desk: Desk) -> None:
    """Neither to the clipboard nor to the view; without that source all may."""
    value = secrets()["stripe"]
    desk.repo.write("src/keys.py", f"A = 1\nK = '{value}'\n")
    screens = []

    async def story(pilot: Pilot[None]) -> None:
        screens.append(desk.screen)
        assert "Secret found: stripe" in desk.words and "src/keys.py, line 2)" in desk.words
        for key in ("c", "v"):
            await desk.press(pilot, key)
            screens.append(desk.screen)
            assert "clew stack build tides --copy --allow" in desk.words
            await desk.press(pilot, "escape")
        assert [] == desk.copied
        await desk.press(pilot, "space", "c")
        await desk.until(lambda: "Copied: " in desk.screen)

    desk.play(story)
    assert not [screen for screen in screens if value in screen]
    assert 1 == len(desk.copied) and "Ship on Friday" in desk.copied[0] and value not in desk.copied[0]


def test_what_is_copied_and_viewed_is_what_a_build_gives(desk: Desk) -> None:
    """To the byte. A clipboard that is not there is said."""

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "c")
        await desk.until(lambda: "Copied: " in desk.screen)
        await desk.press(pilot, "v")
        assert "# Stack: Tides" in desk.screen and "<clew-data" in desk.screen
        await desk.press(pilot, "s", "escape")
        assert "space on/off" in desk.screen

        def none(_: str) -> None:
            raise Unavailable("there is no clipboard that clew can reach", code="E-no-clipboard", hint="Install one.")

        desk.copy = none
        await desk.press(pilot, "c")
        await desk.until(lambda: "there is no clipboard" in desk.screen)

    desk.play(story)
    assert [build(desk.ports, desk.given, desk.top, "tides", exit="stdout", dry_run=True).text] == desk.copied
    assert not (desk.top / ".clew/stacks/tides.lock").exists()


def test_a_source_that_fails_shows_why_and_the_others_go_on(desk: Desk) -> None:
    """A slow one is told while it loads; the command is one that a person trusted."""
    run = f"while [ ! -e {desk.home}/go ]; do sleep 0.05; done; echo high water"
    more = f"\n[[source]]\nkind = 'command'\nrun = '{run}'\n\n[[source]]\nkind = 'git-diff'\nbase = 'nowhere'\n"
    desk.file.write_text(_FILE + more)
    desk.trust_all()

    async def played() -> None:
        async with desk.picker.run_test(size=(80, 24)) as pilot:
            await desk.until(lambda: "Loading: 1." in desk.words and " failed " in desk.screen)
            await pilot.press("down", "down", "down")
            await desk.until(lambda: "Loading for" in desk.words)
            await pilot.press("c")
            await desk.until(lambda: "Not yet: sources are loading" in desk.words)
            assert " … " in desk.row("command")
            (desk.home / "go").touch()
            await desk.until(lambda: desk.picker.is_settled and "Loading" not in desk.screen)
            await desk.press(pilot, "down")
            assert "git-diff nowhere: " in desk.words and "[E-" in desk.words and "Could not be had: 1." in desk.words
            await desk.press(pilot, "c")
            await desk.until(lambda: "without 1 that could not be had" in desk.words)

    desk.open()
    asyncio.run(played())
    assert "high water" in desk.copied[0] and "Missing: git-diff nowhere" in desk.copied[0]


def test_quitting_ends_what_sources_have_started(desk: Desk) -> None:
    """No process of theirs stays behind."""
    desk.file.write_text(f"[[source]]\nkind = 'command'\nrun = 'echo $$ > {desk.home}/pid; exec sleep 1000'\n")
    desk.trust_all()
    pid = desk.home / "pid"

    async def played() -> None:
        async with desk.picker.run_test(size=(80, 24)) as pilot:
            await desk.until(lambda: pid.exists() and pid.read_text().strip() != "")
            await pilot.press("q")

    desk.open()
    asyncio.run(played())
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@pytest.mark.parametrize(("key", "is_saved"), [("s", True), ("d", False)])
def test_quitting_asks_where_something_is_not_saved(desk: Desk, key: str, is_saved: bool) -> None:
    """Without a change nobody is asked."""

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "space", "q")
        assert "tides has changes that are not saved" in desk.screen
        await desk.press(pilot, "escape", "ctrl+q")
        assert "tides has changes that are not saved" in desk.screen
        assert _FILE == desk.file.read_text()
        await pilot.press(key)
        await desk.until(lambda: not desk.picker.is_running)

    async def quits(pilot: Pilot[None]) -> None:
        await pilot.press("q")
        await desk.until(lambda: not desk.picker.is_running)

    desk.play(story)
    assert is_saved == ("off = true" in desk.file.read_text())
    desk.play(quits)


def test_what_somebody_else_wrote_meanwhile_is_not_written_over(desk: Desk) -> None:
    """Saving says so, and nothing is lost."""

    async def story(pilot: Pilot[None]) -> None:
        await desk.press(pilot, "space")
        desk.file.write_text(_FILE + "# mine\n")
        await desk.press(pilot, "q", "s")
        assert "Not saved: .clew/stacks/tides.toml was changed by somebody else" in desk.words
        await desk.press(pilot, "escape")
        assert "(not saved)" in desk.screen

    desk.play(story)
    assert _FILE + "# mine\n" == desk.file.read_text()


def test_no_text_is_read_as_markup_and_no_control_reaches_the_screen(desk: Desk) -> None:
    """Names, titles, errors and notes are anybody's text. So it is on a wide screen and a small one."""
    desk.file.write_text(
        'title = "[bold]T[/bold] \\u001b[31mred"\n'
        '[[source]]\nkind = "text"\nname = "[link=http://a]x[/link] \\u001b]0;t\\u0007 \\u202e"\n'
        'text = "[@click=app.bell]y[/]"\norigin = "[red]o[/red]"\ndate = 2026-11-20\n'
        '[[source]]\nkind = "git-show"\ncommit = "[/nope]"\n'
    )

    async def story(pilot: Pilot[None]) -> None:
        assert "[bold]T[/bold] red" in desk.screen
        assert "[link=http://a]x[/lin" in desk.screen
        assert "from pasted text: [red]o[/red]" in desk.words
        await desk.press(pilot, "down")
        assert "[/nope]" in desk.screen
        await desk.press(pilot, "up", "b")
        assert "[link=http://a]x[/link]" in desk.screen
        await desk.press(pilot, "escape", "v")
        assert "[@click=app.bell]y[/]" in desk.screen
        assert not {"\x1b", "\x07", "\u202e"} & set(desk.screen)

    desk.play(story)
    desk.play(story, size=(200, 50))


def test_a_screen_that_is_far_too_small_is_no_error(desk: Desk) -> None:
    """Nor one that changes its size."""

    async def story(pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(20, 6)
        await desk.press(pilot, "space", "down")
        await pilot.resize_terminal(120, 40)
        await desk.press(pilot, "down")
        assert "[ ]" in desk.row("files README.md, src")

    desk.play(story)
