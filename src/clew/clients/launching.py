"""How a client is started: in a terminal, to answer one prompt headless, or to work headless (`working.py`). One
value a client, in its `launch.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from clew.clients.printed import line_of
from clew.clients.working import Ended, Happening, Limited, Spoke, Tally, Used, Working

# Our hooks and our server do nothing in a process that has it.
ASKED: Final = "CLEW_ASKED"


class HeadlessAnswer(NamedTuple):
    """What a client said when it was asked headless. `error` is why it has no `text`, "" for none. Tokens are what it
    says that it used, 0 unknown; `cost_usd` what it says that this cost, -1 unknown.
    """

    text: str = ""
    error: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = -1.0


class Headless(NamedTuple):
    """How a client answers the one prompt on its stdin: in one turn, without tools, and keeping no session of it where
    it can do without.

    `arguments` stand before what chooses a model (`model`, then its name), and `last` behind all. `fork` goes on from a
    copy of a session, whose id is put for "{}"; () where the client cannot: the session itself would grow.
    `environment` is set for it, `files` are made in the folder that it runs in when that is ours. `read` says what a
    line of its stdout tells, as for `Working`.
    """

    arguments: tuple[str, ...]
    model: str
    read: Callable[[str], tuple[Happening, ...]]
    fork: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()

    def command(self, model: str, session: str) -> tuple[str, ...]:
        """What follows the program's name; "" for the client's own model, and for no session to go on from."""
        chosen = (self.model, model) if model else ()
        forked = tuple(part.replace("{}", session) for part in self.fork) if session else ()
        return (*self.arguments, *chosen, *forked, *self.last)

    def said(self, out: str) -> HeadlessAnswer:
        """What it answered, by all that it printed: the last words, or why it has none."""
        text = error = ""
        tally = Tally()
        for line in (out.strip(),) if line_of(out.strip()) is not None else out.splitlines():
            for one in self.read(line):
                match one:
                    case Spoke(words, more):
                        text = text + words if more else words
                    case Limited(words):
                        error = words
                    case Ended(ok, words, why):
                        text, error = words or text, "" if ok else why or "it failed"
                    case Used():
                        tally.add(one)
        error = error or ("" if text else "it printed nothing")
        used = tally.total
        return HeadlessAnswer("" if error else text, error, used.tokens_in, used.tokens_out, used.cost_usd)


class Launcher(NamedTuple):
    """`program` starts the client with a person at it; with `prompted` and then a text, that is its first prompt.
    `headless`: how it answers one prompt headless; `working`: how it works headless in a folder, None if it cannot.
    """

    client: str
    program: str
    headless: Headless
    prompted: tuple[str, ...] = ()
    working: Working | None = None

    def arguments(self, prompt: str, model: str = "") -> tuple[str, ...]:
        """What follows the program's name; `prompt` is the first prompt, "" none; `model` "" the client's own."""
        chosen = (self.headless.model, model) if model else ()
        return (*chosen, *self.prompted, prompt) if prompt else chosen
