"""At a prompt: count it, and see at once whether there is anything to say. There mostly is not."""

from clew.interfaces.hook import after, marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event


def run(event: "Event", live: str, data: str) -> None:
    """Answer `UserPromptSubmit`: by the full program if there is something to say, else by nothing."""
    folder = marks.folder_of(event, live)
    if not folder or "agent_id" in event:
        return
    known = marks.is_there(folder + "/prompts")
    marks.append(folder + "/prompts", b".")  # its size is the count: no two hooks can count the same
    marks.touch(folder + "/pending")
    if (
        (after.grown(event, folder, least=1) and after.compacted(event, folder, known=known))
        or (after.grown(event, folder) and after.crossed(event, live, folder))
        or not marks.is_there(folder + "/started")  # no hook of the session's start ran, or it was ended since
        or marks.is_there(folder + "/due")
        or marks.is_there(live + "/broken")
        or _changed(folder)
    ):
        from clew.interfaces.hook import full

        full.run("UserPromptSubmit", event, live, data)
        marks.touch(folder + "/started")


def _changed(folder: str) -> bool:
    """Whether a file that the session has seen was changed from outside, and this was not told yet."""
    lines = marks.tail(folder + "/seen", 16 << 20)
    if not lines:
        return False
    from clew.core.records import seen

    changes = seen.changed(lines, marks.state)
    if not changes:
        return False
    from clew.interfaces.hook.wire import parsed

    told = parsed(marks.read(folder + "/told.json"))
    known = told.get("changed")
    new = not isinstance(known, dict) or any(known.get(path) != [*now] for path, now in changes.items())
    return new and not after.is_quiet(told, folder)
