"""What fills room that is left: short edits in full, commands that never worked, what was looked for."""

from __future__ import annotations

import pytest

from clew.core.items import FILL_RANK, State
from clew.core.records import Search
from tests.builders import ROOT, call, distilled, edit, items, prompt, reply, run, texts, unanswered

DONE = reply("Done.")


def filling(state: State) -> list[tuple[str, str]]:
    return [(item.text, item.why) for item in state.items if item.rank >= FILL_RANK]


def test_a_short_edit_is_told_in_full() -> None:
    """In a session of one turn it is all that was done, and the agent only says that it is done."""
    rewritten = edit("price.py", "def total():\n    return 7\n", "def total():\n    return 6\n")
    state = distilled(prompt("Make it seven"), rewritten, edit("hello.txt", "Hello Ada"), reply("Done."))
    found = [item.text for item in items(state, "finding")]
    assert "price.py: `return 6` became `return 7`" in found
    assert "hello.txt: `Hello Ada` put in" in found
    assert "Done." in found


@pytest.mark.parametrize("command", ["git stash", "git revert HEAD", "git restore :/", "sed -i s/7/8/ price.py"])
def test_an_edit_that_a_command_may_have_undone_is_not_quoted(command: str) -> None:
    """It would be told as what the file holds."""
    state = distilled(prompt("Make it seven"), edit("price.py", "    return 7\n", "    return 6\n"), run(command), DONE)
    assert "became" not in " ".join(texts(state))


def test_a_new_indentation_is_no_change_of_words() -> None:
    """ "`return 1` became `return 1`" says nothing."""
    state = distilled(prompt("Indent it"), edit("price.py", "        return 1\n", "    return 1\n"), DONE)
    assert "became" not in " ".join(texts(state))


def test_a_cheer_that_a_later_check_gave_the_lie_fills_no_room() -> None:
    """Beside the failed check it would be taken for a second one that passed."""
    failed = run("pytest -q", "1 failed, 3 passed", exit_code=1)
    state = distilled(prompt("Fix the sum"), edit("sum.py"), reply("All tests pass."), failed)
    assert "All tests pass." not in " ".join(texts(state))


def test_of_long_and_of_reverted_edits_nothing_is_quoted() -> None:
    """The file has it; what was taken back is not there."""
    long = edit("long.py", "".join(f"value_{number} = {number}\n" for number in range(40)))
    state = distilled(prompt("Fix it"), long, edit("sum.py", "x = 2"), run("git checkout sum.py"), DONE)
    assert not any("put in" in item.text for item in state.items)


def test_what_was_looked_for_when_the_record_broke_off() -> None:
    """Nobody has drawn a conclusion from it: the next session would begin from nothing."""
    looks = (
        call(Search("close_gate", f"{ROOT}/src")),
        call(Search("**/*.tide", "")),
        call(Search("in `quotes`", "")),
        call(Search("two\nlines", "/etc")),
        run("ls gates", "ls: gates: No such file", exit_code=1),
        run("find . -name '*gate*'"),
    )
    asked = prompt("Where is the gate closed?")
    found = filling(distilled(asked, *looks, unanswered(run("cat src/gate.py"))))
    assert found == [
        ("searched for `close_gate` in src", ""),
        ("searched for `**/*.tide`", ""),
        ("searched for `two lines` in /etc", ""),
        ("looked with `ls gates`", "ls: gates: No such file"),
        ("looked with `find . -name '*gate*'`", ""),
    ]
    assert filling(distilled(asked, *looks, reply("It is closed in src/gate.py."))) == []
    assert filling(distilled(asked, *looks, prompt("And opened?"), unanswered(run("ls src")))) == []


def test_names_alone_fill_nothing() -> None:
    """Eleven names without the sentence above them took the room of all else."""
    names = "\n".join(f"- `handle_{name}()`" for name in ("start", "stop", "tool"))
    last = reply(f"The agent stands in each of the hooks of the other client now:\n\n{names}\n\nAll hooks log.")
    found = [text for text, _ in filling(distilled(prompt("and the other hooks?"), edit("hooks.go"), last))]
    assert "All hooks log." in found
    assert not any("handle_" in text for text in found)
