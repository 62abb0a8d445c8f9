"""Which kind of item a sentence of the agent is: by its words, and by where it stands."""

from __future__ import annotations

from clew.core.items import Kind
from clew.distill.cues import DEAD_END, DECIDED, DEFERRED, DONE, NEXT, OFFER, RISK, spoken
from clew.distill.sentence import Sentence


def kind_of(sentence: Sentence, *, latest: bool) -> Kind:
    """The kind; a fact when nothing else fits. `latest`: of the agent's last message in a finished session."""
    said = sentence.said
    labelled = spoken(f"{sentence.label} {sentence.text}") if sentence.label else said
    kind: Kind = "finding"
    if sentence.stood:
        kind = "step"
    elif latest and (OFFER.within(said) or sentence.text.endswith("?")):
        kind = "question"
    elif latest and NEXT.within(labelled) and not DONE.within(said):
        kind = "next"
    elif DEFERRED.within(said):
        kind = "deferral"
    elif DEAD_END.within(said) and sentence.source not in ("plan-open", "summary"):
        kind = "failed"
    elif RISK.within(labelled):
        kind = "risk"
    elif sentence.source in ("plan-open", "plan-done", "proposal") or DECIDED.within(said):
        kind = "decision"
    return kind
