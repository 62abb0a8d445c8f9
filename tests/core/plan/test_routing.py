"""Which model works on a phase."""

from __future__ import annotations

from clew.core.plan.plan import Phase, Plan, route, tier_of

MODELS = {"build.codex": "gpt-5.2", "plan.codex": "o9", "build.claude-code": "sonnet"}


def test_a_tier_stands_for_one_model_in_each_client() -> None:
    """The same plan runs in several clients."""
    assert ("gpt-5.2", "route.build.codex says so") == route("build", "codex", MODELS)
    assert "sonnet" == route("build", "claude-code", MODELS).model


def test_where_nothing_is_set_the_client_chooses_and_it_says_what_is() -> None:
    """A guess could be dear."""
    found = route("chore", "codex", MODELS)
    assert ("", "there is no route.chore.codex (there is one for build, plan), so codex chooses") == found
    assert ("", "there is no route.build.gemini, so gemini chooses") == route("build", "gemini", MODELS)


def test_the_tier_is_the_phase_s_word_else_build_and_plan_while_planning() -> None:
    """Each with its reason."""
    plan = Plan(mode="planning", text="# A")
    assert ("chore", "phase 2 says so") == tier_of(plan, Phase(2, "Tidy", tier="Chore"))
    assert ("build", "phase 1 says no tier") == tier_of(plan, Phase(1, "Build"))
    assert ("plan", "planning is open") == tier_of(plan, None)
    assert ("build", "no phase is under way") == tier_of(Plan(), None)
