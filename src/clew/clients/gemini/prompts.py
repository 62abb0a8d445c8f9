"""What of a user message is the user's own words, what hooks put beside them, and what the client wrote itself.

Knows texts and parts only. Every marker is listed with where it was seen in docs/clients/gemini.md.
"""

import re
from typing import Any, Final, Literal, NamedTuple

Source = Literal["typed", "command", "client", "summary"]


class PromptText(NamedTuple):
    """The text of a user message. "client": the client wrote it, nobody said it; "summary": of a compaction."""

    source: Source
    text: str


_HOOK: Final = "<hook_context>"
_HOOK_END: Final = "</hook_context>"
# Between a text and what a hook put before or behind it.
_GAP: Final = "\n\n"
# A text that begins with one of these was written by the client, whole.
_CLIENTS: Final = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object.",
    "Here is a summary of changes in the user's editor context",
    "System: Please continue.",
    "System: Potential loop detected.",
    "clew: ",  # what our hook said at the end of a turn: the client records it as it records a prompt
)
_REFERENCED: Final = "\n--- Content from referenced files ---"
SNAPSHOT: Final = "<state_snapshot>"
_SNAPSHOT_END: Final = "</state_snapshot>"
# How the client's own request for a summary lets one begin.
_SNAPSHOT_LEADS: Final = (SNAPSHOT, "<scratchpad>")
_COMMAND: Final = re.compile(r"/[a-zA-Z][\w:.-]*(?:\s|$)")
_KINDS: Final = {"image": "[image]", "audio": "[audio]", "video": "[video]", "application": "[document]"}


def said(shown: Any, content: Any) -> PromptText:
    """What a user message says: `shown` is what was typed where the client keeps that apart, else `content` tells.

    Both are a string or parts. A message of nothing but tool results or hook texts says nothing (source "client").
    """
    text = without_hooks(text_of(shown).strip()) or without_hooks(text_of(content).strip())
    text = text.partition(_REFERENCED)[0].strip()
    if not text or text == "?" or text.startswith(_CLIENTS):
        return PromptText("client", "")
    if text.startswith(_SNAPSHOT_LEADS) and SNAPSHOT in text:
        return PromptText("summary", summarised(text))
    return PromptText("command" if _COMMAND.match(text) else "typed", text)


def summarised(text: str) -> str:
    """The summary in the message that the client begins a compacted context with: without its thoughts and tags."""
    inside = text.rpartition(SNAPSHOT)[2]  # the last one: the model may write a first one for itself
    return inside.partition(_SNAPSHOT_END)[0].strip()


def without_hooks(text: str) -> str:
    """`text` without what hooks put there."""
    return apart(text)[0]


def apart(text: str) -> tuple[str, list[str]]:
    """`text` without what hooks put before and behind it, to the letter; and those texts as the hooks gave them, for
    the client writes their `<` and `>` as entities. Within a text such a block is somebody's own words.
    """
    before: list[str] = []
    behind: list[str] = []
    while text.startswith(_HOOK) and (end := text.find(_HOOK_END)) >= 0:
        before.append(text[len(_HOOK) : end])
        text = text[end + len(_HOOK_END) :].removeprefix(_GAP)
    while text.endswith(_HOOK_END) and (start := text.rfind(_HOOK)) >= 0:
        behind.insert(0, text[start + len(_HOOK) : -len(_HOOK_END)])
        text = text[:start].removesuffix(_GAP)
    return text, [found.replace("&lt;", "<").replace("&gt;", ">") for found in (*before, *behind)]


def text_of(content: Any) -> str:
    """The words in a message's content (a string, or parts), without thoughts; pictures and the like as one word."""
    if isinstance(content, str):
        return content
    found: list[str] = []
    for part in parts_of(content):
        text = part.get("text")
        if isinstance(text, str):
            if not part.get("thought"):
                found.append(text)
        elif isinstance(data := part.get("inlineData") or part.get("fileData"), dict):
            found.append(_KINDS.get(str(data.get("mimeType")).partition("/")[0], "[file]"))
    return "\n".join(found)


def parts_of(content: Any) -> list[dict[str, Any]]:
    """The parts of a message's content, as objects."""
    if isinstance(content, str):
        return [{"text": content}]
    parts = content if isinstance(content, list) else [content]
    return [{"text": part} if isinstance(part, str) else part for part in parts if isinstance(part, str | dict)]
