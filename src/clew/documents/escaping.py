"""Text from outside as it may stand in a line of a document: nothing in it acts, claims proof or ends the block."""

from __future__ import annotations

import re

from clew.core.text.cleaning import clean, one_line

# What begins a heading, a quote, a fence, a list or a box at the start of a line of Markdown.
_MARKUP = re.compile(r"(?:#{1,6}|[-*+]|\[[ xX]\])(?=\s|$)|>|```|~~~|[-_*=](?=[\s*_=-]*$)|\\|\d{1,9}(?=[.)](?:\s|$)|\\)")
# Few texts need these, so they are compiled when one does.
_ESCAPED = r"(\d{0,9})\\"
# Our own delimiter, and those by which clients tell their model what the system and not the user says.
_DELIMITERS = (
    r"(?i)<(/?(?:clew-data|system|system[-_ ]reminder|task-notification|command-(?:name|message|args)|"
    r"local-command-\w+|user-prompt-submit-hook|user_instructions|environment_context|permissions|turn_aborted|"
    r"function_calls|function_results|antml:\w+|invoke)\b)"
)
# What stands for proof, failure and the user's words in a document. It is ours to set, so nobody else's text keeps it.
_PASSED = "✓✔✅☑🗸"
_FAILED = "✗✘✖❌❎☒🗴"
_SIGN = f"([{_PASSED}]|[{_FAILED}])\ufe0f?"
QUOTES = str.maketrans(dict.fromkeys("“”„‟〝〞", '"'))


def safe(text: str) -> str:
    """Text from outside as it may stand in a line of Markdown that a model, a terminal or a browser reads.

    Invisible characters go, what would open a comment or look like the mark of a block of ours or of a client's is
    broken up.
    """
    text = one_line(clean(text))
    if "<" in text:
        text = re.sub(_DELIMITERS, r"‹\1", text.replace("<!--", "\\<!--"))
    return text


def broken_up(text: str) -> str:
    """Clean text of several lines, in which nothing looks like the mark of a block of ours or of a client's."""
    return re.sub(_DELIMITERS, r"‹\1", text) if "<" in text else text


def claimed(text: str) -> str:
    """Safe text that is not the user's, without the marks by which a document says who said it and what was proved."""
    if text.isascii():
        return text
    return re.sub(_SIGN, _word_for, text.translate(QUOTES))


def _word_for(sign: re.Match[str]) -> str:
    text, start, end = sign.string, sign.start(), sign.end()
    word = "ok" if sign[1] in _PASSED else "not ok"
    before = " " if start and text[start - 1].isalnum() else ""
    after = " " if end < len(text) and (text[end].isalnum() or text[end] in "`*") else ""
    return f"{before}{word}{after}"


def inert(text: str) -> str:
    """Safe text as it may begin a line or a list entry: markup that would act there gets a backslash."""
    mark = _MARKUP.match(text)
    if mark is None:
        return text
    at = mark.end() if mark[0].isdigit() else 0
    return f"{text[:at]}\\{text[at:]}"


def active(text: str) -> str:
    """The text that `inert` made this of."""
    escaped = re.match(_ESCAPED, text)
    return text[: escaped.end() - 1] + text[escaped.end() :] if escaped else text


def place(path: str, chars: int) -> str:
    """A path, safe and in at most `chars` characters: of a longer one the end, which tells more."""
    path = safe(path)
    return path if len(path) <= chars else "…" + path[1 - chars :]
