"""What a session has seen of files, and what was changed behind its back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.records.seen import changed, file_line, known, shell_line
from tests.growth import in_proportion

SECOND = 1_000_000_000
NOW = 1_700_000_000 * SECOND


def at(disk: dict[str, tuple[int, int, int]], lines: bytes, only: str = "") -> dict[str, tuple[int, int]]:
    return changed(lines, disk.get, only=only)


PATHS = st.text(min_size=1).map(lambda name: "/" + name)


@given(st.lists(st.tuples(PATHS, st.integers(0, 2**63), st.integers(0, 2**40), st.booleans())), st.binary(max_size=30))
def test_what_is_written_is_read_again(files: list[tuple[str, int, int, bool]], cut_off: bytes):
    """Of paths that a line can hold; and a record that a full disk cut off costs no other one."""
    lines, expected = b"", {}
    for number, (path, mtime, size, wrote) in enumerate(files):
        line = file_line(mtime, size, path, wrote=wrote)
        assert bool(line) != any(sign in path for sign in "\n\r\t")
        lines += line
        if line:
            expected[path] = mtime, size, wrote, 0
        if number == 0:
            lines += b"\n1 2 /cut" + cut_off.translate(None, b"\n\t")
    assert expected == known(lines)[0]


def test_a_file_that_changed_since_is_named_with_what_it_is_now():
    """Stamps first: only what has another one is anybody's business."""
    lines = file_line(NOW, 10, "/a", wrote=False) + file_line(NOW, 10, "/b", wrote=False)
    disk = {"/a": (NOW, 10, NOW), "/b": (NOW + SECOND, 12, NOW + SECOND)}
    assert {"/b": (NOW + SECOND, 12)} == at(disk, lines)
    assert {} == at(disk, lines, only="/a")
    assert {"/b": (NOW + SECOND, 12)} == at(disk, lines, only="/b")
    assert {} == at(disk, lines, only="/never seen")
    assert {} == at(disk, lines + file_line(NOW + SECOND, 12, "/b", wrote=False)), "it was read again"


def test_what_the_session_did_itself_is_no_change_from_outside():
    """A formatter that it ran, and one that the project runs after its edits."""
    run = shell_line(NOW + 5 * SECOND, NOW + 9 * SECOND)
    lines = file_line(NOW, 10, "/a", wrote=True) + run
    assert {} == at({"/a": (NOW - 99, 11, NOW + 6 * SECOND)}, lines), "moved in, with an old stamp"
    assert {} == at({"/a": (NOW + SECOND, 11, NOW + SECOND)}, lines)
    assert {"/a": (NOW + 3 * SECOND, 11)} == at({"/a": (NOW + 3 * SECOND, 11, NOW + 3 * SECOND)}, lines)
    read = file_line(NOW, 10, "/a", wrote=False)
    assert {"/a": (NOW + SECOND, 11)} == at({"/a": (NOW + SECOND, 11, NOW + SECOND)}, read)


def test_a_file_that_is_gone():
    """A removal leaves no time: after a command of the session nobody knows who did it."""
    line, run = file_line(NOW, 10, "/a", wrote=False), shell_line(NOW, NOW + SECOND)
    assert {"/a": (0, 0)} == at({}, line)
    assert {"/a": (0, 0)} == at({}, run + line)
    assert {} == at({}, line + run)


def test_a_path_is_not_taken_for_another_that_ends_like_it():
    """`/b` ends like `/a /b`, as file names may hold blanks."""
    lines = file_line(NOW, 10, "/a /b", wrote=False)
    assert {} == at({}, lines, only="/b")
    assert {"/a /b": (0, 0)} == at({}, lines, only="/a /b")


def test_only_so_many_files_are_looked_at():
    """A session that read ten thousand files must not make every prompt wait for as many looks."""
    lines = b"".join(file_line(NOW, 10, f"/{number}", wrote=False) for number in range(50))
    assert [f"/{number}" for number in range(40, 50)] == [*changed(lines, lambda _: None, most=10)]


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(-3, 30)), max_size=6), st.integers(-9, 130), st.integers(0, 3)
)
def test_a_moment_is_looked_up_in_many_commands(commands: list[tuple[int, int]], moment: int, apart: int):
    """It is looked up by halving, and must be found as if each command were asked."""
    tick = 20_000_000
    spans = [(NOW + start * tick // 2, NOW + (start + took) * tick // 2) for start, took in commands]
    when = NOW + moment * tick // 2 + apart
    lines = file_line(1, 1, "/a", wrote=False) + b"".join(shell_line(*span) for span in spans)
    own = any(start - tick <= when <= end + tick for start, end in spans)
    assert own == (at({"/a": (2, 2, when)}, lines) == {})


def test_many_changes_after_many_commands_cost_little():
    """Somebody switches branches in a second window, late in a long session."""

    def lines(count: int) -> bytes:
        files = b"".join(file_line(1, 1, f"/{number}", wrote=False) for number in range(count))
        return files + b"".join(shell_line(NOW + n * SECOND, NOW + n * SECOND + 1) for n in range(3 * count))

    in_proportion(lines, lambda text: changed(text, lambda _: (2, 2, NOW + 9000 * SECOND)), 500)
    assert 2000 == len(changed(lines(2000), lambda _: (2, 2, NOW + 9000 * SECOND)))
