"""A bundle holds all that a ledger holds, and what it brings has no more authority than the importer gives it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.errors import InputError
from clew.core.state.fold import values
from clew.core.state.items import Provenance
from clew.ledger.bundle import BundleImport, export_bundle, import_bundle
from clew.ledger.memory import MemoryLedger
from clew.ledger.port import Ledger
from clew.ledger.redaction import WHY_CHARS_MAX
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import KEY, NOW, PROJECT, checkpoint, happened, known, named, read_off, seen, stated

TASKS = ("", named("T", 1), named("T", 2))


def imported(lines: list[bytes], ledger: Ledger, *, ceiling: Provenance = "human") -> BundleImport:
    return import_bundle(iter(lines), ledger, ceiling=ceiling, now=NOW)


def resealed(lines: list[bytes]) -> list[bytes]:
    """Changed lines with an end that fits them: what a forger would write."""
    digest = blake2b(b"".join(lines[:-1]), digest_size=16).hexdigest()
    kinds = [next(iter(json.loads(line))) for line in lines[:-1]]
    end = {"events": kinds.count("event"), "extracts": kinds.count("extract"), "digest": digest}
    return [*lines[:-1], json.dumps({"end": end}).encode() + b"\n"]


def a_story(ledger: Ledger) -> None:
    """A few days of a project: facts, two sessions, one of them read twice and given to a task, two checkpoints."""
    one = TASKS[1]
    ledger.append([happened("task.opened", one, by="human", task_=one, title="one"), seen(1)])
    ledger.take_in(read_off("s1", 100, "first", "second"))
    ledger.append([stated("use pathlib", task=one, by="human", why="tests"), stated("no threads", task=one)])
    ledger.append([checkpoint("before", task=one)])
    ledger.assign("s1", one)
    ledger.append([checkpoint("between", task=one)])
    ledger.take_in(read_off("s1", 200, "first", "third", task=one))
    ledger.take_in(read_off("s2", 50, "other"))
    ledger.append([happened("from.tomorrow", 1, new=[], thing=1.5)])


@pytest.fixture
def ledger() -> MemoryLedger:
    """The ledger of the story."""
    ledger = MemoryLedger(PROJECT, key=KEY)
    a_story(ledger)
    return ledger


EVENTS = st.builds(
    lambda number, task, kind, value: (
        stated(f"text {number}", task=task, by="human", why=str(value))
        if kind == "stated"
        else seen(number)
        if kind == "seen"
        else happened("from.tomorrow", number, task=task, value=value)
    ),
    st.integers(0, 30),
    st.sampled_from(TASKS),
    st.sampled_from(["stated", "seen", "unknown"]),
    st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), st.booleans(),
              st.none(), st.text(st.characters(codec="utf-8")), st.lists(st.text(st.characters(codec="utf-8")))),
)  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(EVENTS, max_size=3)),
        st.tuples(st.just("checkpoint"), st.sampled_from(TASKS)),
        st.tuples(st.just("take in"), st.sampled_from(["s1", "s2"]), st.integers(1, 5), st.sampled_from(TASKS)),
        st.tuples(st.just("assign"), st.sampled_from(["s1", "s2"]), st.sampled_from(TASKS)),
    ),
    max_size=14,
)


def played(steps: list[tuple], ledger: Ledger) -> None:  # type: ignore[type-arg]
    names = count()
    for step in steps:
        match step:
            case ("append", events):
                ledger.append(events)
            case ("checkpoint", task):
                ledger.append([checkpoint(f"c{next(names)}", task=task)])
            case ("take in", session, extent, task):
                texts = [f"{session} says {extent * part}" for part in range(extent)]
                ledger.take_in(read_off(session, extent * 10, *texts, task=task))
            case ("assign", session, task):
                ledger.assign(session, task)


@given(steps=STEPS)
def test_import_gives_the_same_state_back_whatever_store_it_came_from(steps: list[tuple]):  # type: ignore[type-arg]
    """A backup that loses a fact, or the state as a checkpoint saw it, is none."""
    with tempfile.TemporaryDirectory() as folder:
        memory = MemoryLedger(PROJECT)
        sqlite = open_ledger(Path(folder) / "ledger.db", project=PROJECT, write=True)
        played(steps, memory)
        imported(list(export_bundle(memory)), sqlite)
        back = MemoryLedger(PROJECT)
        imported(list(export_bundle(sqlite)), back)
        assert known(memory) == known(sqlite) == known(back)
        assert list(export_bundle(memory)) == list(export_bundle(sqlite)) == list(export_bundle(back))
        sqlite.close()


def test_a_bundle_is_lines_that_say_what_they_are(ledger: MemoryLedger):
    """Other programs read it: the names in it are a format (docs/reference/ledger.md)."""
    lines = [json.loads(line) for line in export_bundle(ledger)]
    assert {"clew_bundle": 1, "project": PROJECT} == lines[0]
    words = " ".join(next(iter(line)) for line in lines)
    assert "clew_bundle event event extract event event event extract event extract extract event end" == words
    assert (7, 4) == (lines[-1]["end"]["events"], lines[-1]["end"]["extracts"])
    assert ["id", "key", "project", "task", "session", "worktree", "actor", "provenance", "visibility", "said_at",
            "recorded_at", "kind", "v", "data"] == list(lines[1]["event"])  # fmt: skip
    assert not any(KEY.hex() in str(line) for line in lines)


def test_importing_twice_is_once(ledger: MemoryLedger):
    """Whoever is not sure whether an import went through does it again."""
    lines = list(export_bundle(ledger))
    other = MemoryLedger(PROJECT)
    assert BundleImport(PROJECT, events=7, known=0, extracts=3, left_out=0) == imported(lines, other)
    before = known(other)
    assert BundleImport(PROJECT, events=0, known=7, extracts=0, left_out=0) == imported(lines, other)
    assert BundleImport(PROJECT, events=0, known=7, extracts=0, left_out=0) == imported(lines, ledger)
    assert before == known(other) == known(ledger)


def _broken(lines: list[bytes]) -> Iterator[tuple[str, list[bytes], int]]:
    """Damaged bundles: what was done, the lines, and the line that is named."""
    middle = 5
    cut = lines[middle][: len(lines[middle]) // 2]
    yield "half a line", [*lines[:middle], cut + b"\n", *lines[middle + 1 :]], middle + 1
    yield "not text", [*lines[:middle], b"\xff\xfe\n", *lines[middle + 1 :]], middle + 1
    yield "empty line", [*lines[:middle], b"\n", *lines[middle:]], middle + 1
    yield "other JSON", [*lines[:middle], b"[1]\n", *lines[middle:]], middle + 1
    yield "a field too much", [*lines[:middle], lines[middle][:-2] + b',"x":1}\n', *lines[middle + 1 :]], middle + 1
    yield "another word", [line.replace(b"no threads", b"no thread!") for line in lines], len(lines)
    yield "a line too few", [*lines[:middle], *lines[middle + 1 :]], len(lines) - 1
    yield "a line twice", [*lines[:middle], lines[middle], *lines[middle:]], len(lines) + 1
    yield "two lines in another order", [*lines[:1], lines[2], lines[1], *lines[3:]], len(lines)
    yield "broken off", lines[:-1], len(lines) - 1
    yield "broken off in the end", [*lines[:-1], lines[-1][:20]], len(lines)
    yield "two bundles in one", [*lines, *lines], len(lines) + 1
    yield "no bundle", [b"# Handoff\n", b"text\n"], 1
    yield "nothing", [], 0
    bad_time = lines[1].replace(b'"said_at":"2026', b'"said_at":"26')
    yield "no time", resealed([lines[0], bad_time, *lines[2:]]), 2
    yield "a deep line", [lines[0], b"[" * 100_000 + b"\n", *lines[1:]], 2


def test_a_damaged_bundle_is_refused_with_its_line_and_nothing_kept(ledger: MemoryLedger):
    """Half of a backup that passes for the whole is worse than none."""
    lines = list(export_bundle(ledger))
    for what, broken, number in _broken(lines):
        empty = MemoryLedger(PROJECT)
        with pytest.raises(InputError) as caught:
            imported(broken, empty)
        assert ("E-bundle-damaged", what, True) == (
            caught.value.code, what, caught.value.message.startswith(f"line {number} of")
        ), (what, caught.value.message)  # fmt: skip
        assert (0, ()) == (empty.position(), empty.extracts())


def test_line_ends_of_another_system_do_no_harm(ledger: MemoryLedger):
    """A bundle that went through a mail program or an editor of Windows is still whole."""
    other = MemoryLedger(PROJECT)
    imported([line.rstrip(b"\n") + b"\r\n" for line in export_bundle(ledger)], other)
    assert known(ledger) == known(other)


def test_a_bundle_of_a_newer_clew_is_refused(ledger: MemoryLedger):
    """What an old clew does not understand it would lose."""
    lines = list(export_bundle(ledger))
    with pytest.raises(InputError) as caught:
        imported([lines[0].replace(b'"clew_bundle":1', b'"clew_bundle":2'), *lines[1:]], MemoryLedger(PROJECT))
    assert "E-bundle-newer" == caught.value.code


def test_a_bundle_without_trust_forges_no_person(ledger: MemoryLedger):
    """Anybody can write a file that says `human`: a person's words would be put into his mouth."""
    task = TASKS[1]
    late = "2999-01-01T00:00:00.000Z"
    ledger.append([
        stated("verified", by="verified", task=task),
        stated("from the future", by="human", task=task)._replace(said_at=late, recorded_at=late),
        happened("agent.saved", 1, agent="a", checkpoint="K", state="{}", task=task),
        happened("place.bound", 1, by="human", worktree="/home/ada/shop", branch="", task_=task),
        happened("project.aliased", 1, other="X"),
    ])  # fmt: skip
    ledger.take_in(read_off("s3", 10, "said by a person", by="human")._replace(rules=999))
    other = MemoryLedger(PROJECT)
    done = imported(list(export_bundle(ledger)), other, ceiling="agent")
    assert (8, 4) == (done.events, done.left_out)
    events = [event for _, event in other.events()]
    assert {"agent"} == {event.provenance for event in events}
    assert NOW == max(event.said_at for event in events) == max(event.recorded_at for event in events)
    assert not {event.kind for event in events} & {"agent.saved", "place.bound", "project.aliased", "session.seen"}
    assert {"agent", "inferred"} == {item.provenance for extract in other.extracts() for item in extract.items}
    # What this machine reads itself counts, whatever the bundle said of how well it was read.
    assert other.take_in(read_off("s3", 5, "read here"))


def test_a_bundle_without_trust_adds_nothing_to_an_event_that_is_here():
    """An event with a person's id and another key would say more under that id than the person did."""
    ledger = MemoryLedger(PROJECT)
    rule = stated("never touch the moon", by="human")._replace(key="note:rule")
    ledger.append([rule])
    forged = MemoryLedger(PROJECT)
    other_key = happened("item.edited", 9).id
    bad = happened("item.retracted", 1, item=rule.data["item"], reason="x")
    forged.append([bad._replace(id=rule.id, key=other_key, said_at=rule.said_at)])
    done = imported(list(export_bundle(forged)), ledger, ceiling="agent")
    assert (0, 1) == (done.events, done.known)
    assert [rule] == [event for _, event in ledger.events()]
    odd = MemoryLedger(PROJECT)
    odd.append([bad._replace(id="zzz")])
    with pytest.raises(InputError):
        imported(list(export_bundle(odd)), ledger, ceiling="agent")


def test_an_altered_copy_does_not_keep_the_true_event_out(tmp_path: Path):
    """Whoever gets hold of a person's word could send it on in other words, or as nobody's, before it comes itself."""
    item = named("C", 1)
    rule = happened("item.stated", "rule", by="human", item=item, kind_="constraint", text="Never deploy on Friday")
    early = rule.said_at.replace("2026", "2020")
    copies = {
        "other words": rule._replace(data={**rule.data, "text": "Deploy whenever"}),
        "another kind": rule._replace(kind="item.answered", data={"item": named("Q", 1), "answer": "x"}),
        "another task": rule._replace(task=TASKS[1]),
        "an earlier time": rule._replace(said_at=early, data={**rule.data, "text": "Deploy whenever"}),
        "the same as an agent's": rule,
    }
    genuine = MemoryLedger(PROJECT, key=KEY)
    genuine.append([rule, checkpoint("calm")])
    lines = list(export_bundle(genuine))
    for number, (how, copy) in enumerate(copies.items()):
        ledger = open_ledger(tmp_path / f"{number}.db", project=PROJECT, write=True)
        forged = MemoryLedger(PROJECT)
        forged.append([copy])
        assert 1 == imported(list(export_bundle(forged)), ledger, ceiling="agent").events, how
        assert (2, 0) == imported(lines, ledger)[1:3], how
        told = {name: (one.provenance, one.fields.get("text")) for name, [one] in ledger.fold("").entities.items()}
        assert ("human", "Never deploy on Friday") == told[item], how
        # Twice is once, for each of them, and the file that is made of it says the same as it does.
        assert (0, 2) == imported(lines, ledger)[1:3] == imported(lines, ledger, ceiling="agent")[1:3], how
        assert (0, 1) == imported(list(export_bundle(forged)), ledger, ceiling="agent")[1:3], how
        again = MemoryLedger(PROJECT)
        imported(list(export_bundle(ledger)), again)
        assert list(export_bundle(ledger)) == list(export_bundle(again)), how
        ledger.close()


def test_two_who_believe_each_other_end_with_the_same(ledger: MemoryLedger):
    """One took the other's words for an agent's, the other takes them back: nothing multiplies."""
    other = MemoryLedger(PROJECT, key=bytes(32))
    imported(list(export_bundle(ledger)), other, ceiling="agent")
    other.append([stated("only there", by="human")])
    before = known(ledger)
    assert 1 == imported(list(export_bundle(other)), ledger).events
    assert known(ledger) != before
    for _ in range(2):
        imported(list(export_bundle(ledger)), other)
        assert 0 == imported(list(export_bundle(other)), ledger).events
        assert 0 == imported(list(export_bundle(ledger)), other).events
    for task in TASKS:
        assert ledger.fold(task).entities == other.fold(task).entities


def test_a_bundle_without_trust_takes_no_later_facts_place(ledger: MemoryLedger):
    """A fact whose key follows from what it is about would not be kept when it happens: its place is taken."""
    later = happened("item.retracted", 1, by="human", item=named("D", 1))._replace(key="adopted:T-1:E")
    forged = MemoryLedger(PROJECT)
    forged.append([stated("noise")._replace(key=later.key)])
    lines = list(export_bundle(forged))
    assert 1 == imported(lines, ledger, ceiling="agent").events
    before = ledger.position()
    assert (before + 1,) == ledger.append([later])
    # As before: twice is once, and what came in lowered stays so.
    assert (0, 1) == imported(lines, ledger, ceiling="agent")[1:3]
    assert (0, 1) == imported(lines, ledger)[1:3]


def test_a_bundle_without_trust_brings_nothing_back_that_a_person_ended(ledger: MemoryLedger):
    """The command asks who it is; a file has nobody to ask."""
    item = stated("the loader leaks")
    ledger.append([item, happened("item.resolved", 1, by="human", item=item.data["item"], outcome="fixed")])
    forged = MemoryLedger(PROJECT)
    forged.append([happened("item.restored", 2, item=item.data["item"])])
    done = imported(list(export_bundle(forged)), ledger, ceiling="agent")
    assert (0, 1) == (done.events, done.left_out)
    assert values(ledger.fold("").entities[str(item.data["item"])])["resolved"] is True


def test_an_extract_without_trust_is_not_from_the_future():
    """The session that ended last tells where the work stands: one of the year 9999 would do so for ever."""
    late = "9999-01-01T00:00:00.000Z"
    forged = MemoryLedger(PROJECT)
    extract = read_off("s1", 10, "all is done")
    origin = extract.origin._replace(first_time=late, last_time=late)
    forged.take_in(extract._replace(origin=origin, items=(extract.items[0]._replace(time=late),)))
    other = MemoryLedger(PROJECT)
    imported(list(export_bundle(forged)), other, ceiling="agent")
    [kept] = other.extracts()
    assert (NOW, NOW, NOW) == (kept.origin.first_time, kept.origin.last_time, kept.items[0].time)


def test_a_bundle_without_trust_replaces_no_session_that_is_known_here(ledger: MemoryLedger) -> None:
    """After a redaction a session waits to be read again: until then a file must not say what was said in it."""
    ledger.take_in(read_off("s9", 99, "forged"))
    here = MemoryLedger(PROJECT)
    here.take_in(read_off("s9", 1, "true", "secret words"))
    here.purge("D-none", ["secret words"])
    imported(list(export_bundle(ledger)), here, ceiling="agent")
    assert [["true"]] == [[item.text for item in one.items] for one in here.extracts(session="s9")]


def test_a_bundle_without_trust_says_only_what_clew_writes(ledger: MemoryLedger):
    """A field that belongs to another kind of event could bind a work tree or take back a pin."""
    item = named("D", 1)
    for bad in (
        happened("item.edited", 1, item=item, text="x", pinned=False),
        happened("item.stated", 2, item="no identity", kind_="decision", text="x"),
        happened("item.stated", 3, item=item, kind_="rule", text="x"),
        happened("item.stated", 4, item=item, kind_="decision", text=["a list"]),
    ):
        forged = MemoryLedger(PROJECT)
        forged.append([bad])
        other = MemoryLedger(PROJECT)
        with pytest.raises(InputError) as caught:
            imported(list(export_bundle(forged)), other, ceiling="agent")
        assert ("E-bundle-damaged", 0) == (caught.value.code, other.position())


def _long(path: Path) -> list[bytes]:
    """A bundle of several batches."""
    ledger = MemoryLedger(PROJECT)
    for number in range(0, 3000, 100):
        ledger.append([stated(f"fact {number + part}", task=TASKS[part % 3]) for part in range(100)])
        ledger.take_in(read_off("s1", number + 1, f"up to {number}", "always"))
        ledger.append([checkpoint(f"c{number}")])
    lines = list(export_bundle(ledger))
    path.write_bytes(b"".join(lines))
    return lines


def test_an_import_that_is_killed_is_completed_by_doing_it_again(tmp_path: Path):
    """Nobody knows how far a killed import came; the next one must not double what it kept."""
    lines = _long(tmp_path / "bundle")
    program = (
        "import apsw, os, pathlib, signal, sys\n"
        "from clew.ledger.bundle import import_bundle\n"
        "from clew.ledger.sqlite.opening import open_ledger\n"
        "path, bundle, left = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])\n"
        "def die():\n"
        "    global left\n"
        "    left -= 1\n"
        "    if not left: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return False\n"
        "ledger = open_ledger(path, write=True)\n"
        "ledger._connection.set_commit_hook(die)\n"
        f"import_bundle(bundle.open('rb'), ledger, ceiling='human', now={NOW!r})\n"
    )
    path = tmp_path / "ledger.db"
    open_ledger(path, project=PROJECT, write=True).close()
    for commits in ("3", "11"):
        argv = [sys.executable, "-c", program, str(path), str(tmp_path / "bundle"), commits]
        assert -9 == subprocess.run(argv, timeout=60).returncode
    ledger = open_ledger(path, write=True)
    assert 0 < ledger.position() < 3030
    imported(lines, ledger)
    whole = MemoryLedger(PROJECT)
    imported(lines, whole)
    assert [event for _, event in whole.events()] == [event for _, event in ledger.events()]
    assert whole.fold("") == ledger.fold("")
    assert whole.extracts() == ledger.extracts()
    ledger.close()


def test_a_bundle_without_trust_that_says_it_twice_is_still_foreign():
    """The same extract again is a session that was given to another task: that would vouch for it."""
    forged = MemoryLedger(PROJECT)
    forged.take_in(read_off("s1", 10, "forged", task=TASKS[1]))
    head, extract, _ = export_bundle(forged)
    for ledger in (MemoryLedger(PROJECT), MemoryLedger(PROJECT)):
        imported(resealed([head, extract, extract, b""]), ledger, ceiling="agent")
        assert [True] == [one.is_foreign for one in ledger.extracts()]


def test_a_colleagues_next_bundle_tells_how_a_session_went_on():
    """It stays in the task where people here met it, and what was read here stays as it is."""
    colleague, here = MemoryLedger(PROJECT), MemoryLedger(PROJECT)
    colleague.take_in(read_off("s1", 10, "first", task=TASKS[1]))
    imported(list(export_bundle(colleague)), here, ceiling="agent")
    colleague.take_in(read_off("s1", 20, "first", "second", task=TASKS[1]))
    colleague.assign("s1", TASKS[2])
    lines = list(export_bundle(colleague))
    assert [1, 0] == [imported(lines, here, ceiling="agent").extracts for _ in range(2)]
    assert [(TASKS[1], 2)] == [(one.task, len(one.items)) for one in here.extracts()]


def test_what_comes_without_trust_is_short():
    """Whatever rules read it off: the record has the rest. A name is told with each answer, paths with the session."""
    ledger, other = MemoryLedger(PROJECT), MemoryLedger(PROJECT)
    extract = read_off("s1", 10, "one word after another " * 100_000)
    long = "x" * 50_000
    item = extract.items[0]._replace(files=(long,))
    ledger.take_in(extract._replace(origin=extract.origin._replace(last_act=long, branch=long), items=(item,)))
    imported(list(export_bundle(ledger)), other, ceiling="agent")
    [kept] = other.extracts()
    [item] = kept.items
    assert item.text.endswith("…") and len(item.text) <= WHY_CHARS_MAX >= len(item.place.quote)
    assert max(map(len, (kept.origin.last_act, kept.origin.branch, *kept.items[0].files))) <= WHY_CHARS_MAX
    for field in ("actor", "session", "worktree"):
        ledger = MemoryLedger(PROJECT)
        ledger.append([stated("The moon")._replace(**{field: long})])
        with pytest.raises(InputError) as caught:
            imported(list(export_bundle(ledger)), other, ceiling="agent")
        assert (caught.value.code, field in caught.value.message) == ("E-bundle-damaged", True)


def test_a_bundle_of_one_task_holds_that_task_and_nothing_else(ledger: MemoryLedger) -> None:
    """Given two tasks, who is handed one gets its facts and sessions, and that it was opened."""
    lines = list(export_bundle(ledger, task=TASKS[1]))
    there = MemoryLedger(PROJECT, key=KEY)
    imported(lines, there)
    assert values(there.fold("").entities[TASKS[1]])["title"] == "one"
    assert there.fold(TASKS[1]).entities.keys() == ledger.fold(TASKS[1]).entities.keys()
    assert {one.task for one in there.extracts(task=TASKS[1])} == {TASKS[1]}
    assert len(lines) < len(list(export_bundle(ledger)))
