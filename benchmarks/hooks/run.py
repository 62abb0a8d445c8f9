"""What the hooks cost: the installed commands, as a client runs them, against a bare interpreter start.

    python -m benchmarks.hooks.run [--pairs 31] [--guards 200] [--plan FILES] [--budget] [--clew PROGRAM] [--only WORD]
        [--check]

`clew init` is run for a user made for this, and the commands are read from the settings it wrote. Each event comes
through a pipe, as from a client. The yardstick is `python -I -S -c pass` of the same interpreter, run in the same
rounds. Point `--clew` at a base install (no development tools beside it) for the figure that users see. `--check`
exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.hooks.installed import NOW, Installed, install, open_plan, put_back, set_budget
from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import Ratio, Sample, measure, middle, ratio


class Words(NamedTuple):
    """What a client calls the events around a tool, its shell, and the tool that writes a file; `writes` is what that
    is given.
    """

    before: str
    after: str
    shell: str
    write: str
    writes: Callable[[str, str], dict[str, str]]


def _patch(file: str, text: str) -> dict[str, str]:
    lines = "".join(f"+{line}\n" for line in text.splitlines())
    return {"command": f"*** Begin Patch\n*** Add File: {file}\n{lines}*** End Patch\n"}


OTHERS = {
    "codex": Words("PreToolUse", "PostToolUse", "Bash", "apply_patch", _patch),
    "gemini": Words(
        "BeforeTool",
        "AfterTool",
        "run_shell_command",
        "write_file",
        lambda file, text: {"file_path": file, "content": text},
    ),
    "opencode": Words(
        "PreToolUse", "PostToolUse", "bash", "write", lambda file, text: {"filePath": file, "content": text}
    ),
}
# With something watched they compare the work tree.
_WATCHED = ("after-tool, shell",)
KB = 1 << 10
MB = 1 << 20


class Case(NamedTuple):
    """An event to be answered, and how many times a bare start that may take (0: no bar). `prepare` comes before each
    run and is not timed. `event` is as the client calls it.
    """

    name: str
    event: str
    given: Path
    bar: float = 0.0
    prepare: Callable[[], object] = lambda: None
    client: str = "claude-code"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hooks.run", description="What the hooks cost.")
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--guards", type=int, default=200)
    parser.add_argument(
        "--plan", type=int, default=0, metavar="FILES", help="a plan is open, in a tree of so many files"
    )
    parser.add_argument("--budget", action="store_true", help="somebody set budgets")
    parser.add_argument("--clew", type=Path, default=Path(sys.executable).with_name("clew"))
    parser.add_argument("--only", default="", help="the cases whose names hold this")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        made = install(Path(temporary).resolve(), arguments.clew.absolute(), guards=arguments.guards)
        cases = [case for case in _cases(made) if arguments.only in case.name]
        if arguments.plan:
            open_plan(made, files=arguments.plan)
            cases = [case._replace(bar=0.0) if case.name in _WATCHED else case for case in cases]
        if arguments.budget:
            set_budget(made)
        results = {case.name: _compare(made, case, arguments.pairs) for case in cases}
        broken = made.live / "broken"
        if broken.exists():
            print(f"a hook failed: {broken.read_text()}")
            return 1
    rows, missed = [], []
    for case in cases:
        ours, bare = results[case.name]
        wall = ratio([one.wall_s for one in ours], [one.wall_s for one in bare])
        cpu = ratio([one.cpu_s for one in ours], [one.cpu_s for one in bare])
        said = f"≤ {case.bar:g}" if case.bar else ""
        missed += [case.name] if case.bar and wall.median > case.bar else []
        rows.append([case.name, _quarters(ours, bare), str(cpu), f"{middle(ours).wall_s * 1000:.1f} ms", said])
    print(markdown(["times a bare start", "wall", "cpu", "median", "bar"], rows))
    print(f"\n{arguments.pairs} pairs each; {f'MISSED by wall time: {missed}' if missed else 'all bars held'}")
    return int(arguments.check and bool(missed))


def _compare(made: Installed, case: Case, pairs: int) -> tuple[list[Sample], list[Sample]]:
    """Samples of the case and of a bare start, round by round, whoever was first in one being last in the next."""
    command = made.command(case.client, case.event)
    words = " ".join(next(iter(made.commands.values())))
    python = next(word for word in re.split(r"[\s'\"]+", words) if re.search(r"/python[\d.]*$", word))
    bare = [python, "-I", "-S", "-c", "pass"]
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    for number in range(-2, pairs):
        for which in (0, 1) if number % 2 else (1, 0):
            if which == 0:
                case.prepare()
            given, environment = None if which else case.given, made.environment_of(case.client)
            sample = measure((command, bare)[which], cwd=made.project, env=environment, given=given)
            if number >= 0:
                samples[which].append(sample)
    return samples


def _quarters(ours: list[Sample], bare: list[Sample]) -> str:
    """The median of the ratios by wall time, with the middle half of them."""
    found = sorted(one.wall_s / other.wall_s for one, other in zip(ours, bare, strict=True))
    middle_half = Ratio(found[len(found) // 2], found[len(found) // 4], found[len(found) * 3 // 4])
    return str(middle_half)


def _cases(made: Installed) -> list[Case]:
    file = str(made.project / "src" / "cart.py")
    read = {"tool_name": "Read", "tool_input": {"file_path": file}, "duration_ms": 12}
    edit = {"file_path": file, "old_string": "total = 0", "new_string": "total = 1"}
    text = "    total += round(amount * factor(), 2)  # “cents”\n"
    body = text * (200 * KB // len(text))
    large = {"type": "text", "file": {"filePath": file, "content": body, "numLines": 4000}}
    event, after, before = made.event, "PostToolUse", "PreToolUse"
    pulse = made.session / "pulse"
    return [
        Case("after-tool, 1 KB", after, event(after, **read, tool_response={"text": text * 8}), 1.3),
        Case("after-tool, 200 KB", after, event(after, **read, tool_response=large), 1.5),
        Case("before-tool, 1 KB, edit", before, event(before, tool_name="Edit", tool_input=edit), 1.6),
        Case(
            "before-tool, 1 KB, shell",
            before,
            event(before, tool_name="Bash", tool_input={"command": "cd src && python -m pytest -q 2>&1 | tail -5"}),
            1.6,
        ),
        Case(
            "before-tool, 200 KB, edit",
            before,
            event(before, tool_name="Write", tool_input={"file_path": file, "content": body}),
            1.6,
        ),
        Case(
            "before-tool, 200 KB, shell",
            before,
            event(before, tool_name="Bash", tool_input={"command": f"cat > src/x.py <<'END'\n{body}END\n"}),
            1.6,
        ),
        Case(
            "before-tool, 1 KB, reading shell",
            before,
            event(
                before,
                tool_name="Bash",
                tool_input={"command": "git log --oneline -5 | head; sed -n '1,40p' src/cart.py"},
            ),
            1.6,
        ),
        Case(
            "after-tool, shell",
            after,
            event(after, tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": "a"}, duration_ms=3),
            1.3,
        ),
        Case("prompt, nothing to say", "UserPromptSubmit", event("UserPromptSubmit", prompt="go on")),
        _start(made),
        *(_status_line(made, size) for size in (MB, 40 * MB)),
        *(_with_look(made, size, read, lambda: pulse.unlink(missing_ok=True)) for size in (MB, 40 * MB)),
        Case("after-tool where nobody opted in, 1 KB", after, event(after, **read), 0),
        *(case for client in OTHERS for case in _of_client(made, client, file, text, body)),
    ]


def _of_client(made: Installed, client: str, file: str, text: str, body: str) -> Iterator[Case]:
    """The same for another client, in its own words."""
    words = OTHERS[client]
    result = {"tool_response": {"llmContent": text * 8}} if client != "opencode" else {}
    large = {"tool_response": {"llmContent": body}} if client != "opencode" else {}
    shell = {"tool_name": words.shell, "tool_input": {"command": "cd src && python -m pytest -q 2>&1 | tail -5"}}
    written = {"tool_name": words.write, "tool_input": words.writes(file, "total = 1\n")}
    whole = {"tool_name": words.write, "tool_input": words.writes(file, body)}
    for name, event, given, bar in (
        ("after-tool, 1 KB", words.after, {**written, **result}, 1.3),
        ("after-tool, 200 KB", words.after, {**written, **large, **({} if large else whole)}, 1.5),
        ("before-tool, 1 KB, edit", words.before, written, 1.6),
        ("before-tool, 1 KB, shell", words.before, shell, 1.6),
        ("before-tool, 200 KB, edit", words.before, whole, 1.6),
    ):
        yield Case(f"{client}: {name}", event, made.event(event, **given), bar, client=client)


def _start(made: Installed) -> Case:
    given = made.event("SessionStart", source="startup", session_id="0" * 8 + NOW[8:])
    return Case("session start, 4 MB to take in", "SessionStart", given, 20.0, lambda: put_back(made))


def _status_line(made: Installed, size: int) -> Case:
    given = made.event(
        "StatusLine",
        transcript_path=str(_transcript(made, size)),
        workspace={"project_dir": str(made.project), "current_dir": str(made.project)},
        context_window={"context_window_size": 200000, "used_percentage": 23},
    )
    return Case(f"status line, transcript of {size // MB} MB", "statusline", given, 1.5)


def _with_look(made: Installed, size: int, read: dict[str, object], prepare: Callable[[], object]) -> Case:
    """An after-tool hook that looks at the transcript's end, as one in a dozen does."""
    given = made.event("PostToolUse", **read, transcript_path=str(_transcript(made, size)))
    return Case(f"after-tool with a look at {size // MB} MB", "PostToolUse", given, 0, prepare)


def _transcript(made: Installed, size: int) -> Path:
    """A transcript of at least `size` bytes, in no folder of the client's."""
    from benchmarks.resume import transcript

    path, part = made.home / f"transcript-{size}.jsonl", made.home / "part.jsonl"
    if not path.exists():
        transcript.write(part, size_bytes=MB)
        with path.open("wb") as file:
            while file.tell() < size:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, file)
    return path


if __name__ == "__main__":
    sys.exit(main())
