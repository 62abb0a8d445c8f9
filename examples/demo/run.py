"""The demonstration: an agent was killed in the middle of its work; what does the next session get?

Builds a small project in a temporary folder with the session that an agent recorded there until it was killed
(session.jsonl, made for this), changes one file behind its back, and runs `clew resume` as a person would.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SAYS = "\033[1m{}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else "{}"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as temporary:
        folder = Path(temporary).resolve()
        home, project = folder / "home", folder / "till"
        environment = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SESSION_ID", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME"):
            environment.pop(name, None)
        commit = make_project(project, environment)
        record_session(home, project, commit)
        say("1. An agent works in a project: it is refused an edit, commits, goes on … and is killed while tests run.")
        say("2. Meanwhile somebody changes a file that it had worked on:")
        path = project / "till" / "refunds.py"
        path.write_text(path.read_text(encoding="utf-8").replace("ROUND_DOWN", "ROUND_HALF_EVEN"), encoding="utf-8")
        git(project, environment, "diff", "--stat")
        say("3. The next session begins. `clew resume` says, from the record alone:")
        clew = Path(sys.executable).with_name("clew")
        return subprocess.run([clew, "resume"], cwd=project, env=environment, check=False).returncode


def make_project(project: Path, environment: dict[str, str]) -> str:
    """The project as the session left it; the id of the commit that the session made."""
    shutil.copytree(HERE / "project", project)
    git(project, environment, "init", "-q", "-b", "main")
    git(project, environment, "add", ".")
    git(project, environment, "commit", "-q", "-m", "Refunds", date="2026-11-20T15:00:00Z")
    git(project, environment, "switch", "-q", "-c", "fix/partial-refunds")
    shutil.copy(HERE / "after" / "till" / "refunds.py", project / "till")
    message = "Make refund shares add up to the total"
    git(project, environment, "commit", "-q", "-a", "-m", message, date="2026-11-20T16:13:00Z")
    shutil.copy(HERE / "after" / "tests" / "test_refunds.py", project / "tests")
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=project,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return found.stdout.strip()


def record_session(home: Path, project: Path, commit: str) -> None:
    """Put the recorded session where the client keeps it."""
    recorded = (HERE / "session.jsonl").read_text(encoding="utf-8")
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True)
    text = recorded.replace("@ROOT@", str(project)).replace("@COMMIT@", commit)
    (folder / "5b0c1d3e-7f52-4a0e-9c58-3d1f6a2b9e47.jsonl").write_text(text, encoding="utf-8")


def git(project: Path, environment: dict[str, str], *arguments: str, date: str = "") -> None:
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    settings = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], cwd=project, env={**environment, **dates}, check=True)


def say(text: str) -> None:
    print(f"\n{SAYS.format(text)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
