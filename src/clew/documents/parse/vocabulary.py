"""What headings, labels and keys name: one table of phrases, and little else. A heading that is not in it, but for
words
that say nothing, names no kind: what stands under it is a note. Knows nothing of documents.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from clew.core.state.items import Kind
from clew.documents.parse.negation import Turn, turned
from clew.documents.parse.status import DOING, DONE, DROPPED, PENDING


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
_TABLE: Final[tuple[tuple[Topic, str], ...]] = (
    (Topic("goal"), """
        goal | goals | objective | objectives | aim | mission | purpose | user request | original request | the ask |
        feature goal | what we want | session goal | problem statement | 目标 | 目標 | 目的 | 목표 | objetivo |
        objetivos | ziel | ziele | objectif | objectifs | 任务目标
    """),
    (Topic("decision"), """
        decision | decisions | adr | adrs | decided | agreed | settled | locked in | choices | design choices |
        what we decided | what was decided | decisions and why | decisions and rationale | decision log |
        architecture decision records | rulings | 決定 | 決定事項 | 决策 | 决定 | 결정 | 결정 사항 | decisiones |
        decisión | entscheidung | entscheidungen | décision | décisions | decisões | 技术决策 | was entschieden ist
    """),
    (Topic("deferral"), """
        later | deferred | deferrals | parked | postponed | someday | future | future work | future ideas | icebox |
        backburner | parking lot | nice to have | stretch goals | ideas | wishlist | follow up later | not now |
        post launch | post mvp | long term | future improvements | future enhancements | future considerations |
        今後の課題 | 将来 | 后续 | 暂缓 | 추후 | später | plus tard | a futuro
    """),
    (Topic("failed"), """
        failed | tried | failed approaches | failed attempts | what failed | dead ends | attempts that failed |
        tried and failed | approaches tried | what did not work | what didnt work | what went wrong |
        hypotheses eliminated | 失敗 | 失败 | うまくいかなかったこと | 실패 | lo que no funcionó |
        was nicht funktionierte | échecs
    """),
    (Topic("hypothesis"), "hypothesis | hypotheses | theory | theories | suspects | suspected cause | working theory"),
    (Topic("constraint"), """
        constraint | constraints | rule | rules | invariant | invariants | must | musts | must stay true | guardrails |
        conventions | principles | hard rules | hard constraints | ground rules | working rules | standing orders |
        non negotiable | non negotiables | requirements and constraints | coding standards | coding conventions |
        code style | policies | working agreements | must hold | always | 制約 | 约束 | 規約 | 规则 | 规范 | 原则 |
        제약 | 규칙 | restricciones | reglas | regeln | contraintes | règles | regras
    """),
    (Topic("reminder"), """
        reminder | reminders | remember | important | warning | warnings | caution | attention | beware | dont forget |
        do not forget | keep in mind | heads up | nb | note to self | notes to self | watch out | before you start |
        read this first | notes for next session | notes for the next session | 注意 | 注意事项 | 注意事項 | 주의 |
        提醒 | wichtig | achtung | importante
    """),
    (Topic("assumption"), "assumption | assumptions | assumed | 前提 | 假设 | 가정 | annahmen | suposiciones"),
    (Topic("question"), """
        question | questions | open question | open questions | unknowns | unresolved questions | clarifications |
        undecided | to clarify | to be decided | pending decisions | open decisions | decisions needed |
        needs decision | needs input | decisions to make | unresolved | questions for the user | 未解決の質問 | 待确认 |
        疑问 | 確認事項 | 질문 | preguntas | preguntas abiertas | fragen | offene fragen | questions ouvertes |
        perguntas
    """),
    (Topic("risk"), """
        risk | risks | concerns | threats | known issue | known issues | known bug | known bugs | known problems |
        bugs | issues | known limitations | limitations | open issues | open bugs | remaining issues | remaining bugs |
        remaining problems | problems | potential issues | not working | broken | failing tests | what is broken |
        whats broken | risks and mitigations | open risks | tech debt | technical debt | リスク | 风险 | 已知问题 |
        既知の問題 | 위험 | 알려진 문제 | riesgos | problemas conocidos | risiken | bekannte probleme | risques |
        problèmes connus
    """),
    (Topic("blocker"), """
        blocker | blockers | blocking | impediments | showstoppers | blocked | blocked on | blocked by | waiting on |
        waiting for | ブロッカー | 阻塞 | bloqueos | bloqueadores | blockaden | blocages
    """),
    (Topic("file", listed=True), """
        file | files | files in play | files changed | files modified | files created | files touched | files added |
        files edited | modified files | changed files | created files | key files | relevant files | important files |
        affected files | related files | critical files | files to modify | files to change | files to create |
        files to read | files involved | new files | new or modified files | files deleted | 変更ファイル | 相关文件 |
        修改的文件 | 文件 | 파일 | archivos | dateien | fichiers | arquivos
    """),
    (Topic("validation"), """
        verification | validation | validations | test results | tests | checks | how to verify | verification steps |
        validation commands | verification commands | test plan | tests run | reproduce with | acceptance tests |
        quality gates | 検証 | 验证 | 测试结果 | 검증 | verificación | prüfung | vérification
    """),
    (Topic("learning"), """
        lesson | lessons | lessons learned | learning | learnings | learned | gotcha | gotchas | pitfalls | insights |
        takeaways | what we learned | what i learned | what worked | tips | quirks | caveats | 学び | 学んだこと |
        教訓 | 经验教训 | 교훈 | lecciones aprendidas | erkenntnisse | leçons apprises
    """),
    (Topic("finding"), """
        finding | findings | fact | facts | facts worth knowing | discoveries | observations | root cause | key facts |
        current state | current status | status | state | where we are | where things stand | where we stand |
        situation | what exists | analysis | diagnosis | 現状 | 发现 | 当前状态 | 根本原因 | 现状 | 현재 상태 | 발견 |
        hallazgos | estado actual | aktueller stand | état actuel
    """),
    (Topic("phase", listed=True), """
        phases | milestones | stages | epics | sprints | フェーズ | 阶段 | 단계 | fases | phasen
    """),
    (Topic("step", DONE), """
        done | completed | complete | finished | accomplished | accomplishments | achievements | shipped | implemented |
        delivered | merged | resolved | fixed | closed | what was done | what is done | whats done | what we did |
        what i did | what has been done | what was completed | what was implemented | what shipped | what was built |
        work done | work completed | completed work | completed tasks | tasks completed | completed items |
        done so far | already done | recently completed | changes made | bugs fixed | 完了 | 完了したこと | 已完成 |
        完成 | 완료 | 완료된 작업 | hecho | completado | lo que se hizo | erledigt | fertig | was gemacht wurde |
        terminé | fait | concluído | feito | o que foi feito | 実施内容 | 已完成工作
    """),
    (Topic("step", DOING), """
        in progress | wip | doing | ongoing | underway | work in progress | working on | in flight | current work |
        active work | current task | active tasks | 進行中 | 进行中 | 진행 중 | en progreso | en curso | in arbeit |
        en cours | em andamento
    """),
    (_TODO, """
        todo | todos | to do | to dos | pending | remaining | outstanding | upcoming | backlog | planned | not started |
        not done | not yet done | unfinished | still to do | left to do | what is left | whats left | what remains |
        whats remaining | remaining work | remaining tasks | remaining steps | remaining items | remaining failures |
        open tasks | open items | open work | outstanding work | outstanding items | pending tasks | pending work |
        pending items | follow ups | followups | follow up | action items | loose ends | still open | next tasks |
        to be done | unfinished work | incomplete | needs work | things left | left undone | missing | 残タスク | 待办 |
        待办事项 | 未完了 | 未完成 | 할 일 | 남은 작업 | pendiente | pendientes | por hacer | offen | noch offen |
        zu tun | noch zu tun | offene punkte | à faire | reste à faire | pendências | a fazer
    """),
    (Topic("step", DROPPED), "cancelled | canceled | dropped tasks | obsolete tasks | superseded tasks"),
    (STEP, """
        steps | tasks | subtasks | task list | checklist | implementation steps | implementation tasks |
        implementation plan | work breakdown | execution plan | action plan | plan | stories | user stories | features |
        deliverables | acceptance criteria | definition of done | success criteria | タスク | 手順 | 计划 | 任务 |
        步骤 | 작업 | 계획 | tareas | pasos | aufgaben | schritte | tâches | étapes | tarefas
    """),
    (Topic("next", PENDING), """
        next | next step | next steps | next action | next actions | next up | up next | whats next | what is next |
        what comes next | immediate next steps | immediate next step | do next | start here | resume here |
        next session | for next session | for the next session | next task | where to pick up | how to continue |
        resume instruction | 次のステップ | 下一步 | 다음 단계 | próximo paso | próximos pasos | siguiente paso |
        nächster schritt | nächste schritte | als nächstes | prochaine étape | prochaines étapes | próximos passos
    """),
)  # fmt: skip
# They say no more than their kind; of any other the words are told with the entry.
_BARE: Final = frozenset(
    """goal | goals | objective | objectives | decision | decisions | key decisions | decisions and why | constraint |
    constraints | must stay true | reminder | reminders | dont forget | do not forget | assumption | assumptions |
    question | questions | open question | open questions | risk | risks | blocker | blockers | file | files | files
    in play | files changed | files modified | verification | validation | lesson | lessons | lessons learned |
    learning | learnings | learned | finding | findings | fact | facts | done | completed | complete | finished |
    what was done | what is done | in progress | todo | todos | to do | steps | tasks | next | step | next step |
    next steps | next action | next actions | hypothesis | hypotheses | rule | rules | failed approaches | deferred
    | later | pending | phases | milestones""".replace("\n   ", "").split(" | ")
)
# In front of a phrase and behind it they say nothing of what it names.
_FILLERS: Final = frozenset(
    """the our my your this that these those a an session sessions current key main major important all some any
    overall so
    far today now here and of for with to details list items item log tracker made identified notable critical final
    full
    project more other additional specific immediate latest recent technical architecture architectural design
    implementation
    still also please user""".split()
)
_PREPOSITIONS: Final = frozenset("for of from in on with by during since until before after about across at".split())
# Nouns of which the rest of a heading tells which ones: "parser risks", "migration decisions".
_NOUNS: Final = frozenset(
    "decisions risks questions constraints blockers assumptions learnings invariants gotchas".split()
)
# Labels that tell of something else than they stand under: they keep their words, and are no item of its kind.
_FIELDS: Final = frozenset(
    """branch date updated last updated created author owner version priority effort estimate estimated effort
    complexity severity
    context consequences consequence alternatives alternative impact description details input output inputs outputs
    expected actual
    expected result example note notes dependencies depends on prerequisites location commit commits issue pr url link
    links source
    background duration session benefits trade offs tradeoffs pros cons evidence symptom fix solution workaround
    mitigation purpose
    current proposed before after usage""".split()
) | {"last updated", "estimated effort", "expected result", "depends on", "trade offs", "pull request"}  # fmt: skip
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


_PHRASES: Final[dict[str, Topic]] = {
    phrase: topic._replace(bare=phrase in _BARE)
    for topic, phrases in reversed(_TABLE)
    for phrase in map(normal, phrases.split("|"))
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
