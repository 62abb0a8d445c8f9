"""How our plugin in OpenCode speaks with hooks, as far as that differs from the canonical form.

Events and answers are canonical; tools and their arguments go as the client has them. The plugin tells what other
clients leave to be looked up: tokens, model, window, whether a person sits there, and the summary of a compaction.
Imports nothing: it runs at every tool call. Sources: docs/clients/opencode.md.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Starts whose text the client puts before the model and keeps nowhere: their receipt would be looked for in vain.
UNSEEN = ("compact",)

_TOOLS = {"bash": "Bash", "edit": "Edit", "write": "Write", "read": "Read", "apply_patch": "apply_patch"}
_ARGUMENTS = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string", "patchText": "command"}


def heard(
    name: str,
    event: "dict[str, Any]",
    tail: "Callable[[str, int], bytes]",  # noqa: ARG001 - what other clients' events leave out
    parse: "Callable[[bytes], dict[str, Any]]",  # noqa: ARG001
) -> str:
    """The canonical name of the event `name`; `event` is made canonical."""
    cwd, given = event.get("cwd"), event.get("tool_input")
    if isinstance(given, dict):
        tool = event.get("tool_name")
        event["tool_name"] = _TOOLS.get(tool, tool) if isinstance(tool, str) else None
        given = event["tool_input"] = {_ARGUMENTS.get(key, key): value for key, value in given.items()}
        path, folder = given.get("file_path"), given.get("workdir")
        if isinstance(path, str) and not path.startswith("/") and isinstance(cwd, str):
            given["file_path"] = f"{cwd}/{path}"
        if isinstance(folder, str) and folder:
            event["cwd"] = folder if folder.startswith("/") else f"{cwd}/{folder}"
    event.setdefault("attended", False)
    return name


def used(event: "dict[str, Any]") -> "list[tuple[str, str, str, str, list[int]]]":
    """What the session and its sub-agents used since this client runs, as our plugin adds it up: by model and day a
    name, when the first of it was used and the last, the model, and tokens as `spent` of other dialects tells them.
    """
    found = []
    for name, one in _items(event.get("used")):
        tokens, since, last, model = one.get("tokens"), *(str(one.get(key, "")) for key in ("since", "at", "model"))
        if isinstance(tokens, list) and len(tokens) == 4 and all(isinstance(value, int) for value in tokens):
            given, written, read, output = [max(0, value) for value in tokens]
            found.append((name, since, last, model, [given, written, 0, read, output]))
    return found


def _items(value: object) -> "list[tuple[str, dict[str, Any]]]":
    return [(name, one) for name, one in value.items() if isinstance(one, dict)] if isinstance(value, dict) else []
