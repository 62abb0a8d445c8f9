"""Making a hand-off: the state with the newest proved draft in it, reviewed by whoever asked, linted and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from clew.app.draft.newest import newest
from clew.app.egress.guard import require_clean
from clew.app.handoff.files import handoff_path, refresh
from clew.app.handoff.made import Handoff, ReviewedEntry, handoff_of, made_event
from clew.app.handoff.review import Choice, Row, apply_review, rows_of
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import safe_errors
from clew.app.project.session import ProjectSession
from clew.app.project.views import Wrote
from clew.app.record.checkpoint import take_checkpoint
from clew.app.results import JsonResult
from clew.app.resume.current_state import CurrentState, current_state_at, up_to_date
from clew.app.resume.payload import Resumption, resume_from
from clew.core.errors import InputError, LedgerError
from clew.documents.lint.page import LintFinding, LintGround, page_of
from clew.documents.lint.rules import lint
from clew.documents.parse import parse
from clew.documents.profiles import HANDOFF, PROFILES
from clew.documents.render import Document
from clew.workspace.git import Git

_NAME: Final = "HANDOFF.md"
_TAKE_OUT: Final = "The hand-off is kept and not committed. Take the value out with `clew redact ID`"


class Draftlike(NamedTuple):
    """A hand-off to be reviewed: the document, its rows, and the same with the ids of its entries, for an editor."""

    found: Resumption
    rows: tuple[Row, ...]
    with_ids: Document


# Reviews a hand-off; None: nothing is to be made of it.
Curate = Callable[[Draftlike], Sequence[Choice] | None]


class Made(JsonResult, frozen=True):
    """A hand-off that was made, or would be with `dry_run`. `kept` is how many entries stayed as they were, `changes`
    what the review did. `findings` are what `clew lint` says of it, `files` those that were written, `path` where it
    lies, `commit` the commit that holds it ("" none).
    """

    handoff: Handoff
    tokens: int
    kept: int
    changes: tuple[ReviewedEntry, ...]
    findings: tuple[LintFinding, ...]
    files: tuple[Wrote, ...]
    path: str
    commit: str
    notes: tuple[str, ...]
    dry_run: bool


def make(
    project: ProjectHandle,
    *,
    profile: str = "handoff",
    task: str = "",
    receiver: str = "",
    budget_tokens: int | None = None,
    curate: Curate | None = None,
    commit: bool = False,
) -> Made | None:
    """Make the hand-off of the task with this id or title, or of what is worked on in `folder`; None if the review says
    to make none. Without `curate` nobody reviews it.

    What sessions left is imported first, the one that asks among them. Raises `NotFound`, `InputError`, `BudgetError`,
    `NotAllowed` for a review that changes what is not the reviewer's, `LedgerError` where nothing can be kept.
    """
    calm = project.ports._replace(asking_session="")  # its work is handed over as well
    with safe_errors(project.ports.redact), up_to_date(project) as (at, sessions, notes):
        at.dry_run = project.dry_run
        if not (at.ledger.writable or project.dry_run):
            raise LedgerError(
                "the ledger cannot be written from here, so no hand-off is kept",
                code="E-ledger-readonly",
                hint="`clew resume --profile handoff` prints one; or run it where the ledger can be written.",
            )
        if commit:
            _check_shared(project.ports, at)
        here = current_state_at(calm, at, sessions, task, notes)
        rendered = partial(
            resume_from,
            ProjectHandle(calm, project.folder),
            budget_tokens=budget_tokens,
            profile=profile,
            receiver=receiver,
        )
        found = rendered(here)
        rows = rows_of(found.document, found.state.items, PROFILES[profile])
        changes: list[ReviewedEntry] = []
        reviewer = ""
        if curate is not None:
            choices = curate(Draftlike(found, tuple(rows), rendered(here, with_ids=True).document))
            if choices is None:
                return None
            events, changes = apply_review(at, choices, here.task.id if here.task else "")
            at.keep(events)
            reviewer = (at.speaker.actor or "a person") if at.is_person else ""
            if not project.dry_run:
                here = current_state_at(calm, at, sessions, task, ())
            found = rendered(here, reviewer=reviewer)
        kept = len(rows) - len({one.item for one in changes if one.did in ("cut", "edited")})
        handoff = _keep(at, here, found, profile, at.safe(receiver), reviewer, changes, kept)
        placed = [] if project.dry_run else refresh(project.ports, at, session=here.state.origin.session)
        moved = (f"{one.path} was changed by hand: it is in {one.aside} now." for one in placed if one.aside)
        return Made(
            handoff,
            found.document.tokens,
            handoff.kept,
            handoff.changes,
            linted(found.document.text, handoff.time[:10]),
            tuple(placed),
            handoff_path(handoff),
            _committed(project.ports, at, handoff, placed) if commit and not project.dry_run else "",
            tuple(dict.fromkeys((*found.notes, *moved, *at.notes))),
            at.dry_run,
        )


def linted(text: str, today: str) -> tuple[LintFinding, ...]:
    """What `clew lint` says of a hand-off on the day it is made; whether files are gone, the document itself tells."""
    page = page_of(parse(text, name=_NAME), text, f".clew/{_NAME}")
    return lint(page, LintGround(today=today, budget_tokens=HANDOFF.budget_tokens))


def _keep(
    at: ProjectSession,
    here: CurrentState,
    found: Resumption,
    profile: str,
    receiver: str,
    reviewer: str,
    changes: Sequence[ReviewedEntry],
    kept: int,
) -> Handoff:
    """Keep the hand-off, unless this is a dry run."""
    task = here.task.id if here.task else ""
    session = here.state.origin.session
    draft = newest(at.ledger, session=session) if session else None
    goal = next((item.text for item in found.state.items if item.kind == "goal"), here.task.title if here.task else "")
    event = made_event(
        at, found.document.text, profile=profile, sort="asked", task=task, receiver=receiver, reviewer=reviewer,
        draft=draft.id if draft is not None else "", changes=changes, kept=kept, goal=goal, session=session,
    )  # fmt: skip
    if receiver:  # who takes it over compares their tree with this one
        take_checkpoint(at, along=[event], task=task)
    else:
        at.keep([event])
    made = handoff_of(event)
    return replace(made, short_id=made.id if at.dry_run else at.short(made.id))


def _check_shared(ports: Ports, at: ProjectSession) -> None:
    """Raise `InputError` where a commit would hold nothing: git does not see the files, or there is no git."""
    if at.location.repository is None:
        raise InputError("this is not a git repository", code="E-handoff-share", hint="Leave out --commit.")
    if ports.settings(at.location.root).text("documents.share") == "none":
        raise InputError(
            "git ignores the hand-offs of this project (documents.share = none)",
            code="E-handoff-share",
            hint="`clew settings set documents.share documents --project` shares them; or leave out --commit.",
        )


def _committed(ports: Ports, at: ProjectSession, handoff: Handoff, placed: Sequence[Wrote]) -> str:
    """Commit exactly the files that were made for this hand-off; the commit's id, "" if git had them already. Raises
    `NotAllowed` where they hold a secret: what is committed is pushed some day.
    """
    git = Git.at(at.location.root, environment=ports.environment)
    shared = (".clew/HANDOFF.md", handoff_path(handoff), ".clew/.gitignore", ".clew/.gitattributes")
    paths = [one.path for one in placed if one.path in shared and one.did in ("made", "changed")]
    if git is None or not paths:
        return ""
    texts = [(path, (at.location.root / path).read_text(encoding="utf-8", errors="replace")) for path in paths]
    require_clean(texts, at.ledger.key, exit="file", allow=None, deep=ports.deep_scan, hint=_TAKE_OUT)
    to = f" to {handoff.receiver}" if handoff.receiver else ""
    said = f"Hand over{to}: {handoff.goal[:60]}" if handoff.goal else f"Hand over{to}"
    return git.acting().commit(paths, said, "--no-verify", "--no-gpg-sign")
