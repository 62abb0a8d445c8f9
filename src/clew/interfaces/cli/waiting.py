"""What a person at a terminal is told while a command works for long: on what, and for how long already."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Final

from clew.app.ports import Ports
from clew.core.state.items import Authority
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.here import remark

_AFTER_S: Final = 0.5
_EVERY_S: Final = 5.0


class Waiting:
    """Says on stderr what is worked on (`at`), after `after_s` seconds and then every few; nothing if stderr is no
    terminal. Used with `with`.
    """

    def __init__(self, verb: str, *, after_s: float = _AFTER_S, every_s: float = _EVERY_S) -> None:
        self._verb = verb
        self._after_s = after_s
        self._every_s = every_s
        self._name = ""
        self._over = threading.Event()
        self._terminal = threading.Lock()
        self._thread: threading.Thread | None = None

    def at(self, name: str) -> None:
        """What is worked on from now on."""
        self._name = name

    def around(self, ports: Ports) -> Ports:
        """`ports`, by which nothing is told while a person is asked for a code."""
        channel = ports.channel

        def quiet() -> Authority:
            said = channel()

            def prove(says: str, about: str) -> str:
                with self._terminal:
                    return said.prove(says, about)

            return said._replace(prove=prove)

        return ports._replace(channel=quiet)

    def __enter__(self) -> Waiting:
        if sys.stderr is not None and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._tell, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _tell(self) -> None:
        began, wait_s = time.monotonic(), self._after_s
        while not self._over.wait(wait_s):
            wait_s = self._every_s
            told = one_line(clean(f"{self._verb} {self._name}")).strip()
            with self._terminal:
                remark(f"{told} … {time.monotonic() - began:.0f} s")
