"""Command lines: which files a shell line would write, and that reading one never fails and never takes long."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.gate.shell.effects import read
from clew.core.gate.shell.words import ALL, ALONE, TRACKED
from tests.growth import costs_at_most

TOP, HOME = "/w/tide", "/home/dev"


def writes(line: str) -> dict[str, int]:
    """The files that are written, below the work tree by their relative path; what below goes with them."""
    return {path.removeprefix(TOP + "/"): deep for path, deep in read(line, TOP, HOME).writes}


WRITTEN = {
    "echo hi > a.txt": ["a.txt"],
    "echo hi >> 'a b.txt' 2>&1": ["a b.txt"],
    "make >| out.log 2> err.log": ["out.log", "err.log"],
    "> a; echo b >b": ["a", "b"],
    "cat <<'EOF' > a\nrm b > c\nEOF\necho d > d": ["a", "d"],
    "cat <<-EOF > a\n\trm b\n\tEOF\nrm c": ["a", "c"],
    "rm -rf build 'old thing'": ["build", "old thing"],
    "mv a b": ["a", "b", "b/a"],
    "cp -r src/a.py -t copies": ["copies", "copies/a.py"],
    "ln -s /etc/passwd link": ["link", "link/passwd"],
    "touch -d yesterday a b": ["a", "b"],
    "dd if=/dev/zero of=disk.img count=1": ["disk.img"],
    "sed -i 's/a/b/' a.py b.py": ["a.py", "b.py"],
    "sed -n 's/a/b/p' a.py": [],
    "perl -pi -e 's/a/b/' a.py": ["a.py"],
    "cd src && rm a.py": ["src/a.py"],
    "(cd src; rm a.py); rm b.py": ["src/a.py", "b.py"],
    "x=$(rm a) && echo \"$(rm b)\" `rm c`": ["a", "b", "c"],
    "bash -c 'rm a; bash -c \"rm b\"'": ["a", "b"],
    "bash <<EOF\nrm a\nEOF": ["a"],
    "sudo -u bob env X=1 timeout 5 nice rm a": ["a"],
    "/usr/bin/env -v X=1 command rm a": ["a"],
    "command -v rm a": [],
    "for f in x y; do rm a; done; if true; then rm b; fi": ["a", "b"],
    "true # > a": [],
    "echo a#b > a": ["a"],
    "diff <(cat a > b) c": ["b"],
    "rm $HOME/x ${HOME}/y ~/z \"$PWD/w\"": ["/home/dev/x", "/home/dev/y", "/home/dev/z", "w"],
    "rm src/{a,b}.py src/[cd].py": ["src/a.py", "src/b.py", "src/*.py"],
    "rm -rf {build,dist} x{1..3} {}": ["build", "dist", "x*", "*"],
    "mv a.py{,.bak}": ["a.py", "a.py.bak", "a.py.bak/a.py"],
    "rm src/$NAME.py": ["src/\0.py"],
    "cp $F src": ["src", "src/\0"],
    "cp /tmp/*.py src": ["src", "src/\0"],
    "echo x > /dev/null": [],
    "git checkout -- src/a.py": ["src/a.py"],
    "git -C src restore a.py": ["src/a.py"],
    "git restore --staged a.py": [],
    "git rm --cached a.py": [],
    "git mv a b": ["a", "b", "b/a"],
    "git clean -fdx": [TOP],
    "git clean -fdx -e .clew": [TOP],
    "git clean -fdx -e .venv --exclude=dist": [TOP],
    "git clean -fdx .clew": [".clew"],
    "git checkout -b topic": [],
    "find build lib -maxdepth 2 -delete": ["build", "lib"],
    "find -delete": [TOP],
    "find src -name '*.pyc' -delete": [],
    "find . -mmin +60 -delete": [],
    "curl -s -o page.html localhost": ["page.html"],
    "curl --output page.html localhost": ["page.html"],
    "curl -o - localhost; wget -qO- localhost": [],
    "wget -qO page.html localhost": ["page.html"],
    "sort a -ob": ["b"],
    "rsync -av src host:/srv; scp a me@host:": [],
    "perl -Ilib -e 1 a.py; ruby -Ilib test.rb": [],
    "rm a \\\n b": ["a", "b"],
    'rm "a\\b" "c\\"d" "e\\\nf"': ["a\\b", 'c"d', "ef"],
    "echo $((1 > 2))": [],
    "(( a > b )) && rm c": ["c"],
    "((rm a); rm b": ["a", "b"],
    "if [[ $a > 3.9 ]]; then echo > x; fi": ["x"],
    "[[ -f a ]] > b": ["b"],
    "echo $'a\\\\' > b; echo \"it costs $\" > c": ["b", "c"],
    "git status && git diff | head -3; ls -la": [],
}  # fmt: skip


@pytest.mark.parametrize("line", WRITTEN)
def test_what_a_line_writes(line: str) -> None:
    """Off limits means off limits for the shell, too."""
    assert sorted(WRITTEN[line]) == sorted(writes(line))


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("rm -r src", ALL),
        ("mv src lib", ALL),
        ("git clean -fdx", ALL),
        ("git clean -fd", ALONE),
        ("git clean -fdx -e .clew", ALONE),
        ("git clean -fdx -e .venv", ALL),
        ("git clean -fdX -e .clew", ALL),  # what is left out counts as ignored, and goes
        ("git checkout -- .", TRACKED),
        ("touch src", ALONE),
    ],
)
def test_what_lies_below_goes_with_a_folder(line: str, below: int) -> None:
    """`rm -rf src` is the end of every file in it; `git checkout .` is about what git knows."""
    assert below == max(writes(line).values())


READS = ["git log -3", "ls; cat a | grep b > /dev/null", "cd src && wc -l *.py", "git -C src diff", "echo 'rm a'"]
CHANGES = ["rm a", "git commit -m x", "git switch main", "echo > a", "patch -p1 < fix.diff", "python3 fix.py", "make"]
UNKNOWN = ["python3 fix.py", "make", "eval $X", "rm $X", "./run.sh", "ls | xargs rm", "f() { rm a; }", "bash x.sh",
           "ls | bash", 'echo "never closed', "case $x in a) rm b;; esac", "cd $X && rm a",
           "find . -exec rm {} +"]  # fmt: skip


def test_whether_a_line_changes_anything() -> None:
    """A plan is made without changing anything; what only reads goes ahead."""
    assert [] == [line for line in READS if read(line, TOP).changes]
    assert [] == [line for line in CHANGES if not read(line, TOP).changes]


def test_what_is_not_understood_is_not_said_to_be() -> None:
    """Whoever must be sure asks first whether the line was understood."""
    assert [] == [line for line in READS if not read(line, TOP).understood]
    assert [] == [line for line in UNKNOWN if read(line, TOP).understood]


def test_the_commands_of_a_line() -> None:
    """Guards know commands by their first words, whatever wraps them."""
    line = "cd x && FOO=1 sudo npm 'install' mo\"ment\" > log || (true; time yarn)"
    assert [["cd", "x"], ["npm", "install", "moment"], ["true"], ["yarn"]] == read(line, TOP).commands


SIGNS = st.lists(
    st.sampled_from(
        [*"'\"`$;&|<>(){}#\n\\ ~=*?[]-", "rm", "git", "cd", "-c", "bash", "eval", "<<EOF", "EOF", "$(", "é"]
    )
)


@given(st.one_of(st.text(), SIGNS.map("".join), SIGNS.map(" ".join)))
def test_any_text_is_read(line: str) -> None:
    """A hook that fails lets everything through; agents write lines that nobody thought of."""
    for path, _ in read(line, TOP, HOME).writes:
        assert path.startswith("/")
        assert "/../" not in path


LONG = {
    "words": "echo " + "word " * 60_000,
    "operators": ";" * 300_000,
    "quotes": '"$a"' * 60_000,
    "open brackets": "rm " + "[" * 300_000,
    "nested": "$(" * 150_000,
    "parentheses": "(" * 300_000,
    "braces": "${a" * 100_000,
    "here-documents": "<<a " * 70_000,
    "a tag that ends nothing": "cat <<E\n" + "xE\n" * 100_000,
    "backslashes": "\\" * 300_001,
    "a program": "python3 -c '" + "x = 1\n" * 50_000 + "'",
    "patterns": ("rm " + "[]{}" * 1000 + " ") * 70,
    "paths": "rm " + "a/../" * 60_000,
    "evals": "eval " * 60_000,
    "escaped quotes": "echo $'a\\'b' " * 20_000,
    "alternatives": ("rm " + "{a,b}" * 4 + " ") * 200,
    "copies of alternatives": "cp " + "{a,b}{c,d} " * 900 + "x",
    "many targets": "cp " + "-t x " * 400 + "y " * 500,
    "redirections": "a>b" * 100_000,
    "comments": "#\n" * 150_000,
}


@pytest.mark.parametrize("name", LONG)
def test_no_line_takes_long(name: str) -> None:
    """Clients wait for the hook at every tool call. Counted are Python's steps, which no busy machine changes."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        read(LONG[name], TOP, HOME)
    finally:
        sys.setprofile(None)
    assert calls < 60_000
    plain = "echo " + "word " * (len(LONG[name]) // 5)
    costs_at_most(20, lambda: read(LONG[name], TOP, HOME), lambda: read(plain, TOP, HOME))
