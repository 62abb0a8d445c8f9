"""`clew import`: what documents say, what sessions and a bundle hold, into the ledger."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from clew.app.importing.documents import ImportedDocument, ImportedEntry, ImportedFile, ImportedFiles, take_in
from clew.app.importing.handed import is_session, take_session_in
from clew.app.intake.source import SourceFile, is_bundle, read_source
from clew.app.keeping.bundle import ImportedBundle, import_
from clew.app.project.location import locate
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, count, find_project, of_kind, present, remark, say_notes, stdin_copy
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting

# Without --verbose a dry run shows so many lines of each file.
_ROWS_MAX = 40
_KINDS_MAX = 3
_TEXT_CHARS = 100
_DID = {"person": "needs a person", "redacted": "left out"}


@click.command("import", cls=CliCommand)
@click.argument("files", metavar="FILE…", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--task", metavar="T", help="The task that documents are about (default: the one bound here).")
@click.option("--join", is_flag=True, help="Treat the bundle's project and this one as the same (a person).")
@click.option("--keep-authors", is_flag=True, help="Believe who said what in a bundle (a person).")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; save nothing.")
@click.option("--verbose", is_flag=True, help="Show every line of a document and what became of it.")
@json_option("What was imported, as JSON (docs/reference/json.md).")
def command(
    files: tuple[Path, ...], task: str | None, join: bool, keep_authors: bool, dry_run: bool, verbose: bool
) -> None:
    """Import each FILE (- is stdin) into this project's ledger. What exists already stays as it is.

    A hand-off, a plan, a journal, a progress or state file becomes items of the task: an entry whose heading, box or
    label says what it is becomes an item of that kind, everything else a note, each with its line number. A session's
    record
    (of any client, or a list of messages) is imported as a session. A bundle (`clew export`) is imported as it is.
    Anybody can write a file, so what a document or record says counts as nobody's word, what a bundle says as an
    agent's at most. Importing again adds nothing.
    """
    with ExitStack() as stack:
        found = _take_in(stack, files, task, (join, keep_authors), dry_run=dry_run)
    first = found.files[0]
    if len(found.files) == 1 and first.error:
        raise first.error
    alone = first.bundle if len(found.files) == 1 else None
    present(alone or found, lambda _: _tell(found, verbose=verbose))
    if any(one.error for one in found.files):
        raise SystemExit(ClewError.exit_code)


def _tell(found: ImportedFiles, *, verbose: bool) -> None:
    documents = found.documents
    if found.dry_run and documents:
        print("Dry run, nothing was recorded. It would say:")
    for one in found.files:
        _say(one, verbose=verbose, dry_run=found.dry_run)
    say_notes(found.notes)
    if any(entry.did in ("new", "changed") for one in documents for entry in one.entries):
        remark(f"next: {'the same without --dry-run' if found.dry_run else 'clew resume'}")


def _take_in(
    stack: ExitStack, files: Sequence[Path], task: str | None, about_bundles: tuple[bool, bool], *, dry_run: bool
) -> ImportedFiles:
    """Bundles and sessions one by one, documents together; what became of them, in the order of `files`."""
    join, keep_authors = about_bundles
    project = find_project(dry_run=dry_run)
    results: list[ImportedFile] = []
    sources: dict[int, SourceFile] = {}
    taken: list[ImportedFiles] = []
    for place, (name, file) in enumerate(_opened(stack, project.folder, files)):
        told = "" if name != "stdin" else name
        try:
            if any(about_bundles) or is_bundle(file):
                if task is not None:
                    raise click.UsageError("--task is for documents: a bundle names its own tasks")
                results.append(ImportedFile(name, import_(project, file, join=join, keep_authors=keep_authors)))
            elif is_session(project.ports, file):
                taken.append(take_session_in(project, file, name=told, task=task))
                results.append(taken[-1].files[0])
            else:
                sources[place] = read_source(file, name=told, root=locate(project.folder).root)
                results.append(ImportedFile(name))
        except ClewError as error:
            results.append(ImportedFile(name, error=error))
    if sources:
        with Waiting("Reading") as waiting:
            taken.append(take_in(project, list(sources.values()), task=task, progress=waiting.at))
        for place, document in zip(sources, taken[-1].files, strict=True):
            results[place] = document
    notes = dict.fromkeys(note for one in taken for note in one.notes)
    named = taken[0].task if taken else None
    return ImportedFiles(dry_run, named, any(one.spooled for one in taken), tuple(results), tuple(notes))


def _opened(stack: ExitStack, folder: Path, files: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Each file with its name; of what comes by a pipe a copy, since a bundle is read more than once."""
    for given in files:
        yield ("stdin", stdin_copy(stack)) if str(given) == "-" else (str(given), folder / given)


def _say(one: ImportedFile, *, dry_run: bool, verbose: bool) -> None:
    """One file, for people."""
    if one.error:
        aside(f"error: {one_line(clean(one.error.message))}  [{one.error.code}]")
        aside(f"hint: {one_line(clean(one.error.hint))}")
    elif isinstance(one.bundle, ImportedBundle):
        _say_bundle(one.bundle)
    elif isinstance(one, ImportedDocument):
        print(one_line(clean(_summary(one))))
        for row in _rows(one, all_of_them=verbose, only_persons=not (verbose or dry_run)):
            print(row)


def _say_bundle(done: ImportedBundle) -> None:
    verb = "Would import" if done.dry_run else "Imported"
    known = f"; {count(done.known, 'event')} known already" if done.known else ""
    print(f"{verb} {count(done.events, 'event')} and {count(done.extracts, 'extract')}{known}.")
    if done.left_out:
        aside(
            f"note: {count(done.left_out, 'event')} that steer clew were left out (a person takes them in with "
            "--keep-authors)"
        )


def _summary(found: ImportedDocument) -> str:
    """`HANDOFF.md: 14 new (5 steps, 3 decisions, …), 2 changed, 30 known, 12 notes`"""
    new = Counter(one.kind for one in found.entries if one.did == "new" and one.kind != "note")
    did = Counter(one.did for one in found.entries)
    kinds = [of_kind(number, kind) for kind, number in new.most_common(_KINDS_MAX)]
    kinds += ["…"] if len(new) > _KINDS_MAX else []
    told = [f"{new.total():,} new" + (f" ({', '.join(kinds)})" if kinds else "")]
    told += [f"{did['changed']:,} changed"] if did["changed"] else []
    told += [f"{did['known']:,} known"] if did["known"] else []
    notes = sum(one.did == "new" and one.kind == "note" for one in found.entries)
    told += [count(notes, "note")] if notes else []
    told += [f"{did['person']:,} for a person to decide"] if did["person"] else []
    told += [f"{did['redacted']:,} left out"] if did["redacted"] else []
    aside = "" if found.encoding == "UTF-8" else f" (read as {found.encoding})"
    aside = f" ({found.format} session {found.session})" if found.session else aside
    return f"{found.file}{aside}: {', '.join(told)}"


def _rows(found: ImportedDocument, *, all_of_them: bool, only_persons: bool) -> Iterator[str]:
    """A row for each entry: its line, what became of it, what it is, its text; for a person also what to type."""
    placed = [one for one in found.entries if one.did == "person" or not only_persons]
    shown = placed if all_of_them or only_persons else placed[:_ROWS_MAX]
    for one in shown:
        yield _row(one)
        if one.command:
            yield f"{'':6}  type: {one_line(clean(one.command))}"
    if len(shown) < len(placed):
        yield f"{'':6}  … and {len(placed) - len(shown):,} more (--verbose shows all, --json all of each)"


def _row(one: ImportedEntry) -> str:
    what = f"{one.kind}, {one.status}" if one.status else one.kind
    text = shorten(one_line(clean(one.text)), _TEXT_CHARS)
    said = f"  ({one_line(clean(one.said))})" if one.said else ""
    return f"{one.line:>6}  {_DID.get(one.did, one.did):<14}  {one.short_id:<7} {what:<18}  {text}{said}".rstrip()
