"""Paths that a sentence names: words with a folder or a file's ending in them. Pure."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r"[\w.@~+/\\*{}-][\w.@~+/\\*{}:,-]*")
_LINES: Final = re.compile(r":\d[\d:,-]*$")
_ADDRESS: Final = re.compile(r"\w+://\S+")
# Endings that make a word a file by themselves; others need a folder in front.
ENDINGS: Final = frozenset(
    """adoc astro bash bat bats c cc cfg cjs clj cmake cmd conf cpp cs css csv cts cxx dart db diff dockerfile
    ejs el elm env erl ex exs fish gemspec gif go gradle graphql h hbs hcl hh hpp hs htm html ini ipynb java
    jinja jl jpg js json json5 jsonc jsonl jsx kt kts less lock log lua m md mdc mdx mjs mk ml mm mod mts nim
    nix patch pdf php pl png proto ps1 py pyi r rb rs rst sass scala scss sh sol sql sqlite sqlite3 sum sv
    svelte svg swift tcss tex tf tfvars toml ts tsv tsx txt v vue xml yaml yml zig zsh""".split()
)
_NAMES: Final = frozenset(("Makefile", "Dockerfile", "Justfile", "Gemfile", "Rakefile", "Procfile", "Jenkinsfile"))


def paths_in(text: str) -> tuple[str, ...]:
    """Each path once, in order, without line numbers and trailing marks."""
    if "://" in text:
        text = _ADDRESS.sub(" ", text)
    found = (path for token in _TOKEN.findall(text) if (path := path_of(token)))
    return tuple(dict.fromkeys(found))


def path_of(token: str) -> str:
    """The path that a word is, "" if it is none: "and/or" and "3.11" are none, "src/app.py:42" and ".env" are."""
    word = _LINES.sub("", token.rstrip(".,:;-")).rstrip(".,:;").removeprefix("./")
    name = word.rstrip("/").rpartition("/")[2]
    if not name or any(mark in word for mark in "*{}\\,:@"):
        return ""
    if name in _NAMES:
        return word
    stem, dot, ending = name.rpartition(".")
    if dot and ending.lower() in ENDINGS and (stem or "/" in word or ending == "env"):
        return word if re.search(r"[^\W\d_]", stem or ending) else ""
    # Words with slashes between them are a list, until a mark says that they are names.
    has_folders = (
        (word.count("/") >= 2 and re.search(r"[\d._-]", word))
        or word.startswith(("/", "~/", "../"))
        or (word.endswith("/") and len(word) > 2)
    )
    return word if has_folders and re.fullmatch(r"[~.]{0,2}/?(?:[\w.+-]+/)+[\w.+-]*", word) and len(word) > 3 else ""
