"""What a rule is, and how one is made of a row of the table.

`rules.json` is our own table of the kinds of secret; `published.json` holds what published rule sets know besides, and
is made by scripts/build_secret_rules.py when clew is built. A rule never searches: the prefilter says where one of its
keywords stands, and the pattern is matched at that place. So every pattern begins with its keyword (or `lead`
characters before it), and every repetition in it is bounded or possessive. docs/reference/secrets.md has the fields.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from clew.secrets import checks
from clew.secrets.prefilter import is_rooted
from clew.secrets.values import GAP, QUOTE, Span

# A token starts here: after anything but a letter or digit; after the `\n` of JSON-escaped text,
# the `%3D` of a query string, a `[32m` colour code, or the `\u0022` of a careful JSON writer.
LEFT: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%3[Dd])|(?<=[0-9]m)|(?<=\\u00[0-9a-fA-F][0-9a-fA-F]))"
RIGHT: Final = r"(?![A-Za-z0-9])"
_OPEN: Final = r"(?:\\{0,3}[\"'])?"
_VALUE: Final = rf"{_OPEN}([^\s\"'`\\]{{6,200}}+)"

# What patterns of the table spell in short. REST: of a command to the end of its line, at most to the next command.
# ASSIGN: from a name to its value.
_FRAGMENTS: Final = {
    "<LEFT>": LEFT,
    "<GAP>": GAP,
    "<QUOTE>": QUOTE,
    "<OPEN>": _OPEN,
    "<VALUE>": _VALUE,
    "<REST>": r"(?:(?!\\n)[^\n|;&]){0,160}?\s",
    "<ASSIGN>": rf"{QUOTE}?\]?\s{{0,4}}(?:===?|=>|:=|[:=,(>]|\s)\s{{0,4}}{QUOTE}?",
}


class SecretRule(NamedTuple):
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
    `generic` rules yield to the others when both claim the same text.
    """

    id: str
    keywords: tuple[str, ...]
    pattern: str
    secret_group: int = 0
    entropy_min: float = 0.0
    locate: Callable[..., Span | None] | None = None
    lead: int = 0
    names: tuple[str, ...] = ()
    judge: Callable[..., bool] | None = None
    unwraps: bool = False
    generic: bool = False
    literals: tuple[str, ...] = ()


@cache
def rules() -> tuple[SecretRule, ...]:
    """Return all rules, our own first: of two that claim the very same text, the first has it. They are loaded at the
    first scan, since many processes never scan. A clew that was built without published rules has only its own.
    """
    return (*own_rules(), *map(make_rule, _read("published.json").get("rows", ())))


def own_rules() -> tuple[SecretRule, ...]:
    """Return the rules of our own table."""
    return tuple(map(make_rule, _read("rules.json")["rows"]))


def _read(name: str) -> Any:
    """Return a table of this package, which is read as its modules are; {} where it was built without it."""
    import pkgutil

    try:
        data = pkgutil.get_data(__package__, name)
    except FileNotFoundError:
        return {}
    import json  # here: processes that never scan import this room too

    return json.loads(data or b"{}")


def make_rule(row: dict[str, Any]) -> SecretRule:
    """Return the rule of a row: a value under a name, a token behind a prefix, an argument of a command, a pattern."""
    is_generic = row.get("generic", False)
    if "value" in row:
        return SecretRule(
            row["id"],
            (),
            row["value"],
            names=tuple(row["names"]),
            entropy_min=row.get("entropy", 2.5),
            judge=_judge(row.get("check")),
            unwraps=row.get("unwraps", False),
            generic=is_generic,
        )
    if "prefixes" in row:
        prefixes = row["prefixes"]
        return SecretRule(
            row["id"],
            tuple(sorted({prefix.lower() for prefix in prefixes if is_rooted(prefix)})),
            f"{LEFT}(?:{_either(prefixes)}){row['body']}{row.get('right', RIGHT)}",
            entropy_min=row.get("entropy", 0.0),
            literals=tuple(prefix for prefix in prefixes if not is_rooted(prefix)),
        )
    if "commands" in row:
        pattern = f"<LEFT>(?i:{_either(row['commands'])}){row['after']}<VALUE>"
        row = {"keywords": row["commands"], "pattern": pattern, "group": 1, "check": "argument", **row}
    group = row.get("group", 0)
    return SecretRule(
        row["id"],
        tuple(row.get("keywords", ())),
        _spell_out(row["pattern"]),
        secret_group=group,
        entropy_min=row.get("entropy", 0.0),
        locate=_locate(row.get("check"), group),
        lead=row.get("lead", 0),
        unwraps=row.get("unwraps", False),
        generic=is_generic,
        literals=tuple(row.get("literals", ())),
    )


def _either(words: Iterable[str]) -> str:
    # Escaping costs more than all the rest of a rule, and few prefixes hold what needs it.
    return "|".join(word if word.replace("_", "").isalnum() else re.escape(word) for word in words)


def _spell_out(pattern: str) -> str:
    for name, fragment in _FRAGMENTS.items():
        if name in pattern:
            pattern = pattern.replace(name, fragment)
    return pattern


def _locate(check: str | None, group: int) -> Callable[..., Span | None] | None:
    is_secret = checks.OF_VALUES.get(check or "")
    if is_secret is None:
        return checks.OF_MATCHES[check] if check else None
    return lambda match: match.span(group) if is_secret(match[group]) else None


def _judge(check: str | None) -> Callable[..., bool] | None:
    is_secret = checks.OF_VALUES.get(check or "")
    if is_secret is None:
        return checks.OF_NAMED[check] if check else None
    return lambda _value, content: is_secret(content)
