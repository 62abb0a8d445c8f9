"""Every kind of source keeps what the suite promises."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from clew.core.errors import NotFound
from clew.sources.port import SourceContext
from clew.sources.registry import KINDS
from clew.testing.sources import SourceContract
from clew.workspace.git import Git
from tests.sources import notion_server, test_github, test_pdf, test_url
from tests.workspace.repos import Repo, clean_environment

_ENVIRONMENT = clean_environment()


def repository(folder: Path) -> SourceContext:
    """A project with two commits and a change."""
    repo = Repo(folder)
    repo.write("src/a.py", "def a():\n    return 1\n")
    repo.write("README.md", "# Tide\n")
    repo.write(".gitignore", "*.log\n")
    repo.commit("Begin\n\nThe body of it.", seconds=1772440000)
    repo.git("branch", "first")
    repo.write("src/b.py", "b = 2\n")
    repo.commit("Add b", seconds=1772450000)
    repo.write("src/a.py", "def a():\n    return 3\n")
    return SourceContext(root=folder, git=Git.at(folder, environment=_ENVIRONMENT), environment=_ENVIRONMENT)


class TestFiles(SourceContract):
    kind = "files"
    table = {"kind": "files", "paths": ["README.md", "src/*.py"]}
    failing = ({"kind": "files", "paths": ["nowhere/**"]},)

    def context(self, folder: Path) -> SourceContext:
        return repository(folder)


class TestFilesOutsideOfGit(TestFiles):
    def context(self, folder: Path) -> SourceContext:
        repository(folder)
        (folder / ".git").rename(folder.parent / "git")
        return SourceContext(root=folder)


class TestDiff(SourceContract):
    kind = "git-diff"
    table = {"kind": "git-diff", "base": "first"}
    failing = ({"kind": "git-diff", "base": "--output=/tmp/x"}, {"kind": "git-diff", "base": "no-branch"})

    def context(self, folder: Path) -> SourceContext:
        return repository(folder)


class TestLog(SourceContract):
    kind = "git-log"
    table = {"kind": "git-log", "body": True}
    failing = ({"kind": "git-log", "range": "--all"}, {"kind": "git-log", "count": 0})

    def context(self, folder: Path) -> SourceContext:
        return repository(folder)


class TestShow(SourceContract):
    kind = "git-show"
    table = {"kind": "git-show", "commit": "first", "path": "src/a.py"}
    failing = ({"kind": "git-show", "commit": "first", "path": "src/b.py"}, {"kind": "git-show", "commit": ""})

    def context(self, folder: Path) -> SourceContext:
        return repository(folder)


class TestCommit(TestShow):
    table = {"kind": "git-show"}


class TestSnippet(SourceContract):
    kind = "snippet"
    table = {"kind": "snippet", "snippet": "rules", "variables": {"lang": "Rust"}}
    failing = (
        {"kind": "snippet", "snippet": "rules"},
        {"kind": "snippet", "snippet": "none"},
        {"kind": "snippet", "snippet": "../rules", "variables": {"lang": "Rust"}},
    )

    def context(self, folder: Path) -> SourceContext:
        own = folder / "own"
        own.mkdir()
        (own / "rules.md").write_text("Write {{lang}}, and {{ lang }} only.\n")
        return SourceContext(root=folder, snippets=(own,), own_snippets=own)


class TestMemory(SourceContract):
    kind = "memory"
    table = {"kind": "memory", "topic": "tides"}
    failing = ({"kind": "memory", "topic": "moons"},)

    def context(self, folder: Path) -> SourceContext:
        def memory(topic: str, scope: str) -> str:
            if (topic, scope) != ("tides", "project"):
                raise NotFound(f"there is no topic {topic}", code="E-no-fact", hint="Topics: tides.")
            return "# tides\n\n- They come twice a day.\n"

        return SourceContext(root=folder, memory=memory)


class TestPayload(SourceContract):
    kind = "payload"
    table = {"kind": "payload"}
    failing = ({"kind": "payload", "budget": 1},)

    def context(self, folder: Path) -> SourceContext:
        def payload(budget: int) -> str:
            if budget == 1:
                raise NotFound("no session", code="E-no-session", hint="Work first.")
            return "# Goal\n"

        return SourceContext(root=folder, payload=payload)


class TestCommand(SourceContract):
    kind = "command"
    table = {"kind": "command", "run": "echo one; echo two >&2"}
    failing = (
        {"kind": "command", "run": "echo untrusted"},
        {"kind": "command", "run": "exit 3"},
        {"kind": "command", "run": "sleep 30", "timeout_s": 1},
        {"kind": "command", "run": "echo", "timeout_s": 0},
    )

    def context(self, folder: Path) -> SourceContext:
        return SourceContext(
            root=folder, environment=_ENVIRONMENT, trusted=lambda table: "untrusted" not in str(table["run"])
        )


class TestText(SourceContract):
    kind = "text"
    table = {"kind": "text", "text": "Ship on Friday.\n", "origin": "mail from Bo", "date": date(2026, 11, 20)}
    failing = ({**table, "text": " "}, {**table, "origin": ""})

    def context(self, folder: Path) -> SourceContext:
        return SourceContext(root=folder)


class TestGitHub(SourceContract):
    kind = "github"
    table = {"kind": "github", "issues": ["1", 2], "diff": True}
    failing = ({"kind": "github", "issues": [9]}, {"kind": "github", "issues": []}, {"kind": "github", "issues": ["x"]})

    @pytest.fixture
    def at(self, tmp_path: Path) -> Iterator[SourceContext]:
        with test_github.told() as server:
            yield test_github.context_of(server, tmp_path)


class TestNotion(SourceContract):
    kind = "notion"
    table = {"kind": "notion", "page": "0" * 7 + "1" + "0000400080000000" + "0" * 8, "subpages": True}
    failing = (
        {"kind": "notion", "page": "no page"},
        {"kind": "notion", "page": "f" * 32},
        {"kind": "notion", "page": "f" * 32, "rows": 0},
    )

    @pytest.fixture
    def at(self, tmp_path: Path) -> Iterator[SourceContext]:
        with notion_server.serving() as (space, address):
            page = space.page("Tides")  # the first one: its id is that of the table
            space.block(page, "paragraph", "High at nine \ud83d")
            base = space.database("Ports", {"Name": "title"}, parent=page)
            space.row(base, Name={"type": "title", "title": [notion_server.text("North")]})
            yield SourceContext(
                root=tmp_path, environment={"NOTION_TOKEN": notion_server.TOKEN}, services={"notion": address}
            )


class TestPdf(SourceContract):
    kind = "pdf"
    table = {"kind": "pdf", "file": "tides.pdf", "pages": "1-2"}
    failing = ({"kind": "pdf", "file": "none.pdf"}, {"kind": "pdf", "file": "tides.pdf", "pages": "x"})

    def context(self, folder: Path) -> SourceContext:
        (folder / "tides.pdf").write_bytes(test_pdf.pdf(["High at nine", "Low at three"]))
        return SourceContext(root=folder, environment=_ENVIRONMENT)


class TestUrl(SourceContract):
    kind = "url"
    failing = ({"kind": "url", "url": "http://127.0.0.1:9/"}, {"kind": "url", "url": "tides"})

    @pytest.fixture
    def at(self, tmp_path: Path) -> Iterator[SourceContext]:
        with test_url.serving({"/": test_url.page()}) as server:
            type(self).table = {"kind": "url", "url": server}
            yield SourceContext(root=tmp_path, loopback=True)

    table = {"kind": "url", "url": "https://example.org"}


def test_every_kind_is_tried() -> None:
    """A source that the suite does not know keeps no promise."""
    tried = {one.kind for one in SourceContract.__subclasses__()}
    assert set(KINDS) <= tried


def test_a_ledger_is_needed_where_it_is_not_at_hand(tmp_path: Path) -> None:
    """Sources of the ledger say what they lack, instead of nothing."""
    from clew.sources.port import SourceError
    from clew.sources.registry import source, spec_of

    with pytest.raises(SourceError):
        source("memory").fetch(spec_of({"kind": "memory"}, "1"), SourceContext(root=tmp_path), {})
