"""GitHub's adapter against a server that holds every request against GitHub's own description."""

from __future__ import annotations

import pytest

from clew.core.errors import ClewError, InputError, NotAllowed, NotFound, Unavailable
from clew.remotes.port import passes
from tests.remotes.github.conftest import NAME, Ask, Slept
from tests.remotes.github.server import Server

_ISSUES = r"/issues$"
_ISSUE = r"/issues/1$"
_COMMENTS = r"/comments$"
_MARK = '"id":"0123456789abcdef"'


def _opened(server: Server, body: str = "text", title: str = "Tides") -> None:
    server.forge.open(NAME, "bea", title, body)


def test_an_issue_is_opened_edited_and_read_again(server: Server, ask: Ask) -> None:
    """Title, text and label are there; line ends of a browser are ours."""
    made = ask().create("Tides", f"a {_MARK}", label="clew", marker=_MARK)
    assert (made.number, made.title, made.labels, made.author) == (1, "Tides", ("clew",), "ada")
    ask().edit(1, body="b")
    server.forge.edit(NAME, 1, "bea", "b\r\nc\r\n")
    found = ask().issue(1)
    assert found is not None
    assert (found.body, str(found.repository), found.url) == ("b\nc\n", NAME, f"http://{server.host}/{NAME}/issues/1")


def test_what_did_not_change_is_not_sent_again(server: Server, ask: Ask) -> None:
    """The server answers 304, which costs nothing of the limit."""
    _opened(server)
    first = ask().issue(1)
    assert first is not None and first.etag
    assert ask().issue(1, etag=first.etag) is None
    assert server.answered == [200, 304]
    server.forge.edit(NAME, 1, "bea", "other")
    assert ask().issue(1, etag=first.etag) is not None


def test_an_issue_is_found_again_on_whatever_page(server: Server, ask: Ask) -> None:
    """A hundred issues are a page; the label leads to it, and the time where somebody took that off."""
    for number in range(130):
        server.forge.open(NAME, "bea", f"Issue {number}", "text", ("clew",))
    server.forge.open(NAME, "ada", "Tides", f"text {_MARK}", ("clew",))
    found = ask().find(_MARK, label="clew")
    assert found is not None and found.number == 131
    assert [one.query.get("page", "1") for one in server.came] == ["1", "2"]
    server.forge.repository(NAME)[131].labels.clear()
    assert ask().find(_MARK, label="clew") is None
    assert ask().find(_MARK, label="clew", since="2026-01-01T00:00:00Z") is not None


def test_a_list_leads_to_no_other_server(server: Server, ask: Ask) -> None:
    """The login is sent to the server that it is for, whatever a page names as the next."""
    server.fail("GET", _ISSUES, 200, [], Link='<http://evil.example/api/v3/x>; rel="next"')
    assert ask().find(_MARK, label="clew") is None
    assert len(server.came) == 1


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "E-issue-access", Unavailable),
        (403, "E-issue-forbidden", NotAllowed),
        (404, "E-issue-missing", NotFound),
        (410, "E-issue-missing", NotFound),
        (422, "E-issue-refused", InputError),
    ],
)
def test_what_does_not_pass_by_itself_is_told_at_once(
    server: Server, ask: Ask, slept: Slept, status: int, code: str, kind: type[ClewError]
) -> None:
    """It is asked once, the error says which thing it was, and never the token."""
    server.fail("PATCH", _ISSUE, status, {"message": "Validation Failed", "errors": [{"code": "invalid"}]})
    with pytest.raises(kind) as caught:
        ask().edit(1, body="b")
    assert (caught.value.code, passes(caught.value), slept, len(server.came)) == (code, False, [], 1)
    assert "token-of-ada" not in f"{caught.value.message}{caught.value.hint}"


def test_what_is_deleted_or_never_was_is_missing(server: Server, ask: Ask) -> None:
    """404 and 410."""
    _opened(server)
    server.forge.repository(NAME)[1].deleted = True
    with pytest.raises(NotFound, match="was deleted"):
        ask().issue(1)
    with pytest.raises(NotFound, match="is not there"):
        ask().issue(7)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_that_stumbles_is_asked_again(server: Server, ask: Ask, slept: Slept, status: int) -> None:
    """With longer and longer pauses; in the end it is said, and may pass."""
    _opened(server)
    server.fail("GET", _ISSUE, status, times=2)
    assert ask().issue(1) is not None
    assert slept == [1.0, 2.0]
    server.fail("GET", _ISSUE, status, times=4)
    with pytest.raises(Unavailable) as caught:
        ask().issue(1)
    assert passes(caught.value)


def test_a_secondary_limit_is_waited_for(server: Server, ask: Ask, slept: Slept) -> None:
    """As long as the server says; a long one is told, and may pass."""
    _opened(server)
    limit = {"message": "You have exceeded a secondary rate limit."}
    server.fail("PATCH", _ISSUE, 403, limit, retry_after="7")
    ask().edit(1, body="b")
    assert slept == [7.0]
    server.fail("PATCH", _ISSUE, 429, limit, retry_after="600")
    with pytest.raises(Unavailable, match="10 minutes") as caught:
        ask().edit(1, body="c")
    assert caught.value.code == "E-issue-limit"
    assert passes(caught.value)


def test_a_primary_limit_is_told_with_its_end(server: Server, ask: Ask, slept: Slept) -> None:
    """Nobody waits an hour at a terminal."""
    import time

    _opened(server)
    limit = {"message": "API rate limit exceeded"}
    until = str(int(time.time()) + 3000)
    server.fail("GET", _ISSUE, 403, limit, x_ratelimit_remaining="0", x_ratelimit_reset=until)
    with pytest.raises(Unavailable, match="takes no more requests") as caught:
        ask().issue(1)
    assert (caught.value.code, slept) == ("E-issue-limit", [])


@pytest.mark.parametrize("way", ["lose", "hang after", "hang before", "503"])
def test_what_is_opened_is_opened_once_whatever_became_of_the_answer(server: Server, ask: Ask, way: str) -> None:
    """A lost answer is no reason to send it again: it is looked for first."""
    if way == "lose":
        server.lose("POST", _ISSUES)
    elif way == "503":
        server.fail("POST", _ISSUES, 503)
    else:
        server.hang("POST", _ISSUES, after=way == "hang after")
    made = ask(patience_s=3).create("Tides", f"text {_MARK}", label="clew", marker=_MARK)
    assert made.number == 1
    assert len(server.forge.repository(NAME)) == 1


@pytest.mark.parametrize("way", ["lose", "hang after", "503"])
def test_what_is_said_is_said_once_whatever_became_of_the_answer(server: Server, ask: Ask, way: str) -> None:
    """The mark in the comment tells."""
    _opened(server)
    if way == "503":
        server.fail("POST", _COMMENTS, 503)
    elif way == "lose":
        server.lose("POST", _COMMENTS)
    else:
        server.hang("POST", _COMMENTS, after=True)
    made = ask(patience_s=3).comment(1, "Done. <mark>", marker="<mark>")
    again = ask().comment(1, "Done. <mark>", marker="<mark>")
    assert made == again
    assert len(server.forge.repository(NAME)[1].comments) == 1


def test_a_mark_is_found_on_whatever_page_of_comments(server: Server, ask: Ask) -> None:
    """Also among hundreds."""
    _opened(server)
    for number in range(205):
        server.forge.comment(NAME, 1, "bea", f"word {number}{' <mark>' if number == 203 else ''}")
    assert ask().comment(1, "Done. <mark>", marker="<mark>").body == "word 203 <mark>"


def test_an_edit_whose_answer_is_lost_is_sent_again(server: Server, ask: Ask) -> None:
    """The same text twice is the text once."""
    _opened(server)
    server.lose("PATCH", _ISSUE)
    assert ask().edit(1, body="b").body == "b"
    assert [body for *_, body in server.forge.repository(NAME)[1].versions] == ["text", "b"]


def test_a_server_that_is_not_there_may_be_there_later(ask: Ask, server: Server) -> None:
    """Nothing was sent, so that nothing is unsure."""
    server.close()
    for deed in (lambda: ask().issue(1), lambda: ask().create("t", _MARK, label="clew", marker=_MARK)):
        with pytest.raises(Unavailable, match="cannot be reached") as caught:
            deed()
        assert passes(caught.value)


def test_a_renamed_repository_and_a_moved_issue_answer_from_their_new_place(server: Server, ask: Ask) -> None:
    """What is read and what is written follows; where it is now is told."""
    _opened(server)
    server.forge.rename(NAME, "acme/shop")
    found = ask().issue(1)
    assert found is not None and str(found.repository) == "acme/shop"
    assert str(ask().edit(1, body="b").repository) == "acme/shop"
    server.forge.repository("acme/kiosk")
    server.forge.open("acme/kiosk", "bea", "Another", "text")
    server.forge.move("acme/shop", 1, "acme/kiosk")
    moved = ask("acme/shop").issue(1)
    assert moved is not None and (str(moved.repository), moved.number, moved.body) == ("acme/kiosk", 2, "b")
    assert ask("acme/shop").comment(1, "Done. <mark>", marker="<mark>").id == 1


def test_who_edited_is_told_by_the_server(server: Server, ask: Ask) -> None:
    """The oldest edit first, each with its whole text and the kind of account."""
    _opened(server, "one")
    assert ask().revisions(1) == ()
    server.forge.edit(NAME, 1, "cid", "two")
    server.forge.edit(NAME, 1, "robot", "three", account="Bot")
    told = ask().revisions(1)
    assert told is not None
    assert [(one.login, one.is_person, one.body) for one in told] == [
        ("bea", True, "one"),
        ("cid", True, "two"),
        ("robot", False, "three"),
    ]
    for number in range(120):
        server.forge.edit(NAME, 1, "cid", f"text {number}")
    many = ask().revisions(1)
    assert many is not None and len(many) == 123 and many[-1].body == "text 119"


def test_a_gap_in_the_history_is_told_where_it_is(server: Server, ask: Ask) -> None:
    """An edit that was deleted from the history, and those that are too old to be read."""
    _opened(server, "one")
    issue = server.forge.issues[NAME][1]
    server.forge.edit(NAME, 1, "cid", "two")
    server.forge.edit(NAME, 1, "bea", "three")
    issue.versions[1] = (*issue.versions[1][:3], None)
    told = ask().revisions(1)
    assert told is not None and [one.body for one in told] == ["one", None, "three"]
    for number in range(300):
        server.forge.edit(NAME, 1, "cid", f"text {number}")
    many = ask().revisions(1)
    assert many is not None and [one.body for one in many[:2]] == [None, "text 50"]


def test_a_login_that_may_not_see_edits_is_no_error(server: Server, ask: Ask) -> None:
    """It takes the right to write."""
    _opened(server)
    server.tells_edits = False
    assert ask().revisions(1) is None


def test_a_label_that_may_not_be_set_is_said(server: Server, ask: Ask) -> None:
    """Whoever may only read opens an issue without one."""
    server.forge.readers.add("ada")
    made = ask().create("Tides", _MARK, label="clew", marker=_MARK)
    assert made.labels == ()
    with pytest.raises(NotAllowed):
        ask().add_label(1, "clew")


def test_what_is_no_answer_of_the_api_is_no_fault_of_ours(server: Server, ask: Ask) -> None:
    """A proxy that answers with a page, say."""
    server.fail("GET", _ISSUE, 200, "<html>")
    with pytest.raises(Unavailable, match="something else"):
        ask().issue(1)
