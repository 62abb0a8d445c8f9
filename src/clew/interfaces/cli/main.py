"""The command `clew`: parses, calls one use case, renders. Here are the group, the exit codes and how errors are said.

Exit codes: 0 done · 1 it could not be done (the message says why) · 64 the command line is wrong · 70 our own fault ·
130 interrupted. 2 is never used: clients of agents read it as "block".
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from clew import __version__
from clew.core.errors import ClewError
from clew.core.text import clean, one_line

EXIT_FAILED = ClewError.exit_code
EXIT_USAGE = 64
EXIT_FAULT = 70
EXIT_INTERRUPTED = 130

_OUTPUT_HINT = "Send the output where there is room and a reader, and run it again."

# Command to the module that holds it (attribute `command`) and its line in the help, so that help loads none of them.
COMMANDS = {
    "init": ("clew.interfaces.cli.init", "Keep a ledger here, and let your agents' sessions use it."),
    "uninstall": ("clew.interfaces.cli.uninstall", "Take clew out of your clients' settings, or of this project."),
    "status": ("clew.interfaces.cli.status", "Show on one screen what is known and where the work stands."),
    "resume": ("clew.interfaces.cli.resume", "Print what the next session needs to go on."),
    "show": ("clew.interfaces.cli.show", "Show an item with its place in the record, or list all."),
    "checkpoint": ("clew.interfaces.cli.checkpoint", "Take a named point to look back at, or list them."),
    "drift": ("clew.interfaces.cli.drift", "Compare the files in play with what was known of them."),
    "pressure": ("clew.interfaces.cli.pressure", "Show how full a session's context is, and what to do about it."),
    "doctor": ("clew.interfaces.cli.doctor", "Try the installed hooks; say what is wrong and how to mend it."),
    "lint": ("clew.interfaces.cli.lint", "Check hand-offs, plans and logs for what the next reader lacks."),
    "export": ("clew.interfaces.cli.export", "Write the whole ledger into one file."),
    "import": ("clew.interfaces.cli.import_", "Take in documents, or a file that `clew export` wrote."),
    "rules": ("clew.interfaces.cli.rules", "Print how an agent without hooks uses clew, for its rules file."),
    "redact": ("clew.interfaces.cli.redact", "Take an item and its words out of everything that is kept."),
    "settings": ("clew.interfaces.cli.settings", "List every setting and where it comes from, or set one."),
    "trust": ("clew.interfaces.cli.trust", "See and trust the commands and documents a repository brings."),
    "fresh": ("clew.interfaces.cli.fresh", "Give this session nothing of earlier work."),
    "task": ("clew.interfaces.cli.task", "Open, list, bind and close tasks."),
    "note": ("clew.interfaces.cli.note", "Record something that the next session has to know."),
    "decide": ("clew.interfaces.cli.decide", "Record a decision and why."),
    "reject": ("clew.interfaces.cli.reject", "Record an approach that failed and why."),
    "learn": ("clew.interfaces.cli.learn", "Record something learned for other sessions."),
    "ask": ("clew.interfaces.cli.ask", "Record an open question."),
    "next": ("clew.interfaces.cli.next", "Record the one next action."),
    "answer": ("clew.interfaces.cli.answer", "Answer a question."),
    "confirm": ("clew.interfaces.cli.confirm", "Say goal and next action, so that edits go ahead (an agent)."),
    "resolve": ("clew.interfaces.cli.resolve", "Say that an item is over: done, happened, no longer open."),
    "supersede": ("clew.interfaces.cli.supersede", "Put another item in the place of one."),
    "retract": ("clew.interfaces.cli.retract", "Take an item back: it was wrong."),
    "restore": ("clew.interfaces.cli.restore", "Bring back an item that was retracted, superseded or resolved."),
    "pin": ("clew.interfaces.cli.pin", "Pin an item: no document shortens it or leaves it out."),
    "unpin": ("clew.interfaces.cli.unpin", "Take a pin off (a person)."),
    "edit": ("clew.interfaces.cli.edit", "Reword an item, or lock or unlock it."),
    "sessions": ("clew.interfaces.cli.sessions", "List what ran where, in which client and for which task."),
    "mcp": ("clew.interfaces.cli.mcp", "Serve clew's tools to a client, over stdin and stdout (MCP)."),
    "log": ("clew.interfaces.cli.log", "Tell what was recorded, or the state at a checkpoint."),
    "completion": ("clew.interfaces.cli.completion", "Print the completion script for a shell."),
}

# How the help groups them (SPEC C5). What is in no group stands in the last one.
GROUPS = {
    "Every day": ("init", "status", "resume", "checkpoint", "task"),
    "Recording": tuple(
        "note decide reject learn ask next answer resolve supersede retract restore pin unpin edit confirm".split()
    ),
    "Looking": ("show", "log", "sessions", "drift", "pressure", "lint"),
    "Machinery": (
        "uninstall",
        "doctor",
        "mcp",
        "fresh",
        "trust",
        "settings",
        "rules",
        "export",
        "import",
        "redact",
        "completion",
    ),
}


class _Commands(click.Group):
    """Commands are imported when they are run: start-up time is a budget."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        grouped = {name for names in GROUPS.values() for name in names}
        for heading, names in GROUPS.items():
            listed = [name for name in names if name in COMMANDS]
            if heading == next(reversed(GROUPS)):
                listed += [name for name in COMMANDS if name not in grouped]
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in listed])


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", message="clew %(version)s")
@click.option("--debug", is_flag=True, help="On an error show where in clew it came from.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """clew: the thread that leads the next session of a coding agent back to where the last one stopped."""
    ctx.obj = debug
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a console that knows no “ or ✓ shows "?" in their place
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it
            if stream is not None:
                stream.flush()
    os._exit(code)  # nothing is left to be done, and taking the interpreter down costs more than starting it


def run(arguments: list[str]) -> int:
    """The exit code of `clew ARGUMENTS`. Prints; never raises."""
    if sys.stdout is None:
        return _say("stdout is closed", "E-output", _OUTPUT_HINT, EXIT_FAILED)
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except (click.exceptions.Exit, SystemExit) as leaving:
        code = leaving.exit_code if isinstance(leaving, click.exceptions.Exit) else leaving.code
    except click.UsageError as error:
        if isinstance(error, click.NoSuchOption) and error.option_name == "--debug":
            return _say("--debug belongs before the command", "E-usage", "run `clew --debug …`", EXIT_USAGE)
        hint = f"run `{error.ctx.command_path} --help`" if error.ctx else "run `clew --help`"
        return _say(error.format_message(), "E-usage", hint, EXIT_USAGE)
    except click.ClickException as error:
        return _say(error.format_message(), "E-usage", "run `clew --help`", EXIT_USAGE)
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has enough.
        _drop_output()
        return 0
    except Exception as error:
        code = _say_failure(error)
        if "--debug" in arguments:
            import traceback

            traceback.print_exception(error)
    return code if isinstance(code, int) else 0


def _invoke(arguments: list[str]) -> object:
    """Parse and run. `cli.main` would turn a closed pipe into exit code 1; it is needed where a shell completes."""
    if "_CLEW_COMPLETE" in os.environ:
        return cli.main(args=arguments, prog_name="clew", standalone_mode=False)
    with cli.make_context("clew", list(arguments)) as context:
        return cli.invoke(context)


def _say_failure(error: Exception) -> int:
    """Say what went wrong while a command ran; its exit code. Of a fault only the type: its words may be anybody's."""
    if isinstance(error, ClewError):
        return _say(error.message, error.code, error.hint, error.exit_code)
    if isinstance(error, OSError) and error.filename is None:
        # Files that are opened are named in the error; what has no name is stdout.
        _drop_output()
        return _say(f"the output cannot be written: {error.strerror}", "E-output", _OUTPUT_HINT, EXIT_FAILED)
    hint = "this is a fault of clew; run again with `clew --debug …` and report what it prints"
    return _say(f"{type(error).__name__} where none should be", "E-fault", hint, EXIT_FAULT)


def _drop_output() -> None:
    """Let what is still to be written go nowhere: Python would complain once more when it flushes stdout at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: str, code: str, hint: str, exit_code: int) -> int:
    """An error as people read it: what happened, the code of its page, what to do next."""
    lines = [f"error: {one_line(clean(message))}  [{code}]"]
    if hint:
        lines.append(f"hint: {one_line(clean(hint))}")
    if sys.stderr is not None:  # else `print` would write to stdout
        print("\n".join(lines), file=sys.stderr)
    return exit_code
