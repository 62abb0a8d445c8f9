"""Web pages as sources: what is read of them, and where nobody is sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.sources import apart
from clew.sources import url as module
from clew.sources.port import Fetched, SourceContext, SourceError
from clew.sources.registry import source, spec_of
from clew.sources.url import text_of_html
from tests.sources.test_pdf import pdf

HTML = """<!doctype html><html><head><title>Tide  tables</title><style>p{}</style><script>alert(1)</script></head>
<body><nav><a href=/>Home</a></nav><h1>Tides</h1><p>High at <b>nine</b>,<br>low at <a href="/l">three</a>.
<ul><li>North<ol><li>Quay<li>Pier</ol><li><p>South</p></ul>
<pre><code>a = 1
  b = 2</code></pre><blockquote><p>Slow is smooth.</p></blockquote>
<table><tr><th>Port<th>Depth<tr><td>A<td>3&nbsp;m</table><p>Use <code>tide()</code>.</p><footer>(c)</footer></body>"""

Answer = tuple[int, Mapping[str, str], bytes]


@contextmanager
def serving(pages: Mapping[str, Answer]) -> Iterator[str]:
    """A server on loopback with these pages."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, data = pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:  # whoever asked has enough
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def page(text: str | bytes = HTML, kind: str = "text/html; charset=utf-8", **more: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return 200, {"Content-Type": kind, **named}, text.encode() if isinstance(text, str) else text


def fetched(at: SourceContext, url: str) -> Fetched:
    table = {"kind": "url", "url": url}
    return source("url").fetch(spec_of(table, "source 1"), at, table)


@pytest.fixture
def at(tmp_path: Path) -> SourceContext:
    return SourceContext(root=tmp_path, loopback=True)


def test_a_page_is_what_a_reader_sees_of_it() -> None:
    """Without scripts and furniture; with its structure."""
    title, text = text_of_html(HTML)
    assert "Tide tables" == title
    assert (
        """# Tides

High at nine,
low at three.

- North
  1. Quay
  2. Pier
- South

```
a = 1
  b = 2
```

> Slow is smooth.

Port | Depth
A | 3 m

Use `tide()`.
"""
        == text
    )


@given(st.text(alphabet="<>/abliprevode =\"'&;!-\n", max_size=400) | st.text(max_size=200))
def test_no_markup_makes_it_fail(html: str) -> None:
    """A page is anybody's."""
    title, text = text_of_html(f"<p>{html}")
    assert isinstance(title, str) and text.endswith("\n")


def test_a_page_a_text_and_a_pdf(at: SourceContext) -> None:
    """Each as what it says it is; the way there is followed; what may be a key is not told."""
    pages = {
        "/": page(Last_Modified="Fri, 20 Nov 2026 10:00:00 GMT"),
        "/data?key=abc": page('{"a": 1}', "application/json"),
        "/latin": page("Größe".encode("latin-1"), "text/plain; charset=latin-1"),
        "/t.pdf": page(pdf(["High at nine"]), "application/pdf"),
        "/old": (301, {"Location": "/older"}, b""),
        "/older": (302, {"Location": "/"}, b""),
    }
    with serving(pages) as server:
        for path in ("/", "/old"):
            found = fetched(at, server + path)
            assert found.parts[0].text.startswith("# Tides\n") and "markdown" == found.parts[0].language
            told = f"the page “Tide tables” at {server}/, last changed Fri, 20 Nov 2026 10:00:00 GMT"
            assert told == found.provenance
        data = fetched(at, f"{server}/data?key=abc#top")
        assert ('{"a": 1}', "json", f"text at {server}/data?…") == (
            data.parts[0].text,
            data.parts[0].language,
            data.provenance,
        )
        assert "Größe" == fetched(at, f"{server}/latin").parts[0].text
        found = fetched(at, f"{server}/t.pdf")
        assert ("t.pdf, page 1", "High at nine") == (found.parts[0].name, found.parts[0].text.strip())


@pytest.mark.parametrize(
    "charset", ["idna", "unicode_escape", "raw_unicode_escape", "punycode", "rot13", "zlib", "x\0y", "nothing"]
)
def test_what_is_no_charset_of_pages_is_read_as_utf_8(at: SourceContext, charset: str) -> None:
    """Python has codecs that fail whatever is to be replaced, and some that obey the text."""
    answer = module._Answer("", "text/plain", charset, "Größe \\x41 \udcff".encode("utf-8", "surrogateescape"), "")
    assert "Größe \\x41 \ufffd" == module._decoded(answer)


@pytest.mark.parametrize("markup", ["<!--", "<![CDATA[", "<", "<a ", "<div>", "<li><ul>"])
def test_a_page_that_wants_to_hang_is_read_or_left_out_in_time(
    at: SourceContext, markup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5 MB of it: whatever the parser makes of them, the stack's other sources are built."""
    monkeypatch.setattr(module, "_TIMEOUT_S", 1.0)
    html = "<p>seen</p>" + markup * ((5 << 20) // len(markup))
    began = time.monotonic()
    try:
        assert "seen" in module.read_html(html, "the page", at.environment)[1]
    except SourceError as told:
        assert "E-source-large" == told.code and "the page cannot be read: no end after 1 s" in told.message
    assert time.monotonic() - began < 10


def test_without_the_package_it_is_said(at: SourceContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who never names a page does not need it."""
    monkeypatch.setattr(apart, "find_spec", lambda _: None)
    with serving({"/": page()}) as server, pytest.raises(SourceError) as told:
        fetched(at, server + "/")
    assert "E-source-extra" == told.value.code and ".[html]" in told.value.hint


def test_what_is_no_text_too_large_or_not_there_is_said(at: SourceContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a server that drips is not waited for."""
    monkeypatch.setattr(module, "BYTES_MAX", 1000)
    loop = (302, {"Location": "/loop"}, b"")
    pages = {
        "/image": page(b"\x89PNG", "image/png"),
        "/large": page("x" * 2000),
        "/loop": loop,
        "/away": (302, {"Location": "file:///etc/passwd"}, b""),
        "/empty": page("<script>x</script>"),
        "/login": (401, {}, b""),
    }
    with serving(pages) as server:
        codes = {}
        for path in ("/image", "/large", "/loop", "/away", "/empty", "/login", "/none"):
            with pytest.raises(SourceError) as told:
                fetched(at, server + path)
            codes[path] = told.value.code
        assert (
            dict.fromkeys(codes, "E-source-failed") | {"/large": "E-source-large", "/away": "E-source-missing"} == codes
        )
    with pytest.raises(SourceError, match="no connection"):
        fetched(at, server)


def test_a_server_that_drips_is_hung_up_on(at: SourceContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then would last for ever."""
    monkeypatch.setattr(module, "_TOTAL_S", 0.5)
    over = threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            try:
                while not over.wait(0.05):
                    self.wfile.write(b"x")
            except OSError:
                pass

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        with pytest.raises(SourceError, match="does not answer in time"):
            fetched(at, f"http://127.0.0.1:{server.server_port}/")
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://0.0.0.0/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://[fe80::1]/",
        "http://100.64.0.1/",
        "http://224.0.0.1/",
    ],
)
def test_nobody_is_sent_to_what_only_this_machine_reaches(at: SourceContext, address: str) -> None:
    """An address may have come with a repository."""
    with pytest.raises(SourceError) as told:
        fetched(replace(at, loopback=False), address)
    assert "E-source-refused" == told.value.code


def test_nor_by_a_redirect(at: SourceContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hop is looked at again."""
    with serving({"/": (302, {"Location": "http://127.0.0.2:9/"}, b"")}) as server:
        monkeypatch.setattr(module, "_anybody", lambda address: address == "127.0.0.1")
        with pytest.raises(SourceError) as told:
            fetched(replace(at, loopback=False), server)
    assert "E-source-refused" == told.value.code


@pytest.mark.parametrize(
    "address", ["", "example.org", "file:///etc/passwd", "http://u:p@x/", "http://x:99999/", "ftp://x"]
)
def test_what_is_no_address_is_said(at: SourceContext, address: str) -> None:
    """Nothing is asked then."""
    with pytest.raises(SourceError, match="not the address of a page"):
        fetched(at, address)
