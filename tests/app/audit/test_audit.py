"""A session's bill, what to cut, and what became of the last advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.audit.audit import Audit, audit, read_session, rules_standing
from clew.app.audit.waste import ADVICE
from clew.app.cost.prices import KnownPrices
from clew.app.intake.find import reader_for
from clew.core.audit.bill import bill_of
from clew.core.audit.contexts import MEANINGS, Contexts
from clew.core.cost.prices import Prices, override
from clew.core.errors import InputError, NotFound
from clew.core.text.tokens import estimate
from clew.documents.rules_file.disk import RULES
from tests.app.audit.metered import BASE, MODEL, Metered, prose
from tests.app.projects import World
from tests.app.worlds import ports

KNOWN = KnownPrices(
    Prices([override({MODEL: {"input": 10, "output": 50, "cache_read": 1, "cache_write": 12}})]), "your own prices"
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def told(world: World, session: str = "") -> Audit:
    return audit(world.by_person, KNOWN, session=session)


def tokens(found: Audit, group: str) -> int:
    return sum(one.tokens for one in found.lines if one.group == group)


def working(world: World, name: str = "s-1", *, day: int = 20) -> Metered:
    """A session that reads, edits and tests, and wastes nothing."""
    story = Metered(world, name, day=day).user("Make the tide ten in src/a.py, please, and test it")
    for number, size in enumerate((300, 500, 800, 420, 650)):
        story.call("Read", prose(size, f"file_{number}"), file_path=f"{world.top}/src/part_{number}.py")
        story.reply(f"I use file_{number}_number_1 and file_{number}_number_2 here")
    story.call("Edit", "done", file_path=f"{world.top}/src/a.py", old_string="1", new_string="10")
    return story.reply("The tide is ten now")


def test_the_bill_of_a_session_whose_contexts_are_known(world: World) -> None:
    """Given a client that counts as clew estimates, each line has exactly what stood there, times how often."""
    working(world).save()
    found = told(world)
    assert found.responses == 12
    assert tokens(found, "base") == pytest.approx(BASE * 12, rel=0.002)
    assert found.explained > 0.998
    assert sum(one.tokens for one in found.lines) == pytest.approx(found.input_tokens, abs=len(found.lines))
    first = estimate(prose(300, "file_0")) * 11
    reads = next(part for line in found.lines if line.group == "results" for part in line.parts if part.name == "Read")
    sizes = sum(estimate(prose(size, f"file_{n}")) * (11 - 2 * n) for n, size in enumerate((300, 500, 800, 420, 650)))
    assert first < reads.tokens == pytest.approx(sizes, rel=0.02)
    assert ("claude-code", "s-1", (MODEL,)) == (found.client, found.session, found.models)
    assert found.usd == pytest.approx(
        (found.peak_tokens * 12 + (found.input_tokens - found.peak_tokens) * 1) / 1e6, rel=0.01
    )


def test_what_no_record_tells_of_is_said(world: World) -> None:
    """It is no part of another line."""
    working(world).hidden(4_000).reply("Well").reply("Then").save()
    found = told(world)
    assert tokens(found, "unexplained") == pytest.approx(8_000, rel=0.03)
    assert found.explained < 0.985


def test_rules_files_are_taken_out_of_the_base(world: World) -> None:
    """Given a CLAUDE.md that imports a page, both are told with what they took, as they are now."""
    world.repo.write("CLAUDE.md", "# Rules\n\n@docs/more.md\n" + prose(300, "rule"))
    world.repo.write("docs/more.md", prose(200, "more"))
    working(world).save()
    found = told(world)
    names = [part.name for line in found.lines if line.group == "rules" for part in line.parts]
    assert ["CLAUDE.md", "docs/more.md"] == names
    assert tokens(found, "base") + tokens(found, "rules") == pytest.approx(BASE * 12, rel=0.01)
    assert any("sizes are those of now" in note for note in found.notes)


def found_kinds(found: Audit) -> dict[str, int]:
    return {one.kind: one.times for one in found.found}


def test_a_file_read_twice_is_told_and_one_that_changed_in_between_is_not(world: World) -> None:
    """Reading a part again of what was read whole counts as well."""
    path = f"{world.top}/src/part_2.py"
    story = working(world)
    story.call("Read", prose(800, "file_2"), file_path=path).reply("file_2_number_3 and file_2_number_4")
    story.call("Bash", "done", command="sed -i s/1/2/ src/part_2.py")
    story.call("Read", prose(800, "file_2"), file_path=path).reply("Fine").reply("Then").reply("On")
    story.save()
    (one,) = [one for one in told(world).found if one.kind == "reread"]
    assert (1, (("src/part_2.py", 1),)) == (one.times, one.examples)
    assert one.tokens > estimate(prose(800, "file_2")) * 5
    assert 0 < one.saves_usd < one.tokens * 12 / 1e6


def test_a_call_repeated_after_it_failed_is_told(world: World) -> None:
    """With nothing edited in between; a search that found nothing is no failure."""
    story = working(world)
    for _ in range(3):
        story.call("Bash", f"Exit code 2\n{prose(300, 'error')}", failed=True, command="npm test")
    story.call("Bash", f"Exit code 1\n{prose(10, 'none')}", failed=True, command="grep -rn moon src")
    story.reply("I give up").reply("Really").save()
    kinds = {one.kind: (one.times, one.examples) for one in told(world).found}
    assert (2, (("npm test", 2),)) == kinds["retried"]
    assert (1, (("npm test", 1),)) == kinds["failed"]


def test_looking_around_before_the_first_edit_and_results_that_nobody_used(world: World) -> None:
    """A large listing of which no word is written later is both."""
    story = Metered(world, "s-1").user("Make the tide ten")
    story.call("Bash", prose(700, "listed"), command="find . -name '*.py'")
    for number in range(4):
        story.call("Read", prose(200, f"file_{number}"), file_path=f"{world.top}/src/part_{number}.py")
        story.reply(f"file_{number}_number_1 and file_{number}_number_2")
    story.call("Edit", "done", file_path=f"{world.top}/src/a.py", old_string="1", new_string="10")
    story.reply("Done").reply("Well").reply("Bye").save()
    found = told(world)
    kinds = {one.kind: one.examples for one in found.found}
    assert (("find", 1),) == kinds["scan"]
    assert (("find . -name '*.py'", 1),) == kinds["unused"]
    assert "outside" not in kinds


def test_reads_in_folders_where_nothing_was_edited(world: World) -> None:
    """Where there are several of them."""
    story = Metered(world, "s-1").user("Make the tide ten")
    for number in range(4):
        story.call("Read", prose(300, f"file_{number}"), file_path=f"{world.top}/docs/api/part_{number}.py")
        story.reply(f"file_{number}_number_1 and file_{number}_number_2")
    story.call("Edit", "done", file_path=f"{world.top}/src/a.py", old_string="1", new_string="10")
    story.reply("Done").save()
    assert (("docs/api", 4),) == {one.kind: one.examples for one in told(world).found}["outside"]


def test_hooks_of_others_and_skills_are_told_with_clew_s_own_apart(world: World) -> None:
    """What clew's own gave is no waste of others'."""
    story = Metered(world, "s-1")
    theirs, ours = prose(400, "power"), f"<clew-data abcdef>\n{prose(300, 'ours')}\n</clew-data abcdef>"
    for name, text in (("SessionStart:startup", theirs), ("SessionStart:startup", ours)):
        story.attached(type="hook_additional_context", hookName=name, content=[text]).hidden(estimate(text))
    story.attached(type="skill_listing", content=prose(350, "skill")).hidden(estimate(prose(350, "skill")))
    story.user("Make the tide ten")
    for size in (300, 500, 800):
        story.call("Read", prose(size, f"file_{size}"), file_path=f"{world.top}/src/{size}.py")
    story.reply("file_300_number_1 file_300_number_2 file_500_number_1 file_500_number_2").save()
    found = told(world)
    names = {part.name for line in found.lines if line.group == "hooks" for part in line.parts}
    assert {"clew", "others: SessionStart:startup"} == names
    assert {"hooks-others", "hooks-clew", "skills"} <= found_kinds(found).keys()
    assert 0 == next(one for one in found.found if one.kind == "hooks-clew").saves_tokens


def test_sub_agents_count_from_files_of_their_own(world: World) -> None:
    """They are one line, and each is named by what it was told."""
    path = working(world).save()
    agent = Metered(world, "s-1").user("Where does the tide turn?")
    agent.call("Grep", prose(300, "hit"), pattern="tide").reply("In hit_number_4")
    for line in agent.lines:
        line |= {"agentId": "a1", "isSidechain": True}
    agent.name = "agent-a1"
    saved = agent.save()
    place = path.with_suffix("") / "subagents" / saved.name
    place.parent.mkdir(parents=True)
    saved.rename(place)
    found = told(world, "s-1")
    (line,) = [line for line in found.lines if line.group == "agents"]
    assert ("Where does the tide turn?", 1) == (line.parts[0].name, found.agents)
    assert line.tokens + tokens(found, "unexplained") > 2 * BASE


def test_what_is_told_is_redacted(world: World) -> None:
    """Names of commands and models are anybody's text."""
    secret = "ghp_" + "a1B2" * 9
    story = working(world)
    for _ in range(3):
        story.call("Bash", f"Exit code 2\n{prose(300, 'error')}", failed=True, command=f"{secret} run")
    story.reply("So").reply("What").save()
    assert secret not in repr(told(world))


def test_what_cannot_be_audited(world: World) -> None:
    """No session, and one that reports no tokens."""
    with pytest.raises(NotFound, match="no session"):
        told(world)
    Metered(world, "s-1").user("Hello?").save()
    with pytest.raises(InputError, match="reports no tokens"):
        told(world, "s-1")


RECORDINGS = Path(__file__).parents[2] / "recordings"
SESSIONS = (
    "claude-code/2.1.330-compaction.jsonl",
    "claude-code/2.1.330-subagent.jsonl",
    "codex/0.169.0-code-mode.jsonl",
    "codex/0.169.0-compaction.jsonl",
    "codex/0.169.0-subagent.jsonl",
    "gemini/0.61.0-story.jsonl",
    "gemini/0.61.0-subagent.jsonl",
    "opencode/1.18.33-export.json",
)


def contexts(home: Path, name: str) -> Contexts:
    path = RECORDINGS / name
    made = ports(home)
    return read_session(made, path, reader_for(path, made.readers), lambda _: None).contexts


@pytest.mark.parametrize("name", SESSIONS)
def test_the_bill_of_a_recorded_session_adds_up(tmp_path: Path, name: str) -> None:
    """Each response once, and what the model called and was given is in it."""
    found = contexts(tmp_path, name)
    bill = bill_of(found.chains(), lambda _: None)
    assert bill.input_tokens > 0
    assert sum(one.carried for one in bill.entries) == pytest.approx(bill.input_tokens, abs=1)
    assert found.steps and any(one.piece.group == "calls" for one in bill.entries)
    assert any(one.piece.group == "prompts" for one in bill.entries)


def test_which_rules_files_stand_before_a_session(tmp_path: Path) -> None:
    """Those of the folder, of those above it up to the top, and the user's own; each client its own names."""
    world = World(tmp_path)
    for name in ("CLAUDE.md", "web/CLAUDE.md", ".claude/rules/a.md", "AGENTS.md", "GEMINI.md", "docs/CLAUDE.md"):
        world.repo.write(name, f"# {name}\n")
    for place in (".claude/CLAUDE.md", ".gemini/GEMINI.md"):
        path = world.home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Mine\n")

    def names(client: str, cwd: Path) -> list[str]:
        return [one.name for one in rules_standing(world.ports, client, str(cwd))]

    assert ["CLAUDE.md", "web/CLAUDE.md", ".claude/rules/a.md", "~/.claude/CLAUDE.md"] == names(
        "claude-code", world.top / "web"
    )
    assert ["GEMINI.md", "~/.gemini/GEMINI.md"] == names("gemini", world.top)
    assert ["AGENTS.md"] == names("opencode", world.top)
    assert [] == names("codex", world.top) == names("claude-code", world.top / "none")


PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "audit.md").read_text(encoding="utf-8")


def test_lines_and_measures_and_rules_are_told() -> None:
    assert not [meaning for meaning in MEANINGS.values() if f"| {meaning} |" not in PAGE]
    assert not [kind for kind in ADVICE if f"`{kind}`" not in PAGE]
    assert not [rule.id for rule in RULES.values() if f"| `{rule.id}` | {rule.meaning.rstrip('.')}" not in PAGE]
