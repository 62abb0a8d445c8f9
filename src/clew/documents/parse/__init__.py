"""What people and tools write, read: hand-offs, plans, journals, progress and state files, as entries, notes and
headings. Segments well and guesses modestly: what is not certain is a note. Anything is read, nothing is dropped.
"""

from __future__ import annotations

from clew.documents.parse.document import parse
from clew.documents.parsed import Parsed

__all__ = ["Parsed", "parse"]
