"""The words of a `git commit` as git takes them, and the message that it or a `gh pr create` gives."""

from clew.core.gate.shell import purposes
from clew.core.gate.shell.cut import Command
from clew.core.gate.shell.words import VALUED, Options, program


def message_of(command: str) -> str:
    """The message that a `git commit` (or the body that a `gh pr create`) command gives, "" if it gives none."""
    for part in purposes.split(command):
        if part.purpose == "commit":
            text = commit_message(part, command)
        elif program(part.words[0]) == "gh" and part.words[1:2] in (("pr",), ("issue",)):
            text = gh_body(part, command)
        else:
            continue
        if text:
            return text
    return ""


def commit_message(part: Command, command: str) -> str:
    """The message that this `git commit` of a shell line gives, "" if it gives none."""
    given = Options(purposes.git_words(part.words)[1:], VALUED["commit"])
    return _message(given, ("m", "message"), ("F", "file"), part, command)


def gh_body(part: Command, command: str) -> str:
    """The body that this `gh pr create` or `gh pr edit` of a shell line gives, "" if it gives none."""
    given = Options(part.words[3:], VALUED["gh"])
    return _message(given, ("b", "body"), ("F", "body-file"), part, command)


def gh_title(part: Command) -> str:
    """The title that this `gh … create` or `gh … edit` of a shell line gives, "" if it gives none."""
    given = Options(part.words[3:], VALUED["gh"])
    return next(iter(given.given("t", "title")), "")


def _message(given: Options, told: tuple[str, str], read: tuple[str, str], part: Command, command: str) -> str:
    """The message from its options: `told` gives it in words, `read` names a file that the same line may write."""
    parts = [_shown(value) for value in given.given(*told)]
    if not parts:
        files = given.given(*read)
        parts = [part.body if file == "-" else _body(command, file) for file in files[-1:]]  # git takes the last one
    return "\n\n".join(part for part in parts if part).strip()


def _shown(value: str) -> str:
    """A value as the command sees it: `$(cat <<EOF …)` stands for its text, any other substitution for nothing."""
    return _body(value.strip("$()`")) if value.startswith(("$(", "`")) else value


def _body(command: str, file: str = "") -> str:
    """The first here-document in a shell line, of a command that names `file`; "" if there is none."""
    return next((part.body for part in purposes.split(command) if part.body and file in part.text), "")
