"""The program: `clew`, or `python -m clew`."""

import gc
from typing import NoReturn

# Python would look through its young objects now and then, and begin while modules are loaded; most commands are over
# before there is anything to collect.
_YOUNG_MAX = 50_000


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_YOUNG_MAX)
    from clew.interfaces.cli.main import main  # here: to load it is the first part of the work

    main()


if __name__ == "__main__":
    main()
