"""Words of a shell line: the shell's own, options taken apart, what wraps a command."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from clew.core.gate.shell.programs import TIME_LIMITS, VALUED

# Behind these stands a name or a word, and no command.
LISTING = frozenset(("for", "case", "select"))
OPENING = LISTING | {"if", "while", "until"}
CLOSING = frozenset(("fi", "done", "esac"))
KEY_WORDS = (OPENING | CLOSING | {"{", "}", "do", "then", "else", "elif", "!"}) - LISTING

# What lies below a path that is written goes with it: nothing of it, what git tracks, all of it.
ALONE, TRACKED, ALL = 0, 1, 2
# A tool of one client's that a shell can run, too.
PATCHING = ("apply_patch", "applypatch")


def is_assignment(word: str) -> bool:
    """Whether a word sets a variable: `A=1`, `A+=1`."""
    name, equals, _ = word.partition("=")
    return bool(equals) and name.rstrip("+").isidentifier()


class OptionWords:
    """The `words` behind a command of the program (or git's verb) `name` taken apart, by its options that take a value.

    `flags` are the options without a value, short ones each by its letter; `values` pairs of an option and its value,
    in order, both without dashes; `operands` the other words.
    """

    def __init__(self, words: Iterable[str], name: str = "") -> None:
        self.flags: set[str] = set()
        self.values: list[tuple[str, str]] = []
        self.operands: list[str] = []
        takes = VALUED.get(name, "").split()
        rest = iter(words)
        for word in rest:
            name, assigned, value = word.partition("=")
            if word == "--":
                self.operands += rest
            elif word in takes:
                self.values += [(word.lstrip("-"), one) for one in (next(rest, ""),) if one]
            elif word[:2] == "--" and assigned:
                self.values.append((name[2:], value))
            elif word[:2] == "--":
                self.flags.add(name[2:])
            elif word[:1] == "-" and word != "-":
                self._short(word, takes, rest)
            else:
                self.operands.append(word)

    def _short(self, word: str, takes: list[str], rest: Iterator[str]) -> None:
        for at, letter in enumerate(word[1:], 2):
            if f"-{letter}" in takes:
                value = word[at:] or next(rest, "")
                self.values += [(letter, value)] if value else []
                break
            if not letter.isalnum():  # "-i.bak"
                break
            self.flags.add(letter)
            if f"-{letter}?" in takes:
                break

    def given(self, *names: str) -> list[str]:
        """The values of options that go by several names."""
        return [value for name, value in self.values if name in names]


def behind_options(words: Sequence[str], at: int, valued: Container[str]) -> int:
    """The place from `at` of the first word that is neither an option nor the value of one of `valued`."""
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return at


def unwrapped(words: tuple[str, ...], wrappers: dict[str, str]) -> tuple[str, ...]:
    """The words without assignments and what else wraps them in front: `sudo`, `env A=1`, `timeout 5`, `uv run`."""
    at = 0
    while at < len(words):
        head = program(words[at])
        name = " ".join(words[at : at + 2]) if head not in wrappers else head
        if is_assignment(words[at]):
            at += 1
        elif head == "python" and "python -m" in wrappers:
            module = next((place for place in range(at + 1, len(words) - 1) if words[place] == "-m"), 0)
            if not module or behind_options(words, at + 1, ("-W", "-X")) < module:  # a script's own -m
                break
            at = module + 1
        elif head == "command" and words[at + 1 : at + 2] in (("-v",), ("-V",)):  # it only asks where a program is
            break
        elif name in wrappers:
            at = behind_options(words, at + 1 + (name != head), wrappers[name].split()) + (head in TIME_LIMITS)
        else:
            break
    return words[at:]


def program(word: str) -> str:
    """A program's name without its folder; every Python is "python"."""
    name = word.rpartition("/")[2]
    return "python" if name.rstrip("0123456789.") == "python" else name


def normal(path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes, by its text alone."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
