"""The JSON shape of `clew import` of documents. Documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clew.interfaces.cli.shapes.dump import dump
from clew.interfaces.cli.shapes.task import task_shape

if TYPE_CHECKING:
    from clew.app.importing import Placed, Taken
    from clew.interfaces.cli.import_ import Result


def imports(results: Sequence[Result], taken: Taken | None, *, dry_run: bool) -> str:
    """`clew import FILE… --json`."""
    return dump(
        {
            "dry_run": dry_run,
            "task": task_shape(taken.task, taken.shown) if taken is not None and taken.task is not None else None,
            "spooled": taken is not None and taken.spooled,
            "files": [_file(result) for result in results],
            "notes": list(taken.notes) if taken is not None else [],
        }
    )


def _file(result: Result) -> dict[str, Any]:
    reading, bundle, problem = result.reading, result.bundle, result.problem
    if reading is None:
        return {
            "file": result.name,
            "bundle": bundle._asdict() if bundle is not None else None,
            "error": {"code": problem.code, "message": problem.message, "hint": problem.hint} if problem else None,
        }
    return {
        "file": result.name,
        "bundle": None,
        "error": None,
        "encoding": reading.encoding,
        "format": reading.format,
        "session": reading.session,
        "title": reading.title,
        "date": reading.date,
        "entries": [_entry(one) for one in reading.placed],
    }


def _entry(one: Placed) -> dict[str, Any]:
    return {
        "line": one.lines.first,
        "last_line": one.lines.last,
        "kind": one.kind,
        "status": one.status,
        "text": one.text,
        "did": one.did,
        "said": one.said,
        "id": one.item,
        "short_id": one.shown,
        "command": one.command,
    }
