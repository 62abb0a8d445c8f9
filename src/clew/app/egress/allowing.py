"""Letting one finding pass: a person's deed alone, said with a reason, and kept as an event before anything leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from clew.app.egress.clean_texts import CleanTexts
from clew.app.egress.guard import Exit, Scanned, require_clean
from clew.app.ports import Ports
from clew.app.project import ProjectSession, locate
from clew.app.project.authority import require_person
from clew.app.project.opening import ProjectHandle
from clew.core.errors import InputError


def permitted(ports: Ports, allow: Collection[str], why: str) -> None:
    """Nothing, if nothing is to be let pass, or a person says so and `why`. Raises `NotAllowed`, `InputError`."""
    if not allow:
        return
    if not why.strip():
        raise InputError(
            "letting a finding pass needs a reason",
            code="E-egress-why",
            hint="Give it with --why: it is recorded with your name, so that others can see it.",
        )
    require_person(ports.channel(), "leave")


def note_allowed(at: ProjectSession, scanned: Scanned, *, exit: Exit, why: str, task: str | None = None) -> None:
    """Keep who let which finding pass, where to and why, before it leaves. `task` None: the one that is bound here."""
    digits = {leak.digits: leak for leak in scanned.allowed}
    if not digits:
        return
    named = at.task() if task is None else task
    at.keep(
        [
            at.event(
                "secret.allowed",
                {"digits": one.digits, "rule": one.rule, "exit": exit, "where": one.place, "why": why.strip()},
                task=named,
            )
            for one in digits.values()
        ]
    )


def leaving(
    project: ProjectHandle,
    texts: Iterable[tuple[str, str]],
    *,
    exit: Exit,
    allow: Collection[str] = (),
    why: str = "",
    hint: str = "",
) -> Scanned:
    """`require_clean` for who has no open session: under the key of the ledger that is kept for `folder` (absolute),
    with what was allowed kept there. Raises as `permitted`, `require_clean` and `open_project` do.
    """
    permitted(project.ports, allow, why)
    if not locate(project.folder).has_ledger:
        return require_clean(texts, b"", exit=exit, deep=project.ports.deep_scan, hint=hint)
    with project.open(write=bool(allow)) as at:
        key, ports = at.ledger.key, project.ports

        def remembered(engine: str) -> CleanTexts:
            return CleanTexts(ports.cache_folder, key, engine)

        known = remembered if key else None
        scanned = require_clean(texts, key, exit=exit, allow=allow, deep=ports.deep_scan, hint=hint, remembered=known)
        note_allowed(at, scanned, exit=exit, why=why)
        return scanned
