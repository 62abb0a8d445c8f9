"""Settings: the one table of them, and which of several given values holds. Pure; the table makes
docs/reference/settings.md.

built-in < project file < user file < environment < flag. Of a gate a stricter value always holds, from wherever it
comes, and only the user's file can be laxer than what is built in.
"""

from clew.core.settings.setting import GATE, PREFIX, Choice, Given, Resolved, Setting, SettingKind, Settings, Source
from clew.core.settings.table import FAMILIES, SETTINGS
from clew.core.settings.values import (
    checked,
    from_file,
    from_variables,
    line_of,
    meant,
    nearest,
    resolve,
    shown,
    unknown,
)

__all__ = [
    "FAMILIES",
    "GATE",
    "PREFIX",
    "SETTINGS",
    "Choice",
    "Given",
    "Resolved",
    "Setting",
    "SettingKind",
    "Settings",
    "Source",
    "checked",
    "from_file",
    "from_variables",
    "line_of",
    "meant",
    "nearest",
    "resolve",
    "shown",
    "unknown",
]
