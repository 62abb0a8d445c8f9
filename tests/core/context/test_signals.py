"""Signals: what is counted of a session, and what is not taken for a loop."""

from __future__ import annotations

from clew.core.context.signals import Signal, Signals, SignalWatch
from clew.core.records.transcript import Call, Compaction, Edit, Model, Record, Result, Usage
from tests.builders import by, edit, laid_out, prompt, read, reply, run, todo_list


def used(tokens: int, model: str = "claude-opus-4-7") -> tuple[Record, ...]:
    """An answer that was made from so many tokens of context, most of them from the cache."""
    return (Usage(0, "", "", f"m{tokens}", "", model, 5, 100, tokens - 105, 50),)


def dropped(tokens: int, trigger: str = "auto") -> tuple[Record, ...]:
    return (Compaction(0, "", "", trigger, 150_000, tokens),)


def told(*pieces: tuple[Record, ...]) -> Signals:
    watch = SignalWatch()
    for record in laid_out(*pieces):
        watch.add([record])
    return watch.signals()


FAILED = "E   assert 1 == 2\n1 failed in 0.12s"
LATER = "E   assert 1 == 2\n1 failed in 0.31s"
OTHER = "E   assert 2 == 3\n1 failed in 0.12s"


def test_the_context_is_that_of_the_last_call_on_the_main_chain() -> None:
    """A sub-agent's context is another one: taking it for ours would warn too early or too late."""
    found = told(prompt("Go"), used(50_000), by("a1", used(190_000, "claude-haiku-4-5")))
    assert (50_000, "claude-opus-4-7", 50_000) == (found.context, found.model, found.largest)


def test_what_a_client_made_up_itself_used_nothing() -> None:
    """Claude Code writes its own error messages as answers with zero tokens."""
    found = told(prompt("Go"), used(50_000), (Usage(0, "", "", "m", "", "<synthetic>", 0, 0, 0, 0),))
    assert (50_000, "claude-opus-4-7") == (found.context, found.model)


def test_a_compaction_empties_the_context() -> None:
    """Else everybody would be told to compact again, right after it."""
    found = told(prompt("Go"), used(160_000), dropped(9_000))
    assert (9_000, 160_000, 1) == (found.context, found.largest, found.compactions)
    assert 0 == told(prompt("Go"), used(160_000), dropped(9_000, "micro")).compactions


def test_growth_is_of_the_last_turns_since_the_context_was_empty() -> None:
    """The trend must not fall below zero because of a compaction."""
    turns = [piece for size in (10, 20, 40) for piece in (prompt("More"), used(size * 1000))]
    assert 15_000 == told(*turns).growth
    assert 0 == told(*turns, dropped(5_000)).growth


def test_a_command_that_fails_in_the_same_way_is_a_loop() -> None:
    """Only times differ between the runs: the third one tells that nothing is learned any more."""
    again = [run("pytest -q", text, exit_code=1) for text in (FAILED, LATER, FAILED)]
    assert Signal("pytest -q", 3) == told(prompt("Fix it"), *again).failing
    assert told(prompt("Fix it"), again[0], edit("a.py"), again[1], again[2]).failing is None
    stuck = [piece for n in range(5) for piece in (edit(f"{n}.py"), again[n % 3])]
    assert Signal("pytest -q", 5) == told(prompt("Fix it"), *stuck).failing
    assert told(prompt("Fix it"), *again[:2]).failing is None


def test_a_command_that_fails_otherwise_each_time_is_work() -> None:
    """Test-driven work is one failure after the other; it must not be called a loop."""
    runs = [run("pytest -q", text, exit_code=1) for text in (FAILED, OTHER, FAILED, OTHER)]
    assert told(prompt("Fix it"), *runs).failing is None


def test_a_loop_is_over_when_the_command_passes_or_something_is_committed() -> None:
    """Advice that speaks of what was fixed an hour ago is noise."""
    loop = [run("pytest -q", FAILED, exit_code=1)] * 3
    assert told(*loop, run("pytest -q", "1 passed")).failing is None
    assert told(*loop, run("git commit -am x", "[main 1a2b3c4] x")).failing is None
    assert told(*loop, *[read(f"{n}.py") for n in range(20)]).failing is None


def test_an_edit_that_is_taken_back_and_made_again_is_a_loop() -> None:
    """Back and forth shows that two things contradict each other. Taking a change back once is no loop."""
    there, back = edit("a.py", "new", "old"), edit("a.py", "old", "new")
    assert Signal("a.py", 2) == told(there, back, there, back, there).undone
    assert told(there, back).undone is None
    assert told(there, back, there).undone is None
    four = [edit("a.py", f"new{n}", f"old{n}") for n in range(4)]
    undone = [edit("a.py", f"old{n}", f"new{n}") for n in range(4)]
    assert told(*four, *undone).undone is None


def test_one_call_can_change_several_files() -> None:
    """A patch is told in one line and answered once; a later call of the same id is another one."""

    def patch(at: int, *names: str, back: bool = False) -> tuple[Record, ...]:
        texts = ("new", "old") if back else ("old", "new")
        calls = [Call(at, "", "", "c", "apply_patch", Edit(name, *texts)) for name in names]
        return *calls, Result(at + 1, "", "", "c", "ok", 0, "", "", (), "")

    watch = SignalWatch()
    for turn in range(5):
        watch.add(patch(2 * turn, "a.py", "b.py", back=turn % 2 == 1))
    assert watch.signals().undone in (Signal("a.py", 2), Signal("b.py", 2))
    watch = SignalWatch()
    for turn in range(5):
        watch.add(patch(2 * turn, "ab"[turn % 2], back=turn % 2 == 1))
    assert watch.signals().undone is None


def test_the_model_is_known_before_the_first_answer() -> None:
    """Of a client that names it for itself: its window decides how full the context is."""
    found = told((Model(0, "", "", "gpt-5.5"),), prompt("Go"), used(50_000, ""))
    assert (found.model, found.context) == ("gpt-5.5", 50_000)


def test_reading_again_what_did_not_change_is_counted() -> None:
    """Each whole read stays in the context a second time. After an edit or a compaction there is reason to read."""
    assert Signal("a.py", 3) == told(*[read("a.py")] * 4).reread
    assert told(read("a.py"), read("a.py"), edit("a.py"), read("a.py"), read("a.py")).reread is None
    assert told(read("a.py"), read("a.py"), dropped(100), read("a.py"), read("a.py")).reread is None


def test_replies_that_say_the_same_without_any_deed_in_between_are_alike() -> None:
    """An agent that only repeats itself is stuck."""
    same = reply("I will now look at the parser once more, and then fix the failing test.")
    nearly = reply("I will now look at the parser once more and then fix the failing test.")
    found = told(prompt("Go"), same, nearly, same).alike
    assert found is not None
    assert 3 == found.times
    assert told(prompt("Go"), same, edit("a.py"), same, edit("b.py"), same).alike is None
    assert told(prompt("Go"), *[reply("Done.")] * 5).alike is None


def test_the_step_under_way_and_the_last_deed_are_known() -> None:
    """Whether this is a moment to end depends on both."""
    found = told(prompt("Go"), todo_list(("read", "completed"), ("write", "in_progress")), edit("a.py"))
    assert "write" == found.step
    assert found.edited
    assert "" == told(prompt("Go"), todo_list(("write", "completed"))).step


def test_turns_end_before_the_next_prompt() -> None:
    """A night between two prompts is no work."""
    found = told(prompt("Go"), reply("Yes, I am looking at it."), prompt("And?"), reply("Done with it now."))
    assert 2 == len(found.turns) == found.prompts
    assert found.turns[0].last_time < found.turns[1].first_time


def test_each_exchange_is_told_with_what_it_was() -> None:
    """A correction, an empty turn and another topic: whoever reads it sees which messages are meant."""
    found = told(
        prompt("Write the parser"),
        edit("src/parse/words.py"),
        reply("The parser reads words and numbers now."),
        prompt("No, it should read dates too"),
        edit("src/parse/dates.py"),
        reply("Dates are read as well, by the same table."),
        prompt("And?"),
        reply("Done."),
        prompt("Now fix the mail queue"),
        edit("services/mail/queue.py"),
        reply("The queue keeps its order when a send fails."),
    )
    assert [False, True, False, False] == [one.corrects for one in found.exchanges]
    assert [False, False, True, False] == [one.vague for one in found.exchanges]
    assert ("services/mail/queue.py",) == found.topic
    assert (1, 1) == (found.corrections, found.vague)
    assert "No, it should read dates too" == found.exchanges[1].subject


def test_only_the_last_ten_exchanges_count() -> None:
    """Whoever corrected a lot in the morning is not told so all day."""
    found = told(
        *[prompt("No, not so")] * 4, *[piece for n in range(10) for piece in (prompt(f"Step {n}"), edit(f"{n}.py"))]
    )
    assert (0, 10) == (found.corrections, len(found.exchanges))
