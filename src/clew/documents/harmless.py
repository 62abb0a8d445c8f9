"""Documents that others read are shown as pages: there Markdown becomes HTML, images are loaded, and names are called.

What stands in an item came from anywhere. So in such a document it loads nothing, calls nobody and is no markup; in
code spans, which show everything as it is, nothing is changed.
"""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
# A tag, a comment or a declaration; an image, which is a link behind a "!"; a name that is called. An address of mail
# calls nobody.
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE: Final = re.compile(r"!(?=\[)")
_MENTION: Final = re.compile(r"(?<![\w.+-])@(?=\w)")


def harmless(text: str) -> str:
    """`text` (Markdown) as it may be shown to others. Twice is once."""
    if not ("<" in text or "@" in text or "![" in text):
        return text
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_plain(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join((*parts, _plain(text[end:])))


def _plain(text: str) -> str:
    return _MENTION.sub("＠", _IMAGE.sub("! ", _TAG.sub("‹", text)))
