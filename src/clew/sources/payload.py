"""What the next session needs to go on: the payload of `clew resume`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.sources.port import Context, Fetched, Source, Spec, one_text


class Payload(Spec, frozen=True):
    """It is made within `budget` by rank; 0 is the profile's own."""


def fetch(spec: Payload, context: Context, _: Mapping[str, Any]) -> Fetched:
    """The payload of the task that is bound here, or of the newest session. Raises `ClewError` where there is none."""
    return one_text(context.payload(spec.budget), "clew resume: the state of the work here", language="markdown")


SOURCE: Final = Source(
    "payload", "the state of the work, as `clew resume` prints it", Payload, "", fetch, by_budget=True
)
