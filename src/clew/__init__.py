"""clew: durable state for AI coding agents.

    import clew

    found = clew.resume()          # the newest session of the repository that we are in
    print(found.document.text)     # at most 1,500 tokens: what the next session needs

    with clew.open() as project:   # the ledger of the repository that we are in
        project.record("decision", "Amounts are integer cents", why="floats lost a cent")

Importing does nothing but define names: no folder is made, no environment read, nothing heavy loaded. `clew.aio` has
the same for asyncio.
"""

# The name is what type checkers look for; importing it from `typing` would double the cost of `import clew`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew._front import digest as digest
    from clew._front import open as open
    from clew._front import resume as resume
    from clew._front import show as show
    from clew.app.context.compact import maybe_compact as maybe_compact
    from clew.app.library import Project as Project
    from clew.app.look.sessions import SessionDigest as SessionDigest
    from clew.app.look.show import Showing as Showing
    from clew.app.record.agents import Saved as Saved
    from clew.app.record.checkpoint import Checkpoint as Checkpoint
    from clew.app.resume.payload import Resumption as Resumption
    from clew.core.context.compaction import Compacted as Compacted
    from clew.core.errors import BudgetError as BudgetError
    from clew.core.errors import ClewError as ClewError
    from clew.core.errors import InputError as InputError
    from clew.core.errors import LedgerError as LedgerError
    from clew.core.errors import NotAllowed as NotAllowed
    from clew.core.errors import NotFound as NotFound
    from clew.core.errors import Unavailable as Unavailable
    from clew.core.records.files import Drift as Drift
    from clew.core.state.events import Event as Event
    from clew.core.state.events import Recorded as Recorded
    from clew.core.state.items import Item as Item
    from clew.core.state.items import State as State
    from clew.documents.render import Document as Document

__version__ = "0.1.0"

_HOMES = {
    "clew._front": ("digest", "open", "resume", "show"),
    "clew.app.record.agents": ("Saved",),
    "clew.app.record.checkpoint": ("Checkpoint",),
    "clew.app.context.compact": ("maybe_compact",),
    "clew.app.library": ("Project",),
    "clew.app.resume.payload": ("Resumption",),
    "clew.app.look.sessions": ("SessionDigest",),
    "clew.app.look.show": ("Showing",),
    "clew.core.context.compaction": ("Compacted",),
    "clew.core.errors": (
        "BudgetError",
        "ClewError",
        "InputError",
        "LedgerError",
        "NotAllowed",
        "NotFound",
        "Unavailable",
    ),
    "clew.core.state.events": ("Event", "Recorded"),
    "clew.core.records.files": ("Drift",),
    "clew.core.state.items": ("Item", "State"),
    "clew.documents.render": ("Document",),
}

__all__ = [
    "BudgetError",
    "Checkpoint",
    "ClewError",
    "Compacted",
    "Document",
    "Drift",
    "Event",
    "InputError",
    "Item",
    "LedgerError",
    "NotAllowed",
    "NotFound",
    "Project",
    "Recorded",
    "Resumption",
    "Saved",
    "SessionDigest",
    "Showing",
    "State",
    "Unavailable",
    "__version__",
    "digest",
    "maybe_compact",
    "open",
    "resume",
    "show",
]


def __getattr__(name: str) -> object:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
