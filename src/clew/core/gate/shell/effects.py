"""What a shell line would do: which commands it runs, and which files it writes.

It says when it did not understand: a rule that must be sure then treats the line as one that may do anything
(docs/reference/gates.md).
"""

from __future__ import annotations

from clew.core.gate.shell.programs import GIT_KEEPING, GIT_READING, GIT_REWRITING, READING
from clew.core.gate.shell.reader import encoded
from clew.core.gate.shell.walker import UNKNOWN, Listener, ShellWalker
from clew.core.gate.shell.words import ALL, ALONE, PATCHING, TRACKED, OptionWords, normal
from clew.core.records import patch

# A shell line of more signs than these is read no further: a hook may not take long over anything. One that is longer
# than Linux hands to a program cannot be run, and only its beginning is looked at.
_STEPS_MAX = 1500
_LINE_BYTES_MAX = 128 << 10
_STEPS_OF_LONG_MAX = 300
_WRITES_MAX = 64
_PATH_CHARS_MAX = 4096
_PATTERN_CHARS_MAX = 512
_BRACES_MAX = 4


def only_reads(words: list[str]) -> bool:
    """Whether a command only reads, by its name, or of git by its sub-command."""
    name = words[0].rpartition("/")[2]
    if name != "git":
        return name in READING
    return next((word for word in words[1:] if word[:1] != "-"), "help") in GIT_READING


class ShellLine:
    """A shell line as it was read.

    `commands` are the words of each simple command, unquoted, without wrappers; a `\\0` stands for what only the shell
    knows. `writes` are pairs of an absolute path, in which `*` stands for anything (a `\\0` for itself: nobody guesses
    at what stands in a variable), and what of that below it goes with it (`core.gate`: ALONE, TRACKED, ALL).
    `rewrites`: files are written that it does not name (`git checkout main`, `patch`). `changes`: something is changed,
    be it only the repository. `understood`: every command is known and every file it writes could be told. `is_unread`:
    it is too long, or too deep, and a part of it was left out.
    """

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.writes: list[tuple[str, int]] = []
        self.rewrites = False
        self.changes = False
        self.understood = True
        self.is_unread = False


def read(line: str, cwd: str, home: str = "") -> ShellLine:
    """What a shell in the folder `cwd` (absolute) would do with `line`. Never raises; costs what the line is long."""
    found = ShellLine()
    data = encoded(line)
    steps = _STEPS_MAX if len(data) <= _LINE_BYTES_MAX else _STEPS_OF_LONG_MAX
    walk = ShellWalker(data, _Doing(found, cwd, home), steps=steps)
    walk.read_all()
    found.understood = found.understood and not walk.is_unsure
    found.is_unread = found.is_unread or walk.is_unread
    return found


class _Doing(Listener):
    """What the commands of a line do, one after the other, from the folder `cwd` ("" unknown) on."""

    words_max = 1000

    def __init__(self, line: ShellLine, cwd: str, home: str) -> None:
        self.line = line
        self.cwd = cwd
        self.home = home
        self.held: dict[bytes, str] = {}  # variables that the line sets

    def enter(self) -> str:
        return self.cwd

    def leave(self, kept: str) -> None:
        self.cwd = kept

    def value(self, text: bytes) -> bytes:
        name = text.strip(b"${}")
        known = {b"HOME": self.home, b"PWD": self.cwd}.get(name) or self.held.get(name)
        return encoded(known or UNKNOWN)

    def hold(self, assignments: list[str], line: bytes) -> None:
        """Know what a variable holds that the whole line sets once, in plain words: of any other nobody guesses."""
        for one in assignments:
            name, _, value = one.partition("=")
            key = name.encode()
            is_once = line.count(key + b"=") == 1 and b"for " + key + b" " not in line
            if is_once and value and not set(value) & _NOT_PLAIN and b"read" not in line:
                self.held[key] = value

    def call(self, words: list[str]) -> None:
        self.line.commands.append(words)

    def run(self, words: list[str], *, fills_in: bool) -> None:
        name = words[0].rpartition("/")[2]
        if name in ("cd", "pushd"):
            to = next((word for word in words[1:] if not word.startswith("-")), self.home)
            self.cwd = self._place(to) if words[1:] != ["-"] else ""
        elif name not in READING:
            if fills_in:
                self.run_script()
            self._deed(name, words[1:])

    def run_script(self) -> None:
        """Note that nobody knows what is done."""
        self.line.changes, self.line.understood = True, False

    def _deed(self, name: str, words: list[str]) -> None:
        if name == "git":
            self._git(words)
            return
        given = OptionWords(words, name)
        operands = given.operands
        deep = ALL if name in ("rm", "rmdir", "shred") else ALONE
        if name in ("rm", "rmdir", "unlink", "shred", "trash", "tee", "touch", "truncate", "mkdir", "mkfifo"):
            self._write_all(operands, deep=deep)
        elif name in ("chmod", "chown", "chgrp"):
            self._write_all(operands[1:])
        elif name in ("cp", "mv", "ln", "install", "rsync", "scp"):
            self._copy(name, given)
        elif name == "dd":
            self._write_all([word[3:] for word in words if word.startswith("of=")])
        elif name in ("sed", "perl", "ruby", "awk", "gawk"):
            self._in_place(name, given)
        elif name in ("sort", "curl", "wget"):
            targets = given.given("o", "output") if name != "wget" else given.given("O", "output-document")
            self._write_all([target for target in targets if target != "-"])
            self.line.understood = self.line.understood and (name == "sort" or bool(targets))
        elif name == "find":
            self._find(words)
            self._found(words)
        elif name in PATCHING:
            self.line.rewrites = self.line.changes = True
            self.patch(operands[0] if operands else "")
        elif name in ("patch", "tar", "unzip"):
            self.line.rewrites = self.line.changes = True
            self._write_all(operands[:1] + given.given("o", "output") if name == "patch" else [])
        else:
            self.run_script()

    def _find(self, words: list[str]) -> None:
        if not _FIND_ACTS & set(words):
            return
        self.run_script()
        if "-delete" in words and {word for word in words if word[:1] == "-"} <= _FIND_TAKES_ALL:
            first = next(at for at, word in enumerate(words) if word.startswith("-"))
            self._write_all(words[:first] or ["."], deep=ALL)

    def _found(self, words: list[str]) -> None:
        """What `find -exec` does to all that it finds. Where something chooses among it, only the disk knows."""
        starts = words[: next((at for at, word in enumerate(words) if word[:1] in ("-", "(", "!")), len(words))]
        for at, word in enumerate(words):
            behind = words[at + 1 :]
            if word[:1] in ("-", "(", "!") and word not in (*_FIND_TAKES_ALL, *_FIND_ACTS):
                return  # something chooses among the files
            if word in ("-exec", "-execdir", "-ok", "-okdir") and behind and behind[0].rpartition("/")[2] != "find":
                end = next((place for place, one in enumerate(behind) if one in (";", "+")), len(behind))
                for start in starts:
                    self.run([start if one == "{}" else one for one in behind[:end]], fills_in=False)
                return

    def patch(self, text: str) -> None:
        for path, _ in patch.files(text, self.cwd):
            if path.startswith("/") and self._has_room():
                self.line.writes.append((normal(path), ALONE))
            else:
                self.line.understood = False

    def _copy(self, name: str, given: OptionWords) -> None:
        operands = given.operands
        if len(operands) > _WRITES_MAX:
            self.line.understood, self.line.is_unread = False, True
            operands = [*operands[: _WRITES_MAX - 1], operands[-1]]
        operands = [one for word in operands for one in _braced(word)]
        to = given.given("t", "target-directory")
        sources = operands if to else operands[:-1]
        to = to or operands[-1:]
        if name == "mv":
            self._write_all(sources, deep=ALL)
        elif name == "ln" and len(operands) == 1:
            sources, to = operands, ["."]
        names = [source.rstrip("/").rpartition("/")[2] for source in sources[:_WRITES_MAX]]
        for target in to[:_WRITES_MAX]:
            if name in ("rsync", "scp") and ":" in target.partition("/")[0]:
                self.line.changes = True  # on another machine
                continue
            # A folder takes the files in: which of the two it is, the text does not say. Nor which files those are
            # that a pattern names.
            within = [f"{target}/{UNKNOWN if any(sign in one for sign in '*?[') else one}" for one in names]
            self._write_all([target, *within])

    def _in_place(self, name: str, given: OptionWords) -> None:
        if name in ("awk", "gawk"):
            self.run_script()  # its program may write, too
            self._write_all(given.operands[2:] if "i" in given.flags and given.operands[:1] == ["inplace"] else [])
            return
        if not (given.flags & {"i", "in-place"} or given.given("in-place")):
            if name != "sed":  # which runs a program
                self.run_script()
            return
        has_script = given.given("e", "f", "E", "expression", "file")
        self._write_all(given.operands if has_script else given.operands[1:])

    def _git(self, words: list[str]) -> None:
        kept = self.cwd
        while words and words[0].startswith("-"):
            if words[0] == "-C" and len(words) > 1:
                self.cwd = self._place(words[1])
            if words[0] in ("--git-dir", "--work-tree"):
                self.line.understood = False
            words = words[2:] if words[0] in ("-C", "-c", "--git-dir", "--work-tree") else words[1:]
        name = words[0] if words else "help"
        if name not in GIT_READING:
            self.line.changes = True
            self._git_change(name, OptionWords(words[1:], name), words)
        self.cwd = kept

    def _git_change(self, name: str, given: OptionWords, words: list[str]) -> None:
        operands, flags = given.operands, given.flags
        if name == "rm":
            self._write_all(operands if "cached" not in flags else [], deep=TRACKED)
        elif name == "mv":
            self._copy("mv", given)
        elif name == "restore":
            if "staged" not in flags or "worktree" in flags:
                self._write_all(operands, deep=TRACKED)
        elif name == "checkout":
            behind = words[words.index("--") + 1 :] if "--" in words else operands
            self.line.rewrites = self.line.rewrites or "--" not in words
            self._write_all(behind, deep=TRACKED)
        elif name == "clean":
            kept = given.given("e", "exclude")
            # With -X what is left out counts as ignored, and that is what goes.
            spared = "X" not in flags and any(one.strip("/") == ".clew" for one in kept)
            if not flags & {"n", "dry-run"}:
                deep = ALL if flags & {"x", "X"} and not spared else ALONE
                self._write_all(operands or ["."], deep=deep)
        elif name not in GIT_KEEPING:
            self.line.rewrites = True
            self.line.understood = self.line.understood and name in GIT_REWRITING

    def _write_all(self, targets: list[str], *, deep: int = ALONE) -> None:
        for target in targets:
            if not self._has_room():
                return
            for word in _braced(target):
                self.write(word, deep=deep)

    def _has_room(self) -> bool:
        """Whether another file that is written can be noted."""
        if len(self.line.writes) < _WRITES_MAX:
            return True
        self.line.understood, self.line.is_unread = False, True
        return False

    def write(self, target: str, *, deep: int = ALONE) -> None:
        """`deep`: what goes with it of that below it."""
        path = self._place(target)
        if not path or not self._has_room():
            self.line.understood = False
        elif not path.startswith("/dev/") or path.startswith("/dev/shm/"):  # where files lie in memory
            self.line.changes = True
            self.line.writes.append((path, deep))

    def _place(self, word: str) -> str:
        """The absolute path that a word names, `*` for what the shell fills in; "" where that is not known."""
        if word == "~" or word.startswith("~/"):
            word = self.home + word[1:] if self.home else "\0"
        if word.startswith("\0") or not word or len(word) > _PATH_CHARS_MAX:
            return ""
        if not word.startswith("/"):
            if not self.cwd:
                return ""
            word = f"{self.cwd}/{word}"
        wild = any(sign in word for sign in "?[{")
        if wild and len(word) > _PATTERN_CHARS_MAX:
            return ""
        return normal(_wild(word) if wild else word)


_NOT_PLAIN = frozenset("\0 *?[]{}~$`\n\t")
_FIND_ACTS = frozenset(("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fls", "-fprintf"))
# With any other test nobody can tell from the line which files it is about.
_FIND_TAKES_ALL = frozenset("-delete -depth -maxdepth -mindepth -mount -xdev -print -print0".split())


def _wild(word: str) -> str:
    """A word with every pattern of the shell's as `*`: more than it would fill in, never less."""
    for opening, closing in ("[]", "{}"):
        head, *rest = word.split(opening)
        word = head + "".join(f"*{part.rpartition(closing)[2] if closing in part else ''}" for part in rest)
    return word.replace("?", "*")


def _braced(word: str) -> list[str]:
    """The words that a shell makes of one with `{a,b}`; the word itself where that would be many."""
    if "{" not in word or "," not in word or len(word) > _PATTERN_CHARS_MAX or word.count("{") > _BRACES_MAX:
        return [word]
    made: list[str] = []
    left = [(word, 0)]
    while left:
        one, start = left.pop()
        end = one.find("}", start)
        at = one.rfind("{", 0, end) if end > 0 else -1
        if end < 0:
            made.append(one)
        elif at < 0 or "," not in one[at:end]:
            left.append((one, end + 1))
        else:
            left += [(one[:at] + part + one[end + 1 :], 0) for part in reversed(one[at + 1 : end].split(","))]
        if len(made) + len(left) > _WRITES_MAX:
            return [word]
    return made
