"""`clew resume`: text, JSON and clipboard, and what is said beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Clew
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo


def test_the_payload_alone_goes_to_stdout(clew: Clew, repo: Repo) -> None:
    """`clew resume | pbcopy` must give the payload, whole and nothing else."""
    code, out, err = clew("resume")
    assert (code, err) == (0, "")
    assert out.startswith("<clew-data ")
    assert out.endswith(">\n") and not out.endswith("\n\n")
    assert "not on a Friday" in out


def test_notes_go_to_stderr(clew: Clew, repo: Repo, tmp_path: Path) -> None:
    """What the person should know is no part of what the agent gets."""
    path = (
        Recorder(repo.top).user("Fix it").raw("{broken").reply("It is mended for good.").write_to(tmp_path / "s.jsonl")
    )
    code, out, err = clew("resume", "--from", str(path))
    assert code == 0
    assert "note: 1 line of the session file could not be read and was skipped" in err
    assert "could not be read" not in out


def test_the_budget_is_the_one_that_was_asked_for(clew: Clew, repo: Repo) -> None:
    """A smaller document, not a cut one."""
    assert len(clew("resume", "--budget", "150").out) < len(clew("resume").out)
    assert clew("resume", "--budget", "5").code == 1
    assert clew("resume", "--budget", "0").code == 1


def test_json_has_the_documented_fields(clew: Clew, repo: Repo) -> None:
    """Fields are added, never renamed: scripts depend on them (docs/reference/json.md)."""
    repo.write("src/a.py", "a = 11\n")
    code, out, err = clew("resume", "--json")
    assert (code, err) == (0, "")
    shape = json.loads(out)
    assert {*("text", "tokens", "mark", "verdict", "session", "items", "drift", "usage", "notes")} <= set(shape)
    assert {"kind", "reason"} <= set(shape["verdict"])
    assert {
        *("client", "session", "cwd", "branch", "first_time", "last_time", "ended", "last_act", "file", "bytes")
    } <= set(shape["session"])
    item = {
        *("id", "short_id", "kind", "text", "why", "status", "provenance", "files", "rank", "time", "session", "byte"),
        *("quote", "shown"),
    }
    assert shape["items"] and all(item <= set(one) for one in shape["items"])
    assert {"root", "branch", "head", "dirty", "files", "commits_since"} <= set(shape["drift"])
    file = {"path", "status", "added", "removed", "moved_to", "commits"}
    assert shape["drift"]["files"] and all(file <= set(one) for one in shape["drift"]["files"])
    assert {"context_tokens", "models"} <= set(shape["usage"])
    assert clew("resume").out == shape["text"]


def test_json_says_null_where_nothing_was_compared(clew: Clew, tmp_path: Path, home: Path) -> None:
    """No drift is not the same as no difference."""
    path = Recorder("/nonexistent/x").user("Fix it").write_to(tmp_path / "s.jsonl")
    shape = json.loads(clew("resume", "--json", "--from", str(path)).out)
    assert (shape["drift"], shape["verdict"]) == (None, None)
    assert shape["notes"]


@pytest.mark.parametrize("command", [["resume"], ["resume", "--json"], ["show"], ["show", "--json"]], ids=" ".join)
def test_half_characters_in_the_record_do_no_harm(command: list[str], clew: Clew, repo: Repo, tmp_path: Path) -> None:
    """The client cuts strings between the halves of an emoji; JSON has no way to say one half."""
    half = "\\ud83e"
    story = Recorder(repo.top, branch="b").user("Fix the HALF tide")
    story.lines[0] = story.lines[0].replace("HALF", half).replace('"gitBranch": "b"', f'"gitBranch": "b{half}"')
    path = story.reply("It is mended for good.").write_to(tmp_path / "s.jsonl")
    code, out, _ = clew(*command, "--from", str(path))
    assert code == 0
    out.encode("utf-8")
    assert "--json" not in command or json.loads(out)


def test_copy_without_a_clipboard_says_what_to_install(clew: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a server there is none; the text must not be lost in silence."""
    import pyperclip

    copy, _ = pyperclip.init_no_clipboard()
    monkeypatch.setattr(pyperclip, "copy", copy)
    code, out, err = clew("resume", "--copy")
    assert (code, out) == (1, "")
    assert "[E-no-clipboard]" in err
    assert "hint: " in err


def test_copy_puts_the_text_on_the_clipboard_and_says_so(
    clew: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then stdout stays empty: it is in one place only."""
    import pyperclip

    copied: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", copied.append)
    code, out, err = clew("resume", "--copy")
    assert (code, out) == (0, "")
    assert [clew("resume").out] == copied
    assert err.startswith("Copied: ")


def test_a_session_of_nothing_but_go_on_is_not_called_one_without_words(clew: Clew, home: Path, repo: Repo) -> None:
    """It has a prompt and a reply, as anybody sees who opens the file."""
    story = Recorder(repo.top, session="0e000002-0000-4000-8000-000000000002")
    story.user("go on").reply("Looking at it.").save(home)
    ran = clew("resume", "--from", "0e000002")
    assert (ran.code, "[E-session-empty]" in ran.err, "worth keeping" in ran.err) == (1, True, True)
    assert "no prompt" not in ran.err
