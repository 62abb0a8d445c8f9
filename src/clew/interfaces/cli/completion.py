"""`clew completion`: the script that makes a shell complete clew's commands and options."""

from __future__ import annotations

import click


@click.command("completion", short_help="Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL.

    bash: add `eval "$(clew completion bash)"` to ~/.bashrc; zsh: the same with zsh in ~/.zshrc;
    fish: `clew completion fish > ~/.config/fish/completions/clew.fish`.
    """
    from click.shell_completion import get_completion_class

    from clew.interfaces.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "clew", "_CLEW_COMPLETE").source())
