"""A page of the web, named by hand: its text, bounded in size and time.

A stack comes with a repository, and so may the address. Only servers that anybody reaches are asked, so that no stack
reads what is open to this machine alone (its own services, the network behind it, a cloud's metadata).
"""

from __future__ import annotations

import codecs
import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from clew.core.text.cleaning import clean, one_line, shorten_code
from clew.sources.apart import read_apart, serve
from clew.sources.pdf import BYTES_MAX as PDF_BYTES_MAX
from clew.sources.pdf import from_pages, read_pdf
from clew.sources.port import Fetched, SourceContext, SourceError, SourceKind, SourcePart, Spec, decode_text, encodable

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


# A web page as plain text with a little Markdown: what a reader would see of it, without its furniture.
#
# It is read in a process of its own, `python -m clew.sources.url`: folders within folders, a million of them, take
# every parser of HTML hours, since the standard has it look at all that are open.

_TIMEOUT_S: Final = 20.0
_SILENT: Final = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "nav", "footer", "form", "button", "select")
)
_BLOCKS: Final = frozenset(
    "p div section article main header aside dl dt dd table figure figcaption address details summary hr".split()
)
_APART: Final = frozenset("p table section article hr".split())
_HEADINGS: Final = {f"h{n}": "#" * n + " " for n in range(1, 7)}
_TEXT: Final = "-text"
_DEPTH_MAX: Final = 12
_SPACE: Final = re.compile(r"[ \t\r\f\v\n\u00a0]+")


def read_html(html: str, name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The title, and the text: headings, lists, quotations, tables by row, code as it stands. Links are told by their
    words alone. `name` is what messages call the page. Raises `SourceError`: it takes too long to read.
    """
    title, text = read_apart(
        __name__, encodable(html).encode(), needs="selectolax", extra="html", name=name, environment=environment,
        timeout_s=_TIMEOUT_S,
    )  # fmt: skip
    return title, text


def text_of_html(html: str) -> tuple[str, str]:
    """As `read_html`, in this process and without a bound."""
    from selectolax.lexbor import LexborHTMLParser

    reader, title = _Reader(), ""
    root = LexborHTMLParser(html).root
    for node, is_end in _walk(root) if root is not None else ():
        tag = node.tag or ""
        if tag == "title":
            title = title or node.text()
        elif tag == _TEXT:
            reader.add(node.text_content or "")
        elif is_end:
            reader.leave(tag)
        else:
            reader.enter(tag)
    return _SPACE.sub(" ", title).strip(), reader.text()


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Every node that is seen, where it begins and where it ends; a text, and the title, once."""
    node: LexborNode = root
    while True:
        tag = node.tag or ""
        inner = None
        if tag not in _SILENT:
            yield node, False
            inner = node.first_child if tag not in (_TEXT, "title") else None
        if inner is not None:
            node = inner
            continue
        if tag not in _SILENT and tag not in (_TEXT, "title"):
            yield node, True
        while node.next is None:
            if node.parent is None or node == root:
                return
            node = node.parent
            yield node, True
        node = node.next


class _Reader:
    """Blocks of text as they come, from elements that begin and end."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._front = ""
        self._lists: list[list[int]] = []  # of each list that is open the number of its last entry, [-1] unordered
        self._pre = self._quote = 0

    def text(self) -> str:
        self._end_block()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._blocks)).strip() + "\n"

    def add(self, text: str) -> None:
        self._line.append(text if self._pre else _SPACE.sub(" ", text))

    def enter(self, tag: str) -> None:
        if tag == "br":
            self._line.append("\n")
        elif tag in ("td", "th"):
            self._line.append(" | " if any(map(str.strip, self._line)) else "")
        elif tag == "code" and not self._pre:
            self._line.append("`")
        elif tag in _HEADINGS:
            self._gap()
            self._front = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._end_block() if self._lists else self._gap()
            self._lists.append([0 if tag == "ol" else -1])
        elif tag == "li":
            self._end_block()
            self._front = self._entry()
        elif tag in ("pre", "blockquote"):
            self._gap()
            self._pre += tag == "pre"
            self._quote += tag == "blockquote"
        elif tag == "tr":
            self._end_block()
        elif tag in _BLOCKS:
            self._gap() if tag in _APART and not self._lists else self._end_block()

    def _entry(self) -> str:
        number = self._lists[-1] if self._lists else [-1]
        number[0] += 1 if number[0] >= 0 else 0
        return "  " * (min(len(self._lists), _DEPTH_MAX) - 1) + (f"{number[0]}. " if number[0] > 0 else "- ")

    def leave(self, tag: str) -> None:
        if tag == "code" and not self._pre:
            self._line.append("`")
        elif tag in ("ul", "ol"):
            self._lists.pop()
            self._end_block() if self._lists else self._gap()
        elif tag in ("pre", "blockquote"):
            self._end_block()
            self._pre -= tag == "pre"
            self._quote -= tag == "blockquote"
        elif tag in _HEADINGS or (tag == "p" and not self._lists):
            self._gap()
            self._front = ""
        elif tag in _BLOCKS or tag in ("li", "tr"):
            self._end_block()

    def _gap(self) -> None:
        self._end_block()
        if self._blocks and self._blocks[-1]:
            self._blocks.append("")

    def _end_block(self) -> None:
        told, self._line = "".join(self._line), []
        front, self._front = self._front, ""
        quote = "> " * min(self._quote, _DEPTH_MAX)
        if self._pre and told.strip():
            self._blocks += [f"{quote}```", *(quote + row for row in told.strip("\n").split("\n")), f"{quote}```"]
            return
        rows = [_SPACE.sub(" ", row).strip() for row in told.split("\n")]
        rows = [row for row in rows if row]
        if rows:
            indent = " " * len(front) if not front.startswith("#") else ""
            self._blocks += [f"{quote}{front}{rows[0]}", *(f"{quote}{indent}{row}" for row in rows[1:])]
        else:
            self._front = front  # the words of an entry may come with a block inside of it


def _read(data: bytes, _: object) -> Any:
    return text_of_html(data.decode("utf-8", "replace"))


if __name__ == "__main__":
    serve(_read)


BYTES_MAX: Final = 5 << 20
_CONNECT_S: Final = 15.0
_TOTAL_S: Final = 60.0
_HOPS_MAX: Final = 5
_SHOWN_CHARS: Final = 200
_TITLE_CHARS: Final = 120
_BLOCK: Final = 1 << 16
_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_TEXTS: Final = ("application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml")
# What pages are written in (WHATWG Encoding Standard), by Python's names. It knows others that are no charsets: some
# obey the text, some fail on it whatever is to be replaced.
_CHARSETS: Final = frozenset(
    "ascii utf-16 utf-16-le utf-16-be koi8-r koi8-u mac-roman mac-cyrillic cp866 cp874 gbk gb2312 gb18030 big5 "
    "big5hkscs euc_jp iso2022_jp shift_jis cp932 euc_kr cp949".split()
) | {f"{family}{n}" for family, numbers in (("iso8859-", range(1, 17)), ("cp125", range(9))) for n in numbers}
_LANGUAGES: Final = {"json": "json", "xml": "xml", "yaml": "yaml", "x-yaml": "yaml", "toml": "toml", "csv": "csv"}


class Url(Spec, frozen=True):
    """`url` is an address with https or http. What a login would show is not seen."""

    url: str


@dataclass(frozen=True, slots=True)
class _Answer:
    url: str
    kind: str
    charset: str
    data: bytes
    modified: str


def fetch(spec: Url, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The text of the page: of HTML what a reader sees, of a PDF its pages, else all. Raises `SourceError`."""
    deadline = time.monotonic() + _TOTAL_S
    url = spec.url.strip()
    for _hop in range(_HOPS_MAX + 1):
        context.at(_shown(url))
        answer = _asked(url, deadline, may_reach=_anybody if not context.loopback else lambda _: True)
        if isinstance(answer, _Answer):
            return _told(answer, context)
        url = answer
    raise _failed(spec.url, f"it leads on more than {_HOPS_MAX} times", "Name the address at which it ends.")


def _told(answer: _Answer, context: SourceContext) -> Fetched:
    as_of = f", last changed {answer.modified}" if answer.modified else ""
    where = f"{_shown(answer.url)}{as_of}"
    if answer.kind == "application/pdf":
        pdf = read_pdf(answer.data, _shown(answer.url), (), context.environment)
        return from_pages(pdf, urlsplit(answer.url).path.rpartition("/")[2] or "page", where, frozenset())
    text = _decoded(answer)
    if answer.kind in ("text/html", "application/xhtml+xml"):
        title, text = read_html(text, _shown(answer.url), context.environment)
        said = shorten_code(one_line(clean(title)), _TITLE_CHARS)
        named = f"the page “{said}” at" if said else "the page"
        if not text.strip():
            raise _failed(answer.url, "it has no text", "A page that scripts make up has none; save it as text.")
        return Fetched((SourcePart(text, language="markdown"),), f"{named} {where}")
    return Fetched(
        (SourcePart(text, language=_LANGUAGES.get(answer.kind.rpartition("/")[2], "text")),), f"text at {where}"
    )


def _decoded(answer: _Answer) -> str:
    """The text, as the server names its encoding, unless a mark or the bytes say otherwise."""
    try:
        named = codecs.lookup(answer.charset).name
    except (LookupError, ValueError):
        named = ""
    if not answer.charset or answer.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return decode_text(answer.data)
    return answer.data.decode(named if named in _CHARSETS else "utf-8-sig", "replace")


def _asked(url: str, deadline: float, *, may_reach: Callable[[str], bool]) -> _Answer | str:
    """What an address answers, or where it leads on. Raises `SourceError`."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1 or parts.username:
        hint = "Say a whole address: https://example.org/page."
        raise SourceError(f"{_shown(url)} is not the address of a page", code="E-source-missing", hint=hint)
    made = _connection(parts.scheme, parts.hostname, port, may_reach, url)
    # A server that sends a byte now and then would be waited for as long as it likes.
    watch = threading.Timer(max(0.1, deadline - time.monotonic()), _hang_up, (made.sock,))
    watch.start()
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        made.request("GET", target.replace(" ", "%20"), headers={"User-Agent": "clew", "Accept-Encoding": "identity"})
        with made.getresponse() as response:
            if response.status in _REDIRECTS and response.headers.get("Location"):
                return str(urljoin(url, response.headers["Location"]))
            if response.status != 200:
                hint = "Open it in a browser; what needs a login cannot be had this way."
                raise _failed(url, f"it answers {response.status}", hint)
            kind = response.headers.get_content_type()
            _check_kind(url, kind)
            data = _body(url, response, PDF_BYTES_MAX if kind == "application/pdf" else BYTES_MAX, deadline)
            charset = response.headers.get_content_charset() or ""
            return _Answer(url, kind, charset, data, one_line(clean(response.headers.get("Last-Modified", "")))[:40])
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        why = "it does not answer in time" if isinstance(error, TimeoutError) else type(error).__name__
        raise _unreachable(url, why) from error
    finally:
        watch.cancel()
        made.close()


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _check_kind(url: str, kind: str) -> None:
    if not (kind.startswith("text/") or kind in _TEXTS or kind in ("application/pdf", "application/xhtml+xml")):
        raise _failed(url, f"it is not text but {one_line(clean(kind))}", "Name a page, a text or a PDF.")


def _body(url: str, response: http.client.HTTPResponse, limit: int, deadline: float) -> bytes:
    data = bytearray()
    while block := response.read1(_BLOCK):
        data += block
        if len(data) > limit:
            hint = "Save what you need of it into a file, and name that."
            raise SourceError(f"{_shown(url)} holds more than {limit >> 20} MiB", code="E-source-large", hint=hint)
    if time.monotonic() > deadline:
        raise TimeoutError
    return bytes(data)


def _connection(
    scheme: str, host: str, port: int | None, may_reach: Callable[[str], bool], url: str
) -> http.client.HTTPConnection:
    """A connection to the host, at the address that was looked at. Raises `SourceError`."""
    port = port or (443 if scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _unreachable(url, "there is no such server") from error
    addresses = [row[4][0] for row in found if may_reach(str(row[4][0]))]
    if len(addresses) < len(found) or not addresses:
        raise SourceError(
            f"{_shown(url)} is on this machine or in a network that not everybody reaches",
            code="E-source-refused",
            hint="Save the page into a file, and name that.",
        )
    is_secure = scheme == "https"
    made = (http.client.HTTPSConnection if is_secure else http.client.HTTPConnection)(host, port)
    try:
        plain = socket.create_connection((str(addresses[0]), port), timeout=_CONNECT_S)
        made.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host) if is_secure else plain
    except OSError as error:
        why = "its certificate is not valid" if isinstance(error, ssl.SSLCertVerificationError) else "no connection"
        raise _unreachable(url, why) from error
    return made


def _anybody(address: str) -> bool:
    """Whether it is an address of the public internet."""
    found = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    return found.is_global and not found.is_multicast and (inner is None or inner.is_global)


def _shown(url: str) -> str:
    """An address without what often is a key."""
    plain = url.partition("#")[0]
    front, question, _ = plain.partition("?")
    return shorten_code(one_line(clean(front + ("?…" if question else ""))), _SHOWN_CHARS)


def _failed(url: str, why: str, hint: str) -> SourceError:
    return SourceError(f"{_shown(url)}: {why}", code="E-source-failed", hint=hint)


def _unreachable(url: str, why: str) -> SourceError:
    return SourceError(
        f"{_shown(url)} cannot be reached: {why}", code="E-source-unreachable", hint="Try again later, or in a browser."
    )


SOURCE: Final = SourceKind("url", "a web page, its text", Url, "url", fetch)
