"""`clew import`: what documents say, what sessions and a bundle hold, into the ledger."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import click

from clew.app.importing.documents import (
    ImportedDocument,
    ImportedFile,
    ImportedFiles,
    ImportResult,
    PlacedEntry,
    Reading,
    take_in,
)
from clew.app.importing.handed import is_session, take_session_in
from clew.app.intake.source import SourceFile, is_bundle, read_source
from clew.app.keeping.bundle import ImportedBundle, import_
from clew.app.project import locate
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


class FileResult(NamedTuple):
    """What became of one FILE: one of the three is there."""

    name: str
    reading: Reading | None = None
    bundle: ImportedBundle | None = None
    problem: ClewError | None = None


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
        results, taken = _take_in(stack, files, task, (join, keep_authors), dry_run=dry_run)
    if len(results) == 1 and results[0].problem:
        raise results[0].problem
    alone = results[0].bundle if len(results) == 1 else None
    found = alone or ImportedFiles(
        dry_run=dry_run,
        task=taken.task if taken is not None else None,
        spooled=taken is not None and taken.spooled,
        files=tuple(map(_row_of, results)),
        notes=taken.notes if taken is not None else (),
    )
    present(found, lambda _: _tell(results, taken, dry_run=dry_run, verbose=verbose))
    if any(result.problem for result in results):
        raise SystemExit(ClewError.exit_code)


def _row_of(one: FileResult) -> ImportedFile:
    if one.reading is not None:
        return ImportedDocument.of(one.reading)
    return ImportedFile(one.name, one.bundle, one.problem)


def _tell(results: Sequence[FileResult], taken: ImportResult | None, *, dry_run: bool, verbose: bool) -> None:
    if dry_run and taken is not None:
        print("Dry run, nothing was recorded. It would say:")
    for result in results:
        _say(result, verbose=verbose, dry_run=dry_run)
    if taken is not None:
        say_notes(taken.notes)
        if any(one.did in ("new", "changed") for reading in taken.readings for one in reading.placed):
            remark(f"next: {'the same without --dry-run' if dry_run else 'clew resume'}")


def _take_in(
    stack: ExitStack, files: Sequence[Path], task: str | None, about_bundles: tuple[bool, bool], *, dry_run: bool
) -> tuple[list[FileResult], ImportResult | None]:
    """Bundles and sessions one by one, documents together; the results in the order of `files`."""
    project = find_project(dry_run=dry_run)
    join, keep_authors = about_bundles
    results: list[FileResult] = []
    sources: dict[int, SourceFile] = {}
    sessions: list[ImportResult] = []
    for place, (name, file) in enumerate(_opened(stack, project.folder, files)):
        told = "" if name != "stdin" else name
        try:
            if any(about_bundles) or is_bundle(file):
                if task is not None:
                    raise click.UsageError("--task is for documents: a bundle names its own tasks")
                done = import_(project, file, join=join, keep_authors=keep_authors)
                results.append(FileResult(name, bundle=done))
            elif is_session(project.ports, file):
                sessions.append(take_session_in(project, file, name=told, task=task))
                results.append(FileResult(name, sessions[-1].readings[0]))
            else:
                sources[place] = read_source(file, name=told, root=locate(project.folder).root)
                results.append(FileResult(name))
        except ClewError as error:
            results.append(FileResult(name, problem=error))
    if not sources:
        return results, _together(sessions)
    with Waiting("Reading") as waiting:
        taken = take_in(project, list(sources.values()), task=task, progress=waiting.at)
    for place, reading in zip(sources, taken.readings, strict=True):
        results[place] = FileResult(reading.name, reading)
    return results, _together([*sessions, taken])


def _together(taken: Sequence[ImportResult]) -> ImportResult | None:
    """What became of several files as one outcome; None of none."""
    if not taken:
        return None
    notes = dict.fromkeys(note for one in taken for note in one.notes)
    readings = tuple(reading for one in taken for reading in one.readings)
    return taken[0]._replace(readings=readings, notes=tuple(notes), spooled=any(one.spooled for one in taken))


def _opened(stack: ExitStack, folder: Path, files: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Each file with its name; of what comes by a pipe a copy, since a bundle is read more than once."""
    for given in files:
        yield ("stdin", stdin_copy(stack)) if str(given) == "-" else (str(given), folder / given)


def _say(result: FileResult, *, dry_run: bool, verbose: bool) -> None:
    """One file, for people."""
    if result.problem:
        error = result.problem
        aside(f"error: {one_line(clean(error.message))}  [{error.code}]")
        aside(f"hint: {one_line(clean(error.hint))}")
    elif result.bundle:
        _say_bundle(result.bundle)
    elif result.reading:
        print(one_line(clean(_summary(result.reading))))
        for row in _rows(result.reading, all_of_them=verbose, only_persons=not (verbose or dry_run)):
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


def _summary(reading: Reading) -> str:
    """`HANDOFF.md: 14 new (5 steps, 3 decisions, …), 2 changed, 30 known, 12 notes`"""
    new = Counter(one.kind for one in reading.placed if one.did == "new" and one.kind != "note")
    did = Counter(one.did for one in reading.placed)
    kinds = [of_kind(number, kind) for kind, number in new.most_common(_KINDS_MAX)]
    kinds += ["…"] if len(new) > _KINDS_MAX else []
    told = [f"{new.total():,} new" + (f" ({', '.join(kinds)})" if kinds else "")]
    told += [f"{did['changed']:,} changed"] if did["changed"] else []
    told += [f"{did['known']:,} known"] if did["known"] else []
    notes = sum(one.did == "new" and one.kind == "note" for one in reading.placed)
    told += [count(notes, "note")] if notes else []
    told += [f"{did['person']:,} for a person to decide"] if did["person"] else []
    told += [f"{did['redacted']:,} left out"] if did["redacted"] else []
    aside = "" if reading.encoding == "UTF-8" else f" (read as {reading.encoding})"
    aside = f" ({reading.format} session {reading.session})" if reading.session else aside
    return f"{reading.name}{aside}: {', '.join(told)}"


def _rows(reading: Reading, *, all_of_them: bool, only_persons: bool) -> Iterator[str]:
    """A row for each entry: its line, what became of it, what it is, its text; for a person also what to type."""
    placed = [one for one in reading.placed if one.did == "person" or not only_persons]
    shown = placed if all_of_them or only_persons else placed[:_ROWS_MAX]
    for one in shown:
        yield _row(one)
        if one.command:
            yield f"{'':6}  type: {one_line(clean(one.command))}"
    if len(shown) < len(placed):
        yield f"{'':6}  … and {len(placed) - len(shown):,} more (--verbose shows all, --json all of each)"


def _row(one: PlacedEntry) -> str:
    what = f"{one.kind}, {one.status}" if one.status else one.kind
    text = shorten(one_line(clean(one.text)), _TEXT_CHARS)
    said = f"  ({one_line(clean(one.said))})" if one.said else ""
    return f"{one.lines.first:>6}  {_DID.get(one.did, one.did):<14}  {one.shown:<7} {what:<18}  {text}{said}".rstrip()
