"""Every way of naming a secret is found, and nothing harmless is: two corpora that do not know the rules."""

import json

import pytest
from benchmarks.secrets.further import FURTHER, further
from benchmarks.secrets.lookalikes import LOOKALIKES, lookalikes
from benchmarks.secrets.ways import WAYS, ways

from clew.secrets import Redactor, scan
from tests.growth import in_proportion

MADE = list(ways(seed=11, each=2))


def _left(text: str, secrets: tuple[str, ...]) -> list[str]:
    """The secrets of which more than a third survives redaction in one piece."""
    redacted = Redactor(None).redact(text)
    return [secret for secret in secrets if any(piece in redacted for piece in _pieces(secret))]


def _pieces(secret: str) -> list[str]:
    size = max(6, len(secret) // 3)
    return [secret[at : at + size] for at in range(len(secret) - size + 1)]


def test_there_are_enough_of_both() -> None:
    assert len(WAYS) >= 123
    assert sum(map(len, LOOKALIKES.values())) >= 288


def test_a_way_to_name_a_secret_is_found() -> None:
    """What a person, a program or a file names as a secret must not reach the ledger."""
    assert not [way for way in MADE if _left(way.text, way.secrets)]


def test_a_way_survives_no_json_string() -> None:
    """A transcript is JSON, and what it quotes may be JSON itself. Formats that are JSON already are in the table."""
    escaped = [
        (
            json.dumps({"text": way.text}, ensure_ascii=False),
            [json.dumps(s, ensure_ascii=False)[1:-1] for s in way.secrets],
        )
        for way in MADE
    ]
    assert not [text for text, secrets in escaped if _left(text, tuple(secrets))]


def test_ways_that_nobody_tuned_the_rules_on_are_found_as_well() -> None:
    """They are written at random and hold kinds that are left on purpose; most of them must be found."""
    found = [way for way in further(seed=11) if not _left(way.text, way.secrets)]
    assert len(FURTHER) == 200
    assert len(found) >= 170, len(found)


EXPRESSIONS = (
    "DB_PASSWORD=$DB_PASS2024",
    "password: ${X2}",
    "PASSWORD=%DB_NAME2%",
    "PASSWORD=*****",
    "password: &anchor2",
    "password: *anchor2",
    "password = @decorator2(x)",
    "password: !Ref DbPass2",
    "password: !vault |\n  3362",
    "PASSWORD=$(cat x2)",
    "password = !isValid2(x)",
    "const password = !props.value2Set",
    "password-hash: ^1.2.3",
    "pwd: ~/work/app2/Src",
    "password: $env:DbPass2",
    "password: (default: Admin2)",
    "password: %(dbpass2)s",
    "$password = $_POST['password2']",
    "--password ${PASS2}",
)


def test_what_code_writes_after_a_sign_is_no_password() -> None:
    """Variables, anchors, decorators, versions and calls begin as some passwords do."""
    assert not [text for text in EXPRESSIONS if scan(text)]


# Marks would be part of the value itself: a list in YAML, a table, a file whose lines have no names.
@pytest.mark.parametrize("mark", ["+", "-", "+ ", "    12→", "> "])
def test_a_way_survives_no_diff_marks(mark: str) -> None:
    left = []
    for way in MADE[::2]:
        marked = "".join(mark + line for line in way.text.splitlines(keepends=True))
        if _left(marked, tuple(line for secret in way.secrets for line in secret.splitlines())):
            left.append(way.name)
    assert not left, " ".join(left)


def test_a_lookalike_stays() -> None:
    """Over-redaction destroys what the next session needs. In JSON, too."""
    texts = [text for seed in (1, 2) for _, text in lookalikes(seed)]
    assert not [text for text in texts if scan(text) or scan(json.dumps(text))]


UNITS = [way.text[: max(8, len(way.text) * 2 // 3)] for way in MADE[::2] if not way.name.startswith("bare-")]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(UNITS), 10))
def test_ways_repeated_cost_no_more_than_their_length(first: int) -> None:
    """Each way is a place where a rule starts to read; many of them must not read the same text again and again."""
    head = "".join(UNITS[first : first + 10])
    in_proportion(lambda length: (head * (length // len(head) + 1))[:length], scan, 20_000)


def _folded(text: str, width: int) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


ONE_LINE = [way for way in MADE[::2] if "\n" not in way.text]
PROSE = "we looked at the log of the last night and saw that the first of the jobs had been started twice by hand "


@pytest.mark.parametrize("lead", range(1, 80, 6))
def test_a_way_survives_no_break_at_80_columns(lead: int) -> None:
    """A terminal or `fold` breaks where the line is full: in the name, in the value, between them."""
    left = []
    for way in ONE_LINE:
        text = _folded(f"{PROSE[: lead - 1]} {way.text} {PROSE}", 80)
        redacted = Redactor(None).redact(text).replace("\n", "")
        if any(piece in redacted for secret in way.secrets for piece in _pieces(secret)):
            left.append(way.name)
    assert not left, " ".join(left)


def test_what_a_break_put_together_by_chance_is_no_secret() -> None:
    """Full lines of words and of hashes go on being words and hashes."""
    lines = [f"{number:02d} {'word ' * 15}ab" for number in range(20)]
    assert {len(line) for line in lines} == {80}
    assert scan("\n".join(lines)) == []
