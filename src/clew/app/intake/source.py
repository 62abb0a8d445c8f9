"""Source: a text file that somebody hands in. Whether it is a bundle, and its text, whichever encoding it is in."""

import errno
import stat
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from clew.core.errors import InputError
from clew.core.text.charset import decode

BYTES_MAX: Final = 8 << 20
_BUNDLE: Final = b'{"clew_bundle":'
# What a text holds of the characters below the space. Terminals' colours (escape) are taken out later.
_PLAIN: Final = frozenset("\t\n\r\f\v\x1b\b")


class SourceFile(NamedTuple):
    """`name` is as a reader finds the file: from the project's root if it is in there, else absolute. `text` is as it
    stands in the file, `encoding` what it was read as.
    """

    name: str
    text: str
    encoding: str


def is_bundle(file: Path) -> bool:
    """Whether `clew export` wrote it, as far as its first bytes tell; False where it cannot be read."""
    try:
        if is_special(file):
            return False
        with file.open("rb") as source:
            return source.read(len(_BUNDLE)) == _BUNDLE
    except OSError:
        return False


def is_special(file: Path) -> bool:
    """Whether it is a pipe, a socket or a device: opening one can wait for ever. Raises `OSError`."""
    mode = file.stat().st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def read_source(file: Path, *, name: str = "", root: Path | None = None) -> SourceFile:
    """The text of `file`, called `name`, or as it is found from `root`.

    Whichever encoding it is in (`core/text/charset.py`), if that can be told. Raises
    `InputError`: E-import-unreadable, E-import-too-large, E-import-not-text.
    """
    told = name or str(file)
    try:
        if is_special(file):
            raise OSError(errno.EINVAL, "it is a pipe or a device")
        with file.open("rb") as source:
            data = source.read(BYTES_MAX + 1)
    except OSError as error:
        raise InputError(
            f"{told} cannot be read: {error.strerror or type(error).__name__}",
            code="E-import-unreadable",
            hint="Name a file that is there and that you may read.",
        ) from error
    if len(data) > BYTES_MAX:
        raise InputError(
            f"{told} has more than {BYTES_MAX >> 20} MiB",
            code="E-import-too-large",
            hint="A document for people is smaller. Cut it into parts, or take in only the part that still matters.",
        )
    text, encoding = _decoded(data, told)
    return SourceFile(name or found_from(root, file), text, encoding)


def _decoded(data: bytes, told: str) -> tuple[str, str]:
    text, encoding, replaced = decode(data)
    if replaced and encoding == "UTF-8" and b"\0" not in data:
        broken = len(text.partition("\ufffd")[0].encode())
        _refuse(told, f"it is not UTF-8 (from byte {broken} on), and in no other encoding that clew recognises")
    if replaced and encoding != "UTF-8":
        _refuse(told, f"it begins as {encoding}, and goes on as something else")
    if b"\0" in data and not encoding.startswith(("UTF-16", "UTF-32")):
        _refuse(told, f"there is a NUL at byte {data.index(0)}")
    return _checked(text, told, encoding), encoding


def _checked(text: str, told: str, encoding: str) -> str:
    """`text`, if it is one. Any bytes can be read as Latin-1."""
    odd = next((sign for sign in sorted(set(text)) if sign < " " and sign not in _PLAIN), "")
    if odd:
        _refuse(told, f"read as {encoding} it holds the control character {ord(odd):#04x}")
    return text


def _refuse(told: str, why: str) -> NoReturn:
    raise InputError(f"{told} is not text: {why}", code="E-import-not-text", hint="Save it as UTF-8 text.")


def found_from(root: Path | None, file: Path) -> str:
    """`file` as a reader finds it: from `root` if it is in there, else as it is."""
    try:
        return file.resolve().relative_to(root).as_posix() if root is not None else str(file)
    except ValueError:
        return str(file)
