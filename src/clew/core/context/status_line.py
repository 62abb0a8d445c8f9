"""The parts of a client's status line: written by full programs, read by the hook that prints it. Imports nothing.

Three lines: the task, the phase, when it was last saved (seconds since 1970); each may be empty.
"""


def pack(*, task: str, phase: str, saved_s: int) -> str:
    """The parts as they are kept. The texts are of one line each; `saved_s` is 0 if nothing was saved yet."""
    return f"{task}\n{phase}\n{saved_s or ''}\n"


def shown(parts: str, *, now_s: int, context_percent: int | None, broken: bool) -> str:
    """One line for people: what of the parts is there, with the age of the last save; "" if there is no task.

    `context_percent` is None as long as the client does not know it. `broken`: a hook of clew failed and nobody was
    told yet.
    """
    task, phase, saved = [*parts.split("\n"), "", "", ""][:3]
    said = [_cut(task, 40), _cut(phase, 30)] if task else []
    if context_percent is not None:
        said.append(f"context {context_percent} %")
    if saved.isdecimal():
        said.append(_age(now_s - int(saved)))
    if broken:
        said.append("! clew failed: run `clew doctor`")
    return " · ".join(part for part in said if part)


def _age(seconds: int) -> str:
    minutes = max(0, seconds) // 60
    if minutes < 60:
        return f"saved {minutes} min ago"
    hours = minutes // 60
    return f"saved {hours} h ago" if hours < 48 else f"saved {hours // 24} days ago"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
