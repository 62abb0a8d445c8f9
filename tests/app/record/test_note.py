"""Notes: what people and agents state on purpose, once, with all that its kind holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.record.note import NewNote, note
from clew.app.record.verbs import NOTED
from clew.app.tasks.lifecycle import task_end, task_new
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.state.events import Event
from clew.core.state.fold import values
from clew.core.state.items import Kind
from clew.workspace.fingerprint import blob_id
from tests.app.recorders import Shop
from tests.app.worlds import secrets


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def refused(shop: Shop, kind: Kind, text: str, **fields: object) -> ClewError:
    """What is said to a note that is refused; nothing is recorded then."""
    before = shop.events()
    with pytest.raises(ClewError) as caught:
        shop.note(kind, text, **fields)
    assert before == shop.events()
    assert caught.value.hint
    return caught.value


HOLDS: dict[Kind, dict[str, object]] = {
    "goal": {},
    "decision": {"locked": True},
    "deferral": {"until": "the release"},
    "failed": {"guard": ("round(*)",)},
    "hypothesis": {"status": "eliminated"},
    "constraint": {"locked": True, "status": "off limits"},
    "reminder": {"until": "Friday"},
    "assumption": {},
    "finding": {},
    "question": {"owner": "bob", "blocking": True},
    "risk": {"owner": "bob"},
    "blocker": {"owner": "bob", "until": "the key is there"},
    "file": {"status": "off limits"},
    "next": {},
    "learning": {"tags": ("GOTCHA",)},
}


@pytest.mark.parametrize("kind", NOTED)
def test_an_item_holds_what_its_kind_holds(kind: Kind, shop: Shop) -> None:
    """A field that is taken and not kept is a promise broken in silence."""
    text = "src/a.py" if kind == "file" else "The tide is ten"
    item = shop.noted(kind, text, why="the moon says so", files=("src/a.py",), **HOLDS[kind])
    with shop.desk(write=False) as at:
        kept = values(at.ledger.fold("").entities[item])
    wanted = {name: list(value) if isinstance(value, tuple) else value for name, value in HOLDS[kind].items()}
    assert {
        "kind": kind,
        "text": text,
        "why": "the moon says so",
        "files": ["src/a.py"],
        **wanted,
    }.items() <= kept.items()
    assert shop.known()[item].item.provenance == "human"


@pytest.mark.parametrize("kind", NOTED)
def test_what_a_kind_does_not_hold_is_refused(kind: Kind, shop: Shop) -> None:
    """Who says `--blocking` of a decision means something that clew would not do."""
    every = {name: value for fields in HOLDS.values() for name, value in fields.items()}
    for name, value in every.items():
        if name not in HOLDS[kind]:
            assert refused(shop, kind, "src/a.py", **{name: value}).code == "E-item-field"


def test_kinds_that_sessions_tell_are_not_noted(shop: Shop) -> None:
    """A validation that somebody writes down proves nothing."""
    assert refused(shop, "validation", "pytest passed").code == "E-item-field"


def test_the_same_note_twice_is_one(shop: Shop) -> None:
    """An agent that repeats itself, or a person who presses Enter twice, must not fill the payload."""
    first = shop.note("decision", "Use Decimal", why="floats lose cents")
    again = shop.note("decision", "Use  Decimal ", why="floats lose cents")
    assert (first.changed, again.changed) == (True, False)
    assert first.item and again.item and first.item.short_id == again.item.short_id
    assert len(shop.known()) == 1


def test_what_differs_is_another_note(shop: Shop) -> None:
    """Somebody else's word, another reason, another kind: none of them is a repetition."""
    shop.noted("decision", "Use Decimal")
    shop.noted("decision", "Use Decimal", by=shop.bot)
    shop.noted("decision", "Use Decimal", why="floats lose cents")
    shop.noted("finding", "Use Decimal")
    assert len(shop.known()) == 4


def test_what_was_taken_back_can_be_said_again(shop: Shop) -> None:
    """It is a new word, and the old one's end does not count for it."""
    from clew.app.record.item import retract

    first = shop.noted("decision", "Use Decimal")
    retract(shop.by_person, first)
    second = shop.noted("decision", "Use Decimal")
    assert first != second
    assert shop.noted("decision", "Use Decimal") == second
    assert shop.live() == ["Use Decimal"]


def test_with_a_key_a_note_is_kept_once_whatever_became_of_it(shop: Shop) -> None:
    """A program that was killed before it saw the answer sends the same again; a person has taken it back meanwhile."""
    from clew.app.record.item import retract

    first = shop.noted("finding", "The tide is ten", key="run-7/3", by=shop.bot)
    retract(shop.by_person, first)
    again = shop.note("finding", "The tide is ten", key="run-7/3", by=shop.bot)
    assert (again.changed, shop.live()) == (False, [])
    for kind, text in (("finding", "The tide is nine"), ("risk", "The tide is ten")):
        with pytest.raises(InputError) as caught:
            shop.note(kind, text, key="run-7/3", by=shop.bot)  # type: ignore[arg-type]
        assert caught.value.code == "E-note-key"
    assert shop.note("finding", "The tide is nine", key="run-7/3").changed  # somebody else's keys are his own


def test_a_key_stands_for_the_words_that_were_sent_with_it(shop: Shop) -> None:
    """A person rewords or redacts the note: the program that sends it again knows nothing of that, and need not."""
    from clew.app.keeping.purge import purge
    from clew.app.record.item import edit

    name = shop.noted("finding", "The tide is ten today", key="k", by=shop.bot)
    edit(shop.by_person, name, {"text": "The tide is ten"})
    assert not shop.note("finding", "The tide is ten today", key="k", by=shop.bot).changed
    with pytest.raises(InputError):
        shop.note("finding", "The tide is ten", key="k", by=shop.bot)
    purge(shop.by_person, name)
    assert not shop.note("finding", "The tide is ten today", key="k", by=shop.bot).changed
    assert shop.live() == []


def test_of_two_at_once_with_one_key_one_is_told_that_it_is_not_kept(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both were told "Noted" once; the words of one were nowhere."""
    keep = ProjectSession.keep

    def late(at: ProjectSession, events: Sequence[Event]) -> None:
        monkeypatch.setattr(ProjectSession, "keep", keep)
        assert shop.note("finding", "Second words", by=shop.bot, key="k").changed
        keep(at, events)

    monkeypatch.setattr(ProjectSession, "keep", late)
    with pytest.raises(InputError) as caught:
        shop.note("finding", "First words", by=shop.bot, key="k")
    assert caught.value.code == "E-note-key"
    assert shop.live() == ["Second words"]


def test_an_id_gives_no_hint_of_what_was_said(tmp_path: Path) -> None:
    """It stays when the words are purged, and whoever has it could try out what they were."""
    one, other = Shop(tmp_path / "one"), Shop(tmp_path / "other")
    assert one.noted("finding", "The tide is ten") != other.noted("finding", "The tide is ten")


def test_there_is_one_next_action_and_one_goal(shop: Shop) -> None:
    """The payload has room for the next action, not for all that ever were; both go in one batch."""
    for kind in ("next", "goal"):
        shop.noted(kind, f"the first {kind}")  # type: ignore[arg-type]
        shop.noted("risk", f"a risk beside the {kind}")
        done = shop.note(kind, f"the second {kind}")  # type: ignore[arg-type]
        assert [event.kind for event in done.events] == ["item.stated", "item.superseded"]
        assert "takes the place of" in done.said
    assert [text for text in shop.live() if "risk" not in text] == ["the second goal", "the second next"]


def test_an_agent_takes_no_place_from_a_person_or_a_pin(shop: Shop) -> None:
    """What the person wants next is not overruled by what the agent would do next."""
    from clew.app.record.item import pin

    shop.noted("goal", "Ada's goal")
    done = shop.note("goal", "The agent's goal", by=shop.bot)
    assert any("a person said it" in sentence for sentence in done.notes)
    pinned = shop.noted("next", "Pinned", by=shop.bot)
    pin(shop.by_agent, pinned)
    shop.noted("next", "Later", by=shop.bot)
    assert shop.live() == ["Ada's goal", "Later", "Pinned", "The agent's goal"]
    shop.noted("goal", "Ada's new goal")
    assert shop.live() == ["Ada's new goal", "Later", "Pinned"]


@pytest.mark.parametrize(
    ("name", "path", "lines"),
    [
        ("a.py", "src/a.py", ""),
        ("./../src//a.py:3", "src/a.py", "3"),
        ("a.py:3-9", "src/a.py", "3-9"),
        ("../README.md", "README.md", ""),
        ("new.py", "src/new.py", ""),
        ("odd:12", "src/odd:12", ""),
        ("a.py:", "src/a.py:", ""),
        ("linked/b.py", "src/linked/b.py", ""),
    ],
)
def test_files_are_kept_relative_to_the_top(name: str, path: str, lines: str, shop: Shop) -> None:
    """Who notes stands anywhere in the work tree, and the next session somewhere else."""
    shop.repo.write("src/odd:12", "a name with a colon\n")
    shop.repo.write("src/sub/b.py", "b = 1\n")
    (shop.top / "src" / "linked").symlink_to("sub")
    done = note(ProjectHandle(shop.ada, shop.top / "src"), NewNote("finding", "It is there", files=(name,)))
    assert done.item is not None
    assert done.item.files == (path,)
    assert done.item.text == ("It is there" if not lines else f"It is there ({path}:{lines})")


def test_an_absolute_path_through_a_link_is_found(shop: Shop, tmp_path: Path) -> None:
    """`/tmp` is a link on some systems, and shells complete absolute paths."""
    (tmp_path / "way").symlink_to(shop.top)
    done = shop.note("finding", "Here", files=(f"{tmp_path}/way/src/a.py", f"{shop.top}/README.md"))
    assert done.item is not None
    assert done.item.files == ("src/a.py", "README.md")


@pytest.mark.parametrize("name", ["../outside.py", "/etc/hosts", ".", "", ".git/config", "a\0b", "a\x1b[1m.py"])
def test_a_path_outside_is_refused(name: str, shop: Shop) -> None:
    """It would be compared with somebody else's file later, or with none."""
    assert refused(shop, "finding", "There", files=(name,)).code == "E-path-outside"


@pytest.mark.parametrize("lines", ["0", "9-3"])
def test_lines_that_are_none_are_refused(lines: str, shop: Shop) -> None:
    """Not taken for a file of that name either."""
    assert refused(shop, "next", "Go on", files=(f"src/a.py:{lines}",)).code == "E-item-field"


def test_a_note_remembers_for_which_content_it_was_true(shop: Shop) -> None:
    """Drift is told by content; said again after the file changed, it holds for the new one."""
    item = shop.noted("finding", "a is one", files=("src/a.py", "src/none.py"))

    def cites() -> object:
        with shop.desk(write=False) as at:
            return values(at.ledger.fold("").entities[item])["cites"]

    assert cites() == [f"{blob_id(b'a = 1' + chr(10).encode())} src/a.py", " src/none.py"]
    shop.repo.write("src/a.py", "a = 2\n")
    assert shop.noted("finding", "a is one", files=("src/a.py", "src/none.py")) == item
    assert cites() == [f"{blob_id(b'a = 2' + chr(10).encode())} src/a.py", " src/none.py"]


def test_of_a_file_the_text_is_its_path(shop: Shop) -> None:
    """Documents group files by folder: they need the path and nothing else."""
    noted = shop.noted("file", "src/a.py:3-4", why="stubbed")
    item = shop.known()[noted].item
    assert (item.text, item.why, item.files, item.status) == (
        "src/a.py",
        "lines 3-4; stubbed",
        ("src/a.py",),
        "in progress",
    )


def test_the_first_line_is_the_item_and_the_others_join_its_reason(shop: Shop) -> None:
    """A real error has several lines, and a document shows one."""
    noted = shop.noted("failed", "round() in split\nAssertionError: 99 != 100\n  at line 3\n", why="cents")
    item = shop.known()[noted]
    assert item.item.text == "round() in split"
    assert item.item.why == "cents\nAssertionError: 99 != 100\n  at line 3"


@pytest.mark.parametrize(
    ("text", "code"), [("", "E-item-words"), (" \n\t", "E-item-words"), ("x" * 9000, "E-item-field")]
)
def test_a_text_that_is_none_is_refused(text: str, code: str, shop: Shop) -> None:
    """Cutting it off would lose words without a word."""
    assert refused(shop, "finding", text).code == code


def test_no_secret_is_kept_and_the_person_is_told(shop: Shop) -> None:
    """Somebody pastes an error with a key in it."""
    key = secrets()["github"]
    done = shop.note("failed", f"curl with {key}", why=f"401 for {key}", guard=(f"curl -H {key}",), files=(key,))
    assert any("secret" in sentence for sentence in done.notes)
    assert key not in repr(done)
    places = [path for path in shop.top.rglob("*") if path.is_file()]
    assert not [path for path in places if key.encode() in path.read_bytes()]
    error = refused(shop, "finding", "x", task=key)
    assert key not in f"{error.message} {error.hint} {error}"


def test_a_note_belongs_to_the_task_that_is_bound_or_named(shop: Shop) -> None:
    """Else it is told, as soon as there is a task that it could belong to."""
    loose = shop.note("finding", "Nobody has a task yet")
    assert not loose.notes
    bound = task_new(shop.by_person, "Tide").task
    other = task_new(shop.by_person, "Moon", bind=False).task
    assert bound and other
    shop.noted("finding", "of the tide")
    shop.noted("finding", "of the moon", task="moon")
    shop.noted("finding", "of none", task="")
    assert shop.live(bound.id) == ["Nobody has a task yet", "of none", "of the tide"]
    assert shop.live(other.id) == ["Nobody has a task yet", "of none", "of the moon"]
    task_end(shop.by_person, None, change="close")
    assert any("no task" in sentence for sentence in shop.note("finding", "after it").notes)
    assert shop.live() == ["Nobody has a task yet", "after it", "of none"]
    assert refused(shop, "finding", "x", task="T-nonesuch").code == "E-no-task"


def test_a_dry_run_tells_the_same_and_writes_nothing(shop: Shop) -> None:
    """It must not even import what waits in the spool."""
    before = shop.events()
    done = note(ProjectHandle(shop.ada, shop.top, dry_run=True), NewNote("next", "Go on"))
    assert (done.changed, done.dry_run, done.item and done.item.text) == (True, True, "Go on")
    assert before == shop.events()


def test_without_a_ledger_the_person_is_told_how_to_get_one(tmp_path: Path) -> None:
    """Making one by the way would write where nobody asked for it."""
    bare = Shop(tmp_path, ledger=False)
    with pytest.raises(NotFound) as caught:
        bare.note("next", "Go on")
    assert caught.value.code == "E-no-ledger"
    assert "clew init" in caught.value.hint


def test_where_the_ledger_cannot_be_written_the_note_waits_in_the_spool(shop: Shop) -> None:
    """A sandboxed agent must not lose what it learned, and gets no authority by the detour."""
    boxed = shop.read_only()._replace(now_ms=shop.clock.tick)
    done = shop.note("finding", "The tide is ten", by=boxed)
    assert done.spooled
    assert any("spool" in sentence for sentence in done.notes)
    assert shop.live() == []
    later = shop.note("risk", "The moon")
    assert any("spool" in sentence for sentence in later.notes)
    assert shop.live() == ["The moon", "The tide is ten"]
    assert {entry.item.provenance for entry in shop.known().values()} == {"human", "agent"}
    assert not shop.note("risk", "The moon again").notes


def test_a_person_in_a_sandbox_is_no_person_there(shop: Shop) -> None:
    """What waits in the spool can be written by anybody; what needs a person is refused at once."""
    from clew.app.record.item import retract
    from clew.core.errors import NotAllowed

    item = shop.noted("constraint", "Leave the moon alone")
    boxed = shop.read_only()._replace(channel=shop.ada.channel, now_ms=shop.clock.tick)
    with pytest.raises(NotAllowed) as caught:
        retract(ProjectHandle(boxed, shop.top), item)
    assert "spool" in caught.value.message


def test_the_same_note_twice_in_the_spool_is_one(shop: Shop) -> None:
    """There is no key to tell them apart by, but they are the same item."""
    boxed = shop.read_only()._replace(now_ms=shop.clock.tick)
    for _ in range(2):
        shop.note("finding", "The tide is ten", by=boxed)
    shop.note("risk", "The moon")
    assert shop.live() == ["The moon", "The tide is ten"]


def test_lines_beyond_the_end_of_a_file_are_told(shop: Shop) -> None:
    """Whoever follows them finds nothing; it is a typing error, or the file has changed since it was read."""
    shop.repo.write("src/b.py", "a\nb\nc")
    assert not shop.note("finding", "x", files=("src/b.py:3",)).notes
    done = shop.note("file", "src/b.py:2-9")
    assert done.notes == ("src/b.py has 3 lines: 2-9 is beyond its end.",)
    assert done.said.endswith("(file): src/b.py, lines 2-9")


def test_a_file_that_is_not_there_is_told_and_kept(shop: Shop) -> None:
    """Mostly a typing error, sometimes a file that is to be made. One that git has may just be moved away, and a
    pattern names no one file.
    """
    done = shop.note("decision", "One parser", files=("src/parser.py", "src/a.py"))
    assert done.notes == ("There is no file src/parser.py here.",)
    assert done.item is not None
    assert done.item.files == ("src/parser.py", "src/a.py")
    (shop.top / "src" / "a.py").unlink()
    assert not shop.note("finding", "It is away", files=("src/a.py", "src", "src/*.py")).notes


def test_a_question_names_its_owner_and_the_open_one_in_the_same_words(shop: Shop) -> None:
    """Asked again for somebody else it is a second question, which nobody wants unseen."""
    shop.note("question", "Page by cursor?")
    told = shop.note("question", "page by cursor?", owner="Mia")
    assert ("(question for Mia)" in told.said, "asks the same and is open" in " ".join(told.notes)) == (True, True)
