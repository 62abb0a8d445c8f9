"""Patches: which files they write."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.records.patch import added, files
from tests.growth import in_proportion

PATCH = """*** Begin Patch
*** Add File: src/new.py
+one
+*** Add File: no/such.py
*** Update File: src/a.py
*** Move to: src/b.py
@@ def f():
-    old
+    new
 *** Update File: tolerated.py
*** Delete File: /abs/gone.py
*** End Patch
"""


def test_every_file_counts() -> None:
    """One that is not seen is one that a gate lets through."""
    assert files(PATCH, "/repo") == [
        ("/repo/src/new.py", True),
        ("/repo/src/a.py", False),
        ("/repo/src/b.py", True),
        ("/repo/tolerated.py", True),
        ("/abs/gone.py", False),
    ]
    assert ("src/new.py", True) == files(PATCH, "")[0], "nobody knows where that is"


def test_what_it_adds_is_told_apart_from_what_it_takes_away() -> None:
    """A dead end that is removed is not one that is tried again."""
    assert added(PATCH).split("\n") == ["one", "*** Add File: no/such.py", "    new"]


def test_a_patch_from_windows_is_no_other() -> None:
    """Its lines end otherwise, and the words in them are the same."""
    assert files(PATCH, "/repo") == files(PATCH.replace("\n", "\r\n"), "/repo")
    assert added(PATCH) == added(PATCH.replace("\n", "\r\n"))


def test_the_cost_grows_with_the_patch_and_no_faster() -> None:
    """It is read before a tool may run: one long line of stars would hold the agent up for minutes."""
    in_proportion(lambda times: "x " + "*** " * times, lambda text: files(text, "/repo"), 64 << 10)
    assert [] == files("x " + "*** " * (256 << 10), "/repo")


@given(st.text())
def test_any_text_is_a_patch_of_some_files(text: str) -> None:
    """A model writes it."""
    assert all(path for path, _ in files(text, "/repo"))
    assert isinstance(added(text), str)
