"""Command lines: which commands a shell line would run, and which files they would write. Pure; a hook imports it.

It reads what agents type, not all of the shell's grammar, in one pass of few steps, and says when it did not
understand: a rule that must be sure then treats the line as one that may do anything (docs/gates.md).
"""

from clew.core.commands import UNKNOWN, Doing, Line
from clew.core.gate import PATCHING

# A shell line of more signs than these is read no further: a hook may not take long over anything. One that is longer
# than Linux hands to a program cannot be run, and only its beginning is looked at.
_STEPS_MAX = 1500
_LINE_BYTES_MAX = 128 << 10
_STEPS_OF_LONG_MAX = 300
_STEPS_OF_A_SHELL = 100
_DEPTH_MAX = 20
_WORDS_MAX = 1000

# In place of what only the shell knows: variables, what a command prints.
_UNKNOWN = UNKNOWN.encode()
_SPECIAL = b"\\'\"`$;&|<>()#\n"
_BLANKS = b" \t\r"
_MARKS = bytes(0 if code in _SPECIAL else (code or 1) for code in range(256))
_MARKS_QUOTED = bytes(0 if code in b'"\\$`' else (code or 1) for code in range(256))
_NAME = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

_KEY_WORDS = frozenset("{ } do then else elif if while until ! done fi esac time".split())
_SHELLS = frozenset("bash sh zsh dash ksh".split())
# Words that only wrap the command behind them, with those of their options that take a value.
_WRAPPERS = {
    "sudo": "-u -g -h -p -C", "nice": "-n", "nohup": "", "env": "-u -C", "command": "", "exec": "-a", "builtin": "",
    "stdbuf": "-i -o -e", "timeout": "-s --signal -k --kill-after", "xargs": "-n -P -I -L -d -a -s -E", "doas": "-u",
}  # fmt: skip


def read(line: str, cwd: str, home: str = "") -> Line:
    """What a shell in the folder `cwd` (absolute) would do with `line`. Never raises; costs what the line is long."""
    found = Line()
    _Reader(line.encode("utf-8", "surrogatepass"), Doing(found, cwd, home), 0).read_all()
    return found


class _Reader:
    """One pass over a line. Private to this module: `read` is the way in."""

    def __init__(self, data: bytes, doing: Doing, depth: int) -> None:
        self.data = data
        self.marks = data.translate(_MARKS)
        self.doing = doing
        self.found = doing.line
        self.depth = depth
        self.at = 0
        self.steps = _STEPS_MAX if len(data) <= _LINE_BYTES_MAX else _STEPS_OF_LONG_MAX
        self.word: list[bytes] | None = None
        self.words: list[bytes] = []
        self.pending = ""  # what the next word is: "write", "read", "here", or "" a word of the command
        # Of here-documents whose bodies begin at the next line, with who reads it where that matters.
        self.tags: list[tuple[bytes, str, bool]] = []
        self.quoted = b""
        self.is_fed = False  # a here-document is what a shell runs

    def read_all(self) -> None:
        self._list(0)

    def _list(self, closing: int) -> None:
        """Commands up to the sign `closing`, which is passed; 0: to the end."""
        data, size = self.data, len(self.data)
        while self.at < size:
            stop = self.marks.find(b"\0", self.at)
            stop = size if stop < 0 else stop
            if stop > self.at:
                self._plain(data[self.at : stop])
                self.at = stop
                continue
            self.steps -= 1
            if self.steps < 0:
                self.found.understood = False
                self.at = size
                break
            sign = data[self.at]
            if sign == closing:
                self.at += 1
                break
            self._sign(sign)
        self._end_command()

    def _sign(self, sign: int) -> None:
        data = self.data
        if sign in b"'":
            end = data.find(b"'", self.at + 1)
            end = len(data) if end < 0 else end
            self._piece(data[self.at + 1 : end])
            self.at = end + 1
        elif sign in b'"':
            self.at += 1
            self._piece(b"")
            self._double()
        elif sign in b"\\":
            if data[self.at + 1 : self.at + 2] != b"\n":  # else the line goes on
                self._piece(data[self.at + 1 : self.at + 2])
            self.at += 2
        elif sign in b"$" and data[self.at + 1 : self.at + 2] == b"'":
            self._escaped()
        elif sign in b"$":
            self._dollar()
        elif sign in b"`":
            self.at += 1
            self._piece(_UNKNOWN)
            self._inner(0x60)
        elif sign in b"#":
            self._hash()
        elif sign in b"<>":
            self._redirect(sign)
        elif sign in b"(":
            self._paren()
        else:
            self._joint(sign)

    def _plain(self, chunk: bytes) -> None:
        if chunk[0] in _BLANKS:
            self._end_word()
        parts = chunk.split()
        if len(parts) > 1:
            self._piece(parts[0])
            self._end_word()
            self.words += parts[1:-1]
        if parts:
            self._piece(parts[-1])
            if chunk[-1] in _BLANKS:
                self._end_word()

    def _piece(self, piece: bytes) -> None:
        if self.word is None:
            self.word = []
        self.word.append(piece)

    def _escaped(self) -> None:
        """Behind a text in `$'…'`, in which a quote may stand behind a backslash. What its escapes stand for is left
        out."""
        data, at = self.data, self.at + 2
        while True:
            end = data.find(b"'", at)
            self.steps -= 1
            if end < 0 or self.steps < 0:
                self.found.understood = False
                end = len(data)
                break
            before = data[at:end]
            if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
                break
            at = end + 1
        text = data[self.at + 2 : end]
        self._piece(_UNKNOWN if b"\\" in text else text)
        self.at = end + 1

    def _double(self) -> None:
        """Behind the closing `"`. What stands in `$(…)` is run there, too."""
        data, size = self.data, len(self.data)
        self.quoted = self.quoted or data.translate(_MARKS_QUOTED)
        while True:
            end = self.quoted.find(b"\0", self.at)
            self.steps -= 1
            if end < 0 or self.steps < 0:
                self.found.understood = False
                self._piece(data[self.at :])
                self.at = size
                return
            self._piece(data[self.at : end])
            self.at = end
            sign = data[end]
            if sign in b'"':
                self.at += 1
                return
            if sign in b"\\":
                self._piece(data[end + 1 : end + 2])
                self.at += 2
            elif sign in b"$":
                self._dollar()
            else:
                self.at += 1
                self._piece(_UNKNOWN)
                self._inner(0x60)

    def _dollar(self) -> None:
        data, at = self.data, self.at + 1
        following = data[at : at + 1]
        if data.startswith(b"((", at):
            end = data.find(b"))", at)
            self.at = end + 2 if end >= 0 else len(data)
            self._piece(_UNKNOWN)
        elif following == b"(":
            self.at = at + 1
            self._piece(_UNKNOWN)
            self._inner(0x29)
        elif following == b"{":
            end = data.find(b"}", at)
            self.at = end + 1 if end >= 0 else len(data)
            name = data[at + 1 : self.at - 1]
            self._piece(self._value(name))
            if b"(" in name or b"`" in name:  # what it runs, nobody reads
                self.found.understood = False
        elif following[:1] and following[0] in _NAME:
            end = at + 1
            while end < len(data) and data[end] in _NAME:
                end += 1
            self.at = end
            self._piece(self._value(data[at:end]))
        else:
            self.at = at + 1 if following and following[0] in b"?!$@*#-" else at
            self._piece(_UNKNOWN if self.at > at else b"$")

    def _value(self, name: bytes) -> bytes:
        if name == b"HOME" and self.doing.home:
            return self.doing.home.encode("utf-8", "surrogatepass")
        if name == b"PWD" and self.doing.cwd:
            return self.doing.cwd.encode("utf-8", "surrogatepass")
        return _UNKNOWN

    def _inner(self, closing: int) -> None:
        """Commands within a word: what they write counts, and the folder they go to is left again."""
        kept = self.word, self.words, self.pending, self.doing.cwd
        self.word, self.words, self.pending = None, [], ""
        self.depth += 1
        if self.depth > _DEPTH_MAX:
            self.found.understood = False
            self.at = len(self.data)
        self._list(closing)
        self.depth -= 1
        self.word, self.words, self.pending, self.doing.cwd = kept

    def _paren(self) -> None:
        end = self.data.find(b"))", self.at) if self.data.startswith(b"((", self.at) else -1
        if end >= 0 and self.word is None:  # arithmetic: its ">" writes nothing
            self.found.understood = self.found.understood and b"`" not in self.data[self.at : end]
            self.at = end + 2
            return
        self.at += 1
        if self.word is not None and not self.words:  # a function: "name() {"
            self.word = None
            self.found.understood = False
        self._end_word()
        self._inner(0x29)

    def _hash(self) -> None:
        if self.word is not None:
            self._piece(b"#")
            self.at += 1
            return
        end = self.data.find(b"\n", self.at)
        self.at = end if end >= 0 else len(self.data)

    def _redirect(self, sign: int) -> None:
        data, at = self.data, self.at
        if self.word is not None and b"".join(self.word).isdigit():
            self.word = None  # the number of a stream
        self._end_word()
        rest = data[at + 1 : at + 3]
        if b"[[" in self.words[:3] and b"]]" not in self.words:
            self.at = at + 1  # it compares
        elif rest[:1] == b"(":  # "<(…)": what it holds is run
            self.at = at + 2
            self._piece(_UNKNOWN)
            self._inner(0x29)
        elif sign in b">":
            skip = 2 if rest[:1] in (b">", b"|", b"&") else 1
            self.at = at + skip
            duplicated = rest[:1] == b"&" and (rest[1:2].isdigit() or rest[1:2] == b"-")
            self.pending = "read" if duplicated else "write"
        elif rest[:2] == b"<<":
            self.at, self.pending = at + 3, "read"
        elif rest[:1] == b"<":
            self.at, self.pending = (at + 3, "here-") if rest[1:2] == b"-" else (at + 2, "here")
        else:
            self.at, self.pending = at + (2 if rest[:1] in (b"&", b">") else 1), "read" if rest[:1] != b">" else "write"

    def _joint(self, sign: int) -> None:
        """`;`, `&`, `|`, a line end, or a `)` that nothing opened (of a `case`)."""
        data, at = self.data, self.at
        if sign in b"&" and data[at + 1 : at + 2] == b">":
            self._end_word()
            self.at += 1  # a redirection: the next sign opens it
            return
        self._end_command()
        self.at = at + (2 if data[at : at + 2] in (b"&&", b"||", b"|&", b";;") else 1)
        if sign in b")":
            self.found.understood = False
        elif sign in b"\n" and self.tags:
            self._bodies()

    def _bodies(self) -> None:
        """Behind the bodies of here-documents. What a shell is given so is run."""
        data = self.data
        for tag, reader, is_indented in self.tags:
            start = self.at
            wanted = tag if is_indented else b"\n" + tag
            at = start if is_indented else start - 1
            while True:
                self.steps -= 1
                hit = data.find(wanted, at) if self.steps > 0 else -1
                if hit < 0:
                    end = self.at = len(data)
                    self.found.understood = self.found.understood and self.steps > 0
                    break
                end = data.rfind(b"\n", start, hit) + 1 or start if is_indented else hit + 1
                stop = data.find(b"\n", hit + 1)
                stop = len(data) if stop < 0 else stop
                if data[end:stop].strip(b"\t" if is_indented else b"").rstrip(b"\r") == tag:
                    self.at = stop
                    break
                at = stop
            if reader in PATCHING:
                self.doing.patch(_text(data[start:end]))
            elif reader:
                self._run(data[start:end])
        self.tags = []

    def _run(self, line: bytes) -> None:
        """The commands of a line that another shell runs."""
        self.steps -= _STEPS_OF_A_SHELL
        if self.depth >= _DEPTH_MAX or self.steps < 0 or _UNKNOWN in line:
            self.found.understood = False
            return
        inner = _Reader(line, self.doing, self.depth + 1)
        inner.steps = self.steps
        kept = self.doing.cwd
        inner.read_all()
        self.doing.cwd = kept
        self.steps = inner.steps

    def _end_word(self) -> None:
        if self.word is None:
            return
        word = self.word[0] if len(self.word) == 1 else b"".join(self.word)
        self.word = None
        if not self.pending:
            self.words.append(word)
            return
        pending, self.pending = self.pending, ""
        if pending == "write":
            self.doing.write(_text(word))
        elif pending in ("here", "here-") and word:
            name = _text(self.words[0]).rpartition("/")[2] if self.words else ""
            self.is_fed = self.is_fed or name in _SHELLS
            self.tags.append((word, name if name in _SHELLS or name in PATCHING else "", pending == "here-"))

    def _end_command(self) -> None:
        self._end_word()
        self.pending = ""
        if not self.words:
            return
        if len(self.words) > _WORDS_MAX:
            self.found.understood = False
            del self.words[_WORDS_MAX:]
        words, self.words = [_text(word) for word in self.words], []
        while words and (words[0] in _KEY_WORDS or _is_assignment(words[0])):
            del words[0]
        fills_in = words[:1] == ["xargs"]
        words = _unwrapped(words)
        if not words:
            return
        self.found.commands.append(words)
        name = words[0].rpartition("/")[2]
        if name in _SHELLS or name == "eval":
            self._shell(name, words)
        else:
            self.doing.run(words, fills_in=fills_in)

    def _shell(self, name: str, words: list[str]) -> None:
        flags = [word for word in words[1:] if word.startswith("-") and "c" in word.lstrip("-")]
        if name == "eval":
            self._run(" ".join(words[1:]).encode("utf-8", "surrogatepass"))
        elif flags:
            behind = words[words.index(flags[0]) + 1 :]
            self._run(behind[0].encode("utf-8", "surrogatepass") if behind else b"")
        elif len(words) > 1 or not self.is_fed:
            self.doing.anything()  # a script


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogateescape")


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _unwrapped(words: list[str]) -> list[str]:
    """The command that is wrapped in `sudo`, `env X=1`, `timeout 5` and the like."""
    while len(words) > 1 and words[0] in _WRAPPERS:
        valued = _WRAPPERS[words[0]].split()
        is_timed = words[0] == "timeout"
        words = words[1:]
        while words and (words[0].startswith("-") or _is_assignment(words[0])):
            words = words[2:] if words[0] in valued else words[1:]
        words = words[1:] if is_timed else words
    return words
