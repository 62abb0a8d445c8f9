"""What headings, labels, keys and columns name: one table of phrases, and little else, for every reader of documents.

A heading that is not in it, but for words that say nothing, names no kind: what stands under it is a note.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

from clew.core.state.items import Kind
from clew.core.state.negation import Turn, turned

DONE, DOING, BLOCKED, PENDING, DROPPED = "done", "in progress", "blocked", "pending", "dropped"


class Topic(NamedTuple):
    """What a heading or label names. `status` is that of the steps under it. `listed`: only lists are items, sentences
    are notes. `turn`: it turns the sense of what stands under it, whose words then never stand without it. `bare`: it
    says no more than its kind.
    """

    kind: Kind
    status: str = ""
    listed: bool = False
    turn: Turn = ""
    bare: bool = False


STEP: Final = Topic("step", listed=True)
_TODO: Final = Topic("step", PENDING)
# In front of "||" are phrases that say no more than their kind; of any other the words are told with the entry.
_TABLE: Final[tuple[tuple[Topic, str], ...]] = (
    (Topic("goal"), """
        goal | goals | objective | objectives || aim | mission | purpose | user request | original request | the ask |
        feature goal | what we want | session goal | problem statement
    """),
    (Topic("decision"), """
        decision | decisions | key decisions | decisions and why || adr | adrs | decided | agreed | settled |
        locked in | choices | design choices | what we decided | what was decided | decisions and rationale |
        decision log | architecture decision records | rulings
    """),
    (Topic("deferral"), """
        later | deferred || deferrals | parked | postponed | someday | future | future work | future ideas | icebox |
        backburner | parking lot | nice to have | stretch goals | ideas | wishlist | follow up later | not now |
        post launch | post mvp | long term | future improvements | future enhancements | future considerations
    """),
    (Topic("failed"), """
        failed approaches || failed | tried | failed attempts | what failed | dead ends | attempts that failed |
        tried and failed | approaches tried | what did not work | what didnt work | what went wrong |
        hypotheses eliminated
    """),
    (Topic("hypothesis"), """
        hypothesis | hypotheses || theory | theories | suspects | suspected cause | working theory
    """),
    (Topic("constraint"), """
        constraint | constraints | rule | rules | must stay true || invariant | invariants | must | musts |
        guardrails | conventions | principles | hard rules | hard constraints | ground rules | working rules |
        standing orders | non negotiable | non negotiables | requirements and constraints | coding standards |
        coding conventions | code style | policies | working agreements | must hold | always
    """),
    (Topic("reminder"), """
        reminder | reminders | dont forget | do not forget || remember | important | warning | warnings | caution |
        attention | beware | keep in mind | heads up | nb | note to self | notes to self | watch out |
        before you start | read this first | notes for next session | notes for the next session
    """),
    (Topic("assumption"), "assumption | assumptions || assumed"),
    (Topic("question"), """
        question | questions | open question | open questions || unknowns | unresolved questions | clarifications |
        undecided | to clarify | to be decided | pending decisions | open decisions | decisions needed |
        needs decision | needs input | decisions to make | unresolved | questions for the user | needs clarification
    """),
    (Topic("risk"), """
        risk | risks || concerns | threats | known issue | known issues | known bug | known bugs | known problems |
        bugs | issues | known limitations | limitations | open issues | open bugs | remaining issues | remaining bugs |
        remaining problems | problems | potential issues | not working | broken | failing tests | what is broken |
        whats broken | risks and mitigations | open risks | tech debt | technical debt
    """),
    (Topic("blocker"), """
        blocker | blockers || blocking | impediments | showstoppers | blocked | blocked on | blocked by | waiting on |
        waiting for
    """),
    (Topic("file", listed=True), """
        file | files | files in play | files changed | files modified || files created | files touched | files added |
        files edited | modified files | changed files | created files | key files | relevant files | important files |
        affected files | related files | critical files | expected files | files to modify | files to change |
        files to create | files to read | files involved | new files | new or modified files | files deleted
    """),
    (Topic("validation"), """
        verification | validation || validations | test results | tests | checks | how to verify |
        verification steps | validation commands | verification commands | test plan | tests run | reproduce with |
        acceptance tests | quality gates
    """),
    (Topic("learning"), """
        lesson | lessons | lessons learned | learning | learnings | learned || gotcha | gotchas | pitfalls |
        insights | takeaways | what we learned | what i learned | what worked | tips | quirks | caveats
    """),
    (Topic("finding"), """
        finding | findings | fact | facts || facts worth knowing | discoveries | observations | root cause |
        key facts | current state | current status | status | state | where we are | where things stand |
        where we stand | situation | what exists | analysis | diagnosis
    """),
    (Topic("phase", listed=True), "phases | milestones || stages | epics | sprints"),
    (Topic("step", DONE), """
        done | completed | complete | finished | what was done | what is done || accomplished | accomplishments |
        achievements | shipped | implemented | delivered | merged | resolved | fixed | closed | whats done |
        what we did | what i did | what has been done | what was completed | what was implemented | what shipped |
        what was built | work done | work completed | completed work | completed tasks | tasks completed |
        completed items | done so far | already done | recently completed | changes made | bugs fixed
    """),
    (Topic("step", DOING), """
        in progress || wip | doing | ongoing | underway | work in progress | working on | in flight | current work |
        active work | current task | active tasks
    """),
    (_TODO, """
        todo | todos | to do | pending || to dos | remaining | outstanding | upcoming | backlog | planned |
        not started | not done | not yet done | unfinished | still to do | left to do | what is left | whats left |
        whats left to do | what remains | whats remaining | remaining work | remaining tasks | remaining steps |
        remaining items | remaining failures | open tasks | open items | open work | outstanding work |
        outstanding items | open | pending tasks | pending work | pending items | follow ups |
        followups | follow up | action items | loose ends | still open | next tasks | to be done | unfinished work |
        incomplete | needs work | things left | left undone | missing
    """),
    (Topic("step", DROPPED), "|| cancelled | canceled | dropped tasks | obsolete tasks | superseded tasks"),
    (STEP, """
        steps | tasks || subtasks | task list | checklist | implementation steps | implementation tasks |
        implementation plan | work breakdown | execution plan | action plan | plan | stories | user stories |
        features | deliverables | acceptance criteria | definition of done | success criteria
    """),
    (Topic("next", PENDING), """
        next | next step | next steps | next action | next actions || next up | up next | whats next | what is next |
        what comes next | immediate next steps | immediate next step | do next | start here | resume here |
        next session | for next session | for the next session | next task | where to pick up | how to continue |
        resume instruction
    """),
)  # fmt: skip
# The same words in each language; a slash parts several for one. What forbids stands in negation.py.
_WORDS: Final = (
    Topic("goal"), Topic("decision"), Topic("constraint"), Topic("question"), Topic("risk"), Topic("file", listed=True),
    Topic("step", DONE), Topic("step", DOING), _TODO, Topic("next", PENDING),
)  # fmt: skip
_LANGUAGES: Final = """
ziel/ziele|entscheidung/entscheidungen|regeln|fragen/offene fragen|risiken|dateien|erledigt/fertig|in arbeit|\
offen/zu tun|nächste schritte/nächster schritt
objetivo/objetivos|decisión/decisiones|reglas|preguntas|riesgos|archivos|hecho/completado|en progreso/en curso|\
pendiente|próximos pasos/próximo paso
objectif/objectifs|décision/décisions|règles|questions ouvertes|risques|fichiers|fait/terminé|en cours|à faire|\
prochaines étapes/prochaine étape
objetivo|decisões|regras|perguntas|riscos|arquivos|feito/concluído|em andamento|a fazer|próximos passos
目标|决策/决定|规则/约束|疑问/待确认|风险/已知问题|文件/相关文件|完成/已完成|进行中|待办/未完成|下一步
目標/目的|決定/決定事項|規約/制約|確認事項|リスク|変更ファイル|完了/完了したこと|進行中|未完了|次のステップ
목표|결정/결정 사항|규칙/제약|질문|위험|파일|완료|진행 중|할 일|다음 단계
"""
# What a cell, a box in words, or what stands behind "Status:" tells; headings of steps tell the same.
_STATUSES: Final[tuple[tuple[str, str], ...]] = (
    (DONE, """
        done | complete | completed | closed | fixed | resolved | finished | shipped | merged | implemented | deployed |
        verified | passed | passing | pass | landed | released | delivered | solved | succeeded | success | successful |
        all done
    """),
    (DOING, """
        in progress | inprogress | wip | work in progress | doing | active | started | ongoing | running | partial |
        partially done | partially complete | partly done | in review | under review | reviewing | underway |
        under way | in development | in flight
    """),
    (BLOCKED, "blocked | on hold | onhold | waiting | paused | halted | awaiting | stuck"),
    (PENDING, """
        pending | todo | to do | open | not started | planned | queued | backlog | proposed | next | ready | up next |
        new | scheduled | upcoming | remaining | unstarted | draft | not done | not yet | incomplete | tbd | future |
        missing | deferred | postponed | not implemented | not run | required | committed
    """),
    (DROPPED, """
        dropped | cancelled | canceled | wont do | won't do | wontfix | won't fix | skipped | obsolete | superseded |
        abandoned | rejected | removed | invalid | duplicate | n/a | withdrawn | archived | deprecated | retired
    """),
)  # fmt: skip
# Labels, keys and columns that tell the reason of what they stand with, or how far it is.
WHY: Final = frozenset(
    """why|reason|reasons|rationale|reasoning|because|justification|motivation|why not|why it failed|root cause|error|
    理由|原因|为什么|이유|razón|motivo|begründung|grund|raison""".replace("\n    ", "").split("|")
)
STATUS: Final = frozenset("status state progress estado estatus stand 状态 状態 상태".split())
# In front of a phrase and behind it they say nothing of what it names.
_FILLERS: Final = frozenset(
    """the our my your this that these those a an session sessions current key main major important all some any
    overall so far today now here and of for with to details list items item log tracker made identified notable
    critical final full project more other additional specific immediate latest recent technical architecture
    architectural design implementation still also please user""".split()
)
_PREPOSITIONS: Final = frozenset("for of from in on with by during since until before after about across at".split())
# Nouns of which the rest of a heading tells which ones: "parser risks", "migration decisions".
_NOUNS: Final = frozenset(
    "decisions risks questions constraints blockers assumptions learnings invariants gotchas".split()
)
# Labels that tell of something else than they stand under: they keep their words, and are no item of its kind.
_FIELDS: Final = frozenset(
    """branch|date|updated|last updated|created|author|owner|version|priority|effort|estimate|estimated effort|
    complexity|severity|context|consequences|consequence|alternatives|alternative|impact|description|details|input|
    output|inputs|outputs|expected|actual|expected result|result|example|note|notes|dependencies|depends on|
    prerequisites|location|commit|commits|issue|pr|pull request|url|link|links|source|background|duration|session|
    benefits|trade offs|tradeoffs|pros|cons|evidence|symptom|fix|solution|workaround|mitigation|purpose|current|
    proposed|before|after|usage""".replace("\n    ", "").split("|")
)  # fmt: skip
_WORD: Final = re.compile(r"[^\W_]+")
_ASIDE: Final = re.compile(r"[(\[（【][^)\]）】]{0,200}[)\]）】]?")
_NUMBER: Final = re.compile(
    r"\W*(?:(?:section|part) )?(?:\d{1,3}(?:\.\d{1,3})*[.):]?|[A-Z][.)]|[ivxIVX]{1,4}[.)])\s+(?=\S)"
)
_DATE: Final = re.compile(r"\b20\d\d-\d\d(?:-\d\d)?\b|\bv\d+(?:\.\d+)+\b")
_BEHIND: Final = re.compile(r"\s+[—–]\s|\s-{1,2}\s|[:：,;]\s")
_JOINED: Final = re.compile(r"\s*(?:[/,;&+・、]|\band\b|\by\b|\bund\b|\bet\b)\s*")
_CHARS_MAX: Final = 120
_TURNED: Final[dict[Turn, Topic]] = {
    "void": Topic("note", turn="void"),
    "forbidden": Topic("constraint", turn="forbidden"),
    "rejected": Topic("decision", turn="rejected"),
    "excluded": Topic("deferral", turn="excluded"),
    "failed": Topic("failed"),
    "reminder": Topic("reminder"),
    "question": Topic("question"),
    "later": Topic("deferral"),
    "open": _TODO,
}
# What in a longer heading of open and of finished work says that it is not as the phrase in it has it.
_OTHERWISE: Final = (
    re.compile(r"(?<!not )(?<!not yet )\b(?:done|completed?|finished|shipped|merged|cancell?ed)\b|✅|✔", re.IGNORECASE),
    re.compile(
        r"\b(?:mostly|almost|nearly|part|partly|partial(?:ly)?|half|except|but|not|of \d+)\b|(?!100)\d\d? ?%|\?|❌",
        re.I,
    ),
)
# What is asked or feared and over: "Resolved risks", "Open questions (none)".
_OVER: Final = re.compile(r"\b(?:resolved|answered|closed|fixed|settled|mitigated|none)\b", re.IGNORECASE)
_PHASE: Final = re.compile(
    r"(?:phase|milestone|sprint|stage|iteration|epic|фаза|阶段|フェーズ|단계|fase|étape) ?(?:\d{1,3}(?:\.\d)?[a-z]?|"
    r"[A-Z]|"
    r"[IVX]{1,4})"
    r"(?=\s*[:：—–().,-]|\s*$)",
    re.IGNORECASE,
)
_TASK: Final = re.compile(
    r"(?:(?:task|story|ticket|T|US-) ?\d{1,4}(?:\.\d{1,3})*)\b(?=\W*[:：—–.)-]?\s+\S)", re.IGNORECASE
)


def normal(text: str) -> str:
    """The words of a heading or key: lower case, without marks, numbers in front, dates and what stands in brackets."""
    if front := _NUMBER.match(text):
        text = text[front.end() :]
    text = _DATE.sub(" ", _ASIDE.sub(" ", text) if not text.lstrip().startswith(("(", "[")) else text)
    return " ".join(_WORD.findall(text.replace("'", "").replace("’", "").lower()))


_FOREIGN: Final[dict[str, Topic]] = {
    normal(word): named
    for row in _LANGUAGES.strip().split("\n")
    for named, words in zip(_WORDS, row.split("|"), strict=True)
    for word in words.split("/")
}
_PHRASES: Final[dict[str, Topic]] = _FOREIGN | {
    phrase: named._replace(bare=is_bare)
    for named, phrases in reversed(_TABLE)
    for is_bare, words in zip((False, True), reversed(phrases.rpartition("||")[::2]), strict=True)
    for phrase in map(normal, words.split("|"))
    if phrase
}
STATUSES: Final = {word: named.status for word, named in _FOREIGN.items() if named.kind == "step"} | {
    word.strip(): told for told, words in reversed(_STATUSES) for word in words.split("|")
}


@lru_cache(maxsize=2048)
def topic(text: str) -> Topic | None:
    """What a heading or a label names, None where that is not certain.

    What turns the sense of what it holds counts before all else, also in a phrase of the table.
    """
    if len(text) > _CHARS_MAX:
        return None
    words = normal(text)
    found = _PHRASES.get(words)
    is_whole = found is not None and len(_WORD.findall(text)) == len(_WORD.findall(words))
    if found and is_whole and not (found.status and "?" in text):
        return found
    if turn := turned(text):
        return _TURNED[turn]
    found = found or _composed(text, words)
    if found is None or (found.status and _OTHERWISE[found.status == DONE].search(text)):
        return None
    if found.kind in ("question", "risk", "blocker") and _OVER.search(text):
        return None
    return found._replace(bare=False)


def exact(text: str) -> Topic | None:
    """What a key or a file's name names as a whole."""
    turn = turned(text)
    return _PHRASES.get(normal(text)) or (_TURNED[turn] if turn else None)


def is_field(text: str) -> bool:
    """Whether a label tells of something else than what it stands under: "Branch", "Expected", "Context"."""
    return normal(text) in _FIELDS


def is_phase(text: str) -> bool:
    """Whether a heading is that of a numbered phase: "Phase 2: …"."""
    return _PHASE.match(text) is not None


def is_task(text: str) -> bool:
    """Whether a heading is that of a numbered task: "Task 3: …"."""
    return _TASK.match(text) is not None


def _composed(text: str, words: str) -> Topic | None:
    """A phrase with words around it that say nothing: fillers, an aside, what it is about behind a preposition."""
    if found := _PHRASES.get(_stripped(words)):
        return found
    front = _BEHIND.split(_ASIDE.sub(" ", text), maxsplit=1)[0]
    parts = [_stripped(normal(part)) for part in _JOINED.split(front)]
    if found := next((_PHRASES[part] for part in parts if part in _PHRASES), None):
        return found if len(parts) == 1 or all(len(part.split()) <= 3 for part in parts) else None
    told = words.split()
    at = next((at for at, word in enumerate(told) if at and word in _PREPOSITIONS), 0)
    if at and (found := _PHRASES.get(_stripped(" ".join(told[:at])))) and found.kind not in ("next", "step", "finding"):
        return found
    if told and told[-1] in _NOUNS and len(told) <= 4:
        return _PHRASES.get(told[-1])
    return None


def _stripped(words: str) -> str:
    told = words.split()
    while len(told) > 1 and told[0] in _FILLERS:
        told = told[1:]
    while len(told) > 1 and told[-1] in _FILLERS:
        told = told[:-1]
    return " ".join(told)


Part = Literal["validate", "budget", "tier", "depends", "files", "tags", "questions", "steps", "other"]
# What plans call their parts beside what any document does.
_NAMED: Final[tuple[tuple[Part, str], ...]] = (
    ("validate", "validate|verify|test|how to test|run"),
    ("budget", "budget|token budget|tokens"),
    ("tier", "tier|model tier|model"),
    ("depends", "depends|depends on|dependencies|after|blocked by"),
    ("files", "allowed files|files expected to change|touches"),
    ("tags", "tags|machine tags"),
    ("questions", "questions for you|questions to answer"),
    ("steps", "work|implementation|changes|what to do"),
    ("other", "problem|context|background|approach|notes|summary|description|overview|why|rollback|alternatives|"
              "references|acceptance|failed approaches"),
)  # fmt: skip
_PARTS: Final[dict[str, Part]] = {word: part for part, words in _NAMED for word in words.split("|")}
_PARTS_OF_KINDS: Final[dict[Kind, Part]] = {
    "validation": "validate", "file": "files", "question": "questions", "step": "steps",
}  # fmt: skip
# What is done already is no part of a plan.
_AHEAD: Final = ("", PENDING)
_LABEL: Final = r"(?P<label>\d+(?:\.\d+)*[a-z]?(?:[-–]\d+)?)\b"
PHASE: Final = re.compile(
    rf"\W*(?P<word>phase|stage|milestone)\s*#?{_LABEL}\s*[:.)\]—–-]*\s*(?P<title>.*)", re.IGNORECASE
)
TASK: Final = re.compile(rf"\W*(?:task|step)\s*#?{_LABEL}\s*[:.)\]—–-]*\s*(?P<title>.*)", re.IGNORECASE)
NUMBERED: Final = re.compile(
    r"(?P<label>\d{1,2}(?:\.\d{1,2})*(?:[a-z](?=[.):]))?)[.):]?\s+(?P<title>\S.*)", re.IGNORECASE
)
# In a list or a sentence only a sign between the number and a title makes it one: "Phase 3 is done" is none.
PHASE_ENTRY: Final = re.compile(
    rf"\W*(?:phase|stage|milestone|task|step)\s*#?{_LABEL}\s*[:.)\]—–-]+\s*(?P<title>\S.*)", re.IGNORECASE
)


def part_of(text: str) -> Part | None:
    """The part of a plan that a heading or label names as a whole, None for any other words."""
    words = normal(text)
    if words in _PARTS:
        return _PARTS[words]
    named = exact(text)
    return _PARTS_OF_KINDS.get(named.kind, "other") if named and named.status in _AHEAD else None


Purpose = Literal["constraints", "changes", "checks", "style"]
# What the sections of a rules file are called; words that say nothing around them count for nothing.
_PURPOSES: Final[tuple[tuple[Purpose, str], ...]] = (
    ("constraints", r"hard (?:constraints?|rules?|requirements?|limits?)|non[- ]negotiables?|critical (?:rules?|"
                    r"constraints?|requirements?|warnings?)|(?:golden|cardinal|iron|absolute|strict|mandatory|safety|"
                    r"security) (?:rules?|laws?)|never(?: do| ever)?|must(?: not| never)?|do not|don['’]?ts?|"
                    r"forbidden|prohibit\w+|guard ?rails?|off[- ]limits|^boundaries$|restrictions|red lines?|"
                    r"constraints"),
    ("checks", r"test(?:s|ing)?(?: (?:commands?|instructions|your changes))?|validation|verification|verify(?:ing)?|"
               r"quality (?:gates?|checks?)|checks|lint(?:ing)?|ci|before (?:you )?(?:commit|finish|submit|push)\w*"),
    ("changes", r"making changes|how changes are made|(?:development|git|change|contribution|commit|branch|pr) "
                r"(?:workflow|process|rules?|policy)|modif(?:y|ying|ication)\w*|editing|when (?:adding|changing)|"
                r"pull requests?|commits?(?: messages?)?|contributing|workflow"),
    ("style", r"style(?: guide(?:lines)?)?|(?:coding|writing|documentation|language|typescript|python|go|rust|react|"
              r"css) (?:conventions?|standards?|guidelines)|^conventions$|naming|formatting|docstrings?|comments?|"
              r"import order|tone"),
)  # fmt: skip
_PURPOSE_WORDS_MAX: Final = 6


@cache
def _purposes() -> tuple[tuple[Purpose, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for name, words in _PURPOSES)


def purpose_of(title: str) -> Purpose | None:
    """What a section of a rules file is for, where its heading says one thing."""
    words = re.sub(r"[^\w\s'’&/-]", " ", title).strip()
    if len(words.split()) > _PURPOSE_WORDS_MAX:
        return None
    named = [name for name, pattern in _purposes() if pattern.search(words)]
    return named[0] if len(named) == 1 else None
