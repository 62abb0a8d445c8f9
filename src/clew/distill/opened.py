"""What a session opened with an address of its own, and how its pull requests stand: title, text, draft or merged."""

import re
from typing import Literal, NamedTuple

from clew.core.gate.shell import outcomes, purposes
from clew.core.gate.shell.cut import Command
from clew.core.gate.shell.words import Options, program
from clew.core.records.transcript import Link, Reply, Run
from clew.core.text.cleaning import one_line, shorten
from clew.distill.session import Event, Step
from clew.distill.shell_lines import gh_title

_TITLE_CHARS = 100
_MADE = {"pr": "pull request", "issue": "issue", "release": "release"}
# Patterns are compiled when a session needs them. The command prints the address of what it made on a line of its own.
_PRINTED = r"(?m)^https?://\S+/(?:pull|issues|merge_requests|releases/tag)/\S+$"
# The Codex app tells of what it did in leaf directives of Markdown.
_DIRECTED = r"::git-create-pr\{[^{}\n]*\burl=\"(https?://[^\"\s]+)\""


State = Literal["open", "draft", "merged", "closed"]


class Opened(NamedTuple):
    """Something with an address, as it stood when the session last told of it. `title` is "" where nobody told it,
    `state` is of pull requests. `event` is where its address was first told, `last` where it was last told of.
    `is_made`: the session opened it, and did not only change it or look it up.
    """

    kind: str
    url: str
    event: int
    last: int
    is_made: bool = True
    label: str = ""
    title: str = ""
    state: State = "open"

    @property
    def text(self) -> str:
        """What it is, in a few words."""
        title = shorten(one_line(self.title), _TITLE_CHARS)
        return f"{self.kind}: {title}" if title else self.label or self.kind


_NUMBERED = r"(?:/(?:pull|issues|merge_requests)/|\A)(\d+)(?!\w)"
# What the verbs of `gh pr` make of a pull request, and the words for that.
_BECOMES: dict[str, State] = {"merge": "merged", "close": "closed", "reopen": "open", "ready": "open"}


class Openings:
    """All that was opened or changed so far, one for each address; a pull request without one by its number."""

    def __init__(self) -> None:
        self._found: dict[str, Opened] = {}

    def take(self, index: int, event: Event) -> None:
        """Read one event."""
        if isinstance(event, Link):
            self._add(Opened(_MADE["pr"] if "/pull/" in event.url else "", event.url, index, index, label=event.text))
        elif isinstance(event, Reply):
            if "::git-create-pr{" in event.text:
                for url in re.findall(_DIRECTED, event.text):
                    self._add(Opened(_MADE["pr"], url, index, index))
        elif isinstance(event, Step) and isinstance(event.call.action, Run) and event.done:
            command = event.call.action.command
            if "gh " in command:
                self._ran(index, command, event.result.text if event.result else "")

    def all(self) -> tuple[Opened, ...]:
        """What the session opened, in the order in which it did."""
        return tuple(one for one in self._found.values() if one.is_made)

    def pulls(self) -> tuple[Opened, ...]:
        """The pull requests, the one told of last behind all others."""
        return tuple(sorted((one for one in self._found.values() if one.kind == _MADE["pr"]), key=lambda one: one.last))

    def _ran(self, index: int, command: str, output: str) -> None:
        parts = purposes.split(command)
        # Behind a "||" another command may have printed the address of what was there before.
        urls = iter(re.findall(_PRINTED, output) if "||" not in command else ())
        for number, part in enumerate(parts):
            kind, verb = part.words[1:3] if len(part.words) > 2 and program(part.words[0]) == "gh" else ("", "")
            if verb == "create" and (url := next(urls, "")):
                state: State = "draft" if Options(part.words[3:], "gh").flags & {"draft", "d"} else "open"
                self._add(Opened(_MADE.get(kind, kind), url, index, index, title=gh_title(part), state=state))
            elif kind == "pr" and outcomes.outcome(parts, number, "", exit_ok=True) != "hidden":
                if verb in (*_BECOMES, "edit"):
                    self._changed(index, part)

    def _changed(self, index: int, part: Command) -> None:
        """Read what a command makes of the pull request that it names; of the latest one where it names none."""
        given, verb = Options(part.words[3:], "gh"), part.words[2]
        named = [found[1] for word in given.operands if (found := re.search(_NUMBERED, word.lstrip("#")))][:1]
        numbers = {one: re.findall(_NUMBERED, one.url)[:1] for one in self.pulls()}
        known = next((one for one in reversed(numbers) if named in ([], numbers[one])), None)
        known = known or (Opened(_MADE["pr"], named[0], index, index, is_made=False) if named else None)
        if known is not None:
            state: State = "draft" if "undo" in given.flags else _BECOMES.get(verb, known.state)
            state = known.state if given.flags & {"auto", "disable-auto"} else state  # later, or never
            self._found[known.url] = known._replace(title=gh_title(part) or known.title, state=state, last=index)

    def _add(self, made: Opened) -> None:
        known = self._found.get(made.url)
        if known is None:
            self._found[made.url] = made
        elif len(made.text) > len(known.text):
            self._found[made.url] = made._replace(event=known.event)
