"""Makes the table of secret rules from what two published rule sets know and our own rules miss: nothing of it is kept
in the repository.

Kingfisher's package holds both, in a form that can be read: those of Betterleaks, which grew out of gitleaks (MIT), and
those of Veles, of OSV-SCALIBR (Apache-2.0). The build runs this as a hook (scripts/build_data.py). A build that lacks
the package makes a clew that knows its own kinds only; the recall of the benchmark is that of those alone.

    python scripts/build_secret_rules.py        # into this checkout, as a build does
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import random
import re
import string
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

TARGET = Path("src/clew/secrets/published.json")
PACKAGE = "kingfisher-secret-scanner"

# Keys that are made to be published, and ids. Most of these their publishers mark as not visible.
NO_SECRET = re.compile(r"public|publishable|client-sdk|mobile-sdk|project-api-key|(?:client|access)-id\b")
# What is found by something else than a pattern at a place: whole documents, command lines, any password or token.
ELSEWHERE = re.compile("curl-|generic-|credential|connection-string|private-key|jwt|kubernetes")
# The template of `name = value`: the names, signs, and the value as the one group.
ASSIGNED = re.compile(
    r"""\(\?i[:)](?P<names>.+?)\(\?:\[ \\t\\w\.-\].+?\[\\x60'"\\s=\]\{0,5\}\((?P<value>.+)\)\(\?:\\\\"""
)
# What stands around a token: the beginning of a word, and what may follow.
AROUND = re.compile(
    r"""(?:\\b|\(\?:\^\|\[\^[^]]*\]\))?(?P<token>.+?)(?:\\b|\(\?:(?:\\\\\?\[|\[\\x60|\$\||\[\^).*)?\Z""", re.DOTALL
)
PREFIX = re.compile(r"[\w.~+:=-]*[a-zA-Z]{2}[\w.~+:=-]*")
TOO_COMMON = frozenset("key token secret access api auth password private client account".split())
PREFIX_MIN, SPELLINGS_MAX, UNBOUNDED, DRAWS = 4, 24, 400, 5


def make_rows(details: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows as of `rules.json`: of every published rule that has a place in it and finds what our own do not."""
    from clew.secrets.rules import make_rule, own_rules
    from clew.secrets.scanner import scan

    known = {rule.id for rule in own_rules()}
    for detail in details:
        row = make_row(detail)
        if row is None or row["id"] in known or re.compile(make_rule(row).pattern).match(""):
            continue
        if not all(scan(text) for text in draw_texts(row)):
            known.add(row["id"])
            yield row


def make_row(detail: dict[str, Any]) -> dict[str, Any] | None:
    """Return a published rule as a row; None for what is no secret, or has no shape that a row can have."""
    name = re.split(r"[./]", detail["id"], maxsplit=1)[1].removeprefix("secrets/").lower()
    if not detail["visible"] or NO_SECRET.search(name) or ELSEWHERE.search(name):
        return None
    row = {
        "id": "-".join(re.findall("[a-z0-9]+", name)),
        "entropy": max(2.5, find_entropy(detail["betterleaks_filter"])),
    }
    pattern = detail["pattern"].replace("[:alnum:]", "A-Za-z0-9").replace(r"\z", r"\Z")
    try:
        if found := ASSIGNED.match(pattern):
            names = {re.sub("[^a-z0-9]", "", name.lower()) for name in spell(parse(found["names"]))} - TOO_COMMON
            if not names or min(map(len, names)) < PREFIX_MIN:
                return None
            value = write(parse(found["value"]))
            ignores_case = pattern.startswith("(?i)")
            return row | {"names": sorted(names), "value": f"(?i:{value})" if ignores_case else value}
        around = AROUND.match(pattern.removeprefix("(?i)"))
        token = parse(around["token"] if around else pattern)
        prefixes = {*spell(token, whole=False)}
        if min(map(len, prefixes)) < PREFIX_MIN or not all(map(PREFIX.fullmatch, prefixes)):
            return None
        flags = "i" if pattern.startswith("(?i)") else ""
        row |= {"pattern": f"<LEFT>(?{flags}:{write(token)})(?![A-Za-z0-9])", "check": "no-words"}
        return row | find_keywords(prefixes)
    except (re.error, ValueError):
        return None


def parse(pattern: str) -> Any:
    """Parse a pattern of a dialect in which `(?i)` may stand anywhere; letter case does not matter from there on."""
    while found := re.search(r"(?<=.)\(\?i\)", pattern):
        rest, depth, end = pattern[found.end() :], 0, len(pattern)
        for at, sign in enumerate(rest):
            depth += (sign == "(") - (sign == ")")
            if depth < 0:
                end = found.end() + at
                break
        pattern = f"{pattern[: found.start()]}(?i:{pattern[found.end() : end]}){pattern[end:]}"
    return parser.parse(pattern)


def write(parsed: Any) -> str:
    """Write a parsed pattern again: without captures, and with a bound for every repetition. Raises `ValueError`."""
    return "".join(write_one(code, value) for code, value in parsed)


def write_one(code: Any, value: Any) -> str:
    if code is op.LITERAL:
        return re.escape(chr(value))
    if code is op.IN:
        return f"[{''.join(write_member(*member) for member in value)}]"
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, inner = value
        most = max(least, UNBOUNDED) if most is op.MAXREPEAT else most
        return f"(?:{write(inner)}){{{least},{most}}}"
    if code is op.SUBPATTERN:
        return f"(?{'i' if value[1] & re.IGNORECASE else ''}:{write(value[3])})"
    if code is op.BRANCH:
        return f"(?:{'|'.join(map(write, value[1]))})"
    raise ValueError(f"{code} has no place in a row")


def write_member(code: Any, value: Any) -> str:
    if code is op.LITERAL:
        return re.escape(chr(value))
    if code is op.RANGE:
        return "-".join(re.escape(chr(end)) for end in value)
    if code is op.CATEGORY and value in CATEGORIES:
        return CATEGORIES[value]
    raise ValueError(f"{code} has no place in a row")


CATEGORIES = {op.CATEGORY_DIGIT: r"\d", op.CATEGORY_WORD: r"\w"}
WORD = string.ascii_letters + string.digits + "_"


def spell(parsed: Any, *, whole: bool = True) -> list[str]:
    """Return the texts that a pattern can spell; not `whole`: those that it begins with. Raises `ValueError`."""
    texts = [""]
    for code, value in parsed:
        if code is op.LITERAL:
            more = [chr(value)]
        elif code is op.SUBPATTERN:
            more = spell(value[3], whole=whole)
        elif code is op.BRANCH:
            more = [text for branch in value[1] for text in spell(branch, whole=whole)]
        elif whole and code is op.IN:
            more = [chr(literal) for kind, literal in value if kind is op.LITERAL]
        elif whole and code is op.MAX_REPEAT and value[:2] == (0, 1):
            more = ["", *spell(value[2])]
        elif whole:
            raise ValueError("it spells more than words")
        else:
            break
        texts = [text + end for text, end in itertools.product(texts, more)]
        if len(texts) > SPELLINGS_MAX:
            raise ValueError("it spells too many words")
    return texts


def find_keywords(prefixes: Iterable[str]) -> dict[str, list[str]]:
    """Return how the prefilter finds these. Raises `ValueError` for what would be one more pass over every text."""
    from clew.secrets.prefilter import PIVOTS, is_rooted

    literals = sorted(prefix for prefix in prefixes if not is_rooted(prefix))
    if any(set(literal).isdisjoint(PIVOTS) for literal in literals):
        raise ValueError("it has nothing to start from")
    return {"keywords": sorted({p.lower() for p in prefixes if is_rooted(p)}), "literals": literals}


def find_entropy(tree: Any) -> float:
    """Return how many bits a character a rule's own filter asks for, 0 for none."""
    if not isinstance(tree, dict):
        return 0.0
    left = tree.get("left")
    if tree.get("operator") == "<=" and isinstance(left, dict) and left.get("callee", {}).get("value") == "entropy":
        return float(tree["right"]["value"])
    return max(map(find_entropy, tree.values()), default=0.0)


def draw_texts(row: dict[str, Any]) -> Iterator[str]:
    """Yield texts with a secret of this row, the same in every run."""
    chance = random.Random(row["id"])
    for _ in range(DRAWS):
        if "value" in row:
            yield f"{row['names'][0].upper()}_API_KEY={draw(parser.parse(row['value']), chance)}"
        else:
            yield draw(parser.parse(row["pattern"].removeprefix("<LEFT>").partition("(?![A-Za-z")[0]), chance)


def draw(parsed: Any, chance: random.Random) -> str:
    """Draw a text that a written pattern matches."""
    text = ""
    for code, value in parsed:
        if code is op.LITERAL:
            text += chr(value)
        elif code is op.IN:
            text += chance.choice([char for member in value for char in members(*member)])
        elif code is op.MAX_REPEAT:
            text += "".join(
                draw(value[2], chance) for _ in range(chance.randint(value[0], min(value[1], value[0] + 30)))
            )
        elif code is op.SUBPATTERN:
            text += draw(value[3], chance)
        elif code is op.BRANCH:
            text += draw(chance.choice(value[1]), chance)
    return text


def members(code: Any, value: Any) -> str:
    if code is op.RANGE:
        return "".join(map(chr, range(value[0], value[1] + 1)))
    return {op.CATEGORY_DIGIT: string.digits, op.CATEGORY_WORD: WORD}.get(value) or chr(value)


def build(root: Path) -> str:
    """Write the table and its licences below `root`. Returns its source and size. Raises `ImportError` without the
    package."""
    sys.path.insert(0, str(root / "src"))
    from kingfisher_sdk import Rules

    target = root / TARGET
    target.unlink(missing_ok=True)  # or a scan would know them all already
    published = Rules(cache=False)
    rows = [*make_rows(published.detail(identity) for identity in sorted(one["id"] for one in published.metadata()))]
    held = importlib.metadata.distribution(PACKAGE)
    source = f"Betterleaks (MIT) and Veles (Apache-2.0), of {PACKAGE} {held.version}; published.LICENSE"
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    target.write_text(f'{{"source": {json.dumps(source)}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")
    texts = [file.read_text(encoding="utf-8") for file in held.files or () if file.name in ("LICENSE", "NOTICE")]
    target.with_suffix(".LICENSE").write_text("\n".join(texts), encoding="utf-8")
    return f"{len(rows)} rules: {source}"


if __name__ == "__main__":
    print(build(Path(__file__).parents[1]))
