"""The program: `clew`, or `python -m clew`."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

# Python would look through its young objects now and then, and begin while modules are loaded; most commands are over
# before there is anything to collect: loading them makes some 60,000 objects, none of them garbage.
_YOUNG_MAX = 200_000


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_YOUNG_MAX)
    if any(name.startswith("PYTHON") for name in os.environ):
        _without_others_code()
    from clew.interfaces.cli.main import main  # here: to load it is the first part of the work

    main()


def _without_others_code() -> None:
    """Begin again without the caller's variables that have Python load code, in the same process: they are for others'
    programs. Where clew itself is found by them they stay, and nothing counts as a person's
    (`core/state/authority.py`).
    """
    from pathlib import Path

    from clew.core.state.authority import LOADING

    named = {name: value for name, value in os.environ.items() if value and name in LOADING}
    ours = Path(__file__).resolve().parent.parent
    folders = (Path(folder).resolve() for value in named.values() for folder in value.split(os.pathsep) if folder)
    if not named or os.name != "posix" or not sys.executable or any(map(ours.is_relative_to, folders)):
        return
    variables = {name: value for name, value in os.environ.items() if name not in named}
    with suppress(OSError):  # where no program can be started all stays as it is
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], variables)


if __name__ == "__main__":
    main()
