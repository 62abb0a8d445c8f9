"""How people write dates, and which labels tell when a document was written. Knows nothing of what a date means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# What a line begins with, or a heading says, that tells a document's date.
KEY: Final = (
    r"(?:session[ _])?(?:date|created|updated|modified|timestamp|generated|written|reviewed|verified|amended|as of)"
    r"|last[ _-]?(?:updated?|modified|reviewed|verified|edited|changed)|updated[ _]?(?:at|date)|session"
)
LINE: Final = re.compile(rf"\s*(?:#|\W{{0,5}}(?:{KEY})\b)", re.IGNORECASE)
HEADING: Final = re.compile(rf"\s*#+\W*(?:{KEY})\W*$", re.IGNORECASE)
_DATE: Final = re.compile(r"(?<![\d-])20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_FRONT_CHARS: Final = 2000


def newest(lines: Sequence[str]) -> str:
    """The newest date in headings and in lines that are about dates; else the newest of the front part, "" none."""
    own, front, chars = "", "", 0
    for line in lines:
        if "20" in line and (found := _DATE.findall(line)):
            if LINE.match(line):
                own = max(own, *found)
            elif chars < _FRONT_CHARS:
                front = max(front, *found)
        chars += len(line) + 1
    return own or front
