"""Scanning texts: contexts, overlaps, what is no secret, and cost."""

import pytest
from benchmarks.secrets.make_secrets import CONTEXTS, KINDS, cases
from hypothesis import given
from hypothesis import strategies as st

from clew.secrets import Finding, scan
from tests.growth import in_proportion
from tests.samples import base64ish, hexed, text

GITHUB = "ghp_" + text(36)
BEGIN = "-----BEGIN "

# A value without a digit is not told from words (docs/reference/secrets.md, "What is not found"); about one fabricated
# value in 300 has none.
CASES = [case for case in cases(seed=7, each=2) if case.kind == "huggingface" or any(map(str.isdigit, case.secret))]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_found_in_every_context(kind: str) -> None:
    """Fabricated by generators that do not know the rules; JSON-escaped text is where scanners lose most."""
    mine = [case for case in CASES if case.kind == kind]
    assert {case.context for case in mine} == set(CONTEXTS)
    for case in mine:
        first_line = case.secret.split("\n")[0]
        found = [case.text[finding.start : finding.end] for finding in scan(case.text)]
        assert any(first_line in value for value in found), case.text


NOT_SECRETS = {
    "git commit": "commit " + hexed(40) + "\nMerge: " + hexed(7) + " " + hexed(8),
    "poetry lock": '{file = "x-1.0.tar.gz", hash = "sha256:' + hexed(64) + '"}',
    "content hash": "sha256-" + base64ish(43) + "= key.pem",
    "version": "tokenizers==0.21.4\nsecretstorage>=3.3.3\nkeyring = '^25.6.0'",
    "variable names": "needs GITHUB_TOKEN, AWS_SECRET_ACCESS_KEY and DB_PASSWORD2 in the environment",
    "mask": "Authorization: Bearer ********************\nsk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "token counts": '{"input_tokens": 123456, "max_tokens": 128000, "cache_key": "' + hexed(64) + '"}',
    "example address": "postgresql://user:password@localhost:5432/db http://host:8080/a@b",
}


def test_what_only_looks_random_stays() -> None:
    """Over-redaction destroys what the next session needs; what `benchmarks.secrets.lookalikes` has is not repeated."""
    assert not {name: found for name, text in NOT_SECRETS.items() if (found := scan(text))}


KEY = "T3xB9q" + text(34)
PASSWORD = "v9Kq2Z" + text(12)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (f"Set it up. My api key is {KEY} and that is it.", KEY),
        (f"my API key: {KEY}", KEY),
        (f"key: {KEY}", KEY),
        (f"API-Key {KEY}", KEY),
        (f"use the {KEY} key for staging", KEY),
        (f"with the `{KEY}` API key", KEY),
        (f"the password for staging is {PASSWORD}", PASSWORD),
        (f"password of the db user is {PASSWORD}.", PASSWORD),
        (f"| OPENAI_API_KEY | {KEY} |", KEY),
        (f"| `DB_PASSWORD`   | `{PASSWORD}` |", PASSWORD),
        ("sk-sp-" + text(24) + "." + text(40), ""),
        ("my api key is " + hexed(32) + "." + text(16), ""),
    ],
)
def test_a_secret_that_prose_or_a_table_names_is_found(said: str, value: str) -> None:
    """People type keys into prompts as they would tell them to a colleague."""
    found = [said[one.start : one.end] for one in scan(said)]
    assert len(found) == 1 and (found == [value] or not value), found


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("password for staging is Tr0ub4dor" + "&3xyzQ", "Tr0ub4dor" + "&3xyzQ"),
        ("DB_PASSWORD=a1B2c3" + "|D4e5F6", "a1B2c3" + "|D4e5F6"),
        ("PASSWORD=Zk8'" + "fe93Qp", "Zk8'" + "fe93Qp"),
        ("PASSWORD=Yx7(kd)" + "93Qm", "Yx7(kd)" + "93Qm"),
        ("PASSWORD=k4-Horse7Q" + ",Bx9tery9", "k4-Horse7Q" + ",Bx9tery9"),
    ],
)
def test_a_password_is_taken_whole(said: str, value: str) -> None:
    """Half of a password looks redacted, and helps whoever guesses the rest."""
    assert [value] == [said[one.start : one.end] for one in scan(said)]


@pytest.mark.parametrize(
    "said",
    [
        "key: " + hexed(40),
        "the " + hexed(40) + " key of the cache",
        'cache: {"key": "' + text(32) + '"}',
        "the primary key is customer_id2",
    ],
)
def test_prose_about_keys_is_no_secret(said: str) -> None:
    """What only talks of keys is what the next session needs."""
    assert scan(said) == []


def test_the_span_is_the_secret_itself() -> None:
    source = f'export GITHUB_TOKEN="{GITHUB}"  # mine'
    assert scan(source) == [Finding("github-pat", source.index("ghp_"), source.index('"  #'))]


def test_a_key_after_an_escaped_newline_is_found() -> None:
    source = f"out: one\\n{GITHUB}\\ntwo"
    assert [Finding("github-pat", 10, 50)] == scan(source)


def test_the_vendors_rule_is_named_before_a_generic_one() -> None:
    assert [finding.rule for finding in scan(f"deploy_token: {GITHUB}")] == ["github-pat"]


def test_the_longest_of_overlapping_findings_wins() -> None:
    """What is cut out of the middle of a longer secret would leave its ends behind."""
    value = f"{GITHUB}+{text(20)}/{text(9)}"
    source = f'client_secret = "{value}"'
    assert [source[finding.start : finding.end] for finding in scan(source)] == [value]


@pytest.mark.parametrize("end", ["\n-----END PRIVATE KEY-----", "", "\nand so on", '\\n"}'])
def test_a_key_block_is_found_with_and_without_its_end(end: str) -> None:
    body = "\n".join(base64ish(64) for _ in range(4))
    source = f"see\n{BEGIN}PRIVATE KEY-----\n{body}{end}"
    (finding,) = scan(source)
    assert finding.rule == "private-key"
    assert f"{BEGIN}PRIVATE KEY-----\n{body}" in source[finding.start : finding.end]
    assert "so on" not in source[finding.start : finding.end]


def test_a_key_block_is_found_with_line_numbers() -> None:
    """As a client shows a file it has read."""
    lines = [f"{BEGIN}RSA PRIVATE KEY-----", *(base64ish(64) for _ in range(4)), "-----END RSA PRIVATE KEY-----"]
    source = "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1))
    (finding,) = scan(source)
    assert source[finding.start : finding.end].endswith("-----END RSA PRIVATE KEY-----")


FRAGMENTS = st.sampled_from([case.text for case in CASES[::5]] + ["key=", "://", "\\n", '"', "a1", " ", "=", "token: "])


@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=20)), max_size=8).map("".join))
def test_findings_are_sorted_disjoint_and_inside(source: str) -> None:
    findings = scan(source)
    places = [place for finding in findings for place in (finding.start, finding.end)]
    assert places == sorted(places)
    assert all(0 <= finding.start < finding.end <= len(source) for finding in findings)


ADVERSARIES = [
    "a", "=", "password=", "key: ", "eyJhbGci.", BEGIN + "PRIVATE KEY-----", "://a:", "https://u:p@", 'token="1',
    "ghp_", "sk-", "Authorization: Bearer ", "Cookie: session=", 'auths":', "curl -u " + "a:b1cdefgh ", "key\\n\\n\\n",
    "\\", ":aa", "sk-T3BlbkFJ", "pass=" + "a1b2c3d4e5f6,", "A" * 64 + "\n", "ya29.-_-_-_-_",
    "base64 ", "base64 -d QUFB", "kind: secret data:\n a: QUFBQUFB\n", "|key|a\n|-|-|\n", "key,a\nb,c\n", "keys = [",
    "-----END PRIVATE KEY-----", "QUFB" * 16 + "\n-----END PRIVATE KEY-----\n", "z" * 80 + "\n",
    'token="a1b2c3d4" + ', "mysql ", "docker login -p ", "echo a1b2c3d4 | ", "пароль от ", "key to ",
    '"value": "a1b2c3d4", "name": "key', "EAA", "_.G", "+ASt",
    "ASANA_KEY=" + "qwzx" * 8 + "0d ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", ADVERSARIES)
def test_the_cost_grows_no_faster_than_the_text(unit: str) -> None:
    """A hostile text must not hold up the session that keeps it."""
    in_proportion(lambda length: (unit * (length // len(unit) + 1))[:length], scan, 40_000)


def test_findings_that_overlap_in_part_become_one() -> None:
    """The beginning of one secret left beside the end of another is still a leak."""
    token = text(30)
    source = f"https://{token}:{GITHUB}@host.internal/x"
    covered = "".join(source[finding.start : finding.end] for finding in scan(source))
    assert GITHUB in covered
