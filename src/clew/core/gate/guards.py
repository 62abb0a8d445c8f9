"""Guards of failed approaches: by what one would try it again, in words that people write; and one command, written in
several ways, brought into one form, so that a guard of a deed knows them all. Pure; it costs what the words are long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from clew.core.gate.shell.programs import ALIASES, LAUNCHERS, VALUED, WRAPPERS
from clew.core.gate.shell.words import OptionWords, behind_options, program, unwrapped

Way = Literal["command", "path", "word"]

_WAYS: Final[dict[str, Way]] = {"command": "command", "path": "path", "word": "word", "import": "word"}
# By these an import begins: the two words stand in what would be written.
_IMPORTS: Final = frozenset(("import", "from", "require", "use", "using", "include", "#include"))
_SUFFIX_CHARS_MAX: Final = 5


class Guard(NamedTuple):
    """What to look for. `command`: a command that begins with these words; `path`: a file, or what lies below it,
    `*` for anything; `word`: these words one behind the other in what is run or written.
    """

    way: Way
    pattern: str


def guard_of(pattern: str) -> Guard:
    """How a pattern is meant: `command:`, `path:`, `word:` or `import:` in front says so. Else what names a file or a
    folder is a path, one word (or the first words of an import) a word, and several words are a command.
    """
    name, colon, rest = pattern.partition(":")
    if colon and name in _WAYS and rest.strip():
        return _guard(_WAYS[name], rest.strip())
    words = pattern.split()
    if len(words) > 1:
        return Guard("word" if words[0] in _IMPORTS else "command", " ".join(words))
    plain = "".join(words)
    is_call = "(" in plain or ":" in plain
    suffix = plain.rpartition(".")[2] if "." in plain else ""
    is_file = (
        "/" in plain or (suffix.isalnum() and suffix.islower() and len(suffix) <= _SUFFIX_CHARS_MAX) or "*" in plain
    )
    return _guard("path" if is_file and not is_call else "word", plain)


def _guard(way: Way, pattern: str) -> Guard:
    """A path is said as files are: from the top of the work tree, a folder without its slash."""
    if way == "path":
        pattern = pattern.removeprefix("./").rstrip("/") or pattern
    return Guard(way, pattern)


def told(guard: Guard) -> str:
    """A guard in words, as the person who gave it is told how it was understood."""
    if guard.way == "command":
        return f"commands that begin with `{guard.pattern}`"
    if guard.way == "path":
        return f"files that `{guard.pattern}` names"
    return f"`{guard.pattern}` in what is run or written"


# Behind these stand names of packages: their order says nothing, and a version makes no other deed of it.
_INSTALLING = frozenset(("install", "add", "require", "get", "remove"))
_TAKING_AWAY = frozenset(("remove", "uninstall"))
# Of git's.
_TELLING = frozenset("add branch commit fetch log merge notes push show stash status tag".split())
_VERSION = "=<>!~[;"
_WRAPPING = WRAPPERS | LAUNCHERS


class CommandForm(NamedTuple):
    """A command in the one form: the `program`, then its `operands` in order, with its `options` apart, each with its
    value ("" none). `packages`: what it installs or takes away, without versions, and as it was said; empty for all
    other commands.
    """

    program: str
    operands: list[str]
    options: set[tuple[str, str]]
    packages: set[str]


def parse_command(words: Sequence[str]) -> CommandForm:
    """The form of a command's `words`, of which there is one at least: `npx`, `python -m`, `uv run` and the like give
    what they run, `npm i` is `npm install`.
    """
    words = unwrapped(tuple(words), _WRAPPING) or words
    words = words[1:] if tuple(words[:2]) == ("uv", "pip") else words
    program, given = _program(words[0]), _options(words)
    operands = given.operands
    if operands:
        operands[0] = ALIASES.get(program, {}).get(operands[0], operands[0])
    packages = (
        {*operands[1:], *map(_unversioned, operands[1:])} if operands[:1] and operands[0] in _INSTALLING else set()
    )
    return CommandForm(program, operands, {*given.values, *((flag, "") for flag in given.flags)}, packages)


def literals(words: Sequence[str]) -> list[str]:
    """The words of a command that stand in each way of writing it; its program where there is no other."""
    form = parse_command(words)
    return form.operands[form.program in ALIASES :] or [form.program]


def is_variant(wanted: CommandForm, given: CommandForm) -> bool:
    """Whether `given`, of the same program, is the deed that `wanted` begins with: what it names comes first there,
    wherever options stand; packages in any order. Options that `wanted` has, `given` has.
    """
    if not given.options >= wanted.options:
        return False
    if wanted.packages and given.packages and wanted.operands[0] == given.operands[0]:
        return given.packages.issuperset(wanted.operands[1:])
    return given.operands[: len(wanted.operands)] == wanted.operands


def quiet(words: Sequence[str]) -> list[tuple[str, str]]:
    """Of a command's words those by which nothing is tried, with what is left of each: messages of a commit, packages
    that are taken away, what `sed` replaces.
    """
    program = _program(words[0])
    if is_told(words):
        return [(word, "") for word in words[1:]]
    if program in ("sed", "perl"):
        return [(word, _replacement(word)) for word in words[1:] if _replacement(word) != word]
    form = parse_command(words)
    if form.operands and form.operands[0] in _TAKING_AWAY:
        return [(word, "") for word in form.operands[1:]]
    return []


def is_told(words: Sequence[str]) -> bool:
    """Whether what a command says is told to people, or kept by git, and is in no file: a message, a branch's name."""
    program = _program(words[0])
    verb = next(iter(_options(words).operands), "") if program == "git" else ""
    return program in ("gh", "glab") or verb in _TELLING


def _options(words: Sequence[str]) -> OptionWords:
    return OptionWords(words[1:], _program(words[0]))


def _program(word: str) -> str:
    name = _unversioned(word.rpartition("/")[2])
    if name.startswith(("python", "pip", "pypy")):
        plain = name.rstrip("0123456789.")
        return {"pypy": "python"}.get(plain, plain)
    return name


def _unversioned(word: str) -> str:
    """The name of a package without the version, or the parts of it, that are wanted (`x@2`, `x==2`, `x[y]`)."""
    at = word.find("@", 1)
    word = word[:at] if at > 0 else word
    for sign in _VERSION:
        word = word.partition(sign)[0] or word
    return word


def _replacement(script: str) -> str:
    """What `s/a/b/` puts in the place of what it takes away; any other word as it is."""
    if len(script) < 4 or script[0] != "s" or script[1].isalnum() or script[1].isspace():
        return script
    parts = script[2:].split(script[1])
    return parts[1] if len(parts) > 1 else script


_EVERYTHING = frozenset((".", "./", ":/", ":/*", "*"))


def gathers(words: Sequence[str]) -> str:
    """What of the work tree the command with these words takes in, whoever changed it: "tracked" files that were
    changed, "all" with new ones, "" neither. Of `git add`, `git commit` and `git stash` that name no files.
    """
    at = behind_options(words, 1, VALUED["git"].split())
    verb = words[at] if program(words[0]) == "git" and len(words) > at else ""
    given = OptionWords(words[at + 1 :], verb)
    flags, operands = given.flags, given.operands
    if verb == "add" and not flags & {"n", "dry-run"}:
        updates = bool(flags & {"u", "update"})
        if not _EVERYTHING.isdisjoint(operands) or (not operands and flags & {"A", "all"}):
            return "tracked" if updates else "all"
        return "tracked" if updates and not operands else ""
    if verb == "commit":
        return "tracked" if flags & {"a", "all"} else ""
    if verb == "stash" and (operands in ([], ["push"]) or operands[0] == "save"):
        return "all" if flags & {"u", "a", "include-untracked", "all"} else "tracked"
    return ""
