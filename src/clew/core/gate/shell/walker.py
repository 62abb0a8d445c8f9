"""The one walk over a shell line. It yields the line's simple commands, one after the other: also those of groups,
loops, substitutions, and of a line that another shell runs (`bash -c '…'`, `eval`).

Who wants to know what the line does follows the walk as a `Listener` (`effects`). Who wants to know which commands it
is made of, and what joins them, asks for `commands` (`purposes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from clew.core.gate.shell.programs import LAUNCHERS, SHELLS, WRAPPERS, Purpose
from clew.core.gate.shell.reader import DEPTH_MAX, ShellReader, encoded
from clew.core.gate.shell.words import CLOSING, KEY_WORDS, LISTING, OPENING, PATCHING, is_assignment, program, unwrapped

UNKNOWN = "\0"  # in place of what only the shell knows: variables, what a command prints
_STEPS_OF_A_SHELL = 100
_NO_LIMIT = 1 << 62
# `time` is a word of the shell's own; behind another wrapper it is the program of that name.
_WRAPPING = WRAPPERS | {"time": LAUNCHERS["time"]}
_LAUNCHING = {name: options for name, options in (WRAPPERS | LAUNCHERS).items() if name != "exec"}
_TAKING_OFF = frozenset(word.encode() for word in KEY_WORDS | LISTING | {"time"})
_OPENING, _CLOSING, _LISTING = (frozenset(word.encode() for word in words) for words in (OPENING, CLOSING, LISTING))
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


class Listener(Protocol):
    """Who follows a walk as the shell would run the line.

    `call` is given a command's words, without wrappers. It is followed by `run` (`fills_in`: something else gives it
    further words, as `xargs` does), by the commands of the line that it runs, or by `run_script` where a shell runs
    what does not stand there. `patch` is given what a patching tool applies, `write` a file that output goes to.
    `value` tells what a variable or a substitution stands for, `UNKNOWN` where nobody knows; `hold` hears of variables
    that are set for the rest of `line`. `enter` is asked where a group, a substitution or another shell's line begins,
    and its answer given to `leave`. A command is read no further than `words_max`.
    """

    words_max: int

    def call(self, words: list[str]) -> None: ...
    def run(self, words: list[str], *, fills_in: bool) -> None: ...
    def run_script(self) -> None: ...
    def patch(self, text: str) -> None: ...
    def write(self, target: str) -> None: ...
    def value(self, text: bytes) -> bytes: ...
    def hold(self, assignments: list[str], line: bytes) -> None: ...
    def enter(self) -> object: ...
    def leave(self, kept: Any) -> None: ...


class _List:
    """Commands that stand in one substitution, or in none: what is known of them so far."""

    def __init__(self, start: int) -> None:
        self.start = start  # of the command under way
        self.start_before = start  # of the one before it
        self.found: list[Command] = []
        self.inner: dict[int, list[Command]] = {}  # what the command at that place runs in its stead
        self.groups: list[tuple[int, bool]] = []  # of each open one: its first command, and whether it is negated
        self.closed: list[tuple[int, bool]] = []  # those that the command under way closed
        self.loops = 0  # conditions, too
        self.is_masked = False  # a name is defined again, or the line goes on


class ShellWalker(ShellReader):
    """A walk over `line`, of so many `steps`: `read_all`, then `commands`, which are kept where nobody listens."""

    def __init__(
        self, line: bytes, listener: Listener | None = None, *, steps: int = _NO_LIMIT, depth: int = 0
    ) -> None:
        super().__init__(line, steps, depth)
        self.listener = listener
        self.list = _List(0)
        self.substituted: list[Command] = []  # the commands of the last substitution in the command under way
        self.is_fed = False  # a here-document is what a shell runs

    def commands(self) -> list[Command]:
        """The commands of the line in order, only the first 300, never one without words. Comments and here-documents'
        bodies are left out.
        """
        return self._finished(self.list)

    def taker(self) -> tuple[str, _List, int]:
        name = _text(self.words[0]).rpartition("/")[2] if self.words else ""
        self.is_fed = self.is_fed or name in SHELLS
        return name, self.list, len(self.list.found)

    def take(self, taker: tuple[str, _List, int], body: bytes) -> None:
        name, commands, at = taker
        if self.listener is None:
            if at < len(commands.found):
                commands.found[at] = commands.found[at]._replace(body=_text(body).strip())
        elif name in PATCHING:
            self.listener.patch(_text(body))
        elif name in SHELLS:
            self._run_line(body)

    def value(self, text: bytes) -> bytes:
        if self.listener is not None:
            return self.listener.value(text)
        if text.startswith(b"$'"):
            return text[2:].removesuffix(b"'").replace(b"\\n", b"\n").replace(b"\\'", b"'")
        return text

    def write(self, word: bytes) -> None:
        if self.listener is not None:
            self.listener.write(_text(word))

    def define(self) -> None:
        self.is_unsure = True
        is_function = len(self.words) == 1 and self.data[self.at + 1 : self.at + 10].lstrip()[:1] == b")"
        self.list.is_masked = self.list.is_masked or is_function

    def enter(self, *, is_group: bool) -> object:
        if is_group:
            first = len(self.list.found)
            is_negated = self._take_key_words(self.words)
            if self.words and self.listener is None:  # it stands among the words of a command (`[[ (…) ]]`, `f ()`)
                return None
            self.list.groups.append((first, is_negated))
        kept = self.word, self.words, self.pending, self.list, self.listener and self.listener.enter()
        self.word, self.words, self.pending = None, [], ""
        self.list = self.list if is_group else _List(self.at)
        return kept

    def leave(self, kept: Any, *, is_group: bool) -> None:
        if kept is None:
            return
        self.end_command("", self.at)
        if is_group:
            self._close()
        else:
            self.substituted = self._finished(self.list)
        self.word, self.words, self.pending, self.list, folder = kept
        if self.listener is not None:
            self.listener.leave(folder)

    def _close(self) -> None:
        if self.list.groups:
            self.list.closed.append(self.list.groups.pop())

    def end_command(self, joint: str, end: int) -> None:
        self._end_word()
        self.pending = ""
        words, self.words = self.words, []
        is_redefining = words[:1] in ([b"alias"], [b"function"])
        is_negated = self._take_key_words(words)
        is_pattern = joint == ")"
        self.is_unsure = self.is_unsure or is_pattern
        if self.listener is not None:
            self._tell(words)
        elif not is_pattern:
            self.list.is_masked = self.list.is_masked or is_redefining
            self._keep(words, _JOINTS.get(joint, joint), end, is_negated=is_negated)
        self.list.start = end + len(joint)
        self.substituted = []

    def _take_key_words(self, words: list[bytes]) -> bool:
        """Take the shell's own words off the front; whether they negate the command."""
        is_negated = False
        commands = self.list
        while words and words[0] in _TAKING_OFF:
            if words[0] == b"time" and words[1:2] != [b"-p"] and words[1:2] and words[1].startswith(b"-"):
                break  # the program of that name
            word = words.pop(0)
            commands.loops += (word in _OPENING) - (word in _CLOSING)
            is_negated = is_negated or word == b"!"
            if word in _LISTING:
                words.clear()
            elif word == b"time" and words[:1] == [b"-p"]:
                del words[0]
            elif word == b"{":
                commands.groups.append((len(commands.found), is_negated))
            elif word == b"}":
                self._close()
        return is_negated

    def _tell(self, given: list[bytes]) -> None:
        """Tell the listener of a command."""
        listener = self.listener
        if listener is None or not given:
            return
        self._leave_out(given, listener.words_max * 2)  # wrappers come off first, so that what they wrap is seen
        words = [_text(word) for word in given]
        first = next((word for word in words if not is_assignment(word)), "")
        if not first and all(map(is_assignment, words)):
            listener.hold(words, self.data)
            return
        words = list(unwrapped(tuple(words), _WRAPPING)) or words[-1:]
        self._leave_out(words, listener.words_max)
        listener.call(words)
        name = words[0].rpartition("/")[2]
        if name not in SHELLS and name != "eval":
            listener.run(words, fills_in=first == "xargs")
            return
        line = _inner_line(name, words)
        if line is not None:
            self._run_line(line)
        elif len(words) > 1 or not self.is_fed:
            listener.run_script()

    def _leave_out(self, words: list[Any], most: int) -> None:
        if len(words) > most:
            self.is_unsure = self.is_unread = True
            del words[most:]

    def _run_line(self, line: bytes) -> list[Command]:
        """The commands of a line that another shell runs."""
        self.steps -= _STEPS_OF_A_SHELL
        is_spent = self.depth >= DEPTH_MAX or self.steps < 0
        if is_spent or UNKNOWN.encode() in line:
            self.is_unsure, self.is_unread = True, self.is_unread or is_spent
            return []
        inner = ShellWalker(line, self.listener, steps=self.steps, depth=self.depth + 1)
        kept = self.listener and self.listener.enter()
        inner.read_all()
        if self.listener is not None:
            self.listener.leave(kept)
        self.steps = inner.steps
        self.is_unsure, self.is_unread = self.is_unsure or inner.is_unsure, self.is_unread or inner.is_unread
        return inner.commands()

    def _keep(self, given: list[bytes], joint: str, end: int, *, is_negated: bool) -> None:
        """Keep a command, and what is known now of those before it."""
        commands = self.list
        found = commands.found
        if given and len(found) >= _COMMANDS_MAX:
            self.steps = 0
        elif given:
            words = tuple(_text(word) for word in given)
            bare = unwrapped(words, _LAUNCHING)
            line = _inner_line(program(bare[0]), bare) if bare else None
            if line is not None:
                commands.inner[len(found)] = self._run_line(line)
            elif not bare and self.substituted and words[-1].partition("=")[2].startswith(("$(", "`")):
                commands.inner[len(found)] = self.substituted
            text = self._text_of(commands.start, end)
            found.append(Command(text, words, joint, is_negated or commands.loops > 0))
            commands.start_before = commands.start
        elif found and found[-1].joined_by in ("", ";"):  # only what closes something stood here, and where it writes
            found[-1] = found[-1]._replace(joined_by=joint or found[-1].joined_by)
            if commands.closed and b">" in self.data[commands.start : end]:
                found[-1] = found[-1]._replace(text=self._text_of(commands.start_before, end))
        first = min((first for first, _ in commands.closed), default=len(found))
        is_group_negated = any(is_negated for _, is_negated in commands.closed)
        for at in range(first, len(found)):
            one = found[at]
            found[at] = one._replace(
                joined_by=joint if joint in _HIDING else one.joined_by, is_masked=one.is_masked or is_group_negated
            )
        commands.closed = []

    def _text_of(self, start: int, end: int) -> str:
        text = _text(self.data[start:end]).strip()
        return text if text.count("(") == text.count(")") else text.strip("() \t")  # a part of a sub-shell

    def _finished(self, commands: _List) -> list[Command]:
        """The commands with those in their place that they run."""
        found: list[Command] = []
        for at, command in enumerate(commands.found):
            words = unwrapped(command.words, _LAUNCHING)
            if commands.inner.get(at):
                joint, is_masked = command.joined_by, command.is_masked
                found += [
                    one._replace(
                        joined_by=joint if joint in _HIDING else one.joined_by or joint,
                        is_masked=is_masked or one.is_masked,
                    )
                    for one in commands.inner[at]
                ]
            elif words:
                found.append(command._replace(words=words))
        if found and found[-1].joined_by == ";":  # a line end at the very end joins nothing
            found[-1] = found[-1]._replace(joined_by="")
        return _by_rules_of_the_shell(found, is_masked=commands.is_masked or self.is_unread)


def commands(line: str) -> list[Command]:
    """The simple commands of a line, as `ShellWalker.commands` says. Never raises."""
    walk = ShellWalker(encoded(line))
    walk.read_all()
    return walk.commands()


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


def _text(word: bytes) -> str:
    try:
        return word.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # the walk was given up within a character
        return word.decode("utf-8", "surrogateescape")


def _inner_line(name: str, words: Sequence[str]) -> bytes | None:
    """The line that `bash -c '…'` or `eval` runs; None where that of `name` stands elsewhere, or it is no shell."""
    if name == "eval":
        return encoded(" ".join(words[1:]))
    rest = iter(words[1:] if name in SHELLS else ())
    has_line = False
    for word in rest:
        if word[:1] not in ("-", "+") or word == "-":
            return encoded(word) if has_line else None  # else a script
        if word == "--":
            return encoded(next(rest, "")) if has_line else None
        has_line = has_line or (word[0] == "-" and word[1] != "-" and "c" in word)
        if word in ("--rcfile", "--init-file") or (word[-1] in "oO" and word[1] != "-"):
            next(rest, None)
    return b"" if has_line else None
