"""JSON shape of `clew lint` (docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterable

from clew.app.lint import Linted
from clew.interfaces.cli.shapes.dump import dump


def listing(found: Iterable[Linted]) -> str:
    """Documents in the order in which they were named, findings in the order of their lines."""
    return dump(
        {
            "documents": [
                {
                    "file": one.name,
                    "genre": one.genre,
                    "tokens": one.tokens,
                    "findings": [
                        {
                            "rule": finding.rule,
                            "line": finding.line,
                            "text": finding.text,
                            "message": finding.message,
                            "fix": finding.fix,
                        }
                        for finding in one.findings
                    ],
                    "notes": list(one.notes),
                    "error": (
                        {"code": one.problem.code, "message": one.problem.message, "hint": one.problem.hint}
                        if one.problem
                        else None
                    ),
                }
                for one in found
            ]
        }
    )
