"""What a session opened with an address of its own: pull requests and issues."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from clew.core.gate.shell import purposes
from clew.core.gate.shell.words import program
from clew.core.records.transcript import Link, Reply, Run
from clew.core.text.cleaning import one_line, shorten
from clew.distill.messages import gh_title
from clew.distill.session import Event, Step

_TITLE_CHARS = 100
_MADE = {"pr": "pull request", "issue": "issue", "release": "release"}
# Patterns are compiled when a session needs them. The command prints the address of what it made on a line of its own.
_PRINTED = r"(?m)^https?://\S+/(?:pull|issues|merge_requests|releases/tag)/\S+$"
# The Codex app tells of what it did in leaf directives of Markdown.
_DIRECTED = r"::git-create-pr\{[^{}\n]*\burl=\"(https?://[^\"\s]+)\""
# An agent says so of itself, with a link: some clients keep what a long command printed apart from the command.
_SAID = (
    r"(?im)^[ \t>*_-]*(?:(?:I|We)(?:'ve| have)? )?(?:opened|created|filed|submitted)\b(?:(?!\bby\b)[^\n.;]){0,80}?"
    r"(https?://[^\s()<>\]]+/(issues|pull|merge_requests)/\d+)"
)
_PATHS = {"issues": "issue", "pull": "pull request", "merge_requests": "merge request"}


class Opened(NamedTuple):
    """`text` says what it is. `event` is where its address was first told; `proved`: by a tool, not only said."""

    text: str
    url: str
    event: int
    proved: bool


class Openings:
    """All that was opened so far, one for each address."""

    def __init__(self) -> None:
        self._found: dict[str, Opened] = {}

    def take(self, index: int, event: Event) -> None:
        """Read one event."""
        if isinstance(event, Link):
            self._add(event.text, event.url, index)
        elif isinstance(event, Reply):
            if "::git-create-pr{" in event.text:
                for url in re.findall(_DIRECTED, event.text):
                    self._add(_MADE["pr"], url, index)
            if "://" in event.text and any(f"/{path}/" in event.text for path in _PATHS):
                for url, kind in re.findall(_SAID, event.text):
                    self._add(_PATHS[kind], url, index, proved=False)
        elif isinstance(event, Step) and isinstance(event.call.action, Run) and event.done:
            command = event.call.action.command
            # Behind a "||" another command may have printed the address of what was there before.
            if "gh " in command and " create" in command and "||" not in command:
                self._made(index, command, event.result.text if event.result else "")

    def all(self) -> tuple[Opened, ...]:
        """All of them, in the order in which they were opened."""
        return tuple(self._found.values())

    def _made(self, index: int, command: str, output: str) -> None:
        made = [
            part
            for part in purposes.split(command)
            if program(part.words[0]) == "gh" and part.words[1:2] and part.words[2:3] == ("create",)
        ]
        for part, url in zip(made, re.findall(_PRINTED, output), strict=False):
            name = _MADE.get(part.words[1], part.words[1])
            title = shorten(one_line(gh_title(part)), _TITLE_CHARS)
            self._add(f"{name}: {title}" if title else name, url, index)

    def _add(self, text: str, url: str, index: int, *, proved: bool = True) -> None:
        known = self._found.get(url)
        if known is None:
            self._found[url] = Opened(text, url, index, proved)
        elif proved and not (known.proved and len(text) <= len(known.text)):
            self._found[url] = known._replace(text=text, proved=True)


def is_draft(events: Sequence[Event], url: str) -> bool:
    """Whether a pull request is a draft as far as the record tells: opened as one, and not made ready since."""
    draft = False
    for event in events:
        action = event.call.action if isinstance(event, Step) and event.done else None
        if isinstance(action, Run) and "gh pr" in action.command:
            printed = event.result.text if isinstance(event, Step) and event.result else ""
            if url in printed and " create" in action.command:
                draft = bool(re.search(r"\s(?:--draft|-d)\b", action.command))
            if re.search(r"\bgh pr ready\b", action.command):
                draft = "--undo" in action.command
    return draft
