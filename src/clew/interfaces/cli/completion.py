"""`clew completion`: what makes a shell complete clew's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from clew.interfaces.cli.group import Command


@click.command("completion", cls=Command)
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh or fish.

    bash: add `eval "$(clew completion bash)"` to ~/.bashrc. zsh: the same with zsh in ~/.zshrc, behind
    `autoload -U compinit && compinit`. fish: `clew completion fish > ~/.config/fish/completions/clew.fish`.
    """
    found = get_completion_class(shell)
    assert found is not None
    print(found(ctx.find_root().command, {}, "clew", "_CLEW_COMPLETE").source())
