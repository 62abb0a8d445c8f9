"""Where names are defined: by grammars where they are installed, else by the words in front of a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.workspace import symbols as module
from clew.workspace.symbols import symbols

FILES = {
    "store.py": "LIMIT = 5\n\n\nclass Store:\n    def get(self, key):\n        return key\n\n\n"
    "async def load(path):\n    x = 1\n",
    "web/app.ts": "export interface Page { n: number }\nexport const render = (p: Page) => p.n\n"
    "class View {\n  show() {\n  }\n}\n",
    "web/old.js": "function walk(a) {}\nlet other = walk(1)\n",
    "main.go": "package main\n\ntype Server struct{}\n\nfunc (s *Server) Listen(port int) error {\n\treturn nil\n}\n",
    "lib.rs": "pub struct Tide;\nimpl Tide {\n    pub fn rise(&self) {}\n}\nmacro_rules! ebb { () => {} }\n",
    "Main.java": "public class Main {\n  public static void start(String[] a) {\n  }\n}\n",
    "x.rb": "module Sea\n  def self.wave\n  end\nend\n",
    "n.c": "static int depth(int a) {\n  return a;\n}\nint two = depth(1);\n",
    "notes.md": "def get(nothing)\n",
}
WANTED = {
    "Store": ["store.py:4"],
    "Store.get": ["store.py:5"],
    "load": ["store.py:9"],
    "LIMIT": ["store.py:1"],
    "Page": ["web/app.ts:1"],
    "render": ["web/app.ts:2"],
    "View.show": ["web/app.ts:4"],
    "walk": ["web/old.js:1"],
    "Server.Listen": ["main.go:5"],
    "Tide": ["lib.rs:1"],
    "Tide::rise": ["lib.rs:3"],
    "ebb": ["lib.rs:5"],
    "Main": ["Main.java:1"],
    "start": ["Main.java:2"],
    "wave": ["x.rb:2"],
    "depth": ["n.c:1"],
    "nowhere": [],
    "x": [],
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def places(tree: Path, names: set[str]) -> dict[str, list[str]]:
    found = symbols(tree, list(FILES), names)
    return {name: [f"{place.path}:{place.line}" for place in one.defined] for name, one in found.items()}


def test_by_words(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What everybody has. A name of a block is none of the file's."""
    monkeypatch.setattr(module, "_parser", lambda language: None)
    wanted = {name: where for name, where in WANTED.items() if name not in ("x", "Tide")}
    assert wanted == places(tree, set(wanted))
    assert places(tree, {"Tide"})["Tide"][0] == "lib.rs:1", "what implements it is beside it"


def test_by_grammars(tree: Path) -> None:
    pytest.importorskip("tree_sitter_python")
    assert WANTED == places(tree, set(WANTED))


def test_a_name_that_only_occurs_is_told_apart(tree: Path) -> None:
    found = symbols(tree, list(FILES), {"key", "nowhere"})
    assert found["key"].occurs is not None and found["nowhere"].occurs is None
    assert found["nowhere"].complete


def test_what_lies_outside_or_is_large_is_not_read(tree: Path) -> None:
    (tree / "big.py").write_text("def huge():\n    pass\n" + "#" * (2 << 20))
    (tree / "link.py").symlink_to("/etc/passwd")
    found = symbols(tree, ["big.py", "link.py", "../out.py"], {"huge", "root"})
    assert not found["huge"].defined and not found["huge"].complete and found["root"].occurs is None


def test_a_large_file_of_words_alone_is_read_in_its_length(tmp_path: Path) -> None:
    """Nobody waits for the square of it."""
    (tmp_path / "words.c").write_text("word\n" * 150_000 + "thing\n")
    assert () == symbols(tmp_path, ["words.c"], ["thing"])["thing"].defined
