"""`clew route`: which model a phase is given, and why."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.launching.launch import known_launcher
from clew.app.phase.route import Routing, routing
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, find_project, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table


@click.command("route", cls=CliCommand)
@click.argument("phase", metavar="[PHASE]", required=False, default="")
@click.option("--client", metavar="C", help="Only this client.")
@json_option()
def command(phase: str, client: str | None) -> None:
    """Explain which model works on PHASE (its number or id; default: the current one): the phase's tier, where that
    comes from, and which model it means in each client.

    Set the model of a tier with `clew settings set route.TIER.CLIENT MODEL`; where nothing is set, the client chooses.
    `clew run` uses it, and so does `clew resume --launch` while a phase is under way.
    """
    launchers = wiring.launchers()
    clients = [known_launcher(launchers, client).client] if client else list(launchers)
    found = routing(find_project(), phase, clients, launchers)
    say_notes(f"{one} names no client that clew knows, so nothing heeds it." for one in found.idle)
    present(found, _tell)


def _tell(found: Routing) -> None:
    at = f"phase {found.phase.number}, {found.phase.title}: " if found.phase is not None else ""
    print(one_line(clean(f"{at}tier {found.tier} ({found.tier_by})")))
    rows = [
        (one.client, one.model or "its own", f"{one.why}, in {one.place}" if one.place else one.why)
        for one in found.routes
    ]
    show_table(("client", "model", "why"), rows, styles=("bold", "", "dim"))
    if not any(one.model for one in found.routes):
        aside(f"Set one: clew settings set route.{one_line(clean(found.tier))}.{found.routes[0].client} MODEL")
