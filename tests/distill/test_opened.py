"""Pull requests and issues that a session opened."""

from __future__ import annotations

import pytest

from clew.core.state.items import Item
from tests.builders import Piece, distilled, items, link, prompt, reply, run, worked

URL = "https://github.com/ada/shop/pull/7"
ASKED = prompt("Open a pull request")
DONE = reply("It is open.")


def opened(*pieces: Piece) -> list[Item]:
    return [item for item in distilled(ASKED, *pieces, DONE).items if item.text.startswith("opened ")]


def test_what_the_tool_printed_proves_it() -> None:
    """Whoever does not know of it opens a second one."""
    [item] = opened(run('gh pr create --title "Fix the sum" --body x', f"Creating pull request\n{URL}\n"))
    assert (item.text, item.provenance) == (f"opened pull request: Fix the sum {URL}", "verified")


def test_it_is_told_once() -> None:
    """The tool, the client and the agent all tell of the same one."""
    made = run('gh pr create --title "Fix the sum"', f"{URL}\n")
    said = reply(f'Created {URL}\n\n::git-create-pr{{cwd="/home/ada/shop" url="{URL}"}}')
    [item] = opened(link("ada/shop#7", URL), said, made)
    assert item.text == f"opened pull request: Fix the sum {URL}"


def test_a_command_that_failed_opened_nothing() -> None:
    """The address that it prints is that of another one."""
    assert opened(run("gh pr create --fill", f"a pull request already exists:\n{URL}\n", exit_code=1)) == []


def test_the_request_says_what_came_of_it() -> None:
    """It would read as if nothing had come of it but words."""
    state = distilled(ASKED, run("gh pr create --fill", f"{URL}\n"), DONE)
    assert [item.status for item in items(state, "goal")] == ["opened pull/7"]


def test_what_others_opened_is_not_the_sessions() -> None:
    """The request would read as done."""
    theirs = reply(
        f"The regression was created by {URL}. I have not opened a pull request; the one created by Bob is {URL}."
    )
    assert opened(theirs) == []
    assert [item.status for item in items(distilled(ASKED, theirs), "goal")] == ["answered"]


def test_an_address_that_another_command_may_have_printed_proves_nothing() -> None:
    """It is that of the pull request from before."""
    assert opened(run("gh pr create --fill || gh pr view --json url", f"{URL}\n")) == []
    assert opened(run("gh issue create --fill >/tmp/u; curl -s example.org/a", "https://example.org/b\n")) == []


def pull(*pieces: Piece) -> tuple[str, str, str]:
    """Address, title and state of the latest pull request."""
    latest = worked(*pieces).pulls[-1]
    return latest.url, latest.title, latest.state


MADE = run("gh pr create --draft --title 'Fix the sum' --body 'It was off.'", f"{URL}\n")


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("true", "", (URL, "Fix the sum", "draft")),
        ("gh pr edit 7 --title 'Round the sum'", URL, (URL, "Round the sum", "draft")),
        ("gh pr ready", "", (URL, "Fix the sum", "open")),
        ("gh pr merge 7 --squash --delete-branch", "", (URL, "Fix the sum", "merged")),
        ("gh pr merge --auto --squash", "", (URL, "Fix the sum", "draft")),
        (f"gh pr close {URL}", "", (URL, "Fix the sum", "closed")),
        ("gh pr edit --title 'Round the sum' | cat", "error", (URL, "Fix the sum", "draft")),
    ],
)
def test_a_pull_request_is_told_as_it_stands_now(command: str, text: str, expected: tuple[str, str, str]) -> None:
    """Its first title would send the next session to what it was meant to be, and a draft is not under review."""
    assert pull(MADE, run(command, text)) == expected


def test_the_title_of_what_was_opened_is_that_of_now() -> None:
    [item] = opened(MADE, run("gh pr edit 7 -t 'Round the sum'", URL))
    assert item.text == f"opened pull request: Round the sum {URL}"


def test_a_pull_request_of_somebody_else_that_was_changed_is_not_opened() -> None:
    """It is in play all the same."""
    work = worked(run("gh pr edit 9 --title 'Round'", "https://github.com/ada/shop/pull/9"))
    assert (work.opened, [(one.url, one.title) for one in work.pulls]) == ((), [("9", "Round")])
    assert worked(run("gh pr edit 9 --title 'Round'", "could not resolve", exit_code=1)).pulls == ()
