"""A shell line cut into its simple commands, and each of these into words.

Sub-shells and loops come out as their inner commands. It knows nothing about what a command is for: see `purposes`.
"""

from itertools import pairwise
from typing import Any, NamedTuple

from clew.core.gate.shell.programs import LAUNCHERS, SHELLS, WRAPPERS, Purpose
from clew.core.gate.shell.reader import DEPTH_MAX, ShellReader, encoded
from clew.core.gate.shell.words import CLOSING, KEY_WORDS, LISTING, OPENING, is_assignment, program, unwrapped

_WRAPPERS = {name: options for name, options in (WRAPPERS | LAUNCHERS).items() if name != "exec"}
_JOINTS = {"\n": ";", ";;": ";", "|&": "|"}  # other ways to write an operator
# Behind what is put together by these, nobody knows how each part of it ended.
_HIDING = frozenset(["|", "||", "&"])
_COMMANDS_MAX = 300  # more stand in no line that somebody wrote


class Command(NamedTuple):
    """A simple command. `text` is as typed. `words` are as the program gets them, but for variables and substitutions,
    which are as typed; without wrappers, assignments and redirections. `body` is that of its here-document.

    `joined_by` is the operator behind it: "&&", "||", "|", ";" (also for a line end), "&"; "" for the last one. Where
    the line makes sure that it goes on only after a success (`set -e`, `pipefail`), it is "&&". `is_masked`: whether it
    ran, or how, nobody can tell from how the line ended (negated, in a loop, behind `exit 0`, a name defined again).
    `purpose` is filled in by `purposes.split`.
    """

    text: str
    words: tuple[str, ...]
    joined_by: str
    is_masked: bool = False
    purpose: Purpose = "other"
    body: str = ""


def cut(line: str, depth: int = 0) -> list[Command]:
    """The commands of a line in order, only the first 300, never one without words. Comments and here-documents' bodies
    are left out. `depth`: so many shells run this line, each for the one before.
    """
    found: list[Command] = []
    reading = _Reading(line)
    for command in reading.found:
        words = unwrapped(command.words, _WRAPPERS)
        inner = _inner_line(words or command.words[-1:]) if depth < DEPTH_MAX else ""
        if inner:
            found += [
                one._replace(
                    joined_by=command.joined_by if command.joined_by in _HIDING else one.joined_by or command.joined_by,
                    is_masked=one.is_masked or command.is_masked,
                )
                for one in cut(inner, depth + 1)
            ]
        elif words:
            found.append(command._replace(words=words))
    if found and found[-1].joined_by == ";":  # a line end at the very end joins nothing
        found[-1] = found[-1]._replace(joined_by="")
    return _by_rules_of_the_shell(found, is_masked=reading.is_masked)


def _by_rules_of_the_shell(found: list[Command], *, is_masked: bool) -> list[Command]:
    """The commands as `set -e`, `set -o pipefail` and `exit` before them make them."""
    strict: set[str] = set()
    made: list[Command] = []
    before = ""
    for command in found:
        words, joint = command.words, command.joined_by
        made.append(
            command._replace(joined_by="&&" if joint in strict else joint, is_masked=is_masked or command.is_masked)
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


class _Reading(ShellReader):
    """The commands of a line, with their words as they were typed. What a substitution runs is a part of its word."""

    def __init__(self, line: str) -> None:
        data = encoded(line)
        super().__init__(data, 2 * len(data) + 2)
        self.start = 0  # of the command
        self.found: list[Command] = []
        self.groups: list[tuple[int, bool]] = []  # of each open one: its first command, and whether it is negated
        self.closed: list[tuple[int, bool]] = []  # those that the command under way closed
        self.loops = 0  # conditions, too
        self.within = 0  # substitutions
        self.is_masked = False  # a name is defined again, or the line goes on
        self.read_all()

    def taker(self) -> int:
        """The command that comes next."""
        return len(self.found) if not self.within else -1

    def take(self, taker: int, body: bytes) -> None:
        if 0 <= taker < len(self.found):
            self.found[taker] = self.found[taker]._replace(body=_text(body).strip())

    def value(self, text: bytes) -> bytes:
        if text.startswith(b"$'"):
            return text[2:].removesuffix(b"'").replace(b"\\n", b"\n").replace(b"\\'", b"'")
        return text

    def give_up(self) -> None:
        super().give_up()
        self.is_masked = True

    def enter(self, *, is_group: bool) -> object:
        if is_group:
            is_defined = len(self.words) == 1 and self.data[self.at : self.at + 9].lstrip()[:1] == b")"
            self.is_masked = self.is_masked or (is_defined and not self.within)
            self.groups.append((len(self.found), b"!" in self.words[:1]))
            return None
        kept = self.word, self.words, self.pending
        self.word, self.words, self.pending = None, [], ""
        self.within += 1
        return kept

    def leave(self, kept: Any, *, is_group: bool) -> None:
        if is_group:
            self._close()
        else:
            self.within -= 1
            self.word, self.words, self.pending = kept

    def _close(self) -> None:
        if self.groups:
            self.closed.append(self.groups.pop())

    def end_command(self, joint: str, end: int) -> None:
        self.pending = ""
        if joint == ")":
            return
        if self.within or len(self.found) >= _COMMANDS_MAX:
            self.words = []
            self.steps = self.steps if self.within else 0
            return
        text = _text(self.data[self.start : end]).strip()
        self.start = end + max(1, len(joint))
        joint = _JOINTS.get(joint, joint)
        if text.count("(") != text.count(")"):
            text = text.strip("() \t")  # a part of a sub-shell
        words, self.words = [_text(word) for word in self.words], []
        self.is_masked = self.is_masked or words[:1] in (["alias"], ["function"])
        is_negated = self._key_words(words)
        if words:
            self.found.append(Command(text, tuple(words), joint, is_negated or self.loops > 0))
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
        while words and (words[0] in KEY_WORDS or words[0] in LISTING):
            word = words.pop(0)
            self.loops += (word in OPENING) - (word in CLOSING)
            is_negated = is_negated or word == "!"
            if word in LISTING:
                words.clear()
            elif word == "{":
                self.groups.append((len(self.found), is_negated))
            elif word == "}":
                self._close()
        return is_negated


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogatepass")


def _inner_line(words: tuple[str, ...]) -> str:
    """The line that `bash -c '…'` runs, or an assignment of what it prints; "" for any other command."""
    _, _, value = words[0].partition("=")
    if is_assignment(words[0]) and value.startswith("$(") and value.endswith(")") and value[2] != "(":
        return value[2:-1]
    if program(words[0]) not in SHELLS:
        return ""
    for flag, word in pairwise(words[1:]):
        if not flag.startswith("-"):
            break
        if flag.endswith("c") and not flag.startswith("--"):
            return word
    return ""
