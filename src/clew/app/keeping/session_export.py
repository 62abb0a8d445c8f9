"""A session as a document for people or programs: Markdown, one HTML page, or its records as lines of JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from clew.app.egress.guard import Leak, PersonalData, leaving
from clew.app.egress.output_file import require_free, write_output
from clew.app.intake.find import pick_session, unreadable
from clew.app.project.opening import ProjectHandle, redactor_at
from clew.app.results import JsonResult
from clew.core.records.transcript import Call, Context, Prompt, Record
from clew.core.text.cleaning import one_line, shorten
from clew.documents.transcript import entries, markdown, page
from clew.sessions.log import SessionLog
from clew.sessions.redaction import RecordRedactor

Form = Literal["md", "html", "jsonl"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
_TITLE_CHARS: Final = 80
_TAKE_OUT: Final = "Redact it by hand first: `clew redact ID --value -`"


class SessionExport(JsonResult, frozen=True):
    """What was written to `file`; with `dry_run` nothing was, and `file` is "". What was seen before it left is as in
    `Scanned`.
    """

    dry_run: bool
    file: Path | str
    session: str
    client: str
    form: Form
    records: int
    engine: str
    allowed: tuple[Leak, ...]
    personal: tuple[PersonalData, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionFile:
    """What was written, and the whole `text`."""

    result: SessionExport
    text: str


def export_session(
    project: ProjectHandle,
    wanted: Path,
    file: Path | None,
    form: Form,
    *,
    force: bool,
    allow: Collection[str] = (),
    why: str = "",
) -> SessionFile:
    """The session that `wanted` names (a file, or the beginning of an id) as `form`, into `file`, readable by its owner
    only, or as the text of the answer.

    Everything is redacted: by rules, and by what people redacted by hand in the project that the session ran in, and in
    that of `folder` (absolute).
    Results of tools that only look are left out. What still looks like a secret refuses it, unless a person lets that
    pass (`allow`, `why`). Raises `NotFound`, `NotAllowed` and `InputError`: no such session, a secret, a file that is
    there without `force`.
    """
    require_free(file, force=force)
    path, reader = pick_session(project, wanted)
    try:
        raw = list(SessionLog(path, reader))
    except OSError as error:
        raise unreadable(path, error) from error
    ran_in = next((Path(one.cwd) for one in raw if isinstance(one, Context) and one.cwd), project.folder)
    safe = [RecordRedactor(redactor_at(project.ports, place)) for place in dict.fromkeys((ran_in, project.folder))]
    records = [reduce(lambda one, by: by.record(one), safe, record) for record in raw]
    text = _told(records, form, client=reader.name)
    scanned = leaving(project, [("the document", text)], exit="export", allow=allow, why=why, hint=_TAKE_OUT)
    if file is not None:
        write_output(file, [text.encode("utf-8", "surrogatepass")], force=force)
    session = next((one.session for one in records if isinstance(one, Context) and one.session), path.stem)
    done = SessionExport(
        file is None, file or "", session, reader.name, form, len(records),
        scanned.engine, scanned.allowed, scanned.warnings, scanned.notes,
    )  # fmt: skip
    return SessionFile(done, text)


def _told(records: Sequence[Record], form: Form, *, client: str) -> str:
    if form == "jsonl":
        return "".join(f"{msgspec.json.encode(_shape(record)).decode()}\n" for record in records)
    first = next((one for one in records if isinstance(one, Context)), None)
    asked = next((one.text for one in records if isinstance(one, Prompt) and not one.agent), "")
    times = [one.time for one in records if one.time]
    about = [
        ("client", client),
        ("session", first.session if first else ""),
        ("folder", first.cwd if first else ""),
        ("branch", first.branch if first else ""),
        ("from", min(times, default="")),
        ("to", max(times, default="")),
    ]
    title = shorten(one_line(asked), _TITLE_CHARS) or "A session"
    return (markdown if form == "md" else page)(title, about, entries(records))


def _shape(record: Record) -> dict[str, object]:
    """A record as JSON: its sort, then its fields; of a call the sort of its action stands in the action."""
    shape: dict[str, object] = {"sort": type(record).__name__.lower(), **record._asdict()}
    if isinstance(record, Call):
        shape["action"] = {"sort": type(record.action).__name__.lower(), **record.action._asdict()}
    return shape
