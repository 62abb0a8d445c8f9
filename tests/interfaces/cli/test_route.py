"""`clew route`: which model a phase is given, and why."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Desk
from tests.interfaces.cli.test_plan import written


def test_it_says_tier_model_and_where_each_comes_from(desk: Desk) -> None:
    """A person sets one, and sees that it holds."""
    desk.ada("plan", "new", "Fix", "the tide")
    written(desk)
    assert 0 == desk.ada("settings", "set", "route.build.claude-code", "sonnet", "--project").code
    ran = desk.ada("route", "1", "--client", "claude")
    assert ran.code == 0 and ran.out.startswith("phase 1, Look: tier build (phase 1 says no tier)\nclaude-code  sonnet")
    assert "in .clew/config.toml" in ran.out
    told = json.loads(desk.ada("route", "--json").out)
    assert ("plan", "planning is open", None) == (told["tier"], told["tier_by"], told["phase"])
    assert {"", "claude-code"} <= {word for one in told["routes"] for word in (one["client"], one["model"])}
    assert (
        "next: " not in ran.err
        and "Set one: clew settings set route.plan.codex MODEL" in desk.ada("route", "--client", "codex").err
    )
    assert "[E-client-unknown]" in desk.ada("route", "--client", "nano").err
    assert "note: " not in ran.err
    assert 0 == desk.ada("settings", "set", "route.build.nano", "x").code
    assert "note: route.build.nano names no client that clew knows" in desk.ada("route").err
