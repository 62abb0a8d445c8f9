"""No planted secret leaves by any way out: neither what was redacted when it was kept, nor what slipped past the rules
of its day. Values are made up when the test runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmarks.secrets.make_secrets import CONTEXTS, KINDS, Case, cases

from clew.app.archive.archiving import Archived, archive, archive_of, restore
from clew.app.egress.guard import EXITS, Exit, require_clean
from clew.app.issue.run import push
from clew.app.keeping.bundle import export
from clew.app.keeping.session_export import FORMS, export_session
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import catch_up
from clew.core.errors import NotAllowed
from clew.core.state.items import LETTERS
from clew.secrets.deep import DeepScan
from tests.app.issue.desks import Desk, issue_of
from tests.app.projects import World
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder
from tests.remotes.memory import Forge

PLANTED = tuple(cases(seed=11, each=1))
SESSION = "c0000000-0000-4000-8000-00000000000a"
TOKEN = secrets()["github"]


def test_the_plan_of_this_page_is_wide_enough() -> None:
    """At least 75 kinds in 6 contexts."""
    assert len(KINDS) >= 75 and len(CONTEXTS) == 6 and len(PLANTED) == len(KINDS) * len(CONTEXTS)


@pytest.mark.parametrize("deep", [False, True], ids=["own rules", "both engines"])
@pytest.mark.parametrize("exit", EXITS)
def test_every_planted_secret_is_refused_at_every_exit(exit: Exit, deep: bool, tmp_path: Path) -> None:
    """Given each kind in each context, nothing leaves; the refusal does not repeat it."""
    engine: DeepScan | None = World(tmp_path, ledger=False).ports.deep_scan if deep else None
    left = []
    for case in PLANTED:
        try:
            require_clean([("the text", case.text)], b"k" * 32, exit=exit, deep=engine)
            left.append(f"{case.kind} in {case.context}")
        except NotAllowed as error:
            assert error.code == "E-egress-secret"
            assert case.secret not in error.message + error.hint
    assert left == []


class Harbour:
    """A clone with a task, a plan, and one session that all the secrets were typed and printed in."""

    def __init__(self, folder: Path) -> None:
        self.desk = Desk(folder / "ada", Forge(), "ada")
        self.world = self.desk.world
        self.task = self.desk.task()
        story = Recorder(self.world.top, session=SESSION).user("Look at the settings")
        for number, case in enumerate(PLANTED):
            story.run(f"cat settings-{number}", case.text)
            if number % 9 == 0:
                story.user(f"use this: {case.text}").reply(
                    f"I wrote {case.text} into the settings and must not lose it."
                )
        story.reply("The tide in src/a.py is ten now.").save(self.world.home)

    def ways(self, into: Path) -> Iterator[tuple[str, str]]:
        """What leaves by each way out, by its name."""
        world = self.world
        with world.desk() as at:
            catch_up(world.ports, at)
        for form in FORMS:
            yield (
                form,
                export_session(ProjectHandle(world.ports, world.top), Path(SESSION), None, form, force=False).text,
            )
        bundle: list[bytes] = []
        export(ProjectHandle(world.ports, world.top), None, write=bundle.append)
        yield "bundle", b"".join(bundle).decode()
        archive(ProjectHandle(world.ports, world.top))
        restore(ProjectHandle(world.ports, world.top), SESSION, into / "back.jsonl")
        yield "archive", (into / "back.jsonl").read_text()
        for case in PLANTED[:: len(PLANTED) // 40]:
            self.desk.state("finding", world.ports.redact(f"it printed {case.text}"), task=self.task)
        self.desk.push(inferred=True)
        yield "issue", issue_of(self.desk.forge).body


def test_nothing_of_a_session_full_of_secrets_comes_out(tmp_path: Path) -> None:
    """Given a session in which every kind was typed or printed, no way out carries one of the values."""
    seen = []
    for way, text in Harbour(tmp_path).ways(tmp_path):
        seen.append(way)
        held = [f"{case.kind} in {case.context}" for case in PLANTED if _stands_in(case, text)]
        assert (way, held) == (way, [])
        assert "[redacted:" in text, way
    assert seen == [*FORMS, "bundle", "archive", "issue"]


def _stands_in(case: Case, text: str) -> bool:
    return any(form in text for form in (case.secret, json.dumps(case.secret)[1:-1]))


def _slip(world: World, task: str, kind: str = "decision") -> None:
    """An item that an older clew would have kept as it was."""
    with world.desk() as at:
        data = {"item": at.new_id(LETTERS[kind]), "kind": kind, "text": "x"}  # type: ignore[index]
        event = at.event("item.stated", data, task=task)
        at.ledger.append([event._replace(data={**data, "text": f"We go on with {TOKEN}"})])


def _bundle(desk: Desk, into: Path) -> None:
    export(ProjectHandle(desk.world.ports, desk.world.top), into / "all.clew", write=lambda _: None)


def _issue(desk: Desk, into: Path) -> None:
    push(ProjectHandle(desk.world.ports, desk.world.top), desk.connect)


def _archived(desk: Desk, into: Path) -> None:
    store = archive_of(desk.world.ports)
    digest, size, packed = store.keep([f'{{"said": "{TOKEN}"}}\n'.encode()])
    store.note(Archived("claude-code", "s-1", "/s-1.jsonl", "", size, digest, size, packed, "2026", "2026"))
    restore(ProjectHandle(desk.world.ports, desk.world.top), "s-1", into / "back.jsonl")


@pytest.mark.parametrize("way", [_bundle, _issue, _archived])
def test_what_slipped_in_is_refused(way: Callable[[Desk, Path], None], tmp_path: Path) -> None:
    """Given a token that an older clew kept, no use case lets it out; nothing is written."""
    desk = Desk(tmp_path / "ada", Forge(), "ada")
    _slip(desk.world, desk.task())
    before = set(tmp_path.glob("*"))
    with pytest.raises(NotAllowed) as caught:
        way(desk, tmp_path)
    assert caught.value.code == "E-egress-secret" and TOKEN not in caught.value.message
    assert set(tmp_path.glob("*")) == before and not any(desk.forge.issues.values())
