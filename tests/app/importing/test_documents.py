"""Importing: what people wrote down becomes items once, as nobody's word, with its line; nothing is lost."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from clew.app.importing.documents import ImportedDocument, ImportedEntry, ImportedFiles, take_in
from clew.app.importing.scraps import CHARS_MAX
from clew.app.intake.source import SourceFile, read_source
from clew.app.keeping.purge import purge
from clew.app.look.log import log
from clew.app.look.show import show
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import answer, edit, pin, resolve, retract
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_new
from clew.core.errors import NotFound
from clew.core.state.projection import source_of
from tests.app.recorders import Shop
from tests.app.worlds import private_key, secrets

HANDOFF = """# Handoff: nightly import

## Goal
Import the bank's CSV every night without double bookings.

## Done
- [x] Write the parser for the CSV
- [x] Add the unique key

## To do
- [ ] Measure the first night

## Next step
Wire the import into the scheduler.

## Decisions
- Amounts are integer cents, because floats lost a cent in March.

## Failed approaches
- Reading the CSV with pandas: it turned booking ids into floats.

## Open questions
- Who owns the account of the scheduler?
"""


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path)
    task_new(ProjectHandle(made.ada, made.top), "Nightly import")
    return made


def taken(
    shop: Shop, text: str, *, name: str = "HANDOFF.md", by: object = None, dry_run: bool = False
) -> ImportedFiles:
    """What became of a file of the project with this text."""
    shop.repo.write(name, text)
    source = read_source(shop.top / name, root=shop.top)
    return take_in(ProjectHandle(by or shop.ada, shop.top, dry_run=dry_run), [source])  # type: ignore[arg-type]


def read(shop: Shop, text: str, **options: object) -> ImportedDocument:
    return taken(shop, text, **options).documents[0]  # type: ignore[arg-type]


def did(reading: ImportedDocument) -> dict[str, str]:
    """What became of each text."""
    return {one.text: one.did for one in reading.entries}


def one(reading: ImportedDocument, text: str) -> ImportedEntry:
    """The part whose text begins so."""
    return next(part for part in reading.entries if part.text.startswith(text))


def task_of(shop: Shop) -> str:
    with shop.desk(write=False) as at:
        return at.task()


def status(shop: Shop, text: str) -> str:
    return next(entry.item.status for entry in shop.known(task_of(shop)).values() if entry.item.text == text)


def test_a_handoff_becomes_items_with_their_lines(shop: Shop) -> None:
    """Else the next session starts from a file that nobody looks into."""
    reading = read(shop, HANDOFF)
    assert (reading.file, reading.format, reading.title) == ("HANDOFF.md", "markdown", "Handoff: nightly import")
    assert {part.did for part in reading.entries} == {"new"}
    kinds = [(part.line, part.kind, part.status) for part in reading.entries]
    assert kinds == [
        (4, "goal", ""), (7, "step", "done"), (8, "step", "done"), (11, "step", "pending"), (14, "next", ""),
        (17, "decision", ""), (20, "failed", ""), (23, "question", ""),
    ]  # fmt: skip
    entry = shop.known(task_of(shop))[one(reading, "Amounts").id]
    assert source_of(entry) == "HANDOFF.md:17"
    assert "floats lost a cent" in entry.item.why
    found = show(ProjectHandle(shop.ada, shop.top), one(reading, "Amounts").short_id)
    assert found.item and found.item.id == entry.item.id


def test_what_a_file_says_is_nobodys_word(shop: Shop) -> None:
    """Anybody can write a file: a person who imports it does not say what stands in it, nor lock it."""
    for ports, name in ((shop.ada, "a.md"), (shop.bot, "b.md")):
        read(
            shop,
            f"# Decisions\n\n- locked: Ten it is, says {name}\n- [x] ✓ tests passed in {name}\n",
            name=name,
            by=ports,
        )
    items = [entry.item for entry in shop.known(task_of(shop)).values()]
    assert {item.provenance for item in items} == {"unattributed"}
    assert {event.provenance for _, event in shop.events() if event.kind == "item.stated"} == {"unattributed"}
    assert {item.actor for item in items} == {"ada", "claude-code"}
    assert not any(item.locked or item.pinned for item in items)


def test_a_file_proves_nothing(shop: Shop) -> None:
    """A ✓ in a document of ours stands for a command's outcome."""
    read(shop, "# Verification\n\n- `make test`: passed ✅\n\n## Done\n\n- [x] ✅ All green\n")
    assert "✓" not in resume(ProjectHandle(shop.bot, shop.top)).document.text.partition("\n\n")[2]


def test_the_same_file_twice_adds_nothing(shop: Shop) -> None:
    """Hand-offs are imported by scripts, again and again."""
    read(shop, HANDOFF + "\n## Notes\n\n```\n03:00 start\n```\n")
    before = shop.events()
    again = read(shop, HANDOFF + "\n## Notes\n\n```\n03:00 start\n```\n", by=shop.bot)
    assert {part.did for part in again.entries} == {"known"}
    assert shop.events() == before


def test_a_file_that_grew_adds_what_is_new(shop: Shop) -> None:
    """A journal is a file to which lines are added, and boxes ticked."""
    first = read(shop, HANDOFF)
    grown = HANDOFF.replace("- [ ] Measure", "- [x] Measure").replace(
        "## Next", "- [ ] Tell the bank\n- [~] Look at March\n\n## Next"
    )
    second = read(shop, grown)
    assert {part.text for part in second.entries if part.did == "new"} >= {"Tell the bank"}
    ticked = one(second, "Measure the first night")
    assert (ticked.did, ticked.said, ticked.id) == ("changed", "now done", one(first, "Measure").id)
    assert status(shop, "Measure the first night") == "done"


def test_a_stale_file_unticks_nothing(shop: Shop) -> None:
    """An old copy that is imported later must not undo work."""
    read(shop, HANDOFF.replace("- [ ] Measure", "- [x] Measure"))
    stale = read(shop, HANDOFF)
    assert one(stale, "Measure").did == "known"
    assert status(shop, "Measure the first night") == "done"


def test_what_is_over_here_stays_over(shop: Shop) -> None:
    """A person took it back; the file still has it, and the file is not what a person says."""
    first = read(shop, HANDOFF)
    retract(ProjectHandle(shop.ada, shop.top), one(first, "Amounts").id)
    edit(ProjectHandle(shop.ada, shop.top), one(first, "Reading").id, {"text": "pandas for CSV"})
    again = read(shop, HANDOFF)
    assert {part.did for part in again.entries} == {"known"}
    assert one(again, "Amounts").said == "retracted here"


def test_an_answer_in_the_file_answers(shop: Shop) -> None:
    """People answer a question where they read it: in our own document, below its id."""
    question = shop.noted("question", "Which bank?", by=shop.bot)
    text = resume(ProjectHandle(shop.ada, shop.top), with_ids=True).document.text
    back = read(shop, text.replace("Which bank?", "Which bank? → the one in Kiel"))
    assert [(part.did, part.id) for part in back.entries if part.kind == "question"] == [("changed", question)]
    assert shop.known(task_of(shop))[question].item.answer.startswith("the one in Kiel (answered by a file")


def test_our_own_document_tells_us_nothing_new(shop: Shop) -> None:
    """What `clew resume` printed, saved and imported, is known; its frame is nobody's word."""
    read(shop, HANDOFF)
    shop.noted("constraint", "The books of last year stay as they are", why="they are audited", locked=True)
    for with_ids in (True, False):
        document = resume(ProjectHandle(shop.ada, shop.top), with_ids=with_ids).document
        back = read(shop, document.text, name="payload.md")
        assert back.format == "clew"
        assert {part.did for part in back.entries} == {"known"}, [part for part in back.entries if part.did != "known"]


def test_a_line_with_an_id_that_was_reworded_is_edited(shop: Shop) -> None:
    """The id says which item it is, so that the words may change."""
    item = shop.noted("finding", "The night takes two minutes", by=shop.bot)
    text = resume(ProjectHandle(shop.ada, shop.top), with_ids=True).document.text
    back = read(shop, text.replace("two minutes", "three minutes"))
    assert [(part.did, part.said, part.id) for part in back.entries if part.kind == "finding"] == [
        ("changed", "reworded", item)
    ]
    assert shop.known(task_of(shop))[item].item.text == "The night takes three minutes"


def test_what_a_person_said_a_file_does_not_change(shop: Shop) -> None:
    """It is told what to type instead, and the rest of the file comes in."""
    decision = shop.noted("decision", "Ten it is")
    question = shop.noted("question", "Whose account?", owner="bob")
    step = one(read(shop, "# To do\n\n- [ ] Measure\n"), "Measure").id
    pin(ProjectHandle(shop.ada, shop.top), step)
    text = resume(ProjectHandle(shop.ada, shop.top), with_ids=True).document.text
    text = text.replace("Ten it is", "Nine it is").replace("Whose account?”", "Whose account?” → Bob's")
    before = shop.known(task_of(shop))
    back = read(shop, text + "\n## My findings\n\n- The tide is ten\n", by=shop.bot)
    asked = {part.id: part for part in back.entries if part.did == "person"}
    assert set(asked) == {decision, question}
    assert asked[decision].command == f"clew edit {asked[decision].short_id} 'Nine it is'"
    assert asked[decision].said == "reworded: a person said it"
    assert asked[question].command.startswith("clew answer Q-")
    now = shop.known(task_of(shop))
    assert {name: now[name].item for name in before} == {name: entry.item for name, entry in before.items()}
    assert one(back, "The tide is ten").did == "new"


def test_a_persons_request_may_be_ticked_in_a_file(shop: Shop) -> None:
    """Whoever did the work may say that it is done; a step that a person pinned only a person ends."""
    steps = read(shop, "# To do\n\n- [ ] Measure\n- [ ] Tell the bank\n")
    edit(ProjectHandle(shop.ada, shop.top), one(steps, "Tell").id, {"text": "Tell the bank today"})
    pin(ProjectHandle(shop.ada, shop.top), one(steps, "Measure").id)
    back = read(shop, "# To do\n\n- [x] Measure\n- [x] Tell the bank today\n")
    assert did(back) == {"Measure": "person", "Tell the bank today": "changed"}
    assert one(back, "Measure").command.startswith("clew resolve S-")


def test_a_file_has_one_next_action(shop: Shop) -> None:
    """Each hand-off names the next one: that of last week is not to stand beside it. Another file's stays."""
    shop.noted("next", "Ask the bank")
    read(shop, "# Next step\n\nRead the plan.\n", name="PLAN.md")
    first = read(shop, HANDOFF)
    second = read(shop, HANDOFF.replace("Wire the import", "Watch the import"))
    new = one(second, "Watch")
    assert (new.did, new.said) == ("new", f"in place of {one(first, 'Wire').short_id}")
    live = [
        entry.item.text
        for entry in shop.known(task_of(shop)).values()
        if entry.standing == "live" and entry.item.kind == "next"
    ]
    assert sorted(live) == ["Ask the bank", "Read the plan.", "Watch the import into the scheduler."]


def test_nothing_that_is_not_understood_is_lost(shop: Shop) -> None:
    """It becomes notes, neighbours together, long ones in pieces."""
    rows = [f"row {number} of the long table of the night, with its figures" for number in range(400)]
    log_of_night = "\n".join(rows)
    words = " ".join(f"word{number}" for number in range(900))
    text = f"# Handoff\n\n## Log\n\n```\n{log_of_night}\n```\n\n{words}\n"
    read(shop, text)
    notes = [entry.item for entry in shop.known(task_of(shop)).values() if entry.item.kind == "note"]
    assert len(notes) > 10
    assert all(len(item.text) + len(item.why) <= CHARS_MAX for item in notes)
    kept = "\n".join(
        f"{item.text}\n{item.why}" for item in (entry.item for entry in shop.known(task_of(shop)).values())
    )
    assert all(row in kept for row in rows)
    assert all(word in kept.split() for word in words.split())
    assert {part.did for part in read(shop, text).entries} == {"known"}


def test_a_note_that_grows_brings_only_its_new_paragraph(shop: Shop) -> None:
    """Joining paragraphs must not make another note of all of them when one is added."""
    log_of_night = "# Handoff\n\n## Log\n\n```\n03:00 start\n```\n\n```\n03:02 end\n```\n"
    read(shop, log_of_night)
    grown = read(shop, log_of_night + "\n```\n03:05 mail\n```\n")
    assert [part.text for part in grown.entries if part.did == "new"] == ["``` 03:05 mail"]


def test_notes_are_told_last_and_are_found(shop: Shop) -> None:
    """What could not be placed may matter all the same; it takes no room from what could."""
    note = read(shop, "# Handoff\n\n```\n03:00 start\n03:02 end\n```\n").entries[-1]
    shop.noted("decision", "Ten it is")
    text = resume(ProjectHandle(shop.ada, shop.top)).document.text
    assert text.index("Ten it is") < text.index("03:00 start")
    found = show(ProjectHandle(shop.ada, shop.top), note.short_id)
    assert found.item and "03:02 end" in found.item.why
    assert any("03:00" in line.words for line in log(ProjectHandle(shop.ada, shop.top), kind="note").events)


def test_a_long_handoff_leaves_room_for_what_matters(shop: Shop) -> None:
    """Sixty done steps and thirty findings are history; goal, next action, decisions and dead ends are not."""
    done = "".join(f"- [x] Wrote part {number} of the importer, with its tests and its page\n" for number in range(40))
    rules = "".join(f"- Never touch table number {number} of the old books, whatever it says\n" for number in range(20))
    text = HANDOFF.replace("## Done\n", f"## Constraints\n{rules}\n## Done\n{done}")
    assert len(read(shop, text).entries) > 60
    document = resume(ProjectHandle(shop.ada, shop.top), budget_tokens=1000).document
    assert document.tokens <= 1000
    for words in (
        "without double bookings", "Wire the import", "integer cents — floats lost a cent", "pandas",
        "Who owns the account", "Measure the first night",
    ):  # fmt: skip
        assert words in document.text
    assert document.left_out


def test_what_was_said_here_comes_before_what_a_file_says(shop: Shop) -> None:
    """A file of rules must not push out the few that the work is about, nor name the goal."""
    rules = "".join(f"- Never touch table number {number} of the old books, whatever it says\n" for number in range(60))
    read(shop, f"# Goal\n\nAnother goal\n\n# Constraints\n\n{rules}")
    shop.noted("constraint", "The signature of split() stays", by=shop.bot)
    shop.noted("goal", "Ten at high tide", by=shop.bot)
    document = resume(ProjectHandle(shop.ada, shop.top), budget_tokens=300).document
    assert "## Goal\n- Ten at high tide\n" in document.text
    assert "The signature of split() stays" in document.text


def test_entries_stay_in_the_order_of_the_file(shop: Shop) -> None:
    """Steps of a plan in another order are another plan."""
    shop.ada = shop.ada._replace(now_ms=shop.clock)  # all within one millisecond
    steps = [f"Part {number}" for number in range(12)]
    read(shop, "# To do\n\n" + "".join(f"- [ ] {step}\n" for step in steps))
    text = resume(ProjectHandle(shop.ada, shop.top)).document.text
    assert [text.index(f"{step}\n") for step in steps] == sorted(text.index(f"{step}\n") for step in steps)


def test_two_imports_at_once_make_one(shop: Shop) -> None:
    """A hook and a person run it in the same second."""
    shop.repo.write("HANDOFF.md", HANDOFF)
    source = read_source(shop.top / "HANDOFF.md", root=shop.top)
    threads = [
        threading.Thread(target=take_in, args=(ProjectHandle(ports, shop.top), [source]))
        for ports in (shop.ada, shop.bot)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stated = [event.data["item"] for _, event in shop.events() if event.kind == "item.stated"]
    assert len(stated) == len(set(stated)) == 8


def test_several_files_know_each_other(shop: Shop) -> None:
    """The plan and the hand-off tell the same step; a rehearsal counts as the real thing does."""
    files = [
        SourceFile("PLAN.md", "# To do\n\n- [ ] Measure the first night\n", "UTF-8"),
        SourceFile("H.md", HANDOFF, "UTF-8"),
    ]
    rehearsed = take_in(ProjectHandle(shop.ada, shop.top, dry_run=True), files)
    assert not [event for _, event in shop.events() if event.kind.startswith("item.")]
    done = take_in(ProjectHandle(shop.ada, shop.top), files)
    assert [did(reading) for reading in rehearsed.documents] == [did(reading) for reading in done.documents]
    assert one(done.documents[1], "Measure").did == "known"


def test_a_secret_in_a_file_is_replaced_and_its_lines_stay(shop: Shop) -> None:
    """People paste keys into hand-offs. The lines behind a key of many lines are still found."""
    token, key = secrets()["github"], private_key()
    text = f"# Decisions\n\n- Log in with {token}\n\n```\n{key}\n```\n\n## To do\n\n- [ ] Measure\n"
    done = taken(shop, text)
    reading = done.documents[0]
    assert any("Possible secrets" in note for note in done.notes)
    told = repr(reading) + repr(shop.events())
    assert token not in told
    assert not [row for row in key.split("\n")[1:-1] if row in told]
    assert one(reading, "Measure").line == text.split("\n").index("- [ ] Measure") + 1


def test_what_a_person_redacted_does_not_come_back(shop: Shop) -> None:
    """The file still has the words."""
    text = "# Decisions\n\n- The vault opens with mother's birthday\n- Ten it is\n"
    purge(ProjectHandle(shop.ada, shop.top), one(read(shop, text), "The vault").id)
    again = read(shop, text)
    assert [part.did for part in again.entries] == ["redacted", "known"]
    assert "birthday" not in repr(shop.events())


def test_a_resolved_entry_comes_in_as_history(shop: Shop) -> None:
    """A blocker that the file says is gone blocks nobody."""
    blocker = shop.noted("blocker", "The bank is shut", by=shop.bot)
    resolve(ProjectHandle(shop.ada, shop.top), blocker)
    assert one(read(shop, "# Blockers\n\n- The bank is shut\n"), "The bank").said == "resolved here"


def test_an_answered_question_is_not_asked_again(shop: Shop) -> None:
    """The person's answer stands, whatever an old file says."""
    question = one(read(shop, HANDOFF), "Who owns").id
    answer(ProjectHandle(shop.ada, shop.top), question, "Bob")
    assert one(read(shop, HANDOFF), "Who owns").did == "known"
    assert shop.known(task_of(shop))[question].item.answer == "Bob"


def test_in_a_sandbox_it_waits_as_nobodys_word(shop: Shop) -> None:
    """What is spooled must not gain authority on the way."""
    done = taken(shop, HANDOFF, by=shop.read_only())
    assert done.spooled and any("spool" in note for note in done.notes)
    shop.note("decision", "Ten it is")  # takes the spool in
    provenances = {
        event.provenance for _, event in shop.events() if event.kind == "item.stated" and "source" in event.data
    }
    assert provenances == {"unattributed"}


def test_the_task_is_the_bound_one_or_the_named(shop: Shop) -> None:
    """Items of no task hold in every one, so that is said."""
    task_new(ProjectHandle(shop.ada, shop.top), "Other", bind=False)
    source = SourceFile("H.md", HANDOFF, "UTF-8")
    assert take_in(ProjectHandle(shop.ada, shop.top, dry_run=True), [source], task="Other").task.title == "Other"  # type: ignore[union-attr]
    assert take_in(ProjectHandle(shop.ada, shop.top, dry_run=True), [source], task="").task is None
    with pytest.raises(NotFound):
        take_in(ProjectHandle(shop.ada, shop.top), [source], task="Nonesuch")


def test_a_program_imports_through_the_library(shop: Shop) -> None:
    """`clew.open()` has what the command has."""
    import clew

    shop.repo.write("HANDOFF.md", HANDOFF)
    with clew.open(shop.top, task="Lib", create=True) as project:
        assert {part.did for part in project.import_file("HANDOFF.md").entries} == {"new"}
        assert {part.did for part in project.import_file("HANDOFF.md", dry_run=True).entries} == {"known"}
        assert {item.provenance for item in project.state().items if item.kind == "failed"} == {"unattributed"}
