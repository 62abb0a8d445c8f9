"""Placeholders, keys, the allow-list, and that redacting is stable."""

import os
import re
import subprocess
import sys

import pytest
from benchmarks.secrets.make_secrets import cases
from benchmarks.secrets.ways import ways
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.secrets import Redactor, scan
from tests.samples import text

GITHUB = "ghp_" + text(36)
KEY = b"k" * 32
REDACTOR = Redactor(KEY)


def test_a_placeholder_says_which_rule_and_which_value() -> None:
    redacted = REDACTOR.redact(f"a {GITHUB} b {GITHUB} c")
    assert re.fullmatch(r"a (\[redacted:github-pat:[0-9a-f]{6}\]) b \1 c", redacted)


def test_without_a_key_the_value_leaves_no_trace() -> None:
    """An unkeyed hash of a weak password can be guessed."""
    assert Redactor(None).redact(f"a {GITHUB}") == "a [redacted:github-pat]"


def test_another_key_gives_another_hash() -> None:
    assert REDACTOR.redact(GITHUB) != Redactor(b"other").redact(GITHUB)


def test_equal_keys_give_equal_placeholders() -> None:
    assert REDACTOR.redact(GITHUB) == Redactor(KEY).redact(GITHUB)


def test_an_allowed_value_stays() -> None:
    assert Redactor(KEY, allow=[GITHUB]).redact(f"t={GITHUB}") == f"t={GITHUB}"


def test_a_value_can_be_allowed_by_the_hash_in_its_placeholder() -> None:
    shown = REDACTOR.redact(GITHUB).removesuffix("]").rpartition(":")[2]
    assert Redactor(KEY, allow=[shown]).redact(GITHUB) == GITHUB


def test_allowing_nothing_allows_nothing_without_a_key() -> None:
    """The hash of no key is the empty text; it must not be matched by an empty entry."""
    assert Redactor(None, allow=[""]).redact(GITHUB) == "[redacted:github-pat]"


def test_a_placeholder_is_no_secret_in_any_place() -> None:
    placeholder = REDACTOR.redact(GITHUB)
    for source in (f"token={placeholder}", f'"password": "{placeholder}"', f"https://u:{placeholder}@host/"):
        assert REDACTOR.redact(source) == source


def test_text_without_secrets_is_the_same_object() -> None:
    source = "nothing here"
    assert REDACTOR.redact(source) is source


SECRETS = st.sampled_from([case.text for case in cases(seed=3, each=1)] + [way.text for way in ways(seed=3)])
GLUE = st.sampled_from(
    ["", " ", "\n", "\\n", '"', "key=", "password: ", "token", "-", "_", "]", "[redacted:x:", "a", "=", GITHUB]
)


@settings(deadline=None)
@given(st.lists(st.one_of(SECRETS, GLUE, st.text(max_size=10)), max_size=8).map("".join))
def test_redacting_twice_is_redacting_once(source: str) -> None:
    once = REDACTOR.redact(source)
    assert REDACTOR.redact(once) == once
    assert scan(once) == []


@settings(deadline=None)
@given(st.lists(st.one_of(SECRETS, st.text(max_size=10)), max_size=6).map("".join))
def test_text_outside_the_findings_is_untouched(source: str) -> None:
    """One look: everything between two findings comes out as it went in."""
    findings = scan(source)
    kept, done = [], 0
    for finding in findings:
        kept.append(source[done : finding.start])
        done = finding.end
    kept.append(source[done:])
    at = 0
    redacted = REDACTOR.replace(source)
    for part in kept:
        place = redacted.find(part, at)
        assert place >= 0
        at = place + len(part)


@pytest.mark.parametrize("module", ["dataclasses", "json", "inspect"])
def test_importing_loads_no_rules_and_nothing_heavy(module: str) -> None:
    """Processes that never scan import this package too."""
    code = f"import sys, clew.secrets; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-S", "-c", code], check=False, env=_environment()).returncode == 0


def _environment() -> dict[str, str]:
    """Return what a child needs to import what this process can import."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
