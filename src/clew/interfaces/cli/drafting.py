"""Having hand-offs written: what one costs is said, and the person asked, before anything is spent."""

from __future__ import annotations

import shutil
from typing import Final

import click

from clew import wiring
from clew.app.launching.ask_for_draft import Asking, DraftAnswer, DraftOffer, ask
from clew.app.launching.launch import known_launcher
from clew.app.project.gate_state import refresh_everywhere
from clew.app.project.location import locate
from clew.app.project.settings import change
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.asking import at_terminal, confirmed
from clew.interfaces.cli.here import aside, find_project, here, say_notes
from clew.interfaces.cli.waiting import Waiting


def written(
    client: str, *, session: str = "", model: str = "", forks: bool = False, dry_run: bool = False, yes: bool = False
) -> DraftAnswer | None:
    """The hand-off that `client` wrote; None where nobody wants what it costs, or with `dry_run`, which prints the
    prompt. What is said of it goes to stderr.
    """

    def agreed(offer: DraftOffer) -> bool:
        if dry_run:
            aside(_cost(offer))
            print(offer.prompt)
            return False
        return _agreed(offer, yes=yes)

    asking = Asking(known_launcher(wiring.launchers(), client), model, session, forks)

    waiting = Waiting(f"{client} is writing")
    found = ask(find_project(), asking, agreed=agreed, find_program=shutil.which, meanwhile=waiting)
    if found is None:
        return None
    say_notes(found.notes)
    if found.result is None:
        aside(f"{client} was asked the same before: {found.draft.short_id} costs nothing again.")
    else:
        aside(_used(found))
    return found


# The settings, what is asked of each, and what holds for who just presses return.
_WAYS: Final = (
    ("draft.at_threshold", "when its context crosses a threshold, once for each", True),
    ("draft.at_stop", "at the end of a turn, once behind 20 minutes or 30,000 tokens of real work", False),
)
_COST: Final = (
    "Agents can be asked for a hand-off, which clew proves (docs/guide/03-hand-offs.md). One costs about 900 tokens of "
    "output and the request, some 150."
)


def choose() -> list[str]:
    """Ask the person at the terminal when a session is to be asked for a hand-off, if nobody has said so yet; what was
    set, a sentence each. Without a terminal nothing is asked: what is built in holds.
    """
    root = locate(here()).root
    held = {row.setting.name: row.source for row in wiring.settings(root).rows}
    if not at_terminal() or any(held[name] != "built-in" for name, _, _ in _WAYS):
        return []
    aside(_COST)
    said = []
    for name, when, default in _WAYS:
        value = "on" if confirmed(f"Ask a session {when}?", default=default) else "off"
        change(
            wiring.settings_files(root),
            name,
            value,
            project=False,
            said=wiring.ports().channel(),
            reload=lambda: wiring.settings(root),
        )
        said.append(f"{name} = {value} (`clew settings set {name} {'off' if value == 'on' else 'on'}` changes it).")
    refresh_everywhere(wiring.ports())
    return said


def _agreed(offer: DraftOffer, *, yes: bool) -> bool:
    if offer.is_kept:
        return True
    aside(_cost(offer))
    if yes:
        return True
    if not at_terminal():
        raise click.UsageError("--ask spends tokens, and nobody is there to be asked: add --yes")
    return confirmed("Ask it?")


def _cost(offer: DraftOffer) -> str:
    """What is going to be spent, before it is."""
    model = offer.model or "its own model"
    what = "a copy of the session" if offer.forks else "clew's record of the session in short"
    return one_line(
        clean(
            f"{offer.client} ({model}) reads {what}, about {offer.tokens_in:,} tokens beside its own instructions, and "
            f"writes at most some {offer.tokens_out:,} (estimated). The price is not known to clew."
        )
    )


def _used(found: DraftAnswer) -> str:
    """What was spent, as far as the client told."""
    done = found.result
    assert done is not None
    tokens = f"{done.tokens:,} tokens" if done.tokens else "it told no tokens"
    cost = f", {done.cost_usd:.4f} USD by its own count" if done.cost_usd >= 0 else ""
    return f"{found.draft.client} wrote {found.draft.short_id}: {tokens}{cost}."
