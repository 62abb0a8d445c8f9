"""A page of figures as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clew.core.errors import InputError
from clew.core.text.page import GENERATOR
from clew.workspace.atomic import replace

_HEAD_BYTES: Final = 512


def write_page(file: Path, text: str) -> None:
    """Write a page, readable by its owner only, also over an older one. Raises `InputError` for a file that is there
    and is no page of clew's, and where it cannot be written.
    """
    try:
        with file.open("rb") as there:
            is_ours = GENERATOR.encode() in there.read(_HEAD_BYTES)
    except FileNotFoundError:
        is_ours = True
    except OSError as error:
        raise _unwritable(file, error) from error
    if not is_ours:
        raise InputError(f"{file} is there, and is no page of clew's", code="E-export-exists", hint="Name another.")
    try:
        replace(file, text.encode("utf-8", "replace"), mode=0o600, durable=False)
    except OSError as error:
        raise _unwritable(file, error) from error


def _unwritable(file: Path, error: OSError) -> InputError:
    return InputError(
        f"{file} cannot be written: {error.strerror or error}",
        code="E-export-unwritable",
        hint="Name a file in a folder that you may write.",
    )
