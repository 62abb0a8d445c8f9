"""The frame of an HTML page that needs nothing else: no script, no address is loaded, and a policy forbids it. Pure."""

from __future__ import annotations

from html import escape
from typing import Final

from clew.core.text.cleaning import one_line

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
# What tells a page of clew's from anybody else's file.
GENERATOR: Final = '<meta name="generator" content="clew">'


def render_page(title: str, style: str, body: str) -> str:
    """The page with `body`, which is escaped already, below its title."""
    name = escape(one_line(title))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{GENERATOR}\n'
        f'<meta name="viewport" content="width=device-width">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{name}</title>\n<style>{style}</style>\n</head>\n<body>\n<h1>{name}</h1>\n{body}\n</body>\n</html>\n"
    )
