"""`make demo` shows what it claims to show."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from tests.interfaces.cli.binary import environment

ROOT = Path(__file__).parents[1]
RUN = ROOT / "examples" / "demo" / "run.py"


def test_the_demonstration_runs_and_shows_the_main_job(tmp_path: Path) -> None:
    """A newcomer starts it first: a hand-off, the lie in it that is struck, the payload, one by rule, the record."""
    done = subprocess.run(
        [sys.executable, RUN], env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer, rest = done.stdout.partition("\n3. ")[0], done.stdout.partition("\n4. ")[2]
    drafted, _, rest = rest.partition("\n5. ")
    by_rule, _, record = rest.partition("\n6. ")
    assert "# Record in short" in record and "user, refusing the edit of till/refunds.py: no floats for money" in record
    assert "- From NOTES.md (found, 16:15 UTC): Open: Chargebacks (negative totals) wait for the next" in by_rule
    assert "9 of 10 entries stand" in answer and "Struck: line 22" in answer
    assert "is pushed to origin" not in drafted + by_rule
    assert "✓ d7ae388 Make refund shares add up to the total" in drafted
    assert "test_adds_up in tests/test_refunds.py" in drafted.partition("## Next action\n")[2].partition("\n\n")[0]
    goal = by_rule.partition("## Goal\n")[2].partition("\n\n")[0]
    assert "go on with the test” → under way" in goal and "it began with: Refunds of split orders" in goal
    assert "python3 -m unittest -q" in by_rule.partition("## Next action\n")[2].partition("\n\n")[0]
    for out in (drafted, by_rule):
        failed = out.partition("## Failed approaches (do not retry)\n")[2].partition("\n\n")[0]
        assert "till/refunds.py" in failed and "no floats for money" in failed
        assert "- till/refunds.py: changed (" in out.partition("## Changed on disk since\n")[2]
        assert "Partly stale: 1 of 3 files changed" in out


def test_the_demonstration_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither in the folder nor in the home of whoever tries it."""
    subprocess.run([sys.executable, RUN], env=environment(tmp_path), cwd=tmp_path, capture_output=True, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_picture_in_the_readme_is_of_this_clew(tmp_path: Path) -> None:
    """What a newcomer sees first is what it does now: if this fails, look at what `make picture` draws."""
    drawn = tmp_path / "terminal.svg"
    subprocess.run([sys.executable, RUN.with_name("picture.py"), drawn], env=environment(tmp_path), check=True)
    shown, now = _words(ROOT / "docs" / "terminal.svg"), _words(drawn)
    assert "Struck:" in now and "Changed on disk since" in now and str(tmp_path) not in now
    assert shown == now


def _words(picture: Path) -> str:
    """What stands in a picture, without what is another in each run: ids, marks and the time of day."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", picture.read_text(encoding="utf-8"))
    told = unescape(" ".join(texts)).replace("\xa0", " ")
    return re.sub(r"W-[0-9a-z]{4,}|clew-data [0-9a-f]{6}|\d\d:\d\d UTC, checked|terminal-\d+[\w-]*", "", told)
