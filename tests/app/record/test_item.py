"""What is said about items afterwards: who may, when it makes sense, and that what is not refused takes effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.ports import Ports
from clew.app.project.lookup import find_item
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.session import Outcome
from clew.app.record import item as items
from clew.app.results import KnownRow
from clew.app.tasks.lifecycle import task_new
from clew.core.errors import InputError, NotAllowed, NotFound
from clew.core.state.events import Value
from clew.core.state.items import Kind
from clew.core.state.projection import Known
from clew.ledger.memory import MemoryLedger
from tests.app.projects import extract_of, read_item
from tests.app.recorders import Shop
from tests.app.worlds import secrets
from tests.core.stories import PROJECT

Change = Callable[[Ports, str, Path], Outcome]

CHANGES: dict[str, Change] = {
    "edit": lambda ports, name, top: items.edit(ProjectHandle(ports, top), name, {"text": "said again"}),
    "answer": lambda ports, name, top: items.answer(ProjectHandle(ports, top), name, "ten"),
    "resolve": lambda ports, name, top: items.resolve(ProjectHandle(ports, top), name, "done"),
    "supersede": lambda ports, name, top: items.supersede(ProjectHandle(ports, top), name, text="another"),
    "retract": lambda ports, name, top: items.retract(ProjectHandle(ports, top), name, why="wrong"),
    "restore": lambda ports, name, top: items.restore(ProjectHandle(ports, top), name),
    "pin": lambda ports, name, top: items.pin(ProjectHandle(ports, top), name),
    "unpin": lambda ports, name, top: items.unpin(ProjectHandle(ports, top), name),
}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_each_change_does_what_it_says(shop: Shop) -> None:
    """One life of an item, told as it goes."""
    name = shop.noted("question", "How high is the tide?")

    def now() -> Known:
        return shop.known()[name]

    items.answer(shop.by_person, name, "ten")
    assert now().item.answer == "ten"
    items.edit(shop.by_person, name, {"text": "How high is it?", "owner": "bob"})
    assert (now().item.text, now().item.owner) == ("How high is it?", "bob")
    items.pin(shop.by_person, name)
    assert now().item.pinned
    items.unpin(shop.by_person, name)
    assert not now().item.pinned
    items.resolve(shop.by_person, name, "it is known")
    assert (now().standing, now().because) == ("resolved", "it is known")
    items.restore(shop.by_person, name)
    assert now().standing == "live"
    items.retract(shop.by_person, name, why="nobody asks")
    assert (now().standing, now().because) == ("retracted", "nobody asks")
    items.restore(shop.by_person, name)
    done = items.supersede(shop.by_person, name, text="Is there a tide?")
    assert now().standing == "superseded"
    assert (done.item and done.item.because) == now().because
    assert shop.live() == ["Is there a tide?"]


@pytest.mark.parametrize("change", CHANGES)
def test_doing_it_again_changes_nothing_and_is_no_error(change: str, shop: Shop) -> None:
    """Any command can be killed and run again."""
    name = shop.noted("question", "How high is the tide?")
    if change == "unpin":
        items.pin(shop.by_person, name)
    if change == "restore":
        items.retract(shop.by_person, name)
    assert CHANGES[change](shop.ada, name, shop.top).changed
    before = shop.events()
    again = CHANGES[change](shop.ada, name, shop.top)
    assert not again.changed
    assert before == shop.events()


# What was done before, and which changes are errors then, whoever speaks.
STATES = [
    ("retract", {"edit", "answer", "resolve", "supersede", "pin"}),
    ("supersede", {"edit", "answer", "resolve", "pin"}),
    ("resolve", {"pin"}),
]


@pytest.mark.parametrize(("before", "errors"), STATES, ids=[before for before, _ in STATES])
def test_a_change_that_makes_no_sense_now_is_an_error(before: str, errors: set[str], shop: Shop) -> None:
    """Not ignored: the person would believe that it is done."""
    for change, do in CHANGES.items():
        name = shop.noted("question", f"What of {change}?")
        CHANGES[before](shop.ada, name, shop.top)
        if change in errors:
            error = shop.refused(lambda do=do, name=name: do(shop.ada, name, shop.top))  # type: ignore[misc]
            assert (change, error.code) == (change, "E-item-state")
        else:
            do(shop.ada, name, shop.top)


def test_what_is_redacted_stays_away(shop: Shop) -> None:
    """Restoring or pinning it would promise words that are gone."""
    name = shop.noted("question", "A thing that must go")
    with shop.desk() as at:
        at.append([at.event("item.redacted", {"item": name}, task="")])
    for change in CHANGES.values():
        error = shop.refused(lambda change=change: change(shop.ada, name, shop.top))  # type: ignore[misc]
        assert error.code == "E-item-state"


def test_only_a_question_is_answered(shop: Shop) -> None:
    """An answer to a risk would be shown nowhere."""
    name = shop.noted("risk", "The moon")
    assert shop.refused(lambda: items.answer(shop.by_person, name, "yes")).code == "E-item-state"


# Of a person's item of a kind: which changes an agent may make to it.
MAY = [
    ("constraint", {}, {"restore", "pin"}),
    ("decision", {}, {"restore", "pin"}),
    ("next", {}, {"restore", "pin", "resolve"}),
    ("blocker", {}, {"restore", "pin", "resolve"}),
    ("question", {}, {"restore", "pin", "answer"}),
    ("question", {"owner": "bob"}, {"restore", "pin"}),
    ("question", {"blocking": True}, {"restore", "pin"}),
]


@pytest.mark.parametrize(("kind", "fields", "may"), MAY, ids=[f"{kind} {fields}" for kind, fields, _ in MAY])
def test_what_an_agent_may_change_of_a_persons_word(
    kind: Kind, fields: dict[str, object], may: set[str], shop: Shop
) -> None:
    """A constraint of the user's does not vanish because an agent finds it in the way."""
    for change, do in CHANGES.items():
        if change == "answer" and kind != "question":
            continue
        name = shop.noted(kind, f"What of {change}?", **fields)
        if change in may:
            do(shop.bot, name, shop.top)
            continue
        error = shop.refused(lambda do=do, name=name: do(shop.bot, name, shop.top))  # type: ignore[misc]
        assert isinstance(error, NotAllowed)
        assert (change, error.code) == (change, "E-not-a-person")
        assert "below claude" in error.message
        do(shop.ada, name, shop.top)


@pytest.mark.parametrize("change", [change for change in CHANGES if change != "unpin"])
def test_an_agents_own_word_is_its_own_to_change(change: str, shop: Shop) -> None:
    """Else it would litter the payload with what it knows to be wrong."""
    name = shop.noted("question", "How high is the tide?", by=shop.bot)
    CHANGES[change](shop.bot, name, shop.top)


@pytest.mark.parametrize("firm", ["locked", "pinned"])
def test_what_is_locked_or_pinned_an_agent_cannot_end(firm: str, shop: Shop) -> None:
    """Even its own: a pin is a person's to take off, and retracting the item would be that by another name."""
    name = shop.noted("decision", "Use Decimal", by=shop.bot, locked=firm == "locked")
    if firm == "pinned":
        items.pin(shop.by_agent, name)
    for change in ("resolve", "supersede", "retract", "unpin"):
        if (firm, change) != ("locked", "unpin"):
            shop.refused(lambda change=change: CHANGES[change](shop.bot, name, shop.top))  # type: ignore[misc]
    if firm == "locked":
        shop.refused(lambda: items.edit(shop.by_agent, name, {"locked": False}))
        items.edit(shop.by_person, name, {"locked": False})
        items.retract(shop.by_agent, name)


def test_what_a_person_pinned_an_agent_does_not_reword(shop: Shop) -> None:
    """The person pinned these words: with others in their place nobody would have agreed to anything."""
    name = shop.noted("decision", "Use Decimal", by=shop.bot)
    items.edit(shop.by_agent, name, {"text": "Use Decimal for money"})
    items.pin(shop.by_person, name)
    error = shop.refused(lambda: items.edit(shop.by_agent, name, {"text": "Use floats"}))
    assert (error.code, "a person pinned it" in error.message) == ("E-not-a-person", True)
    items.unpin(shop.by_person, name)
    items.edit(shop.by_agent, name, {"text": "Use Decimal"})
    assert shop.live() == ["Use Decimal"]


def test_what_came_of_a_persons_item_is_not_an_agents_to_set(shop: Shop) -> None:
    """An approach that failed is tried again once it counts as settled; a suspect that is off the list goes free."""
    failed = shop.noted("failed", "Refunds in parallel", why="it books twice", guard=("retry_parallel",))
    hypothesis = shop.noted("hypothesis", "The cache is stale")
    for change in (
        lambda: items.resolve(shop.by_agent, failed, "mended"),
        lambda: items.edit(shop.by_agent, hypothesis, {"status": "eliminated"}),
        lambda: items.edit(shop.by_agent, hypothesis, {"files": ["src/a.py"]}),
    ):
        assert shop.refused(change).code == "E-not-a-person"
    assert shop.live() == ["Refunds in parallel", "The cache is stale"]


def test_what_a_person_has_decided_about_an_agents_item_stands(shop: Shop) -> None:
    """The fold would ignore the agent's word, so it is not taken as if it counted."""
    name = shop.noted("question", "How high is the tide?", by=shop.bot)
    items.retract(shop.by_person, name)
    shop.refused(lambda: items.restore(shop.by_agent, name))
    items.restore(shop.by_person, name)
    shop.refused(lambda: items.retract(shop.by_agent, name))
    items.answer(shop.by_person, name, "ten")
    shop.refused(lambda: items.answer(shop.by_agent, name, "nine"))
    items.resolve(shop.by_person, name, "it is ten")
    shop.refused(lambda: items.resolve(shop.by_agent, name, "it is nine"))
    shop.refused(lambda: items.restore(shop.by_agent, name))


def test_an_agents_answer_is_a_claim_until_a_person_gives_one(shop: Shop) -> None:
    """It cannot answer for a person (SPEC), but what it found out is worth keeping."""
    name = shop.noted("question", "How high is the tide?")
    done = items.answer(shop.by_agent, name, "ten")
    assert any("claim" in sentence for sentence in done.notes)
    assert "not by a person" in shop.known()[name].item.answer
    assert items.answer(shop.by_person, name, "ten").changed
    assert shop.known()[name].item.answer == "ten"


def test_superseding_by_an_item_that_is_there(shop: Shop) -> None:
    """A hypothesis gives way to a finding; itself, a circle, what is gone and another task do not make sense."""
    one, two, three = (shop.noted("decision", text) for text in ("one", "two", "three"))
    done = items.supersede(shop.by_person, one, by=two, why="better")
    assert [event.kind for event in done.events] == ["item.superseded"]
    items.supersede(shop.by_person, two, by=three)
    assert shop.live() == ["three"]

    def code(wanted: str, by: str) -> str:
        return shop.refused(lambda: items.supersede(shop.by_person, wanted, by=by)).code

    assert code(three, three) == "E-item-state"
    assert code(three, one) == "E-item-state"
    gone = shop.noted("decision", "gone")
    items.retract(shop.by_person, gone)
    assert code(three, gone) == "E-item-state"
    task_new(shop.by_person, "Tide")
    assert code(three, shop.noted("decision", "elsewhere")) == "E-item-state"
    assert code(three, "D-zzzz") == "E-no-item"


def test_a_successor_takes_over_what_the_old_item_was_about(shop: Shop) -> None:
    """A locked and pinned decision that is reworded is still locked and pinned."""
    name = shop.noted("decision", "Use floats", locked=True, files=("src/a.py",))
    items.pin(shop.by_person, name)
    done = items.supersede(shop.by_person, name, text="Use Decimal", why="cents")
    assert [event.kind for event in done.events] == ["item.stated", "item.pinned", "item.superseded"]
    new = next(entry.item for entry in shop.known().values() if entry.standing == "live")
    assert (new.text, new.why, new.locked, new.pinned, new.files) == ("Use Decimal", "cents", True, True, ("src/a.py",))


def unheard(shop: Shop, kind: str, name: str, **data: Value) -> None:
    """An agent says something past the commands, as a bundle can."""
    with open_project(shop.bot, shop.top, write=True, spool=False) as at:
        at.append([at.event(kind, {"item": name, **data}, task="")])


def test_a_successor_takes_over_only_what_counted(shop: Shop) -> None:
    """A person who rewords a rule would sign what an agent has added to it, “until Monday” among it."""
    name = shop.noted("constraint", "Never push to main", why="it deploys")
    unheard(shop, "item.edited", name, until="2020-01-02", tags=["GOTCHA"], guard=["git push"])
    items.supersede(shop.by_person, name, text="Never push to main or prod")
    [new] = [entry for entry in shop.known().values() if entry.standing == "live"]
    assert (new.item.why, new.item.label) == ("", "")
    assert not {"until", "tags", "guard"}.intersection(*(change.fields for change in new.heard))


def test_a_person_can_say_what_an_agent_said_in_vain(shop: Shop) -> None:
    """“Says so already” would be wrong: nothing shows it."""
    name = shop.noted("constraint", "Never push to main")
    unheard(shop, "item.edited", name, why="it deploys")
    assert items.edit(shop.by_person, name, {"why": "it deploys"}).changed
    assert shop.known()[name].item.why == "it deploys"


def test_what_a_person_put_in_the_place_of_another_is_a_persons(shop: Shop) -> None:
    """And what a person answered: an edit that nothing shows would be told as done."""
    old = shop.noted("constraint", "Never push to main")
    new = shop.noted("constraint", "Never push to main or prod", by=shop.bot)
    items.supersede(shop.by_person, old, by=new)
    asked = shop.noted("question", "May I drop the table?", by=shop.bot)
    items.answer(shop.by_person, asked, "No")
    for change in ("edit", "resolve", "supersede", "retract"):
        error = shop.refused(lambda change=change: CHANGES[change](shop.bot, new, shop.top))  # type: ignore[misc]
        assert error.code == "E-not-a-person"
    assert shop.refused(lambda: CHANGES["edit"](shop.bot, asked, shop.top)).code == "E-not-a-person"
    unheard(shop, "item.edited", new, text="Push anywhere")
    unheard(shop, "item.resolved", new)
    assert shop.live() == ["May I drop the table?", "Never push to main or prod"]
    items.edit(shop.by_person, new, {"text": "Never push at all"})
    assert "Never push at all" in shop.live()


def test_the_same_successor_can_take_its_place_again(shop: Shop) -> None:
    """What was taken back is no place to lead to: the item and its successor would both be gone."""
    name = shop.noted("decision", "Use floats")

    def superseded() -> str:
        done = items.supersede(shop.by_person, name, text="Use Decimal")
        assert done.item is not None
        return done.item.because

    first = superseded()
    assert superseded() == first
    items.restore(shop.by_person, name)
    items.edit(shop.by_person, first, {"text": "Use Decimal for money"})
    assert superseded() == first
    assert shop.live() == ["Use Decimal for money"]  # the live one, as it has been reworded since
    items.restore(shop.by_person, name)
    items.retract(shop.by_person, first)
    assert superseded() != first
    assert shop.live() == ["Use Decimal"]


def test_what_is_said_about_an_inferred_item_carries_its_words(shop: Shop) -> None:
    """A better rule may no longer find it; the person's word about it must still make sense."""
    item = read_item("decision", "Use floats", "2026-11-22T01:00:00.000Z", by="agent")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, item))
    done = items.pin(shop.by_person, item.id[:6])
    assert done.events[0].data["was"] == "Use floats"
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, extent=200))
    assert shop.live() == ["Use floats"]
    assert items.retract(shop.by_person, item.id).changed


def test_an_inferred_word_of_the_users_is_a_persons(shop: Shop) -> None:
    """The rule read it off what the user typed: an agent does not take that back."""
    item = read_item("constraint", "leave the moon alone", "2026-11-22T01:00:00.000Z", by="human")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, item))
    for do in (CHANGES["retract"], CHANGES["supersede"], CHANGES["edit"], CHANGES["resolve"]):
        error = shop.refused(lambda do=do: do(shop.bot, item.id, shop.top))  # type: ignore[misc]
        assert error.code == "E-not-a-person"
    assert shop.live() == ["leave the moon alone"]
    items.edit(shop.by_person, item.id, {"text": "leave the sun alone"})
    assert shop.live() == ["leave the sun alone"]


def test_what_was_said_before_the_task_got_its_name_holds_in_it(shop: Shop) -> None:
    """`clew task new` comes when the work has begun: a retraction must not be forgotten by that, nor be said twice."""
    wrong = read_item("decision", "Use floats", "2026-11-22T01:00:00.000Z", by="agent")
    kept = read_item("decision", "Use Decimal", "2026-11-22T01:00:01.000Z", by="agent", at=1)
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, wrong, kept))
    items.retract(shop.by_person, wrong.id, why="cents are lost")
    task = task_new(shop.by_person, "Tide").task
    assert task is not None
    with shop.desk() as at:
        at.ledger.assign("s-1", task.id)
        found = find_item(at, wrong.id)
    assert (found.task, found.entry.standing, found.entry.because) == (task.id, "retracted", "cents are lost")
    assert shop.live(task.id) == ["Use Decimal"]
    assert not items.retract(shop.by_person, wrong.id).changed
    done = items.restore(shop.by_person, wrong.id)
    assert [event.task for event in done.events] == [task.id]
    assert shop.live(task.id) == ["Use Decimal", "Use floats"]


def test_ids_as_people_type_them(shop: Shop) -> None:
    """Upper or lower case, with the brackets of a document; never a guess between two."""
    one = shop.noted("risk", "The moon")
    other = shop.noted("risk", "The sun")
    with shop.desk(write=False) as at:
        for wanted in (one, one.upper(), f"[{one.lower()}]", f" {one} "):
            assert find_item(at, wanted).id == one
        with pytest.raises(InputError) as caught:
            find_item(at, "R-")
        assert caught.value.code == "E-id-ambiguous"
        assert "The moon" in caught.value.hint
        assert "The sun" in caught.value.hint
        for wanted in ("", "[]", "R-zzzz", "nonsense"):
            with pytest.raises(NotFound) as missing:
                find_item(at, wanted)
            assert missing.value.code == "E-no-item"
    assert one != other


def test_the_id_of_a_task_is_told_from_an_items(shop: Shop) -> None:
    """`clew pin T-…` is a mistake that a word clears up."""
    task = task_new(shop.by_person, "Tide").task
    assert task is not None
    error = shop.refused(lambda: items.pin(shop.by_person, task.short_id))
    assert "clew task show" in error.hint


def test_no_secret_gets_in_by_a_reason_or_out_by_an_error(shop: Shop) -> None:
    """Every text passes the redaction, not only notes."""
    key = secrets()["github"]
    name = shop.noted("question", "Which key?")
    told = [
        items.answer(shop.by_person, name, key),
        items.edit(shop.by_person, name, {"text": f"Is it {key}?", "why": key}),
        items.resolve(shop.by_person, name, key),
        items.retract(shop.by_person, name, why=key),
        items.restore(shop.by_person, name),
        items.supersede(shop.by_person, name, text=f"key {key}", why=key),
    ]
    assert key not in repr(told)
    assert all(any("secret" in sentence for sentence in done.notes) for done in told if done is not told[4])
    error = shop.refused(lambda: items.pin(shop.by_person, key))
    assert key not in f"{error.message} {error.hint} {error}"


def test_a_clock_that_went_back_is_told(shop: Shop) -> None:
    """The word before carries a later time and stands: saying "restored" would be a lie."""
    name = shop.noted("risk", "The moon")
    items.retract(shop.by_person, name)
    shop.clock.tick(-3_600_000)
    done = items.restore(shop.by_person, name)
    assert any("clock" in sentence for sentence in done.notes)
    assert shop.known()[name].standing == "retracted"


def test_dry_runs_write_nothing(shop: Shop) -> None:
    """And refuse what would be refused."""
    name = shop.noted("constraint", "Leave the moon alone")
    before = shop.events()
    done = items.retract(ProjectHandle(shop.ada, shop.top, dry_run=True), name)
    assert done.changed and done.item and done.item.standing == "retracted"
    with pytest.raises(NotAllowed):
        items.retract(ProjectHandle(shop.bot, shop.top, dry_run=True), name)
    assert before == shop.events()


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("market"))


KINDS: tuple[Kind, ...] = ("constraint", "decision", "next", "question", "risk")
STEPS = st.lists(
    st.tuples(st.sampled_from(("person", "agent")), st.sampled_from(sorted(CHANGES)), st.integers(0, 3)), max_size=12
)
EFFECT = {"resolve": "resolved", "retract": "retracted", "supersede": "superseded", "restore": "live"}


@given(
    notes=st.lists(st.tuples(st.sampled_from(("person", "agent")), st.sampled_from(KINDS)), min_size=1, max_size=4),
    steps=STEPS,
)
def test_what_is_not_refused_takes_effect(
    market: Shop, notes: list[tuple[str, Kind]], steps: list[tuple[str, str, int]]
) -> None:
    """The commands know what the fold will make of a word: nobody is told "done" about what will be ignored."""
    ledger = MemoryLedger(PROJECT, key=bytes(32))
    market.over(ledger)
    who = {"person": market.ada, "agent": market.bot}
    names = [market.noted(kind, f"{number}", by=who[by]) for number, (by, kind) in enumerate(notes)]
    for by, change, number in steps:
        name = names[number % len(names)]
        before = ledger.position()
        try:
            done = CHANGES[change](who[by], name, market.top)
        except (NotAllowed, InputError):
            assert before == ledger.position()
            continue
        assert done.item is not None
        entry = done.item
        with market.desk_of(market.ada) as at:
            known = find_item(at, name)
            assert entry == KnownRow.known(known.entry, short_id=known.shown)
        assert not any("clock" in sentence for sentence in done.notes)
        assert entry.standing == EFFECT.get(change, entry.standing)
        assert {"pin": entry.pinned, "unpin": not entry.pinned}.get(change, True)
        assert change != "edit" or entry.text == "said again"
        assert change != "answer" or entry.answer.startswith("ten")


def test_agents_pin_a_few_short_items(shop: Shop) -> None:
    """No document leaves a pin out: long ones, or many, and nobody could resume, until a person took them off."""
    long = shop.noted("finding", "x" * 200, by=shop.bot, why="y" * 101)
    error = shop.refused(lambda: items.pin(shop.by_agent, long))
    assert (error.code, "301 characters" in error.message) == ("E-not-a-person", True)
    short = [shop.noted("finding", f"short {number}", by=shop.bot) for number in range(items.AGENT_PINS_MAX + 1)]
    told = [items.pin(shop.by_agent, name).next for name in short[:-1]]
    assert not any("unpin" in then for then in told)  # which it may not
    error = shop.refused(lambda: items.pin(shop.by_agent, short[-1]))
    assert (error.code, "5 pins" in error.message) == ("E-not-a-person", True)
    for name in (short[-1], long):
        assert "unpin" in items.pin(shop.by_person, name).next


def test_a_pinned_item_does_not_grow_in_an_agents_hands(shop: Shop) -> None:
    """A short pin that is reworded into a long one takes the same room."""
    name = shop.noted("question", "How high?", by=shop.bot)
    items.pin(shop.by_agent, name)
    for change in (
        lambda: items.edit(shop.by_agent, name, {"why": "z" * 300}),
        lambda: items.answer(shop.by_agent, name, "z" * 300),
    ):
        assert shop.refused(change).code == "E-not-a-person"
    items.edit(shop.by_agent, name, {"text": "How high is it?"})
    items.answer(shop.by_person, name, "z" * 300)


def test_pins_do_not_wait_in_the_spool(shop: Shop) -> None:
    """How many there are is known where the ledger is written only."""
    name = shop.noted("finding", "x", by=shop.bot)
    boxed = shop.read_only()._replace(now_ms=shop.clock.tick)
    assert shop.refused(lambda: items.pin(ProjectHandle(boxed, shop.top), name)).code == "E-not-spooled"
