"""Conversations in the shapes of three APIs, as strategies, and what those APIs refuse of a list of messages."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

from hypothesis import strategies as st

Messages: TypeAlias = list[dict[str, Any]]

WORDS = st.sampled_from("the tide turns at noon and boats in harbour.py go out again 1984".split())
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)


@st.composite
def anthropic(draw: st.DrawFn) -> Messages:
    """Turns of a user and an assistant that calls tools, several at a time."""
    found: Messages = []
    for turn in range(draw(st.integers(1, 6))):
        found.append({"role": "user", "content": draw(TEXTS)})
        for step in range(draw(st.integers(0, 3))):
            names = [f"toolu_{turn}_{step}_{call}" for call in range(draw(st.integers(1, 3)))]
            uses = [{"type": "tool_use", "id": name, "name": "read", "input": {"path": draw(WORDS)}} for name in names]
            found.append({"role": "assistant", "content": [{"type": "text", "text": draw(TEXTS)}, *uses]})
            results = [{"type": "tool_result", "tool_use_id": name, "content": draw(TEXTS)} for name in names]
            found.append({"role": "user", "content": results})
        found.append({"role": "assistant", "content": draw(TEXTS)})
    return found[: draw(st.integers(1, len(found)))]


@st.composite
def chat(draw: st.DrawFn) -> Messages:
    """The same for Chat Completions, with a system message in front."""
    found: Messages = [{"role": "system", "content": draw(TEXTS)}]
    for turn in range(draw(st.integers(1, 6))):
        found.append({"role": "user", "content": draw(TEXTS)})
        for step in range(draw(st.integers(0, 3))):
            names = [f"call_{turn}_{step}_{call}" for call in range(draw(st.integers(1, 3)))]
            function = {"name": "read", "arguments": '{"path": "a"}'}
            calls = [{"id": name, "type": "function", "function": function} for name in names]
            found.append({"role": "assistant", "content": None, "tool_calls": calls})
            found += [{"role": "tool", "tool_call_id": name, "content": draw(TEXTS)} for name in names]
        found.append({"role": "assistant", "content": draw(TEXTS)})
    return found[: draw(st.integers(1, len(found)))]


@st.composite
def responses(draw: st.DrawFn) -> Messages:
    """The same for Responses: items, with reasoning before what the model does."""
    found: Messages = []
    for turn in range(draw(st.integers(1, 6))):
        found.append({"role": "user", "content": [{"type": "input_text", "text": draw(TEXTS)}]})
        for step in range(draw(st.integers(0, 3))):
            names = [f"call_{turn}_{step}_{call}" for call in range(draw(st.integers(1, 3)))]
            found.append({"type": "reasoning", "id": f"rs_{turn}_{step}", "summary": []})
            found += [{"type": "function_call", "call_id": name, "name": "read", "arguments": "{}"} for name in names]
            found += [{"type": "function_call_output", "call_id": name, "output": draw(TEXTS)} for name in names]
        text = {"type": "output_text", "text": draw(TEXTS)}
        found.append({"type": "message", "role": "assistant", "content": [text]})
    return found[: draw(st.integers(1, len(found)))]


CONVERSATIONS = st.one_of(anthropic(), chat(), responses())

# Whatever somebody may have in a list of messages.
ODD_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("role type content text id tool_calls tool_use_id call_id input name data".split()),
            inner
            | st.sampled_from("user assistant tool system tool_use tool_result reasoning function_call image".split()),
            max_size=5,
        )
    ),
    max_leaves=12,
)
ODD_MESSAGES = st.lists(ODD_VALUES, max_size=8)


def refused(messages: Messages) -> str:
    """What an API would refuse the list for, as far as it is about what belongs together; "" if nothing is.

    A call in the last turn may still wait for its result.
    """
    open_calls: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.get("type") == "reasoning" and index + 1 < len(messages):
            following = messages[index + 1]
            if following.get("role") == "user" or "output" in str(following.get("type")):
                return "reasoning without what it led to"
        if message.get("type") == "function_call" and not _reasoned(messages[:index]):
            return "a call without its reasoning"
        for result in _results(message):
            if result not in open_calls:
                return f"the result {result} without its call"
            del open_calls[result]
        if open_calls and not _results(message) and message.get("type") not in ("function_call", "reasoning"):
            return f"calls without results: {open_calls}"
        open_calls |= dict.fromkeys(_calls(message), index)
    return ""


def _reasoned(before: Messages) -> bool:
    for message in reversed(before):
        if message.get("type") == "reasoning":
            return True
        if message.get("type") != "function_call":
            return False
    return False


def _calls(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    found = [call["id"] for call in message.get("tool_calls") or []]
    found += [block["id"] for block in blocks if block.get("type") == "tool_use"]
    return found + ([message["call_id"]] if message.get("type") == "function_call" else [])


def _results(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    found = [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]
    found += [message["tool_call_id"]] if message.get("role") == "tool" else []
    return found + ([message["call_id"]] if message.get("type") == "function_call_output" else [])


def takes_turns(messages: Messages) -> bool:
    """Whether user and assistant take turns, beginning with the user; system messages do not count."""
    sides = [
        "assistant" if one.get("role") == "assistant" or one.get("type") in ("reasoning", "function_call") else "user"
        for one in messages
        if one.get("role") != "system"
    ]
    return sides[:1] != ["assistant"] and all(one != other for one, other in pairwise(sides))
