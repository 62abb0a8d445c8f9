"""From a session file to a state: nothing unredacted goes on, nothing is skipped without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.app.look.show import show
from clew.app.project.opening import ProjectHandle
from clew.app.results import to_json
from clew.app.resume.payload import Resumption, resume
from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.port import Reader
from clew.core.records.transcript import Action, Batch, Call, Edit, Other, Read, Run
from clew.interfaces.show_text import show_text
from clew.secrets import Redactor
from clew.sessions import capture as capturing
from clew.sessions.capture import Captured, by_root, gather
from tests.app.worlds import named_secret, ports, private_key, secrets
from tests.recordings.sessions import Recorder

CWD = "/home/mira/tide"


def read(path: Path, reader: Reader, redact: Callable[[str], str] = str) -> Captured:
    return capturing.captured(gather(path, reader, redact=redact), client=reader.name, root_of=str)


def captured(story: Recorder, folder: Path) -> Captured:
    path = story.write_to(folder / "session.jsonl")
    return read(path, ClaudeCodeReader(), Redactor(key=None).redact)


def everything(story: Recorder, folder: Path) -> str:
    """All that comes out about a session: the text at a large budget, the JSON shapes, every item's report."""
    path = story.write_to(folder / "session.jsonl")
    doors = ports(folder)
    found: Resumption = resume(ProjectHandle(doors, folder), transcript=path, budget_tokens=6000)
    listed = show(ProjectHandle(doors, folder), None, transcript=path)
    reports = [show(ProjectHandle(doors, folder), one.id, transcript=path) for one in listed.items]
    texts = [found.document.text, *found.notes, to_json(found.result()), to_json(listed)]
    return "\n".join([*texts, *(to_json(one) + show_text(one) for one in reports)])


def telling(secret: str) -> Recorder:
    """A session that holds `secret` wherever a session can hold one."""
    story = Recorder(CWD, branch=f"fix/{secret}")
    story.user(f"Deploy it with the token {secret} to the staging server, and never print it.")
    story.read(f"conf/{secret}.env", f"TOKEN={secret}\n")
    story.run(f"curl -H 'X-Auth: {secret}' https://tide.example/deploy", f"error: token {secret} was refused", code=22)
    story.run(f"make test TOKEN={secret}", "42 passed")
    story.edit(
        "conf/a.py", "TOKEN = 1", f"TOKEN = '{secret}'  # never change {secret} because of it", original="TOKEN = 1\n"
    )
    story.write(f"keys/{secret}.py", f"# the key must stay {secret} because the server knows no other\n")
    story.run(f"git add -A && git commit -m 'Use {secret}'", f"[main 1a2b3c4] Use {secret}\n 1 file changed")
    story.run(f"git frobnicate {secret}", f"fatal: no such thing as {secret}", code=1)
    story.run(f"git frobnicate --now {secret}", "done")
    story.todos([(f"Rotate {secret}", "in_progress"), (f"Tell Bob about {secret}", "pending")])
    story.ask(f"Is {secret} the right one?", [f"{secret}", f"not {secret}"], f"use {secret} only")
    story.refuse("Bash", {"command": f"echo {secret} > out"}, f"do not write {secret} anywhere")
    story.refuse("Edit", {"file_path": f"{CWD}/{secret}.py", "old_string": secret, "new_string": secret}, "no")
    story.plan(f"# Rotate {secret}\n\n## Context\nThe old token {secret} is known to Bob.\n", refused=f"keep {secret}")
    story.delegate(f"find {secret}", f"who uses {secret}?", f"The loader uses `{secret}` because of the proxy.")
    story.call("mcp__other", {"query": secret}).result(f"no tool for {secret}", error=True)
    link = {
        "type": "pr-link",
        "prUrl": f"https://u:{secret}@tide.example/1",
        "prRepository": f"m/{secret}",
        "prNumber": 1,
    }
    story.raw(json.dumps(link))
    story.compaction(f"1. Pending tasks:\n   - rotate `{secret}` because it leaked into `conf/a.py`")
    story.user(f"go on, but leave {secret} alone")
    story.reply(
        f"Next steps: rotate `{secret}`, since `conf/a.py` still holds {secret}. I decided to keep {secret} instead."
    )
    story.think(f"`loader` in conf/a.py takes {secret} because the proxy knows no other.")
    story.call("Grep", {"pattern": secret, "path": f"{CWD}/{secret}"}).result("conf/a.py")
    story.run(f"ls keys/{secret}", f"ls: keys/{secret}: No such file", code=2)
    story.call("Bash", {"command": f"deploy --token {secret}"})
    return story


@pytest.mark.parametrize("kind", secrets())
def test_a_secret_comes_out_nowhere(kind: str, tmp_path: Path) -> None:
    """One place forgotten, and live keys stand in the next session's first message (LESSONS 18)."""
    secret = secrets()[kind]
    told = everything(telling(secret), tmp_path)
    assert secret not in told
    assert secret[-16:] not in told
    assert "[redacted:" in told
    assert "deploy --token" in told


def test_fields_that_are_no_prose_are_redacted_too(tmp_path: Path) -> None:
    """A model's tool call is the model's own JSON: any field of it may hold anything."""
    secret = secrets()["github"]
    story = Recorder(CWD, model=f"made-{secret}")
    story.user("Fix the loader").call(f"mcp {secret}", {}).result("odd", error=True)
    story.call("TodoWrite", {"todos": [{"content": "a thing to do", "status": secret}]}).result("ok")
    story.refuse(f"tool {secret}", {}, "not now")
    story.call(f"last {secret}", {})
    assert secret not in everything(story, tmp_path)


def test_why_an_edit_failed_is_read_and_redacted(tmp_path: Path) -> None:
    """The next session walks into the same wall; what the tool says can quote the file."""
    secret = secrets()["github"]
    story = Recorder(CWD).user("Write it").call("Write", {"file_path": f"{CWD}/a.py", "content": "x = 1"})
    told = everything(story.result(f"the disk is full, at token = {secret}", error=True), tmp_path)
    assert "the disk is full" in told
    assert secret not in told


def test_what_tells_the_branch_is_read_though_it_only_looks(tmp_path: Path) -> None:
    """Some clients do not name the branch; nothing else that a look prints is kept."""
    story = Recorder(CWD, branch="").user("Go on").run("git status --short --branch", "## fix/sum\n M sum.py")
    assert (
        captured(story.run("git log", "a long story").reply("It is done."), tmp_path).state.origin.branch == "fix/sum"
    )


def test_control_characters_come_out_nowhere(tmp_path: Path) -> None:
    """What `clew show` prints goes to a terminal, which obeys escapes."""
    bad = "\x1b[31m\x07\u202e"
    story = Recorder(CWD, branch=f"b{bad}").user(f"Fix{bad} the loader")
    story.call("TodoWrite", {"todos": [{"content": f"a thing{bad} to do", "status": f"s{bad}"}]}).result("ok")
    story.refuse(f"tool{bad}", {}, f"not{bad} now")
    story.call(f"last{bad}", {"command": bad})
    path = story.write_to(tmp_path / "session.jsonl")
    found = resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=path)
    fields = [text for one in found.state.items for text in (one.text, one.why, one.status, *one.files)]
    for text in [found.document.text, *fields]:
        assert not set(bad) & set(text) - set("[31m"), text


@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\x1b[0m", "\x00", "\U000e0041", "\u3164"],
    ids=lambda text: "U+" + "-".join(f"{ord(c):04X}" for c in text),
)
def test_an_invisible_character_does_not_hide_a_secret(hidden: str, tmp_path: Path) -> None:
    """Nobody sees it, the rules do not match, and whoever copies the line out has the key."""
    secret = secrets()["github"]
    broken = secret[:14] + hidden + secret[14:]
    told = everything(Recorder(CWD).user(f"Use {broken} for it").reply(f"Used `{broken}` as you said."), tmp_path)
    assert secret[14:] not in told
    assert secret[4:14] not in told


@pytest.mark.parametrize("mark", ["**", "__"])
def test_markup_inside_a_secret_does_not_hide_it(mark: str, tmp_path: Path) -> None:
    """Emphasis is taken out of what is quoted, which must not put a secret together again."""
    secret = secrets()["github"]
    broken = secret[:4] + mark + secret[4:] + mark
    told = everything(
        Recorder(CWD).user("Which one?").reply(f"The loader must use {broken} because of the proxy."), tmp_path
    )
    assert secret not in told


@pytest.mark.parametrize("before", range(0, 470, 47))
def test_shortening_does_not_leave_the_head_of_a_secret(before: int, tmp_path: Path) -> None:
    """Texts are cut to 90, 120, 160, 300 … characters: half a key would no longer look like one."""
    secret = secrets()["github"]
    lead = ("word " * 100)[:before] + " "
    story = Recorder(CWD).user(f"{lead}{secret} is the token, {lead}").user(f"never {lead}{secret} again")
    story.refuse("Bash", {"command": f"echo {lead}{secret}"}, f"{lead}{secret} no")
    story.call("mcp__other", {"query": f"{lead}{secret}"}).result(f"{lead}{secret}", error=True)
    story.todos([(f"{lead}{secret}", "pending")]).reply(f"Decided on {lead}{secret} instead.")
    assert secret[4:14] not in everything(story, tmp_path)


@pytest.mark.parametrize("before", [*range(7900, 8010, 20), *range(31900, 32010, 20)])
def test_cutting_a_long_output_does_not_part_a_secret_from_its_name(before: int, tmp_path: Path) -> None:
    """Of a long output head and tail are kept: a value whose name fell into the gap is known by nothing any more."""
    secret = named_secret()
    line = f"It works because aws_secret_access_key = {secret} is set."
    fill = "The answer is a long one. " * 3000
    head = fill[:before] + "\n" + line + "\n" + fill
    tail = fill + "\n" + line + "\n" + fill[:before]
    for answer in (head, tail):
        story = Recorder(CWD).user("Why does the upload work?").delegate("look", "why?", answer).reply("See above.")
        told = everything(story, tmp_path)
        assert secret[:12] not in told
        assert secret[-12:] not in told


@pytest.mark.parametrize("before", [*range(6300, 8100, 300), *range(30300, 32100, 300)])
def test_cutting_a_long_output_does_not_leave_half_a_private_key(before: int, tmp_path: Path) -> None:
    """Its lines are secret whether or not the first or the last one of them is there."""
    key = private_key()
    fill = "The answer is a long one.\n" * 3000
    for answer in (fill[:before] + "\n" + key + "\n" + fill, fill + "\n" + key + "\n" + fill[:before]):
        kept = captured(Recorder(CWD).user("Why?").delegate("look", "why?", answer).reply("See above."), tmp_path)
        told = "\n".join(one.text + one.why + one.place.quote for one in kept.state.items)
        assert not [row for row in key.split("\n")[1:-1] if row[:40] in told]


def test_of_an_endless_prompt_its_beginning_and_its_end_are_read(tmp_path: Path) -> None:
    """People paste logs and pictures of many megabytes; what they want stands before or behind."""
    story = Recorder(CWD).user(
        "Fix the loader, see this log:\n" + "INFO all is well\n" * 400_000 + "\nNever touch the saver."
    )
    found = captured(story.reply("Mended."), tmp_path)
    told = "\n".join(one.text for one in found.state.items)
    assert "Fix the loader" in told
    assert all(len(one.place.quote) < 200_000 for one in found.state.items)


def test_a_time_that_is_none_is_left_out(tmp_path: Path) -> None:
    """It stands in JSON and in `clew show`, and a stranger may have written anything there."""
    story = Recorder(CWD).user("Fix the loader", timestamp="\x1b[31m\n## Next").reply("Mended the loader for good.")
    found = captured(story, tmp_path)
    assert "" == next(one.time for one in found.state.items if one.kind == "goal")
    assert found.state.origin.last_time.startswith("2026-03-02T") or found.state.origin.last_time == ""


def test_lines_that_cannot_be_read_are_counted_and_named(tmp_path: Path) -> None:
    """A session that lost lines must not look complete."""
    story = (
        Recorder(CWD).user("Fix the loader").raw("{broken").raw("\x00\x00").raw("[1,2]").reply("Mended it for good.")
    )
    found = captured(story, tmp_path)
    assert found.facts.unreadable == 3
    note = resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=tmp_path / "session.jsonl").notes[0]
    assert "3 lines" in note
    assert f"line 2, byte {len(story.lines[0]) + 1}" in note
    assert {"goal", "next"} & {one.kind for one in found.state.items}


def test_a_look_at_some_lines_does_not_take_away_what_an_edit_proved(tmp_path: Path) -> None:
    """Agents read a few lines of what they have just edited; the edit still tells the content, those lines do not."""
    story = Recorder(CWD).user("Make it two").edit("a.py", "1", "2", original="a = 1\n")
    edited = captured(story, tmp_path).facts.evidence
    story.call("Read", {"file_path": f"{CWD}/a.py", "offset": 10, "limit": 5}).result("11 lines")
    story.call("Read", {"file_path": f"{CWD}/a.py", "offset": 10}).result("11 lines")
    assert edited == captured(story, tmp_path).facts.evidence
    assert edited != captured(story.read("a.py", "a = 2\n"), tmp_path).facts.evidence


def test_a_record_that_breaks_off_within_a_line_did_not_end(tmp_path: Path) -> None:
    """The last whole line may be an answer in the middle of a turn: it would pass for the end, and for done."""
    story = Recorder(CWD).user("Fix the loader").reply("I look at it first.").user("x")
    whole = captured(Recorder(CWD).user("Fix the loader").reply("I look at it first."), tmp_path)
    found = captured(story.torn(), tmp_path)
    assert (whole.facts.is_torn, whole.state.origin.ended) == (False, True)
    assert (found.facts.is_torn, found.state.origin.ended) == (True, False)
    path = story.write_to(tmp_path / "session.jsonl")
    notes = resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=path).notes
    assert any("breaks off within a line" in note for note in notes)


def test_a_record_that_grows_while_it_is_read_is_not_torn(tmp_path: Path) -> None:
    """A session that runs elsewhere writes whole lines meanwhile: that it breaks off would be false."""
    path = Recorder(CWD).user("Fix the loader").reply("Mended.").write_to(tmp_path / "session.jsonl")
    path.write_bytes(path.read_bytes().rstrip(b"\n"))

    class Slow(ClaudeCodeReader):
        def final(self, line: bytes, *, offset: int) -> Batch:
            with path.open("ab") as file:
                file.write(b'\n{"type":"mode"}\n')
            return super().final(line, offset=offset)

    assert not read(path, Slow()).facts.is_torn


def test_usage_and_size_are_those_of_the_whole_file(tmp_path: Path) -> None:
    """Counted once per message, to the last byte."""
    story = Recorder(CWD).user("Fix the loader").reply("Mended.").reply("Really.")
    found = captured(story, tmp_path)
    assert len(story.text.encode()) == found.facts.size
    assert [totals.output for totals in found.facts.usage.models.values()] == [160]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project in `real/tide`, to which `link` leads, and another one beside it."""
    (tmp_path / "real" / "tide" / "src").mkdir(parents=True)
    (tmp_path / "real" / "tide-2").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    return tmp_path


def action_by_root(root: Path, action: Action) -> Action:
    [record] = by_root([Call(0, "", "", "c", "Tool", action)], str(root))
    assert isinstance(record, Call)
    return record.action


def test_a_file_is_the_projects_by_whichever_name(home: Path) -> None:
    """Or what a session edited would be no work of its, because its client was started through a link."""
    real, link = home / "real" / "tide", home / "link" / "tide"
    for root in (real, link):
        other = link if root == real else real
        assert action_by_root(root, Edit(f"{other}/src/a.py", "1", "2")) == Edit(f"{root}/src/a.py", "1", "2")
        assert action_by_root(root, Edit(f"{other}/new/b.py", "", "2")) == Edit(f"{root}/new/b.py", "", "2")
        assert action_by_root(root, Read(f"{other}/a.md", 1, 0)) == Read(f"{root}/a.md", 1, 0)
        assert action_by_root(root, Run("make", str(other))) == Run("make", str(root))


def test_what_is_not_the_projects_stays(home: Path) -> None:
    """A neighbour whose name begins alike, a relative path, a folder that is gone, what is not a path."""
    root = home / "real" / "tide"
    link = home / "link"
    for path in (f"{link}/tide-2/a.py", "src/a.py", "/gone/tide/a.py", "a\0b/c", "", "/", f"{root}/src/a.py"):
        assert action_by_root(root, Edit(path, "", "")) == Edit(path, "", "")
    assert action_by_root(Path("tide"), Edit(f"{link}/tide/a.py", "", "")) == Edit(f"{link}/tide/a.py", "", "")
    assert action_by_root(root, Other("x")) == Other("x")
