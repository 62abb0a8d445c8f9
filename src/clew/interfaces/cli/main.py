"""The command `clew`: parses, calls one use case, renders. Here are the group, the exit codes and how errors are said.

Exit codes: 0 done · 1 it could not be done (the message says why) · 3 done in
part (`clew stack build`) · 64 the command line is wrong · 70 our own fault ·
130 interrupted. 2 is never used: clients of agents read it as "block".
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import nullcontext, suppress
from typing import NamedTuple, NoReturn

import click

from clew import __version__
from clew.core.errors import ClewError
from clew.core.errors import told as told_of
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import LazyGroup, with_pages
from clew.interfaces.cli.screen import fold_output, painted, redacted_output

EXIT_FAILED = ClewError.exit_code
EXIT_USAGE = 64
EXIT_FAULT = 70
EXIT_INTERRUPTED = 130

_OUTPUT_HINT = "Send the output where there is room and a reader, and run it again."

# The commands as the help lists them, which loads none of them. Each is in the module of its name, or in its home.
GROUPS = {
    "Every day": {
        "init": "Set clew up here, so that your agents' sessions use it.",
        "status": "Show on one screen what is known and where the work stands.",
        "resume": "Print what the next session needs to go on.",
        "handoff": "Hand over what is worked on, reviewed by you.",
        "checkpoint": "Mark a point to look back at, or list them.",
        "stack": "Put together what a session needs to know, within a budget.",
        "task": "Open, list, bind and close tasks.",
        "issue": "Keep a task's state in a GitHub issue, and import edits from it.",
        "plan": "Plan first: questions, phases, a person's approval.",
        "phase": "Start a phase of the plan, see what it changed, end it.",
        "run": "Have one of your clients carry out the plan, phase by phase.",
        "worker": "Carry out phases that others' plans have in the queue.",
        "route": "Explain which model works on a phase, in each client.",
        "validate": "Run the project's checks, and show what failed first.",
        "worktree": "Keep independent work apart, and merge it once it passes.",
    },
    "Recording": {
        "note": "Record something that the next session must know.",
        "decide": "Record a decision and why.",
        "reject": "Record an approach that failed and why.",
        "learn": "Record something learned for other sessions.",
        "ask": "Record an open question.",
        "next": "Record the one next action.",
        "answer": "Answer a question.",
        "resolve": "Mark an item as over: done, happened, no longer open.",
        "supersede": "Replace an item with another.",
        "retract": "Retract an item: it was wrong.",
        "restore": "Bring back an item that was retracted, superseded or resolved.",
        "pin": "Pin an item: no document shortens it or leaves it out.",
        "unpin": "Remove a pin (a person).",
        "edit": "Reword an item, or lock or unlock it.",
        "confirm": "State goal and next action, so that edits may begin (an agent).",
    },
    "Looking": {
        "serve": "Show all of it in a browser, and answer there.",
        "show": "Show an item with its place in the record, or list all.",
        "log": "Show what was recorded, or the state at a checkpoint.",
        "why": "Show which session, request and decision wrote a line.",
        "search": "Find sessions, items and documents that contain some words.",
        "sessions": "List what ran where, in which client and for which task.",
        "delegate": "Ask a fresh agent one question; only its answer comes back.",
        "draft": "Show the newest hand-off with its verdicts, or have one written.",
        "record": "Print a digest of a session's record, for whoever continues it.",
        "drift": "Compare the files in play with what sessions knew of them.",
        "pressure": "Show how full a session's context is, and what to do about it.",
        "cost": "Show what sessions cost, in tokens and money.",
        "efficiency": "Show what the tokens bought: lines that stayed, checks that passed.",
        "bench": "Measure on your own sessions what clew saves.",
        "audit": "Show what filled a session's context, and what to cut.",
        "budget": "Show the budgets and what was used, or raise one (a person).",
        "memory": "Show, triage, edit and check long-term facts.",
        "journal": "Print what was decided and finished, day by day.",
        "lint": "Check hand-offs, plans and logs for what the next reader would miss.",
    },
    "Machinery": {
        "uninstall": "Remove clew from your clients' settings, or from this project.",
        "doctor": "Try the installed hooks; show what is wrong and how to fix it.",
        "mcp": "Serve clew's tools to a client over stdin and stdout (MCP).",
        "fresh": "Keep earlier work out of this session.",
        "trust": "See and trust the commands and documents a repository brings.",
        "gate": "Show gates and violations; let a tool pass, restore files.",
        "notify": "Try the command that tells you when something waits.",
        "settings": "List every setting and where it comes from, or set one.",
        "rules": "Print how an agent without hooks uses clew, for its rules file.",
        "archive": "Keep clients' own records of sessions before they delete them.",
        "sync": "Exchange with your other machines, by a folder, a hub or over ssh.",
        "join": "Join a hub, and exchange this project with it (a person).",
        "hub": "Run a hub, by which several people exchange what was recorded.",
        "export": "Write the whole ledger into one file.",
        "import": "Import documents, or a file that `clew export` wrote.",
        "rebuild": "Rewrite the files in .clew from the ledger.",
        "redact": "Remove an item and its words from everything that is stored.",
        "secrets": "Look for secrets in everything that is stored.",
        "completion": "Print the completion script for a shell.",
        "help": "Show what a command does, and its options.",
    },
}
HOMES = {
    **dict.fromkeys({*GROUPS["Recording"]} - {"confirm"}, "items"),
    **dict.fromkeys(("confirm", "fresh"), "session"),
    **dict.fromkeys(("help", "completion"), "help"),
}
COMMANDS = {name: line for lines in GROUPS.values() for name, line in lines.items()}


@click.group(
    "clew",
    cls=LazyGroup,
    package="clew.interfaces.cli",
    lists=GROUPS,
    homes=HOMES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="clew %(version)s")
@click.option(
    "-q", "--quiet", is_flag=True, help="Print no notes, hints or progress on stderr; errors are still printed."
)
@click.option("--debug", is_flag=True, help="On an error, show where in clew it happened.")
@click.pass_context
def cli(ctx: click.Context, quiet: bool, debug: bool) -> None:  # noqa: ARG001 (read where they count)
    """clew: the thread that leads the next session of a coding agent back to where the last one stopped."""
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a console that knows no “ or ✓ shows "?" in their place
    if "--json" not in sys.argv:
        fold_output()
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it
            if stream is not None:
                stream.flush()
    os._exit(code)  # nothing is left to be done, and taking the interpreter down costs more than starting it


def run(arguments: list[str]) -> int:
    """The exit code of `clew ARGUMENTS`. Prints; never raises."""
    if sys.stdout is None:
        return _say(_ToldError("E-output", "stdout is closed", _OUTPUT_HINT), EXIT_FAILED)
    # What a person lets pass (`--allow`) was scanned whole and is to arrive as it is; help and version are our words.
    with nullcontext() if {"--allow", "--help", "--version"} & {*arguments} else redacted_output():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments[: arguments.index("--") if "--" in arguments else None]
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except (click.exceptions.Exit, SystemExit) as leaving:
        code = leaving.exit_code if isinstance(leaving, click.exceptions.Exit) else leaving.code
    except click.ClickException as error:
        return _say_usage(error, as_json=as_json)
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has enough.
        _drop_output()
        return 0
    except Exception as error:
        code = _say_failure(error, as_json=as_json)
        if "--debug" in arguments:
            import traceback

            traceback.print_exception(error)
    return code if isinstance(code, int) else 0


def _invoke(arguments: list[str]) -> object:
    """Parse and run. `cli.main` would turn a closed pipe into exit code 1; it is needed where a shell completes."""
    if "_CLEW_COMPLETE" in os.environ:
        return cli.main(args=arguments, prog_name="clew", complete_var="_CLEW_COMPLETE", standalone_mode=False)
    with cli.make_context("clew", list(arguments)) as context:
        return cli.invoke(context)


class _ToldError(NamedTuple):
    """An error as it is told."""

    code: str
    message: str
    hint: str


def _say_usage(error: click.ClickException, *, as_json: bool) -> int:
    """Say what is wrong with the command line; its exit code. click's own would be 2."""
    context = getattr(error, "ctx", None)
    hint = f"run `{context.command_path if context else 'clew'} --help`"
    told = _ToldError("E-usage", error.format_message(), hint)
    return _say(told, EXIT_USAGE, as_json=as_json)


def _say_failure(error: Exception, *, as_json: bool) -> int:
    """Say what went wrong while a command ran; its exit code. Of a fault only the type: its words may be anybody's."""
    if (problem := told_of(error)) is not None:
        message = problem.message if problem is error else _plain(problem.message)
        return _say(_ToldError(problem.code, message, problem.hint), problem.exit_code, as_json=as_json)
    if isinstance(error, OSError):
        # Files that are opened are named in the error; what has no name is stdout.
        _drop_output()
        return _say(
            _ToldError("E-output", f"the output cannot be written: {error.strerror}", _OUTPUT_HINT), EXIT_FAILED
        )
    hint = "this is a fault of clew; run again with `clew --debug …` and report what it prints"
    return _say(_ToldError("E-fault", f"internal error: {type(error).__name__}", hint), EXIT_FAULT, as_json=as_json)


def _plain(message: str) -> str:
    """A message that names a file, which may be called like a secret."""
    from clew.app.project.redaction import redacted_name
    from clew.wiring import ports

    return redacted_name(message, ports(plugins=False).redact)


def _drop_output() -> None:
    """Let what is still to be written go nowhere: Python would complain once more when it flushes stdout at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(told: _ToldError, exit_code: int, *, as_json: bool = False) -> int:
    """An error as people read it, on stderr: what happened, the code of its page, what to do next. With `as_json` also
    as JSON, on stdout, where whoever asked for JSON reads.
    """
    told = told._replace(message=one_line(clean(told.message)), hint=with_pages(one_line(clean(told.hint))))
    if as_json:
        from clew.app.results import to_json

        with suppress(OSError, ValueError):
            print(to_json({"error": told}), flush=True)
    lines = [f"{painted('error:', 'red', sys.stderr)} {told.message}  [{told.code}]"]
    if told.hint:
        lines.append(f"{painted('hint:', 'cyan', sys.stderr)} {told.hint}")
    if sys.stderr is not None:  # else `print` would write to stdout
        print("\n".join(lines), file=sys.stderr)
    return exit_code
