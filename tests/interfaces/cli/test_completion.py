"""`clew completion`: the scripts make shells complete, not only exist."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
def test_what_the_script_asks_for_is_answered(shell: str, home: Path) -> None:
    """The script calls clew itself: the answer comes from the real commands."""
    found = _asked(shell, "re")
    assert "resume" in found
    assert "show" not in found


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["clew", "sh"], {"show"}),
        (["clew", "resume", "--b"], {"--budget"}),
        (["clew", "task", "un"], {"unbind"}),
        (["clew", "completion", ""], set(SHELLS)),
    ],
)
def test_bash_completes(words: list[str], expected: set[str], home: Path) -> None:
    """End to end: bash reads the script and presses Tab."""
    script = (
        'eval "$(clew completion bash)"\n'
        f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        f'f=$(complete -p clew | sed "s/.*-F \\([^ ]*\\).*/\\1/"); $f clew {words[-1]!r} {words[-2]!r}\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    assert expected == set(_binary(script).split())


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish_completes(home: Path) -> None:
    """End to end, with what each is for."""
    script = "fish -c 'clew completion fish | source; complete -C \"clew resume --b\"'"
    assert "--budget\tAt most N tokens" in _binary(script)


def test_what_is_free_text_is_not_completed_with_files(home: Path) -> None:
    """The shell is asked for files where one is wanted."""
    assert "file," in _asked("bash", "lint", "pl")
    assert "" == _asked("bash", "decide", "pl").strip()


def _asked(shell: str, *words: str) -> str:
    """What clew answers to a shell about the last of `words`."""
    line = " ".join(("clew", *words))
    word = words[-1] if shell == "fish" else str(len(words))
    return _binary("", _CLEW_COMPLETE=f"{shell}_complete", COMP_WORDS=line, COMP_CWORD=word)


def _binary(script: str, **environment: str) -> str:
    """Run a bash script with `clew` on the path, or `clew` itself if it is empty; its stdout."""
    folder = Path(sys.executable).parent
    variables = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", **environment}
    command = ["bash", "-c", script] if script else [str(folder / "clew")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=30, check=False)
    assert done.stderr == ""
    return done.stdout
