"""Files as lines: each named once, its folder said once, what is uncommitted marked; and read back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.documents.entry import Entry
from clew.documents.files import file_entry_of, file_lines, files_in
from tests.documents.payloads import made
from tests.documents.states import ROOT, changed, drift, item, paths, texts, view


def file(path: str, status: str = "", note: str = "") -> Entry:
    return file_entry_of(item("file", path, note, status=status))


def test_files_of_one_folder_share_a_line_and_keep_their_order() -> None:
    """The front part of a path said once saves tokens; the first is the one edited last."""
    given = [file(f"src/tide/{name}.py", "committed") for name in "bac"]
    assert file_lines(given) == ["- src/tide/{b.py, a.py, c.py}"]


def test_a_file_at_the_top_and_one_alone_stand_as_they_are() -> None:
    """Braces around one name would be noise."""
    given = [file("README.md", "committed"), file("src/a.py", "committed", "adds tide")]
    assert file_lines(given) == ["- README.md", "- src/a.py (adds tide)"]


def test_what_is_in_no_commit_is_marked_and_the_mark_explained_once() -> None:
    """Uncommitted work is what a `git checkout` destroys."""
    rows = file_lines([file("a/x.py", "edited"), file("b/y.py", "edited"), file("b/z.py", "read")])
    assert rows[0].startswith("- a/x.py*")
    assert "y.py*, z.py [read]" in rows[1]
    assert "\n".join(rows).count("last edit in no commit") == 1


def test_a_document_with_the_mark_in_its_former_words_is_read() -> None:
    """Somebody may still have one, and would add a file that is called like that."""
    assert [file("a.py", "edited")] == files_in("- a.py* (* not in a commit seen here)")


def test_names_are_safe() -> None:
    """A file can be called anything."""
    (row,) = file_lines([file("a\n## b/\x1b[31mc\u202e.py", "committed", "adds\nx")])
    assert not set("\n\x1b\u202e") & set(row)


def test_a_name_that_would_read_as_a_list_stands_alone() -> None:
    """A comma or a brace in a name is none of ours."""
    assert file_lines([file("a, b.py"), file("c.py")]) == ["- c.py", "- `a, b.py`"]


def test_many_folders_that_begin_alike_are_told_under_their_beginning() -> None:
    """A deep tree would say its first folders once a line, and that is what half of the room went into."""
    paths = ["cmd/app/cli/a.go", "cmd/app/cli/run/b.go", "cmd/app/cli/run/c.go", "cmd/app/cli/log/d.go", "go.mod"]
    rows = file_lines(file(path, "committed") for path in paths)
    assert ["- go.mod", "- cmd/app/cli/: a.go, run/{b.go, c.go}, log/d.go"] == rows


@given(
    st.lists(
        st.builds(
            file, st.one_of(paths, texts), st.sampled_from(("", "edited", "reverted", "off limits")) | texts, texts
        )
    )
)
def test_files_are_read_back(given: list[Entry]) -> None:
    """Else a document that was edited would seem to have lost files, or gained some."""
    assert sorted(one for row in file_lines(given) for one in files_in(row)) == sorted(given)


# In a document


@pytest.mark.parametrize("path", ["## Next action/a.py", "- x/a.py", "1. x/a.py", "> x/a.py", "``` sh/a.py", "# x"])
def test_a_files_name_is_no_markup_either(path: str) -> None:
    """Who can add a file to a repository can name it."""
    one = item("file", path, status="edited", files=(path,))
    for row in made(view(one, drift=drift(changed(path)))).text.split("\n")[4:-2]:
        assert not re.match(r"- (?:#{1,6} |```|[->*+] |1\. )", row), row


def test_the_root_is_named_once_and_paths_are_relative_to_it() -> None:
    """An absolute path on every line costs tokens and is wrong on the next machine."""
    items = [item("file", f"src/part/{name}.py", status="edited", files=(f"src/part/{name}.py",)) for name in "abc"]
    text = made(view(*items, drift=drift(changed("src/part/a.py")))).text
    assert text.count(ROOT) == 1
    assert "- src/part/{a.py*, b.py*, c.py*}" in text
