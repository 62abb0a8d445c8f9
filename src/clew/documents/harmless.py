"""Documents that others read are shown as pages: there Markdown becomes HTML, images are loaded, and names are called.

What stands in an item came from anywhere. So in such a document it loads nothing, calls nobody and is no markup; in
code spans, which show everything as it is, nothing is changed.
"""

from __future__ import annotations

import re
from typing import Final

from clew.documents.entry import Entry

_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
# A tag, a comment or a declaration; an image, which is a link behind a "!"; a name that is called. An address of mail
# calls nobody, nor does what stands in a path behind its beginning.
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE: Final = re.compile(r"!(?=\[)")
_MENTION: Final = re.compile(r"(?<![\w.+/-])@(?=\w)")


def harmless(text: str) -> str:
    """A piece of a line (Markdown) as it may be shown to others. Twice is once, and beside others it stays what it is:
    a lone backtick, which would open a code span or close somebody else's, is a quote.
    """
    if not any(sign in text for sign in ("<", "@", "![", "`")):
        return text
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_plain(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join((*parts, _plain(text[end:])))


def harmless_entry(entry: Entry) -> Entry:
    """The same of all that an entry tells."""
    return entry._replace(
        text=harmless(entry.text),
        why=harmless(entry.why),
        status=harmless(entry.status),
        owner=harmless(entry.owner),
        answer=harmless(entry.answer),
        label=harmless(entry.label),
    )


def _plain(text: str) -> str:
    text = text.replace("`", "'")
    return _MENTION.sub("＠", _IMAGE.sub("! ", _TAG.sub("‹", text)))
