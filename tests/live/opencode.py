"""OpenCode itself, without a person at it (`opencode run`), against a scripted model, in a home of its own.

Where the model is, is told by a variable that holds a configuration: the user's and the project's are left to whoever
the test is about.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.live import people
from tests.live.endpoint import Endpoint
from tests.live.people import Compaction, Package, lines_of

VERSION = "1.18.33"
WINDOW = 200_000


class Person(people.Person):
    """Somebody who has OpenCode."""

    name = "opencode"
    package = Package("opencode-ai", VERSION, "opencode", "CLEW_OPENCODE")

    def command(self, prompt: str, endpoint: Endpoint, cwd: Path, options: Sequence[str]) -> list[str]:
        return [str(self.client), "run", "--format", "json", "-m", "lab/scripted", *options, prompt]

    def ready(self) -> None:
        """Before it loads a plugin, the client waits until npm has put a package of its own into the user's folder:
        63 MB that no plugin of ours needs, and 90 seconds if there is no registry. This it takes for done."""
        folder = self.home / ".config" / "opencode"
        (folder / "node_modules").mkdir(parents=True, exist_ok=True)
        wanted = {"@opencode-ai/plugin": VERSION}
        (folder / "package.json").write_text(json.dumps({"dependencies": wanted}), encoding="utf-8")
        lock = {"lockfileVersion": 3, "packages": {"": {"dependencies": wanted}}}
        (folder / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")

    def seated(self, prompt: str, endpoint: Endpoint, cwd: Path) -> list[str]:
        return [str(self.client), "--prompt", prompt, "-m", "lab/scripted"]

    def own(self, endpoint: Endpoint) -> Mapping[str, str]:
        return {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_CONFIG_CONTENT": json.dumps(_config(endpoint.url)),
        }

    def answer(self, out: str) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for line in lines_of(out):
            found["session_id"] = line.get("sessionID", "")
            if line.get("type") == "text":
                found["result"] = line["part"]["text"]
        return found

    def resuming(self, session: str) -> tuple[str, ...]:
        return "-s", session

    def compacting(self) -> Compaction:
        return Compaction((), WINDOW)

    def record(self, session: str) -> Path:
        """All sessions are in one database."""
        return self.home / ".local" / "share" / "opencode" / "opencode.db"


def _config(url: str) -> dict[str, Any]:
    model = {"name": "scripted", "limit": {"context": WINDOW, "output": 8_000}, "tool_call": True}
    lab = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "lab",
        "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
        "models": {"scripted": model},
    }
    may = {"permission": {"external_directory": "allow"}}  # nobody is there to be asked
    return {
        **may,
        "provider": {"lab": lab},
        "model": "lab/scripted",
        "small_model": "lab/scripted",
        "share": "disabled",
    }
