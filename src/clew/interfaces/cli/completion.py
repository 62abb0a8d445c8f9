"""`clew completion`: the script that makes a shell complete clew's commands and options."""

from __future__ import annotations

from clew.interfaces.cli.parser import Command, Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], metavar="SHELL")


def run(shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh or fish.

    bash: add `eval "$(clew completion bash)"` to ~/.bashrc. zsh: the same with zsh in ~/.zshrc, behind
    `autoload -U compinit && compinit`. fish: `clew completion fish > ~/.config/fish/completions/clew.fish`.
    """
    from argcomplete.shell_integration import shellcode

    print(shellcode(["clew"], shell=shell))


command = Command("Print the completion script for a shell.", run, _arguments)
