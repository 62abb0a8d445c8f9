"""What the words of a sentence say about its kind, where no heading or label does. Knows nothing of documents."""

from __future__ import annotations

import re

from clew.core.items import Kind

# What was done …
_PAST = frozenset(
    """added addressed adjusted aligned amended analysed analyzed appended applied archived audited built bumped called
    captured centralized changed checked clarified cleaned cleared closed collected committed compiled completed
    condensed configured confirmed consolidated contributed converted copied corrected covered created cut
    debugged decoupled defined deleted delivered demonstrated deployed deprecated designed diagnosed disabled
    discovered documented drafted dropped eliminated enabled enforced enhanced ensured established evaluated
    examined explored exposed extended extracted fetched filed finalized finished fixed flagged formatted found
    gathered generalized generated handled hardened identified implemented improved inlined inspected installed
    instrumented integrated introduced investigated isolated launched linked loaded lowered made maintained mapped
    marked measured merged migrated mirrored modified monitored moved normalized opened optimized organized
    packaged parsed patched performed persisted pinned planned pointed polished populated ported posted prepared
    prevented printed promoted propagated proved proven pruned published pulled pushed queried raised ran
    realigned rebased rebuilt reconciled recorded redesigned reduced refactored refined refreshed regenerated
    registered released removed renamed reopened reordered reorganized repaired replaced replayed reported
    reproduced researched resolved restarted restored restructured restyled resumed retired retried reverted
    reviewed reworked rewritten rewrote routed saved scaffolded scanned scheduled secured seeded set-up shifted
    shipped shortened simplified simulated solved sorted sped split stabilized staged standardized started stored
    streamlined stripped submitted surfaced swapped swept switched synced synchronised tagged templated tested
    threaded tightened toggled touched traced tracked transformed translated triaged triggered trimmed tuned
    tweaked unblocked unified unpinned updated upgraded uploaded upstreamed validated verified visualized
    widened wired worked wrapped wrote
    adapted adopted arranged assigned attached backfilled backported benchmarked bootstrapped brought caught
    cloned compared computed connected crafted deduped deduplicated discussed downgraded downloaded emptied
    enriched executed exported factored forked formulated hooked incorporated initialized initiated inserted
    kept killed looked mocked overhauled parallelized parameterized profiled prototyped provisioned purged put
    re-ran re-tested recovered redid reformatted reimplemented reinstalled relocated rephrased resized retested
    reworded rolled sanitized sent silenced slimmed spent squashed stubbed studied suppressed talked took
    trained truncated turned uninstalled vendored went""".split()
)
# … and what is to be done.
_IMPERATIVE = frozenset(
    """add address adjust align allow analyse analyze apply ask assign attach audit automate avoid backfill be
    bring broaden build bump calculate capture carry check choose clean close collect commit compare complete
    configure confirm connect consider consolidate continue convert copy cover crash-test create cut decide
    decouple defer define delegate delete deploy deprecate derive describe detect determine diagnose disable
    discuss document drive drop edit eliminate emit enable enforce enhance enrich ensure establish estimate
    evaluate evolve examine execute expand expire explore expose extend extract fetch figure finalize find
    finish fix flip follow formalize freeze gather generate get grant handle harden hide identify implement
    improve include inform initialize inject inspect install instrument integrate introduce investigate invite invoke
    isolate keep kick launch leave load localize look lower maintain make manage measure merge migrate modify
    monitor mount move narrow negotiate normalize notify observe offer optimize organize parameterize parse
    perform persist pick plug polish poll populate port prefer preload prepare preserve prevent prioritize promote
    propose produce prove provide prune publish pull push read rebase rebuild recover redesign redirect reduce refactor
    refine regenerate rely register reindex reject reload remove rename render reorganize repair replace replicate
    reproduce require rerun reset reshape resize resolve respond restart restore restructure resume rethink
    retry reuse revert review revisit rework rewrite rotate run save scaffold scan scrub send serve set ship
    show simplify skip smoke-test specify split stabilize standardize streamline strip submit sunset switch take
    teach tell test tighten track transform translate trim try tune unblock understand unify unlock unpin unwrap
    update upgrade use validate verify visualize wait warn widen wire write
    adopt backport coordinate deduplicate double-check encapsulate encrypt flesh incorporate initialize insert
    iterate let minimize mitigate onboard overhaul paginate provision purge put re-run re-test reconcile reformat
    reorder rephrase reply retest roll sanitize simulate solve squash throttle triage truncate uninstall""".split()
)
# These are as often nouns: they say what to do with one of these words behind them.
_DOUBTFUL = frozenset(
    """archive block boot cache call catch change chart debug design draft email exclude export file filter flag
    focus format gate guard hook host import init issue label limit link list lock log map mark match mirror
    mock note open order outline override pair patch pause pin plan plot post profile query raise record release
    report request research return route scale schedule scope score seed select separate settle share sign sort
    spawn spike start stop store stream study support survey swap sweep sync tag trigger turn type upload
    visit walk watch wrap benchmark bootstrap bundle clone fork increase package profile prototype talk train""".split()
)
_ANY_IMPERATIVE = _IMPERATIVE | _DOUBTFUL
_OR = re.compile(r"/([A-Za-z]+)(?=\s)")
_OBJECTS = re.compile(
    r"\s+(?:the|a|an|all|each|every|any|new|how|what|whether|if|on|up|out|only|our|your|it|them|these|this|that|\d+%?)"
    r"(?=\s|$)"
)
_FIRST = re.compile(
    # The code of a task or a day in front says nothing: "BH1: Compare …", "2026-03-01: Added …".
    r"[^\w`]*(?:(?-i:[A-Z]){1,6}-?\d{1,4}[a-z]?(?:\s*:|\s+[—–-])[^\w`]+|20\d\d-\d\d-\d\d[^\w`]+)?"
    r"(?:(?:successfully|fully|also|now|then|finally|completely|first|next|please),? )?([A-Za-z]+(?:-[a-z]+)?)\b"
    r"(\s+(?:up|out|in|on|off|down|over|the|a|an|all|to|with)\b)?",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"[\W_]*(?:must|never|always|do not|don['’]?t|avoid|only ever|no (?=\w+ing\b))\b"
    r"|.{0,80}\b(?:must(?: not| never| always| be| run| stay| have| remain| keep| match| use| pass| come)"
    r"|MUST|NEVER|DO NOT|SHALL|hard requirement)\b"
    r"|(?:IMPORTANT: |[^.:]{0,60}, )?[Yy]ou (?!can|may|are|were|have|had|will|should (?:see|get)|'|’|could|might)"
    r"[a-z]+ [a-z]",
    re.DOTALL,
)
# What stands behind a word that only looks like an imperative: "Fix is ready", "Test: …".
_NOUN = re.compile(
    r"[:`]|[-/]\w|(?:'s|’s)\b|\s+(?:is|was|are|were|has|had|will|can|should|passes|passed|fails|covers?|results?|suite|cases?|of)\b"
)
# "Test failures are normal", but not "Ensure files are closed".
_SUBJECT = re.compile(r"\s+[\w/.-]+ (?:is|are|was|were)\b")
_CLAUSED = frozenset("ensure verify check confirm see validate assert determine make prove assume".split())
_STATEMENT = re.compile(
    r"(?:[^.:;]|\.(?=\w)){2,60}?\s(?:is|are|was|were|does|do|has|have|can|cannot|may|should|must|supports?|uses|requires|needs|lacks|contains)\s"
)
# What a thing does: in front it has no other meaning, as "tests" and "updates" have.
_DOES = frozenset(
    """accepts allows attempts avoids becomes blocks calls carries catches contains covers creates decides depends
    does enables ensures exists exposes falls fetches follows gets gives goes handles has holds includes ignores is
    keeps lacks lets lives loads maintains makes manages means needs offers owns performs prevents produces provides
    reads receives refuses relies removes renders requires resolves returns runs sends serves shows stays still
    stores supports
    takes tells throws tracks treats uses validates verifies wraps writes""".split()
)
_NORM = re.compile(
    r"(?:[^.?!:]|\.(?=\w)){0,160}\bshould (?!see\b|get\b|return\b|print\b|show\b|now\b|have been\b)"
    r"|[^?]{0,200}[.;] (?:D|d)o not\b"
)
_SHOUTED = re.compile(r"\b(?:MUST|NEVER|ALWAYS|D[Oo] NOT|SHALL|EXACTLY)\b")
# "If the schema changed: run …", "For changes that add features, add …"
_CASE = re.compile(
    r"[\W_]*(?:if|when|whenever|before|after|once|for|until|unless|in)\b[^.?!:]{3,160}?[,:→]+\s+(?P<said>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
# "All checks pass (make check)", "Tests: 42 passed"
_OUTCOME = re.compile(
    r"(?:(?! - )[^.;:—–]){0,60}\b(?:tests?|checks?|lint(?:ing|er)?|build|type[ -]?check(?:s|ing)|compilation|"
    r"validation|verification|suite|ci|specs?)\b[^.;]{0,80}?\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean|cover)\b",
    re.IGNORECASE,
)
_OUTCOMES = ("pass", "succe", "green", "clean", "cover")
# What sentences say plainly: a choice, a try that came to nothing, what comes next.
_SAID: tuple[tuple[str, Kind, str], ...] = (
    (r"(?:we|I) (?:chose|decided|picked|agreed|opted|settled|went with)\b", "decision", ""),
    (r"(?:decided|opted|chose) (?:to|on|for|against)\b|decision\s*[—–]\s", "decision", ""),
    (
        r"(?:(?:we|I) )?(?:tried|attempted)\b.*\b(?:but|fail(?:s|ed)|did ?n[o'’]t|reverted|rolled back|gave up"
        r"|abandoned|too slow|worse|without success|no (?:effect|improvement|difference|luck))\b",
        "failed",
        "",
    ),
    (r"решено\s|было решено\s|es wurde (?:entschieden|beschlossen)\b|se decidió\b|foi decidido\b", "decision", ""),
    (r"next (?:session|step|up|time)\b", "next", "pending"),
    (r"[^.;:—]{3,80}\b(?:is|are|was|were) (?:\w+ly )?(?:deferred|postponed|parked|out of scope)\b", "deferral", ""),
)
_SAYS = tuple((re.compile(pattern, re.IGNORECASE | re.DOTALL), kind, how_far) for pattern, kind, how_far in _SAID)
# What a list is by the noun that counts its entries or calls them "the following".
_NOUNS: dict[str, Kind] = {
    **dict.fromkeys("principles rules constraints conventions invariants guardrails".split(), "constraint"),
    **dict.fromkeys("questions unknowns".split(), "question"),
    **dict.fromkeys("risks concerns".split(), "risk"),
    **dict.fromkeys("decisions choices".split(), "decision"),
    **dict.fromkeys("lessons gotchas pitfalls traps".split(), "learning"),
    **dict.fromkeys(
        "capabilities properties characteristics facts components parts limitations problems issues bugs".split(),
        "finding",
    ),
}  # fmt: skip
# "Three principles drive each call:", "The client has the following properties:"
_CALLED = re.compile(
    r"(?:\b(?:following|these|two|three|four|five|six|seven|several|some|few)|^\W*\d{1,2}) (?:[\w-]+ ){0,2}"
    rf"(?P<noun>{'|'.join(_NOUNS)})\b[^.]{{0,60}}:$",
    re.IGNORECASE,
)
# What a sentence that ends in a colon says of the list below it.
_INTRODUCED: tuple[tuple[str, Kind, str], ...] = (
    (
        r"\b(?:(?:will|does|do)(?: not|n['’]t)|won['’]t) (?:\w+ )?(?:support|include|cover|provide|contain|offer)\b"
        r"|^cut (?:\w+ )?(?:without|if|from|first)\b",
        "deferral",
        "",
    ),
    (
        r"\b(?:should|must|may|can|shall|do|does)(?: not|n['’]t)\b|\b(?:cannot|never|not allowed|forbidden)\b",
        "constraint",
        "",
    ),
    (
        r"\b(?:could|would|might) (?:benefit|be improved|help)\b"
        r"|\b(?:remains?|remaining|still (?:to|need|missing|open)|yet to)\b",
        "step",
        "pending",
    ),
    (r"^(?:implement|build|add|create|fix|finish|write|to do)(?: the following| these)?[:：]$", "step", ""),
    (r"\b(?:check|verify|confirm|make sure)(?: that)?[:：]$|\b(?:is|are) covered by[:：]$", "validation", ""),
    (r"\bread\b[^.]{0,40}[:：]$", "file", ""),
    (
        r"\b(?:should|must|has to|have to)(?: always| also)?"
        r"(?: (?:go|be|pass|follow|use|contain|include|meet|have|satisfy)\b[^.:]{0,40})?[:：]$",
        "constraint",
        "",
    ),
    (
        r"\b(?:(?:has|have) been|was|were|got) (?:\w+ly )?"
        r"(?:done|added|built|fixed|implemented|completed|changed|merged|shipped)\b[^.]{0,40}[:：]?$",
        "step",
        "done",
    ),
)
_INTRODUCES = tuple((re.compile(pattern, re.IGNORECASE), kind, how_far) for pattern, kind, how_far in _INTRODUCED)
# "Добавлен разбор", "Исправлена ошибка": short passive participles; not "нужен", "важно".
_PAST_RUSSIAN = re.compile(
    r"\W*(?!(?:не)?(?:нуж|важ|долж|возмож|необходим|обязат)\w*)[а-яё]{3,}(?:[аея]н|ён)(?:а|о|ы)?\s", re.IGNORECASE
)
# "適用済み", "追加しました"; "已修复"
_PAST_UNSPACED = re.compile(r"(?:(?<!決定)済み?|しました|を実装|を追加|を修正|완료|했음)[。.]?\s*$|^\W*已(?!知|有)")
# "Implementado el lector", "Ajouté le cache": participles in front, of what is done to programs. Any verb's would be
# many nouns' too ("Entrada de datos", "Qualité du code").
_PAST_ROMANCE = re.compile(
    r"\W*(?:(?:implement|agreg|añad|a[cd]tualiz|atualiz|cre|cri|elimin|remov|refator|refactor|refactoriz|complet|termin"
    r"|finaliz|conclu|prob|test|arregl|correg|corrig|renombr|renome|configur|integr|migr|document|mejor|melhor|despleg"
    r"|public|adicion|ajust|revis|valid|verific|optimiz|otimiz|reemplaz|substitu|activ|desactiv|ativ|desativ|instal)"
    r"[aií]d[oa]s?"
    r"|(?:ajout|corrig|impl[ée]ment|supprim|cr[ée]|termin|d[ée]plac|renomm|test|valid|document|migr|int[ée]gr|refactor"
    r"|remplac|d[ée]ploy|achev|finalis|configur)ée?s?)\s+\w",
    re.IGNORECASE,
)
# Orders and questions of languages that mark them by a word or at a sentence's end.
_RULE_FOREIGN = re.compile(
    r"\W{0,4}(?:不要|必须|必須|禁止|不得|务必|切勿|严禁|不允许|绝不|不能|절대|반드시|никогда|нельзя)", re.IGNORECASE
)
_RULE_ENDS = ("すること", "しないこと", "は禁止", "してはいけない", "하지 말 것", "하지 않는다", "금지")
_ASKED_UNSPACED = re.compile(r"(?:[？吗呢]|(?:する|せる|べき|どう.{1,20})か)[。]?\s*$|^\W*是否")
_DECIDED_UNSPACED = re.compile(r"(?:に決定|決定済み?|とした|确定为|决定)[。.]?\s*$|^\W*(?:决定|決定)")
_MODAL = re.compile(r"\b(?:must|should|never|always|do not|don['’]t|avoid|shall|prefer)\b", re.IGNORECASE)
_RULE_START = re.compile(
    r"[\W_]*(?:must|never|always|do not|don['’]?t|avoid|nunca|jamais|jamás|niemals)\b", re.IGNORECASE
)


def is_past(text: str) -> bool:
    """Whether it tells of something that was done: "Added a parser"."""
    match = _FIRST.match(text)
    if match is None:
        return (_PAST_RUSSIAN.match(text) or _PAST_UNSPACED.search(text) or _PAST_ROMANCE.match(text)) is not None
    if match[1].lower() in _PAST:
        return True
    if match[1][-1] in "aos" and _PAST_ROMANCE.match(text):
        return True
    return not text.isascii() and (_PAST_ROMANCE.match(text) or _PAST_UNSPACED.search(text)) is not None


def is_imperative(text: str) -> bool:
    """Whether it says what to do: "Add a parser"."""
    match = _FIRST.match(text)
    if match is None:
        return False
    word, end = match[1].lower(), match.end(1)
    if (other := _OR.match(text, end)) and word in _ANY_IMPERATIVE and other[1].lower() in _ANY_IMPERATIVE:
        # "Clone/fetch the branch"
        return _NOUN.match(text, other.end()) is None
    if _NOUN.match(text, end):
        return False
    if word not in _IMPERATIVE and not (word in _DOUBTFUL and _OBJECTS.match(text, match.end(1))):
        return False
    return word in _CLAUSED or _SUBJECT.match(text, match.end(1)) is None


def is_statement(text: str) -> bool:
    """Whether it is a sentence that tells how something is: "The client does not retry.", "Falls back to the cache"."""
    first = text.lstrip("*_ ").partition(" ")[0].lower()
    return first in _DOES or (_STATEMENT.match(text) is not None and not is_imperative(text))


def is_rule(text: str) -> bool:
    """Whether it says what must stay true: "Never edit the generated files"."""
    return _RULE.match(text) is not None or begins_rule(text)


def is_order(text: str) -> bool:
    """Whether it forbids or orders plainly, wherever it stands: with its first words or in capitals."""
    return _RULE_START.match(text) is not None or _SHOUTED.search(text) is not None


def begins_rule(text: str) -> bool:
    """Whether it forbids or orders with its first words: "Do not edit the changelog"."""
    if _RULE_START.match(text):
        return True
    return not text.isascii() and (_RULE_FOREIGN.match(text) is not None or text.rstrip("。. ").endswith(_RULE_ENDS))


def has_modal(text: str) -> bool:
    """Whether it says what must, should or must not be, anywhere in it."""
    return _MODAL.search(text) is not None


def is_instruction(text: str) -> bool:
    """Whether it says what to do, always or in a case that it names: "If a memory was renamed: run the check"."""
    if match := _CASE.match(text):
        return is_imperative(match["said"]) or _RULE.match(match["said"]) is not None or match["said"][0] == "`"
    return is_imperative(text) or has_modal(text)


def is_outcome(text: str) -> bool:
    """Whether it tells how a check came out: "All tests pass"."""
    # Few do: the words at the end are looked for first.
    lowered = text.lower()
    return any(word in lowered for word in _OUTCOMES) and _OUTCOME.match(text) is not None


def is_norm(text: str) -> bool:
    """Whether a paragraph says how something should be done: "Jobs should reuse the build"."""
    return _NORM.match(text) is not None


def plainly(text: str) -> tuple[Kind, str] | None:
    """Kind and status of a sentence that says itself what it is: "We tried X, but it failed"; None of any other."""
    return next(((kind, how_far) for pattern, kind, how_far in _SAYS if pattern.match(text)), None)


def called(text: str) -> tuple[Kind, str] | None:
    """Kind and status of a list by the noun that a sentence with a colon calls its entries, else None."""
    match = _CALLED.search(text)
    return (_NOUNS[match["noun"].lower()], "") if match else None


def introduced(text: str) -> tuple[Kind, str] | None:
    """Kind and status of a list that a sentence with a colon introduces, where it says so; else None."""
    found = ((kind, how_far) for pattern, kind, how_far in _INTRODUCES if pattern.search(text))
    return called(text) or next(found, None)


def _unspaced(text: str) -> tuple[Kind, str] | None:
    """Kind and status of a sentence of a script without spaces that decides or asks; None of any other."""
    if _DECIDED_UNSPACED.search(text):
        return "decision", ""
    return ("question", "") if _ASKED_UNSPACED.search(text) else None


def kind_of(text: str) -> tuple[Kind, str]:
    """Kind and status of an entry by its words alone."""
    if not text.isascii() and (marked := _unspaced(text)):
        return marked
    if is_past(text):
        return "step", "done"
    if is_rule(text):
        return "constraint", ""
    if text.endswith("?"):
        return "question", ""
    if is_imperative(text):
        return "step", ""
    return plainly(text) or ("finding", "")
