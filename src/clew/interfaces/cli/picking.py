"""Starting the picker of `clew stack edit`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from clew.core.errors import InputError, Unavailable
from clew.interfaces.cli.resume import to_clipboard

if TYPE_CHECKING:
    from clew.app.stack.editing import Editing
    from clew.interfaces.tui.picker import Parse


def pick(editing: Editing, parse: Parse) -> None:
    """Show the picker until somebody quits. Raises `Unavailable` without the extra, `InputError` without a terminal."""
    if find_spec("textual") is None:
        raise Unavailable(
            "the picker needs the package `textual`, which is not installed",
            code="E-tui-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[tui]'`, `uv tool install '.[tui]'`.",
        )
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)) or (
        os.environ.get("TERM", "dumb") == "dumb" and os.name == "posix"
    ):
        raise InputError(
            "the picker needs a terminal, for keys and screen",
            code="E-tui-terminal",
            hint="Run it in one; `clew stack add`, `remove`, `show` and `build` do the same without.",
        )
    from clew.interfaces.tui.picker import Picker

    picker = Picker(editing, parse=parse, copy=to_clipboard)
    picker.run()
    if picker.fault is not None:
        raise picker.fault
