"""A disk does something to a file that clew owns: no command ends with a fault, and what is told is what was written,
or it is said that it is not.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

from tests.app.worlds import project
from tests.recordings.sessions import Recorder

from benchmarks.attacks.trial import Trial
from clew import wiring
from clew.app.install.setup import Choices, set_up
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import opt_in
from clew.interfaces.cli.main import EXIT_FAULT, run

_LEDGER: Final = Path(".git", "clew")
# What is made before the damage, and asked behind it. The first of the latter tell what was kept.
_MAKE: Final = (
    "decide Page-by-cursor --why rows-move", "note failed Retry-with-jitter --guard word:jitter",
    "note finding The-tide-is-ten", "checkpoint first", "search tide", "cost", "archive", "stack new notes",
    "stack add notes files src/a.py", "stack build notes -o out.md", "resume", "plan new Mend",
)  # fmt: skip
_TELL: Final = ("log", "show", "stack replay notes", "archive list", "search tide")
_USE: Final = (
    "cost", "status", "sessions", "gate", "settings", "trust", "memory", "note finding The-moon-stays",
    "checkpoint", "rebuild", "export -", "stack build notes -o out.md", "drift", "resume", "search moon",
    "archive", "budget",
)  # fmt: skip
_USED: Final = 4
_REPAIR: Final = "doctor --repair"


def damaged(count: int, seed: int) -> Trial:
    """Damage one file in one way, `count` times, and go on."""
    chance, outcomes, broke = random.Random(seed), Counter[str](), []
    with scene() as (top, kept):
        whole = top.parent / "whole"
        shutil.copytree(top, whole, symlinks=True)
        _put_back(whole, top)
        right = [ran(one)[:2] for one in _TELL]
        well = _findings(ran("doctor")[1])
        for number in range(count):
            _put_back(whole, top)
            files = kept()
            place = chance.choice(sorted({path.parent for path in files}))  # some folders hold many of one kind
            file = chance.choice([path for path in files if path.parent == place])
            harm = chance.choice(list(HARMS))
            HARMS[harm](file, chance)
            outcome = _outcome(right, well, chance.sample(_USE, _USED))
            outcomes[outcome.partition(":")[0]] += 1
            if outcome.startswith(("fault", "unsaid")):
                broke.append(f"round {number}, {harm} {file.relative_to(top)}: {outcome}")
        os.chdir("/")
    told = ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items()))
    return Trial("a file of clew's damaged", count, tuple(broke), told)


def _outcome(right: list[tuple[int, str]], well: list[str], use: Sequence[str]) -> str:
    doctor = ran("doctor")
    told = [ran(one) for one in _TELL]
    lines = [
        *zip(("doctor", *_TELL), (doctor, *told), strict=True),
        *((one, ran(one)) for one in (*use, _REPAIR, "log")),
    ]
    for line, (code, _, err) in lines:
        if code == EXIT_FAULT or "E-fault" in err:
            return f"fault: {line} says {err.strip()[:200]}"
    said = _findings(doctor[1]) != well
    if [one[:2] for one in told] == right:
        return "told by the doctor" if said else "without effect"
    if said or any(code or "damaged" in err or "cannot" in err for code, _, err in told):
        return "said"
    other = next(line for line, was, now in zip(_TELL, right, told, strict=True) if was != now[:2])
    return f"unsaid: {other} tells something else"


def _findings(told: str) -> list[str]:
    """What the doctor has to say, without what is well."""
    return [line for line in told.splitlines() if line.startswith(("WRONG", "warn", "--"))]


def ran(line: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line; a dash in a word that begins with a capital is a blank."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([word.replace("-", " ") if word[:1].isupper() else word for word in line.split()])
    out.flush()
    return code, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue()  # type: ignore[attr-defined]


@contextmanager
def scene() -> Iterator[tuple[Path, Callable[[], list[Path]]]]:
    """A user, a project and all that clew keeps of both; what lists its files."""
    before, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="clew-damage-") as folder:
        top = Path(folder).resolve() / "world"
        home = top / "home"
        home.mkdir(parents=True)
        os.environ.clear()
        os.environ.update({"HOME": str(home), "PATH": before.get("PATH", os.defpath), "NO_COLOR": "1"})
        try:
            repo = project(top / "tide", src__a_py="a = 1\n")
            story = Recorder(repo.top).user("Make the tide ten").read("src/a.py", "a = 1\n")
            story.edit("src/a.py", "1", "10", original="a = 1\n").reply("The tide is ten now.").save(home)
            os.chdir(repo.top)
            ports, machine = wiring.ports(os.environ), wiring.machine(os.environ)
            set_up(ProjectHandle(ports, repo.top), machine, (), Choices(clients=()), find_program=shutil.which)
            opt_in(machine.data, repo.top)  # no client has hooks here, which the doctor would try each time
            for line in _MAKE:
                code, _, err = ran(line)
                if code:
                    raise RuntimeError(f"clew {line}: {err}")
            places = (home / ".local", home / ".cache", home / ".config", repo.top / _LEDGER, repo.top / ".clew")

            def kept() -> list[Path]:
                return sorted(path for place in places for path in place.rglob("*") if path.is_file())

            yield top, kept
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)


def _put_back(whole: Path, top: Path) -> None:
    """The world as it was, at its place, with the times of its files."""
    os.chdir("/")
    shutil.rmtree(top)
    shutil.copytree(whole, top, symlinks=True)
    os.chdir(top / "tide")


def _bit(file: Path, chance: random.Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(min(len(data), chance.choice((1, 2)))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def _put_in(file: Path, chance: random.Random) -> None:
    data = file.read_bytes()
    at = chance.randrange(len(data) + 1)
    file.write_bytes(data[:at] + chance.randbytes(16) + data[at:])


def _every_97th(file: Path, chance: random.Random) -> None:
    first = chance.randrange(97)
    file.write_bytes(bytes(one ^ 0xFF if n % 97 == first else one for n, one in enumerate(file.read_bytes())))


def _cut(file: Path, chance: random.Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: chance.randrange(len(data) + 1)])


def _zeroed(file: Path, chance: random.Random) -> None:
    data = file.read_bytes()
    at = chance.randrange(len(data) + 1)
    file.write_bytes((data[:at] + bytes(1024) + data[at + 1024 :])[: len(data)])


def _junk(file: Path, chance: random.Random) -> None:
    file.write_bytes(chance.randbytes(len(file.read_bytes())))


def _folder(file: Path, _: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _gone(file: Path, _: random.Random) -> None:
    file.unlink()


def _link(file: Path, _: random.Random) -> None:
    file.unlink()
    file.symlink_to("nowhere")


HARMS: Final[Mapping[str, Callable[[Path, random.Random], None]]] = {
    "bits of": _bit,
    "16 bytes put into": _put_in,
    "each 97th byte of": _every_97th,
    "cut off": _cut,
    "zeros in": _zeroed,
    "junk in": _junk,
    "a folder in place of": _folder,
    "gone": _gone,
    "a link in place of": _link,
}
