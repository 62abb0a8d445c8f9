"""Texts that are at hand: a snippet that is kept to be used again, with variables in it, text that was pasted, and what
clew knows of the project: its memory, and what the next session needs to go on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from clew.core.text.cleaning import clean, one_line
from clew.sources.port import Fetched, SourceContext, SourceError, SourceKind, SourcePart, Spec, decode_text, one_text
from clew.workspace.fingerprint import read

_BYTES_MAX: Final = 256 << 10
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,99}\Z", re.ASCII)
_VARIABLE: Final = r"\{\{\s*([A-Za-z_]\w{0,59})\s*\}\}"


class Snippet(Spec, frozen=True):
    """`snippet` is the file's name without `.md`. In it `{{word}}` stands for the value that `variables` gives, or
    `--set word=value` does.
    """

    snippet: str
    variables: dict[str, str] = msgspec.field(default_factory=dict)


def _fetch_snippet(spec: Snippet, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The text with its variables filled in. It counts as the user's words where it lies in the user's folder and the
    stack, which may have come with a repository, puts nothing into it. Raises `SourceError`.
    """
    path, data = _found(spec.snippet, context)
    values = {**spec.variables, **context.variables}
    text, used, missing = decode_text(data), set(), []

    def put(match: re.Match[str]) -> str:
        used.add(match[1])
        if match[1] not in values:
            missing.append(match[1])
        return values.get(match[1], "")

    filled = re.sub(_VARIABLE, put, text)
    if missing:
        raise SourceError(
            f"the snippet {spec.snippet} has no value for {', '.join(dict.fromkeys(missing))}",
            code="E-source-variable",
            hint=f"Say it in `variables`, or with `--set {missing[0]}=…`.",
        )
    is_users = context.own_snippets is not None and path.parent == context.own_snippets
    told = ", ".join(f"{name}={one_line(clean(values[name]))[:40]}" for name in sorted(used))
    whose = "your" if is_users else "the project's"
    provenance = f"{whose} snippet {spec.snippet}" + (f" with {told}" if told else "")
    own = is_users and not (used & set(spec.variables) - set(context.variables))
    return Fetched((SourcePart(filled, language="markdown"),), provenance, own=own)


def _found(name: str, context: SourceContext) -> tuple[Path, bytes]:
    if _NAME.match(name):
        for folder in context.snippets:
            path = folder / f"{name}.md"
            data = read(str(path), limit_bytes=_BYTES_MAX)
            if data is not None:
                return path, data
    folders = " or ".join(map(str, context.snippets)) or "any folder"
    raise SourceError(
        f"there is no snippet {one_line(clean(name))} in {folders}",
        code="E-source-missing",
        hint="A snippet is a file NAME.md there, of at most 256 KiB.",
    )


SNIPPET: Final = SourceKind(
    "snippet", "a text of yours or the project's, with variables", Snippet, "snippet", _fetch_snippet
)


class Text(Spec, frozen=True):
    """`origin` says in words where it is from, `date` of when it is."""

    text: str
    origin: str
    date: date


def _fetch_text(spec: Text, _context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The text. Raises `SourceError` where it says nothing, or not where it is from."""
    for key in ("text", "origin"):
        if not getattr(spec, key).strip():
            raise SourceError(f"a pasted text has no {key}", code="E-source-missing", hint=f"Give it one: `{key} = …`.")
    return one_text(spec.text, f"pasted text: {spec.origin}, {spec.date.isoformat()}", language="markdown")


TEXT: Final = SourceKind("text", "text that you paste, with origin and date", Text, "text", _fetch_text)


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
