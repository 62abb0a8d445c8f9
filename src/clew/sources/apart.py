"""A reader of a foreign format in a process of its own, bounded in time and memory: a file can make it never end."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.sources.port import SourceError
from clew.workspace.process import LimitExceeded, run

_MEMORY_BYTES: Final = 2 << 30
_SAID_CHARS: Final = 200


def read_apart(
    module: str,
    data: bytes,
    words: Sequence[str] = (),
    *,
    needs: str,
    extra: str,
    name: str,
    environment: Mapping[str, str],
    timeout_s: float,
) -> Any:
    """What `serve` in the module of this name writes of `data` and `words`. `needs` is the package of the `extra` that
    it reads with, `name` is what messages call the data. Raises `SourceError`.
    """
    if find_spec(needs) is None:
        raise SourceError(
            f"{name} cannot be read without the package `{needs}`, which is not installed",
            code="E-source-extra",
            hint=f"Install clew with it from its checkout: `pipx install '.[{extra}]'`, `uv tool install '.[{extra}]'`",
        )
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        given = Path(folder, "given")
        given.write_bytes(data)
        # Nothing of the folder that we stand in is imported, nor what variables name.
        argv = (sys.executable, "-E", "-P", "-m", module, *words)
        kept = {key: value for key, value in environment.items() if key in ("PATH", "HOME", "LANG", "SYSTEMROOT")}
        try:
            done = run(argv, environment=kept, timeout_s=timeout_s, given=str(given))
        except LimitExceeded as error:
            hint = "Save what you need of it as text, and name that file; of a PDF name fewer `pages`."
            raise SourceError(f"{name} cannot be read: {error}", code="E-source-large", hint=hint) from None
    if done.code:
        said = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2][:_SAID_CHARS]
        raise SourceError(
            f"{name} cannot be read: {said or 'its reader was ended'}",
            code="E-source-failed",
            hint="See whether a viewer opens it.",
        )
    return msgspec.json.decode(done.out)


def serve(read: Callable[[bytes, Sequence[str]], Any]) -> None:
    """Write what `read` makes of stdin and the arguments to stdout, as JSON; end with 1 and a line where it fails."""
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    try:
        told = json.dumps(read(sys.stdin.buffer.read(), sys.argv[1:]))
    except Exception as error:  # whatever a broken file makes the reader do
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(1)
    sys.stdout.write(told)
