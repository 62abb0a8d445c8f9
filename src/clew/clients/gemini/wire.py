"""What Gemini CLI writes: the entries of a session file, one after the other, whatever its age. Opens nothing.

Three forms are met (docs/clients/gemini.md, "Session files"): lines of JSON, one JSON document that is rewritten whole,
and a document that a killed client left unfinished. Nothing is refused: what cannot be read becomes a `Broken`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from clew.clients.lines import NotALine, decode_any

# Clients write images and whole files into a line; tens of MB have been seen.
LINE_BYTES_MAX: Final = 64 << 20
# A document is held whole to be read.
DOCUMENT_BYTES_MAX: Final = 256 << 20
# Where the header of a document is looked for.
_HEAD_CHARS: Final = 64 << 10
_FIELD: Final = re.compile(r'"(sessionId|projectHash|startTime|kind)"\s*:\s*"([^"\\]{1,200})"')
_MESSAGES: Final = re.compile(r'"messages"\s*:\s*\[\s*')
_BETWEEN: Final = re.compile(r"[\s,]*")
_NAMES: Final = (b'"sessionId"', b'"projectHash"')
_ANSWER: Final = re.compile(rb'"type"\s*:\s*"gemini"')


class Broken(NamedTuple):
    """A piece of `length` bytes that is not a JSON object. `why` is for people."""

    length: int
    why: str


def is_ours(head: bytes) -> bool:
    """Whether a file that begins with `head` is a session of Gemini CLI."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{"):
        return False
    if all(name in head for name in _NAMES):
        return b'"messages"' in head or b'"startTime"' in head or b'"lastUpdated"' in head
    # A document may begin with its messages, and an answer may lie in a file of its own.
    return _ANSWER.search(head) is not None and (b'"tokens"' in head or b'"toolCalls"' in head or b'"thoughts"' in head)


def entries(file: BinaryIO) -> Iterator[dict[str, Any] | Broken]:
    """The entries of a session file, in order. `file` is read from its beginning; raises only what reading it raises.

    A document gives its header (with its messages), or if it is torn the header and then each message that is whole. A
    last line without an end that is not whole is left out: it is still being written.
    """
    first = file.readline(LINE_BYTES_MAX)
    while first and not first.strip():
        first = file.readline(LINE_BYTES_MAX)
    if first and not _is_whole(first):
        lines_begin = file.tell()
        found = list(_document(file, first))
        if found:
            yield from found
            return
        file.seek(lines_begin)
    yield from _line(file, first)
    while line := file.readline(LINE_BYTES_MAX):
        yield from _line(file, line)


def _is_whole(line: bytes) -> bool:
    try:
        decode_any(line)
    except NotALine:
        return False
    return True


def _line(file: BinaryIO, line: bytes) -> Iterator[dict[str, Any] | Broken]:
    ended = line.endswith(b"\n")
    if not ended and len(line) >= LINE_BYTES_MAX:
        length = len(line)
        while not ended and (rest := file.readline(LINE_BYTES_MAX)):
            length += len(rest)
            ended = rest.endswith(b"\n")
        yield Broken(length - 1, "line too long")
        return
    if not line.strip():
        return
    try:
        yield decode_any(line)
    except NotALine as problem:
        if ended:
            yield Broken(len(line) - 1, problem.why)


def _document(file: BinaryIO, first: bytes) -> Iterator[dict[str, Any] | Broken]:
    """The entries of a document whose first line is `first`; none if it is none."""
    file.seek(0)
    data = file.read(DOCUMENT_BYTES_MAX + 1)
    looks_so = first.strip().removeprefix(b"\xef\xbb\xbf") == b"{" or b'"messages"' in first
    if len(data) > DOCUMENT_BYTES_MAX:
        if looks_so:
            yield Broken(len(data), "document too long")
        return
    try:
        yield decode_any(data)
    except NotALine:
        if looks_so:
            yield from _torn(data.decode("utf-8", "replace"))


def _torn(text: str) -> Iterator[dict[str, Any] | Broken]:
    """What an unfinished document holds: fields of its header, and its messages up to the first that is not whole."""
    begins = _MESSAGES.search(text)
    if begins is None:
        yield Broken(len(text), "not JSON")
        return
    yield {found.group(1): found.group(2) for found in _FIELD.finditer(text, 0, min(begins.start(), _HEAD_CHARS))}
    decoder = json.JSONDecoder()
    at = begins.end()
    while text.startswith("{", at):
        try:
            _, end = decoder.raw_decode(text, at)
            yield decode_any(text[at:end].encode("utf-8", "replace"))
        except (ValueError, RecursionError, NotALine):
            return  # the rest was being written when the client died
        between = _BETWEEN.match(text, end)
        at = between.end() if between else end
