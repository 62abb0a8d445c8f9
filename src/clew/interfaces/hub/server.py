"""The HTTP edge of a hub: bounds on what comes, the key of each request, and the hub's answer (docs/reference/hub.md).

The only module that knows Starlette and uvicorn (the extra `web`). TLS is a reverse proxy's.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from clew.app.team.hub import Hub
from clew.app.team.hub_wire import JoinRequest, ProjectRequest
from clew.core.errors import ClewError, InputError, LedgerError, NotFound
from clew.ledger.exchange import encode_message, refusal_of, unclear

# An `events` message has 8 MiB at most, and the largest offer of ids (a million events) 30 MB.
BODY_BYTES_MAX: Final = 40 << 20
_SMALL_BYTES_MAX: Final = 16 << 10
# How long a device may take for a request: for its head, and for all of its body.
PATIENCE_S: Final = 30.0
_CONNECTIONS_MAX: Final = 200
_HEAD_BYTES_MAX: Final = 16 << 10
_STATUS: Final = {"E-hub-key": 401, "E-hub-code": 403, "E-hub-project": 404, "E-hub-size": 413, "E-hub-slow": 408}
_Asked = TypeVar("_Asked", bound=msgspec.Struct)


def application(hub: Hub, *, patience_s: float = PATIENCE_S) -> Starlette:
    """The hub as a web application."""

    async def join(request: Request) -> bytes:
        asked = _decoded(await _body(request, _SMALL_BYTES_MAX, patience_s), JoinRequest)
        return msgspec.json.encode(await run_in_threadpool(hub.join, asked))

    async def project(request: Request) -> bytes:
        key = _key(request)
        caller = await run_in_threadpool(hub.caller, key)
        asked = _decoded(await _body(request, _SMALL_BYTES_MAX, patience_s), ProjectRequest)
        return msgspec.json.encode(await run_in_threadpool(hub.add_project, caller, asked))

    async def exchange(request: Request) -> bytes:
        key = _key(request)
        caller = await run_in_threadpool(hub.caller, key)
        lines = (await _body(request, BODY_BYTES_MAX, patience_s)).splitlines(keepends=True)
        return b"".join(await run_in_threadpool(hub.exchange, caller, request.path_params["project"], lines))

    async def sessions(request: Request) -> bytes:
        caller = await run_in_threadpool(hub.caller, _key(request))
        lines = (await _body(request, BODY_BYTES_MAX, patience_s)).splitlines(keepends=True)
        return b"".join(await run_in_threadpool(hub.sessions, caller, request.path_params["project"], lines))

    routes = (
        ("join", join),
        ("projects", project),
        ("projects/{project}/exchange", exchange),
        ("projects/{project}/sessions", sessions),
    )
    return Starlette(routes=[Route(f"/v1/{path}", _answering(work), methods=["POST"]) for path, work in routes])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; the port 0 is any that is free. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(_CONNECTIONS_MAX)
    except OSError:
        made.close()
        raise
    return made


def server(hub: Hub, *, patience_s: float = PATIENCE_S) -> uvicorn.Server:
    """What serves the hub: `run(sockets=[listening(...)])`, until `should_exit`."""

    class Impatient(H11Protocol):
        """Cuts a connection off on which no whole head of a request comes. Who sends it anew is heard."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(patience_s, self._look)

        def _look(self) -> None:
            cycle: Any = self.cycle
            if cycle is None or cycle.response_complete:
                self.transport.close()
            elif not self.transport.is_closing():
                self.loop.call_later(patience_s, self._look)

    return uvicorn.Server(
        uvicorn.Config(
            application(hub, patience_s=patience_s),
            http=Impatient,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_CONNECTIONS_MAX,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=5,
            h11_max_incomplete_event_size=_HEAD_BYTES_MAX,
        )
    )


def _answering(work: Callable[[Request], Awaitable[bytes]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return Response(await work(request), media_type="application/json")
        except ClewError as error:
            status = _STATUS.get(error.code) or (
                404 if isinstance(error, NotFound) else 503 if isinstance(error, LedgerError) else 400
            )
            # What is left of the body is not read: the connection ends with the answer.
            return Response(
                encode_message(refusal_of(error)), status, {"Connection": "close"}, media_type="application/json"
            )

    return answer


async def _body(request: Request, most: int, patience_s: float) -> bytes:
    """The body of a request, as far as bounds allow. Raises `InputError`."""

    async def read() -> bytes:
        body = bytearray()
        async for part in request.stream():
            body.extend(part)
            if len(body) > most:
                raise _refused("is larger", "E-hub-size")
        return bytes(body)

    try:
        if int(request.headers.get("content-length") or 0) > most:
            raise _refused("is larger", "E-hub-size")
        return await asyncio.wait_for(read(), patience_s)
    except TimeoutError:
        raise _refused("takes longer", "E-hub-slow") from None
    except (ClientDisconnect, ValueError):
        raise unclear("it breaks off") from None


def _refused(what: str, code: str) -> InputError:
    return InputError(f"the request {what} than the hub takes", code=code, hint="Nothing of it was kept. Run it again.")


def _key(request: Request) -> str:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def _decoded(body: bytes, kind: type[_Asked]) -> _Asked:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise unclear(str(error)) from None
