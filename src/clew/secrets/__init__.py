"""Secrets: find them in text, and replace them before anything is stored or leaves the machine.

`scan(text)` says where they are, `Redactor(key).redact(text)` puts placeholders in their place.
Knows nothing about files, configuration or who calls.
"""

from clew.secrets.redact import Redactor
from clew.secrets.scanner import Finding, scan

__all__ = ["Finding", "Redactor", "scan"]
