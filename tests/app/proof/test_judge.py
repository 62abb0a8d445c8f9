"""A draft judged against a session's file and a real repository: read once, redacted as everything, nothing run."""

from __future__ import annotations

import time
from pathlib import Path

from clew.app.proof.gather import judge
from clew.app.proof.prove import IN_DOUBT
from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.state.draft import JudgedClaim
from tests.app.worlds import ports, project, secrets
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo


def recorded(folder: Path) -> tuple[Repo, Recorder]:
    """A repository, and a session in it that edited a file and ran the tests."""
    repo = project(folder / "tide", src__a_py="a = 1\n")
    story = Recorder(repo.top).user("Make `a` two, and add no dependency.")
    story.read("src/a.py", "a = 1\n").edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    story.run("pytest", "8 passed in 0.1s")
    return repo, story


def judged(text: str, story: Recorder, repo: Repo, folder: Path) -> tuple[JudgedClaim, ...]:
    path = story.write_to(folder / "session.jsonl")
    return judge(ports(folder), text=text, transcript=path, reader=ClaudeCodeReader(), root=repo.top)


def test_record_and_disk_together(tmp_path: Path) -> None:
    """The tool's answer to the agent is made of this."""
    repo, story = recorded(tmp_path)
    repo.write("src/a.py", "a = 2\n")
    state = "## State\n- src/a.py is uncommitted\n- pushed\n"
    text = f"## Constraints\n- “add no dependency”\n{state}## Checks\n- `pytest`: 9 passed"
    verdicts = [one.verdict for one in judged(text, story, repo, tmp_path)]
    assert verdicts == ["proved", "proved", "unsupported", "contradicted"]


def test_without_a_transcript_git_alone_answers(tmp_path: Path) -> None:
    """A hand-off of a session that left no file is still checked as far as it goes."""
    repo, _ = recorded(tmp_path)
    text = "## State\n- src/a.py is uncommitted\n- nothing uncommitted\n## Checks\n- `pytest` passes"
    found = judge(ports(tmp_path), text=text, transcript=None, reader=None, root=repo.top)
    assert [one.verdict for one in found] == ["anchored", "proved", "anchored"]


def test_outside_of_a_repository(tmp_path: Path) -> None:
    """Not every project is one."""
    _, story = recorded(tmp_path)
    folder = tmp_path / "plain"
    folder.mkdir()
    path = story.write_to(tmp_path / "session.jsonl")
    found = judge(ports(tmp_path), text="- Edited src/a.py", transcript=path, reader=ClaudeCodeReader(), root=folder)
    assert [one.stands for one in found] == [True]


def test_a_secret_is_the_same_in_both(tmp_path: Path) -> None:
    """A draft that quotes a secret is redacted, and its placeholder is that of the record."""
    repo, story = recorded(tmp_path)
    secret = next(iter(secrets().values()))
    story.run(f"deploy {secret}", f"refused: {secret}", code=1)
    (one,) = judged(f"## Failed\n- `deploy {secret}` was refused", story, repo, tmp_path)
    assert one.stands
    assert secret not in repr(one)


def test_what_the_session_was_given_counts(tmp_path: Path) -> None:
    """The third session tells of the first one's commit: it read of it in its payload."""
    repo, story = recorded(tmp_path)
    path = story.write_to(tmp_path / "session.jsonl")
    text = "## Failed\n- the cache of commit 4f2a1c9 was too slow"
    doors, reader = ports(tmp_path), ClaudeCodeReader()
    (alone,) = judge(doors, text=text, transcript=path, reader=reader, root=repo.top)
    payload = ["- cache: too slow (4f2a1c9)"]
    (told,) = judge(doors, text=text, transcript=path, reader=reader, root=repo.top, also=payload)
    assert (alone.verdict, told.verdict) == ("unsupported", "anchored")


def test_what_the_user_said_in_an_earlier_session_is_his(tmp_path: Path) -> None:
    """The payload quotes the user's rule of yesterday, the draft quotes the payload: no prompt of today holds it."""
    repo, story = recorded(tmp_path)
    path = story.write_to(tmp_path / "session.jsonl")
    text = (
        "## Constraints\n- “never log a customer's number”\n- the user wants no customer's number logged\n"
        "- “always log to the console”\n"
    )
    doors, reader = ports(tmp_path), ClaudeCodeReader()
    before = judge(doors, text=text, transcript=path, reader=reader, root=repo.top)
    payload = ["Please never log a customer's number, they are secret.\n"]
    after = judge(doors, text=text, transcript=path, reader=reader, root=repo.top, also=payload)
    assert [one.stands for one in (before[0], before[2])] == [False, False]
    assert [one.verdict for one in after] == ["anchored", "anchored", "unsupported"]
    assert after[0].claim.text == "“never log a customer's number”"


def test_git_tells_what_the_record_does_not(tmp_path: Path) -> None:
    """A commit from another window: git knows its files, and the tree the names of others."""
    repo, story = recorded(tmp_path)
    repo.write("src/redis.py", "pass\n")
    repo.commit("Keep sessions")
    head = repo.git("rev-parse", "--short", "HEAD").strip()
    text = (
        f"## State\n- src/redis.py: committed in {head}\n- src/a.py: committed in {head}\n- the cache is in Redis now"
    )
    found = judged(text, story, repo, tmp_path)
    assert [one.verdict for one in found] == ["proved", "contradicted", "anchored"]
    assert not found[2].reason.startswith(IN_DOUBT)


def test_what_a_tool_printed_in_the_middle_of_much_is_found(tmp_path: Path) -> None:
    """Only head and tail of a long output are kept for distilling; the error may stand between them."""
    repo, story = recorded(tmp_path)
    noise = "x = 1 # some line of a log\n" * 40_000
    story.run("make all", f"{noise}E: the frobnicator ran dry\n{noise}", code=2)
    start = time.process_time()
    (one,) = judged("## Failed\n- `make all` → “the frobnicator ran dry”", story, repo, tmp_path)
    assert one.verdict == "anchored"
    assert time.process_time() - start < 5


def test_nothing_of_the_repository_is_run(tmp_path: Path) -> None:
    """A draft is judged in whichever folder somebody opens."""
    repo, story = recorded(tmp_path)
    repo.git("config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    judged("## State\n- nothing uncommitted", story, repo, tmp_path)
    assert not (tmp_path / "ran").exists()
