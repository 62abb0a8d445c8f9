"""The reader of shell lines: words, operators, redirections, groups, substitutions. Pure.

It reads what people and agents type, not all of the shell's grammar, in one pass of time in proportion to the line. It
knows nothing about what a command is for: a reading inherits from it and says what is done with what was read.
"""

from __future__ import annotations

from typing import Any

from clew.core.gate.shell.words import KEY_WORDS

DEPTH_MAX = 20  # of groups, substitutions and shells in each other
_SPECIAL = b"\\'\"`$;&|<>()#\n"
_BLANKS = b" \t\r"
_SPACED = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_MARKS = bytes(0 if code in _SPECIAL else (code or 1) for code in range(256))
_MARKS_QUOTED = bytes(0 if code in b'"\\$`' else (code or 1) for code in range(256))
# What a backslash before one stands for in `"…"`; before any other sign it is a backslash.
_ESCAPABLE = {b'"': b'"', b"\\": b"\\", b"$": b"$", b"`": b"`", b"\n": b""}
_NAME = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_BACKTICK, _CLOSING = b"`)"
_BEFORE_A_COMMAND = frozenset(word.encode() for word in KEY_WORDS | {"time"})


def encoded(text: str) -> bytes:
    """A text of any signs as bytes, for `decoded`."""
    return text.encode("utf-8", "surrogatepass")


class ShellReader:
    """One pass over a line, `read_all`. `walker.py` gives the methods a meaning that stand behind `__init__`.

    `words` are those of the command under way, without quotes. `is_unsure`: something is there that nobody
    can tell the meaning of (a quote that never closes).

    `end_command`: the command ended before the place `end`, by the operator `joint` ("" at the end of the line, ")"
    where nothing was opened: a pattern of a `case`). `enter`: a group, or a substitution within a word, begins; what it
    answers `leave` is given. `define`: a "(" follows on words of a command: a function or a list. `write`: output goes
    to a file. `taker`: who gets the here-document behind the words so far; `take`: its body. `value`: what a variable
    (`$A`, `${A}`) or a substitution (`$(…)`, `<(…)`) stands for.
    """

    def __init__(self, data: bytes, steps: int, depth: int = 0) -> None:
        self.data = data
        self.marks = data.translate(_MARKS)
        self.quoted = b""
        self.at = 0
        self.steps = steps  # so many signs are looked at
        self.depth = depth
        self.is_unsure = False
        self.is_unread = False  # it is too long, or too deep, and the rest of it was left out
        self.word: list[bytes] | None = None
        self.words: list[bytes] = []
        self.pending = ""  # what the next word is: "write", "read", "here", "here-", or "" a word of the command
        # Of here-documents whose bodies begin at the next line: tag, who reads it, and whether tabs may be before it.
        self.tags: list[tuple[bytes, object, bool]] = []
        self.arithmetic_end = -1  # where the "))" is that was looked for last

    def end_command(self, joint: str, end: int) -> None: ...
    def enter(self, *, is_group: bool) -> object: ...
    def leave(self, kept: Any, *, is_group: bool) -> None: ...
    def define(self) -> None: ...
    def write(self, word: bytes) -> None: ...
    def taker(self) -> object: ...
    def take(self, taker: Any, body: bytes) -> None: ...
    def value(self, text: bytes) -> bytes:
        return text

    def read_all(self) -> None:
        """Read the line."""
        self._list(0)
        self._end_word()
        self.end_command("", self.at)

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
                self.give_up()
                break
            sign = data[self.at]
            if sign == closing:
                self._end_word()
                self.at += 1
                break
            self._sign(sign)

    def give_up(self) -> None:
        """Read no further."""
        self.is_unsure = self.is_unread = True
        self.at = len(self.data)

    def _sign(self, sign: int) -> None:
        data = self.data
        if sign in b"'":
            end = data.find(b"'", self.at + 1)
            end = len(data) if end < 0 else end
            self._piece(data[self.at + 1 : end])
            self.at = min(end + 1, len(data))
        elif sign in b'"':
            self.at += 1
            self._piece(b"")
            self._double()
        elif sign in b"\\":
            if data[self.at + 1 : self.at + 2] != b"\n":  # else the line goes on
                self._piece(data[self.at + 1 : self.at + 2])
            self.at = min(self.at + 2, len(data))
        elif sign in b"$" and data[self.at + 1 : self.at + 2] == b"'":
            self._escaped()
        elif sign in b"$":
            self._dollar()
        elif sign in b"`":
            self._substitution(1, _BACKTICK)
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
        parts = list(filter(None, chunk.translate(_SPACED).split(b" ")))  # `split()` cuts at form feeds, too
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
                self.is_unsure, self.is_unread = True, self.is_unread or self.steps < 0
                end = len(data)
                break
            before = data[at:end]
            if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
                break
            at = end + 1
        text, self.at = data[self.at : end + 1], min(end + 1, len(data))
        self._piece(self.value(text) if b"\\" in text else text[2:].removesuffix(b"'"))

    def _double(self) -> None:
        """Behind the closing `"`. What stands in `$(…)` is run there, too."""
        data, size = self.data, len(self.data)
        self.quoted = self.quoted or data.translate(_MARKS_QUOTED)
        while True:
            end = self.quoted.find(b"\0", self.at)
            self.steps -= 1
            if end < 0 or self.steps < 0:
                self._piece(data[self.at :])
                self.is_unsure, self.is_unread, self.at = True, self.is_unread or self.steps < 0, size
                return
            self._piece(data[self.at : end])
            self.at = end
            sign = data[end]
            if sign in b'"':
                self.at += 1
                return
            if sign in b"\\":
                escaped = data[end + 1 : end + 2]
                self._piece(_ESCAPABLE.get(escaped, b"\\" + escaped))
                self.at = min(end + 2, size)
            elif sign in b"$":
                self._dollar()
            else:
                self._substitution(1, _BACKTICK)

    def _dollar(self) -> None:
        data, start = self.data, self.at
        at = start + 1
        following = data[at : at + 1]
        end = self._behind_arithmetic(at) if data.startswith(b"((", at) else -1
        if end > 0 and not self._runs(at, end):
            self.at = end
        elif following == b"(":
            self._substitution(2, _CLOSING)
            return
        elif following == b"{":
            end = data.find(b"}", at)
            self.at = end + 1 if end >= 0 else len(data)
            # What it runs, nobody reads.
            self.is_unsure = self.is_unsure or any(sign in data[at : self.at] for sign in (b"(", b"`"))
        elif following[:1] and following[0] in _NAME:
            self.at = at + 1
            while self.at < len(data) and data[self.at] in _NAME:
                self.at += 1
        else:
            self.at = at + 1 if following and following[0] in b"?!$@*#-" else at
        text = data[start : self.at]
        self._piece(self.value(text) if len(text) > 1 else text)

    def _behind_arithmetic(self, at: int) -> int:
        """The place behind the next "))", -1 if there is none: looked for once."""
        if self.arithmetic_end < at:
            end = self.data.find(b"))", at)
            self.arithmetic_end = end if end >= 0 else len(self.data)
        return self.arithmetic_end + 2 if self.arithmetic_end < len(self.data) else -1

    def _runs(self, start: int, end: int) -> bool:
        """Whether arithmetic holds commands: then it is read like brackets."""
        return self.data.find(b"$(", start + 1, end) >= 0 or self.data.find(b"`", start, end) >= 0

    def _substitution(self, opening: int, closing: int) -> None:
        """A part of a word that is what commands print; its opening signs are so many."""
        start, self.word = self.at, self.word or []
        self.at += opening
        self._inner(closing, is_group=False)
        self._piece(self.value(self.data[start : self.at]))

    def _inner(self, closing: int, *, is_group: bool) -> None:
        kept = self.enter(is_group=is_group)
        self.depth += 1
        if self.depth > DEPTH_MAX:
            self.give_up()
        self._list(closing)
        self.depth -= 1
        self.leave(kept, is_group=is_group)

    def _paren(self) -> None:
        end = self._behind_arithmetic(self.at) if self.data.startswith(b"((", self.at) else -1
        if end >= 0 and self.word is None and not self._runs(self.at, end):  # arithmetic: its ">" writes nothing
            self.at = end
            return
        self._end_word()
        if self._is_commanding():
            self.define()
        self.at += 1
        self._inner(_CLOSING, is_group=True)

    def _is_commanding(self) -> bool:
        """Whether a word of a command stands there: a "(" behind it, with a space between or not, makes a function of
        it (zsh: of several) or a list. What compares, and what lists patterns, has groups of its own.
        """
        first = next((word for word in self.words if word not in _BEFORE_A_COMMAND), b"")
        return first not in (b"", b"[[", b"case")

    def _hash(self) -> None:
        if self.word is not None:
            self._piece(b"#")
            self.at += 1
            return
        self.end_command(";", self.at)
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
            self._substitution(2, _CLOSING)
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
        self._end_word()
        if sign in b"&" and data[at + 1 : at + 2] == b">":
            self.at += 1  # a redirection: the next sign opens it
            return
        size = 2 if data[at : at + 2] in (b"&&", b"||", b"|&", b";;") else 1
        self.end_command(data[at : at + size].decode(), at)
        self.at = at + size
        if sign in b"\n" and self.tags:
            self._bodies()

    def _bodies(self) -> None:
        """Behind the bodies of here-documents."""
        data = self.data
        for tag, taker, is_indented in self.tags:
            start = self.at
            wanted = tag if is_indented else b"\n" + tag
            at = start if is_indented else start - 1
            while True:
                self.steps -= 1
                hit = data.find(wanted, at) if self.steps > 0 else -1
                if hit < 0:
                    end = self.at = len(data)
                    self.is_unread = self.is_unread or self.steps <= 0
                    self.is_unsure = self.is_unsure or self.is_unread
                    break
                end = data.rfind(b"\n", start, hit) + 1 or start if is_indented else hit + 1
                stop = data.find(b"\n", hit + 1)
                stop = len(data) if stop < 0 else stop
                if data[end:stop].strip(b"\t" if is_indented else b"").rstrip(b"\r") == tag:
                    self.at = stop
                    break
                at = stop
            self.take(taker, data[start:end])
        self.tags = []

    def _end_word(self) -> None:
        if self.word is None:
            return
        word = self.word[0] if len(self.word) == 1 else b"".join(self.word)
        self.word = None
        pending, self.pending = self.pending, ""
        if not pending:
            self.words.append(word)
        elif pending == "write":
            self.write(word)
        elif pending in ("here", "here-") and word:
            self.tags.append((word, self.taker(), pending == "here-"))
