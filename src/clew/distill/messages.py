"""The words of a `git commit` as git takes them, and the message that it or a `gh pr create` gives."""

from clew.core.shell import purposes
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
    """Take apart unquoted words behind a sub-command. `letters` are the short options with a value."""
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
            given = options(unquoted_all(part.words[3:]), letters=_GH_VALUED_LETTERS)
            text = _message(given, ("b", "body"), ("F", "body-file"), part.text, command)
        else:
            continue
        if text:
            return text
    return ""


def commit_message(part: purposes.Simple, command: str) -> str:
    """The message that this `git commit` of a shell line gives, "" if it gives none."""
    given = options(unquoted_all(purposes.git_words(part.words)[1:]))
    return _message(given, ("m", "message"), ("F", "file"), part.text, command)


def gh_title(part: purposes.Simple) -> str:
    """The title that this `gh … create` of a shell line gives, "" if it gives none."""
    given = options(unquoted_all(part.words[3:]), letters=_GH_VALUED_LETTERS)
    return next((value for name, value in given.values if name in ("t", "title")), "")


def _message(given: Options, told: tuple[str, str], read: tuple[str, str], text: str, command: str) -> str:
    """The message from its options: `told` gives it in words, `read` names a file that the same line may write."""
    parts = [_shown(value) for name, value in given.values if name in told]
    if not parts:
        files = [value for name, value in given.values if name in read]
        line = text.split("\n", 1)[0]
        parts = [here_body(command, line if file == "-" else file) for file in files[-1:]]  # git takes the last one
    return "\n\n".join(part for part in parts if part).strip()


def _shown(value: str) -> str:
    """A value as the command sees it: `$(cat <<EOF …)` stands for its text, any other substitution for nothing."""
    return here_body(value, "<<") if value.startswith(("$(", "`")) else value


def here_body(text: str, mark: str) -> str:
    """The body of the here-document that begins on the first line with `mark` in it, "" if there is none."""
    tag = ""
    body: list[str] = []
    for line in text.split("\n"):
        if tag:
            head = line.lstrip()
            if head.startswith(tag) and not head[len(tag) : len(tag) + 1].isalnum():
                break
            body.append(line)
        elif mark in line and "<<" in line:
            word = line.partition("<<")[2].lstrip("-<~ \t").split(maxsplit=1)[:1]
            tag = word[0].strip("'\"\\);&|") if word else ""
    return "\n".join(body).strip()


def unquoted_all(words: tuple[str, ...]) -> tuple[str, ...]:
    """Each word as the command gets it."""
    return tuple(map(unquoted, words))


def unquoted(word: str) -> str:
    """A word as the command gets it: without the shell's quotes and escapes. Variables stay as they are."""
    if not any(mark in word for mark in "'\"\\"):
        return word
    if word.startswith('"$(') and word.endswith(')"'):
        return word[1:-1]  # quotes inside belong to the command inside
    found: list[str] = []
    quote = ""
    at = 0
    while at < len(word):
        char = word[at]
        if char == "\\" and quote != "'" and at + 1 < len(word):
            at += 1
            escaped = word[at]
            found.append(escaped if not quote or escaped in '"\\$`' else "\\" + escaped)
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        else:
            found.append(char)
        at += 1
    return "".join(found)
