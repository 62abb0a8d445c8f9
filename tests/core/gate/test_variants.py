"""Commands that are the same deed, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.gate.guards import is_variant, parse_command, quiet
from clew.core.gate.shell.effects import read
from tests.growth import in_proportion

# A guard, what tries the same again, and what does not.
SAME = {
    "npm install moment": (
        "npm i moment; npm add moment; npm install moment@2.29.4; npm i --save-dev moment;"
        " npm --prefix web install moment; npm install lodash moment; npm install -D 'moment@^2';"
        " /usr/local/bin/npm i moment; npm i -- moment",
        "npm uninstall moment; npm rm moment; npm install; npm install momentum; npm install @types/moment;"
        " npm view moment; npm run install moment; yarn add moment; npm i -w moment lodash; npx moment;"
        " git commit -m 'npm install moment'",
    ),
    "npm i @scope/x": ("npm install @scope/x@1; npm add @scope/x", "npm install @scope/xy; npm install x"),
    "npm install moment@2": ("npm i moment@2", "npm i moment@3; npm i moment"),
    "pip install requests": (
        "pip3 install requests; pip3.11 install -U requests; python -m pip install requests;"
        " python3 -m pip install requests; uv pip install requests; uv run pip install requests;"
        " pip install 'requests>=2'; pip install requests==2.0;"
        " pip install 'requests[socks]'; pip install -r dev.txt requests; python -W ignore -m pip install requests;"
        " uv run --with x python -m pip install requests; pip --proxy p install requests; sudo pip install requests",
        "pip uninstall requests; pip uninstall -y requests; pip install -r requests; pip show requests; pip install;"
        " pip install requests-mock; python -m pipx install requests; pip download requests; sed s/pip/requests/ x",
    ),
    "pytest -n auto": (
        "pytest tests -n auto; python -m pytest -n auto; uv run pytest -q -n auto; poetry run pytest -n auto",
        "",
    ),
    "pytest tests/slow": (
        "python3.12 -m pytest tests/slow; uv run pytest -x tests/slow; uv run -m pytest tests/slow;"
        " pytest tests/slow -q",
        "pytest tests; python -m tests/slow; pytest --ignore tests/slow.py; uv sync",
    ),
    "npx create-react-app": (
        "npx create-react-app my; npx -y create-react-app@5 my; npm exec create-react-app my;"
        " pnpm dlx create-react-app",
        "npx create-next-app; npm create-react-app",
    ),
    "git push --force": (
        "git push --force origin main; git -C web push --force; git push origin --force; git --no-pager push --force",
        "git push; git push --force-with-lease; git stash push --force; git commit -m 'git push --force'",
    ),
    "cargo test slow": ("cargo t slow; cargo test -p core slow", "cargo test; cargo build slow"),
    "make deploy": ("make -C infra deploy; make -j8 deploy", "make; make build; make -f deploy"),
    "uv pip install x": ("pip install x", "uv add x; uv run x"),
    "./build.sh all": ("./build.sh all now", "./build.sh"),
}


def _deeds(lines: str) -> list[list[str]]:
    return [command for line in lines.split(";") if line for command in read(line, "/w").commands]


@pytest.mark.parametrize("guard", SAME)
def test_the_same_deed_is_known_in_each_of_its_ways(guard: str) -> None:
    """Who is stopped at `npm install x` writes `npm i x@2`; who takes it away again does not try it."""
    wanted = parse_command(guard.split())
    for lines, is_same in zip(SAME[guard], (True, False), strict=True):
        for words in _deeds(lines):
            form = parse_command(words)
            assert (form.program == wanted.program and is_variant(wanted, form)) is is_same, words


@given(
    st.lists(
        st.sampled_from("npx npm i x -y --with uv run pip python -m -- - @ a@1 = [ '' git -C sed s/a/b/".split()),
        min_size=1,
    )
)
def test_any_words_have_a_form(words: list[str]) -> None:
    """Whatever a model types; a form is the deed that it is itself."""
    form = parse_command(words)
    assert is_variant(form, form)
    quiet(words)


def test_it_costs_what_the_words_are_long() -> None:
    """A hook may not take long over anything."""
    wanted = parse_command(["pip", "install", "x"])
    in_proportion(
        lambda n: ["npx", "npx", "npx", "pip", *["--no-deps", "install", "a@1"] * n],
        lambda words: is_variant(wanted, parse_command(words)),
        2000,
    )
