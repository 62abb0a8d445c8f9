"""The block in a rules file: in once, out again to the byte, and never a new file."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.launching.rules import BLOCK, rules, with_block, without_block
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.core.errors import ClewError
from clew.core.text.tokens import estimate
from clew.wiring import configurations, machine
from tests.app.recorders import Shop

TEXT = "# Rules\n\nNo floats for money.\n"
_TEXTS = st.text(alphabet=st.sampled_from("ab \n\r\té"), max_size=40)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def _run(shop: Shop, file: str | Path | None, wanted: str = "look", *, by: Ports | None = None) -> object:
    environment = {"HOME": str(shop.home), "PATH": os.environ.get("PATH", "")}
    place = shop.top / file if file is not None else None
    ports = by or shop.ada
    return rules(
        ProjectHandle(ports, shop.top), machine(environment), configurations(environment), place, wanted=wanted
    )  # type: ignore[arg-type]


def test_the_block_is_short() -> None:
    """It is read with every request of every agent."""
    assert estimate(BLOCK) <= 150
    for command in ("clew resume", "clew decide", "clew reject", "clew next", "clew checkpoint"):
        assert command in BLOCK


@given(_TEXTS, st.sampled_from((b"", codecs.BOM_UTF8)), st.sampled_from(("\n", "\r\n")))
def test_it_goes_out_to_the_byte(text: str, mark: bytes, end: str) -> None:
    """Whatever the file ends in, and whichever line ends it has, alone or mixed."""
    before = mark + text.replace("\n", end).encode()
    after = with_block(before)
    assert after.startswith(before) and BLOCK.replace("\n", "\r\n" if b"\r\n" in before else "\n").encode() in after
    assert with_block(after) == after
    assert without_block(after) == before
    assert without_block(before) == before


def test_what_others_write_around_it_stays() -> None:
    """Given rules that were added below the block, taking it out leaves them, and the line between."""
    before = b"# Rules\n"
    after = with_block(before) + b"\n## More\n"
    assert without_block(after) == b"# Rules\n\n## More\n"


def test_an_older_block_is_replaced_where_it_stands() -> None:
    """Another version of clew says it in other words: there is one block all the same."""
    old = TEXT.encode() + b"\n<!-- clew:begin -->\nolder words\n<!-- clew:end -->\n\n## More\n"
    new = with_block(old)
    assert new == TEXT.encode() + b"\n" + BLOCK.encode() + b"\n\n## More\n"


@pytest.mark.parametrize(
    "data",
    [
        b"<!-- clew:begin -->\n",
        b"<!-- clew:end -->\n",
        b"<!-- clew:end -->\n<!-- clew:begin -->\n",
        b"<!-- clew:begin -->\n<!-- clew:begin -->\n<!-- clew:end -->\n",
        codecs.BOM_UTF16_LE + "rules".encode("utf-16-le"),
        b"a\0b",
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(shop: Shop, data: bytes) -> None:
    """Cutting between marks that do not fit would take somebody's rules with it."""
    path = shop.repo.write("AGENTS.md", data)
    for wanted in ("write", "remove"):
        with pytest.raises(ClewError) as caught:
            _run(shop, "AGENTS.md", wanted)
        assert (caught.value.code, path.read_bytes()) == ("E-rules-unfit", data)
        assert caught.value.hint


def test_no_file_is_made(shop: Shop) -> None:
    """A new CLAUDE.md would switch AGENTS.md off; the hint names what is there."""
    shop.repo.write("AGENTS.md", TEXT)
    with pytest.raises(ClewError) as caught:
        _run(shop, "CLAUDE.md", "write")
    assert caught.value.code == "E-rules-missing" and "AGENTS.md" in caught.value.hint
    assert not (shop.top / "CLAUDE.md").exists()


def test_a_link_out_of_the_project_is_not_followed(shop: Shop) -> None:
    """A cloned repository could point its AGENTS.md at the user's own files."""
    outside = shop.home / ".profile"
    outside.write_text("export A=1\n")
    (shop.top / "AGENTS.md").symlink_to(outside)
    with pytest.raises(ClewError) as caught:
        _run(shop, "AGENTS.md", "write")
    assert caught.value.code == "E-rules-unfit" and outside.read_text() == "export A=1\n"


def test_a_link_within_the_project_is_written_through(shop: Shop) -> None:
    """Many keep one file under two names; it stays a link, and the block is in once."""
    shop.repo.write("AGENTS.md", TEXT)
    (shop.top / "CLAUDE.md").symlink_to("AGENTS.md")
    assert _run(shop, "CLAUDE.md", "write").did == "written"  # type: ignore[attr-defined]
    assert _run(shop, "AGENTS.md", "write").did == "present"  # type: ignore[attr-defined]
    assert (shop.top / "CLAUDE.md").is_symlink()
    assert (shop.top / "AGENTS.md").read_text().count("clew:begin") == 1


@pytest.mark.parametrize(
    "name",
    [
        *(".git/config", ".git/info/notes.md", ".clew/config.toml", "sub/.clew/rules.md", ".codex/config.toml"),
        *("package.json", "src/a.py", "Makefile", "firestore.rules", ".claude/settings.json", ".gemini/settings.json"),
    ],
)
@pytest.mark.parametrize("wanted", ["write", "remove"])
def test_what_holds_no_rules_is_left_alone(shop: Shop, name: str, wanted: str) -> None:
    """Markdown behind git's configuration, a manifest or the settings of a client breaks it, whoever asks for it."""
    path = shop.repo.write(name, "a = 1\n")
    with pytest.raises(ClewError) as caught:
        _run(shop, name, wanted)
    assert (caught.value.code, path.read_bytes()) == ("E-rules-unfit", b"a = 1\n")
    assert _run(shop, name).did == "absent"  # type: ignore[attr-defined]


def test_the_users_own_files_of_clew_are_left_alone(shop: Shop) -> None:
    """Notes in the folders of settings and data are clew's own, also when they are called like rules."""
    path = shop.home / ".config" / "clew" / "rules.md"
    path.parent.mkdir(parents=True)
    path.write_text("a")
    ports = shop.ada._replace(protected=lambda _: (path.parent,))
    with pytest.raises(ClewError) as caught:
        _run(shop, path, "write", by=ports)
    assert (caught.value.code, path.read_text()) == ("E-rules-unfit", "a")


def test_outside_of_the_project_only_a_person_may(shop: Shop) -> None:
    """An agent's work ends at the project: the user's rules hold for every session of every project."""
    path = shop.home / "CLAUDE.md"
    path.write_text(TEXT)
    with pytest.raises(ClewError) as caught:
        _run(shop, path, "write", by=shop.bot)
    assert (caught.value.code, path.read_text()) == ("E-not-a-person", TEXT)
    assert _run(shop, path, "write").did == "written"  # type: ignore[attr-defined]
