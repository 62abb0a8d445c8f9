"""`clew resume`: the payload for the next session, on stdout. Writes nothing."""

from __future__ import annotations

import click

from clew.core.text import clean, one_line
from clew.documents.profile import PROFILES
from clew.interfaces.cli.options import session_option


@click.command("resume", short_help="Print what the next session needs to go on.")
@session_option("Go on from this session file, or from the session with this id.")
@click.option("--budget", metavar="N", type=int, help="At most N tokens (estimated; default 1000).")
@click.option(
    "--profile", type=click.Choice(sorted(PROFILES)), default="rehydrate", show_default=True, help="Which document."
)
@click.option("--json", "as_json", is_flag=True, help="Text, items, drift and usage as JSON (docs/json.md).")
@click.option("--copy", is_flag=True, help="Put the text on the clipboard instead of printing it.")
def command(transcript: str | None, budget: int | None, profile: str, as_json: bool, copy: bool) -> None:
    """Print the text that lets the next session go on where the last one stopped.

    Without --from: the newest session that a client recorded in this repository (all its work trees). The text is
    made from the client's own record, so it is there also when the agent was killed.
    """
    import clew

    if as_json and copy:
        raise click.UsageError("--json and --copy exclude each other", click.get_current_context())
    found = clew.resume(transcript=transcript, budget_tokens=budget, profile=profile)
    for note in found.notes:
        click.echo(f"note: {one_line(clean(note))}", err=True)
    if as_json:
        from clew.interfaces.cli.as_json import resumption

        click.echo(resumption(found))
    elif copy:
        _copy(found.document.text)
        click.echo(f"Copied: {found.document.tokens} tokens (estimated), {len(found.document.shown)} items.", err=True)
    else:
        click.echo(found.document.text, nl=False)


def _copy(text: str) -> None:
    import pyperclip

    from clew.core.errors import Unavailable

    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException as error:
        raise Unavailable(
            "there is no clipboard that clew can reach",
            code="E-no-clipboard",
            hint="Install xclip, xsel or wl-clipboard, or run without --copy and redirect the output.",
        ) from error
