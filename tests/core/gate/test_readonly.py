"""While a plan is open a shell line passes only where it fits a small grammar of what reads."""

from __future__ import annotations

import click
import pytest
from benchmarks.gates import tricks
from benchmarks.gates.mutations import DEEDS, WAYS
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.gate.reading_table import ROWS
from clew.core.gate.readonly import refusal, tool_refusal
from clew.interfaces.cli.main import cli

READING = (
    "ls -la && git status --short",
    "sed -n '1,240p' src/cart.py | nl -ba",
    "find . -name '*.py' -not -path './.venv/*' -mtime -7 | sort -k2,2n | uniq -c",
    "find . -type f \\( -name '*.ts' -o -name '*.tsx' \\) | head -30",
    "rg -n 'def total|def tax' src --glob '*.py' 2>/dev/null || echo none",
    "git log --oneline main..HEAD -- src | head -5; git show HEAD~1:src/cart.py",
    "git --no-pager -C web diff --stat && git branch -a && git stash list && git remote -v",
    "cat <<'END' | wc -l\nplain $(rm x) text\nEND",
    "jq .scripts package.json",
    "grep -rn -- --dry-run src/*.py | cut -d: -f1",
    "gh pr view 12 --json title,body && gh pr diff 12",
    "printf '%s\\n' {a,b}.txt >&2",
    "git log -3 --format='%h %an' \\\n  --no-merges",
    "clew plan edit - <<'END'\n# Round `refunds`\n\n- [ ] who pays $5?\nEND",
)


@pytest.mark.parametrize("line", READING)
def test_what_reads_passes(line: str) -> None:
    """A plan cannot be made without looking, nor without handing it over."""
    assert "" == refusal(line)


@pytest.mark.parametrize("deed", DEEDS)
def test_what_changes_something_is_refused(deed: str) -> None:
    """Each deed of the benchmark, as it is."""
    assert refusal(deed)


@settings(deadline=None)
@given(st.sampled_from(DEEDS), st.lists(st.sampled_from(range(len(WAYS))), min_size=1, max_size=3))
def test_no_way_of_writing_it_makes_it_pass(deed: str, ways: list[int]) -> None:
    """Groups, substitutions, shells in shells, encoded: whatever hides it is refused as well."""
    for way in ways:
        deed = WAYS[way](deed)
    assert refusal(deed)


def test_no_trick_of_a_shell_passes() -> None:
    """What bash, dash or zsh reads otherwise than it looks; the benchmark runs each."""
    assert [] == [form for form in tricks.forms(2000, seed=5) if not refusal(form[1])]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "git config user.email --",
            "git config core.pager x",
            "git branch new",
            "git tag -d v1",
            "git remote -v add x y",
        ),
        *("git log --format=%G?", "git log --format=%{G,h}?", "git diff --ext-diff", "git -c core.pager=x log"),
        *("git log '--format=% G?'", "git log '--pretty=%-G?'", "git log '--format=%+G?'"),
        *("git for-each-ref '--format=%(*signature)'", "git branch --sort=-signature", "git tag -l --sort=*signature"),
        "git for-each-ref --format '%('{signature,refname}')'",
        *(
            "tree -Lo 2 FILE",
            "tree -R -L 1",
            "rg -e -- --pre=./x a",
            "rg *.x -- --pre=./x",
            "rg -z a",
            "grep -e -- --filter=./x",
        ),
        *("printf %n PATH", "printf %d x=5", "printf -v x a", "printf '%*s' x a", "test -v 'a[x]'", "[ 1 -eq x=5 ]"),
        *(
            "ls &>/dev/null",
            "ls > /dev/null2",
            "cat < /dev/tcp/10.0.0.1/80",
            "ls >&1name",
            "< a.txt",
            "ls >/dev/null>x",
        ),
        *(
            "uniq a.txt -c",
            "uniq a.txt b.txt",
            "sort -ro x a",
            "sort a -o x",
            "sort *",
            "file -C",
            "xxd a -p",
            "arch -x rm a",
        ),
        *("date 01010000", "date -s now", "date -d 01010000", "env ls", "hostname x", "less a", "man ls"),
        *("sed 's/a/b/w x' a", "sed -n '1w x' a", "sed 's/[/]/b/e' a", "sed 1d a -i", "sed -f x a", "sed '1e ls' a"),
        *(
            "sed -n '/a\\\n/p' a",
            "sed 's/é|/b/' a",
            "find . -newermt -delete",
            "find . -exec ls {} +",
            "find * -name a",
        ),
        *(
            "cat <<END\n$(rm x)\nEND",
            "cat <<'END'\nx",
            "cat <<'END'\nx\\\nEND",
            "cat <<-'END'\n\tEND",
            "cat <<'A' <<'B'\nA\nB",
        ),
        *(
            "cat <<'END' 'a\nb'\nx\nEND",
            "ls\r",
            "ls \u200b",
            "ls 'a''b'",
            "ls $HOME",
            'ls "$x"',
            "ls `ls`",
            "ls 'a",
            "ls \\",
        ),
        *(
            "ls |",
            "| ls",
            "ls ;; ls",
            "ls |& cat",
            "X=1 ls",
            "if ls; then ls; fi",
            "! ls",
            "(ls)",
            "ls # $(rm x)",
            "curl x",
        ),
        "ls " + "a" * 70_000,
    ],
)
def test_what_may_write_run_or_connect_is_refused(line: str) -> None:
    """Options that do so in a bundle, as a value, behind a file; and what shells read in several ways."""
    assert refusal(line)


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab >|&;$(){}[]'\"`\\\n*?=-!#~<012cdrmsept/.?é"), max_size=60))
def test_no_text_breaks_it(line: str) -> None:
    """An agent may write anything; the answer is a word or none."""
    assert isinstance(refusal(line), str)


def test_a_trusted_command_is_asked_about_with_the_folders_it_may_run_in() -> None:
    """Whoever trusts it says where; the rest of the line has to read all the same."""

    def trusts(words: list[str], folders: list[str]) -> bool:
        return words == ["make", "test"] and folders in ([], ["/shop"])

    for line in ("make test", "make test 2>&1 | tail -5", "ls; make test", "cd /shop && make test"):
        assert "" == refusal(line, trusts=trusts), line
    for line in (
        "make",
        "make test install",
        "cd /x && make test",
        "X=1 make test",
        "make test > x",
        "make test; rm x",
    ):
        assert refusal(line, trusts=trusts), line


def test_a_program_that_only_has_the_name_is_refused() -> None:
    """Who looks up the PATH says why."""

    def impostor(name: str) -> str:
        return f"`{name}` is another one" if name in ("cat", "git", "sed") else ""

    for line in ("ls; cat a.txt", "git status", "sed -n 1p a"):
        assert "is another one" in refusal(line, impostor), line
    assert "" == refusal("ls; head a.txt", impostor)
    assert refusal("./cat a.txt") and refusal("/tmp/cat a.txt")


def test_the_reason_names_the_part_and_what_to_do() -> None:
    """A denial is read by a model."""
    assert "`xh` is not on the read-only list" == refusal("ls; xh example.org")
    assert "`git push` is not on the read-only list" == refusal("git push --force")
    assert "`sort --output` is not on the read-only list" == refusal("sort --output=x a")
    assert "it writes to a file" == refusal("ls > out.txt")
    assert "put `./` before it" in refusal("sort *")
    assert "put the text in '…'" in refusal("grep $x a")


def test_our_own_commands_are_listed_as_they_are() -> None:
    """A row that names no command, or only options that are gone, lets something else through one day."""
    known: set[str] = set()
    for name in (name for name in ROWS if name[0] == "clew" and not name[1].startswith("-")):
        command: click.Command | None = cli
        for word in name[1:]:
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), word)
        assert command is not None, name
        known |= {option for one in command.params for option in one.opts}
    options = {option.rstrip("=") for option in ROWS[("clew", "note")].split()[3:]} - {"--help"}
    assert set() == options - known


def test_tools_that_read_pass_and_unknown_ones_do_not() -> None:
    """An allow-list: a later client's tool is refused until somebody says that it reads."""
    for tool in ("Read", "Grep", "Agent", "update_plan", "read_file", "todowrite", "mcp__clew__record", "clew_show"):
        assert "" == tool_refusal(tool, ())
    for tool in ("CronCreate", "write_stdin", "mcp__files__write", "save_memory", "batch", ""):
        assert tool_refusal(tool, ())


def test_what_a_person_allowed_passes_by_its_whole_name() -> None:
    """Another tool of the same server is another one."""
    assert "" == tool_refusal("mcp__hub__get_issue", ["mcp__hub__get_issue"])
    assert "clew gate allow mcp__hub__close_issue" in tool_refusal("mcp__hub__close_issue", ["mcp__hub__get_issue"])
