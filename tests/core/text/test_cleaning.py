"""Text from outside, made safe and short."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.core.text.cleaning import clean, shorten, shorten_code

# Any text that Python can hold, lone surrogates too: JSON can smuggle them in. Rich in what terminals act on.
ANY_TEXT = st.text(st.characters() | st.sampled_from("\x1b\x9b[]0;31m\x07\\\r\n\t`. ,\u200b\u202e\U000e0041\ud800"))
# Prose with back-quotes, marks and words of every length.
PROSE = st.text(st.sampled_from("ab`` .,;:(—"), max_size=80)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;196mred\x1b[39;49m", "red"),
        ("\x1b[2K\x1b[1Gdone", "done"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\label\x1b]8;;\x1b\\", "label"),
        ("\x9b31mred", "red"),
        ("a\x1bMb", "ab"),
    ],
)
def test_escape_sequences_go_as_a_whole(text: str, expected: str) -> None:
    """A stripped ESC alone leaves litter such as "[31m", and a kept one lets a transcript write to the terminal."""
    assert expected == clean(text)


@pytest.mark.parametrize(
    "hidden",
    [
        *"\x00\x07\x08\x7f\x80\x9f",
        *"\u061c\u200e\u200f\u202a\u202d\u202e\u2066\u2069",
        *"\u200b\u200c\u2060\u2063\ufeff\xad\u180e\ufff9",
        "\ud800",
        *"\U000e0001\U000e0100\U000e01ef\u206a\u206f",
        "".join(chr(0xE0000 + ord(letter)) for letter in "obey"),
    ],
    ids=lambda hidden: f"U+{ord(hidden[0]):04X}",
)
def test_what_cannot_be_seen_does_not_pass(hidden: str) -> None:
    """Direction marks turn lines round, and tags and selectors carry a text that only a model reads."""
    assert clean(f"one{hidden} two") == "one two"


@pytest.mark.parametrize("text", ["👩‍💻 wrote it", "❤️", "tab\tand\nline", "größer · 中文 · עברית", "plain"])
def test_what_can_be_seen_stays(text: str) -> None:
    """An emoji joined of several, an indented line and other scripts are the user's words."""
    assert text == clean(text)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_every_line_end_is_one_newline(end: str) -> None:
    """A separator that only some programs see would smuggle a second line into an item of one line."""
    assert clean(f"one{end}two") == "one\ntwo"


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    """Texts are cleaned where they come in and again where they are shown: the second must not change them."""
    once = clean(text)
    assert once == clean(once)
    once.encode()  # a lone surrogate raises in the middle of writing a document
    assert not set(once) & set("\x00\x1b\x9b\r\u200b\u202e\U000e0041\ud800")


@given(PROSE | ANY_TEXT, st.integers(0, 90))
def test_a_shortened_text_is_never_longer_than_asked(text: str, chars: int) -> None:
    """Budgets are added up from these limits: one character more breaks the promise of a document's size."""
    short = shorten(text, chars)
    assert len(short) <= chars
    assert short == text or short.endswith("…") or chars == 0


@given(PROSE | ANY_TEXT, st.integers(1, 90))
def test_a_shortened_command_is_never_longer_than_asked(text: str, chars: int) -> None:
    """The same for commands and paths, which keep their front part."""
    short = shorten_code(text, chars)
    assert len(short) <= chars
    assert short == text or text.startswith(short[:-1])


@given(st.lists(st.text("ab ", min_size=1, max_size=9), min_size=1), st.integers(2, 60))
@example(["abcdefgh", "ij", "kl"], 10)  # the cut falls right behind the opening one
@example(["see ", "a name", ""], 6)
def test_back_quotes_stay_paired(pieces: list[str], chars: int) -> None:
    """An open back-quote turns the rest of the line, and the id behind it, into code."""
    text = "`".join(pieces)
    if text.count("`") % 2 == 0:
        assert shorten(text, chars).count("`") % 2 == 0


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=2), st.integers(14, 90))
def test_a_cut_falls_between_words(words: list[str], chars: int) -> None:
    """Half a word is another word: "un…" of "unsafe"."""
    kept = shorten(" ".join(words), chars).removesuffix("…").split()
    assert words[: len(kept)] == kept


def test_a_cut_prefers_the_end_of_a_clause() -> None:
    """A line that stops after a whole thought can be read; what fits is left alone."""
    assert shorten("It fits.", 8) == "It fits."
    assert shorten("Keep the public API as it is; the rest of it may change", 38) == "Keep the public API as it is…"
