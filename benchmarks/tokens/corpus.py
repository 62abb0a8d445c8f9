"""Texts by kind, to fit and to check the token estimator: made by seed, or cut from folders of other people's texts.

Every text is about as long as a payload (4,000 characters): a budget is kept or broken at that size.
"""

from __future__ import annotations

import ast
import base64
import random
import re
import string
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

CHARS = 4_000
DOCS = (".md", ".rst", ".txt")
CODE = (".py", ".toml", ".cfg", ".js", ".ts", ".go", ".sh", ".c", ".h", ".css", ".html", ".yml", ".yaml")
FILE_BYTES_MAX = 400_000

Corpus = dict[str, list[str]]


def cut(text: str, chars: int = CHARS) -> list[str]:
    """Pieces of about `chars` characters, cut at line ends where there are any."""
    parts: list[str] = []
    while len(text) > chars // 2:
        end = text.rfind("\n", chars // 2, chars)
        end = chars if end < 0 else end + 1
        parts.append(text[:end])
        text = text[end:]
    return parts


def files_of(folder: Path, suffixes: Iterable[str]) -> Iterator[str]:
    """The texts of all files with these suffixes, in the order of their paths; unreadable ones are left out."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in suffixes or not path.is_file() or path.stat().st_size > FILE_BYTES_MAX:
            continue
        try:
            yield path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def folder_corpus(folder: Path, *, limit: int, seed: int = 1) -> Corpus:
    """What a folder holds: prose of documents, code, payloads made of both, translations by language.

    At most `limit` texts of each kind, chosen by seed.
    """
    chance = random.Random(seed)
    docs = [part for text in files_of(folder, DOCS) for part in cut(text)]
    code = [part for text in files_of(folder, CODE) for part in cut(text)]
    corpus = {"docs": docs, "code": code}
    if docs and code:
        corpus["payload"] = [_payload(chance, docs, code) for _ in range(limit)]
    for language, text in translations(folder).items():
        corpus[f"language {language}"] = cut(text)
    return {
        kind: texts if len(texts) <= limit else chance.sample(texts, limit) for kind, texts in corpus.items() if texts
    }


_LANGUAGE = re.compile(r"/locales?/([A-Za-z_]+)/LC_MESSAGES/")
_MESSAGE = re.compile(r'^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def translations(folder: Path) -> dict[str, str]:
    """Translated messages by language, from gettext catalogues; languages with little text are left out."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted(folder.rglob("*.po")):
        language = _LANGUAGE.search(path.as_posix())
        if language is None:
            continue
        messages = found.setdefault(language[1], {})
        for match in _MESSAGE.finditer(path.read_text(encoding="utf-8", errors="replace")):
            message = "".join(ast.literal_eval(quoted) for quoted in _QUOTED.findall(match[1]))
            if message.strip() and "Content-Type" not in message:
                messages[message] = None
    texts = {language: "\n".join(messages) for language, messages in sorted(found.items())}
    return {language: text for language, text in texts.items() if len(text) >= CHARS}


# --- payloads made from other texts ---

_SENTENCE = re.compile(r"(?<![\w`])[A-Z][^\n.]{30,220}\.(?=\s)")
_DEFINITION = re.compile(r"(?:def|class|function|func) (\w{4,})")
_RAISED = re.compile(r"(?:Error|error|fail\w*)\W[^\n]{10,120}")
_HEADINGS = ("Goal", "Where we are", "Decisions", "Failed approaches", "Next action", "Files in play", "Open", "Facts")
_COMMANDS = (
    "pytest {path} -k {name}",
    "git log --oneline -3 -- {path}",
    "go test ./{path} -run {name} -v",
    "make {name}",
)


def _payload(chance: random.Random, docs: list[str], code: list[str]) -> str:
    """Markdown as payloads have it: headings, sentences, paths with lines, commands, commits and errors."""
    prose = "\n".join(chance.sample(docs, min(12, len(docs))))
    source = "\n".join(chance.sample(code, min(12, len(code))))
    sentences = [" ".join(sentence.split()) for sentence in _SENTENCE.findall(prose)] or ["Nothing was said."]
    names = _DEFINITION.findall(source) or ["main"]
    errors = _RAISED.findall(source) or ["Error: exit status 1"]
    lines = [f"# Resume: {chance.choice(sentences)}", ""]
    while sum(map(len, lines)) < CHARS:
        lines.append(f"\n## {chance.choice(_HEADINGS)}")
        lines += [_bullet(chance, sentences, names, errors) for _ in range(chance.randint(2, 6))]
    return "\n".join(lines)


def _bullet(chance: random.Random, sentences: list[str], names: list[str], errors: list[str]) -> str:
    name, other = chance.choice(names), chance.choice(names)
    folder = chance.choice(("src", "cmd", "internal", "tests"))
    path = f"{folder}/{other.lower()}/{name.lower()}.{chance.choice(('py', 'go'))}"
    commit = f"{chance.getrandbits(28):07x}"
    date = f"2026-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}"
    shapes: tuple[Callable[[], str], ...] = (
        lambda: f"- {chance.choice(sentences)}",
        lambda: f"- {chance.choice(sentences)} (`{name}`)",
        lambda: f"- `{path}:{chance.randint(1, 900)}`: `{name}` -> `{other}`, {chance.choice(sentences)}",
        lambda: f"- `{chance.choice(_COMMANDS).format(path=path, name=name)}`: exit {chance.randint(0, 2)}",
        lambda: f"- commit {commit}: {chance.choice(sentences)}",
        lambda: f"- failed: `{chance.choice(errors)}`",
        lambda: f"- {path} (+{chance.randint(0, 300)} -{chance.randint(0, 90)}), {path.replace('.', '_test.')}",
        lambda: f"- [{chance.choice(('x', ' '))}] {chance.choice(sentences)} — {name}() · {date}",
    )
    return chance.choice(shapes)()


# --- texts that try to break the estimate ---

_EMOJI = "😀🎉🚀✅❌🔥🐛👍🏽👩‍💻🇩🇪⚠️📦🧪💥🤖📝🔒⏳"


def adversarial_corpus(*, count: int, seed: int = 1) -> Corpus:
    """What no payload is full of, but may hold: the bound must not break on it."""
    chance = random.Random(seed)
    return {f"hostile {kind}": [make(chance) for _ in range(count)] for kind, make in _HOSTILE.items()}


def _join(chance: random.Random, make: Callable[[], str], separators: str = "  \n") -> str:
    parts: list[str] = []
    length = 0
    while length < CHARS:
        parts.append(make() + chance.choice(separators))
        length += len(parts[-1])
    return "".join(parts)


def _letters(chance: random.Random, alphabet: str, least: int, most: int) -> str:
    return "".join(chance.choices(alphabet, k=chance.randint(least, most)))


_HOSTILE: dict[str, Callable[[random.Random], str]] = {
    "hex": lambda chance: _join(chance, lambda: f"{chance.getrandbits(160):040x}"),
    "uuid": lambda chance: _join(chance, lambda: "-".join(f"{chance.getrandbits(32):08x}" for _ in range(4))),
    "base64": lambda chance: _join(chance, lambda: base64.b64encode(chance.randbytes(60)).decode()),
    "digits": lambda chance: _join(chance, lambda: str(chance.getrandbits(chance.randint(8, 200)))),
    "letters": lambda chance: _join(chance, lambda: _letters(chance, string.ascii_lowercase, 1, 14)),
    "capitals": lambda chance: _join(chance, lambda: _letters(chance, string.ascii_uppercase, 1, 10)),
    "mixed case": lambda chance: _join(chance, lambda: _letters(chance, string.ascii_letters, 3, 20)),
    "punctuation": lambda chance: _join(chance, lambda: _letters(chance, string.punctuation, 1, 8)),
    "repeated marks": lambda chance: _join(chance, lambda: chance.choice(string.punctuation) * chance.randint(1, 60)),
    "white space": lambda chance: _join(chance, lambda: chance.choice(" \t\n ") * chance.randint(1, 40) + "x", " \t\n"),
    "emoji": lambda chance: _join(chance, lambda: _letters(chance, _EMOJI, 1, 5)),
    "control": lambda chance: _join(chance, lambda: _letters(chance, "\x00\x01\x1b\x7f[0m", 1, 6)),
    "symbols": lambda chance: _join(chance, lambda: _letters(chance, "─│├└▪█░⌘⏎⠋☐☑♥∑∀∈ℝ₂ﬁ", 1, 6)),
}
