"""The JSON shape of `clew rules`. Documented in docs/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.interfaces.cli.shapes.dump import dump

if TYPE_CHECKING:
    from clew.app.rules import Ruled


def ruled(done: Ruled) -> str:
    """`clew rules --json`."""
    from clew.app.rules import BLOCK
    from clew.core.tokens import estimate

    files = [{"file": one.name, "has_block": one.has_block, "hooked": list(one.hooked)} for one in done.files]
    return dump(
        {
            "block": BLOCK,
            "tokens": estimate(BLOCK),
            "file": str(done.file) if done.file is not None else None,
            "did": done.did,
            "files": files,
            "notes": list(done.notes),
        }
    )
