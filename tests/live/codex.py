"""Codex itself, without a person at it (`codex exec`), against a scripted model, in a home of its own.

Where the model is, is told on the command line: `~/.codex` is left to whoever the test is about.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.live import people
from tests.live.endpoint import Endpoint
from tests.live.people import Compaction, Package, lines_of

VERSION = "0.169.0"
# The client offers `apply_patch` only to models that it knows. The newest call tools by scripts, the older one by one.
MODEL, OLDER_MODEL = "gpt-6.1-sol", "gpt-5.5"


class Person(people.Person):
    """Somebody who has Codex."""

    name = "codex"
    package = Package("@openai/codex", VERSION, "codex", "CLEW_CODEX")
    model = MODEL

    def ready(self) -> None:
        """The client's shell is a login shell, whose profile may set PATH again: the person's says where `clew` is."""
        programs = Path(sys.executable).parent
        (self.home / ".profile").write_text(f'PATH="{programs}:$PATH"\n', encoding="utf-8")

    def command(self, prompt: str, endpoint: Endpoint, cwd: Path, options: Sequence[str]) -> list[str]:
        """`options` may begin with a subcommand of `exec` (see `resuming`)."""
        return [str(self.client), "exec", "--json", "--skip-git-repo-check", *self._here(endpoint), *options, prompt]

    def seated(self, prompt: str, endpoint: Endpoint, cwd: Path) -> list[str]:
        trusted = f'projects={{"{cwd}"={{trust_level="trusted"}}}}'
        return [str(self.client), *self._here(endpoint), "-c", trusted, prompt]

    def own(self, endpoint: Endpoint) -> Mapping[str, str]:
        return {"LAB_API_KEY": "dummy"}

    def answer(self, out: str) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for line in lines_of(out):
            if line.get("type") == "thread.started":
                found["session_id"] = line["thread_id"]
            if line.get("type") == "item.completed" and line["item"].get("type") == "agent_message":
                found["result"] = line["item"]["text"]
        return found

    def resuming(self, session: str) -> tuple[str, ...]:
        return "resume", session

    def compacting(self) -> Compaction:
        return Compaction(("-c", "model_auto_compact_token_limit=50000"), 60_000)

    def record(self, session: str) -> Path:
        (found,) = (self.home / ".codex" / "sessions").rglob(f"rollout-*-{session}.jsonl")
        return found

    def _here(self, endpoint: Endpoint) -> list[str]:
        """The options that lead the client to the scripted model, and let it do all, hooks included."""
        provider = f'{{name="lab",base_url="{endpoint.url}/v1",wire_api="responses",env_key="LAB_API_KEY"}}'
        model = ["-m", self.model, "-c", 'model_provider="lab"', "-c", f"model_providers.lab={provider}"]
        model += ["-c", "model_context_window=200000"]
        return ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", *model]
