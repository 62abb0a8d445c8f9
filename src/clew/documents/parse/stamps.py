"""How people write dates, and which labels tell when a document was written. Knows nothing of what a date means."""

from __future__ import annotations

import re

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
# 2026-03-14, March 14, 2026, 14 March 2026.
DATE = rf"\d{{4}}-\d\d-\d\d(?!\d)|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b|\d{{1,2}}\.? {_MONTH}\.? \d{{4}}\b"
# What a line begins with, or a heading says, that tells a document's date.
KEY = (
    r"(?:session[ _])?(?:date|created|updated|modified|timestamp|generated|written|reviewed|verified|amended|as of)"
    r"|last[ _-]?(?:updated?|modified|reviewed|verified|edited|changed)|updated[ _]?(?:at|date)|session"
)
LINE = re.compile(rf"\s*(?:#|\W{{0,5}}(?:{KEY})\b)", re.IGNORECASE)
HEADING = re.compile(rf"\s*#+\W*(?:{KEY})\W*$", re.IGNORECASE)
