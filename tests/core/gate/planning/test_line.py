"""While a plan is open a shell line passes only where all of it is known to read."""

from __future__ import annotations

import pytest
from benchmarks.gates.mutations import DEEDS, WAYS
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.gate.planning.line import refusal
from clew.core.gate.planning.programs import Rules

READING = (
    "ls -la && git status --short",
    "sed -n '1,240p' src/cart.py | nl -ba",
    "sed 's#^./##; /^$/d' < names.txt",
    "find . -name '*.py' -not -path './.venv/*' -exec grep -l total {} +",
    "find . -type f \\( -name '*.ts' -o -name '*.tsx' \\) | head -30",
    "rg -n 'def total|def tax' src --glob '*.py' 2>/dev/null || echo none",
    'for f in src/*.py; do echo "== $f"; head -5 "$f"; done',
    'while read -r line; do echo "$line"; done < notes.txt',
    "git log --oneline main..HEAD -- src | head -5; git show HEAD~1:src/cart.py",
    "git diff --stat && git branch -a && git stash list && git remote -v",
    "awk -F, 'NR > 1 && $3 >= 5 {print $1}' prices.csv | sort -n | uniq -c",
    "bash -c 'cat a.txt; wc -l a.txt'",
    'DIR=src; ls "$DIR" | wc -l',
    'echo "$(git rev-parse HEAD) $(pwd)"',
    "diff <(sort a.txt) <(sort b.txt)",
    "cat <<'END'\nplain $(rm x) text\nEND",
    "timeout 5 env LC_ALL=C grep -rn total . | cut -d: -f1",
    "[ -f package.json ] && jq .scripts package.json",
    "grep -rl total . | xargs wc -l",
    "gh pr view 12 --json title,body && gh pr diff 12",
    "python3 --version; node --version; which rg",
    "cd web && npm ls --depth 0",
    "curl -sf https://example.org/health | head -c 200",
    "clew plan show; clew ask 'Which tax?' ; clew status",
    "sqlite3 shop.db 'SELECT count(*) FROM carts;'",
    "git clean -nfd; tar tzf kept.tgz | head; gzip -dc log.gz | tail -3",
)


def rules(trusted: tuple[str, ...] = (), cwd: str = "/shop") -> Rules:
    return Rules(cwd, "/home/dev", "/shop", trusted, lambda _: "")


@pytest.mark.parametrize("line", READING)
def test_what_reads_passes(line: str) -> None:
    """A plan cannot be made without looking."""
    assert "" == refusal(line, rules())


@pytest.mark.parametrize("deed", DEEDS)
def test_what_changes_something_is_refused(deed: str) -> None:
    """Each deed of the benchmark, as it is."""
    assert refusal(deed, rules())


@pytest.mark.parametrize(
    "before",
    ["ls()", "ls ()", "ls\t()", "{ ls()", "! ls ()", "time ls()", "if true; then ls ()", "A=1 ls ()", "ls cat ()"],
)
def test_a_function_that_takes_a_programs_name_is_refused(before: str) -> None:
    """Wherever it stands, and with a space before its brackets; zsh knows functions of several names."""
    assert "it defines a function or a list" == refusal(f"{before} {{ rm keep.txt; }}; ls", rules())


@pytest.mark.parametrize(
    "line", ["(ls)", "time (ls -l)", "! (ls)", "if (ls); then ls; fi", "for f in a b; do (ls $f); done"]
)
def test_brackets_around_commands_are_no_function(line: str) -> None:
    """They run in a shell of their own, and only read."""
    assert "" == refusal(line, rules())


@settings(deadline=None)
@given(st.sampled_from(DEEDS), st.lists(st.sampled_from(range(len(WAYS))), min_size=1, max_size=3))
def test_no_way_of_writing_it_makes_it_pass(deed: str, ways: list[int]) -> None:
    """Groups, substitutions, shells in shells, encoded: whatever hides it is refused as well."""
    for way in ways:
        deed = WAYS[way](deed)
    assert refusal(deed, rules())


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab >|&;$(){}[]'\"`\\\n*?=-!#~<012cdrmsept/."), max_size=60))
def test_no_text_breaks_it(line: str) -> None:
    """An agent may write anything; the answer is a word or none."""
    assert isinstance(refusal(line, rules()), str)


def test_the_commands_that_a_person_trusted_pass_in_their_folder_only() -> None:
    """A bug cannot be planned without reproducing it; elsewhere the same words run another project's code."""
    trusted = ("make test", "cd web && npm test")
    for line in ("make test", "cd web && npm test", "make test 2>&1 | tail -5", "ls; make test"):
        assert "" == refusal(line, rules(trusted)), line
    for line in ("make", "make test install", "cd /tmp/x && make test", "X=1 make test", "make test > out.txt"):
        assert refusal(line, rules(trusted)), line
    assert refusal("make test", rules(trusted, cwd="/shop/web"))


def test_a_program_that_only_has_the_name_is_refused() -> None:
    """Who looks up the PATH says why."""
    known = Rules("/shop", "/home/dev", "/shop", (), lambda name: f"`{name}` is another one" if name == "cat" else "")
    assert "`cat` is another one" == refusal("ls; cat a.txt", known)
    assert "" == refusal("ls; /bin/cat a.txt; head a.txt", known)
    assert refusal("./cat a.txt", known)


def test_what_is_known_of_a_variable_is_only_what_the_line_says_once() -> None:
    """Of any other value nobody guesses."""
    assert "" == refusal('F=a.txt; sort "$F"', rules())
    for line in (
        'F=-okeep.txt; sort "$F"',
        'sort "$F"',
        'F=a; F=-ob; sort "$F"',
        'for f in a b; do while :; do sort "$f"; f=-ox; done; done',
        'F=a.txt; eval "F""=-ox"; sort "$F"',
        'F=a.txt; read F <<< -ox; sort "$F"',
    ):
        assert refusal(line, rules()), line


def test_the_reason_names_what_to_do_instead() -> None:
    """A denial is read by a model: it says which part of the line, and what would pass."""
    assert "it writes to `out.txt`" == refusal("ls > out.txt", rules())
    assert "put `--` or `./` before it" in refusal("sort *", rules())
    assert "`sed -i` is not known to read" == refusal("sed -i s/a/b/ x", rules())
