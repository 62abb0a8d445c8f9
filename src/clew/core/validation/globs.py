"""Which paths a pattern names: `*` within a folder, `**` over folders, `?` one character, `{a,b}` either."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matching(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Those of `paths` (from the top of the project, with "/") that one of `patterns` names, in their order."""
    tests = [_compiled(pattern) for pattern in patterns]
    return [path for path in paths if any(test.match(path) for test in tests)]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern without "/" is about the name in any folder; one that ends with "/" is about all that lies below."""
    pattern = pattern.removeprefix("./")
    if pattern.endswith("/"):
        pattern += "**"
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    made, at, braces = "", 0, 0
    while at < len(pattern):
        sign = pattern[at]
        if pattern.startswith("**/", at):
            made, at = made + "(?:.*/)?", at + 3
            continue
        if pattern.startswith("**", at):
            made, at = made + ".*", at + 2
            continue
        if sign == "{" and "}" in pattern[at:]:
            made, braces = made + "(?:", braces + 1
        elif sign == "}" and braces:
            made, braces = made + ")", braces - 1
        elif sign == "," and braces:
            made += "|"
        else:
            made += {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign))
        at += 1
    return re.compile(rf"{made}\Z", re.DOTALL)
