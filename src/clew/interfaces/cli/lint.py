"""`clew lint`: what is wrong with documents that the next session is to read."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

import click

from clew import wiring
from clew.app.handoff.lint import STDIN, LintedDocuments, linted
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.lint.page import LintFinding
from clew.documents.profiles import HANDOFF
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, count, here, present, say_notes, stdin_copy
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting

EXIT_FOUND = 1
_TEXT_SHOWN_CHARS = 100


@click.command("lint", cls=CliCommand)
@click.argument("files", metavar="FILE…", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--budget",
    metavar="N",
    type=click.IntRange(min=1),
    default=HANDOFF.budget_tokens,
    help="How many tokens a hand-off may have.",
)
@click.option("--rule", "rules", metavar="ID", multiple=True, help="Only this rule; repeatable.")
@json_option()
def command(files: tuple[str, ...], budget: int, rules: tuple[str, ...]) -> None:
    """Check documents (- is stdin) by the rules of docs/reference/linting.md; the document's purpose decides which
    apply.

    A file that cannot be read does not stop the others. Exits with 1 if something was found or a file could not be
    read.
    """
    with ExitStack() as stack, Waiting("Reading") as waiting:
        stdin = stdin_copy(stack) if STDIN in files else None
        found = linted(
            wiring.ports(), here(), files, stdin=stdin, budget_tokens=budget, rules=rules,
            progress=waiting.at,
        )  # fmt: skip
    if len(found) == 1 and found[0].error:
        raise found[0].error
    for document in found:
        if document.error:
            aside(one_line(clean(f"error: {document.error.message}  [{document.error.code}]")))
        say_notes(f"{document.file}: {note}" for note in document.notes)
    present(LintedDocuments(tuple(found)), _tell)
    if any(document.findings or document.error for document in found):
        raise SystemExit(EXIT_FOUND)


def _tell(found: LintedDocuments) -> None:
    for document in found.documents:
        for row in rows(document.file, document.findings):
            print(row)
    if total := sum(len(document.findings) for document in found.documents):
        aside(f"{count(total, 'finding')} in {count(sum(bool(one.findings) for one in found.documents), 'file')}.")


def rows(name: str, findings: Iterable[LintFinding]) -> list[str]:
    """What is printed of the findings in a document: where and what, the words there, what to do."""
    printed = []
    for one in findings:
        printed.append(one_line(clean(f"{name}:{one.line}: {one.rule}: {one.message}")))
        if one.text:
            printed.append(f"    | {shorten(one_line(clean(one.text)), _TEXT_SHOWN_CHARS)}")
        printed.append(f"    fix: {one_line(clean(one.fix))}")
    return printed
