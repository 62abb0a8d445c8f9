"""How fast our rules scan, against translating the same bytes in the same run: `python -m benchmarks.secrets.speed`.

The text is the standard library's source, once as it is and once as strings of a JSON record. A ratio of processor
times does not depend on the machine, so this judges: exit code 1 where a scan costs more than so many translations.
A wider rule once cost a factor of 2.7 that nobody saw.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from clew.secrets import scan
from clew.secrets.prefilter import FOLD

TRANSLATIONS_MAX = 70.0
_BYTES = 4_000_000
_ROUNDS = 5


def sources() -> list[str]:
    """Modules of the standard library, about `_BYTES` of them."""
    found: list[str] = []
    for path in sorted(Path(json.__file__).parents[1].glob("*.py")):
        found.append(path.read_text(encoding="utf-8", errors="replace"))
        if sum(map(len, found)) > _BYTES:
            break
    return found


def seconds(call: Callable[[str], object], texts: Iterable[str]) -> float:
    """Processor time of one round."""
    begin = time.process_time()
    for text in texts:
        call(text)
    return time.process_time() - begin


def main() -> int:
    plain = sources()
    held = True
    for name, texts in (("source", plain), ("the same in JSON", [json.dumps({"content": text}) for text in plain])):
        rounds = [
            (seconds(scan, texts), seconds(lambda text: text.encode("ascii", "replace").translate(FOLD), texts))
            for _ in range(_ROUNDS)
        ]
        ours, bare = (min(times) for times in zip(*rounds, strict=True))
        size = sum(map(len, texts)) / 1e6
        print(f"{name}: {size / ours:.0f} MB/s, {ours / bare:.0f} translations of at most {TRANSLATIONS_MAX:.0f}")
        held = held and ours / bare <= TRANSLATIONS_MAX
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
