"""The words of a `git commit` as git takes them, and the message that it or a `gh pr create` gives."""

from clew.core.shell import purposes
from clew.core.shell.cut import Command
from clew.core.shell.words import program
from clew.core.tuples import NamedTuple

# Options that take the next word as their value.
_VALUED = frozenset(
    ["--message", "--file", "--author", "--date", "--template", "--reuse-message", "--reedit-message", "--fixup",
     "--squash", "--cleanup", "--trailer", "--pathspec-from-file", "--body", "--body-file", "--title"]
)  # fmt: skip
_VALUED_LETTERS = "mFCct"
_GH_VALUED_LETTERS = "bFtBHalmpr"
# These letters may have a value, but only one in the same word.
_ATTACHED_LETTERS = "Su"


class Options(NamedTuple):
    """What a command's words ask for. `values`: (option without dashes, value) in order; `paths`: the other words."""

    flags: frozenset[str]
    values: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]

    @property
    def is_dry(self) -> bool:
        """Whether the command only shows what it would do."""
        return not self.flags.isdisjoint(("dry-run", "n"))


def options(words: tuple[str, ...], *, letters: str = _VALUED_LETTERS) -> Options:
    """Take apart words behind a sub-command. `letters` are the short options with a value."""
    flags: set[str] = set()
    values: list[tuple[str, str]] = []
    paths: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            paths += reversed(rest)
            break
        name, assigned, value = word.partition("=")
        if word.startswith("--"):
            if assigned:
                values.append((name[2:], value))
            elif name in _VALUED and rest:
                values.append((name[2:], rest.pop()))
            else:
                flags.add(name[2:])
        elif word.startswith("-") and len(word) > 1:
            short, attached = _short(word[1:], letters)
            flags.update(short if attached is None else short[:-1])
            if attached is not None and (attached or rest):
                values.append((short[-1], attached or rest.pop()))
        else:
            paths.append(word)
    return Options(frozenset(flags), tuple(values), tuple(paths))


def _short(word: str, letters: str) -> tuple[str, str | None]:
    """The options of a word of short ones, and the value that the last has in it (None: it takes none)."""
    for at, letter in enumerate(word):
        if letter in letters:
            return word[: at + 1], word[at + 1 :]
        if letter in _ATTACHED_LETTERS:
            return word[: at + 1], None
    return word, None


def message_of(command: str) -> str:
    """The message that a `git commit` (or the body that a `gh pr create`) command gives, "" if it gives none."""
    for part in purposes.split(command):
        if part.purpose == "commit":
            text = commit_message(part, command)
        elif program(part.words[0]) == "gh" and part.words[1:2] in (("pr",), ("issue",)):
            given = options(part.words[3:], letters=_GH_VALUED_LETTERS)
            text = _message(given, ("b", "body"), ("F", "body-file"), part, command)
        else:
            continue
        if text:
            return text
    return ""


def commit_message(part: Command, command: str) -> str:
    """The message that this `git commit` of a shell line gives, "" if it gives none."""
    given = options(purposes.git_words(part.words)[1:])
    return _message(given, ("m", "message"), ("F", "file"), part, command)


def gh_title(part: Command) -> str:
    """The title that this `gh … create` of a shell line gives, "" if it gives none."""
    given = options(part.words[3:], letters=_GH_VALUED_LETTERS)
    return next((value for name, value in given.values if name in ("t", "title")), "")


def _message(given: Options, told: tuple[str, str], read: tuple[str, str], part: Command, command: str) -> str:
    """The message from its options: `told` gives it in words, `read` names a file that the same line may write."""
    parts = [_shown(value) for name, value in given.values if name in told]
    if not parts:
        files = [value for name, value in given.values if name in read]
        parts = [part.body if file == "-" else _body(command, file) for file in files[-1:]]  # git takes the last one
    return "\n\n".join(part for part in parts if part).strip()


def _shown(value: str) -> str:
    """A value as the command sees it: `$(cat <<EOF …)` stands for its text, any other substitution for nothing."""
    return _body(value.strip("$()`")) if value.startswith(("$(", "`")) else value


def _body(command: str, file: str = "") -> str:
    """The first here-document in a shell line, of a command that names `file`; "" if there is none."""
    return next((part.body for part in purposes.split(command) if part.body and file in part.text), "")
