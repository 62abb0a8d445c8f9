"""The hook of hatchling that makes what is built from published data: the table of prices and that of secret rules.

Its environment has the packages which publish them (`build-system.requires`). A build without isolation that lacks one
of them makes clew without that table.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DataHook(BuildHookInterface):
    """Writes the tables into the package, beside the licences of the data, before a wheel is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatch's signature)
        for name in ("build_prices", "build_secret_rules"):
            script = runpy.run_path(str(Path(self.root, "scripts", f"{name}.py")))
            target: Path = script["TARGET"]
            try:
                script["build"](Path(self.root))
            except ImportError as error:
                self.app.display_warning(f"clew is built without {target.name}: {error}")
            build_data["artifacts"] += [str(target), str(target.with_suffix(".LICENSE"))]
