"""What clew knows of the project: its memory, and what the next session needs to go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from clew.sources.port import Fetched, SourceContext, SourceKind, Spec, one_text


class MemoryTopic(Spec, frozen=True):
    """`topic` "" is the index; `scope` whose memory it is."""

    topic: str = ""
    scope: Literal["project", "user"] = "project"


def _fetch_memory(spec: MemoryTopic, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The topic's facts with their sources. Raises `ClewError` where there is no such topic, or no memory."""
    text = context.memory(spec.topic, spec.scope)
    whose = "the project's" if spec.scope == "project" else "your"
    what = f"the topic {spec.topic}" if spec.topic else "the index"
    return one_text(text, f"{whose} memory, {what}", language="markdown")


MEMORY: Final = SourceKind("memory", "a topic of the memory, or its index", MemoryTopic, "topic", _fetch_memory)


class Payload(Spec, frozen=True):
    """It is made within `budget` by rank; 0 is the profile's own."""


def _fetch_payload(spec: Payload, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The payload of the task that is bound here, or of the newest session. Raises `ClewError` where there is none."""
    return one_text(context.payload(spec.budget), "clew resume: the state of the work here", language="markdown")


PAYLOAD: Final = SourceKind(
    "payload", "the state of the work, as `clew resume` prints it", Payload, "", _fetch_payload, by_budget=True
)
