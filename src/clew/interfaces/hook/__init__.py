"""What clients run at every turn and tool call: costs hardly more than starting the interpreter, never blocks anybody.

See docs/reference/hooks.md. `clewhook.py` is the file that `clew init` copies to the user's data; it finds the package
and calls `entry.py`, the first step, which imports nothing and mostly ends there. The second is ordinary code: `judge`,
`budget`, `after`, and the full program (`full`).
"""
