"""What a plan names: files, and functions, classes and the like. Only what is surely meant as a name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from clew.core.plan.plan import Plan
from clew.core.text.segments import segments
from clew.documents.lint.page import rows_of
from clew.documents.paths import ENDINGS

_CODE: Final = re.compile(r"(?<!`)`([^`\n]{2,160})`(?!`)")
_ENDING: Final = r"\.[A-Za-z][A-Za-z0-9]{0,5}"
_PATH: Final = re.compile(
    rf"(?:\./)?((?:[\w@.+-]+/)+[\w@.+*-]+|[\w@+-]+(?:\.[\w@+-]+)*{_ENDING})(?::\d+(?:[-,]\d+)*)?/?"
)
_BARE: Final = re.compile(rf"(?<![\w`/.:@-])((?:[\w@.+-]+/)+[\w@+-]+{_ENDING})(?::\d+(?:-\d+)?)?(?![\w`/])")
_SYMBOL: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$~][\w$]*)*(?:\([^()]*\))?")
# Said of what is still to be made, or to go.
_AHEAD: Final = re.compile(
    r"\b(?:creat(?:e|es|ing)|new|add(?:s|ing)?|introduc\w+|writ(?:e|es|ing)(?! down\b)|generat\w+|extract\w*|rename\w*|"
    r"mov(?:e|es|ing)|split|delet\w+|remov\w+|call(?:ed)? it|named?|tests? (?:in|for))\b",
    re.IGNORECASE,
)
# Words in back-quotes that are no name of the code's.
_PLAIN: Final = frozenset(
    """true false none null self this todo done main master dev prod test tests build run install debug release
    default yes no on off ok error git make npm npx yarn pnpm pip uv python node cargo go docker bash sh zsh utf-8 json
    yaml toml get post put patch delete head options int str float bool bytes list dict set tuple string number object
    array void any validate budget tier depends files""".split()
)


class Named(NamedTuple):
    """A name in a plan. `line` counts from 1. `is_ahead`: the line says that it is to be made, or to go."""

    kind: Literal["file", "symbol"]
    name: str
    line: int
    is_ahead: bool


def named(plan: Plan) -> tuple[Named, ...]:
    """What the plan names, in order, each once: what any line says is to be made, is; what only the files of a phase
    name may be.
    """
    found: dict[tuple[str, str], Named] = {}
    for one in _all(plan):
        key = one.kind, one.name
        if key not in found or (one.is_ahead and not found[key].is_ahead):
            found[key] = one
    for phase in plan.phases:
        for path in phase.files:
            name = path.removeprefix("./")
            found.setdefault(("file", name), Named("file", name, phase.line + 1, True))
    return tuple(sorted(found.values(), key=lambda one: (one.line, one.name)))


def _all(plan: Plan) -> Iterator[Named]:
    commands = {command for phase in plan.phases for command in phase.validate}
    for block in segments(plan.text.split("\n")):
        if block.form not in ("item", "text", "row", "heading"):
            continue
        for line, row in rows_of(block):
            bare = _CODE.sub("·", row)
            is_ahead = _AHEAD.search(bare) is not None
            for code in _CODE.findall(row):
                if code not in commands and (one := _name(code)):
                    yield Named(one[0], one[1], line, is_ahead)
            for match in _BARE.finditer(bare):
                if "://" not in bare[: match.start() + 8]:
                    yield Named("file", match[1], line, is_ahead)


def _name(code: str) -> tuple[Literal["file", "symbol"], str] | None:
    """What stands in back-quotes, if it is a name: a path, or a word that only code has."""
    path = _PATH.fullmatch(code)
    if path is not None and ("/" in path[1] or path[1].rpartition(".")[2].lower() in ENDINGS) and "*" not in path[1]:
        return "file", path[1].rstrip("/")
    if _SYMBOL.fullmatch(code) is None:
        return None
    is_call = code.endswith(")")
    name = code.partition("(")[0]
    parts = re.split(r"\.|::|#", name)
    is_coded = (
        is_call or len(parts) > 1 or "_" in name.strip("_") or re.search(r"[a-z0-9][A-Z]|^[A-Z][a-z]+[A-Z]", name)
    )
    if not is_coded or name.lower() in _PLAIN or name.isupper():
        return None
    return "symbol", name
