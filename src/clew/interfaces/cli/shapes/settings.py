"""JSON shape of `clew settings` (docs/json.md)."""

from __future__ import annotations

from clew.app.settings import PROJECT_FILE, Files
from clew.core.settings import Settings
from clew.interfaces.cli.shapes.dump import dump


def listing(found: Settings, files: Files) -> str:
    """Every setting in the order of the table, where settings are kept, and what is not heeded."""
    return dump(
        {
            "settings": [
                {
                    "name": row.setting.name,
                    "value": row.value,
                    "source": row.source,
                    "place": row.place,
                    "default": row.setting.default,
                    "sort": row.setting.kind,
                    "unit": row.setting.unit,
                    "expected": row.setting.expected,
                    "meaning": row.setting.meaning,
                    "variable": row.setting.variable,
                }
                for row in found.rows
            ],
            "project_file": str(files.root / PROJECT_FILE),
            "user_file": str(files.user),
            "notes": list(found.notes),
        }
    )
