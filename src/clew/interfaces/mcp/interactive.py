"""Whether a person sits at the client that started the server, told by how the client itself was started.

No client tells a server. In a headless run a tool list is text that nobody asked for, as a payload would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final, Protocol

from clew.clients.registry import specs
from clew.clients.spec import ClientSpec
from clew.interfaces.hook.wire import dialect_of

# A program may be run by another one: node, bun, a wrapper.
_PROGRAM_AT_MAX: Final = 4


class ClientSeen(Protocol):
    """What a program sees of the client that started it: its command line, () unknown, whether a terminal is its input,
    and the program's own environment.
    """

    @property
    def argv(self) -> Sequence[str]: ...
    @property
    def at_terminal(self) -> bool: ...
    @property
    def environment(self) -> Mapping[str, str]: ...


def is_attended(seen: ClientSeen) -> bool:
    """Whether a person sits at the client; True where nothing tells. Claude Code says it in a variable, for others it
    is what their command line says, or the rule that their hooks follow.
    """
    told = seen.environment.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    if told:
        return told != "0"
    client, words = _command(seen.argv)
    if client is None or client.terminal_rule:
        return client is None or bool(dialect_of(client.name).attended({}, seen))
    # Which options take the word behind them as a value only the client knows: so each word may be the command. A
    # person whose value or prompt is such a word sits there without our tools.
    words = words[: words.index("--")] if "--" in words else words
    return not any(word in client.unattended or _asks(word, client.unattended) for word in words)


def _asks(word: str, options: Sequence[str]) -> bool:
    """Whether a word is one of `options`, also with its value in it (`--prompt=x`) or among short ones (`-yp`)."""
    if word.startswith("--"):
        return word.partition("=")[0] in options
    return word.startswith("-") and any(option[1] in word for option in options if option[0] == "-" != option[1])


def _command(argv: Sequence[str]) -> tuple[ClientSpec | None, Sequence[str]]:
    """The client whose program stands in a command line, and what is behind it."""
    for at, word in enumerate(argv[:_PROGRAM_AT_MAX]):
        parts = [part.partition(".")[0] for part in PurePath(word).parts]
        found = [spec for spec in specs() if parts and parts[-1] == spec.program]
        found += [spec for spec in specs() if any(part.startswith(f"{spec.program}-") for part in parts)]
        if found:
            return found[0], argv[at + 1 :]
    return None, ()
