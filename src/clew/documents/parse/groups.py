"""Which entries of a list are mere labels or titles of the lists nested in them."""

from __future__ import annotations

import re

from clew.documents.parse import vocabulary, words
from clew.documents.parse.context import ITEMISH, Context
from clew.documents.parse.inline import Label, is_only_path, leads_with_path, paths, plain
from clew.documents.parse.state import State

# The front part tells the kind.
_FRONT_CHARS = 400
# "The open items are:"
INTRODUCES = re.compile(r"\b(?:are|is|was|were|includes?|following|below)$", re.IGNORECASE)
# What an entry of these kinds lists tells of it; work and facts are listed under titles.
_WHOLE = (ITEMISH | {"validation", "file", "goal"}) - {"step", "next"}
_TITLE_WORDS_MAX = 4
# A label that looks like a deed has no more words.
_LABEL_WORDS_MAX = 3
_COUNTED = re.compile(r"[(（][^()（）]*\d")
_ENDS = frozenset(".!?。！？")


def is_of_file(state: State, text: str, split: Label | None, nested: list[int]) -> bool:
    """Whether an entry tells of a file and no deeds are listed in it: "`src/login.py` - new nodes:"."""
    if split or not text.endswith((":", "：")) or not leads_with_path(text):
        return False
    return not any(words.is_past(plain(state.blocks[child].text[:_FRONT_CHARS])) for child in nested)


def children(state: State, at: int) -> list[int]:
    """The entries nested right in this one."""
    found, inner, end = [], at + 1, state.blocks[at].end
    while inner < end:
        if state.blocks[inner].form == "item":
            found.append(inner)
            inner = state.blocks[inner].end
        else:
            inner += 1
    return found


def is_group(text: str, split: Label | None) -> bool:
    """Whether an entry is a mere label for those nested in it: "Backend:"."""
    if split and split.value:
        return False
    bare = split.name if split else plain(text)
    ends = text.rstrip().rstrip("*_").rstrip().endswith((":", "："))
    size = len(vocabulary.normal(bare))
    if not text.strip():
        return True
    if ends and INTRODUCES.search(bare.rstrip(" :：")):
        return True
    if not (ends or split) or (words.is_past(bare) and not _is_label(bare)):
        return False
    if not ends or words.is_imperative(bare):
        return vocabulary.exact(bare) is not None
    topic = vocabulary.topic(bare)
    # "Follow-up risks to verify before the change:"
    return (topic is not None and (size <= 4 or not topic.soft)) or size <= 3


def _is_label(bare: str) -> bool:
    """Whether a participle names what is listed below it, and is no deed: "Completed:", "Verified run output:"."""
    size = len(vocabulary.normal(bare))
    if size == 1 or vocabulary.exact(bare):
        return True
    topic = vocabulary.topic(bare) if size <= _LABEL_WORDS_MAX else None
    return topic is not None and topic.kind in ("validation", "finding")


def is_titled(state: State, at: int, context: Context) -> bool:
    """Whether the entries of a numbered list are titles of the lists in them: "1. Performance". A decision, a question
    or a check is one, however many lines tell of it, unless these have boxes.
    """
    nested = children(state, at)
    is_whole = context.kind in _WHOLE and not (context.kind == "goal" and context.status)
    if context.strong and is_whole and not all(state.blocks[child].box for child in nested):
        return False
    text = state.blocks[at].text
    is_named, is_bold = text.rstrip("*_ ").endswith((":", "：")) and _is_title(text), text.startswith("**")
    if (is_named or is_bold) and _are_deeds(state, nested):
        if is_named:
            # "6. Import improvements:", beside entries that are told in a line
            return True
    elif is_bold and vocabulary.exact(plain(text)) is None:
        # "1. **Pattern learning**", with what it is made of
        return False
    level, first, listed = state.blocks[at].level, at, 0
    while first and state.blocks[first - 1].form == "item" and state.blocks[first - 1].level >= level:
        first -= 1
    while first < len(state.blocks) and (block := state.blocks[first]).form == "item" and block.level == level:
        if not block.number or block.box or not children(state, first) or not _is_title(block.text):
            return False
        first, listed = block.end, listed + 1
    return listed > 1


def is_told(state: State, at: int, context: Context) -> bool:
    """Whether a bold title in a numbered list of what was done is one of its entries, and each deed below it, too:
    "1. **Layout updates**".
    """
    block = state.blocks[at]
    return (
        bool(block.number)
        and block.text.startswith("**")
        and context.strong
        and context.kind == "step"
        and _are_done(state, children(state, at))
    )


def _are_done(state: State, nested: list[int]) -> bool:
    """Whether most of these entries, and more than one, say what was done."""
    return sum(words.is_past(plain(state.blocks[child].text[:_FRONT_CHARS])) for child in nested) * 2 > max(
        len(nested), 2
    )


def _are_deeds(state: State, nested: list[int]) -> bool:
    """Whether most of these entries, and more than one, say what is to be done or was."""
    told = [plain(state.blocks[child].text[:_FRONT_CHARS]) for child in nested]
    return sum(words.is_imperative(part) or words.is_past(part) for part in told) * 2 > max(len(told), 2)


def _is_title(text: str) -> bool:
    """Whether it only names what is listed below it."""
    bare = plain(text).rstrip(" :：")
    named = vocabulary.normal(bare)
    is_said = words.is_past(bare) or words.is_imperative(bare) or words.is_statement(bare) or bare[-1:] in _ENDS
    return (
        0 < len(named) <= _TITLE_WORDS_MAX
        and not (is_said or words.is_past(named[-1]) or _COUNTED.search(bare))
        and not paths(bare, limit=1)
    )


def is_path(state: State, at: int) -> bool:
    """Whether an entry is a path in back-quotes and nothing else."""
    block = state.blocks[at]
    return block.text.startswith("`") and not block.box and is_only_path(block.text)
