"""The kinds of sources. A new one is a module with `SOURCE`, and its line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import msgspec

from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line
from clew.sources.port import Source, Spec

# By kind, its module in this package; in the order in which they are told.
KINDS: Final[Mapping[str, str]] = {
    "files": "files",
    "git-diff": "git_diff",
    "git-log": "git_log",
    "git-show": "git_show",
    "snippet": "snippet",
    "memory": "memory",
    "payload": "payload",
    "command": "command",
    "text": "text",
    "github": "github",
    "notion": "notion",
    "pdf": "pdf",
    "url": "url",
}


def source(kind: str) -> Source:
    """The source of a kind, loaded now. Raises `InputError`: there is none."""
    module = KINDS.get(kind)
    if module is None:
        raise InputError(
            f"there is no kind of source {one_line(clean(kind)) or '(none)'}",
            code="E-stack-file",
            hint=f"Kinds: {', '.join(KINDS)}.",
        )
    found = import_module(f"clew.sources.{module}").SOURCE
    assert isinstance(found, Source)
    return found


def spec_of(table: Mapping[str, Any], where: str) -> Spec:
    """What a `[[source]]` table says, checked. Raises `InputError`; `where` names the table in it."""
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise InputError(
            f"{where} does not say of which kind it is", code="E-stack-file", hint=f"Kinds: {', '.join(KINDS)}."
        )
    known = source(kind)
    try:
        spec = msgspec.convert(dict(table), known.spec)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{where} ({kind}): {one_line(clean(str(error)))}",
            code="E-stack-file",
            hint=f"Its keys: {', '.join(known.spec.__struct_fields__)} (docs/reference/stacks.md).",
        ) from None
    if spec.budget < 0:
        raise InputError(
            f"{where} ({kind}): a budget is a number of tokens", code="E-stack-file", hint="0 is no limit."
        )
    return spec
