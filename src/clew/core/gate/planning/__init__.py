"""What may run while a task is being planned: only what reads.

`line` reads a shell line down to the options of each command, `programs` knows which of them only read, `git` and
`scripts` those that have a language of their own (git; sed, awk, find), `tools` the tools of each client. Unknown is
refused. Pure, and imports nothing of the library: a hook does, while a plan is open.
"""
