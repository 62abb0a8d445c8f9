"""The server: addresses, who is let in, what every answer carries, and how errors are told (docs/reference/page.md)."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qsl

import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clew.core.errors import ClewError, NotAllowed, NotFound
from clew.interfaces.web.access import Browser, ConfirmationNeeded, digest
from clew.interfaces.web.deeds import perform
from clew.interfaces.web.pages import PAGES, PLACES, Page, title_of, today
from clew.interfaces.web.site import ListedOnce, Site, Visit
from clew.interfaces.web.templating import FOLDER, environment

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
TOKEN: Final = "x-clew-token"
KEY: Final = "x-clew-key"
_COOKIE: Final = "clew"
# Pages that are made at the same time: more would take more memory and no less time.
_PAGES_AT_ONCE: Final = 2
_BODY_BYTES_MAX: Final = 256 << 10
_FILES: Final = {"page.js": "text/javascript", "page.css": "text/css"}
_STATUS: Final = ((NotFound, 404), (NotAllowed, 403))


class Guard:
    """Lets only those through that call the server by one of its own names, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        why = self._refusal(scope["method"], Headers(scope=scope))
        if why:
            await Response(f"{why}\n", 403, media_type="text/plain")(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _refusal(self, method: str, headers: Headers) -> str:
        """Why a request is not answered, a sentence; "" it is. A name that is not ours may lead a browser here."""
        if headers.get("host", "").lower() not in self._site.hosts:
            return "This server is not called so. Open the link that `clew serve` shows."
        if method not in ("GET", "HEAD", "POST"):
            return "This server takes GET and POST."
        if method == "POST":
            origin, fetched = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
            if (origin is not None and origin.lower() not in self._site.origins) or fetched != "same-origin":
                return "Changes are made by clew's own page."
        return ""


class Handlers:
    """What answers requests."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._templates = environment(site.ports.now_ms)
        self._deeds = Lock()
        self._pages = CapacityLimiter(_PAGES_AT_ONCE)

    async def page(self, request: Request) -> Response:
        """A page, for a browser that was let in; anybody else is asked for the link."""
        browser = self._browser(request)
        if browser is None:
            return self._html("enter.html", {"title": "clew", "wrong": False}, 401)
        name, place = request.path_params.get("page", ""), request.path_params.get("place", "")
        key = request.path_params.get("project", "")
        found = PLACES.get(name) if place else PAGES.get(name) if key else ("Today", today)
        make = partial(self._shown, request, browser, key, name, place, found)
        return await to_thread.run_sync(make, limiter=self._pages)

    def _shown(
        self, request: Request, browser: Browser, key: str, name: str, place: str, found: tuple[str, Page] | None
    ) -> Response:
        listed = ListedOnce(self._site.ports.locators)
        visit = Visit(self._site, browser, key, place, dict(request.query_params), locators=listed)
        frame = self._frame(visit, name)
        try:
            if found is None:
                raise NotFound("there is no such page", code="E-page-missing", hint="The menu has those there are.")
            if key:
                frame["project"] = title_of(visit.root)
            template, values = found[1](visit)
            return self._html(template, {**frame, **values, "visit": visit})
        except ClewError as error:
            message = visit.site.ports.redact(error.message)
            return self._html("error.html", {**frame, "message": message, "error": error}, _status(error))

    def _frame(self, visit: Visit, name: str) -> dict[str, Any]:
        """What every page needs."""
        projects = {key: title_of(root) for key, root in self._site.projects().items()}
        menu = [(page, title) for page, (title, _) in PAGES.items()]
        return {
            "title": "clew",
            "token": visit.browser.token,
            "barred": self._site.access.barred,
            "projects": projects,
            "project": "",
            "key": visit.key,
            "seen": digest(self._site.marks(visit.key).now()),
            "menu": menu if visit.key else [],
            "page": name,
            "p": f"/p/{visit.key}/" if visit.key else "/",
            "hubs": self._site.hubs,
            "root": self._site.projects().get(visit.key),
            "me": self._site.names(visit.root) if visit.key in projects else (),
        }

    def warm(self) -> None:
        """Make the first page once, for nobody: what it takes is found then when somebody opens it."""
        visit = Visit(self._site, Browser("", 0.0), "", "", {})
        template, values = today(visit)
        self._html(template, {**self._frame(visit, ""), **values, "visit": visit})

    async def enter(self, request: Request) -> Response:
        """Take the ticket of a link, and give the browser its cookie."""
        cookie = self._site.access.enter((await _fields(request)).get("ticket", ""))
        if not cookie:
            return self._html("enter.html", {"title": "clew", "wrong": True}, 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            _COOKIE, cookie, max_age=30 * 24 * 3600, httponly=True, samesite="strict", secure=self._site.is_secure
        )
        return answer

    async def person(self, request: Request) -> Response:
        """Show a code on the terminal, or with one give the key that makes this browser a person's."""

        def do() -> dict[str, Any]:
            browser = self._changing(request)
            code = given.get("code", "")
            if not code:
                self._site.access.ask(browser)
                return {"asked": True}
            return {"key": self._site.access.take_code(browser, code)}

        given = await _fields(request)
        return await self._answered(do)

    async def deed(self, request: Request) -> Response:
        """Do what a person asks for. 409 has the words that have to be confirmed first."""

        def do() -> dict[str, Any]:
            browser = self._changing(request)
            if not self._site.access.acts(browser, request.headers.get(KEY, "")):
                raise NotAllowed(
                    "this browser may look and not act",
                    code="E-page-person",
                    hint="Choose “Act as yourself” and type the code that the terminal of `clew serve` shows.",
                )
            key, name = request.path_params["project"], request.path_params["deed"]
            visit = Visit(self._site, browser, key, "", given, acts=True, seen=given.pop("seen", ""))
            with self._deeds:  # one at a time, as a person does them
                return perform(visit, name)._asdict()

        given = await _fields(request)
        return await self._answered(do)

    async def events(self, request: Request) -> Response:
        """Tell a page when something changed."""
        if self._browser(request) is None:
            return Response("Open the link that `clew serve` shows.\n", 401, media_type="text/plain")
        asked = request.query_params
        key, seen = asked.get("project", ""), asked.get("seen", "")
        is_behind = bool(seen) and seen != digest(await run_in_threadpool(self._site.marks(key).now))
        told = self._site.watch(key).changes(request.is_disconnected, is_behind=is_behind)
        return StreamingResponse(told, media_type="text/event-stream")

    async def file(self, request: Request) -> Response:
        """The style sheet and the script."""
        name = request.path_params["name"]
        if name not in _FILES:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        return Response((FOLDER / name).read_bytes(), media_type=_FILES[name])

    async def _answered(self, do: Any) -> Response:
        try:
            return JSONResponse(await run_in_threadpool(do))
        except ConfirmationNeeded as asked:
            return JSONResponse({"says": asked.says, "about": asked.about, "seen": asked.seen}, 409)
        except ClewError as error:
            said = {"error": error.message, "code": error.code, "hint": error.hint}
            return JSONResponse(said, _status(error))

    def _browser(self, request: Request) -> Browser | None:
        jar = SimpleCookie()
        with suppress(CookieError):
            jar.load(request.headers.get("cookie", ""))
        held = jar.get(_COOKIE)
        return self._site.access.browser(held.value) if held is not None else None

    def _changing(self, request: Request) -> Browser:
        """The browser that asks for a change, with the token that only its pages have. Raises `NotAllowed`."""
        browser = self._browser(request)
        if browser is None or request.headers.get(TOKEN, "") != browser.token:
            raise NotAllowed(
                "this request does not come from a page of clew's",
                code="E-page-token",
                hint="Load the page again; it needs JavaScript to change something.",
            )
        return browser

    def _html(self, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
        return HTMLResponse(self._templates.get_template(template).render(values), status)


def make_app(site: Site) -> Starlette:
    """The application of a site."""
    on = Handlers(site)
    on.warm()
    routes = [
        Route("/", on.page, methods=["GET"]),
        Route("/enter", on.enter, methods=["POST"]),
        Route("/person", on.person, methods=["POST"]),
        Route("/events", on.events, methods=["GET"]),
        Route("/static/{name}", on.file, methods=["GET"]),
        Route("/p/{project}/do/{deed}", on.deed, methods=["POST"]),
        Route("/p/{project}/", on.page, methods=["GET"]),
        Route("/p/{project}/{page}", on.page, methods=["GET"]),
        Route("/p/{project}/{page}/{place:path}", on.page, methods=["GET"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, site=site)])


def listen(port: int) -> socket.socket:
    """A socket on loopback; with port 0 on any that is free. Raises `OSError`."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    made.listen(128)  # who comes before the server is ready waits
    return made


def make_server(site: Site) -> uvicorn.Server:
    """What answers on a socket (`run(sockets=[…])`) until somebody ends it (Ctrl-C, SIGTERM)."""
    config = uvicorn.Config(
        make_app(site),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
        proxy_headers=False,  # what a hop in front of it says is not asked for
    )
    server = uvicorn.Server(config)
    site.is_over = lambda: server.should_exit  # else open pages would hold it up
    return server


def _status(error: ClewError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


async def _fields(request: Request) -> dict[str, str]:
    """What a form says, as JSON or as browsers send it without JavaScript; {} for what is too long or none."""
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > _BODY_BYTES_MAX:
            return {}
    text = body.decode("utf-8", "replace")
    if request.headers.get("content-type", "").partition(";")[0].strip() == "application/json":
        try:
            found = json.loads(text or "{}")
        except ValueError:
            return {}
        return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}
    return dict(parse_qsl(text, keep_blank_values=True))
