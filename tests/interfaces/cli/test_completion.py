"""`clew completion`: the scripts make shells complete, not only exist."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Clew

SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_its_script(shell: str, clew: Clew) -> None:
    """A script alone on stdout: it goes straight into `eval`."""
    code, out, err = clew("completion", shell)
    assert (code, err) == (0, "")
    assert {"bash": "complete ", "zsh": "compdef ", "fish": "complete --command clew"}[shell] in out
    assert ("_ARGCOMPLETE 1" if shell == "fish" else "_ARGCOMPLETE=1") in out


@pytest.mark.parametrize("shell", SHELLS)
def test_what_the_script_asks_for_is_answered(shell: str, home: Path, tmp_path: Path) -> None:
    """The script calls clew itself: the answer comes from the real commands."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": shell, "COMP_LINE": "clew re", "COMP_POINT": "7"}
    answer = tmp_path / "answer"
    _binary("", _ARGCOMPLETE_STDOUT_FILENAME=str(answer), **asked)
    assert "resume" in answer.read_text(encoding="utf-8")
    assert "show" not in answer.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["clew", "sh"], {"show"}),
        (["clew", "resume", "--b"], {"--budget"}),
        (["clew", "completion", ""], set(SHELLS)),
    ],
)
def test_bash_completes(words: list[str], expected: set[str], home: Path) -> None:
    """End to end: bash reads the script and presses Tab."""
    script = (
        'eval "$(clew completion bash)"\n'
        f"COMP_LINE={' '.join(words)!r}; COMP_POINT={len(' '.join(words))}; COMP_TYPE=9\n"
        f'f=$(complete -p clew | sed "s/.*-F \\([^ ]*\\).*/\\1/"); $f clew {words[-1]!r} {words[-2]!r}\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    assert expected == set(_binary(script).split())


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish_completes(home: Path) -> None:
    """End to end, with what each is for."""
    script = "fish -c 'clew completion fish | source; complete -C \"clew resume --b\"'"
    assert "--budget\tAt most N tokens" in _binary(script)


def test_what_is_free_text_is_not_completed_with_files(home: Path, tmp_path: Path) -> None:
    """Files are offered where one is asked for."""
    (tmp_path / "plan.md").touch()
    answer = tmp_path / "answer"
    for line, is_there in (("clew lint pl", True), ("clew decide pl", False)):
        asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        _binary("", cwd=tmp_path, _ARGCOMPLETE_STDOUT_FILENAME=str(answer), **asked)
        assert ("plan.md" in answer.read_text(encoding="utf-8")) == is_there


def _binary(script: str, *, cwd: Path | None = None, **environment: str) -> str:
    """Run a bash script with `clew` on the path, or `clew` itself if it is empty; its stdout."""
    folder = Path(sys.executable).parent
    variables = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", **environment}
    command = ["bash", "-c", script] if script else [str(folder / "clew")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=30, cwd=cwd, check=False)
    assert done.stderr == ""
    return done.stdout
