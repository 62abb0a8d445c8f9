"""Guards of failed approaches: by what one would try it again, in words that people write. Pure."""

from typing import Final, Literal, NamedTuple

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
