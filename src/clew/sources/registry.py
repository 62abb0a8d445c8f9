"""The kinds of sources. A new one is a `SourceKind` in a module, and its line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import msgspec

from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line
from clew.sources.port import SourceKind, Spec

# By kind, its module in this package and its name there; in the order in which they are told.
KINDS: Final[Mapping[str, str]] = {
    "files": "files.SOURCE",
    "git-diff": "git.DIFF",
    "git-log": "git.LOG",
    "git-show": "git.SHOW",
    "snippet": "text.SNIPPET",
    "memory": "text.MEMORY",
    "payload": "text.PAYLOAD",
    "command": "command.SOURCE",
    "text": "text.TEXT",
    "github": "github.SOURCE",
    "notion": "notion.SOURCE",
    "pdf": "pdf.SOURCE",
    "url": "url.SOURCE",
}


def source(kind: str) -> SourceKind:
    """The source of a kind, loaded now. Raises `InputError`: there is none."""
    module, _, name = KINDS.get(kind, "").partition(".")
    if not module:
        raise InputError(
            f"there is no kind of source {one_line(clean(kind)) or '(none)'}",
            code="E-stack-file",
            hint=f"Kinds: {', '.join(KINDS)}.",
        )
    found = getattr(import_module(f"clew.sources.{module}"), name)
    assert isinstance(found, SourceKind)
    return found


def spec_of(table: Mapping[str, Any], where: str, *, typed: bool = False) -> Spec:
    """What a `[[source]]` table says, checked. Raises `InputError`; `where` names the table in it. `typed`: somebody
    typed its values, so that a text may stand for a number.
    """
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise InputError(
            f"{where} does not say of which kind it is", code="E-stack-file", hint=f"Kinds: {', '.join(KINDS)}."
        )
    known = source(kind)
    try:
        spec = msgspec.convert(dict(table), known.spec, strict=not typed)
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
