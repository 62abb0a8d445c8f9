"""`clew help` and `clew completion`: what there is, said and completed."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from clew.interfaces.cli.asking import at_terminal
from clew.interfaces.cli.group import CliCommand, Group, command_at, documentation


@click.command("help", cls=CliCommand)
@click.argument("names", metavar="[COMMAND…]", nargs=-1)
@click.option("--web", is_flag=True, help="Open the documentation in a browser; without one print its address.")
@click.pass_context
def show(ctx: click.Context, names: tuple[str, ...], web: bool) -> None:
    """Show what clew can do, or what COMMAND does, and its options: `clew help task new`."""
    if web:
        import webbrowser

        address = documentation()
        if not at_terminal() or not webbrowser.open(address):
            print(address)
        return
    root = ctx.find_root()
    assert isinstance(root.command, Group)
    print(command_at(root.command, root, names).get_help())


@click.command("completion", cls=CliCommand)
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def complete(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh or fish.

    bash: add `eval "$(clew completion bash)"` to ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after `autoload -U
    compinit && compinit`. fish: `clew completion fish > ~/.config/fish/completions/clew.fish`.
    """
    found = get_completion_class(shell)
    assert found is not None
    print(found(ctx.find_root().command, {}, "clew", "_CLEW_COMPLETE").source())


COMMANDS = {"help": show, "completion": complete}
