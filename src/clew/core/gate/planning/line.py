"""Whether a shell line only reads. Default is no: what is not known to read is refused, with the reason.

Words come from the one reader of shell lines. What only the shell knows stands in them as a sign: `QUOTED` for one word
of any text, `OPEN` for any number of words (a variable without quotes, what `{a,b}` makes), `GLOB` before a pattern of
file names, whose first sign may turn out to be a dash.
"""

from clew.core.gate.planning import programs
from clew.core.gate.planning.variables import assigned, is_own_name
from clew.core.gate.planning.words import GLOB, OPEN, QUOTED, may_be_option, shown
from clew.core.gate.shell.reader import DEPTH_MAX, Reader, encoded
from clew.core.gate.shell.words import KEY_WORDS, is_assignment

TYPE_CHECKING = False  # `typing` would cost a hook more than all that is done here
if TYPE_CHECKING:
    from typing import Any

_STEPS_MAX = 1500
_STEPS_OF_A_SHELL = 100
_LINE_BYTES_MAX = 64 << 10
# Where a line may send its output.
_NOWHERE = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"))
_ARITHMETIC = frozenset(b"0123456789 \t+-*/%()<>=!&|^~?:,")
_NAMES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def refusal(text: str, rules: "programs.Rules") -> str:
    """Why a line is not known to only read, as a clause that completes "because …" (no full stop); "" if it only reads.

    Never raises; costs what the line is long.
    """
    if not text.strip():
        return ""
    if any(sign < " " and sign not in "\t\n\r" for sign in text) or "\x7f" in text:
        return "it holds control characters"
    if rules.trusts_line(text):
        return ""
    data = encoded(text)
    if len(data) > _LINE_BYTES_MAX:
        return f"it is longer than {_LINE_BYTES_MAX} bytes"
    reading = _Line(data, _STEPS_MAX, rules)
    reading.read_all()
    return reading.refused or ("it cannot be read to its end" if reading.is_unsure else "")


class _Line(Reader):
    """A line as a shell would run it. `refused` is the first thing in it that may do more than read."""

    def __init__(self, data: bytes, steps: int, rules: "programs.Rules", depth: int = 0) -> None:
        super().__init__(data, steps, depth)
        self.rules = rules
        self.refused = ""
        self.known: dict[bytes, bytes] = {}  # variables that the line sets once, to what it says
        self.is_quoted = False  # a part of the word under way
        self.in_quotes = False

    def refuse(self, why: str) -> None:
        """Note the first reason, and read no further."""
        self.refused = self.refused or why
        self.at, self.tags = len(self.data), []

    # What the reader finds.

    def enter(self, *, is_group: bool) -> object:  # noqa: ARG002 - nothing differs
        kept = self.word, self.words, self.pending, self.is_quoted, self.in_quotes, self.rules.cwd
        self.word, self.words, self.pending = None, [], ""
        self.is_quoted = self.in_quotes = False
        return kept

    def leave(self, kept: "Any", *, is_group: bool) -> None:  # noqa: ARG002
        self.end_command("", self.at)
        self.word, self.words, self.pending, self.is_quoted, self.in_quotes, self.rules.cwd = kept

    def define(self) -> None:
        self.refuse("it defines a function or a list")

    def write(self, word: bytes) -> None:
        if _text(word) not in _NOWHERE:
            self.refuse(f"it writes to {shown(_text(word))}")

    def taker(self) -> "tuple[str, bool]":
        return (_text(self.words[0]) if self.words else ""), self.is_quoted

    def take(self, taker: "tuple[str, bool]", body: bytes) -> None:
        _, is_literal = taker
        if not is_literal and any(sign in body for sign in (b"$(", b"`", b"${", b"$[")):
            self.refuse("a here-document without quotes around its tag runs commands")

    def value(self, text: bytes) -> bytes:
        if text[:2] == b"$'":
            return QUOTED.encode()
        if text[:2] in (b"<(", b">("):
            return b"/dev/fd/63"
        name = text[1:].strip(b"{}")
        if text[:1] == b"$" and name and name in b"?#$!" and len(name) == 1:
            return b"0"
        if name in (b"HOME", b"PWD") and (known := self.rules.home if name == b"HOME" else self.rules.cwd):
            return encoded(known)
        if (held := self.known.get(name)) is not None and (self.in_quotes or not set(held) & _SPLITS):
            return held
        if text[:2] == b"${" and not _is_plain_parameter(text):
            self.refuse(f"{shown(_text(text))} may run what a variable holds")
        is_one = self.in_quotes and name not in (b"@", b"*")
        return (QUOTED if is_one else OPEN).encode()

    def end_command(self, joint: str, end: int) -> None:  # noqa: ARG002
        self._end_word()
        self.pending = ""
        if joint == ")":
            self.refuse("it has a `case`, or a bracket that nothing opened")
        words, self.words = [_settled(_text(word)) for word in self.words], []
        if not self.refused and words:
            self.refuse_if(self._command(words))

    def refuse_if(self, why: str) -> None:
        """Refuse if there is a reason."""
        if why:
            self.refuse(why)

    def _command(self, words: "list[str]") -> str:
        while words and words[0] in KEY_WORDS:
            del words[0]
        if words[:1] == ["time"]:
            del words[: 2 if words[1:2] == ["-p"] else 1]
        if not words:
            return ""
        if words[0] == "for":
            return self._loop(words)
        if words[0] in ("case", "select", "function", "coproc"):
            return f"`{words[0]}` is not read while a plan is open"
        if self.rules.trusts(words):
            return ""
        count = next((at for at, word in enumerate(words) if not is_assignment(word)), len(words))
        set_here, words = words[:count], words[count:]
        for one in set_here:
            if why := assigned(one, words):
                return why
        if not words:
            self._hold(set_here)
        return programs.refusal(words, self.rules, self._shell_line) if words else ""

    def _loop(self, words: "list[str]") -> str:
        name, values = (words[1] if len(words) > 1 else ""), words[3:]
        if not is_own_name(name):
            return "its loop sets a name that shells obey"
        if values and self._is_set(name, times=0) and not any(map(may_be_option, values)):
            self.known[name.encode()] = f"./{QUOTED}".encode()  # whatever it is, it begins like no option
        return ""

    def _hold(self, assignments: "list[str]") -> None:
        """Know what variables hold that the line sets once, without a program that could set them as well."""
        for one in assignments:
            name, _, value = one.partition("=")
            if not any(sign in value for sign in (QUOTED, OPEN, GLOB)) and self._is_set(name, times=1):
                value = self.rules.home + value[1:] if value[:2] == "~/" and self.rules.home else value
                self.known[name.encode()] = encoded(value)

    def _is_set(self, name: str, *, times: int) -> bool:
        """Whether the whole line sets a variable by so many assignments, and in no other way but one loop."""
        key, data = name.encode(), self.data
        loops = data.count(b"for " + key + b" ")
        return (
            data.count(key + b"=") == times
            and loops == 1 - times
            and key + b"+=" not in data
            and not any(word in data for word in _SETTING)
        )

    def _shell_line(self, line: str) -> str:
        """Why a line that another shell runs is refused."""
        self.steps -= _STEPS_OF_A_SHELL
        if self.depth >= DEPTH_MAX or self.steps < 0:
            return "shells run shells in it, too deep to be read"
        if any(sign in line for sign in (QUOTED, OPEN)):
            return "a shell runs what only a variable tells"
        inner = _Line(encoded(line.replace(GLOB, "")), self.steps, self.rules, self.depth + 1)
        kept = self.rules.cwd
        inner.read_all()
        self.rules.cwd, self.steps = kept, inner.steps
        return inner.refused or ("a shell's line cannot be read to its end" if inner.is_unsure else "")

    # How the reader reads.

    def _sign(self, sign: int) -> None:
        if sign in b"'\"\\" or (sign in b"$" and self.data[self.at + 1 : self.at + 2] == b"'"):
            self.is_quoted = True
        super()._sign(sign)

    def _double(self) -> None:
        kept, self.in_quotes = self.in_quotes, True
        super()._double()
        self.in_quotes = kept

    def _plain(self, chunk: bytes) -> None:
        if any(sign in chunk for sign in b"*?[{"):
            first = self.word is None
            last = self.data[self.at + len(chunk) : self.at + len(chunk) + 1] in (b"", b"\n", b";", b"&", b"|", b")")
            parts = chunk.replace(b"\t", b" ").replace(b"\r", b" ").split(b" ")
            ends = len(parts) - 1
            chunk = b" ".join(
                part if part in _ALONE and (at or first) and (at < ends or last) else _marked(part)
                for at, part in enumerate(parts)
            )
        super()._plain(chunk)

    def _dollar(self) -> None:
        data, at = self.data, self.at + 1
        if data[at : at + 1] in (b'"', b"["):
            self.refuse("it has a `$` that shells read in different ways")
            return
        if data.startswith(b"((", at):
            self._arithmetic(at + 2)
        if not self.refused:
            super()._dollar()

    def _paren(self) -> None:
        if self.data.startswith(b"((", self.at):
            self._arithmetic(self.at + 2)
        if not self.refused:
            super()._paren()

    def _arithmetic(self, start: int) -> None:
        """In arithmetic a name runs what its variable holds."""
        end = self.data.find(b"))", start)
        if not set(self.data[start : end if end >= 0 else len(self.data)]) <= _ARITHMETIC:
            self.refuse("it calculates with names, and shells run what these hold")

    def _end_word(self) -> None:
        super()._end_word()
        self.is_quoted = False


# Words by which a variable may be set, too (all others are refused); what a shell cuts words at, or fills in.
_SETTING = (b"read", b"eval", b":=")
_SPLITS = frozenset(b" \t\n*?[\0\1\2")
_ALONE = (b"[", b"[[", b"{", b"{}")


def _marked(part: bytes) -> bytes:
    """Signs of a pattern with a mark before them; braces that may make several words, too."""
    for sign in (b"*", b"?", b"["):
        part = part.replace(sign, GLOB.encode() + sign)
    return part.replace(b"{", OPEN.encode() + b"{")


def _settled(word: str) -> str:
    """Braces without `,` or `..` make one word: themselves."""
    if OPEN + "{" in word and "," not in word and ".." not in word:
        return word.replace(OPEN + "{", "{")
    return word


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogateescape")


def _is_plain_parameter(text: bytes) -> bool:
    """Whether `${…}` only gives what a variable holds, or a plain part of it."""
    inner = text[2:-1] if text[-1:] == b"}" else b"!"
    inner = inner[1:] if inner[:1] == b"#" and len(inner) > 1 else inner
    at = 0
    while at < len(inner) and inner[at] in _NAMES:
        at += 1
    rest = inner[at:]
    if not at or not rest:
        return bool(at)
    operator = rest[1:2] if rest[:1] == b":" else rest[:1]
    return operator in (b"-", b"+", b"#", b"%", b"/") and not any(sign in rest for sign in b"$`(){[@!'\"\\")
