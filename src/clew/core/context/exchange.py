"""An exchange, from a person's message to the next: what its words say, and whether its files are of the same work as
those before. Pure.
"""

import re
from collections.abc import Iterable
from typing import Final

from clew.core.records.transcript import Action, Edit, Read, Run

# A correction comes first: what is pasted behind is often an error text, or somebody else's review.
_HEAD_CHARS: Final = 220
_VAGUE_WORDS_MAX: Final = 5


# What people say before they come to it.
_FILLER: Final = (
    r"(?:(?:h+m+|u+h*m+|u+h+|oh|ok(?:ay)?|well|k|so|but|and|also|yeah?|sorry|please|ähm?|euh|eh)\b[\s,.!…-]*)*"
)
_OPENS: Final = re.compile(
    rf"\s*{_FILLER}(?:no(?:pe)?\b(?! (?:problem|worries|need|rush|hurry|findings|changes))|(?:wrong|stop|wait)\b"
    r"|actually[,\s]|what are you\b|yes (?:there|it|you|we|they) (?:is|does|do|are|can|has|have)\b"
    r"|why (?:(?:did|are|would|do|didn'?t|don'?t) you|not|ignore|remove|delete|change)\b"
    r"|(?:that|this|it|these|those)(?:'s| is| are| was| does| do| did)?"
    r"(?: (?:not|wrong|still|incorrect|broken)\b|n'?t\b)"
    r"|(?:don'?t|do not)\b|not (?:what|like|that|there)\b"
    r"|(?:nein|falsch|nicht (?:so|das))\b|das (?:ist|war|stimmt) (?:nicht|falsch)\b|warum (?:hast|machst)\b"
    r"|(?:non|ce n'est pas|c'est faux|pas (?:ça|comme)|pourquoi (?:as-tu|tu))\b"
    r"|(?:eso no|está mal|incorrecto|por qué (?:has|no))\b|(?:não|errado|isso não)\b)",
    re.IGNORECASE,
)
_WITHIN: Final = re.compile(
    r"\byou(?:'re| are)? (?:los(?:t|ing)|miss(?:ed|ing)|forgot|ignored|broke|misunderst\w+|changed the wrong)"
    r"|\b(?:seems?|feels?|looks?|is|are|was) (?:a bit |way |still |all )?(?:wrong\w*|too \w+|off\b|minimal|like ?it do)"
    r"|\b(?:does|do|did|is|are)(?:n'?t| not) (?:seem|look|work|what i|how i|right|correct)|\bnot working\b"
    r"|\bi (?:said|asked|meant|told you)\b|\bbut you said\b|\b(?:redo|undo|revert) (?:this|that|it)\b"
    r"|\b(?:we|i) (?:don'?t|do not) want\b|\bwe have a problem\b|\bthat'?s no good\b"
    r"|^(?:i (?:feel|think)[^.?!]{0,40}|the [^.?!]{0,60}|it |this |that )\bshould(?:n'?t| not)?\b",
    re.IGNORECASE,
)
# Words that a short answer may hold without telling anything.
_EMPTY: Final = frozenset(
    "done good ok okay great sure fine all set fixed finished complete completed ready it that this is now looks works "
    "work perfect yes working as expected everything should be alright right got fertig erledigt gut fait terminé "
    "listo hecho pronto feito".split()
)
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def corrects(text: str) -> bool:
    """Whether a message says that what was done or said before is not as it should be."""
    head = text.strip()[:_HEAD_CHARS]
    return bool(_OPENS.match(head) or _WITHIN.search(head))


def is_vague(text: str) -> bool:
    """Whether a reply tells nothing: a few words, none of which names anything."""
    words = _LETTERS.findall(text.lower())
    plain = "`" not in text and not any(mark.isdigit() for mark in text)
    return bool(words) and plain and len(words) <= _VAGUE_WORDS_MAX and _EMPTY.issuperset(words)


# A look at a few files of before does not make it the same work.
_KIN_SHARE: Final = 0.2
_NAME: Final = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")
_PATH: Final = re.compile(r"(?<![\w$=-])(?:[\w.@~-]*/)*[\w@-][\w.@-]*\.(\w{1,5})\b(?!\()")
# A longer command is mostly the text that it writes.
_COMMAND_CHARS: Final = 2000
_ENDINGS: Final = frozenset(
    "c cc cpp cs css dart ex exs go h hpp html ini java js json jsx kt lua m md mjs php pl proto py rb rs rst scala "
    "scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig".split()
)
# Words that many files have in their names.
_COMMON: Final = frozenset(
    "test tests spec main index init mod app src lib util utils helper helpers common base core types type readme "
    "config setup file files doc docs md go py ts js tsx jsx rs java json yaml yml toml sh txt".split()
)


def files_of(action: Action, folder: str) -> tuple[set[str], bool]:
    """The files that an action is about, as their names below `folder` ("" unknown); and whether it changes them."""
    if isinstance(action, (Read, Edit)):
        return _inside({_below(action.path, folder)}, folder), isinstance(action, Edit)
    if isinstance(action, Run):
        named = (
            one[0]
            for one in _PATH.finditer(action.command[:_COMMAND_CHARS])
            if one[1].lower() in _ENDINGS and ".." not in one[0]
        )
        return _inside({_below(one, folder) for one in named}, folder), False
    return set(), False


def _inside(files: set[str], folder: str) -> set[str]:
    """Those that lie in the work tree: scratch files and a client's own are about nothing."""
    return {one for one in files if not folder or one[:1] not in ("/", "~")}


def is_elsewhere(files: Iterable[str], before: Iterable[str]) -> bool:
    """Whether hardly any of these files is kin to one before (False where there are none of either)."""
    here, there = set(files), set(before)
    if not here or not there:
        return False
    folders, words = {one.rpartition("/")[0] for one in there} - {""}, _words(there)
    kin = sum(one in there or one.rpartition("/")[0] in folders or bool(_words({one}) & words) for one in here)
    return kin <= _KIN_SHARE * len(here)


def _words(files: Iterable[str]) -> set[str]:
    found = {word.lower() for one in files for word in _NAME.findall(one.rpartition("/")[2])}
    return found - _COMMON


def _below(path: str, folder: str) -> str:
    plain = path.replace("\\", "/").removeprefix("./")
    top = folder.replace("\\", "/").rstrip("/") + "/"
    return plain.removeprefix(top) if folder else plain
