"""`clew import` of documents as it is typed; bundles: `test_ledger_commands.py`."""

from __future__ import annotations

import json

import pytest

from tests.interfaces.cli.conftest import Clew, Desk
from tests.workspace.repos import Repo

HANDOFF = """# Handoff

## Done
- [x] Write the parser for the CSV

## Decisions
- Amounts are integer cents, because floats lost a cent in March.

## Next step
Wire the import into the scheduler.

```
03:00 start
```
"""


@pytest.fixture
def at(desk: Desk) -> Desk:
    desk.ada("task", "new", "Nightly import")
    desk.shop.repo.write("docs/HANDOFF.md", HANDOFF)
    return desk


def test_a_document_comes_in_and_is_told_in_a_line(at: Desk) -> None:
    """And its id leads back to the line of the file."""
    rehearsed = at.ada("import", "docs/HANDOFF.md", "--dry-run")
    assert rehearsed.out.startswith("Dry run, nothing was recorded. It would say:\ndocs/HANDOFF.md: 3 new (")
    assert "  Amounts are integer cents" in rehearsed.out and "     7  new  " in rehearsed.out
    done = at.ada("import", "docs/HANDOFF.md")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.out == "docs/HANDOFF.md: 3 new (1 step, 1 decision, 1 next action), 1 note\n"
    assert done.err == "next: clew resume\n"
    again = at.bot("import", "docs/HANDOFF.md")
    assert (again.code, again.out, again.err) == (0, "docs/HANDOFF.md: 0 new, 4 known\n", "")
    (decision,) = [row.split()[0] for row in at.ada("show").out.splitlines() if "integer cents" in row]
    told = at.ada("show", decision).out
    assert "source   docs/HANDOFF.md:7\n" in told
    assert "said by  nobody known; ada imported it\n" in told
    assert "imported decision: Amounts are integer cents" in told
    assert "  | ``` 03:00 start\n" in at.ada("show", "O-").out


def test_one_bad_file_stops_no_other(at: Desk) -> None:
    """A folder of hand-offs with a picture in it."""
    (at.shop.top / "x.png").write_bytes(b"\x89PNG\0\0")
    done = at.ada("import", "x.png", "docs/HANDOFF.md", "nonesuch.md")
    assert done.code == 1
    assert done.out.startswith("docs/HANDOFF.md: 3 new (")
    assert done.err.count("error: ") == 2
    assert "[E-import-not-text]" in done.err and "[E-import-unreadable]" in done.err
    alone = at.ada("import", "x.png")
    assert (alone.code, alone.err.count("error: "), alone.err.count("hint: ")) == (1, 1, 1)


def test_what_needs_a_person_is_told_with_the_command(at: Desk) -> None:
    """It is no error: the rest came in."""
    at.shop.repo.write("TODO.md", "# To do\n\n- [ ] Measure the first night\n")
    at.bot("import", "TODO.md")
    at.ada("pin", "S-")
    at.shop.repo.write("TODO.md", "# To do\n\n- [x] Measure the first night\n- [ ] Tell the bank\n")
    done = at.bot("import", "TODO.md")
    assert done.code == 0
    summary, row, typed = done.out.splitlines()
    assert summary == "TODO.md: 1 new (1 step), 1 for a person to decide"
    assert "needs a person" in row and "(now done: a person pinned it)" in row
    assert typed.strip().startswith("type: clew resolve S-")


def test_as_json(at: Desk) -> None:
    """Scripts read this; a bundle among documents stands beside them."""
    at.ada("export", "all.clew")
    told = json.loads(at.ada("import", "docs/HANDOFF.md", "all.clew", "none.md", "--json").out)
    assert (told["dry_run"], told["spooled"], told["task"]["title"]) == (False, False, "Nightly import")
    document, bundle, missing = told["files"]
    assert (document["file"], document["format"], document["encoding"]) == ("docs/HANDOFF.md", "markdown", "UTF-8")
    decision = next(entry for entry in document["entries"] if entry["kind"] == "decision")
    assert (decision["line"], decision["did"], decision["id"][:2]) == (7, "new", "D-")
    assert bundle["bundle"]["events"] == 0 and document["bundle"] is None
    assert missing["error"]["code"] == "E-import-unreadable"


def test_a_payload_of_a_session_is_known(clew: Clew, repo: Repo) -> None:
    """Files, checks, requests and refusals too: saved and imported it tells nothing new, and the payload stays."""
    clew("init")
    for profile in ("rehydrate", "handoff", "team", "debug"):
        payload = clew("resume", "--profile", profile).out
        (repo.top / ".git/payload.md").write_text(payload)
        told = json.loads(clew("import", ".git/payload.md", "--json").out)["files"][0]
        assert told["format"] == "clew"
        assert {entry["did"] for entry in told["entries"]} == {"known"}
        assert clew("resume", "--profile", profile).out == payload


def test_options_that_do_not_fit_are_refused(at: Desk) -> None:
    """64, and nothing is imported."""
    at.ada("export", "all.clew")
    assert at.ada("import").code == 64
    assert at.ada("import", "all.clew", "--task", "Nightly import").code == 64
    refused = at.bot("import", "docs/HANDOFF.md", "--join")
    assert (refused.code, "[E-not-a-person]" in refused.err) == (1, True)
    assert "[E-import-unknown]" in at.ada("import", "docs/HANDOFF.md", "--join").err
