"""Conversations: most of what was said in one is nobody's state. What is filed are lists, and what somebody says
plainly: what is wanted, what is decided, what a speaker will do.
"""

from __future__ import annotations

import re

from clew.core.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import vocabulary, words
from clew.documents.parse.inline import label, plain
from clew.documents.parse.markdown import Block
from clew.documents.parse.shapes import shape
from clew.documents.parse.state import State

_TURN = re.compile(
    r"\s*(?:\*\*|__)?(?P<who>[A-Z][\w .-]{1,24}?)(?:\s*\([^()\n]{1,30}\))?(?:\*\*|__)?:(?:\*\*|__)?\s+", re.IGNORECASE
)
_ANSWERS = re.compile(r"assistant|ai|claude|system|bot|model|agent|gpt|copilot", re.IGNORECASE)
_TOLD_WORDS_MIN = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'])|\n")
_SOFTENER = re.compile(
    r"(?:(?:also|ok|okay|yes|yeah|so|then|great|perfect|and|please|agreed|alright|will do|good \w+)\b[,.!]?\s*)+",
    re.IGNORECASE,
)
# What each speaker says, and what only those say who ask.
_SAID: tuple[tuple[str, Kind], ...] = (
    (r"(?:(?:\w+ )?decision|(?:we )?decided)\s*[:—–-]\s*(?P<told>.+)", "decision"),
    (r"(?:reminder|remember|important|one important \w+|don['’]t forget|note)\s*[:—–-]\s*(?P<told>.+)", "reminder"),
)
_ASKED: tuple[tuple[str, Kind], ...] = (
    (r"(?P<told>(?:let['’]s |(?:I|we)['’]ll )(?:hold off|postpone|skip|shelve|park|defer)\b.+)", "deferral"),
    (r"(?P<told>(?:I|we)(?: want| need| would like|['’]d like) to .+|my goal is .+)", "goal"),
    (
        r"(?P<told>(?:let['’]s (?!see|talk|discuss|look)|(?:I|we)['’]ll (?:go with|use|take)|go with |we decided |"
        r"(?:I|we)(?:['’]m|['’]re| am| are) (?:going with|committing to|choosing)).+)",
        "decision",
    ),
    (
        r"(?P<told>(?:(?:scratch|scrap|forget|drop|abandon|cancel) (?:the|that|this|my|our|all)\b|"
        r"(?:I|we)(?:['’]m|['’]re| am| are|['’]ve)? "
        r"(?:decided|chose|switch(?:ed|ing)|pivot(?:ed|ing)|mov(?:ed|ing) (?:to|away)|dropp(?:ed|ing))\b).+)",
        "decision",
    ),
    (r"(?P<told>(?:I|we)(?:['’]ll| will|(?:['’]m| am|['’]re| are) going to) .+)", "step"),
)


def read(state: State, block: Block) -> None:
    """Reads a paragraph of a conversation: the plain words in it, or those of one entry of a list."""
    lines = Lines(block.first, block.own_last or block.last)
    if block.form == "item":
        text = plain(block.text)
        form = shape(text, line=True)
        if form and form.how == "shape":
            state.draft.add(form.kind, text, lines)
        elif len(text.split()) >= _TOLD_WORDS_MIN:
            state.draft.add(words.kind_of(text)[0], text, lines)
        return
    turn = _TURN.match(block.text)
    if turn:
        state.asks = _ANSWERS.match(turn["who"]) is None
    for sentence in _SENTENCE.split(block.text[turn.end() :] if turn else block.text):
        _sentence(state, sentence, lines)


def _sentence(state: State, sentence: str, lines: Lines) -> None:
    text = plain(sentence)
    if softener := _SOFTENER.match(text):
        text = text[softener.end() :]
    if text.endswith("?"):
        return
    split = label(text)
    named = vocabulary.exact(split.name) if split and split.value else None
    if split and named and named.kind and not named.soft:
        _add(state, named.kind, split.value, lines, named.status)
        return
    for pattern, kind in (*_SAID, *(_ASKED if state.asks else ())):
        match = re.match(pattern, text, re.IGNORECASE | re.DOTALL)
        if match is None or (kind == "goal" and state.briefed):
            continue
        state.briefed = state.briefed or kind == "goal"
        _add(state, kind, match["told"], lines, "pending" if kind == "step" else "")
        return


def _add(state: State, kind: Kind, text: str, lines: Lines, how_far: str) -> None:
    if state.draft.add(kind, text, lines, status=how_far) >= 0:
        # The line holds more than the entry does.
        state.draft.untold.update(range(lines.first, lines.last + 1))
