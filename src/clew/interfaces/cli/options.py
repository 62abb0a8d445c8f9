"""Options that several commands share."""

from __future__ import annotations

from argparse import ArgumentTypeError

from clew.interfaces.cli.parser import Parser


def session_option(parser: Parser, text: str) -> None:
    """`--from`, given to the command as `transcript`. Whether the file can be read is the use case's to say."""
    parser.add_argument("--from", dest="transcript", metavar="FILE", type=_session, help=text)


def _session(word: str) -> str:
    if not word:
        raise ArgumentTypeError("it is empty; name a session file or a session's id")
    if word == "-":
        raise ArgumentTypeError("a session cannot be read from a pipe; save it to a file and name that")
    return word


def recording_options(parser: Parser) -> None:
    """`--dry-run` and `--json`, given to the command as `dry_run` and `as_json`."""
    parser.add_argument("--dry-run", action="store_true", help="Say what would be recorded; record nothing.")
    json_option(parser)


def json_option(parser: Parser, text: str = "As JSON (docs/json.md).") -> None:
    """`--json`, given to the command as `as_json`."""
    parser.add_argument("--json", dest="as_json", action="store_true", help=text)
