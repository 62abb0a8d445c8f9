"""What a hook can see beside its event: the client's process, and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clew.core.state.authority import is_by_client
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import parsed
from clew.workspace.ancestry import channel

# What may stand between a client and its hook.
_SHELLS: Final = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish"))


class Near:
    """`pid` and `argv` are the client's (0 and () unknown), `at_terminal`: a terminal is its input. `tail(path, n)`
    gives the last n bytes of a file, `parse` the JSON object that some bytes hold; `environment` is the hook's.
    `is_clients`: the client itself started the hook, and no shell of its tools did.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        seen = channel(environment)
        self.is_clients = is_by_client(seen)
        above = (one for one in seen.processes[1:] if one.name not in _SHELLS)
        client = next(above, None)
        self.pid = client.pid if client is not None else 0
        self.argv = client.argv if client is not None else ()
        self.at_terminal = client is not None and bool(client.terminal) and not client.fed
        self.environment = environment
        self.tail = marks.tail
        self.parse = parsed
