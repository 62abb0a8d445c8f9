"""Pull requests and issues that a session opened."""

from __future__ import annotations

from clew.core.state.items import Item
from tests.builders import Piece, distilled, items, link, prompt, reply, run

URL = "https://github.com/ada/shop/pull/7"
ASKED = prompt("Open a pull request")
DONE = reply("It is open.")


def opened(*pieces: Piece) -> list[Item]:
    return [item for item in distilled(ASKED, *pieces, DONE).items if item.text.startswith("opened ")]


def test_what_the_tool_printed_proves_it() -> None:
    """Whoever does not know of it opens a second one."""
    [item] = opened(run('gh pr create --title "Fix the sum" --body x', f"Creating pull request\n{URL}\n"))
    assert (item.text, item.provenance) == (f"opened pull request: Fix the sum {URL}", "verified")


def test_the_words_of_the_agent_are_a_claim() -> None:
    """A client may keep what a long command printed apart from it: then only the agent says so."""
    [item] = opened(reply("Opened it: [ada/shop#8](https://github.com/ada/shop/issues/8)"))
    assert (item.text, item.provenance) == ("opened issue https://github.com/ada/shop/issues/8", "agent")


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
