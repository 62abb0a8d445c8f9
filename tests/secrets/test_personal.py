"""Personal data: what is told of, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.secrets.personal import personal

FOUND = {
    "mail": ["Write to ann.lee@harbour.fr.", "<bob@mail.harbour.co.uk>", "mailto:cy+tide@harbour.io"],
    "phone": ["Call +33 1 44 27 63 27", "tel +49-30-901820123", "(+1 415 867 5309)"],
    "iban": ["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "FR14 2004 1010 0505 0001 3M02 606, please"],
    "card": ["4539 1488 0343 6467", "5425-2334-3010-9903", "374245455400126"],
}
LEFT_ALONE = [
    *("git@github.com:dev/shop.git", "ada@example.com", "noreply@harbour.fr", "1+dev@users.noreply.github.com"),
    *("icon@2x.png", "pkg@1.2.3", "user@host", "https://ann@harbour.fr/x", "@harbour.fr", "react@npm:18.0.0"),
    *("+1 2 3", "1+1234567", "+1 212 555 0123", "a+15551234567", "2026-11-25T01:02:03+0100"),
    *("DE89370400440532013001", "GB82 WEST 1234 5698 7654 33", "DEADBEEF00112233445566", "XX89370400440532013000"),
    *(
        "4242 4242 4242 4242",
        "4539148803436468",
        "1732500000000000",
        "0000 0000 0000 0000",
        "v4.4242424242424242",
        "374245455400127",
    ),
]


@pytest.mark.parametrize(("sort", "text"), [(sort, text) for sort, texts in FOUND.items() for text in texts])
def test_it_is_found_where_it_stands(sort: str, text: str) -> None:
    """Given one of a sort in a sentence, that sort is found, once."""
    (one,) = personal(text)
    assert one.sort == sort and text[one.start : one.end].strip(" .,()<>") == text[one.start : one.end]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    """Versions, remotes, examples, numbers whose checksum does not fit."""
    assert personal(text) == []


@given(st.text(max_size=200))
def test_any_text_has_places_within_it_in_order(text: str) -> None:
    """Whatever the text, spans lie in it and are sorted."""
    found = personal(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)
