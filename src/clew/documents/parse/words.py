"""What the words of a sentence say about its kind, where no heading or label does. Knows nothing of documents."""

from __future__ import annotations

import re

from clew.core.items import Kind

# What was done …
_PAST = frozenset(
    """added adjusted addressed aligned analyzed analysed applied archived audited bumped built called changed checked
    cleaned cleared closed collected committed completed configured confirmed consolidated converted copied corrected
    created cut debugged decoupled defined deleted deployed deprecated designed diagnosed disabled discovered
    documented dropped eliminated enabled enhanced ensured established evaluated exposed extended extracted
    finalized finished fixed found generated handled hardened identified implemented improved integrated introduced
    investigated launched linked loaded made marked merged migrated modified moved normalized opened optimized
    organized patched persisted planned polished ported posted prepared printed proved proven published pulled pushed
    ran raised rebased rebuilt recorded reduced refactored refined registered released removed renamed reorganized
    replaced reported researched resolved restored restructured reverted reviewed reworked rewrote rewritten routed
    secured set-up shipped simplified solved sorted split standardized started stored streamlined stripped submitted
    switched synced tested tracked trimmed tuned unified updated upgraded uploaded used validated verified wired wrapped
    wrote""".split()
)
# … and what is to be done.
_IMPERATIVE = frozenset(
    """add adjust address align analyze analyse apply ask audit backfill build bump calculate check choose clean close
    collect commit compare complete configure confirm connect consider consolidate convert copy create cut decide define
    delete deploy deprecate document drop enable ensure enforce evaluate execute expand explore expose extend extract
    figure finalize find finish fix generate get identify implement improve install integrate introduce investigate
    launch make measure merge migrate modify monitor move optimize organize persist pick polish port prepare promote
    propose prove provide publish pull push read rebase rebuild reduce refactor refine remove rename reorganize replace
    reproduce rerun resolve restart restore restructure retry revert review rework rewrite run send set ship simplify
    split submit switch teach test track trim try tune understand unify update upgrade validate verify wire
    write""".split()
)
_FIRST = re.compile(r"[^\w]*([A-Za-z]+(?:-[a-z]+)?)\b(\s+(?:up|out|in|on|off|down|over|the|a|an|all|to|with)\b)?")
_RULE = re.compile(
    r"[\W_]*(?:must|never|always|do not|don['’]?t|avoid|only ever|no (?=\w+ing\b))\b"
    r"|.{0,80}\b(?:must(?: not| never| always| be| run| stay| have)|MUST|NEVER|DO NOT|SHALL|hard requirement)\b"
    r"|(?:IMPORTANT: |[^.:]{0,60}, )?[Yy]ou (?!can|may|are|were|have|had|will|should (?:see|get)|'|’|could|might)"
    r"[a-z]+ [a-z]",
    re.DOTALL,
)
# What stands behind a word that only looks like an imperative: "Fix is ready", "Test: …".
_NOUN = re.compile(
    r"[:`]|[-/]\w|\s+(?:is|was|are|were|has|had|will|can|should|passes|passed|fails|covers?|results?|suite)\b"
)
_RULE_START = re.compile(r"[\W_]*(?:must|never|always|do not|don['’]?t|avoid)\b", re.IGNORECASE)


def is_past(text: str) -> bool:
    """Whether it tells of something that was done: "Added a parser"."""
    match = _FIRST.match(text)
    return match is not None and match[1].lower() in _PAST


def is_imperative(text: str) -> bool:
    """Whether it says what to do: "Add a parser"."""
    match = _FIRST.match(text)
    return match is not None and match[1].lower() in _IMPERATIVE and not _NOUN.match(text, match.end(1))


def is_rule(text: str) -> bool:
    """Whether it says what must stay true: "Never edit the generated files"."""
    return _RULE.match(text) is not None or _RULE_START.match(text) is not None


def kind_of(text: str) -> tuple[Kind, str]:
    """Kind and status of an entry by its words alone."""
    if is_rule(text):
        return "constraint", ""
    if text.endswith("?"):
        return "question", ""
    if is_past(text):
        return "step", "done"
    return ("step", "") if is_imperative(text) else ("finding", "")
