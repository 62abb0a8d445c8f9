"""Names of items: stable for ever, short enough to type."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.ids import (
    IDENTITY_CHARS,
    PREFIX_CHARS_MIN,
    identity,
    short_session,
    shortest_prefixes,
    shortest_sessions,
)

# Few letters, so that long common beginnings happen.
IDS = st.lists(
    st.builds("{}-{}".format, st.sampled_from("DX"), st.text("ab", min_size=IDENTITY_CHARS, max_size=IDENTITY_CHARS)),
    unique=True,
    max_size=12,
)


def test_an_identity_never_changes() -> None:
    """Ids are written into handoffs, issues and people's heads: another value for the same item orphans them all."""
    assert identity("claude-code", "s", "1", "goal", "Fix it") == "0hh94ejg4bfen872"


def test_parts_do_not_run_together() -> None:
    """("ab", "c") and ("a", "bc") are two items; joined without their lengths they would share a name."""
    assert identity("ab", "c") != identity("a", "bc")
    assert identity("a", "") != identity("", "a")


@given(st.lists(st.text(st.characters()), max_size=4))
def test_an_identity_can_be_read_aloud(parts: list[str]) -> None:
    """i, l, o and u are misread as 1, 1, 0 and v; and any text must have a name, lone surrogates too."""
    name = identity(*parts)
    assert len(name) == IDENTITY_CHARS
    assert set(name) <= set("0123456789abcdefghjkmnpqrstvwxyz")


@given(IDS)
def test_a_shown_prefix_finds_exactly_one_item(ids: list[str]) -> None:
    """`clew show D-7k2q` must never show something else, nor ask which one was meant."""
    for full, shown in shortest_prefixes(ids).items():
        assert [full] == [other for other in ids if other.startswith(shown)]
        assert len(shown.partition("-")[2]) >= PREFIX_CHARS_MIN


@given(IDS)
def test_a_shown_prefix_is_no_longer_than_needed(ids: list[str]) -> None:
    """Every character costs tokens in each document."""
    for full, shown in shortest_prefixes(ids).items():
        if len(shown.partition("-")[2]) > PREFIX_CHARS_MIN:
            assert [full] != [other for other in ids if other.startswith(shown[:-1])]


def test_two_sessions_that_began_in_one_minute_are_told_apart() -> None:
    """Ids that begin with the time are alike at first; as much is shown as `--session` needs."""
    ids = ["ses_ddfd0193a001", "ses_ddfd0193b002", "019df213-84b8-7b00-b3ef-a326c2842044"]
    assert {"ses_ddfd0193a", "ses_ddfd0193b", "019df213"} == set(shortest_sessions(ids).values())
    assert ["ses_ddfd0193", "019df213"] == [short_session(ids[0]), short_session(ids[2])]
