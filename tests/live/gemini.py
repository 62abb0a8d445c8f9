"""Gemini CLI itself, without a person at it, against a scripted model, in a home of its own.

Where the model is, is told by variables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.live import people
from tests.live.endpoint import Endpoint
from tests.live.people import Compaction, Package

VERSION = "0.61.0"
MODEL = "gemini-2.5-pro"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "model": {"compressionThreshold": 0.001},  # of a million: what any session holds when it is resumed
}


class Person(people.Person):
    """Somebody who has Gemini CLI."""

    name = "gemini"
    package = Package("@google/gemini-cli", VERSION, "gemini", "CLEW_GEMINI")

    def command(self, prompt: str, endpoint: Endpoint, cwd: Path, options: Sequence[str]) -> list[str]:
        return [str(self.client), "-p", prompt, "-m", MODEL, "--yolo", "-o", "json", *options]

    def ready(self) -> None:
        """How the user is known to the model can only be told by their settings."""
        path = self.home / ".gemini" / "settings.json"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(SETTINGS, indent=2), encoding="utf-8")

    def seated(self, prompt: str, endpoint: Endpoint, cwd: Path) -> list[str]:
        return [str(self.client), "-i", prompt, "-m", MODEL, "--yolo"]

    def own(self, endpoint: Endpoint) -> Mapping[str, str]:
        return {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": endpoint.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def answer(self, out: str) -> Mapping[str, Any]:
        start = out.find("{")
        try:
            found = json.loads(out[start:]) if start >= 0 else {}
        except ValueError:
            return {}
        return {"session_id": found.get("session_id", ""), "result": found.get("response", "")}

    def resuming(self, session: str) -> tuple[str, ...]:
        return "--resume", session

    def compacting(self) -> Compaction:
        """It looks before each request, but finds something to leave out only when a session is gone on with."""
        return Compaction((), None)

    def record(self, session: str) -> Path:
        (found,) = (self.home / ".gemini" / "tmp").glob(f"*/chats/session-*-{session[:8]}.json*")
        return found
