"""Texts in which a rule of the table must find something, or nothing: `examples.json`, by the rule's id.

`sample` is a value of the kind: texts are made with it. `⟪A36⟫` are 36 letters and digits that look random and are the
same in every run, so that no secret-shaped string stands in this repository; `⟪w…⟫` is the base64 of what stands in it.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.samples import ALNUM, BASE32, DIGITS, HEX, LOWER, text

_ALPHABETS = {
    "A": ALNUM,
    "B": BASE32,
    "L": LOWER + LOWER.upper(),
    "b": ALNUM + "+/",
    "c": BASE32.lower(),
    "d": DIGITS,
    "9": DIGITS[1:],
    "h": HEX,
    "H": HEX.upper(),
    "l": LOWER,
    "s": LOWER + DIGITS,
    "x": HEX + LOWER,
}

EXAMPLES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))


def fill(template: str) -> str:
    """Return the text that a template of `examples.json` stands for."""
    filled = re.sub(r"⟪(\w)(\d+)⟫", lambda match: text(int(match[2]), _ALPHABETS[match[1]]), template)
    return re.sub(r"⟪w([^⟪⟫]*)⟫", lambda match: wrap(match[1]), filled)


def wrap(inner: str) -> str:
    """Return the base64 of a text."""
    return b64encode(inner.encode()).decode()


def texts_with(row: dict[str, Any]) -> Iterator[str]:
    """Yield texts in which the rule of this row must find something."""
    example = EXAMPLES[row["id"]]
    sample = fill(example.get("sample", ""))
    yield from (prefix + sample for prefix in row.get("prefixes", ()))
    if sample and "value" in row:
        name = row["names"][0]
        yield f"{name.upper()}_API_KEY={sample}"
        yield f'{{"{name}_token": "{sample}"}}'
        yield f'{{\\"{name}-secret\\": \\"{sample}\\"}}'
        yield f"tool --{name}-token {sample}"
    yield from map(fill, example.get("must", ()))


def texts_without(row: dict[str, Any]) -> Iterator[str]:
    """Yield texts in which the rule of this row must find nothing."""
    example = EXAMPLES[row["id"]]
    sample = fill(example.get("sample", ""))
    if prefixes := row.get("prefixes"):
        yield from (prefixes[0] + sample[:3], prefixes[0] + "x" * len(sample), "z" + prefixes[0] + sample)
    if sample and "value" in row:
        name = row["names"][0]
        yield f"{name.upper()}_API_KEY={sample[:5]}"
        yield f"{name.upper()}_TOKEN=" + "x" * len(sample)
        yield f"{name.upper()}_KEY_FILE={sample}"
        yield f"the {name} key and then {sample}"
    yield from map(fill, example.get("must_not", ()))
