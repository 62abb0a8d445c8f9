"""The beginning of a connection, answered without the SDK: importing that takes longer than clients wait.

What a client asks before it calls anything is the same few requests, and their answers are known beforehand. They are
what the SDK says to the same (`tests/interfaces/mcp/test_opening.py` compares them). With the first message that is
not among them, the SDK takes over, and hears again what the handshake was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from clew.interfaces.mcp.place import CLIENTS
from clew.interfaces.mcp.tools import PROMPTS

# The versions that begin with a handshake. For any other the SDK is asked.
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NAME: Final = "clew"
# Clients that show their person an error where a server offers nothing at all. They get a prompt, which is a command
# for the person, and of which the model hears nothing.
_WANT_SOMETHING: Final = frozenset(name for name, spec in CLIENTS.items() if spec.wants_prompt)
_NO_METHOD: Final = -32601
_MISSING: Final = {
    "error": {
        "code": _NO_METHOD,
        "message": "clew was installed without the package `mcp`, so has no tools. [E-no-mcp]",
    }
}


class Opening:
    """Answers, as long as it can. `tools` is what `tools/list` tells; `instructions` "" for none. `alone`: nobody takes
    over, so it answers every handshake, and what it does not know with an error.

    `handshake` are the lines that the SDK has to hear again when it takes over; `prompts` are offered as well.
    """

    def __init__(
        self, *, version: str, tools: Sequence[dict[str, Any]], instructions: str, alone: bool = False
    ) -> None:
        self._version = version
        self._alone = alone
        self._tools = tools
        self._instructions = instructions
        self.handshake: list[bytes] = []
        self.prompts: tuple[dict[str, Any], ...] = ()

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a line of UTF-8, b"" where none is due; None for what is the SDK's."""
        try:
            message = json.loads(line.decode())
        except (ValueError, RecursionError):
            return b""  # to what is no JSON the SDK says nothing, either
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return b""
        method, params, name = message.get("method"), message.get("params"), message.get("id")
        if name is None or not isinstance(method, str):
            return self._heard(method, line)
        is_known = type(name) in (str, int) and (params is None or isinstance(params, dict))
        result = self._result(method, params or {}, line) if is_known else None
        if result is None and not self._alone:
            return None
        return json.dumps({"jsonrpc": "2.0", "id": name, **(result or _MISSING)}, ensure_ascii=False).encode() + b"\n"

    def _heard(self, method: object, line: bytes) -> bytes:
        """Note a message that wants no answer."""
        if method == "notifications/initialized" and self.handshake:
            self.handshake.append(line)
        return b""

    def _result(self, method: str, params: dict[str, Any], line: bytes) -> dict[str, Any] | None:
        if method == "initialize" and not self.handshake and (self._alone or _is_plain(params)):
            self.handshake = [line]
            if not self._tools and not self._alone and params["clientInfo"]["name"] in _WANT_SOMETHING:
                self.prompts = PROMPTS
            version = params.get("protocolVersion")
            able = {"tools": {"listChanged": False}, **({"prompts": {"listChanged": False}} if self.prompts else {})}
            said: dict[str, Any] = {
                "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
                "capabilities": able,
                "serverInfo": {"name": NAME, "version": self._version},
            }
            if self._instructions:
                said["instructions"] = self._instructions
            return {"result": said}
        if method == "server/discover" and not self.handshake:
            # How a server says that it begins with a handshake. Claude Code asks this first.
            return {"error": {"code": _NO_METHOD, "message": "Method not found", "data": method}}
        if not self.handshake:
            return None
        if method == "ping":
            return {"result": {}}
        if method == "tools/list" and not params.get("cursor"):
            return {"result": {"tools": list(self._tools)}}
        if method == "prompts/list" and self.prompts and not params.get("cursor"):
            return {"result": {"prompts": list(self.prompts)}}
        return None


def _is_plain(params: dict[str, Any]) -> bool:
    """Whether it is a handshake of a client that need not be asked where it stands."""
    about, able = params.get("clientInfo"), params.get("capabilities")
    if params.get("protocolVersion") not in VERSIONS or not isinstance(about, dict) or not isinstance(able, dict):
        return False
    named = isinstance(about.get("name"), str) and isinstance(about.get("version"), str)
    return named and (about["name"] in CLIENTS or "roots" not in able)
