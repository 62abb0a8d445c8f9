"""Errors of clew: one base, a stable code with a page in `docs/reference/errors.md`, a hint that says what to do next.

ClewError
├── InputError        what was given cannot be used (file, argument, transcript)      exit 1
├── NotFound          what was asked for is not there (session, item, repository)     exit 1
├── BudgetError       a document cannot be made within its token budget               exit 1
├── LedgerError       the ledger cannot be read or written (full, locked, corrupt)    exit 1
├── NotAllowed        only a person may do this, or nobody from here                  exit 1
└── Unavailable       something needed is missing on this machine (git, clipboard)    exit 1

What the system says of a file (`OSError`) is told as it is (`told`). Any other exception is a fault of ours (E-fault,
exit 70).
"""

from __future__ import annotations

from typing import ClassVar


class ClewError(Exception):
    """`message` says what happened to which thing, `hint` the next step, `code` finds the page
    (`docs/reference/errors.md`).
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint


def told(error: BaseException) -> ClewError | None:
    """What a person is told of an error: of ours itself; of one that the system has about a file, which and why; None
    for a fault.
    """
    if isinstance(error, ClewError):
        return error
    if isinstance(error, OSError) and error.filename is not None:
        why = error.strerror or type(error).__name__
        hint = "See that its disk is there and has room, and that you may write there; `clew doctor` looks at it all."
        return Unavailable(f"{error.filename}: {why}", code="E-file", hint=hint)
    return None


class InputError(ClewError):
    """What was given cannot be used."""


class NotFound(ClewError):
    """What was asked for is not there."""


class BudgetError(ClewError):
    """A document cannot be made within its token budget."""


class LedgerError(ClewError):
    """The ledger cannot be read or written. Nothing of what was being appended was kept."""


class NotAllowed(ClewError):
    """The channel that this came by has no authority for it (docs/reference/authority.md)."""


class Unavailable(ClewError):
    """Something needed is missing on this machine."""
