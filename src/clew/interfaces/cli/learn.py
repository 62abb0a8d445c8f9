"""`clew learn`: `clew note learning` in one word, or straight into memory."""

from __future__ import annotations

from typing import Any

import click

from clew.interfaces.cli.group import Command
from clew.interfaces.cli.note import keep, noting


@click.command("learn", cls=Command)
@click.option("--topic", metavar="TOPIC", default="", help="Put it straight into memory, under this topic.")
@click.option("--user", "is_users", is_flag=True, help="Into your own memory, which holds for all projects.")
@click.option("--always", is_flag=True, help="Give it to every session (with --topic or --user).")
@noting("--tag")
def command(text: tuple[str, ...], topic: str, is_users: bool, always: bool, **fields: Any) -> None:
    """Record a fact that other tasks can use, TEXT, with a --tag that says what kind it is. It waits until it is
    triaged (`clew memory triage`); with --topic or --user it is in memory at once.
    """
    if not (topic or is_users):
        if always:
            raise click.UsageError("--always goes with --topic or --user")
        keep("learning", text, **fields)
        return
    from clew.interfaces.cli.memory import remember

    if fields["files"] or fields["tags"] or fields["task"] is not None or fields["key"]:
        raise click.UsageError("--topic and --user go with --why alone: files are found in the text")
    remember(
        text,
        topic=topic or "user",
        why=fields["why"],
        is_users=is_users,
        pinned=always,
        dry_run=fields["dry_run"],
        as_json=fields["as_json"],
    )
