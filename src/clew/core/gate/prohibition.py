"""A prohibition in words: which files and which commands it names. Only what is named exactly, in the clause that
forbids; when in doubt nothing, since a warning that is wrong is soon not read. Pure.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

# What follows says of something else, or when the rule holds: "do not edit a.py, write b.py instead".
_CLAUSE_END: Final = re.compile(
    r"[;:!?–—]\s|\.(?=\s)|,\s+(?![^\s,]*[/.\w]\.\w|[^\s,]*/)"
    r"|\s(?:but|instead|rather|except|besides|unless|until|because|since|without|outside|other than|beyond|so that|when"
    r"|while|if|after|before|as in|like|see|only|aber|sondern|außer|sonst|bis|weil|ohne|außerhalb|wenn|statt\w*"
    r"|nur|siehe|nimm)\b",
    re.IGNORECASE,
)
_NOT: Final = (
    r"(?:(?:do|must|may|should|shall|can|could)(?: not|n'?t)|cannot|dont|never|no one|nobody|not (?:to|be)|not allowed"
    r"|forbidden|refrain|avoid|stop|nicht|nie|niemals|kein\w*|darf|verboten)"
    r"(?! (?:need|have to|mind|want me))"  # "you do not need to run it" forbids nothing
)
_CHANGE: Final = (
    r"(?:touch|edit|chang|modif|alter|rewrit|overwrit|writ|delet|remov|renam|mov|reformat|format|refactor|updat|replac"
    r"|anfass|anrühr|änder|veränder|bearbeit|lösch|umbenenn|verschieb|überschreib)\w*"
)
_FORBIDS_CHANGE: Final = re.compile(
    rf"\b{_NOT}\b.*\b{_CHANGE}|\boff[- ]limits\b|\bhands off\b|\bst(?:ay|eer) (?:away|out|clear|off)\b|\bfinger weg\b"
    r"|\b(?:leave|keep|lass\w*)\b.*\b(?:alone|untouched|unchanged|as (?:it|they) (?:is|are)|in ruhe|unverändert)\b"
    r"|\bfass\w*\b.*\bnicht an\b|\b(?:tabu|read[- ]only)\b|\bno (?:changes?|edits?)\b",
    re.IGNORECASE,
)
_FORBIDS: Final = re.compile(rf"\b{_NOT}\b", re.IGNORECASE)
# The name of a file: with a folder, with a suffix, hidden, or one of the few that have neither.
_PATH: Final = re.compile(
    r"(?<![\w/.@:-])(?:\.{0,2}/)?(?:[\w@.+*-]+/)+[\w@.+*-]*|(?<![\w/.@:-])(?:[\w@+*-]+\.)+[A-Za-z]\w{0,9}\b(?!\()"
    r"|(?<![\w/.@:-])\.[A-Za-z][\w.-]*|\b(?:Makefile|Dockerfile|Gemfile|Rakefile|Justfile|Procfile|LICENSE)\b"
)
_CODE: Final = re.compile(r"[`\"“«]([^`\"”»]{2,120})[`\"”»]")
_RUN: Final = re.compile(r"\b(?:run|use|execute|call|start|type|ausführ\w*|aufruf\w*|starte\w*|benutz\w*)\b", re.I)
_STARTS: Final = re.compile(r"\b(?:run|execute|start|ausführ\w*|starte\w*)\b", re.IGNORECASE)
_PROGRAMS: Final = (
    "git|gh|npm|npx|pnpm|yarn|bun|pip|pipx|uv|poetry|cargo|docker|kubectl|helm|terraform|aws|gcloud|az|brew|apt"
    "|apt-get|alembic|rails|rake|mvn|gradle|dotnet|flyctl|heroku|vercel"
)
# A command in plain words ends with the first word that is none of a command line.
_BARE: Final = re.compile(
    rf"(?<![\w./-])(?:{_PROGRAMS})(?: (?!(?:or|and|to|on|in|at|the|a|any|this|for|from|yet|again|here|it|und)\b)"
    r"(?:-{1,2}[\w=-]+|[a-z][\w:/-]*)){1,3}"
)
# Of git alone the verb is what people say.
_GITS: Final = re.compile(
    r"\b(?:never|do not|don'?t|nicht|nie(?:mals)?)\s+(?:ever\s+)?(force[- ]push|push|rebase)\b"
    r"|\b(?:nicht|nie(?:mals)?)\s+(?:\w+\s+)?(push|rebas)\w*\b",
    re.IGNORECASE,
)
_FOR_NOW: Final = re.compile(r"\b(?:yet|for now|right now|noch)\b", re.IGNORECASE)
_TOO_WIDE: Final = frozenset(("/", "./", "../", ".", "..", "*", "**"))


class Forbidden(NamedTuple):
    """Paths as they were written, and command lines."""

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def forbidden(text: str) -> Forbidden:
    """The files that `text` forbids to change, and the commands that it forbids to run."""
    paths: dict[str, None] = {}
    commands: dict[str, None] = {}
    said = text.replace("’", "'")
    for clause in (one for one in _CLAUSE_END.split(said) if one):
        quoted = _CODE.findall(clause)
        lines = [one for one in quoted if _is_command(one, clause)]
        if _FORBIDS.search(clause):
            commands.update(dict.fromkeys(" ".join(one.split()) for one in lines))
            commands.update(dict.fromkeys(one.group() for one in _BARE.finditer(_CODE.sub(" it ", clause))))
        git = None if _FOR_NOW.search(clause) else _GITS.search(clause)
        if git is not None:
            verb = (git.group(1) or git.group(2)).casefold()
            commands["git push --force" if "force" in verb else f"git {'rebase' if verb[0] == 'r' else 'push'}"] = None
        if _FORBIDS_CHANGE.search(clause):
            apart = [word for line in lines for word in line.split()]
            found = (one.group().removeprefix("./").rstrip(".") for one in _PATH.finditer(clause))
            paths.update(dict.fromkeys(one for one in found if one not in ("", *_TOO_WIDE, *apart)))
    return Forbidden(tuple(paths), tuple(commands))


def _is_command(quoted: str, clause: str) -> bool:
    """Whether what is quoted is a command line: a program with words behind it, or one that is to be run."""
    words = quoted.split()
    is_plain = re.fullmatch(r"(?:\./)?[a-z][\w./-]*", words[0]) is not None if words else False
    if not is_plain or "(" in quoted or "=" in words[0]:
        return False
    if len(words) == 1:
        return _STARTS.search(clause) is not None and _PATH.fullmatch(quoted) is None
    return re.fullmatch(f"{_PROGRAMS}|go|make", words[0]) is not None or _RUN.search(clause) is not None
