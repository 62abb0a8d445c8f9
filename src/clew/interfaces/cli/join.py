"""`clew join`: this device, and the project that stands here, go to a hub."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.team.hub_client import join_hub
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, here, remark


@click.command("join", cls=CliCommand)
@click.argument("link", metavar="URL[#CODE]")
@click.option("--past", is_flag=True, help="What was recorded here before goes there too.")
def command(link: str, past: bool) -> None:
    """Join the hub at URL with the CODE that `clew hub up` or `clew hub invite` printed, as the person whom it was made
    for, and exchange the project that we stand in with it from now on. The code counts once, for 15 minutes. For
    another project on this device the URL is enough.

    A person's act: no file of a repository can do it. Tasks that are here already stay private until `clew task share`.
    """
    joined = join_hub(wiring.ports(), here(), link, past=past)
    person = one_line(clean(joined.person))
    print(f"Joined {joined.url} as {person}.")
    if not joined.project:
        remark("note: No project is initialised here; in one, `clew join URL` exchanges it with the hub.")
        return
    if joined.private:
        remark(f"note: {count(joined.private, 'open task')} from before stay here: `clew task share` shares one.")
    remark("next: clew sync")
