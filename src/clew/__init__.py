"""clew: durable state for AI coding agents.

    import clew

    found = clew.resume()          # the newest session of the repository that we are in
    print(found.document.text)     # at most 1,000 tokens: what the next session needs

Importing does nothing but define names: no folder is made, no environment read, nothing heavy loaded.
"""

from __future__ import annotations

# The name is what type checkers look for; importing it from `typing` would double the cost of `import clew`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew._front import Resumption as Resumption
    from clew._front import Showing as Showing
    from clew._front import resume as resume
    from clew._front import show as show
    from clew.core.errors import ClewError as ClewError

__version__ = "0.1.0"

__all__ = ["ClewError", "Resumption", "Showing", "__version__", "resume", "show"]

_HOMES = {
    "ClewError": "clew.core.errors",
    "Resumption": "clew._front",
    "Showing": "clew._front",
    "resume": "clew._front",
    "show": "clew._front",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
