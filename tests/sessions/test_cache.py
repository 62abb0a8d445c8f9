"""What was read of a session is kept: a line that is appended costs that line, and the result is the same as ever."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import structs

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.codex.reader import CodexReader
from clew.clients.port import Transcript
from clew.core.records.transcript import Batch
from clew.secrets import Redactor
from clew.sessions import cache as records_cache
from clew.sessions.cache import PASSED_OVER as FILE_NAME
from clew.sessions.cache import PassedOver, RecordsCache, forget_all
from clew.sessions.capture import Captured, Gathered, captured, gather
from tests.recordings.sessions import Recorder

RECORDED = Path(__file__).parents[2] / "recordings" / "claude-code"
CWD = "/home/mira/tide"
REDACT = Redactor(key=b"k" * 32).redact
NOW_S = 1_795_305_600


class Counting(ClaudeCodeReader):
    """Counts the bytes that it is given."""

    def __init__(self) -> None:
        self.bytes = 0

    def read(self, chunk: bytes, *, offset: int) -> Batch:
        self.bytes += len(chunk)
        return super().read(chunk, offset=offset)


def cache(folder: Path, stamp: str = "1", now_s: int = NOW_S) -> RecordsCache:
    return RecordsCache(folder / "cache", stamp=stamp, now_s=now_s)


def full(path: Path, memory: RecordsCache | None = None) -> tuple[Gathered, Captured]:
    found = gather(path, ClaudeCodeReader(), redact=REDACT, memory=memory)
    return found, captured(found, client="claude-code", root_of=str)


def plain(found: tuple[Gathered, Captured]) -> tuple[object, ...]:
    """All that a reading gave, as values that can be compared."""
    gathered, told = found
    facts = structs.asdict(told.facts)
    usage = facts.pop("usage")
    return told.state, told.trees, facts, usage.models, usage.context, gathered.kept


def busy() -> Recorder:
    """A session with one of everything that the lines after it may depend on."""
    story = (
        Recorder(CWD).user("Fix the loader, please").read("a.py", "a = 1\n").edit("a.py", "1", "2", original="a = 1\n")
    )
    story.run("make test", "1 failed: assert 1 == 2", code=1).run("ls -la", "a.py").raw("{broken")
    story.user("sub", isSidechain=True, agentId="a1")
    story.think("`loader` reads the cache twice because the proxy is asked first.")
    story.delegate("look", "why?", "The loader uses `cache` because of the proxy.")
    story.call("mcp__other", {"query": "x"}).result("no such tool", error=True)
    story.todos([("Write a test", "pending"), ("Fix it", "in_progress")])
    story.ask("Which one?", ["a", "b"], "b, since it is shorter").refuse("Edit", {"file_path": f"{CWD}/b.py"}, "not b")
    story.plan("# Cache it\n\n- write `cache.py`\n").compaction("1. Pending: the cache\n")
    story.run("git commit -am 'Fix it'", "[main 1a2b3c4] Fix it\n 1 file changed")
    return story.reply("Mended `loader()` in a.py because the proxy needs it. Next: clear the cache.").user("Thanks")


def recordings() -> dict[str, bytes]:
    found = {path.stem: path.read_bytes() for path in sorted(RECORDED.glob("*.jsonl"))}
    return {**found, "busy": busy().text.encode()}


@pytest.mark.parametrize("name", recordings())
def test_reading_in_pieces_is_reading_at_once(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Wherever the file ended when it was read before, in a line or between a call and its result."""
    data = recordings()[name]
    whole = tmp_path_factory.mktemp("whole") / "s.jsonl"
    whole.write_bytes(data)
    expected = plain(full(whole))

    @given(cuts=some.lists(some.integers(0, len(data)), min_size=1, max_size=6))
    def check(cuts: list[int]) -> None:
        folder = tmp_path_factory.mktemp("cut")
        path = folder / "s.jsonl"
        for cut in sorted(cuts):
            path.write_bytes(data[:cut])
            gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(folder))
        path.write_bytes(data)
        assert cache(folder).facts(path, "claude-code") is None or max(cuts) == len(data), "it has grown"
        assert expected == plain(full(path, cache(folder)))
        assert gather(whole, ClaudeCodeReader(), redact=REDACT).facts() == cache(folder).facts(path, "claude-code")

    check()


def rchar() -> int:
    """Bytes that this process has read so far."""
    return int(Path("/proc/self/io").read_text().split()[1])


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="needs Linux's count of bytes read")
@pytest.mark.parametrize("path", sorted((RECORDED.parent / "codex").glob("*.jsonl")), ids=lambda path: path.name)
def test_what_another_client_wrote_is_kept_as_well(path: Path, tmp_path: Path) -> None:
    """Its records are of other kinds."""
    memory = cache(tmp_path)
    first, again, plainly = (gather(path, CodexReader(), redact=REDACT, memory=one) for one in (memory, memory, None))
    assert list(memory.recall(path, "codex")), "it was kept"
    assert first.kept == again.kept == plainly.kept and first.usage.totals() == again.usage.totals()


def test_of_a_grown_session_only_the_new_bytes_are_read(tmp_path: Path) -> None:
    """Sessions grow to tens of megabytes, and every command asks what is new."""
    story = Recorder(CWD).user("Fix the loader")
    for number in range(200):
        story.read(f"src/part{number}.py", "x = 1\n" * 2000)
    path = story.write_to(tmp_path / "s.jsonl")
    gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path))
    size = path.stat().st_size
    kept = sum(file.stat().st_size for file in (tmp_path / "cache").iterdir())
    assert size > 4 << 20 and kept < size / 20

    story.reply("Mended it for good.").write_to(path)
    new = path.stat().st_size - size
    counting = Counting()
    before = rchar()
    gather(path, counting, redact=REDACT, memory=cache(tmp_path))
    assert new == counting.bytes
    assert rchar() - before < new + kept + 8192

    nothing = Counting()
    gather(path, nothing, redact=REDACT, memory=cache(tmp_path))
    assert 0 == nothing.bytes


def damaged(data: bytes, how: str) -> bytes:
    middle = len(data) // 2
    return {
        "cut short": data[:middle],
        "a bit is other": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "empty": b"",
        "torn at the end": data + data[:40],
        "something else": b"not a cache at all" * 100,
        "its head is gone": data[30:],
    }[how]


@pytest.mark.parametrize(
    "how", ["cut short", "a bit is other", "empty", "torn at the end", "something else", "its head is gone"]
)
def test_a_damaged_cache_costs_time_and_nothing_else(how: str, tmp_path: Path) -> None:
    """A full disk, a killed process, two at once: what was kept is a help, never the truth."""
    story = busy()
    path = story.write_to(tmp_path / "s.jsonl")
    gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path))
    kept = next((tmp_path / "cache").iterdir())
    kept.write_bytes(damaged(kept.read_bytes(), how))
    story.user("And one more").write_to(path)
    assert plain(full(path)) == plain(full(path, cache(tmp_path)))
    nothing = Counting()
    assert plain(full(path)) == plain(
        (found := gather(path, nothing, redact=REDACT, memory=cache(tmp_path)),
         captured(found, client="claude-code", root_of=str))
    )  # fmt: skip
    assert 0 == nothing.bytes


def changed_rules(folder: Path, path: Path) -> RecordsCache:
    return cache(folder, stamp="2")


def rewritten(folder: Path, path: Path) -> RecordsCache:
    Recorder(CWD, session="other").user("Something else").reply("x" * 20_000).write_to(path)
    return cache(folder)


def truncated(folder: Path, path: Path) -> RecordsCache:
    path.write_bytes(path.read_bytes()[:900])
    return cache(folder)


def end_changed(folder: Path, path: Path) -> RecordsCache:
    path.write_bytes(path.read_bytes()[:-50] + b" " * 48 + b"}\n" + busy().text.encode())
    return cache(folder)


@pytest.mark.parametrize("change", [changed_rules, rewritten, truncated, end_changed])
def test_what_was_kept_of_another_file_or_by_other_rules_is_not_used(
    change: Callable[[Path, Path], RecordsCache], tmp_path: Path
) -> None:
    """Old lines joined with new ones would make a session that never was."""
    path = busy().write_to(tmp_path / "s.jsonl")
    gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path))
    memory = change(tmp_path, path)
    counting = Counting()
    gather(path, counting, redact=REDACT, memory=memory)
    assert counting.bytes >= path.stat().st_size - 200
    assert plain(full(path)) == plain(full(path, memory))


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    """It holds what the agent wrote and was told."""
    gather(busy().write_to(tmp_path / "s.jsonl"), ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path))
    folder = tmp_path / "cache"
    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_it_does_not_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks into this folder: number, size and age are held by whoever writes."""
    monkeypatch.setattr(records_cache, "FILES_MAX", 3)
    for number in range(6):
        path = busy().write_to(tmp_path / f"s{number}.jsonl")
        gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path))
        for kept in (tmp_path / "cache").glob(f"s{number}.*"):
            os.utime(kept, (NOW_S - 100 + number, NOW_S - 100 + number))
    assert ["s3", "s4", "s5"] == sorted({path.stem for path in (tmp_path / "cache").iterdir()})
    path = busy().user("more").write_to(tmp_path / "s5.jsonl")
    gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path, now_s=NOW_S + 40 * 86400))
    assert ["s5"] == sorted({path.stem for path in (tmp_path / "cache").iterdir()})
    assert 2 == forget_all(tmp_path / "cache") and 0 == forget_all(tmp_path / "cache")


def test_where_nothing_can_be_written_it_is_read_as_ever(tmp_path: Path) -> None:
    """A read-only file system is no reason to fail."""
    path = busy().write_to(tmp_path / "s.jsonl")
    (tmp_path / "cache").write_text("a file stands where the folder should be")
    assert plain(full(path)) == plain(full(path, cache(tmp_path)))


def test_a_folder_whose_name_is_a_secret_is_not_kept(tmp_path: Path) -> None:
    """It has to be found on the disk, so it goes unredacted; to a file it does not go."""
    token = "gh" + "p_" + "Zx9" * 12
    path = Recorder(f"/home/mira/{token}").user("Fix it").reply("Mended it.").write_to(tmp_path / "s.jsonl")
    gather(path, ClaudeCodeReader(), redact=REDACT, memory=cache(tmp_path))
    assert not (tmp_path / "cache").exists()


NO_KEY = bytes(32)


def transcript(name: str, size: int = 10) -> Transcript:
    return Transcript("claude-code", name, Path("/home/ada") / name, size, 0)


def remembered(folder: Path, *items: Transcript, stamp: str = "1") -> PassedOver:
    """What another process knows, after these were passed over."""
    mine = PassedOver(folder, stamp=stamp, key=NO_KEY)
    for item in items:
        mine.add(item)
    mine.keep(items)
    return PassedOver(folder, stamp=stamp, key=NO_KEY)


def test_a_file_is_passed_over_until_it_grows(tmp_path: Path) -> None:
    """A session begins without a prompt: what it becomes must not be missed."""
    known = remembered(tmp_path, transcript("empty"))
    assert transcript("empty") in known
    assert transcript("empty", 11) not in known
    assert transcript("other") not in known


def test_what_it_depends_on_is_in_the_stamp(tmp_path: Path) -> None:
    """Better rules, or one more work tree: a file that held nothing may hold something now."""
    remembered(tmp_path, transcript("empty"))
    assert transcript("empty") not in PassedOver(tmp_path, stamp="2", key=NO_KEY)


def test_files_that_are_gone_are_forgotten_and_names_are_not_kept(tmp_path: Path) -> None:
    """It would grow for ever; and a name may hold a secret."""
    remembered(tmp_path, *(transcript(f"session-{number}") for number in range(100)))
    size = (tmp_path / FILE_NAME).stat().st_size
    remembered(tmp_path, transcript("session-200"))
    written = (tmp_path / FILE_NAME).read_bytes()
    assert len(written) < size / 10
    assert b"session" not in written and b"ada" not in written


@pytest.mark.parametrize("damage", [b"", b"{", b'["1", {"a": "b"}]', b"[1]", b"\xff"])
def test_a_damaged_file_is_looked_into_again(damage: bytes, tmp_path: Path) -> None:
    """It is a help, and never in the way."""
    remembered(tmp_path, transcript("empty"))
    (tmp_path / FILE_NAME).write_bytes(damage)
    assert transcript("empty") not in PassedOver(tmp_path, stamp="1", key=NO_KEY)
    assert transcript("empty") in remembered(tmp_path, transcript("empty"))


def test_where_nothing_can_be_written_nothing_fails(tmp_path: Path) -> None:
    """The folder is a file, say."""
    (tmp_path / "cache").write_bytes(b"")
    assert transcript("empty") not in remembered(tmp_path / "cache", transcript("empty"))
