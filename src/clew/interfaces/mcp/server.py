"""The server proper: the SDK's, over our pipe. Importing this module imports the SDK, which is dear: only who serves a
message that `opening` does not answer may do so.
"""

import io
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, cast

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from clew.app.ports import Ports
from clew.interfaces.mcp.handlers import Caller, call
from clew.interfaces.mcp.handshake import NAME, Opening
from clew.interfaces.mcp.pipe import Pipe
from clew.interfaces.mcp.place import CLIENTS, asking_session, folders_of
from clew.interfaces.mcp.tools import PROMPT_TEXT, listing

# How long a client that closed its end is still given answers: a call takes at most what an intake may.
_ANSWERED_S: Final = 15.0
_ROOTS_S: Final = 3.0
_CLIENT_CHARS: Final = 40
_CLIENT_INFO: Final = "io.modelcontextprotocol/clientInfo"


class Standing(NamedTuple):
    """Where the server stands. `folder` is where the client was started (None: gone), `acts_in` tells of any folder
    whether clew may act there, for this client; `parent` is the process that started us.
    """

    ports: Ports
    data: Path
    folder: Path | None
    acts_in: Callable[[Path | None], bool]
    parent: int
    version: str


def serve(pipe: Pipe, opening: Opening, first: bytes, here: Standing) -> None:
    """Serve the client on `pipe` until it is gone, beginning with the line `first`. What `opening` answered of the
    handshake is heard again, and not answered twice.
    """
    lines = _Lines(pipe, [*opening.handshake, first], answered=bool(opening.handshake))
    server = made(here, opening.prompts)

    async def run() -> None:
        reading, writing = anyio.wrap_file(cast(IO[str], lines)), anyio.wrap_file(cast(IO[str], lines))
        async with stdio_server(reading, writing) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def made(here: Standing, prompts: Sequence[Mapping[str, Any]] = ()) -> Server[Any]:
    """The SDK's server with our tools, and with `prompts`. Where clew may not act it has no tools.

    It has no instructions: they are told in the handshake, before a client can be asked for its roots. Who needs not be
    asked got them from `opening`.
    """
    alone = anyio.CapacityLimiter(1)  # one call after the other: each has the ledger to itself, as a command has
    roots = _Roots()

    async def list_tools(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:  # noqa: ARG001
        offered = listing() if await _folder(here, ctx, roots) is not None else []
        return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in offered])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        folder, session = await _folder(here, ctx, roots), ""
        if folder is not None:
            environment = here.ports.environment
            session = asking_session(here.data, folder, here.parent, _name(ctx), ctx.meta or {}, environment)
        by = Caller(_client(ctx), session, folder)
        deed = partial(call, here.ports, by, params.name, params.arguments or {})
        said = await to_thread.run_sync(deed, limiter=alone)
        return types.CallToolResult(content=[types.TextContent(text=said.text)], is_error=said.failed)

    async def list_prompts(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:  # noqa: ARG001
        return types.ListPromptsResult(prompts=[types.Prompt.model_validate(one) for one in prompts])

    async def get_prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:  # noqa: ARG001
        words = types.TextContent(text=PROMPT_TEXT)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=words)])

    async def forget_roots(ctx: Any, params: types.NotificationParams) -> None:  # noqa: ARG001
        roots.forget()

    server = Server[Any](
        NAME,
        version=here.version,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts if prompts else None,
        on_get_prompt=get_prompt if prompts else None,
    )
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, forget_roots)
    return server


class _Roots:
    """The client's roots: asked for once, and again after it said that they changed."""

    def __init__(self) -> None:
        self._told: list[str] | None = None
        self._alone = anyio.Lock()

    async def of(self, ctx: Any) -> list[str]:
        """They; none if the client has none, or did not answer."""
        async with self._alone:
            if self._told is None:
                self._told = await _asked(ctx)
            return self._told

    def forget(self) -> None:
        """Let them be asked for again."""
        self._told = None


async def _folder(here: Standing, ctx: Any, roots: _Roots) -> Path | None:
    """The folder of the project that is served, None where clew may not act: of the client's roots the first one where
    it may, if it has roots and is none that starts us in the project's folder; else where it was started.
    """
    if _name(ctx) not in CLIENTS and (told := await roots.of(ctx)):
        return next((folder for folder in folders_of(told) if here.acts_in(folder)), None)
    return here.folder if here.acts_in(here.folder) else None


async def _asked(ctx: Any) -> list[str]:
    """The roots that the client tells when it is asked; none if it does not answer."""
    able = ctx.session.client_capabilities
    if able is None or able.roots is None or not ctx.session.can_send_request:
        return []
    try:
        with anyio.fail_after(_ROOTS_S):
            return [str(root.uri) for root in (await ctx.session.list_roots()).roots]
    except Exception:  # whatever a client answers to that
        return []


def _name(ctx: Any) -> str:
    """What the client calls itself."""
    params = ctx.session.client_params
    if params is not None:
        return str(params.client_info.name)
    about = (ctx.meta or {}).get(_CLIENT_INFO)
    return str(about.get("name", "")) if isinstance(about, Mapping) else ""


def _client(ctx: Any) -> str:
    """The client as the author of what is recorded."""
    name = _name(ctx)
    return (CLIENTS[name].name if name in CLIENTS else name)[:_CLIENT_CHARS]


class _Lines(io.TextIOBase):
    """The pipe as the SDK's stdin and stdout. `again` are lines that it hears first; `answered`: the first of them was
    answered already, so the answer that the SDK has to it goes nowhere.
    """

    def __init__(self, pipe: Pipe, again: list[bytes], *, answered: bool) -> None:
        self._pipe = pipe
        self._again = again
        self._drops = answered
        self._open: set[Any] = set()

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # noqa: ARG002
        line = self._again.pop(0) if self._again else self._pipe.line()
        if line is None:
            self._settle()
            return ""
        self._note(line)
        return f"{line.decode()}\n"

    def write(self, text: str, /) -> int:
        message = json.loads(text)
        if "method" not in message:
            self._open.discard(message.get("id"))
            if self._drops:
                self._drops = False
                return len(text)
        self._pipe.write(text.encode())
        return len(text)

    def _note(self, line: bytes) -> None:
        """Keep which requests wait for an answer."""
        try:
            message = json.loads(line.decode())
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict) or not isinstance(method := message.get("method"), str):
            return
        params = message.get("params") or {}
        if not isinstance(params, dict):
            return  # it is none, and gets no answer
        if method == "notifications/cancelled" and isinstance(params.get("requestId"), (str, int)):
            self._open.discard(params["requestId"])
        elif isinstance(message.get("id"), (str, int)):
            self._open.add(message["id"])

    def _settle(self) -> None:
        """Wait until what was asked is answered: a client may close its end and read on."""
        limit = time.monotonic() + _ANSWERED_S
        while self._open and not self._pipe.gone and time.monotonic() < limit:
            time.sleep(0.01)


def quiet() -> None:
    """Let the SDK say nothing to stderr, which clients show to people: no log, no warning."""
    import logging
    import warnings

    logging.getLogger().addHandler(logging.NullHandler())
    warnings.simplefilter("ignore")
    os.environ.setdefault("OTEL_SDK_DISABLED", "true")  # no telemetry of a client's making through us
