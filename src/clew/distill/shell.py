"""A shell line cut into its simple commands, and each of these into words.

It reads what people and agents type, not all of the shell's grammar: sub-shells and loops come out as their inner
commands. It knows nothing about what a command is for: see `commands`.
"""

from collections.abc import Container, Sequence
from itertools import pairwise

from clew.core.tuples import NamedTuple

# Words that only wrap the command behind them, with those of their options that take a value in a word of its own.
# The other options are left out with the wrapper.
_WRAPPERS = {
    "sudo": "-u -g -h -p -C", "time": "-f -o", "nice": "-n", "nohup": "", "env": "-u -C -S", "command": "",
    "exec": "-a", "stdbuf": "-i -o -e", "caffeinate": "-t -w", "timeout": "-s --signal -k --kill-after",
    "gtimeout": "-s --signal -k --kill-after", "xargs": "-n -P -I -L -d -a -s -E", "npx": "-p --package",
    "bunx": "-p --package", "pnpx": "", "uvx": "--from --with",
    "uv run": "--with --python -p --group --extra --package --directory --project --env-file",
    "poetry run": "", "pipenv run": "", "pdm run": "", "hatch run": "", "rye run": "", "bundle exec": "",
    "mise x": "", "mise exec": "", "direnv exec": "", "npm exec": "", "pnpm exec": "", "yarn exec": "",
    "pnpm dlx": "", "yarn dlx": "", "coverage run": "--source --omit --include --rcfile",
}  # fmt: skip
_TIME_LIMITS = frozenset(["timeout", "gtimeout"])  # what stands behind their options is the time
_KEY_WORDS = frozenset(["{", "do", "then", "else", "elif", "if", "while", "until", "!"])
_SHELLS = frozenset(["bash", "sh", "zsh", "dash"])
_JOINTS = {"\n": ";", ";;": ";", "|&": "|"}  # other ways to write an operator
_BLANKS = frozenset(" \t\r")
_SPECIAL = frozenset("\\'\"`#|&;()<>\n \t\r")


class Command(NamedTuple):
    """A simple command. `words` are as typed, quotes too, without wrappers, variables or redirections."""

    text: str
    words: tuple[str, ...]
    joined_by: str  # the operator behind it: "&&", "||", "|", ";" (also for a line end), "&"; "" for the last one


def cut(line: str) -> list[Command]:
    """The commands of a line in order, never one without words. Comments and here-documents' bodies are left out."""
    found: list[Command] = []
    for command in _Reader(line).read():
        words = _bare(command.words)
        inner = _inner_line(words)
        if inner:
            found += (one if one.joined_by else one._replace(joined_by=command.joined_by) for one in cut(inner))
        elif words:
            found.append(command._replace(words=words))
    if found and found[-1].joined_by == ";":  # a line end at the very end joins nothing
        found[-1] = found[-1]._replace(joined_by="")
    return found


class _Reader:
    """One pass over a line. Private to this module: `cut` is the way in."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        self.start = 0  # of the command
        self.word = -1  # start of the word, -1 between words
        self.words: list[str] = []
        self.found: list[Command] = []
        self.skip_word = False  # the next word is a redirection's target
        self.here_next = False  # the next word is a here-document's tag
        self.tags: list[str] = []  # of the here-documents whose bodies begin at the next line end

    def read(self) -> list[Command]:
        line = self.line
        size = len(line)
        while self.at < size:
            char = line[self.at]
            if char not in _SPECIAL:
                end = self.at + 1
                while end < size and line[end] not in _SPECIAL:
                    end += 1
                self._in_word(end - self.at)
            elif char in _BLANKS:
                self._end_word()
                self.at += 1
            elif char == "\\":
                self._escaped()
            elif char in "'\"`":
                self._quoted(char)
            elif char in "<>":
                self._redirected()
            elif char in "()":
                self._end_word(before_paren=True)
                self.at += 1
            elif char == "#":
                self._hash()
            else:
                self._joined(char)
        self._end_command("", size)
        return self.found

    def _in_word(self, chars: int) -> None:
        if self.word < 0:
            self.word = self.at
        self.at += chars

    def _end_word(self, *, before_paren: bool = False) -> None:
        if self.word < 0:
            return
        word = self.line[self.word : self.at]
        self.word = -1
        if self.here_next and not before_paren:  # in "$((a << b))" it is arithmetic
            tag = word.strip("'\"\\")
            if tag.isidentifier():
                self.tags.append(tag)
        elif not self.skip_word and not self.here_next:
            self.words.append(word)
        self.skip_word = self.here_next = False

    def _escaped(self) -> None:
        if self.line.startswith(("\\\n", "\\\r\n"), self.at):  # the line goes on
            self._end_word()
            self.at = self.line.index("\n", self.at) + 1
        else:
            self._in_word(2)

    def _quoted(self, quote: str) -> None:
        """Go behind the closing quote; without one the rest of the line is quoted, as a shell would wait for more."""
        line = self.line
        self._in_word(1)
        opened = self.at
        while True:
            end = line.find(quote, self.at)
            if end < 0:
                self.at = len(line)
                return
            self.at = end + 1
            if quote == "'" or not _is_escaped(line, end, opened):
                break
        here = line.find("<<", opened, self.at) if quote == '"' and line.startswith("$(", opened) else -1
        body = line.find("\n", here) if here >= 0 else -1
        if body >= 0:  # "$(cat <<'EOF' …": the body may hold quotes, so the closing one is behind the body
            self._quoted_here(here + 2, body)

    def _quoted_here(self, at: int, body: int) -> None:
        tag = self.line[at:body].lstrip("- \t").split(maxsplit=1)[:1]
        name = tag[0].strip("'\"\\") if tag else ""
        if name.isidentifier():
            end = self._behind_bodies(body + 1, [name])
            closing = self.line.find('"', end)
            self.at = closing + 1 if closing >= 0 else len(self.line)

    def _redirected(self) -> None:
        line = self.line
        if self.word >= 0 and line[self.word : self.at].isdecimal():
            self.word = -1  # the number of a stream, as in "2>&1"
        self._end_word()
        start = self.at
        while line[self.at : self.at + 1] in ("<", ">") and self.at < start + 3:
            self.at += 1
        operator = line[start : self.at]
        if line.startswith("-" if operator == "<<" else ("&", "|"), self.at):  # "<<-", "2>&1", ">|"
            self.at += 1
        self.here_next = operator == "<<"
        self.skip_word = not self.here_next and line[self.at : self.at + 1] != "("  # "<(…)" holds commands

    def _hash(self) -> None:
        if self.word >= 0:
            self._in_word(1)
            return
        end = self.line.find("\n", self.at)
        self._end_command(";", self.at)
        self.at = self.start = end if end >= 0 else len(self.line)

    def _joined(self, char: str) -> None:
        line, at = self.line, self.at
        if line.startswith("&>", at):
            self._end_word()
            self.at += 1  # a redirection: the next character opens it
            return
        operator = next((double for double in ("&&", "||", "|&", ";;") if line.startswith(double, at)), char)
        self._end_command(_JOINTS.get(operator, operator), at)
        self.at += len(operator)
        if char == "\n" and self.tags:
            self.at = self._behind_bodies(self.at, self.tags)
            self.tags = []
        self.start = self.at

    def _end_command(self, joint: str, end: int) -> None:
        self._end_word()
        self.skip_word = self.here_next = False
        text = self.line[self.start : end].strip()
        if text.count("(") != text.count(")"):
            text = text.strip("() \t")  # a part of a sub-shell
        if self.words:
            self.found.append(Command(text, tuple(self.words), joint))
        elif self.found and joint and not text and self.found[-1].joined_by == ";":
            self.found[-1] = self.found[-1]._replace(joined_by=joint)  # a sub-shell closed on its own line
        self.words = []

    def _behind_bodies(self, at: int, tags: list[str]) -> int:
        """The place behind the last here-document's closing tag; the line's end if one never closes."""
        line = self.line
        for tag in tags:
            while True:
                if at >= len(line):
                    return len(line)
                end = line.find("\n", at)
                end = len(line) if end < 0 else end
                head = line[at:end].lstrip()
                if head.startswith(tag) and not (head[len(tag) : len(tag) + 1] or " ").isalnum():
                    at = end - len(head) + len(tag)
                    break
                at = end + 1
        return at


def _is_escaped(line: str, at: int, start: int) -> bool:
    """Whether an odd number of backslashes stands before `at`, none before `start` counted."""
    before = at
    while before > start and line[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def program(word: str) -> str:
    """A program's name without its folder; every Python is "python"."""
    name = word.strip("'\"").rsplit("/", 1)[-1]
    return "python" if name.rstrip("0123456789.") == "python" else name


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without what wraps them in front."""
    at = 0
    while at < len(words):
        head = program(words[at])
        name, assigned, _ = words[at].partition("=")
        pair = " ".join(words[at : at + 2])
        if head == "for":
            return ()
        if head == "command" and words[at + 1 : at + 2] in (("-v",), ("-V",)):  # it only asks where the program is
            break
        if head in _KEY_WORDS or (assigned and name.rstrip("+").isidentifier()):
            at += 1
        elif head == "python":
            module = next((place for place in range(at + 1, len(words) - 1) if words[place] == "-m"), 0)
            if not module or behind_options(words, at + 1, ("-W", "-X")) < module:  # a script's own -m
                break
            at = module + 1
        elif pair in _WRAPPERS:
            at = behind_options(words, at + 2, _WRAPPERS[pair].split())
        elif head in _WRAPPERS:
            at = behind_options(words, at + 1, _WRAPPERS[head].split()) + (head in _TIME_LIMITS)
        else:
            break
    return words[at:]


def behind_options(words: Sequence[str], at: int, valued: Container[str]) -> int:
    """The place from `at` of the first word that is neither an option nor the value of one of `valued`."""
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return at


def _inner_line(words: tuple[str, ...]) -> str:
    """The line that `bash -c '…'` runs, "" for any other command."""
    if not words or program(words[0]) not in _SHELLS:
        return ""
    for flag, word in pairwise(words[1:]):
        if not flag.startswith("-"):
            break
        if flag.endswith("c") and not flag.startswith("--"):
            return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word
    return ""
