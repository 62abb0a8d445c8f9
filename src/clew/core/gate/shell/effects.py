"""What a shell line would do: which commands it runs, and which files it writes.

It says when it did not understand: a rule that must be sure then treats the line as one that may do anything
(docs/reference/gates.md).
"""

from __future__ import annotations

from typing import Any

from clew.core.gate.shell.programs import GIT_KEEPING, GIT_READING, GIT_REWRITING, LAUNCHERS, READING, SHELLS, WRAPPERS
from clew.core.gate.shell.reader import DEPTH_MAX, ShellReader, encoded
from clew.core.gate.shell.words import (
    ALL,
    ALONE,
    KEY_WORDS,
    PATCHING,
    TRACKED,
    OptionWords,
    is_assignment,
    normal,
    unwrapped,
)
from clew.core.records import patch

# A shell line of more signs than these is read no further: a hook may not take long over anything. One that is longer
# than Linux hands to a program cannot be run, and only its beginning is looked at.
_STEPS_MAX = 1500
_LINE_BYTES_MAX = 128 << 10
_STEPS_OF_LONG_MAX = 300
_STEPS_OF_A_SHELL = 100
_WORDS_MAX = 1000
UNKNOWN = "\0"  # in place of what only the shell knows: variables, what a command prints
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


def reads(name: str) -> bool:
    """Whether a program only reads, whatever its options say."""
    return name in READING


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
    _EffectReading(data, steps, _Doing(found, cwd, home)).read_all()
    return found


class _EffectReading(ShellReader):
    """A line as a shell would run it: what is written in groups and substitutions counts."""

    def __init__(self, data: bytes, steps: int, doing: _Doing, depth: int = 0) -> None:
        super().__init__(data, steps, depth)
        self.doing = doing
        self.found = doing.line
        self.is_fed = False  # a here-document is what a shell runs

    def read_all(self) -> None:
        super().read_all()
        self.found.understood = self.found.understood and not self.is_unsure
        self.found.is_unread = self.found.is_unread or self.is_unread

    def enter(self, *, is_group: bool) -> object:  # noqa: ARG002 - nothing differs
        kept = self.word, self.words, self.pending, self.doing.cwd
        self.word, self.words, self.pending = None, [], ""
        return kept

    def leave(self, kept: Any, *, is_group: bool) -> None:  # noqa: ARG002
        """The folder that it went to is left again."""
        self.end_command("", self.at)
        self.word, self.words, self.pending, self.doing.cwd = kept

    def define(self) -> None:
        self.word, self.is_unsure = None, True

    def write(self, word: bytes) -> None:
        self.doing.write(_text(word))

    def taker(self) -> str:
        name = _name(_text(self.words[0])) if self.words else ""
        self.is_fed = self.is_fed or name in SHELLS
        return name if name in SHELLS or name in PATCHING else ""

    def take(self, taker: str, body: bytes) -> None:
        if taker in PATCHING:
            self.doing.patch(_text(body))
        elif taker:
            self._run(body)

    def value(self, text: bytes) -> bytes:
        name = text.strip(b"${}")
        known = {b"HOME": self.doing.home, b"PWD": self.doing.cwd}.get(name) or self.doing.held.get(name)
        return encoded(known or UNKNOWN)

    def end_command(self, joint: str, end: int) -> None:  # noqa: ARG002
        self._end_word()
        self.pending = ""
        self.is_unsure = self.is_unsure or joint == ")"
        if not self.words:
            return
        self._leave_out(self.words, _WORDS_MAX * 2)  # wrappers come off first, so that what they wrap is seen
        words, self.words = [_text(word) for word in self.words], []
        count = 0
        while count < len(words) and (
            words[count] in KEY_WORDS or words[count] == "time" or is_assignment(words[count])
        ):
            count += 2 if words[count : count + 2] == ["time", "-p"] else 1
        set_here, words = words[:count], words[count:]
        if not words:
            self._hold(set_here)
        fills_in = words[:1] == ["xargs"]
        words = list(unwrapped(tuple(words), _WRAPPERS)) or words[-1:]
        if not words:
            return
        self._leave_out(words, _WORDS_MAX)
        self.found.commands.append(words)
        name = _name(words[0])
        if name in SHELLS or name == "eval":
            self._shell(name, words)
        else:
            self.doing.run(words, fills_in=fills_in)

    def _leave_out(self, words: list[Any], most: int) -> None:
        if len(words) > most:
            self.is_unsure = self.is_unread = True
            del words[most:]

    def _hold(self, assignments: list[str]) -> None:
        """Know what a variable holds that the whole line sets once, in plain words: of any other nobody guesses."""
        for one in assignments:
            name, _, value = one.partition("=")
            key = name.encode()
            is_once = self.data.count(key + b"=") == 1 and b"for " + key + b" " not in self.data
            if is_once and value and not set(value) & _NOT_PLAIN and b"read" not in self.data:
                self.doing.held[key] = value

    def _shell(self, name: str, words: list[str]) -> None:
        flags = [word for word in words[1:] if word.startswith("-") and "c" in word.lstrip("-")]
        if name == "eval":
            self._run(encoded(" ".join(words[1:])))
        elif flags:
            behind = words[words.index(flags[0]) + 1 :]
            self._run(encoded(behind[0]) if behind else b"")
        elif len(words) > 1 or not self.is_fed:
            self.doing.anything()  # a script

    def _run(self, line: bytes) -> None:
        """The commands of a line that another shell runs."""
        self.steps -= _STEPS_OF_A_SHELL
        is_spent = self.depth >= DEPTH_MAX or self.steps < 0
        if is_spent or encoded(UNKNOWN) in line:
            self.is_unsure, self.is_unread = True, self.is_unread or is_spent
            return
        inner = _EffectReading(line, self.steps, self.doing, self.depth + 1)
        kept = self.doing.cwd
        inner.read_all()
        self.doing.cwd = kept
        self.steps = inner.steps


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogateescape")


def _name(word: str) -> str:
    return word.rpartition("/")[2]


class _Doing:
    """What the commands of a line do, one after the other, from the folder `cwd` ("" unknown) on."""

    def __init__(self, line: ShellLine, cwd: str, home: str) -> None:
        self.line = line
        self.cwd = cwd
        self.home = home
        self.held: dict[bytes, str] = {}  # variables that the line sets

    def run(self, words: list[str], *, fills_in: bool) -> None:
        """Note what the command `words` does. `fills_in`: something else gives it further words (`xargs`)."""
        name = words[0].rpartition("/")[2]
        if name in ("cd", "pushd"):
            to = next((word for word in words[1:] if not word.startswith("-")), self.home)
            self.cwd = self._place(to) if words[1:] != ["-"] else ""
        elif name not in READING:
            if fills_in:
                self.anything()
            self._deed(name, words[1:])

    def anything(self) -> None:
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
            self.anything()

    def _find(self, words: list[str]) -> None:
        if not _FIND_ACTS & set(words):
            return
        self.anything()
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
        """Note what a patch writes that `apply_patch` is given."""
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
            self.anything()  # its program may write, too
            self._write_all(given.operands[2:] if "i" in given.flags and given.operands[:1] == ["inplace"] else [])
            return
        if not (given.flags & {"i", "in-place"} or given.given("in-place")):
            if name != "sed":  # which runs a program
                self.anything()
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
        """Note that the file which the word `target` names is written, and `deep` what of that below it."""
        path = self._place(target)
        if not path or not self._has_room():
            self.line.understood = False
        elif not path.startswith("/dev/"):
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


_WRAPPERS = WRAPPERS | {"time": LAUNCHERS["time"]}  # behind another wrapper it is the program of that name
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
