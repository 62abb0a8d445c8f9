"""Long runs of one mark: a session file is untrusted, and its cost must grow with its length, not with the square."""

from __future__ import annotations

import pytest

from clew.distill.distil import distil
from clew.distill.session import Session
from tests import builders as b
from tests.builders import Piece
from tests.growth import in_proportion

CHARS = 6_000
RUNS = (
    ".", "\n", "(", "`", "[", "*", "_", "|", "#", "- ", "<options>", "</option", "A=1 ", "-x ", "1 ", "git ", "a;",
    "at (", " ", "\n ", "../", "A. (", "func (\n", "// because it must be so\n", "pytest;", "git commit -m x;",
)  # fmt: skip


def everywhere(text: str) -> tuple[Piece, ...]:
    """One session with the text in every place that a client may write one in."""
    return (
        b.prompt(text),
        b.reply(text),
        b.run(text, "1 passed"),
        b.run("make test; git commit -m x | tail", text),
        b.run("make lint", text, exit_code=1),
        b.edit("sum.py", text),
        b.delegate("look", text),
        b.refused(b.edit("sum.py", text), text),
        b.plan(text),
        b.reply("Done."),
    )


@pytest.mark.parametrize("run", RUNS)
def test_the_cost_of_a_run_is_linear(run: str) -> None:
    """Progress dots of a few KB took a minute: a hang for whoever opens that session again."""

    def pieces(chars: int) -> tuple[Piece, ...]:
        return everywhere("x b. " + run * (chars // len(run)) + "\nC d.")

    in_proportion(pieces, lambda told: b.distilled(*told), CHARS)


def test_one_long_list_costs_no_more_than_many_short_ones() -> None:
    """Each unit taken out of a message made all the others of it be weighed again: 1,500 entries took 2 s."""

    def entries(count: int) -> str:
        return "\n".join(f"- The cache `part_{n}` must stay because `user_{n}` reads it" for n in range(count))

    in_proportion(entries, lambda text: b.distilled(b.prompt("Fix the cache"), b.reply(text)), 375)


def test_many_turns() -> None:
    """Whether a reply ends its turn was asked by reading all that follows, for each reply and each rule."""

    def turns(count: int) -> list[Piece]:
        replies = [b.reply(f"I reverted `part_{number}` in `sum.py`.") for number in range(count)]
        return [piece for reply in replies for piece in (reply, b.stop())]

    in_proportion(turns, lambda told: b.distilled(b.prompt("Fix the cache"), *told), 375)


def test_many_questions() -> None:
    """For each answer all the questions behind it were walked through: 4,000 turns took 5 s."""

    def turns(count: int) -> Session:
        asked = [(b.prompt(f"And what is part {n}?"), b.reply(f"Yes, `part_{n}` stays.")) for n in range(count)]
        pieces = [piece for turn in asked for piece in turn]
        return b.session(b.prompt("Mend it"), b.reply("I read it."), *pieces, b.prompt("yes"), b.edit("sum.py"))

    in_proportion(turns, distil, 375)
