"""Whether a person sits at the client that started the server, told by how the client itself was started.

No client tells a server. In a headless run a tool list is text that nobody asked for, as a payload would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final, Protocol

_CLIENTS: Final = ("claude", "codex", "gemini", "opencode")
# Options with which a client takes its prompt from its command line, and commands that need nobody.
_OPTIONS: Final = {"claude": ("-p", "--print")}
_COMMANDS: Final = {"codex": ("exec", "e"), "opencode": ("run", "serve", "github")}
# A program may be run by another one: node, bun, a wrapper.
_PROGRAM_AT_MAX: Final = 4


class Seen(Protocol):
    """What a program sees of the client that started it: its command line, () unknown, whether a terminal is its input,
    and the program's own environment.
    """

    @property
    def argv(self) -> Sequence[str]: ...
    @property
    def at_terminal(self) -> bool: ...
    @property
    def environment(self) -> Mapping[str, str]: ...


def is_attended(seen: Seen) -> bool:
    """Whether a person sits at the client; True where nothing tells. Claude Code says it in a variable, for Gemini CLI
    it is the rule that its hooks follow.
    """
    told = seen.environment.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    if told:
        return told != "0"
    client, words = _command(seen.argv)
    if client == "gemini":
        from clew.clients.gemini import dialect

        return dialect.attended({}, seen)
    # Which options take the word behind them as a value only the client knows: so each word may be the command. A
    # person whose value or prompt is such a word sits there without our tools.
    words = words[: words.index("--")] if "--" in words else words
    return not any(word in _COMMANDS.get(client, ()) or _asks(word, _OPTIONS.get(client, ())) for word in words)


def _asks(word: str, options: Sequence[str]) -> bool:
    """Whether a word is one of `options`, also with its value in it (`--prompt=x`) or among short ones (`-yp`)."""
    if word.startswith("--"):
        return word.partition("=")[0] in options
    return word.startswith("-") and any(option[1] in word for option in options if not option.startswith("--"))


def _command(argv: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The client whose program stands in a command line, and what is behind it."""
    for at, word in enumerate(argv[:_PROGRAM_AT_MAX]):
        parts = [part.partition(".")[0] for part in PurePath(word).parts]
        client = next((name for name in _CLIENTS if parts and parts[-1] == name), "")
        client = client or next((name for name in _CLIENTS for part in parts if part.startswith(f"{name}-")), "")
        if client:
            return client, argv[at + 1 :]
    return "", ()
