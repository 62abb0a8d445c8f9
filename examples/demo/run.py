"""The demonstration: an agent writes a hand-off with a lie in it and is killed; what does the next session get?

Builds a small project in a temporary folder with the session that an agent recorded there until it was killed
(session.jsonl and handoff.md, made for this), changes one file behind its back, and runs `clew` as people and agents
do.
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
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            environment.pop(name, None)
        commit = make_project(project, environment)
        session = record_session(home, project, commit)
        clew(project, environment, "init", "--client", "none", quiet=True)

        say("1. An agent works: it is refused an edit, commits, goes on. Asked for a hand-off, it writes this:")
        draft = (HERE / "handoff.md").read_text(encoding="utf-8").replace("@COMMIT@", commit)
        print(draft)
        say("2. One entry is not true. clew checks each against the record and the disk, and answers the agent:")
        clew(project, {**environment, "CLAUDE_CODE_SESSION_ID": session}, "checkpoint", "--draft", "-", given=draft)

        say("3. The agent is killed while tests run, and somebody changes a file that it had worked on:")
        path = project / "till" / "refunds.py"
        path.write_text(path.read_text(encoding="utf-8").replace("ROUND_DOWN", "ROUND_HALF_EVEN"), encoding="utf-8")
        git(project, environment, "diff", "--stat")

        say("4. The next session begins. It is given the hand-off, without what was struck, and what has changed:")
        clew(project, environment, "resume")
        say("5. Had nobody handed over: by rule, with what the agent had noted for itself before it was killed:")
        clew(project, environment, "resume", "--from", session)
        say("6. And whoever goes on with the work can read the session in short:")
        return clew(project, environment, "record", session, "--budget", "900")


def clew(project: Path, environment: dict[str, str], *words: str, given: str = "", quiet: bool = False) -> int:
    """Run the program as a person or an agent would; `given` is its input."""
    program = Path(sys.executable).with_name("clew")
    if not quiet:
        print(SAYS.format(f"$ clew {' '.join(words)}"), flush=True)
    out = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        [program, *words], cwd=project, env=environment, input=given, text=True, stdout=out, check=False
    ).returncode


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
    shutil.copy(HERE / "after" / "NOTES.md", project)
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=project,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return found.stdout.strip()


def record_session(home: Path, project: Path, commit: str) -> str:
    """Put the recorded session where the client keeps it; its id."""
    recorded = (HERE / "session.jsonl").read_text(encoding="utf-8")
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True)
    text = recorded.replace("@ROOT@", str(project)).replace("@COMMIT@", commit)
    session = "5b0c1d3e-7f52-4a0e-9c58-3d1f6a2b9e47"
    (folder / f"{session}.jsonl").write_text(text, encoding="utf-8")
    return session


def git(project: Path, environment: dict[str, str], *arguments: str, date: str = "") -> None:
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    settings = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], cwd=project, env={**environment, **dates}, check=True)


def say(text: str) -> None:
    print(f"\n{SAYS.format(text)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
