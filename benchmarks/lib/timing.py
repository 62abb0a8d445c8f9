"""Whole processes side by side: wall time, CPU time and peak memory, in interleaved pairs.

On a shared machine single times are good for little. Commands are run in turn, the order turned round in every round,
and compared round by round: what slows the machine down slows both.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

_PROBE = Path(__file__).with_name("probe.py")


class Sample(NamedTuple):
    """One run. CPU time includes that of children; peak memory is that of the largest single process, in megabytes.

    Peaks under about 10 MB are those of the measuring process itself.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float


class Ratio(NamedTuple):
    """How two commands compare, over the rounds: median, least and greatest quotient."""

    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f}-{self.most:.2f})"


class CommandFailed(RuntimeError):
    """A measured command did not exit 0; its time means nothing."""


def measure(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, given: Path | None = None
) -> Sample:
    """Run a command once, its output thrown away and the bytes of the file `given` on its stdin.

    Raises `CommandFailed` unless it exits 0.
    """
    probe = [sys.executable, "-I", "-S", str(_PROBE), *(["-i", str(given)] if given else []), *command]
    done = subprocess.run(
        probe,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    said = done.stderr.decode(errors="replace").splitlines()
    fields = said[-1].split() if said else []
    if done.returncode != 0 or len(fields) != 4:
        raise CommandFailed(f"{command[0]} could not be run: {' '.join(said[-3:])}")
    wall_s, cpu_s, peak_kb, status = fields
    if status != "0":
        raise CommandFailed(f"{' '.join(command)} exited {status}: {' '.join(said[-4:-1])}")
    return Sample(float(wall_s), float(cpu_s), int(peak_kb) / 1024)


def interleaved(
    commands: Mapping[str, Sequence[str]],
    *,
    rounds: int,
    warm_ups: int = 1,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> dict[str, list[Sample]]:
    """Samples of each command by name, one a round and in the order of the rounds; warm-ups are not kept."""
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for number in range(-warm_ups, rounds):
        names = list(commands) if number % 2 == 0 else list(commands)[::-1]
        for name in names:
            sample = measure(commands[name], cwd=cwd, env=env)
            if number >= 0:
                samples[name].append(sample)
    return samples


def middle(samples: Sequence[Sample]) -> Sample:
    """The median of each figure by itself."""
    return Sample(*(median(figures) for figures in zip(*samples, strict=True)))


def ratio(of: Sequence[float], to: Sequence[float]) -> Ratio:
    """Quotients of figures from the same rounds."""
    quotients = [one / other for one, other in zip(of, to, strict=True)]
    return Ratio(median(quotients), min(quotients), max(quotients))
