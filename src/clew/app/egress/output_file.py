"""A file that a person names for what leaves: written whole or not at all, readable by its owner only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from clew.core.errors import InputError
from clew.core.text.page import GENERATOR
from clew.workspace.atomic import write_blocks

# The errors of a file that exists already, and of one that cannot be written.
EXPORT: Final = ("E-export-exists", "E-export-unwritable")
_HEAD_BYTES: Final = 512


def require_free(file: Path | None, *, force: bool, codes: tuple[str, str] = EXPORT) -> None:
    """Raise `InputError` for a file that is there, without `force`. None is stdout."""
    if file is not None and not force and os.path.lexists(file):
        raise _exists(file, codes)


def write_output(file: Path, blocks: Iterable[bytes], *, force: bool, codes: tuple[str, str] = EXPORT) -> None:
    """Write `blocks` into `file`; over one that is there only with `force`. Raises `InputError`."""
    try:
        write_blocks(file, blocks, force=force)
    except FileExistsError as error:
        raise _exists(file, codes) from error
    except OSError as error:
        raise _unwritable(file, error, codes) from error


def write_page(file: Path, text: str) -> None:
    """Write a page of figures, also over an older one. Raises `InputError` for a file that is not a page of clew's, and
    where it cannot be written.
    """
    is_ours = False
    try:
        with file.open("rb") as there:
            is_ours = GENERATOR.encode() in there.read(_HEAD_BYTES)
        if not is_ours:
            raise InputError(f"{file} is there, and is not a page of clew's", code=EXPORT[0], hint="Name another.")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unwritable(file, error, EXPORT) from error
    write_output(file, [text.encode("utf-8", "replace")], force=is_ours)


def _exists(file: Path, codes: tuple[str, str]) -> InputError:
    return InputError(f"{file} exists already", code=codes[0], hint="Name another file, or use `--force`.")


def _unwritable(file: Path, error: OSError, codes: tuple[str, str]) -> InputError:
    return InputError(
        f"{file} cannot be written: {error.strerror or type(error).__name__}",
        code=codes[1],
        hint="Name a file in a folder that has room and that you may write to.",
    )
