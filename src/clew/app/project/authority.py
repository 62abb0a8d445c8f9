"""What only a person may do, and how it is refused to everybody else (docs/reference/authority.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from clew.core.errors import NotAllowed
from clew.core.state.items import Authority

_ASK: Final = (
    "Ask the person you work for to decide it and to type the command in a terminal. "
    "If you are that person, docs/reference/authority.md says when a command counts as yours."
)
_CODE: Final = "Type the command again in a terminal, and then the code that it shows there; nothing else replaces it."

# What a deed gives or takes: what keeps work from harm, who counts as having said something, what may be spent, and
# what may run, be read or leave.
What = Literal["protection", "authority", "money", "trust"]


class PersonDeed(NamedTuple):
    """What only a person may do: `says` completes "only a person may …" where the caller has nothing nearer."""

    what: What
    says: str


# Everything that binds, by what it does, for the command line, hooks, MCP and the library alike. What leads to each of
# them, and that it is refused: tests/app/project/test_authority.py.
DEEDS: Final[Mapping[str, PersonDeed]] = {
    "gate": PersonDeed("protection", "change a gate"),
    "given": PersonDeed("protection", "have no session of any project be given anything"),
    "uninstall": PersonDeed("protection", "take clew out of your clients or of a project"),
    "item": PersonDeed("protection", "change what is a person's"),
    "task": PersonDeed("protection", "end or change what is a person's task"),
    "place": PersonDeed("protection", "take a place or a session from a person's task"),
    "checks": PersonDeed("protection", "accept that checks ask less than before"),
    "drop plan": PersonDeed("protection", "drop a plan"),
    "redact": PersonDeed("protection", "redact what was recorded"),
    "words": PersonDeed("authority", "say what somebody else worded"),
    "plan": PersonDeed("authority", "approve a plan"),
    "phase": PersonDeed("authority", "let a stopped phase go on"),
    "review": PersonDeed("authority", "change what the review changes"),
    "memory": PersonDeed("authority", "make a text that tells its reader what to do part of memory"),
    "memory folder": PersonDeed("authority", "write into a memory folder of a client"),
    "rules file": PersonDeed("authority", "write rules for agents"),
    "bundle": PersonDeed("authority", "have the words of a bundle count as those of whom it names"),
    "budget": PersonDeed("money", "change a budget"),
    "program": PersonDeed("trust", "say which program clew runs"),
    "server": PersonDeed("trust", "start an MCP server that a file of the project names"),
    "login": PersonDeed("trust", "trust a login"),
    "content": PersonDeed("trust", "trust what came with a repository"),
    "tool": PersonDeed("trust", "say that a tool only reads"),
    "revoke": PersonDeed("trust", "take trust back"),
    "leave": PersonDeed("trust", "let what looks like a secret leave"),
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
    clause = says or DEEDS[deed].says
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
