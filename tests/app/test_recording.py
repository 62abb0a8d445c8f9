"""Recording: what a command keeps has bounds, the same by whatever way it comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.app.keeping.bundle import import_
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.record import item as items
from clew.core.errors import InputError
from clew.ledger.bundle import export_bundle
from clew.ledger.codec import write_line
from clew.ledger.memory import MemoryLedger
from clew.ledger.redaction import TEXT_CHARS_MAX, WHY_CHARS_MAX
from clew.ledger.spool import _seal
from tests.app.recorders import Shop

LINE = "w" * TEXT_CHARS_MAX
REASON = "w" * WHY_CHARS_MAX


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_every_command_has_the_same_bounds(shop: Shop) -> None:
    """A document that holds a text of 100,000 characters holds nothing else; whoever says it is told at once."""
    asked, decided = shop.noted("question", "Which moon?"), shop.noted("decision", "Ten it is")
    commands: list[Callable[[str], Outcome]] = [
        lambda more: items.answer(ProjectHandle(shop.ada, shop.top, dry_run=True), asked, REASON + more),
        lambda more: items.resolve(ProjectHandle(shop.ada, shop.top, dry_run=True), decided, REASON + more),
        lambda more: items.retract(ProjectHandle(shop.ada, shop.top, dry_run=True), decided, why=REASON + more),
        lambda more: items.supersede(ProjectHandle(shop.ada, shop.top, dry_run=True), decided, text=LINE + more),
        lambda more: items.supersede(
            ProjectHandle(shop.ada, shop.top, dry_run=True), decided, text="x", why=REASON + more
        ),
        lambda more: items.edit(ProjectHandle(shop.ada, shop.top, dry_run=True), decided, {"text": LINE + more}),
        lambda more: shop.note("decision", LINE + more, why=REASON),
        lambda more: shop.note("decision", "y", why=REASON + more),
    ]
    for command in commands:
        with pytest.raises(InputError) as refused:
            command("w")
        assert "E-item-field" == refused.value.code
        assert command("").changed


def test_what_is_too_long_already_can_still_be_taken_back(shop: Shop) -> None:
    """An older clew, or a backup that a person trusted, left a long text: it must not be there for good."""
    with shop.desk() as at:
        item = at.new_id("D")
        data = {"item": item, "kind": "decision", "text": REASON + "w"}
        at.append([at.event("item.stated", data, task="")])
    assert items.retract(ProjectHandle(shop.ada, shop.top), item).changed
    assert [] == shop.live()


def test_a_file_brings_nothing_that_a_command_would_refuse(shop: Shop, tmp_path: Path) -> None:
    """The spool and the bundles of others are no way round the bounds; who is refused is told why, and nothing is
    lost: the file is still there.
    """
    with shop.desk() as at:
        data = {"item": at.new_id("D"), "kind": "decision", "text": LINE + "w"}
        long = at.event("item.stated", data, task="")._replace(provenance="agent")
        lines = write_line(long) + b"\n"
        key, project = at.ledger.key, at.ledger.project
        folder = at.location.spool
    folder.mkdir(parents=True)
    (folder / "1.batch").write_bytes(b"clew-spool 1 " + _seal(lines, key) + b"\n" + lines)
    with shop.desk() as at:
        [told] = at.notes
    assert "1.batch was not imported: its text has 2001 characters, of at most 2000" in told
    assert (folder / "refused" / "1.batch").read_bytes().endswith(lines)
    ledger = MemoryLedger(project)
    ledger.append([long])
    file = tmp_path / "all.clew"
    file.write_bytes(b"".join(export_bundle(ledger)))
    with pytest.raises(InputError) as refused:
        import_(ProjectHandle(shop.bot, shop.top), file)
    assert ("E-bundle-damaged", True) == (refused.value.code, "its text has 2001 characters" in refused.value.message)
    assert [] == shop.live()
    import_(ProjectHandle(shop.ada, shop.top), file, keep_authors=True)
    assert [LINE + "w"] == shop.live()
