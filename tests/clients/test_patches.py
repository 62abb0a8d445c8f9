"""Patches, as a tool's input and inside commands."""

from __future__ import annotations

import pytest

from clew.clients.patches import edits, edits_in_shell
from clew.core.records.patch import files
from clew.core.records.transcript import Edit

PATCH = """*** Begin Patch
*** Update File: a.py
@@ def f
 ctx
-old
+new
+  two

*** End of File
@@
-x
*** Add File: b/c.txt
+hello
++x
+
*** End Patch"""
DONE = (Edit("a.py", "ctx\nold\n\nx", "ctx\nnew\n  two\n"), Edit("b/c.txt", "", "hello\n+x\n"))


def test_each_file_is_an_edit_with_the_lines_around_it() -> None:
    """Without them a patch that only adds would look like a whole new file."""
    assert edits(PATCH) == DONE
    assert [one.path for one in edits(PATCH, "/w")] == ["/w/a.py", "/w/b/c.txt"]


def test_a_deleted_file_is_told_from_an_empty_one() -> None:
    """`*** Delete File` names it and nothing else; a file that was moved is gone under its old name."""
    patch = (
        "*** Begin Patch\n*** Delete File: a.py\n*** Update File: b.py\n*** Move to: c.py\n@@\n-x\n+y\n*** End Patch"
    )
    gone = [(one.path, one.deletes) for one in edits(patch)]
    assert gone == [("a.py", True), ("b.py", True), ("c.py", False)]


def test_the_gate_and_the_record_see_the_same_files() -> None:
    """Two ways to read one format: what one of them misses is let through, or is nobody's work."""
    for patch in (
        PATCH,
        PATCH.replace("*** Add", "  *** Add"),
        PATCH.replace("*** Add", "\t*** Move to: c.py\n*** Add"),
    ):
        assert [one.path for one in edits(patch)] == [path for path, _ in files(patch, "")]
    assert DONE == edits(PATCH.replace("*** Add", "  *** Add"))


def test_a_patch_from_windows_is_no_other() -> None:
    """Its lines end otherwise, and the texts in it are those of the files."""
    assert DONE == edits(PATCH.replace("\n", "\r\n"))


@pytest.mark.parametrize("torn", ["", "*** Begin Patch", "*** Update File: ", "no patch", PATCH[:-20], PATCH * 2])
def test_any_text_is_taken(torn: str) -> None:
    """A model writes what it likes."""
    assert all(isinstance(one, Edit) for one in edits(torn))


@pytest.mark.parametrize(
    "command",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\n",
        f"apply_patch <<EOF\n{PATCH}\nEOF",
        f'apply_patch <<-"X"\n{PATCH}\nX\n',
        f"apply_patch '{PATCH}'",
        f"\n  apply_patch <<'EOF'\n{PATCH}\nEOF",
    ],
)
def test_a_command_that_only_patches_is_an_edit(command: str) -> None:
    """No tool is told to have run, and the files would be nobody's."""
    assert edits_in_shell(command) == DONE


def test_the_folder_of_a_patch_counts() -> None:
    """Its paths are relative to it."""
    command = f"cd 'my docs' && apply_patch <<'EOF'\n{PATCH}\nEOF"
    assert [one.path for one in edits_in_shell(command, "/w")] == ["/w/my docs/a.py", "/w/my docs/b/c.txt"]
    [first, _] = edits_in_shell(f"cd /x && apply_patch <<E\n{PATCH}\nE", "/w")
    assert first.path == "/x/a.py"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        f"echo '{PATCH}'",
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\npytest -q",
        f"rm -rf x && apply_patch <<'EOF'\n{PATCH}\nEOF",
        f"cat > p <<'EOF'\napply_patch\n{PATCH}\nEOF",
    ],
)
def test_a_command_that_does_more_stays_a_command(command: str) -> None:
    """What it does beside the patch must not be lost."""
    assert edits_in_shell(command) == ()
