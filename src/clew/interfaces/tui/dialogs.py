"""What the picker asks and shows over itself: a line, a choice of keys, a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, Log, Static

_CHARS_MAX: Final = 4000


class Asking(ModalScreen[None]):
    """Asks for a line. `take` does what it says, and gives back why it cannot ("": it is done, and this closes)."""

    BINDINGS: ClassVar = [Binding("escape", "dismiss", "Cancel")]
    DEFAULT_CSS = """
    Asking { align: center middle; }
    Asking Vertical { width: 90%; height: auto; border: round $accent; padding: 0 1; background: $surface; }
    Asking #problem { color: $error; }
    """

    def __init__(self, question: str, value: str, take: Callable[[str], str]) -> None:
        super().__init__()
        self._question, self._value, self._take = question, value, take

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._question, markup=False)
            yield Input(self._value, max_length=_CHARS_MAX)
            yield Static("", id="problem", markup=False)
            yield Static("Enter takes it, Esc leaves all as it was.", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        problem = self._take(event.value.strip())
        if problem:
            self.query_one("#problem", Static).update(problem)
        else:
            self.dismiss()


class Choosing(ModalScreen[str]):
    """Says something, and waits for one of `keys` (each with what it does)."""

    DEFAULT_CSS = """
    Choosing { align: center middle; }
    Choosing Vertical { width: 90%; height: auto; border: round $accent; padding: 0 1; background: $surface; }
    Choosing #message { max-height: 14; margin-bottom: 1; }
    """

    def __init__(self, text: str, keys: Mapping[str, str]) -> None:
        super().__init__()
        self._text, self._keys = text, keys

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._text, id="message", markup=False)
            told = [f"{'Esc' if key == 'escape' else key}: {deed}" for key, deed in self._keys.items()]
            yield Static("   ".join(told), markup=False)

    def on_key(self, event: Key) -> None:
        if event.key in self._keys:
            event.stop()
            self.dismiss(event.key)


class Reading(ModalScreen[None]):
    """Shows a text as it stands, line by line."""

    BINDINGS: ClassVar = [Binding("escape,q,v", "dismiss", "Back")]
    DEFAULT_CSS = """
    Reading #head, Reading #keys { height: 1; background: $panel; }
    """

    def __init__(self, head: str, text: str) -> None:
        super().__init__()
        self._head, self._text = head, text

    def compose(self) -> ComposeResult:
        yield Static(self._head, id="head", markup=False)
        yield Log(highlight=False, auto_scroll=False)
        yield Static("Arrows and Page Up/Down scroll   Esc: back", id="keys", markup=False)

    def on_mount(self) -> None:
        log = self.query_one(Log)
        log.write(self._text)
        log.focus()
