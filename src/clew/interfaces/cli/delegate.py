"""`clew delegate`: one question to a fresh agent that only reads; nothing but its answer comes back."""

from __future__ import annotations

import shutil

import click

from clew import wiring
from clew.app.delegate.delegate import Delegated, Delegation, delegate, prepare
from clew.clients.launching import Called, Happening
from clew.core.text.cleaning import clean, one_line, shorten_code
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, find_project, present, say_notes, text_of
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting

_TARGET_CHARS = 60


@click.command("delegate", cls=CliCommand)
@click.argument("question", metavar="QUESTION…", nargs=-1, required=True)
@click.option("--to", metavar="CLIENT", default="", help="Ask this client; default: the first that is installed.")
@click.option("--model", metavar="M", default="", help="Use this model; default: the client's own.")
@click.option(
    "--cap",
    metavar="TOKENS",
    type=click.IntRange(200, 20_000),
    default=None,
    help="Maximum length of the answer; default: the setting delegate.cap_tokens.",
)
@click.option("--dry-run", is_flag=True, help="Show who would be asked and the prompt; ask nobody.")
@json_option()
def command(question: tuple[str, ...], to: str, model: str, cap: int | None, dry_run: bool) -> None:
    """Ask a fresh agent one QUESTION about the files here (- is read from stdin), and print its answer.

    The agent has its own context; it reads and changes nothing. You get its answer within --cap tokens: the evidence
    with locations, what was cut and what was not checked; ✓ marks quotations that were found at their location. The
    answer is recorded as that agent's finding. It costs tokens, which the settings `delegate.*` limit.
    """
    asking = prepare(
        find_project(),
        wiring.launchers(),
        text_of(question),
        client=to,
        model=model,
        cap=cap or 0,
        find_program=shutil.which,
    )
    if dry_run:
        aside(_about(asking))
        print(asking.prompt, end="")
        return
    waiting = Waiting(asking.launcher.client)

    def on(one: Happening) -> None:
        if isinstance(one, Called):
            waiting.at(f"at {one.tool} {shorten_code(one_line(clean(one.target)), _TARGET_CHARS)}")

    with waiting:
        found = delegate(find_project(), asking, on=on, find_program=shutil.which)
    present(found, _tell)


def _tell(found: Delegated) -> None:
    print(found.text, end="")
    say_notes(found.notes)
    aside(_used(found))


def _about(asking: Delegation) -> str:
    """Who is going to be asked."""
    by = asking.model or "its own model"
    gaps = f" Of it: {'; '.join(asking.gaps)}." if asking.gaps else ""
    return one_line(
        clean(f"{asking.launcher.client} ({by}) would be asked; at most {asking.cap_tokens:,} tokens come back.{gaps}")
    )


def _used(found: Delegated) -> str:
    """What it took, as far as the client told."""
    cost = f", {found.used_usd:.4f} USD by its own count" if found.used_usd is not None else ""
    kept = f" Recorded as {found.item}." if found.item else ""
    return f"{found.client} used {found.used_tokens:,} tokens{cost}; {found.tokens:,} came back.{kept}"
