"""The context of one session from its first response to its last, and where it was compacted."""

from __future__ import annotations

from clew.app.intake.find import pick_session, unreadable
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.core.cost.uses import UsageFold
from clew.core.records.transcript import Compaction, Context, Usage
from clew.sessions.log import SessionLog


class ContextCurve(JsonResult, frozen=True):
    """`tokens` are those of context that each response on the main chain was given, in order; `compactions` are the
    places in them before which it was compacted. `began` and `ended` are times, "" unknown.
    """

    client: str
    session: str
    tokens: tuple[int, ...]
    compactions: tuple[int, ...]
    began: str
    ended: str


def context_curve(project: ProjectHandle, wanted: str = "") -> ContextCurve:
    """Of the session that `wanted` names (a file, or the beginning of an id), or of the newest of the project that
    `folder` is in. Raises `NotFound` and `InputError` where there is none, or it cannot be read.
    """
    path, reader = pick_session(project, wanted, agents=True)
    fold, compactions, session = UsageFold(), list[int](), ""
    try:
        for record in SessionLog(path, reader):
            if record.agent:
                continue
            if isinstance(record, Usage) and record.context:  # what the client made up itself used nothing
                fold.add([record])
            elif isinstance(record, Compaction) and record.trigger != "micro":
                compactions.append(len(fold.responses))
            elif isinstance(record, Context):
                session = session or record.session
    except OSError as error:
        raise unreadable(path, error) from error
    uses = list(fold.responses.values())
    return ContextCurve(
        client=reader.name,
        session=project.ports.redact(session or path.stem),
        tokens=tuple(use.tokens.context for use in uses),
        compactions=tuple(dict.fromkeys(compactions)),
        began=uses[0].time if uses else "",
        ended=uses[-1].time if uses else "",
    )
