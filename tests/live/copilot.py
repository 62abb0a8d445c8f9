"""GitHub Copilot CLI itself, without a person at it, against a scripted model, in a home of its own.

Where the model is, is told by variables; offline it needs no login.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.live import people
from tests.live.endpoint import Endpoint
from tests.live.people import Compaction, Package, lines_of

VERSION = "1.0.102"
MODEL = "claude-sonnet-4.5"  # to which it offers the tools `edit` and `create`


class Person(people.Person):
    """Somebody who has GitHub Copilot CLI."""

    name = "copilot"
    package = Package("@github/copilot", VERSION, "copilot", "CLEW_COPILOT")
    compacts = False

    def command(self, prompt: str, endpoint: Endpoint, cwd: Path, options: Sequence[str]) -> list[str]:
        return [str(self.client), "-p", prompt, "--allow-all", "--output-format", "json", *options]

    def ready(self) -> None:
        """At a terminal it asks first whether the folder is trusted."""
        path = self.home / ".copilot" / "config.json"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"trustedFolders": [str(self.home.parent)]}), encoding="utf-8")

    def seated(self, prompt: str, endpoint: Endpoint, cwd: Path) -> list[str]:
        return [str(self.client), "-i", prompt, "--allow-all"]

    def own(self, endpoint: Endpoint) -> Mapping[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{endpoint.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "dummy",
            "COPILOT_MODEL": MODEL,
        }

    def answer(self, out: str) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for line in lines_of(out):
            if line.get("type") == "result":
                found["session_id"] = line.get("sessionId", "")
            elif line.get("type") == "assistant.message" and "agentId" not in line:
                found["result"] = line["data"]["content"]
        return found

    def resuming(self, session: str) -> tuple[str, ...]:
        return "--resume", session

    def compacting(self) -> Compaction:
        """By itself it compacts behind the back of the model, and gives that up where the turn ends before. So a person
        does it by hand, whenever a session is resumed.
        """
        self.compacts = True
        return Compaction((), None)

    def run(
        self, prompt: str, endpoint: Endpoint, cwd: Path, *options: str, seconds: float = 180, **environment: str
    ) -> people.Ran:
        if self.compacts and "--resume" in options:
            super().run("/compact", endpoint, cwd, *options, seconds=seconds, **environment)
        return super().run(prompt, endpoint, cwd, *options, seconds=seconds, **environment)

    def record(self, session: str) -> Path:
        return self.home / ".copilot" / "session-state" / session / "events.jsonl"
