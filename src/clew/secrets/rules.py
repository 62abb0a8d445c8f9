"""What a rule is, and the two shapes most rules have.

A rule never searches: the prefilter says where one of its keywords stands, and the pattern is
matched at that place. So every pattern begins with its keyword (or `lead` characters before it),
and every repetition in it is bounded or possessive. Knows nothing about scanning or redacting.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from clew.secrets.prefilter import is_rooted
from clew.secrets.values import QUOTE

Span = tuple[int, int]
# Whether a scan of a text finds something. What is unwrapped is shorter than what held it, so scans within scans end.
HoldsSecret = Callable[[str], bool]
# Made when they are asked for: only tests do, and rules are loaded by every process that scans.
Examples = Callable[[], tuple[str, ...]]

# A token starts here: after anything but a letter or digit; after the `\n` of JSON-escaped text,
# the `%3D` of a query string, a `[32m` colour code, or the `\u0022` of a careful JSON writer.
LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%3[Dd])|(?<=[0-9]m)|(?<=\\u00[0-9a-fA-F][0-9a-fA-F]))"
RIGHT = r"(?![A-Za-z0-9])"

# From a name to its value, for the few rules that spell the name out themselves.
ASSIGN = rf"{QUOTE}?\]?\s{{0,4}}(?:===?|=>|:=|[:=,(>]|\s)\s{{0,4}}{QUOTE}?"


class Rule(NamedTuple):
    """One kind of secret.

    `id` is shown in placeholders: lower-case words with dashes. A rule has either

    - `keywords`, lower-case literals: `pattern` is matched `lead` characters before each place
      where one stands (letter case ignored), and the secret is group `secret_group`;
      `literals` are keywords in exact spelling, for those that the prefilter has nothing to start from;
    - or `names`: `pattern` is matched against the whole of each value whose name (as in
      `clew.secrets.values`) contains one of them.

    Less than `entropy_min` bits a character is no secret. `locate` decides what a pattern cannot:
    it gets the match and returns the secret's span, or None. `judge` is the same for named values.
    With `unwraps` both also get `HoldsSecret`: they decode what they look at, and the text inside is scanned too.
    `generic` rules yield to the others when both claim the same text. `must` and `must_not` give
    texts in which this rule finds something or nothing.
    """

    id: str
    keywords: tuple[str, ...]
    pattern: str
    secret_group: int = 0
    entropy_min: float = 0.0
    must: Examples = tuple
    must_not: Examples = tuple
    locate: Callable[..., Span | None] | None = None
    lead: int = 0
    names: tuple[str, ...] = ()
    judge: Callable[..., bool] | None = None
    unwraps: bool = False
    generic: bool = False
    literals: tuple[str, ...] = ()


def token(
    id: str,
    prefixes: str | tuple[str, ...],
    body: str,
    sample: Callable[[], str],
    *,
    entropy_min: float = 0.0,
    right: str = RIGHT,
    must: Examples = tuple,
    must_not: Examples = tuple,
) -> Rule:
    """A secret that announces itself: one of the literal `prefixes`, then `body` (a pattern). `sample` gives one."""
    prefixes = (prefixes,) if isinstance(prefixes, str) else prefixes
    # Escaping costs more than all the rest of a rule, and few prefixes hold what needs it.
    either = "|".join(prefix if prefix.replace("_", "").isalnum() else re.escape(prefix) for prefix in prefixes)
    return Rule(
        id,
        tuple(sorted({prefix.lower() for prefix in prefixes if is_rooted(prefix)})),
        f"{LEFT}(?:{either}){body}{right}",
        entropy_min=entropy_min,
        literals=tuple(prefix for prefix in prefixes if not is_rooted(prefix)),
        must=lambda: (*(prefix + sample() for prefix in prefixes), *must()),
        must_not=lambda: (
            prefixes[0] + sample()[:3],
            prefixes[0] + "x" * len(sample()),
            "z" + prefixes[0] + sample(),
            *must_not(),
        ),
    )


def named(
    id: str,
    names: str | tuple[str, ...],
    value: str,
    sample: Callable[[], str],
    *,
    entropy_min: float = 2.5,
    must: Examples = tuple,
    must_not: Examples = tuple,
) -> Rule:
    """A secret known by what it is called: a name with one of `names` in it.

    `value` is a strict pattern, since nothing else tells the secret from prose; `sample` gives one.
    """
    names = (names,) if isinstance(names, str) else names
    first = names[0].upper()
    return Rule(
        id,
        (),
        value,
        names=names,
        entropy_min=entropy_min,
        must=lambda: (
            f"{first}_API_KEY={sample()}",
            f'{{"{names[0]}_token": "{sample()}"}}',
            f'{{\\"{names[0]}-secret\\": \\"{sample()}\\"}}',
            f"tool --{names[0]}-token {sample()}",
            *must(),
        ),
        must_not=lambda: (
            f"{first}_API_KEY={sample()[:5]}",
            f"{first}_TOKEN=" + "x" * len(sample()),
            f"{first}_KEY_FILE={sample()}",
            f"the {names[0]} key and then {sample()}",
            *must_not(),
        ),
    )
