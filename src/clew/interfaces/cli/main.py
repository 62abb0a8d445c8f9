"""The command `clew`: parses, calls one use case, renders. Here are the group, the exit codes and how errors are said.

Exit codes: 0 done · 1 it could not be done (the message says why) · 64 the command line is wrong · 70 our own fault ·
130 interrupted. 2 is never used: clients of agents read it as "block".
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from clew import __version__
from clew.core.errors import ClewError
from clew.core.text import clean, one_line
from clew.interfaces.cli.parser import Aborted, Command, HelpWanted, Parser, UsageError

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
    "draft": ("clew.interfaces.cli.draft", "Show the newest hand-off with its verdicts, or have one written."),
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
    "Looking": ("show", "log", "sessions", "draft", "drift", "pressure", "lint"),
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


_ABOUT = "clew: the thread that leads the next session of a coding agent back to where the last one stopped."


def _arguments(parser: Parser) -> None:
    parser.add_argument("--version", action="store_true", help="Show the version and exit.")
    parser.add_argument("--debug", action="store_true", help="On an error show where in clew it came from.")


def _parser() -> Parser:
    """Of the program itself. The commands in its help are listed without loading any."""
    lists = {heading: {name: COMMANDS[name][1] for name in names} for heading, names in GROUPS.items()}
    return Parser("clew", Command("", None, _arguments, about=_ABOUT), lists)


def command_named(name: str) -> Command:
    """The command of a name in `COMMANDS`: loaded when it is run, since start-up time is a budget."""
    command = import_module(COMMANDS[name][0]).command
    assert isinstance(command, Command)
    return command


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
    code: object = 0
    try:
        _invoke(arguments)
        sys.stdout.flush()
    except SystemExit as leaving:
        code = leaving.code
    except UsageError as error:
        if error.option == "--debug":
            return _say("--debug belongs before the command", "E-usage", "run `clew --debug …`", EXIT_USAGE)
        return _say(error.message, "E-usage", f"run `{error.path or 'clew'} --help`", EXIT_USAGE)
    except (Aborted, KeyboardInterrupt):
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


def _invoke(words: list[str]) -> None:
    """Parse and run, or print the help. Raises what commands raise, `UsageError` and `SystemExit`."""
    try:
        _run_clew(words)
    except HelpWanted as wanted:
        print(wanted.text, end="")


def _run_clew(words: list[str]) -> None:
    if "_ARGCOMPLETE" in os.environ and "COMP_LINE" in os.environ:
        from clew.interfaces.cli.completing import complete

        complete(_parser(), {name: command_named(name) for name in COMMANDS})
    own, name, rest = _split(words)
    if own and _parser().parsed(own)["version"]:
        print(f"clew {__version__}")
    elif name is None:
        raise HelpWanted(_parser().format_help())
    elif name in COMMANDS:
        _run(f"clew {name}", command_named(name), rest)
    else:
        raise _unknown(name, COMMANDS, "clew")


def _run(path: str, command: Command, words: list[str]) -> None:
    own, name, rest = _split(words) if command.commands else (words, None, [])
    if name is not None and name not in command.commands:
        raise _unknown(name, command.commands, path)
    try:
        parser = Parser(path, command)
        given = parser.parsed(own)
        if name is not None:
            _run(f"{path} {name}", command.commands[name], rest)
        elif command.run is not None:
            command.run(**given)
        else:
            raise HelpWanted(parser.format_help())
    except UsageError as error:
        error.path = error.path or path
        raise


def _split(words: list[str]) -> tuple[list[str], str | None, list[str]]:
    """The options in front of a command's name, the name, and what stands behind it."""
    at = next((index for index, word in enumerate(words) if not word.startswith("-")), len(words))
    return words[:at], (words[at] if at < len(words) else None), words[at + 1 :]


def _unknown(name: str, known: Iterable[str], path: str) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    error = UsageError(f"there is no command {name!r}" + (f"; did you mean {near[0]}?" if near else ""))
    error.path = path
    return error


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
