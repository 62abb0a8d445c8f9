"""Files that a shell line prints: some clients read in no other way."""

from __future__ import annotations

import pytest

from clew.core.gate.shell.purposes import split
from clew.distill.shell_lines import files_read
from tests.builders import ROOT, distilled, edit, items, prompt, reply, run


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("cat docs/tides.md", ["docs/tides.md"]),
        ("sed -n '1,200p' src/gate.py", ["src/gate.py"]),
        ("sed -n -e 5p -e 9p src/gate.py", ["src/gate.py"]),
        ("cat -n src/gate.py", ["src/gate.py"]),
        ("sed -ne 5p src/gate.py", ["src/gate.py"]),
        ("cat a.md && cat b.md", ["a.md", "b.md"]),
        ("cat a.md; cat b.md", ["b.md"]),
        ("cat gate.py | head -5", []),
        ("cat a.md || cat b.md", []),
        ("cat gate.py 2>/dev/null || true", []),
        ("(cd web && cat package.json) && cat pyproject.toml", []),
        ("cd && cat notes.md", []),
        ("cat https://example.com/z.md", []),
        ("cat src/", []),
        ("head -n 20 a.txt b.txt", ["a.txt", "b.txt"]),
        ("cd src && tail -5 gate.py", ["src/gate.py"]),
        ("cat '/etc/hosts'", ["/etc/hosts"]),
        ('cat "with space.md"', ["with space.md"]),
        ("sed -i 's/a/b/' gate.py", []),
        ("sed 's/a/b/' gate.py", []),
        ("cat *.py; cat $FILE; cat <<EOF > new.py", []),
        ("grep -n tide gate.py", []),
        ("cat README", []),
        ("cat", []),
    ],
)
def test_what_a_line_prints(line: str, read: list[str]) -> None:
    """A file that was not read would be compared with the disk, and one that was not told would be read again."""
    assert files_read(line, split(line), "", "") == read


def test_files_read_in_the_shell_are_in_play() -> None:
    """A session that only looked would leave nothing of what it looked at."""
    state = distilled(prompt("How is the gate closed?"), run("sed -n '1,80p' src/gate.py"), reply("By a spring."))
    assert [(item.text, item.status) for item in items(state, "file")] == [("src/gate.py", "read")]


def test_a_failed_look_reads_nothing() -> None:
    """The file may not even be there."""
    state = distilled(prompt("How?"), run("cat src/gate.py", "No such file", exit_code=1), reply("It is not there."))
    assert items(state, "file") == []


def test_a_file_of_another_project_is_not_in_play() -> None:
    """Its path would be compared with a file of this one."""
    state = distilled(prompt("How?"), run(f"cat /opt/other/gate.py {ROOT}/gate.py"), reply("By a spring."))
    assert [item.text for item in items(state, "file")] == ["gate.py"]


def test_what_was_edited_is_not_told_as_read_too() -> None:
    """It stands there as edited."""
    state = distilled(prompt("Close it"), run("cat gate.py"), edit("gate.py"), reply("Closed."))
    assert [(item.text, item.status) for item in items(state, "file")] == [("gate.py", "edited")]
