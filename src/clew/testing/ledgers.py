"""What every ledger promises (`clew.ledger.port`), as tests. A member subclasses `LedgerContract` and gives `ledger`:

class TestMine(LedgerContract):
    @pytest.fixture
    def ledger(self, tmp_path): return MyLedger(tmp_path / "ledger", project=PROJECT)
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from clew.core.errors import InputError
from clew.core.state.events import Data, Event, Value
from clew.core.state.extract import Extract
from clew.core.state.fold import fold, values
from clew.core.state.ids import identity
from clew.core.state.items import Item, Kind, Origin, Place
from clew.ledger.port import FOREIGN_RULES, Ledger, SessionExtent
from clew.testing.strategies import PROJECT, TIMES

DECISION: Final = "D-7k2q000000000000"
FINDING: Final = "F-abcd000000000000"
TASK: Final = "T-7k2q000000000000"
CHECKPOINT: Final = "K-7k2q000000000000"

# What is odd and has to come back as it was.
ODD: Final[dict[str, Value]] = {
    "": "",
    "empty": [],
    "texts": ["", "\0", '"\\\n', "Žluťoučký kůň 🐎", "\u2028"],
    "numbers": 2**63 - 1,
    "negative": -(2**63),
    "float": 1.0,
    "small": 5e-324,
    "yes": True,
    "nothing": None,
    "long": "all work and no play " * 2000,
}


def event(kind: str, number: int, /, *, task: str = TASK, key: str = "", said: int = 0, **data: Value) -> Event:
    """The event number `number` of a test, said at second `said`."""
    name = f"E{number:04d}"
    return Event(
        name, key or name, PROJECT, task, "s1", "/w", "dev", "human", "team", TIMES[said], TIMES[-1], kind, 1, data
    )


def stated(number: int, /, item: str = DECISION, text: str = "Use SQLite", **fields: Any) -> Event:
    """An event that states an item."""
    return event("item.stated", number, item=item, kind="decision", text=text, **fields)


def checkpoint(number: int, /, name: str = CHECKPOINT) -> Event:
    """An event that takes a checkpoint."""
    return event("checkpoint.taken", number, checkpoint=name, name="", reason="asked")


def item(name: str = FINDING, text: str = "Limits are per user", *, rank: int = 0) -> Item:
    """An item that a rule found."""
    return Item(
        name, "finding", text, "", "", "inferred", ("src/ä.py", "b"), Place("s1", 7, "quoted"), rank, TIMES[0], "Label"
    )


def extract(extent: int, *items: Item, session: str = "s1", task: str = TASK, ended: int = 5) -> Extract:
    """The extract of the first `extent` bytes of a session."""
    origin = Origin("claude-code", session, "/w", "main", TIMES[0], TIMES[ended], False, "editing")
    return Extract(origin, task, "/w", 1, extent, "", items)


def texts(ledger: Ledger, upto: int | None = None) -> list[str]:
    """The texts of all inferred items."""
    return [one.text for found in ledger.extracts(upto=upto) for one in found.items]


class LedgerContract:
    """The promises, one by one. `ledger` is new and empty, of the project `PROJECT`, and open for writing."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        """A member's own."""
        raise NotImplementedError

    def test_a_new_ledger_knows_nothing(self, ledger: Ledger) -> None:
        """Every question has an answer before there is anything."""
        assert (PROJECT, True, 0) == (ledger.project, ledger.writable, ledger.position())
        assert ([], (), []) == (list(ledger.events()), ledger.extracts(), list(ledger.versions()))
        assert (0, {}) == ledger.fold(TASK)
        assert ((), {}, None) == (ledger.ids(), ledger.shortest([]), ledger.task_of(DECISION))
        assert (0, 0) == (ledger.prune(TIMES[-1]), ledger.purge(DECISION, ["x"]))
        assert not ledger.assign("s1", TASK)

    def test_events_come_back_by_arrival_as_they_were(self, ledger: Ledger) -> None:
        """Whatever was said, in every field, of every kind: also what only a newer clew knows."""
        strange = event("weather.changed", 2, task="", said=3)._replace(v=99, actor="Ž", worktree="\0", data=ODD)
        given = [stated(1, said=5), strange, event("session.seen", 3, client="", session="")]
        assert (1, 2, 3) == ledger.append(given)
        assert [(1, given[0]), (2, given[1]), (3, given[2])] == list(ledger.events())
        kept = next(ledger.events(kinds=["weather.changed"])).event.data
        assert [type(value) for value in ODD.values()] == [type(kept[name]) for name in ODD]

    def test_positions_go_on_from_batch_to_batch(self, ledger: Ledger) -> None:
        """Whoever follows a ledger asks for what is behind the last position it saw."""
        assert (1,) == ledger.append([stated(1)])
        assert (2, 3) == ledger.append([stated(2), stated(3)])
        assert 3 == ledger.position()
        assert () == ledger.append([])
        assert [2, 3] == [seq for seq, _ in ledger.events(after=1)]
        assert [2] == [seq for seq, _ in ledger.events(after=1, upto=2)]

    def test_a_known_key_keeps_the_first_event(self, ledger: Ledger) -> None:
        """A transcript that is read again says everything again; so does a batch that holds one thing twice."""
        first, again = stated(1, key="a", text="first"), stated(2, key="a", text="again")
        assert (1,) == ledger.append([first])
        assert (1, 2, 2) == ledger.append([again, stated(3, key="b"), stated(4, key="b")])
        assert [first, stated(3, key="b")] == [one for _, one in ledger.events()]

    def test_a_part_of_a_task_is_what_the_whole_says_of_it(self, ledger: Ledger) -> None:
        """A task may have a hundred thousand items, and a command is about one of them."""
        items = [f"D-{identity(str(number))}" for number in range(6)]
        ledger.append([stated(number, item=name, said=number) for number, name in enumerate(items)])
        ledger.append([event("item.pinned", 90, item=items[0]), event("item.resolved", 91, item=items[5])])
        ledger.append([stated(92, item="F-elsewhere", task="T-other")])
        whole = ledger.fold(TASK).entities
        assert {items[0]: whole[items[0]]} == dict(ledger.fold_of(TASK, [items[0], "F-elsewhere", "D-unknown"]))
        some = ledger.select(TASK, lambda _: 2, [items[4]])
        assert ledger.position() == some.seq
        assert {name: whole[name] for name in (*items[:3], *items[4:])} == dict(some.entities)
        assert [("decision", 1)] == [(sort.kind, count) for sort, count in some.more.items()]
        assert whole == ledger.select(TASK, lambda _: None).entities
        last = ledger.select(TASK, lambda _: 2, [items[4]], newest=True)
        assert {name: whole[name] for name in (items[0], *items[2:])} == dict(last.entities)

    @pytest.mark.parametrize(
        "broken",
        [
            stated(2)._replace(id=""),
            stated(2)._replace(key=""),
            stated(2)._replace(said_at="yesterday"),
            event("item.stated", 2, item=DECISION),
            stated(2, why={"not": "flat"}),
            stated(2, why="\ud800"),
            stated(2)._replace(actor="\udfff"),
            stated(2)._replace(v=2**63),
            stated(2, blocking=2**63),
            stated(2, blocking=float("nan")),
        ],
    )
    def test_a_batch_is_kept_whole_or_not_at_all(self, ledger: Ledger, broken: Event) -> None:
        """Half of a decision that supersedes another one is worse than none of it."""
        with pytest.raises(InputError):
            ledger.append([stated(1), broken, stated(3)])
        assert (0, [], ()) == (ledger.position(), list(ledger.events()), ledger.ids())
        assert (1,) == ledger.append([stated(4)])

    def test_events_of_a_task_and_of_kinds(self, ledger: Ledger) -> None:
        """History is asked for by task, by kind, by both; "" is the project itself."""
        given = [stated(1), stated(2, task=""), checkpoint(3), stated(4, task="T-2"), event("item.pinned", 5, item="D")]
        ledger.append(given)
        assert [1, 3, 5] == [seq for seq, _ in ledger.events(task=TASK)]
        assert [2] == [seq for seq, _ in ledger.events(task="")]
        assert [1, 2, 4, 5] == [seq for seq, _ in ledger.events(kinds={"item.pinned", "item.stated"})]
        assert [3] == [seq for seq, _ in ledger.events(task=TASK, kinds=["checkpoint.taken"], after=1)]
        assert [] == list(ledger.events(task="T-none")) + list(ledger.events(kinds=[]))

    def test_reading_ends_where_it_began(self, ledger: Ledger) -> None:
        """A loop that appends something for each event must not run for ever."""
        ledger.append([stated(number) for number in range(3)])
        for seq, _ in ledger.events():
            ledger.append([stated(100 + seq)])
        assert 6 == ledger.position()

    def test_the_fold_of_a_task(self, ledger: Ledger) -> None:
        """The state is what its own events fold to, now and at any position before."""
        history = [
            stated(1),
            stated(2, task="", text="of no task"),
            event("item.edited", 3, item=DECISION, text="Use files", said=2),
            checkpoint(4),
            event("item.edited", 5, item=DECISION, text="arrived late", said=1),
            stated(6, item="D-7k2r000000000000"),
        ]
        for number, one in enumerate(history, start=1):
            ledger.append([one])
            assert (number, fold(e for e in history[:number] if e.task == TASK)) == ledger.fold(TASK)
        for number in range(7):
            assert (number, fold(e for e in history[:number] if e.task == TASK)) == ledger.fold(TASK, upto=number)
        assert "Use files" == values(ledger.fold(TASK, upto=99).entities[DECISION])["text"]
        assert 6 == ledger.fold(TASK, upto=99).seq
        assert {} == ledger.fold("T-none").entities

    def test_the_fold_of_a_long_history(self, ledger: Ledger) -> None:
        """However a member saves work, it must not show: asked on the way, in the past and again."""
        history = [stated(n, item=f"D-{n % 50:016d}", text=f"text {n}", said=n % 5) for n in range(600)]
        for start in range(0, 600, 150):
            ledger.append(history[start : start + 150])
            assert fold(history[: start + 150]) == ledger.fold(TASK).entities
        assert fold(history[:100]) == ledger.fold(TASK, upto=100).entities
        assert fold(history) == ledger.fold(TASK).entities

    def test_a_better_extract_replaces_the_one_before(self, ledger: Ledger) -> None:
        """Reading a session again with the same or older rules changes nothing; a longer record or newer rules do."""
        assert ledger.take_in(extract(10, item()))
        assert [extract(10, item())] == list(ledger.extracts())
        assert not ledger.take_in(extract(10, item(text="again")))
        assert not ledger.take_in(extract(9, item(text="shorter")))
        assert {"s1": SessionExtent(TASK, 1, 10)} == ledger.taken()
        assert ledger.take_in(extract(11, item(text="longer")))
        assert ledger.take_in(extract(5, item(text="newer rules"))._replace(rules=2))
        assert ["newer rules"] == texts(ledger)
        assert {"s1": SessionExtent(TASK, 2, 5)} == ledger.taken()
        assert 1 == len(list(ledger.versions()))

    def test_what_was_read_before_a_redaction_is_not_taken_in(self, ledger: Ledger) -> None:
        """Whoever reads a session while a person redacts would bring the words back: he has to read it again."""
        ledger.append([stated(1)])
        before = ledger.position()
        ledger.append([event("item.redacted", 2, task="T-2", item=DECISION, hashes=[]), stated(3, text="later")])
        assert not ledger.take_in(extract(10, item()), unless_redacted_after=before)
        assert () == ledger.extracts()
        assert ledger.take_in(extract(10, item()), unless_redacted_after=before + 1)
        assert not ledger.take_in(extract(10, item()), unless_redacted_after=before + 1)

    def test_what_was_said_before_a_redaction_is_not_appended(self, ledger: Ledger) -> None:
        """An import that runs while a person redacts would bring the words back: it has to look again."""
        ledger.append([stated(1)])
        ledger.append([event("item.redacted", 2, task="T-2", item=DECISION, hashes=[])])
        for batch in ([stated(3)], [stated(3), stated(4)], []):
            assert () == ledger.append(batch, unless_redacted_after=1)
        assert 2 == ledger.position()
        with pytest.raises(InputError):
            ledger.append([stated(5)._replace(key="")], unless_redacted_after=1)
        assert (3,) == ledger.append([stated(3)], unless_redacted_after=2)
        assert (1, 4) == ledger.append([stated(1), stated(4)], unless_redacted_after=2)

    def test_an_extract_that_cannot_be_kept_is_refused(self, ledger: Ledger) -> None:
        """What was there stays."""
        ledger.take_in(extract(10, item()))
        with pytest.raises(InputError):
            ledger.take_in(extract(11, item(), item(text="\ud800")))
        assert [extract(10, item())] == list(ledger.extracts())

    def test_extracts_of_a_task_oldest_session_first(self, ledger: Ledger) -> None:
        """Sessions of one task add up in the order in which they were last at work."""
        late, early = extract(1, item(), session="s1", ended=2), extract(1, session="s2", ended=1)
        nobodys = extract(1, session="s3", task="", ended=0)
        for one in (late, early, nobodys):
            ledger.take_in(one)
        assert (nobodys, early, late) == ledger.extracts()
        assert (early, late) == ledger.extracts(task=TASK)
        assert (nobodys,) == ledger.extracts(task="")
        assert ((late,), ()) == (ledger.extracts(session="s1"), ledger.extracts(session="s1", task=""))
        assert (early._replace(items=()), late._replace(items=())) == ledger.extracts(task=TASK, items=False)
        assert (late,) == ledger.extracts(task=TASK, holding={item().id, "F-0000000000000000"})
        assert () == ledger.extracts(task="", holding={item().id}) == ledger.extracts(holding=())
        assert () == ledger.passed_over()  # what nobody asked for is not missing

    def test_items_of_a_kind_are_found_whatever_session_left_them(self, ledger: Ledger) -> None:
        """What a person forbade years ago is asked for at every start: not at the price of all sessions."""
        forbids: tuple[Kind, ...] = ("constraint",)
        rules = [item(f"C-{n}bcd000000000000", text=f"Rule {n}", rank=n)._replace(kind="constraint") for n in range(4)]
        ledger.take_in(extract(1, item(), rules[0], session="s1", ended=2))
        ledger.take_in(extract(1, rules[1], session="s2", task="", ended=3))
        ledger.take_in(extract(1, rules[2], session="s3", ended=1))
        ledger.take_in(extract(1, rules[3], session="s4")._replace(rules=FOREIGN_RULES))
        told = {session: [one.text for one in items] for session, items in ledger.read_off(forbids, 9).items()}
        assert {"s2": ["Rule 1"], "s1": ["Rule 0"], "s3": ["Rule 2"]} == told
        assert ["s2", "s1"] == list(ledger.read_off((*forbids, "deferral"), 2))
        assert (rules[0]._replace(rank=0),) == ledger.read_off(forbids, 2)["s1"]
        assert {} == dict(ledger.read_off(["deferral"], 9))
        ledger.take_in(extract(2, item(), session="s1", ended=2))
        assert "s1" not in ledger.read_off(forbids, 9), "a better reading has it no more"

    def test_items_keep_their_order_and_rank(self, ledger: Ledger) -> None:
        """The next reading puts new ones before, between and behind, and weighs all of them again."""
        one, two, three = (item(f"F-{n}bcd000000000000", rank=n) for n in range(3))
        ledger.take_in(extract(1, one, two))
        ledger.append([checkpoint(1)])
        ledger.take_in(extract(2, three, one._replace(rank=9), three._replace(rank=8), two, one))
        (found,) = ledger.extracts()
        assert (three, one._replace(rank=9), three._replace(rank=8), two, one) == found.items
        assert (one, two) == ledger.extracts(upto=1)[0].items

    def test_a_checkpoint_sees_what_counted_then(self, ledger: Ledger) -> None:
        """State as it was, also after better readings and after the session was given to another task."""
        ledger.take_in(extract(1, item(text="first")))
        ledger.append([checkpoint(1)])
        ledger.take_in(extract(2, item(text="never seen")))
        ledger.take_in(extract(3, item(text="second"), item(text="third")))
        ledger.append([checkpoint(2), stated(3)])
        assert ledger.assign("s1", "T-2")
        ledger.append([checkpoint(4)])
        ledger.take_in(extract(4, task="T-2"))
        assert ["first"] == texts(ledger, upto=1)
        assert ["second", "third"] == texts(ledger, upto=2)
        assert [TASK] == [one.task for one in ledger.extracts(upto=2)]
        assert ["T-2"] == [one.task for one in ledger.extracts(upto=4)]
        assert ["second", "third"] == texts(ledger, upto=4)
        assert ([], ()) == (texts(ledger), ledger.extracts(upto=0))
        assert ("T-2", ()) == (ledger.extracts()[0].task, ledger.extracts(task=TASK))
        assert [1, 2, 4, 5] == [since for since, _ in ledger.versions()]

    def test_a_session_is_given_to_another_task(self, ledger: Ledger) -> None:
        """`clew task` binds a session after it was read."""
        ledger.take_in(extract(1, item()))
        assert ledger.assign("s1", "T-2")
        assert not ledger.assign("s9", "T-2")
        assert (extract(1, item(), task="T-2"),) == ledger.extracts(task="T-2")
        assert () == ledger.extracts(task=TASK)

    def test_a_session_stays_with_its_task_whatever_is_read_of_it(self, ledger: Ledger) -> None:
        """It is given to a task while another process reads it, which knows of the task before."""
        ledger.take_in(extract(1, item(), task=""))
        assert ledger.assign("s1", "T-2")
        assert ledger.take_in(extract(2, item(), task=""))
        assert ledger.take_in(extract(3, item(), task=TASK))
        assert (extract(3, item(), task="T-2"),) == ledger.extracts(task="T-2") == ledger.extracts()

    def test_what_others_say_of_a_session_does_not_decide_its_task(self, ledger: Ledger) -> None:
        """A forged extract of a session that is not known here yet would keep it out of its own task for good."""
        foreign = extract(9, item(), task="T-2")._replace(rules=FOREIGN_RULES)
        assert ledger.take_in(foreign)
        assert not ledger.take_in(foreign)
        assert ledger.take_in(foreign._replace(task="T-3"))
        assert ["T-3"] == [one.task for one in ledger.extracts()]
        ledger.purge("D-none", [str(foreign.items[0].text)])
        assert FOREIGN_RULES == ledger.taken()["s1"].rules
        assert ledger.take_in(extract(1, item()))
        assert {"s1": SessionExtent(TASK, 1, 1)} == ledger.taken()

    def test_who_gives_a_foreign_session_to_a_task_makes_it_his_own(self, ledger: Ledger) -> None:
        """The task that a person chose stays when the session's own record turns up."""
        ledger.take_in(extract(9, item(), task="T-2")._replace(rules=FOREIGN_RULES))
        assert ledger.assign("s1", "T-2")
        assert {"s1": SessionExtent("T-2", 0, 9)} == ledger.taken()
        assert ledger.take_in(extract(1, item()))
        assert {"s1": SessionExtent("T-2", 1, 1)} == ledger.taken()

    def test_ids_by_their_beginning(self, ledger: Ledger) -> None:
        """People type four characters, in any case; items, tasks, checkpoints and what rules found have ids."""
        ledger.append([stated(1), event("item.pinned", 2, item="D-7k2r000000000000"), checkpoint(3)])
        ledger.append([event("task.opened", 4, task="")._replace(data={"task": TASK, "title": "x"})])
        ledger.take_in(extract(1, item(), item(DECISION)))
        assert (DECISION, "D-7k2r000000000000", FINDING, CHECKPOINT, TASK) == ledger.ids()
        assert (DECISION, "D-7k2r000000000000") == ledger.ids("d-7K2")
        assert (DECISION,) == ledger.ids("D-7k2q") == ledger.ids(DECISION)
        assert () == ledger.ids("7k2q") + ledger.ids("D-7k2q%") + ledger.ids("Q")
        ledger.append([stated(n, item=f"Z-{n:016d}") for n in range(10, 150)])
        assert 100 == len(ledger.ids()) == len(ledger.ids("z"))

    def test_shortest_ids_are_unique_in_the_ledger(self, ledger: Ledger) -> None:
        """What a document prints must find one thing, also among what the document does not show."""
        ledger.append([stated(1, item="D-7k2q0000000000aa"), stated(2, item="D-7k2r0000000000aa", task="T-2")])
        ledger.take_in(extract(1, item("D-7k2q0000000000ab"), item(FINDING)))
        shown = {"D-7k2q0000000000aa": "D-7k2q0000000000aa", "D-7k2r0000000000aa": "D-7k2r", FINDING: "F-abcd"}
        assert shown == ledger.shortest(list(shown))
        assert {"D-7k2q11": "D-7k2q11", "D-7k2q12": "D-7k2q12", "Q": "Q"} == ledger.shortest(
            ["Q", "D-7k2q12", "D-7k2q11"]
        )

    def test_the_task_of_an_item(self, ledger: Ledger) -> None:
        """What is said of an item goes to the task that holds it: its session's, or the one that states it."""
        ledger.take_in(extract(1, item()))
        agents = stated(1)._replace(provenance="agent")
        pinned = event("item.pinned", 2, task="T-2", item=DECISION)._replace(provenance="agent")
        ledger.append([pinned, agents, checkpoint(3)])
        ledger.append([event("item.pinned", 5, task="T-2", item=FINDING)])
        assert (TASK, TASK, None) == (ledger.task_of(DECISION), ledger.task_of(FINDING), ledger.task_of("F-none"))
        ledger.assign("s1", "T-3")
        assert "T-3" == ledger.task_of(FINDING)
        ledger.take_in(extract(2, task="T-3"))
        assert "T-2" == ledger.task_of(FINDING)

    def test_a_persons_word_stays_where_it_was_said(self, ledger: Ledger) -> None:
        """No rule reads the item off any more: whoever takes the pin off must not do so in a task that others name."""
        agents = stated(1, task="T-3")._replace(provenance="agent")
        ledger.append([agents, event("item.pinned", 2, item=DECISION), event("item.pinned", 3, item=FINDING)])
        foreign = extract(1, item(DECISION), item(), session="zz", task="T-2")._replace(rules=FOREIGN_RULES)
        ledger.take_in(foreign)
        assert (TASK, TASK) == (ledger.task_of(DECISION), ledger.task_of(FINDING))
        ledger.append([event("checkpoint.taken", n, checkpoint=f"K-{n}", name="", reason="") for n in range(9, 700)])
        assert (TASK, TASK) == (ledger.task_of(DECISION), ledger.task_of(FINDING))
        adopted = extract(1, item(), session="s0", task="T-4", ended=1)._replace(rules=0)
        for one in (adopted, extract(1, item(), session="s2", task="T-5")):
            ledger.take_in(one)
            assert one.task == ledger.task_of(FINDING)

    def test_what_a_person_states_stays_in_its_task(self, ledger: Ledger) -> None:
        """A bundle of somebody else's holds an extract with the id of a person's rule: whoever retracts the rule would
        do so in another task, where nothing is taken back.
        """
        ledger.append([stated(1, task="T-3")._replace(provenance="agent"), stated(2)])
        ledger.take_in(extract(1, item(DECISION), session="zz", task="T-2"))
        assert TASK == ledger.task_of(DECISION)
        ledger.append([event("item.pinned", n, task="T-2", item=FINDING) for n in range(100, 700)])
        assert TASK == ledger.task_of(DECISION)
        ledger.take_in(extract(1, item(), session="s2", task="T-5"))
        ledger.append([stated(3, item=FINDING, task="T-4")._replace(provenance="agent")])
        assert "T-5" == ledger.task_of(FINDING)
        ledger.take_in(extract(1, item("D-9999000000000000"), session="s0", task="T-2")._replace(rules=FOREIGN_RULES))
        assert "T-2" == ledger.task_of("D-9999000000000000")
        ledger.append([stated(4, item="D-9999000000000000", task="T-4")._replace(provenance="agent")])
        assert "T-4" == ledger.task_of("D-9999000000000000")

    def test_a_purge_takes_the_words_and_leaves_the_rest(self, ledger: Ledger) -> None:
        """A secret that slipped in must go from everywhere, and the ledger must still know what happened."""
        given = [
            stated(1, text="the key is hunter2", why="asked", tags=["x"], locked=True),
            stated(2, item="D-7k2r000000000000", text="hunter2, and so on", files=["a", "b/hunter2"]),
            event("item.superseded", 3, item="D-7k2r000000000000", by=DECISION),
            event("weather.changed", 4, rain="hunter2"),
            checkpoint(5),
            event("item.redacted", 6, item=DECISION, reason="hunter2 was a key", hashes=["6f1ed002"]),
        ]
        ledger.append(given)
        ledger.take_in(extract(1, item(), item("F-2222000000000000", "hunter2 again"), item(DECISION)))
        ledger.append([checkpoint(7)])
        ledger.take_in(extract(2, item("F-3333000000000000", "with hunter2"), item("F-4444000000000000", "fine")))
        assert 6 == ledger.purge(DECISION, ["hunter2", ""])
        kept = [one for _, one in ledger.events()]
        words: list[Data] = [{"item": DECISION, "kind": "decision", "text": "[redacted]", "locked": True}]
        words += [dict(given[1].data) | {"text": "[redacted], and so on", "files": ["a", "b/[redacted]"]}]
        words += [dict(given[2].data), {"rain": "[redacted]"}, dict(given[4].data)]
        words += [dict(given[5].data) | {"reason": "[redacted] was a key"}]
        assert words == [one.data for one in kept[:6]]
        assert given == [one._replace(data=old.data) for one, old in zip(kept[:6], given, strict=True)]
        assert (["Limits are per user"], ["fine"]) == (texts(ledger, upto=7), texts(ledger))
        assert "hunter2" not in str((kept, list(ledger.versions()), ledger.fold(TASK)))
        assert (1,) == ledger.append([given[0]])
        assert 0 == ledger.purge(DECISION, ["hunter2"])

    def test_a_purge_reaches_what_was_folded(self, ledger: Ledger) -> None:
        """A result that was kept to save work holds the words too."""
        ledger.append([stated(n, item=f"D-{n:016d}", text='my pä"ß\\wörd\n is') for n in range(300)])
        ledger.fold(TASK)
        assert 300 == ledger.purge("D-none", ['pä"ß\\wörd\n'])
        assert {"my [redacted] is"} == {values(one)["text"] for one in ledger.fold(TASK).entities.values()}

    def test_only_old_activity_is_dropped(self, ledger: Ledger) -> None:
        """State is kept for ever; no position is given twice."""
        seen = [event("session.seen", n, client="c", session=str(n))._replace(recorded_at=TIMES[n]) for n in range(4)]
        ledger.append([stated(10)._replace(recorded_at=TIMES[0]), *seen])
        assert 2 == ledger.prune(TIMES[2])
        assert [1, 4, 5] == [seq for seq, _ in ledger.events()]
        assert 1 == ledger.prune("2999-01-01T00:00:00.000Z")
        assert [1, 5] == [seq for seq, _ in ledger.events()]
        assert 0 == ledger.prune("2999-01-01T00:00:00.000Z")
        assert (6,) == ledger.append([seen[0]])

    def test_a_sound_ledger_is_not_damaged(self, ledger: Ledger) -> None:
        """What a check-up says of it must be nothing."""
        ledger.append([stated(1)])
        assert "" == ledger.damage()

    def test_closing_twice_is_once(self, ledger: Ledger) -> None:
        """A command that fails closes on its way out, and again at its end."""
        ledger.append([stated(1)])
        ledger.close()
        ledger.close()
