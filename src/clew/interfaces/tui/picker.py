"""The picker of `clew stack edit`: a stack's sources with what they take, ticked, moved, held to budgets, and saved."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Resize
from textual.message import Message
from textual.widgets import DataTable, Static

from clew.app.egress.guard import Scanned
from clew.app.stack.editing import Editing, Trial, content_key
from clew.app.stack.stack_file import Entry
from clew.core.errors import ClewError, NotAllowed
from clew.interfaces.tui.dialogs import Asking, Choosing, Reading
from clew.interfaces.tui.rows import HEADS, NUMBERS, STYLES, WIDTHS, balance, detail, row_of, said, scan_line, total

# Reads a line as `clew stack add NAME` does: kind, words, keys. Raises `ClewError`.
Parse = Callable[[str], tuple[str, Sequence[str], Mapping[str, str]]]

_KEYS: Final = """\
space on/off  J K move  b budget  p priority  B budget of all  a add  d remove
v view text  c copy  r fetch again  s save  q quit"""
_VIEWED_CHARS: Final = 2_000_000
_END_S: Final = 5.0
_TICK_S: Final = 0.5


class Happened(Message):
    """Something that a thread found out; `then` is done in the thread of the screen."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self.then = then


class Picker(App[None]):
    """Works on `editing`. `copy` puts a text on the clipboard. Sources are fetched in threads of their own; `fault` is
    what went wrong there that nobody expected.
    """

    TITLE = "clew stack edit"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [
        Binding("space", "switch"),
        Binding("K,shift+up", "move(-1)"),
        Binding("J,shift+down", "move(1)"),
        Binding("b", "limit('budget')"),
        Binding("p", "limit('priority')"),
        Binding("B", "limit_all"),
        Binding("a", "add"),
        Binding("d,delete", "remove"),
        Binding("v", "view"),
        Binding("c", "copy"),
        Binding("r", "fetch"),
        Binding("s,ctrl+s", "save"),
        Binding("q,ctrl+c", "quit"),
    ]
    CSS = """
    #head, #keys { background: $panel; }
    #head { height: 1; }
    DataTable { height: 1fr; }
    #detail { height: 4; border-top: solid $panel; color: $text-muted; }
    #detail, #balance, #scan, #said, #total, #head, #keys { padding: 0 1; }
    #total { height: 1; }
    #balance { height: auto; max-height: 2; }
    #scan { height: auto; max-height: 2; }
    #said { height: 1; color: $accent; }
    #keys { height: 2; }
    .bad { color: $error; }
    .much { color: $warning; }
    """

    def __init__(self, editing: Editing, *, parse: Parse, copy: Callable[[str], None]) -> None:
        super().__init__()
        self._editing, self._parse, self._copy = editing, parse, copy
        self._reads: dict[str, tuple[float, str]] = {}
        self._threads: set[threading.Thread] = set()
        self._round = 0
        self._is_trying = False
        self._trial: Trial | None = None
        self._scanned: Scanned | NotAllowed | None = None
        self.fault: Exception | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="head", markup=False)
        yield DataTable[Text](cursor_type="row")
        for name in ("detail", "total", "balance", "scan", "said"):
            yield Static("", id=name, markup=False)
        yield Static(_KEYS, id="keys", markup=False)

    def on_mount(self) -> None:
        self.set_interval(_TICK_S, self._tick)
        self._changed(0)

    def on_unmount(self) -> None:
        self._editing.stop()
        end = time.monotonic() + _END_S
        for thread in tuple(self._threads):
            thread.join(max(0.0, end - time.monotonic()))

    @property
    def is_settled(self) -> bool:
        """Whether nothing is fetched, counted or scanned."""
        return not (self._reads or self._is_trying)

    # What threads do

    def _in_thread(self, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            except Exception as error:  # whoever started the picker has to hear of it
                self._later(partial(self._failed, error))
            finally:
                self._threads.discard(thread)

        thread = threading.Thread(target=run, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _later(self, then: Callable[[], None]) -> None:
        """From a thread: have something done in that of the screen, if that is still there."""
        with suppress(RuntimeError):  # its loop was closed
            self.post_message(Happened(then))

    @on(Happened)
    def _happened(self, message: Happened) -> None:
        message.then()

    def _failed(self, error: Exception) -> None:
        self.fault = error
        self.exit()

    def _fetch(self, entry: Entry) -> None:
        key = content_key(entry)
        if entry.spec.off or key in self._reads or self._editing.result(entry) is not None:
            return
        begun = time.monotonic()
        self._reads[key] = (begun, "")

        def at(name: str) -> None:
            self._reads[key] = (begun, name)

        def done() -> None:
            self._reads.pop(key, None)
            self._changed()

        def work() -> None:
            self._editing.fetch(entry, at)
            self._later(done)

        self._in_thread(work)

    def _try(self) -> None:
        """Pack and scan what there is; once more, if something changed meanwhile."""
        if self._is_trying:
            return
        self._is_trying = True
        number = self._round

        def packed(trial: Trial) -> None:
            if number == self._round:
                self._trial, self._scanned = trial, None
                self._draw()

        def done(scanned: Scanned | NotAllowed | None) -> None:
            self._is_trying = False
            if number != self._round:
                self._try()
                return
            self._scanned = scanned
            self._draw_below()

        def work() -> None:
            trial = self._editing.trial()
            self._later(lambda: packed(trial))
            scanned: Scanned | NotAllowed | None = None
            if trial.packed and number == self._round:
                try:
                    scanned = self._editing.scan(trial.packed, "clipboard")
                except NotAllowed as refusal:
                    scanned = refusal
            self._later(lambda: done(scanned))

        self._in_thread(work)

    # What is shown

    def _changed(self, at: int | None = None) -> None:
        """The stack, or what is known of it, is another; the cursor goes to the source `at`."""
        for entry in self._editing.stack.entries:
            self._fetch(entry)
        self._round += 1
        self._try()
        self._draw(at)

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._draw)  # the size is known then

    def _draw(self, at: int | None = None) -> None:
        table = self.query_one(DataTable)
        cursor = table.cursor_row if at is None else at
        rest = max(10, self.size.width - sum(WIDTHS) - 2 * len(WIDTHS) - 2)
        table.clear(columns=True)
        for number, (head, width) in enumerate(zip(HEADS, WIDTHS, strict=True)):
            table.add_column(Text(head, justify="right" if number in NUMBERS else "left"), width=width or rest)
        for entry in self._editing.stack.entries:
            row = row_of(self._editing, entry, self._trial)
            cells = [Text(cell, STYLES[row.state], no_wrap=True, overflow="ellipsis") for cell in row.cells]
            cells[1].truncate(rest, overflow="ellipsis")
            for number in NUMBERS:
                cells[number].justify = "right"
            table.add_row(*cells)
        table.move_cursor(row=cursor)
        self._draw_below()

    def _draw_below(self) -> None:
        """All but the table."""
        editing, trial = self._editing, self._trial
        unsaved = "  (not saved)" if editing.is_unsaved else ""
        self._put("head", f"{editing.shown(editing.stack.title)}  .clew/stacks/{editing.stack.name}.toml{unsaved}")
        self._put("total", total(editing, trial))
        self._put(
            "balance", balance(trial), much=trial is not None and (trial.wanted > trial.room or bool(trial.problem))
        )
        refusal = self._scanned if isinstance(self._scanned, NotAllowed) else None
        self._put(
            "scan", scan_line(trial, editing.shown(said(refusal)) if refusal else self._passed), bad=bool(refusal)
        )
        self._draw_detail()

    def _tick(self) -> None:
        if self._reads:
            self._draw_detail()

    @on(DataTable.RowHighlighted)
    def _draw_detail(self) -> None:
        entry = self._entry()
        if entry is None:
            self._put("detail", "No source yet: a adds one.")
            return
        begun, name = self._reads.get(content_key(entry), (0.0, ""))
        if begun:
            told = f"Loading for {time.monotonic() - begun:.0f} s: "
            self._put("detail", told + self._editing.shown(entry.name, name))
        else:
            self._put("detail", "\n".join(detail(self._editing, entry, self._trial)))

    def _put(self, name: str, text: str, **classes: bool) -> None:
        place = self.screen_stack[0].query_one(f"#{name}", Static)
        place.update(text)
        for one, on_ in classes.items():
            place.set_class(on_, one)

    @property
    def _passed(self) -> Scanned | None:
        return None if isinstance(self._scanned, NotAllowed) else self._scanned

    # What is done

    def _at(self) -> int:
        return int(self.screen_stack[0].query_one(DataTable).cursor_row)

    def _entry(self) -> Entry | None:
        entries = self._editing.stack.entries
        return entries[self._at()] if 0 <= self._at() < len(entries) else None

    def _done(self, change: Callable[[], Any], at: int | None = None) -> str:
        """Do what changes the stack; why it cannot be done, "" if it was."""
        try:
            change()
        except ClewError as error:
            self._put("said", self._editing.shown(error.message))
            return self._editing.shown(f"{error.message}. {error.hint}")
        self._put("said", "")
        self._changed(at)
        return ""

    @on(DataTable.RowSelected)
    def action_switch(self) -> None:
        if self._entry():
            self._done(lambda: self._editing.switch(self._at()))

    def action_move(self, by: int) -> None:
        at, to = self._at(), self._at() + by
        if self._entry() and 0 <= to < len(self._editing.stack.entries):
            self._done(lambda: self._editing.move(at, to), to)

    def action_remove(self) -> None:
        entry, at = self._entry(), self._at()
        if entry and not self._done(lambda: self._editing.remove(at), max(0, at - 1)):
            self._put("said", f"Removed: {self._editing.shown(entry.name)}")

    def action_limit(self, key: str) -> None:
        entry, at = self._entry(), self._at()
        if entry is None:
            return
        what = "Budget in tokens (0: none of its own)" if key == "budget" else "Priority (the greater is served first)"
        now: int = getattr(entry.spec, key)
        self._ask_number(
            f"{what}: {self._editing.shown(entry.name)}",
            now,
            lambda value: self._editing.limit(at, "budget" if key == "budget" else "priority", value),
        )

    def action_limit_all(self) -> None:
        question = "Budget of the whole stack in tokens (0: as the settings say)"
        self._ask_number(question, self._editing.stack.budget, self._editing.limit_all)

    def _ask_number(self, question: str, now: int, change: Callable[[int], None]) -> None:
        def take(said: str) -> str:
            try:
                value = int(said.replace(",", "") or 0)
            except ValueError:
                return "A whole number is wanted."
            return self._done(lambda: change(value))

        self.push_screen(Asking(question, str(now), take))

    def action_add(self) -> None:
        def take(line: str) -> str:
            last = len(self._editing.stack.entries)
            return self._done(lambda: self._editing.add(*self._parse(line)), last)

        question = "A source, as for clew stack add: KIND WORDS … (files src '*.md' --budget 500; git-diff main; …)"
        self.push_screen(Asking(question, "", take))

    def action_fetch(self) -> None:
        self._editing.forget()
        self._put("said", "")
        self._changed()

    def _may_leave(self) -> Trial | None:
        """What may leave now; None, said why, if something may not."""
        if isinstance(self._scanned, NotAllowed):
            shown = self._editing.shown
            text = f"{shown(self._scanned.message)}.\n\n{shown(self._scanned.hint)}"
            way = f"To let it pass: clew stack build {self._editing.stack.name} --copy --allow … --why …"
            self.push_screen(Choosing(f"{text}\n\n{way}", {"escape": "back"}))
        elif not self.is_settled:
            self._put("said", "Not yet: sources are loading, or it is being looked for secrets.")
        elif self._trial is None or self._trial.packed is None or self._scanned is None:
            self._put("said", "There is no text.")
        else:
            return self._trial
        return None

    def action_view(self) -> None:
        trial = self._may_leave()
        if trial and trial.packed:
            text = trial.packed.text
            cut = f" (its first {_VIEWED_CHARS:,} characters)" if len(text) > _VIEWED_CHARS else ""
            self.push_screen(Reading(f"{total(self._editing, trial)}{cut}", text[:_VIEWED_CHARS]))

    def action_copy(self) -> None:
        trial = self._may_leave()
        if trial is None or trial.packed is None:
            return
        text, tokens, without = trial.packed.text, trial.tokens, trial.missing
        less = f", without {without} that could not be had" if without else ""

        def work() -> None:
            try:
                self._copy(text)
                told = f"Copied: {tokens:,} tokens ({self._editing.counter}){less}."
            except ClewError as error:
                told = self._editing.shown(f"{error.message}. {error.hint}")
            self._later(lambda: self._put("said", told))

        self._in_thread(work)

    def action_save(self) -> bool:
        try:
            self._editing.save()
        except ClewError as error:
            text = self._editing.shown(f"{error.message}. {error.hint}")
            self.push_screen(Choosing(f"Not saved: {text}", {"escape": "back"}))
            return False
        self._draw_below()
        self._put("said", f"Saved. To build it: clew stack build {self._editing.stack.name}")
        return True

    async def action_quit(self) -> None:
        if not self._editing.is_unsaved:
            self.exit()
            return
        if isinstance(self.screen, Choosing):
            return

        def chosen(key: str | None) -> None:
            if key == "d" or (key == "s" and self.action_save()):
                self.exit()

        keys = {"s": "save and quit", "d": "quit, drop the changes", "escape": "stay"}
        self.push_screen(Choosing(f"{self._editing.stack.name} has changes that are not saved.", keys), chosen)
