"""Which files a stack takes, and in which order."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from clew.sources.port import Fetched, SourceContext, SourceError
from clew.sources.registry import source, spec_of
from clew.workspace.git import Git
from tests.workspace.repos import Repo, clean_environment

_TREE = {
    "README.md": "# Top\n",
    "src/b.py": "b\n",
    "src/a.py": "a\n",
    "src/deep/README.md": "# Deep\n",
    "src/deep/c.log": "noise\n",
    "src/deep/keep.log": "kept\n",
    "build/out.py": "made\n",
    ".gitignore": "*.log\n/build/\n",
    "src/deep/.gitignore": "!keep.log\n",
    ".clew/stacks/x.toml": "title = 'x'\n",
}


def _fetched(at: SourceContext, **table: object) -> Fetched:
    whole = {"kind": "files", **table}
    return source("files").fetch(spec_of(whole, "source 1"), at, whole)


def _names(at: SourceContext, *paths: str, **table: object) -> list[str]:
    return [part.name for part in _fetched(at, paths=list(paths), **table).parts]


@pytest.fixture(params=("in git", "outside"))
def at(request: pytest.FixtureRequest, tmp_path: Path) -> SourceContext:
    """The same files, once asked of git and once by its rules."""
    for path, text in _TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    if request.param == "outside":
        return SourceContext(root=tmp_path)
    Repo(tmp_path)
    return SourceContext(root=tmp_path, git=Git.at(tmp_path, environment=clean_environment()))


def test_an_earlier_pattern_comes_first_then_the_path(at: SourceContext) -> None:
    """The order is the stack's to say, and never the disk's."""
    assert _names(at, "src/b.py", "src/*.py") == ["src/b.py", "src/a.py"]
    assert _names(at, "src/**/*.py") == ["src/a.py", "src/b.py"]


def test_a_name_is_that_file_and_a_folder_all_below(at: SourceContext) -> None:
    """A pattern without a slash is about names anywhere; a name is not."""
    assert _names(at, "README.md") == ["README.md"]
    assert _names(at, "*.md") == ["README.md", "src/deep/README.md"]
    assert _names(at, "src/deep") == _names(at, "src/deep/") == _names(at, "./src/deep/")


def test_what_git_ignores_is_left_out_also_outside_of_git(at: SourceContext) -> None:
    """A deeper file of rules wins over one above it."""
    every = _names(at, ".")
    assert "src/deep/keep.log" in every
    assert not {"src/deep/c.log", "build/out.py"} & set(every)


def test_our_own_folder_is_meant_only_where_it_is_named(at: SourceContext) -> None:
    """A stack of everything would hold itself."""
    assert not [name for name in _names(at, ".", "**/*.toml", "*.md") if name.startswith(".clew")]
    assert _names(at, ".clew/stacks/x.toml") == [".clew/stacks/x.toml"]


def test_what_is_excluded_is_left_out(at: SourceContext) -> None:
    """Also where an earlier pattern names it."""
    assert _names(at, "src/a.py", "src", exclude=["src/a.py", "*.md", "src/deep"]) == ["src/b.py"]


def test_what_is_no_text_is_passed_over_and_named(at: SourceContext) -> None:
    """Nothing is left out in silence; a link that leads out is not followed."""
    (at.root / "src/icon.bin").write_bytes(b"\0\1\2")
    (at.root / "src/out.py").symlink_to("/etc/hostname")
    found = _fetched(at, paths=["src"])
    assert {"src/icon.bin", "src/out.py"}.isdisjoint(part.name for part in found.parts)
    assert any("src/icon.bin" in note for note in found.notes)
    assert any("src/out.py" in note for note in found.notes)


def test_bytes_of_any_encoding_become_text(at: SourceContext) -> None:
    """It says what it was read as; what cannot be determined has replaced signs, and is named."""
    (at.root / "src/w.txt").write_bytes("Größe\n".encode("utf-16"))
    (at.root / "src/l.txt").write_bytes("Größe\n".encode("latin-1"))
    (at.root / "src/j.txt").write_bytes("灯台の光です\n".encode("cp932"))
    (at.root / "src/n.txt").write_bytes(b"ok \x81\x8d\n")
    found = _fetched(at, paths=["src/*.txt"])
    texts = {part.name: part.text for part in found.parts}
    assert texts["src/w.txt"] == texts["src/l.txt"] == "Größe\n"
    assert texts["src/j.txt"] == "灯台の光です\n"
    told = " ".join(found.notes)
    assert "Read as Shift-JIS: src/j.txt." in told and "Read as Latin-1: src/l.txt." in told
    assert "signs are replaced: src/n.txt." in told


def test_only_what_is_no_text_is_an_error(at: SourceContext) -> None:
    """A source that gives nothing says so."""
    (at.root / "src/icon.bin").write_bytes(b"\0")
    with pytest.raises(SourceError, match=r"icon\.bin"):
        _fetched(at, paths=["src/icon.bin"])


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_a_name_that_is_no_text_is_told_by_its_bytes(at: SourceContext) -> None:
    """One such file must not cost the whole stack."""
    for number in (0xFE, 0xFF):
        Path(os.fsdecode(os.fsencode(at.root) + b"/odd" + bytes([number]) + b".txt")).write_text("odd\n")
    names = _names(at, "*.txt")
    assert ["odd\\xfe.txt", "odd\\xff.txt"] == sorted(names)
    assert all(name.encode() for name in names)
