"""Run one command and print what it cost: `python -I -S probe.py COMMAND ...`, by `timing.py` only.

A process of its own, because a child's peak memory begins with what its parent held when it forked: measured from a
parent that has a corpus in memory, every command would look as large as that corpus. Last line of stderr:
`wall_s cpu_s peak_kb status`.
"""

import os
import sys
from time import perf_counter

KB = 1024 if sys.platform == "darwin" else 1  # ru_maxrss is in bytes there, in kilobytes elsewhere

start = perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
wall_s = perf_counter() - start
cpu_s = usage.ru_utime + usage.ru_stime
print(wall_s, cpu_s, usage.ru_maxrss // KB, os.waitstatus_to_exitcode(status), file=sys.stderr)
