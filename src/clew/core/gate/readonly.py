"""Whether a shell line only reads. Asked of every line that an agent would run while a plan waits for a person.

Nobody tries to understand the line. It is held against a small grammar, and whatever does not fit is refused, with the
reason:

    line         command (("|" | "&&" | "||" | ";" | newline) command)*
    command      program word* redirection*
    word         plain characters, '…', "…" in which nothing is expanded, \\c, $?, and patterns of names: * ? [a] {a,b}
    redirection  < FILE, > /dev/null, 2>&1, >&2, <<'TAG' with its body: quoted, so that nothing is expanded in it

It holds because of three things. bash, dash and zsh cut such a line into the same words; only a pattern may become
other words, so it is marked (`SOME`, `ANYTHING`). A program stands in the table with each of its options, and a word
that begins with a dash is held against its row wherever it stands, even where it may be an option's value. What
the table promises is said there.

Not looked at: what the configuration of git, of ripgrep or of the user's own shell runs (a pager, an alias). Pure. The
time is that of the line's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from clew.core.gate.reading_table import FREE, OWN_TOOLS, ROWS, TOOLS

_LINE_CHARS_MAX = 64 << 10
_SHOWN_CHARS_MAX = 60

# Before a word that the shell replaces by names of files: by any number of words that begin as it does, and not with
# a dash; by any words. A word that begins with a dash has `SOME` behind it instead. No line holds these characters.
SOME, ANYTHING = "\1", "\2"

_DEEPEST = 4
_WITH_VERBS = frozenset(name[0] for name in ROWS if len(name) > 1)
_SEARCHING = frozenset(("grep", "egrep", "fgrep", "rg"))
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+=~]-")
_NAME = _PLAIN - frozenset(":,@%+=]")
_LINES = r" *(?:(?:[0-9]+|\$) *(?:, *(?:\+?[0-9]+|\$) *)?)?"
_SED = re.compile(rf"{_LINES}[pdq=] *(?:[;\n]{_LINES}[pdq=] *)*[;\n]?")
# Redirections that write nowhere, with one blank taken out; a blank, an operator or the line's end stands behind.
_NOWHERE = frozenset(">/dev/null 1>/dev/null 2>/dev/null >>/dev/null 1>>/dev/null 2>>/dev/null 2>&1 >&2 1>&2".split())
_ENDS = frozenset(" \t\n;|&")
# Before these a `$` in "…" is one.
_BEHIND_DOLLAR = (" ", '"', "|", ")", "\\")
_WHY = {
    "$": "the shell expands a `$` (write its value, or put the text in '…')",
    "`": "the shell runs what is in back-quotes",
    '"': "the shell expands something in its \"…\", or that has no end (in '…' nothing is expanded)",
    "'": "a '…' has no end, or another one touches it",
    ">": "it writes to a file",
    "<": "of what begins with `<` only `< FILE` and `<<'TAG'` with its body are read here",
    "&": "it runs something in the background",
    "(": "it has brackets outside quotes",
    "\\": "there is a backslash within a word at the end of a line, or beside a letter beyond ASCII",
}


def refusal(
    line: str,
    impostor: Callable[[str], str] = lambda _: "",
    trusts: Callable[[list[str], list[str]], bool] = lambda _words, _folders: False,
) -> str:
    """Why a line is not known to only read, as a clause that completes "because …"; "" if it only reads. Never raises.

    `impostor(name)` says why the file that the PATH leads to is not the program of that name; "" if it is.
    `trusts(words, folders)`: whether a command may run whatever it does, behind `cd` into these folders.
    """
    if len(line) > _LINE_CHARS_MAX:
        return f"it is longer than {_LINE_CHARS_MAX} characters"
    if not line.replace("\n", "").replace("\t", "").isprintable():
        return "it holds control characters, or invisible ones"
    cutter = _Cutter(line)
    folders: list[str] = []
    for words in cutter.commands:
        if not trusts(words, folders) and (why := _command(words, impostor)):
            return cutter.why or why
        folders += [" ".join(words[1:])] if words[0] == "cd" else []
    return cutter.why


def tool_refusal(tool: str, allowed: Collection[str]) -> str:
    """Why a tool that is neither a shell nor an editing tool is not known to only read; "" if it is. `allowed` are
    those of which a person said so.
    """
    if tool in TOOLS or tool in allowed or tool.startswith(OWN_TOOLS):
        return ""
    return f"nobody said yet that `{tool[:80]}` only reads (a person can: `clew gate allow {tool[:80]}`)"


class _Cutter:
    """A line cut into `commands`, each a list of words; `why` says what in it is not in the grammar."""

    def __init__(self, line: str) -> None:
        self.line, self.size = line, len(line)
        self.at = 0
        self.commands: list[list[str]] = []
        self.why = ""
        self.words: list[str] = []
        self.word: list[str] | None = None  # what it says, piece by piece
        self.stem: str | None = None  # of a word that is a pattern: what stands before its first special character
        self.tag = ""  # of the here-document whose body begins at the next line
        self.is_open = False  # a command must follow
        while self.at < self.size and not self.why:
            step = _STEPS.get(line[self.at])
            if step is not None:
                step(self)
            elif line[self.at] in _PLAIN:
                self._plain()
            else:
                self._strange()
        self._end_command("\n")
        if not self.why and (self.is_open or self.tag or line.endswith("\\\n")):
            self.why = "the line is not finished"

    def _strange(self) -> None:
        sign = self.line[self.at]
        self.why = _WHY.get(sign, f"`{sign}` stands outside quotes")

    def _piece(self, text: str, end: int) -> None:
        if self.word is None:
            self.word = []
        self.word.append(text)
        self.at = end

    def _ends(self, at: int) -> bool:
        return at >= self.size or self.line[at] in _ENDS

    def _plain(self) -> None:
        end = self.at
        while end < self.size and self.line[end] in _PLAIN:
            end += 1
        if end < self.size and self.line[end] in "<>" and self.word is None and self.line[self.at : end] in ("1", "2"):
            self._redirect()
        else:
            self._piece(self.line[self.at : end], end)

    def _blank(self) -> None:
        self._end_word()
        self.at += 1

    def _end_word(self) -> None:
        if self.word is None:
            return
        text = "".join(self.word)
        if self.stem is not None:
            text = text + SOME if self.stem[:1] == "-" else (SOME if self.stem else ANYTHING) + text
        self.words.append(text)
        self.word = self.stem = None

    def _joint(self) -> None:
        joint = self.line[self.at]
        if self.line[self.at + 1 : self.at + 2] == joint and joint in "&|":
            joint *= 2
        if joint == "&" or (self.tag and joint == "\n" and self.is_open and not self.words and self.word is None):
            self._strange()
            return
        self.at += len(joint)
        self._end_command(joint)
        if joint == "\n" and self.tag:
            self._body()

    def _end_command(self, joint: str) -> None:
        self._end_word()
        if self.words:
            self.commands.append(self.words)
            self.words, self.is_open = [], joint not in ";\n"
        elif joint != "\n":
            self.why = self.why or f"no command stands before `{joint}`"

    def _escape(self) -> None:
        after = self.line[self.at + 1 : self.at + 2]
        if after == "\n" and self.word is None and not self.tag:
            self.at += 2
        elif after and " " <= after <= "~":
            self._piece(after, self.at + 2)
        else:
            self._strange()

    def _single(self) -> None:
        end = self.line.find("'", self.at + 1)
        text = self.line[self.at + 1 : end]
        if end < 0 or self.line[end + 1 : end + 2] == "'" or (self.tag and "\n" in text):
            self._strange()
        else:
            self._piece(text, end + 1)

    def _double(self) -> None:
        """A backslash stands beside no letter beyond ASCII: where the user's letters have two bytes, it may be one."""
        line, at, pieces = self.line, self.at + 1, [""]
        while at < self.size and line[at] != '"':
            sign, after = line[at], line[at + 1 : at + 2]
            is_escape = sign == "\\" and line[at - 1] <= "~" and " " <= after <= "~"
            is_end = sign == "$" and (after in _BEHIND_DOLLAR or line[at + 1 : at + 3] in ("? ", '?"'))
            if sign == "`" or (sign == "$" and not is_end) or (sign == "\\" and not is_escape):
                break
            if is_escape:
                pieces.append(after if after in '$`"\\' else sign + after)
                at += 1
            else:
                pieces.append(sign)
            at += 1
        text = "".join(pieces)
        if line[at : at + 1] != '"' or (self.tag and "\n" in text):
            self._strange()
        else:
            self._piece(text, at + 1)

    def _dollar(self) -> None:
        if self.line.startswith("$?", self.at) and self._ends(self.at + 2):
            self._piece("$?", self.at + 2)
        else:
            self._strange()

    def _pattern(self) -> None:
        line, at = self.line, self.at
        end = at + 1
        if line[at] == "{":
            while end < self.size and line[end] in _PLAIN:
                end += 1
            if line[end : end + 1] != "}":
                self._strange()
                return
            end += 1
        if line[at:end] != "{}" and not (line[at] == "[" and self._ends(end)):
            self.stem = "".join(self.word or []) if self.stem is None else self.stem
        self._piece(line[at:end], end)

    def _bang(self) -> None:
        if self._ends(self.at + 1):
            self._piece("!", self.at + 1)
        else:
            self._strange()

    def _redirect(self) -> None:
        line, start = self.line, self.at
        if self.word is not None or not self.words:
            self.why = _WHY[">" if ">" in line[start : start + 2] else "<"]
            return
        at = start
        while at < self.size and line[at] in "12<>&":
            at += 1
        operator, behind = line[start:at], at
        while line[behind : behind + 1] in (" ", "\t"):
            behind += 1
        end = behind
        while end < self.size and line[end] in _NAME:
            end += 1
        target = line[behind:end]
        reads = operator == "<" and target and "/dev/" not in target.replace("/dev/null", "")
        if operator == "<<":
            self._here(behind)
        elif self._ends(end) and (reads or operator + target in _NOWHERE):
            self.at = end
        else:
            self.why = _WHY["<" if "<" in operator else ">"]

    def _here(self, at: int) -> None:
        quote = self.line[at : at + 1]
        end = self.line.find(quote, at + 1) if quote in ("'", '"') else -1
        tag = self.line[at + 1 : end]
        if self.tag or end < 0 or not (tag.isascii() and tag.isalpha()) or not self._ends(end + 1):
            self.why = _WHY["<"]
        self.tag, self.at = tag, end + 1

    def _body(self) -> None:
        """Behind the body of a here-document: up to the first line that is its tag."""
        while self.at < self.size:
            end = self.line.find("\n", self.at)
            end = self.size if end < 0 else end
            row, self.at = self.line[self.at : end], end + 1
            if row == self.tag:
                self.tag = ""
                return
            if row.endswith("\\"):
                self.why = "a line of its here-document ends with a backslash"
                return


_STEPS: dict[str, Callable[[_Cutter], None]] = {
    **dict.fromkeys(" \t", _Cutter._blank), **dict.fromkeys("\n;|&", _Cutter._joint),
    **dict.fromkeys("*?[^{", _Cutter._pattern), **dict.fromkeys("<>", _Cutter._redirect),
    "\\": _Cutter._escape, "'": _Cutter._single, '"': _Cutter._double, "$": _Cutter._dollar, "!": _Cutter._bang,
}  # fmt: skip


def _command(words: list[str], impostor: Callable[[str], str]) -> str:
    """Why a command is refused; "" if it is not."""
    name, given = words[0], words[1:]
    if name in FREE:
        return impostor(name)
    if name in FORMS:
        reads = FORMS[name](given)
        return impostor(name) if reads else f"`{name}` with these words is not on the read-only list"
    while name == "git" and given:  # of git itself
        if given[0] in ("--no-pager", "--no-optional-locks"):
            given = given[1:]
        elif given[0] == "-C" and given[1:] and given[1][:1] not in ("-", SOME, ANYTHING, ""):
            given = given[2:]
        else:
            break
    words = [name, *given]
    depth = next((count for count in range(_DEEPEST, 0, -1) if tuple(words[:count]) in ROWS), 0)
    if not depth:
        return f"{_shown(words[: 2 if name in _WITH_VERBS else 1])} is not on the read-only list"
    return _by_row(words[:depth], words[depth:]) or impostor(name)


def _by_row(name: list[str], given: list[str]) -> str:
    letters, valued, most, *known = ROWS[tuple(name)].split()
    letters, valued = letters.strip("_"), valued.strip("_")
    others, is_whole = 0, True
    for word in given:
        long = word.partition("=")[0]
        if word == "--" and name[0] in _SEARCHING and is_whole:
            break  # what is searched for may begin with a dash; not every program ends its options here
        if word[:1] == ANYTHING:
            return f"what {_shown([word])} matches may begin with a dash (put `./` before it, or quotes around it)"
        if name[0] == "git" and _verifies(word):
            return f"{_shown([*name, long])} is not on the read-only list"
        if word[:1] != "-" or word in ("-", "--"):
            others += 2 if word[:1] == SOME else 1
        elif not (word in known or f"{long}=" in known or _are_letters(word, letters, valued)):
            return f"{_shown([*name, long])} is not on the read-only list"
        # A `--` behind it may be its value. A pattern that matches nothing may be taken away.
        is_whole = word[:1] not in ("-", SOME) or word in known or set(word[1:]) <= set(letters)
    return "" if most == "*" or others <= int(most) else f"a further word of {_shown(name)} may name what it makes"


def _verifies(word: str) -> bool:
    """Whether git may run gpg for it: `%G…`, also as `%+G…`, and a signature that it shows or sorts by. What a pattern
    makes of a word may be one, and so may the next word where an option's value stands there.
    """
    shows = any(piece.lstrip("+- ")[:1] == "G" for piece in word.split("%")[1:])
    shows = shows or "(sig" in word or "(*sig" in word or (word.startswith("--sort=") and "signature" in word)
    return shows or word in ("--format", "--sort") or (word[:1] == "-" and word[-1:] == SOME)


def _are_letters(word: str, letters: str, valued: str) -> bool:
    """Whether a word with one dash has only known letters, up to the first that takes the rest as its value."""
    return word[:2] != "--" and next((sign in valued for sign in word[1:] if sign not in letters), True)


def _shown(words: list[str]) -> str:
    text = " ".join(" ".join(words).replace(SOME, "").replace(ANYTHING, "").split())
    return f"`{text[:_SHOWN_CHARS_MAX] + '…' if len(text) > _SHOWN_CHARS_MAX else text}`"


# Programs of which only certain forms read.


def _printf(words: list[str]) -> bool:
    """Only `%s`, `%b` and `%%`: by `%n` bash sets a variable, and for `%d` zsh calculates."""
    form = words[0] if words else "-"
    if form[:1] in ("-", SOME, ANYTHING):
        return False
    return all(piece.lstrip("-0123456789.")[:1] in ("s", "b") for piece in form.replace("%%", "").split("%")[1:])


def _sed(words: list[str]) -> bool:
    """It prints lines, deletes and counts them. What replaces or searches has a language of its own, in which `w` and
    `e` write and run.
    """
    scripts: list[str] = []
    at = 0
    while words[at : at + 1] and words[at][:1] == "-":
        letters = words[at][1:]
        if not letters or set(letters) - set("nEre") or "e" in letters[:-1]:
            return False
        scripts += words[at + 1 : at + 2] if letters[-1] == "e" else []
        at += 2 if letters[-1] == "e" else 1
    if not scripts:
        scripts, at = words[at : at + 1], at + 1
    files = words[at:]
    return (
        bool(scripts) and all(map(_SED.fullmatch, scripts)) and not any(word[:1] in ("-", ANYTHING) for word in files)
    )


FORMS: dict[str, Callable[[list[str]], bool]] = {"printf": _printf, "sed": _sed}
