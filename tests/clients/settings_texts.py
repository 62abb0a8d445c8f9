"""Settings files as people have them: comments, trailing commas, tabs, CRLF, marks, one line or many."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from clew.clients.splice import SpliceEntry


class Written(NamedTuple):
    """A text, and the value that it holds (None: nothing but space and comments)."""

    text: str
    value: Any


OURS = "clewhook"


def group(event: str) -> dict[str, Any]:
    """A group of hooks of ours."""
    run = {"type": "command", "command": "/usr/bin/python3", "args": ["-c", OURS, event], "timeout": 5}
    return {"hooks": [run]}


ENTRIES = (
    SpliceEntry(("hooks", "SessionStart"), "", group("SessionStart")),
    SpliceEntry(("hooks", "Stop"), "", {"matcher": "A|B", **group("Stop")}),
    SpliceEntry((), "statusLine", {"type": "command", "command": OURS}),
)


def is_ours(path: tuple[str, ...], value: Any) -> bool:
    """What the stories' clew knows as its own."""
    if path == ("statusLine",):
        return bool(value == {"type": "command", "command": OURS})
    return bool(path[:1] == ("hooks",) and len(path) == 3 and OURS in json.dumps(value))


_KEYS = st.sampled_from(["model", "env", "a b", 'q"\\', "ключ", "", "permissions", "hooks", "Stop"])
_PLAIN = st.sampled_from(
    [None, True, False, 0, -1, 1.5, 12345678901234567890, "", "x", "// no comment", "/*", 'a"b\\', "é\n"]
)
_VALUES = st.recursive(
    _PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8
)
_THEIR_GROUP = st.fixed_dictionaries({"hooks": st.just([{"type": "command", "command": "bell"}])})
_HOOKS = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "PreToolUse"]), st.lists(_THEIR_GROUP, max_size=2))
_SETTINGS = st.builds(
    lambda before, hooks, after: {**before, **hooks, **after},
    st.dictionaries(_KEYS.filter(lambda key: key != "hooks"), _VALUES, max_size=3),
    st.builds(lambda hooks: {"hooks": hooks}, _HOOKS) | st.just({}),
    st.dictionaries(st.sampled_from(["last", "z"]), _VALUES, max_size=2),
)


@st.composite
def written(draw: st.DrawFn, values: st.SearchStrategy[Any] = _SETTINGS) -> Written:
    """A settings file that holds an object, in any manner."""
    line_end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    step = draw(st.sampled_from(["  ", "    ", "\t", " ", ""]))
    busy = draw(st.booleans())  # comments and trailing commas
    one_line = draw(st.sampled_from([False, False, True]))

    def space(*, inline: bool) -> str:
        if not busy or draw(st.integers(0, 3)):
            return ""
        remarks = [" ", " /* it */ ", "/**/"]
        if not inline:
            remarks += [
                f" // why{line_end}",
                f"{line_end}",
                f"/* two{line_end} lines */",
                f" // a, [b{line_end}{line_end}",
            ]
        return draw(st.sampled_from(remarks))

    def shown(value: Any, indent: str) -> str:
        if not isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        inline = one_line or draw(st.integers(0, 4)) == 0
        lead = draw(st.sampled_from(["", " "])) if inline else line_end + indent + step
        last = draw(st.sampled_from(["", " "])) if inline else line_end + indent
        pairs = value.items() if isinstance(value, dict) else (("", one) for one in value)
        rows = []
        for key, one in pairs:
            name = (
                f"{json.dumps(key)}{space(inline=one_line)}:{' ' if not inline else lead[:1]}"
                if isinstance(value, dict)
                else ""
            )
            rows.append(lead + space(inline=one_line) + name + shown(one, indent + step) + space(inline=one_line))
        if not rows:
            return opening + space(inline=one_line) + closing
        trailing = "," + space(inline=one_line) if busy and draw(st.booleans()) else ""
        return opening + ",".join(rows) + trailing + last + closing

    value = draw(values)
    start = draw(st.sampled_from(["", "", "\ufeff", line_end, f"// settings{line_end}" if not one_line else " "]))
    end = draw(st.sampled_from(["", line_end, line_end + line_end, " "]))
    return Written(start + shown(value, "") + end, value)


NOTHING = st.sampled_from(["", "\ufeff", "\n", "  \r\n", "// only this", "/* this */\n"]).map(
    lambda text: Written(text, None)
)
