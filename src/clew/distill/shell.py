"""A shell line cut into its simple commands, and each of these into words.

It reads what people and agents type, not all of the shell's grammar: sub-shells and loops come out as their inner
commands. It knows nothing about what a command is for: see `commands`.
"""

import re
from collections.abc import Container, Sequence
from itertools import pairwise

from clew.core.tuples import NamedTuple

# Words that only wrap the command behind them, with those of their options that take a value in a word of its own.
# The other options are left out with the wrapper.
_WRAPPERS = {
    "sudo": "-u -g -h -p -C", "time": "-f -o", "nice": "-n", "nohup": "", "env": "-u -C -S", "command": "",
    "stdbuf": "-i -o -e", "caffeinate": "-t -w", "timeout": "-s --signal -k --kill-after",
    "gtimeout": "-s --signal -k --kill-after", "xargs": "-n -P -I -L -d -a -s -E", "npx": "-p --package",
    "bunx": "-p --package", "pnpx": "", "uvx": "--from --with",
    "uv run": "--with --python -p --group --extra --package --directory --project --env-file",
    "poetry run": "", "pipenv run": "", "pdm run": "", "hatch run": "", "rye run": "", "bundle exec": "",
    "mise x": "", "mise exec": "", "direnv exec": "", "npm exec": "", "pnpm exec": "", "yarn exec": "",
    "pnpm dlx": "", "yarn dlx": "", "coverage run": "--source --omit --include --rcfile",
}  # fmt: skip
_TIME_LIMITS = frozenset(["timeout", "gtimeout"])  # what stands behind their options is the time
_OPENING = frozenset(["if", "while", "until", "for", "case", "select"])
_CLOSING = frozenset(["fi", "done", "esac"])
_KEY_WORDS = _OPENING | _CLOSING | {"{", "}", "do", "then", "else", "elif", "!"}
_SHELLS = frozenset(["bash", "sh", "zsh", "dash"])
_JOINTS = {"\n": ";", ";;": ";", "|&": "|"}  # other ways to write an operator
# Behind what is put together by these, nobody knows how each part of it ended.
_HIDING = frozenset(["|", "||", "&"])

_COMMANDS_MAX = 300  # more stand in no line that somebody wrote
_PLAIN = re.compile(r"[^ \t\r\n\\'\"`|&;()<>]+")
_JOINT = re.compile(r"&&|\|\||\|&|;;|[|;&\n]")
_REDIRECTION = re.compile(r"&>>?|\d*(?:<<<|<<-?|>>|<>|>\||[<>]&?)")
_TAG = re.compile(r"[ \t]*[\\'\"]?([A-Za-z_]\w*)['\"]?(?!\s*\)\))")  # in "$((a << b))" it is arithmetic
_DEFINING = re.compile(r"\(\s*\)|\b(?:alias|function)\s")


class Command(NamedTuple):
    """A simple command. `words` are as typed, quotes too, without wrappers, variables or redirections.

    `joined_by` is the operator behind it: "&&", "||", "|", ";" (also for a line end), "&"; "" for the last one. Where
    the line makes sure that it goes on only after a success (`set -e`, `pipefail`), it is "&&". `is_masked`: whether it
    ran, or how, nobody can tell from how the line ended (negated, in a loop, behind `exit 0`, a name defined anew).
    """

    text: str
    words: tuple[str, ...]
    joined_by: str
    is_masked: bool = False


def cut(line: str) -> list[Command]:
    """The commands of a line in order, only the first 300, never one without words. Comments and here-documents' bodies
    are left out.
    """
    found: list[Command] = []
    reader = _Reader(line)
    for command in reader.read():
        words = _bare(command.words)
        inner = _inner_line(words)
        if inner:
            found += [
                one._replace(
                    joined_by=command.joined_by if command.joined_by in _HIDING else one.joined_by or command.joined_by,
                    is_masked=one.is_masked or command.is_masked,
                )
                for one in cut(inner)
            ]
        elif words:
            found.append(command._replace(words=words))
    if found and found[-1].joined_by == ";":  # a line end at the very end joins nothing
        found[-1] = found[-1]._replace(joined_by="")
    return _by_rules_of_the_shell(found, is_masked=reader.is_unsure)


def _by_rules_of_the_shell(found: list[Command], *, is_masked: bool) -> list[Command]:
    """The commands as `set -e`, `set -o pipefail` and `exit` before them make them."""
    strict: set[str] = set()
    made: list[Command] = []
    before = ""
    for command in found:
        words, joint = command.words, command.joined_by
        made.append(
            command._replace(
                joined_by="&&" if joint in strict else joint,
                is_masked=is_masked or command.is_masked,
            )
        )
        if words[0] == "set":
            options = "".join(word for word in words[1:] if word.startswith("-") and not word.startswith("--"))
            strict |= {";"} if "e" in options or "errexit" in words else set()
            strict |= {"|"} if "pipefail" in words else set()
            strict -= {";"} if "+e" in words else set()
        elif words[0] in ("exec", "return") or (words[0] == "trap" and "exit" in command.text):
            is_masked = True
        elif words[0] == "exit":
            is_masked = is_masked or words[1:] == ("0",) or (not words[1:] and before != "||")
        before = joint
    return made


class _Reader:
    """One pass over a line. Private to this module: `cut` is the way in."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        self.start = 0  # of the command
        self.words: list[str] = []
        self.found: list[Command] = []
        self.tags: list[str] = []  # of the here-documents whose bodies begin at the next line end
        self.groups: list[tuple[int, bool]] = []  # of each open one: its first command, and whether it is negated
        self.closed: list[tuple[int, bool]] = []  # those that the command under way closed
        self.depth = 0  # of conditions and loops
        self.is_unsure = False  # a name is defined anew, or the line goes on

    def read(self) -> list[Command]:
        line, size = self.line, len(self.line)
        while self.at < size and len(self.found) < _COMMANDS_MAX:
            char = line[self.at]
            if char in " \t\r":
                self.at += 1
            elif line.startswith(("\\\n", "\\\r\n"), self.at):  # the line goes on
                self.at = line.index("\n", self.at) + 1
            elif char == "#":
                end = line.find("\n", self.at)
                self._end_command(";", self.at)
                self.at = self.start = end if end >= 0 else size
            elif into := _REDIRECTION.match(line, self.at):
                self._redirected(into[0], into.end())
            elif joint := _JOINT.match(line, self.at):
                self._joined(joint[0])
            elif char in "()":
                self._paren(char)
            else:
                end = _word_end(line, self.at)
                word, self.at = line[self.at : end], end
                self.is_unsure = self.is_unsure or (not self.words and word in ("alias", "function"))
                self.words.append(word)
        self.is_unsure = self.is_unsure or self.at < size
        self._end_command("", self.at)
        return self.found

    def _paren(self, char: str) -> None:
        if char == ")":
            if self.groups:
                self.closed.append(self.groups.pop())
        else:
            empty = _DEFINING.match(self.line, self.at)
            self.is_unsure = self.is_unsure or (empty is not None and len(self.words) == 1)
            self.groups.append((len(self.found), "!" in self.words[:1]))
        self.at += 1

    def _redirected(self, operator: str, end: int) -> None:
        self.at = end
        tag = _TAG.match(self.line, end) if operator.lstrip("0123456789") in ("<<", "<<-") else None
        if tag:
            self.tags.append(tag[1])
            self.at = tag.end()
        elif not self.line.startswith("(", end):  # "<(…)" holds commands
            while self.line[self.at : self.at + 1] in (" ", "\t"):
                self.at += 1
            self.at = max(self.at, _word_end(self.line, self.at))

    def _joined(self, operator: str) -> None:
        self._end_command(_JOINTS.get(operator, operator), self.at)
        self.at += len(operator)
        if operator == "\n" and self.tags:
            self.at = _behind_bodies(self.line, self.at, self.tags)
            self.tags = []
        self.start = self.at

    def _end_command(self, joint: str, end: int) -> None:
        text = self.line[self.start : end].strip()
        if text.count("(") != text.count(")"):
            text = text.strip("() \t")  # a part of a sub-shell
        words, self.words = self.words, []
        is_negated = self._key_words(words)
        if words:
            self.found.append(Command(text, tuple(words), joint, is_negated or self.depth > 0))
        elif self.found and joint and self.found[-1].joined_by == ";":  # only what closes something stood here
            self.found[-1] = self.found[-1]._replace(joined_by=joint)
        first = min((first for first, _ in self.closed), default=len(self.found))
        is_group_negated = any(is_negated for _, is_negated in self.closed)
        for at in range(first, len(self.found)):
            one = self.found[at]
            self.found[at] = one._replace(
                joined_by=joint if joint in _HIDING else one.joined_by, is_masked=one.is_masked or is_group_negated
            )
        self.closed = []

    def _key_words(self, words: list[str]) -> bool:
        """Take the shell's own words off the front; whether they negate the command."""
        is_negated = False
        while words and words[0] in _KEY_WORDS:
            word = words.pop(0)
            self.depth += (word in _OPENING) - (word in _CLOSING)
            is_negated = is_negated or word == "!"
            if word in ("for", "case", "select"):
                words.clear()
            elif word == "{":
                self.groups.append((len(self.found), is_negated))
            elif word == "}" and self.groups:
                self.closed.append(self.groups.pop())
        return is_negated


def _word_end(line: str, at: int) -> int:
    """The place behind the word that begins at `at`. A quote that nothing closes goes on to the line's end."""
    while at < len(line):
        char = line[at]
        if char == "\\" and line[at + 1 : at + 2] != "\n":
            at += 2
        elif char in "'\"`":
            at = _behind_quote(line, at, char)
        elif plain := _PLAIN.match(line, at):
            at = plain.end()
        else:
            break
    return min(at, len(line))


def _behind_quote(line: str, at: int, quote: str) -> int:
    opened = at = at + 1
    while True:
        end = line.find(quote, at)
        if end < 0:
            return len(line)
        at = end + 1
        before = line[opened:end]
        if quote == "'" or (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            break
    # "$(cat <<'EOF' …": the body may hold quotes, so the closing one is behind the body.
    here = line.find("<<", opened, at) if quote == '"' and line.startswith("$(", opened) else -1
    body = line.find("\n", here) if here >= 0 else -1
    tag = _TAG.match(line, here + 2 + line.startswith("-", here + 2)) if body >= 0 else None
    if tag:
        closing = line.find(quote, _behind_bodies(line, body + 1, [tag[1]]))
        return closing + 1 if closing >= 0 else len(line)
    return at


def _behind_bodies(line: str, at: int, tags: list[str]) -> int:
    """The place behind the last here-document's closing tag; the line's end if one never closes."""
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
        if head == "command" and words[at + 1 : at + 2] in (("-v",), ("-V",)):  # it only asks where the program is
            break
        if assigned and name.rstrip("+").isidentifier():
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
