"""What only a person may do, and how it is refused to everybody else (docs/reference/authority.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from clew.core.errors import NotAllowed
from clew.core.state.items import Authority

_ASK: Final = (
    "Ask the person you work for to decide it and to type the command in a terminal. "
    "If you are that person, docs/reference/authority.md says when a command counts as yours."
)
_CODE: Final = "Type the command again in a terminal, and then the code that it shows there; nothing else replaces it."

# Everything that binds, by what it does, for the command line, hooks, MCP and the library alike. What leads to each of
# them, and that it is refused: tests/interfaces/cli/test_deeds.py.
DEEDS: Final[Mapping[str, str]] = {
    # keeps work from harm
    "gate": "change a gate",
    "given": "have no session of any project be given anything",
    "uninstall": "take clew out of your clients or of a project",
    "item": "change what is a person's",
    "task": "end or change what is a person's task",
    "place": "take a place or a session from a person's task",
    "checks": "accept that checks ask less than before",
    "drop plan": "drop a plan",
    "redact": "redact what was recorded",
    # who counts as having said something
    "words": "say what somebody else worded",
    "plan": "approve a plan",
    "phase": "let a stopped phase go on",
    "review": "change what the review changes",
    "memory": "make a text that tells its reader what to do part of memory",
    "rules file": "write rules for agents",
    "bundle": "have the words of a bundle count as those of whom it names",
    "hub": "say who uses a hub, or change what it keeps",
    # what may be spent
    "budget": "change a budget",
    # what may run, be read or leave
    "program": "say which program clew runs",
    "server": "start an MCP server that a file of the project names",
    "login": "trust a login",
    "content": "trust what came with a repository",
    "tool": "say that a tool only reads",
    "revoke": "take trust back",
    "leave": "let what looks like a secret leave",
}


def require_person(
    said: Authority, deed: str, says: str = "", instead: str = "", *, about: Callable[[], str] = str, code: bool = True
) -> Callable[[], None]:
    """Nothing, if what comes by this channel is a person's (`said`), who shows it now for exactly the words that the
    deed is `about`. Without `code` nobody is asked, or not yet.

    `deed` is one of `DEEDS`, `says` its clause where that is nearer, the hint tells what can be done `instead`. Raises
    `NotAllowed` otherwise; the message says why the channel is not taken for a person's. What is given back is called
    right before the deed is done: it raises `NotAllowed` where the words are others by then.
    """
    clause = says or DEEDS[deed]
    is_persons = said.provenance == "human"
    words = about() if is_persons else ""
    reason = said.reason if not is_persons else said.prove(clause, words) if code else ""
    if not is_persons or reason:
        raise NotAllowed(
            f"only a person may {clause}, and this does not come from one: {reason}",
            code="E-not-a-person",
            hint=_CODE if is_persons else instead or _ASK,
        )

    def check() -> None:
        if about() != words:
            raise NotAllowed(
                f"what it is about was changed while it was asked for: {clause}",
                code="E-deed-changed",
                hint="Nothing was done. Look at it as it is now, and type the command again.",
            )

    check()
    return check
