"""Runs what passes while a plan is open: `python -m tests.fuzz.fuzz_readonly [--lines 20000] [--seed N] [--shells …]`.

Random lines are made of the words that `core/gate/readonly.py` knows, of words that write, of file names that look like
options, and of mutations. Those that pass are run in bash, dash and zsh: as nobody, without a network, in a mount of
their own in which only a scratch tree can be written. Nothing in it may change but git's own index (which git refreshes
when it reads), and no planted program may run. Prints the lines that changed something, and leaves with 1.

The box needs Linux, root and `unshare`; where it cannot be made, that is said and nothing is run.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.core.gate.reading_table import FREE, ROWS
from clew.core.gate.readonly import FORMS, refusal

SHELLS = ("bash", "dash", "zsh")
NOBODY = 65534
BATCH = 40
# Files that the shell's patterns may fill in as options.
FILES = (
    *("a.txt", "b.txt", "c d.txt", "keep.txt", "src/m.py", "src/n.py", "sub/a.txt", "data.json", "x.sed", "b.gz"),
    *("-o", "-okeep.txt", "-i", "-delete", "--output=keep.txt", "--pre=.x", "-s", "-C", "-R", "-w", "-Lo", "src/-o"),
)
PROGRAMS = ("x", ".x", "sub/ls", "bin/cat")  # each leaves a mark where it runs
# Words that some program writes by, runs by, or takes for another's value.
BAD = (
    "-o", "keep.txt", "--output=keep.txt", "-okeep.txt", "-exec", "-delete", "-fprint", "./x", "-i", "--pre=./x",
    "-w", "--in-place", "-e", "--", "-", "-O./x", "--ext-diff", "--textconv", "-c", "-n", "+1", "-s", "-d", "HEAD",
    "new", "--filter=./x", "--pager=./x", "--open-files-in-pager=./x", "--compress-program=./x", "-T", "-R", "-H",
    "-f", "-ok", "-execdir", "-fls", "-fprintf", "--save-config=keep.txt", "-C", "-m", "a.txt", "add", "set", "rm",
    "-D", "--unset", "--add", "-v", "PATH", "x=5", "w keep.txt", "1w keep.txt", "s/a/b/w keep.txt", "s/a/b/e",
    "1e ./x",
)  # fmt: skip
VALUES = (
    "a.txt", "b.txt", "src", ".", "HEAD", "HEAD~1", "main", "'a b'", '"a$"', "2", "5", "'*.txt'", "*.txt", "s*", "*",
    "?", "{a,b}.txt", "{-o,keep}", "{}", "[ab].txt", "src/*", "-*", "~", "\\*", "'x;y'", '"x|y"', "1,3p", "'$p'",
    "'s/a/b/'", "'s#a#b#;2d'", "'/a/,/b/p'", "'/[/]/p'", "'%s\\n'", "'%b'", "'%d'", "'%n'", "+%s", "=ls", "a=b", "%1",
    "$?", "''", "user.name", "core.pager", "README", "v1", "origin", "'(' ", "!", "'!'", "-1", "-7", "@{1}", ":/x",
    "x:y", "^main",
)  # fmt: skip
JOINTS = (" | ", " && ", " || ", "; ", "\n", "|", ";", " |\n", " \\\n ", "\n# note: x\n")
BEHIND = (
    " 2>/dev/null", " >/dev/null", " 2>&1", " < a.txt", " >&2", " <<'END'\nx\n$(./x)\nEND", ' << "E"\n`./x`\nE',
    " <b.txt", " &>/dev/null", " > keep.txt", " 2>keep.txt", " <> keep.txt", " >| keep.txt", " <<< x", " < <(./x)",
    " 3>keep.txt",
)  # fmt: skip
SIGNS = "'\"\\$`;&|<>()[]{}*?!#~^= \t\n-/.,:@%+\r\0aoeiwxé|1"


def words(chance: random.Random) -> str:
    """One command: mostly by the table, now and then with a word that has no business there."""
    kind = chance.random()
    made: list[str] = []
    options: list[str] = []
    if kind < 0.2:
        made.append(chance.choice(sorted(FREE - {"sleep"})))
    elif kind < 0.4:
        made.append(chance.choice(sorted(FORMS)))
    else:
        name = chance.choice([name for name in ROWS if name[0] not in ("clew", "gh")])
        letters, valued, _, *longs = ROWS[name].split()
        made += name
        options = [f"-{sign}" for sign in letters if sign != "_"] + longs
        options += [f"-{sign}{chance.choice(VALUES)}" for sign in valued if sign != "_"]
        options += ["-" + "".join(chance.sample(letters, min(len(letters), 3))) for _ in range(3) if letters != "_"]
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4))):
        pool = options if options and chance.random() < 0.55 else VALUES if chance.random() < 0.75 else BAD
        word = chance.choice(pool)
        made.append(word + chance.choice(VALUES) if word.endswith("=") else word)
    if made[0] == "[":
        made.append("]")
    return " ".join(made)


def line(chance: random.Random) -> str:
    """A line of a few commands, perhaps mutated."""
    parts = [words(chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
    text = parts[0]
    for part in parts[1:]:
        text += chance.choice(JOINTS) + part
    if chance.random() < 0.2:
        text += chance.choice(BEHIND)
    for _ in range(chance.choice((0, 0, 0, 0, 1, 1, 2))):
        at = chance.randrange(len(text) + 1)
        cut = chance.choice((0, 0, 1, 1, 3))
        text = text[:at] + "".join(chance.choices(SIGNS, k=chance.choice((0, 1, 1, 2)))) + text[at + cut :]
    return text


def accepted(count: int, seed: int) -> Iterator[str]:
    """Lines that pass, none twice, and no `tail -f`, which only waits."""
    chance, seen = random.Random(seed), set[str]()
    while len(seen) < count:
        made = line(chance)
        if made not in seen and not ("tail" in made and ("f" in made or "F" in made)) and not refusal(made):
            seen.add(made)
            yield made


class Box:
    """A scratch tree that belongs to nobody, on a file system of its own."""

    def __init__(self, shells: Sequence[str]) -> None:
        self.shells = shells
        for place in ("/tmp", "/var/tmp", "/dev/shm"):
            subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
            Path(place).chmod(0o1777)
        self.root, self.home = Path("/tmp/shop"), Path("/tmp/home")
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
        }
        self.renew()

    def renew(self) -> None:
        """Make the tree anew."""
        for folder in (self.root, self.home):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name in FILES:
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{name}\nalpha a\nbeta b\n")
        for name in PROGRAMS:
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("#!/bin/sh\n: > /tmp/shop/ran\n")
            path.chmod(0o755)
        (self.root / "b.gz").unlink()
        who = "git -c user.name=dev -c user.email=dev@example.org"
        for made in (
            "gzip -k a.txt && mv a.txt.gz b.gz",
            f"git init -q -b main && git add -A && {who} commit -qm one && git tag v1 && echo c >> a.txt",
            f"{who} commit -qam two && git branch old && echo d >> b.txt && git config user.name dev",
            f"chown -R {NOBODY} . ../home",
        ):
            subprocess.run(["bash", "-c", made], cwd=self.root, check=True, env={**os.environ, "HOME": str(self.home)})

    def content(self) -> dict[str, str]:
        """What everything that nobody can write to holds."""
        found = {}
        for place in ("/tmp", "/var/tmp", "/dev/shm"):
            for path in Path(place).rglob("*"):
                if path.match(".git/index"):
                    continue
                is_file = path.is_file() and not path.is_symlink()
                data = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else ""
                found[str(path)] = f"{path.lstat().st_mode:o} {data}"
        return found

    def run(self, text: str) -> None:
        """Run a line in each shell, for a second at most."""
        for shell in self.shells:
            process = subprocess.Popen(
                [shell, "-c", text],
                cwd=self.root,
                env={**self.environment, "SHELL": shell},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
            )
            try:
                process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()


def find_changes(box: Box, lines: Sequence[str]) -> list[str]:
    """The lines that change something, each told once."""
    before = box.content()
    for text in lines:
        box.run(text)
    if box.content() == before:
        return []
    if len(lines) == 1:
        box.renew()
        return list(lines)
    box.renew()
    half = len(lines) // 2
    return find_changes(box, lines[:half]) + find_changes(box, lines[half:])


def trial(arguments: argparse.Namespace) -> int:
    """In the box: run what passes, tell what changed something."""
    box = Box(arguments.shells)
    box.run("echo x > made.txt")
    assert any(path.endswith("/made.txt") for path in box.content()), "the box does not notice what is written"
    box.renew()
    started, count, found, batch = time.monotonic(), 0, list[str](), list[str]()
    for text in accepted(arguments.lines, arguments.seed):
        batch.append(text)
        if len(batch) == BATCH:
            found += find_changes(box, batch)
            count, batch = count + len(batch), []
            if count % 2000 == 0:
                print(f"{count} lines, {time.monotonic() - started:.0f} s, {len(found)} changed something", flush=True)
    found += find_changes(box, batch) if batch else []
    for text in found:
        print(f"changed something: {text!r}")
    print(f"{count + len(batch)} accepted lines in {', '.join(arguments.shells)}: {len(found)} changed something")
    return int(bool(found))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.fuzz_readonly")
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--shells", nargs="+", default=[shell for shell in SHELLS if shutil.which(shell)])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return trial(arguments)
    print(f"seed {arguments.seed}; not installed: {sorted(set(SHELLS) - set(arguments.shells)) or 'none'}", flush=True)
    box = ["unshare", "--net", "--mount", "--ipc", "--pid", "--fork"]
    can = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("unshare")
    if not can or subprocess.run([*box, "true"], check=False).returncode:
        print("skipped: the box needs Linux, root and `unshare`; nothing was run")
        return 0
    again = [sys.executable, "-m", "tests.fuzz.fuzz_readonly", "--inside", "--lines", str(arguments.lines)]
    return subprocess.run(
        [*box, *again, "--seed", str(arguments.seed), "--shells", *arguments.shells], check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
