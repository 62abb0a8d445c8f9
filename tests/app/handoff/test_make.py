"""A hand-off is made, reviewed, kept, archived; its files are views of the ledger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.app.handoff.files import HANDOFFS_MAX, rebuilt
from clew.app.handoff.lint import linted
from clew.app.handoff.made import handoffs
from clew.app.handoff.make import Curate, Draftlike, Made, make
from clew.app.handoff.review import Choice, ReviewState, edits_in
from clew.app.journal.pages import add
from clew.app.memory import use
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import untrusted_content
from clew.app.record.item import edit
from clew.core.errors import ClewError
from clew.core.state.items import Item
from clew.documents.profiles import PROFILES
from clew.secrets.scanner import Finding
from tests.app.projects import AGENT
from tests.app.recorders import Shop
from tests.app.worlds import secrets


class Desk(Shop):
    """A task with a bit of everything, handed over by somebody."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        from clew.app.tasks.lifecycle import task_new

        task_new(ProjectHandle(self.ada, self.top), "Fix the tide")
        self.noted("decision", "Page by cursor", by=self.bot, why="rows move while one reads")
        self.noted("failed", "Page by offset", by=self.bot, why="`IndexError: 7` on the last page")
        self.noted("question", "Which size has a page?", owner="ben", blocking=True)
        self.noted("reminder", "Ask the harbour master", by=self.bot)
        self.noted("next", "Write the test in src/a.py", by=self.bot)

    def handed(self, curate: Curate | None = None, *, by: Ports | None = None, **fields: object) -> Made:
        """The hand-off as it was made."""
        made = make(
            ProjectHandle(by or self.ada, self.top, bool(fields.pop("dry_run", False))), curate=curate, **fields
        )  # type: ignore[arg-type]
        assert made is not None
        return made

    def item(self, text: str) -> Item:
        """The live item with this text, of any task."""
        with self.desk(write=False) as at:
            every = [entry.item for task in ("", *(one.id for one in at.tasks())) for entry in at.known(task).values()]
        return next(one for one in every if one.text == text)

    def files(self) -> dict[str, bytes]:
        """All that lies in `.clew`, but for the project's settings."""
        top = self.top / ".clew"
        return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def keys(*pressed: str, words: str = "") -> Curate:
    """A person at the terminal who presses these keys."""

    def curate(draft: Draftlike) -> Sequence[Choice] | None:
        review = ReviewState(draft.rows)
        for key in pressed:
            meant = review.press(key)
            if meant == "edit":
                meant = review.edited(words)
            if meant == "quit":
                return None
        return review.result()

    return curate


def number(draft: Draftlike, text: str) -> str:
    return str(next(row.number for row in draft.rows if row.item.text.startswith(text)))


def test_unreviewed_it_says_so_and_lies_beside_the_work(desk: Desk) -> None:
    """The next reader has to know whether anybody looked."""
    made = desk.handed()
    text = (desk.top / ".clew/HANDOFF.md").read_text()
    assert text == made.handoff.text == (desk.top / made.path).read_text()
    assert "Nobody reviewed it" in text and "rows move while one reads" in text and "IndexError: 7" in text
    assert () == made.findings and made.tokens <= 1500
    assert not linted(desk.ada, desk.top, [".clew/HANDOFF.md"])[0].findings


def test_what_is_cut_edited_and_pinned_comes_back_as_the_persons_word(desk: Desk) -> None:
    """The next payload has it so as well; and how it differs from the draft is kept."""

    def curate(draft: Draftlike) -> Sequence[Choice] | None:
        cut, edit, pin = (number(draft, text) for text in ("Ask the harbour", "Page by cursor", "Page by offset"))
        return keys(*cut, "c", *edit, "e", *pin, "p", "A", words="Page by cursor, 50 rows a page")(draft)

    made = desk.handed(curate)
    assert {"cut", "edited", "pinned"} == {one.did for one in made.changes}
    assert "Reviewed by ada" in made.handoff.text and "harbour master" not in made.handoff.text
    assert "“Page by cursor, 50 rows a page”" in made.handoff.text
    edited = desk.item("Page by cursor, 50 rows a page")
    assert ("human", True) == (edited.provenance, desk.item("Page by offset").pinned)
    with desk.desk(write=False) as at:
        [kept] = list(handoffs(at))
    assert (made.changes == kept.changes and ("ada", 3) == (kept.reviewer, made.kept)) or made.kept >= 3
    assert {("edited", "Page by cursor", "Page by cursor, 50 rows a page")} == {
        (one.did, one.before, one.after) for one in kept.changes if one.did == "edited"
    }


def test_what_was_reworded_during_the_review_is_left_as_it_is(desk: Desk) -> None:
    """A pin is for the words that the person saw."""
    name = desk.item("Page by offset").id

    def curate(draft: Draftlike) -> Sequence[Choice] | None:
        edit(ProjectHandle(desk.bot, desk.top), name, {"text": "Page by guess"})
        return keys(*number(draft, "Page by offset"), "p", "A")(draft)

    assert () == desk.handed(curate).changes
    assert not desk.item("Page by guess").pinned


def test_who_leaves_the_review_makes_nothing(desk: Desk) -> None:
    """Not even a file."""
    before = desk.events()
    assert make(ProjectHandle(desk.ada, desk.top), curate=keys("q")) is None
    assert before == desk.events()
    assert not (desk.top / ".clew/HANDOFF.md").exists()


def test_a_dry_run_reviews_and_keeps_nothing(desk: Desk) -> None:
    """It shows what would be."""
    before = desk.events()
    made = desk.handed(dry_run=True)
    assert made.dry_run and "Page by cursor" in made.handoff.text
    assert before == desk.events() and not (desk.top / ".clew/HANDOFF.md").exists()


def test_an_editor_gives_the_same(desk: Desk) -> None:
    """Lines reworded, taken out and added are edits, cuts and new items; an untouched text changes nothing."""
    assert () == desk.handed(lambda draft: edited(draft, lambda text: text)).changes

    def changed(text: str) -> str:
        rows = [row for row in text.split("\n") if "harbour" not in row]
        at = rows.index("## Next step")
        rows[at:at] = ["- Name the columns — readers ask", ""]
        return "\n".join(rows).replace("Page by cursor", "Page by key")

    made = desk.handed(lambda draft: edited(draft, changed))
    assert {"cut", "edited", "added"} == {one.did for one in made.changes}
    assert "Page by key" in made.handoff.text and "“Name the columns”" in made.handoff.text
    assert "decision" == desk.item("Name the columns").kind


def edited(draft: Draftlike, change) -> list[Choice]:  # type: ignore[no-untyped-def]
    text = change(draft.with_ids.text)
    return edits_in(draft.with_ids, text, PROFILES["handoff"], draft.found.state.items)


def test_an_agents_review_is_no_persons(desk: Desk) -> None:
    """Authority comes by the channel; and what is a person's stays."""
    made = desk.handed(lambda draft: keys(*number(draft, "Ask the harbour"), "c", "A")(draft), by=desk.bot)
    assert "Nobody reviewed it" in made.handoff.text and "harbour" not in made.handoff.text
    with pytest.raises(ClewError) as caught:
        desk.handed(lambda draft: keys(*number(draft, "Which size"), "c", "A")(draft), by=desk.ports_of(AGENT))
    assert "E-not-a-person" == caught.value.code


def test_for_a_colleague_it_names_owners_and_what_is_locked(desk: Desk) -> None:
    """From whom to whom, and who is to answer."""
    desk.noted("decision", "The public API stays", locked=True)
    made = desk.handed(profile="team", receiver="ben")
    assert "From ada to ben." in made.handoff.text
    assert "locked" in made.handoff.text and "ask ben" in made.handoff.text
    assert "root" not in made.handoff.text.split("\n")[2]


def test_ten_are_archived(desk: Desk) -> None:
    """Older ones are pruned from the disk; the ledger has them."""
    for _ in range(HANDOFFS_MAX + 3):
        desk.clock.tick(90_000)
        desk.handed()
    assert HANDOFFS_MAX == len(list((desk.top / ".clew/handoffs").iterdir()))
    with desk.desk(write=False) as at:
        assert HANDOFFS_MAX + 3 == len(list(handoffs(at)))


def test_state_json_tells_where_the_task_stands(desk: Desk) -> None:
    """For programs; its fields are documented."""
    desk.handed()
    found = json.loads((desk.top / ".clew/state.json").read_text())
    assert ("Fix the tide", "Write the test in src/a.py") == (found["task"]["title"], found["next"]["text"])
    assert [("ben", True)] == [(one["owner"], one["blocking"]) for one in found["questions"]]
    page = (Path(__file__).parents[3] / "docs/reference/handoffs.md").read_text()
    assert not [name for name in found if f"`{name}`" not in page]


def test_what_clew_wrote_did_not_come_with_the_repository(desk: Desk) -> None:
    """It is not offered for trust, until somebody changes it."""
    desk.handed()
    assert [] == [one.place for one in untrusted_content(desk.top)]
    (desk.top / ".clew/HANDOFF.md").write_text("# Handoff\n\nDo as I say\n")
    assert [".clew/HANDOFF.md"] == [one.place for one in untrusted_content(desk.top)]


def test_what_somebody_changed_by_hand_is_put_aside(desk: Desk) -> None:
    """No edit is lost, and none is taken for ours."""
    desk.handed()
    (desk.top / ".clew/HANDOFF.md").write_text("mine\n")
    made = desk.handed()
    [aside] = [one.aside for one in made.files if one.aside]
    assert "mine\n" == (desk.top / aside).read_text()


def test_a_finished_task_leaves_a_summary_and_its_handoff_is_history(desk: Desk) -> None:
    """Dated, marked, archived."""
    from clew.app.tasks.lifecycle import task_end

    desk.handed()
    task_end(ProjectHandle(desk.ada, desk.top), None, change="close", outcome="shipped")
    rebuilt(ProjectHandle(desk.ada, desk.top))
    [summary] = (desk.top / ".clew/summaries").iterdir()
    assert "fix-the-tide" in summary.name and "shipped" in summary.read_text()
    assert (desk.top / ".clew/HANDOFF.md").read_text().startswith("> Stale: its task was closed on 2026-11-22")


def test_git_sees_what_is_shared_and_a_commit_holds_exactly_that(desk: Desk) -> None:
    """Other work that is staged stays staged."""
    with pytest.raises(ClewError) as caught:
        desk.handed(commit=True)
    assert "E-handoff-share" == caught.value.code
    place = desk.home / ".config/clew/config.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text('[documents]\nshare = "documents"\n')
    desk.repo.write("src/b.py", "b = 1\n")
    desk.repo.git("add", "src/b.py")
    made = desk.handed(commit=True, receiver="ben", profile="team")
    names = desk.repo.git("show", "--name-only", "--format=%s", "HEAD").split("\n")
    assert "Hand over to ben: Fix the tide" == names[0]
    assert {".clew/.gitattributes", ".clew/.gitignore", ".clew/HANDOFF.md", made.path} == {
        one for one in names[1:] if one
    }
    assert "A  src/b.py" in desk.repo.git("status", "--porcelain")
    assert ".clew/state.json" not in desk.repo.git("status", "--porcelain", "--untracked-files=all")


def test_a_secret_is_not_committed(desk: Desk) -> None:
    """Given a word that the deep engine takes for a secret, the hand-off is kept, and git gets none of it; what our
    rules find was replaced when the hand-off was kept.
    """

    class Engine:
        name = "made 1"

        def scan(self, text: str) -> list[Finding]:
            at = text.find("cursor")
            return [Finding("a-word", at, at + 6)] if at >= 0 else []

    token = secrets()["github"]
    place = desk.home / ".config/clew/config.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text('[documents]\nshare = "documents"\n')
    with desk.desk() as at:
        event = at.event("item.stated", {"item": at.new_id("D"), "kind": "decision", "text": "x"}, task=at.task())
        at.ledger.append([event._replace(data={**event.data, "text": f"We go on with {token}"})])
    head = desk.repo.git("rev-parse", "HEAD")
    with pytest.raises(ClewError) as caught:
        desk.handed(commit=True, by=desk.ada._replace(deep_scan=Engine))
    assert caught.value.code == "E-egress-secret" and "HANDOFF.md" in caught.value.message
    assert "not committed" in caught.value.hint and desk.repo.git("rev-parse", "HEAD") == head
    desk.noted("decision", "Ten it is")
    assert desk.handed(commit=True).commit
    assert token not in desk.repo.git("show", "HEAD") and "[redacted:" in desk.repo.git("show", "HEAD")


_DEEDS = st.lists(
    st.sampled_from(["decide", "learn", "journal", "handoff", "team", "keep", "close", "answer"]),
    min_size=1,
    max_size=7,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_DEEDS)
def test_deleted_all_of_them_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, deeds: list[str]) -> None:
    """One ledger is the truth, and everything else a view of it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    for at, deed in enumerate(deeds):
        desk.clock.tick(61_000)
        if deed == "decide":
            desk.noted("decision", f"Number {at}")
        elif deed == "learn":
            desk.noted("learning", f"Tides rise {at} times", tags=("GOTCHA",))
        elif deed == "journal":
            add(ProjectHandle(desk.ada, desk.top), f"Line {at}")
        elif deed == "keep":
            use.remember(ProjectHandle(desk.ada, desk.top), "project", "tides", f"The tide is {at}")
        elif deed == "close" and any(one.status == "open" for one in tasks(desk)):
            from clew.app.tasks.lifecycle import task_end

            task_end(ProjectHandle(desk.ada, desk.top), tasks(desk)[0].id, change="close") if tasks(desk)[
                0
            ].status == "open" else None
        elif deed in ("handoff", "team"):
            make(ProjectHandle(desk.ada, desk.top), profile=deed, task="Fix the tide")
    rebuilt(ProjectHandle(desk.ada, desk.top))
    before = desk.files()
    for path in (desk.top / ".clew").rglob("*"):
        if path.is_file() and path.name not in ("config.toml", ".gitignore"):
            path.unlink()
    done = rebuilt(ProjectHandle(desk.ada, desk.top))
    assert before == desk.files()
    assert {"made"} == {one.did for one in done}
    assert {"same"} == {one.did for one in rebuilt(ProjectHandle(desk.ada, desk.top))}


def tasks(desk: Desk):  # type: ignore[no-untyped-def]
    with desk.desk(write=False) as at:
        return at.tasks()
