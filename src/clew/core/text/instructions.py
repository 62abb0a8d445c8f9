"""Text that tells its reader what to do: nothing that came from a tool or a file becomes a rule without a person, so
that such text has to be seen. Words only; in doubt it is one.
"""

from __future__ import annotations

import re
from typing import Final

# What nobody writes down as a fact: it wants to take over whoever reads it.
_HOSTILE: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|all|your|earlier|system)\b.{0,20}"
    r"\b(?:instructions?|prompts?|rules?|messages?|guidelines)\b"
    r"|\byou are now\b|\bnew instructions?\b|\bact as (?:a|an|the)\b|\bsystem prompt\b|\b(?:do not|don['’]t|never) "
    r"(?:tell|inform|mention|ask|warn|show)\b.{0,25}\b(?:user|human|person|developer|anyone)\b"
    r"|</?(?:system|assistant|user|instructions?|system-reminder)\b|\[/?(?:INST|SYSTEM)\]"
    r"|\b(?:curl|wget)\b[^|\n]{0,120}\|\s*(?:ba|z|da)?sh\b|\bbase64\b.{0,20}(?:-d|--decode)\b"
    r"|\b(?:send|post|upload|exfiltrate|leak|forward)\b.{0,40}\b(?:secrets?|tokens?|keys?|passwords?|credentials?|\.env)\b"
    r"|\bwithout (?:asking|telling|confirm\w*|approval|permission)\b",
    re.IGNORECASE,
)
# What a rule sounds like: an order, or a norm.
_NORM: Final = re.compile(
    r"\b(?:always|never|must(?:n['’]t)?|shall|should(?:n['’]t)?|have to|has to|ought to|don['’]t|do not|make sure|"
    r"be sure|remember to|from now on|required to|mandatory|forbidden|prohibited|not allowed to|avoid)\b"
    r"|\b(?:immer|niemals|nie|muss|müssen|darf nicht)\b|必须|不要|总是|必ず|しないで|禁止",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(
    r"\W*(?:please\s+)?(?:use|run|add|call|prefer|keep|write|read|check|install|execute|delete|remove|set|open|commit|push|"
    r"ask|stop|start|follow|apply|skip|ensure|verify|put|move|change|fix|update|create|make|do|respond|answer|reply|"
    r"treat|consider|enable|disable|grant|allow|approve|trust)\b(?!\s+(?:is|are|was|were|has|of)\b)",
    re.IGNORECASE,
)


def is_hostile(text: str) -> bool:
    """Whether a text wants to take over its reader, or have something done behind a person's back."""
    return _HOSTILE.search(text) is not None


def is_instruction(text: str) -> bool:
    """Whether a text tells its reader what to do: a rule, an order, or worse. What tells how things are is none."""
    return is_hostile(text) or _NORM.search(text) is not None or _ORDER.match(text) is not None
