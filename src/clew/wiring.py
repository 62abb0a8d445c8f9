"""The one place that reads the environment and picks adapters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from clew.app.ports import Ports
from clew.clients.claude_code.paths import ClaudeCodeLocator
from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.secrets import Redactor


def ports(environment: Mapping[str, str] = os.environ) -> Ports:
    """Adapters for this machine and user.

    `CLAUDE_CONFIG_DIR` moves Claude Code's folder, as it does for the client. `CLAUDE_CODE_SESSION_ID` is set inside a
    session: it is the one that asks, so it is not the one to go on from.
    """
    home = Path(environment.get("HOME") or Path.home())
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    # Without a ledger there is no key, so placeholders name the kind of secret only (docs/secrets.md).
    return Ports(
        readers=(ClaudeCodeReader(),),
        locators=(ClaudeCodeLocator(claude),),
        session_folders=(claude / "projects",),
        redact=Redactor(key=None).redact,
        asking_session=environment.get("CLAUDE_CODE_SESSION_ID", ""),
        environment=environment,
    )
