"""What is known for good: a topic of the memory, or its index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from clew.sources.port import Context, Fetched, Source, Spec, one_text


class MemoryTopic(Spec, frozen=True):
    """`topic` "" is the index; `scope` whose memory it is."""

    topic: str = ""
    scope: Literal["project", "user"] = "project"


def fetch(spec: MemoryTopic, context: Context, _: Mapping[str, Any]) -> Fetched:
    """The topic's facts with their sources. Raises `ClewError` where there is no such topic, or no memory."""
    text = context.memory(spec.topic, spec.scope)
    whose = "the project's" if spec.scope == "project" else "your"
    what = f"the topic {spec.topic}" if spec.topic else "the index"
    return one_text(text, f"{whose} memory, {what}", language="markdown")


SOURCE: Final = Source("memory", "a topic of the memory, or its index", MemoryTopic, "topic", fetch)
