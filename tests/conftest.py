"""What all tests share: how Hypothesis runs here."""

from __future__ import annotations

from hypothesis import Phase, settings

# No deadline for one example: machines that build other things at the same time make such tests fail by chance. No
# explanations of a failure: they run the example hundreds of times more.
settings.register_profile("clew", deadline=None, phases=set(Phase) - {Phase.explain})
settings.load_profile("clew")
