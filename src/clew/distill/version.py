"""The version of the rules by which sessions are read. Apart from them: who only asks for it need not load them."""

from __future__ import annotations

from typing import Final

# Raised with every change of what is read off a session, in this room, in a client's reader or in the rules of secrets:
# ledgers then read again what they took in. Held by tests/distill/test_version.py.
RULES_VERSION: Final = 15
