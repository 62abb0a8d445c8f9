"""`clew notify`: the command that tells a person that something waits."""

from __future__ import annotations

import click

from clew.app.project.location import locate
from clew.app.project.notify import COMMAND, notify_test
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, find_project


@click.command("notify", cls=CliCommand)
@click.option("--test", "tests", is_flag=True, required=True, help="Run the command once, as if a question waited.")
def command(tests: bool) -> None:
    """Try the command of the setting `notify.command`. It is run when something begins to wait for you: a question, a
    plan, a stopped phase, a run that halted or finished, a budget that is used up.

    CLEW_NOTICE is the sentence, CLEW_NOTICE_KIND its kind, CLEW_PROJECT the project's folder. Exits with 1 if the
    command failed.
    """
    assert tests
    project = find_project()
    done = notify_test(project.ports, locate(project.folder).root)
    for text in (done.out, done.err):
        if text:
            aside(clean(text.decode("utf-8", "replace")).rstrip("\n"))
    if done.code:
        aside(f"{COMMAND} ended with {done.code}.")
        raise SystemExit(ClewError.exit_code)
    print(f"{COMMAND} ran.")
