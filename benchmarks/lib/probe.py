"""Run one command and print what it cost: `python -I -S probe.py [-i FILE] COMMAND ...`, by `timing.py` only.

`-i`: the bytes of FILE come to the command through a pipe, as from a program that starts it.

A process of its own, because a child's peak memory begins with what its parent held when it forked: measured from a
parent that has a corpus in memory, every command would look as large as that corpus. Last line of stderr:
`wall_s cpu_s peak_kb status`.
"""

import os
import sys
from time import perf_counter

KB = 1024 if sys.platform == "darwin" else 1  # ru_maxrss is in bytes there, in kilobytes elsewhere

arguments, given, actions = sys.argv[1:], b"", []
if arguments[0] == "-i":
    with open(arguments[1], "rb") as file:  # noqa: PTH123 - `pathlib` would make this process larger
        given = file.read()
    arguments = arguments[2:]
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, reading, 0)]
start = perf_counter()
child = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=actions)
if actions:
    os.close(reading)
    try:
        while given:
            given = given[os.write(writing, given) :]
    except BrokenPipeError:
        pass  # it did not read to the end
    os.close(writing)
_, status, usage = os.wait4(child, 0)
wall_s = perf_counter() - start
cpu_s = usage.ru_utime + usage.ru_stime
print(wall_s, cpu_s, usage.ru_maxrss // KB, os.waitstatus_to_exitcode(status), file=sys.stderr)
