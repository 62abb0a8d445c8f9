"""The hook of hatchling that makes what a wheel has beside the code: the table of prices and that of secret rules, from
published data, and the manual pages and JSON Schemas, from clew itself.

Its environment has the packages which publish the data (`build-system.requires`) and clew's own dependencies. A build
without isolation that lacks one of them makes clew without that part.
"""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DataHook(BuildHookInterface):
    """Writes the tables into the package, with the licences of the data, before a wheel is made; the rest beside it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for name in ("build_prices", "build_secret_rules"):
            script = runpy.run_path(str(Path(self.root, "scripts", f"{name}.py")))
            target: Path = script["TARGET"]
            try:
                script["build"](Path(self.root))
            except ImportError as error:
                self.app.display_warning(f"clew is built without {target.name}: {error}")
            build_data["artifacts"] += [str(target), str(target.with_suffix(".LICENSE"))]
        if version != "editable":
            self._reference(build_data)

    def _reference(self, build_data: dict[str, Any]) -> None:
        """Manual pages go where `man` looks in the environment of the wheel, schemas into the package."""
        script = runpy.run_path(str(Path(self.root, "scripts", "build_reference.py")))
        made = Path(self.root, "build", "reference")
        shutil.rmtree(made, ignore_errors=True)
        try:
            script["build"](Path(self.root), made)
        except ImportError as error:
            self.app.display_warning(f"clew is built without manual pages and schemas: {error}")
            return
        build_data["shared_data"][str(made / script["MAN"])] = "share/man/man1"
        build_data["force_include"][str(made / script["SCHEMAS"])] = "clew/schemas"
