"""Which words of headings and labels name which kind: one table. Knows nothing of documents."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from clew.core.items import Kind

Field = Literal["why", "field", "meta"]


class Topic(NamedTuple):
    """What a heading or label names: a kind, or None for what is not filed (usage, links, examples).

    `status` is that of the steps below. `prose`: paragraphs below are items, too, not only lists. `soft`: it says
    little, the words of an entry say more. `yields`: below a heading that names a kind it says nothing.
    `files`: entries that begin with a path are files. `brief`: its first paragraph may tell the goal.
    """

    kind: Kind | None
    status: str = ""
    prose: bool = False
    soft: bool = False
    yields: bool = False
    files: bool = False
    brief: bool = False


DONE = Topic("step", "done", prose=True)
DOING = Topic("step", "in progress", prose=True)
PENDING = Topic("step", "pending", prose=True)
BLOCKED = Topic("step", "blocked", prose=True)
DROPPED = Topic("step", "dropped", prose=True)
STEP = Topic("step")
FACT = Topic("finding", prose=True)
LOOSE = Topic("finding", soft=True)
BRIEF = Topic("finding", soft=True, brief=True)
AREA = Topic("finding", soft=True, yields=True)
NOTHING = Topic(None)
RULE = Topic("constraint", prose=True)
RANK = Topic("step", yields=True)
_DECISION = Topic("decision", prose=True)
_URGENT = Topic("reminder", prose=True)
CHANGED = Topic("step", "done", prose=True, files=True)

# A phrase names its topic as a whole heading, at a heading's end ("remaining risks"), and with "…" at its beginning,
# too ("completed this session"). Written as `normal` leaves them.
_TABLE: tuple[tuple[Topic, str], ...] = (
    (DONE, """
        completed… | complete… | done… | finished… | accomplished… | accomplishments | achievements | achieved |
        what was done | what was accomplished | what was completed | what was built | what was implemented |
        what was fixed | what was delivered | what i did | what we did | what i built | what we built |
        what got done | what happened | what changed | what shipped | what is done | whats done |
        what has been done | session produced | work done | work completed | work performed | work so far |
        progress made | progress | progress log | changelog | change log | implemented… |
        implementation summary | delivered… | shipped… | merged… | resolved… | fixed… | fixes | bug fixes |
        bugs fixed | fixes applied | fixes made | improvements | enhancements | closed… | landed… | released… |
        solution delivered | commits | commits made | recent commits | session log | work log | activity log |
        actions taken | tasks done | already done | deployed… |
        built… | replaced… | final summary | optimizations | new components | refactorings | 完了 |
        完了したこと | 已完成 | 完成 | 変更点 | 실행 완료 | 완료 | hecho | completado | erledigt | terminé
    """),
    (DOING, """
        in progress… | currently working on | working on | current work | current task | current tasks |
        active tasks | active work | active | wip | work in progress | ongoing… | under way | underway |
        feature in progress | doing | in flight | now | partially done |
        partially complete | partially completed | half done | started | partial changes | 進行中 | 进行中 |
        진행 중 | en progreso | en curso | in arbeit
    """),
    (PENDING, """
        pending… | to do | todo… | todos | to dos | to do list | todo list | remaining… | not started |
        not yet started | not done | not yet done | not yet implemented | not implemented | outstanding… |
        planned… | backlog | upcoming… | open items | open tasks | open work | open todos | open | action items |
        actions | follow ups… | follow up… | followups | still to do | left to do | whats left | what is left |
        what remains | whats remaining | unfinished… | incomplete… | short term | medium term | mid term |
        near term | missing… | gaps | known gaps | todo items | need to do | needs doing | 残タスク | 待办 |
        待办事项 | 未完了 | 할 일 | pendiente | offen | à faire
    """),
    (BLOCKED, "blocked… | on hold… | paused… | stuck"),
    (DROPPED, "cancelled… | canceled… | dropped… | obsolete… | superseded…"),
    (CHANGED, """
        changes… | changes made | key changes | recent changes | major changes | summary of changes | change summary |
        added… | removed… | created… | created | updated… | deleted… | modified… | modified | new | renamed | edited |
        changed | touched | also touched
    """),
    (RANK, """
        critical | high | medium | low | urgent | high priority | medium priority | low priority | critical priority |
        top priority | must have | must haves | should have | could have | quick wins | p0 | p1 | p2 | p3 | priority 1
        |
        priority 2 | priority 3
    """),
    (STEP, """
        tasks… | task list | subtasks | sub tasks | steps | plan | the plan | proposed plan | plan of action |
        implementation plan | implementation steps | implementation order | order of work | recommended sequence |
        sequence | action plan | execution plan | roadmap | acceptance | acceptance criteria | definition of done |
        success criteria | success metrics | exit criteria | done when | completion criteria | deliverables |
        checklist | in scope | scope | user stories | stories | what to build | work items | work breakdown |
        work plan | expected results | expected outcome | expected outcomes | timeline | schedule | checkpoints |
        set up… | setup | prerequisites | prerequisite steps | issues to fix | things to do | priorities |
        priority matrix | features | feature list | feature status | implementation status |
        implementation checklist | implementation tasks | tasks by priority | recommended actions |
        recommendations | proposed changes | changes needed | required changes | changes required |
        migration steps | migration plan | rollout plan | rollout | candidates | improvement plan |
        refactoring plan | fix plan | status overview | overall progress | task status | requirements | タスク |
        計画 | 計划 | 计划 | 任务 | 작업 | tareas | aufgaben | tâches
    """),
    (Topic("next", "pending", prose=True), """
        next… | next step | next steps | next action | next actions | whats next | what next | what is next |
        what comes next | next up | up next | next session | next tasks | immediate next steps | immediate actions |
        resume | resume here | resume work | resume instruction | resume instructions | resume point | start here |
        where to start | where to resume | pick up here | picking up | continue here | continue with | to continue |
        how to continue | how to resume | after that | after this | then | first step | first thing to do |
        do first | do this first | do this next | do next | now what | next milestone | next goal | immediate |
        right now | suggested next steps | recommended next steps | action items and next steps | next moves |
        next priorities | 次のステップ | 次のアクション | 次にやること | 下一步 | 后续步骤 | 다음 단계 |
        próximos pasos | siguientes pasos | nächste schritte | prochaines étapes
    """),
    (Topic("goal", prose=True), """
        goal | goals… | objective | objectives | mission | purpose | aim | aims | vision | north star | task |
        the task | task description | user request | original request | original user request | user requests |
        request | desired outcome | desired end state | current goal | session goal | primary goal | session focus |
        current focus | active focus |
        focus | overall goal | intent | what we are building | what were building | what this is for | ask |
        the ask | target outcome | big picture | 目標 | 目的 | 目标 | 목표 | objetivo | objetivos | ziel | ziele |
        objectif
    """),
    (_DECISION, """
        decision | decisions… | decisions made | decisions taken | key decisions | decision log | decision record |
        decision records | architecture decisions | architectural decisions | architecture decision records |
        design decisions | technical decisions | locked decisions | decisions locked | adr | adrs | choices |
        design choices | trade offs | tradeoffs | agreed… | agreements | decided… | resolved decisions | ratified |
        confirmed decisions | decisions and why | decisions and rationale | settled | settled questions |
        recommendation | final design | chosen design |
        chosen approach | selected approach | agreed approach | final approach | agreed design | direction |
        design direction | technical direction | decision outcome | verdict | 決定 |
        決定事項 | 决策 | 决定 | 결정 | decisiones | entscheidungen | décisions
    """),
    (Topic("deferral", prose=True), """
        out of scope | non goals | nongoals | not in scope | deferred… | deferrals | future… | later |
        nice to have | nice to haves | wont do | wont fix | will not do | not doing | parked… | parking lot |
        postponed… | someday | long term | longer term | stretch goals | stretch | icebox | ideas |
        deliberately not… | intentionally not… | not building | not now | scope cuts | known scope cuts |
        explicitly out of scope | optional | optional enhancements | possible improvements | what we are not doing |
        what were not doing | 対象外 | 今後の課題 | 范围外 | 추후 | fuera de alcance | später | plus tard
    """),
    (Topic("failed", prose=True), """
        what did not work | what didnt work | what does not work | what doesnt work | did not work | didnt work |
        not working… | failed… | failed approaches | failed attempts | failures | dead end | dead ends |
        things tried | tried | tried and failed | what was tried | what i tried | what we tried | attempts |
        attempted… | approaches tried | do not retry | abandoned… | abandoned approaches | rejected… |
        rejected approaches | ruled out… | what failed | what went wrong | what went badly | anti patterns tried |
        did not help | eliminated | hypotheses eliminated | 失敗 | うまくいかなかったこと | 失败 | 실패 |
        lo que no funcionó
    """),
    (Topic("hypothesis", prose=True), """
        hypothesis | hypotheses | suspected cause | suspected causes | theory | theories | suspects |
        possible cause | possible causes | likely cause | likely causes | working theory | current hypothesis
    """),
    (RULE, """
        constraint | constraints… | rule | rules | hard rules | hard constraints | soft constraints | invariant |
        invariants | key invariants | must | must not | must stay true | must hold | musts | do not… | dont… |
        dont do | do not do | never | always | non negotiable | non negotiables | guardrails | guard rails |
        principles | core principles | guiding principles | conventions | coding conventions | code conventions |
        working rules | ground rules | do not touch | off limits | hands off | boundaries | stop condition |
        stop conditions | safety rules | security requirements | policy | policies | guidelines | standards |
        coding standards | code style | style guide | contract | privacy contract | limits |
        non functional requirements | functional requirements | technical requirements | dos and donts |
        scope guard | preserved | constraints preserved | targets | performance targets | performance budget | budgets
        |
        considerations | security considerations | design considerations | anti patterns | anti pattern | antipatterns
        |
        what not to do | things to avoid | common mistakes | requirements to keep | 制約 | 约束 | 제약 |
        restricciones |
        regeln | contraintes
    """),
    (Topic("reminder", prose=True), """
        dont forget | do not forget | reminder | reminders | remember… | note to self | notes to self | important |
        important note | important notes | important reminders | warning | warnings | caution | watch out |
        watch out for | watch outs | heads up | keep in mind | attention | be careful | critical note |
        critical notes | beware | nb | note | please note | 注意 | 注意点 | 注意事项 | 주의 | ojo
    """),
    (Topic("assumption", prose=True), "assumption | assumptions… | assumed | working assumptions | 前提 | 假设"),
    (Topic("question", prose=True), """
        question | questions… | open question | open questions | unresolved | unresolved questions | unknowns |
        unknown | decision needed… | decisions needed… | pending decisions | open decisions | to be decided | tbd |
        questions for… | clarifications needed | clarifications | needs clarification | need input | needs input |
        input needed | needs decision | awaiting decision | answers needed | to clarify | undecided | 未解決 |
        未解決の質問 | 质疑 | 待确认 | 개방형 질문 | preguntas abiertas | offene fragen | questions ouvertes
    """),
    (Topic("risk", prose=True), """
        risk… | risks… | risks and mitigations | open risks | risk assessment | risk register | potential issues |
        potential problems | potential risks | concerns | threats | what could go wrong | operational risks | 風險 |
        リスク | 风险 | 위험 | riesgos | risiken | risques
    """),
    (Topic("blocker", prose=True), """
        blocker | blockers… | blocks | blocking | blocking issues | blocked by | impediment | impediments |
        waiting for | waiting on | current blockers | open blockers | external blockers | show stoppers |
        showstoppers | needs from… | ブロッカー | 阻塞 | 阻碍 | 차단 요소 | bloqueos | bloqueadores | hindernisse |
        blocages
    """),
    (Topic("file"), """
        file | files | files changed | files modified | files created | files added | files deleted |
        files removed | modified files | changed files | created files | new files | deleted files | key files |
        critical files | main files | relevant files | related files | important files | core files | source files |
        test files | code files | config files | files to… | files to modify | files to create | files to change |
        files to read | target files | files touched | files affected | affected files | files involved |
        files in play | files created modified | artifacts | artefacts | critical references | required reading |
        read first | must read | what to read | documents to read | key files and scripts | code locations |
        key locations | file structure | file changes | file list | where to look | documentation created |
        documents | docs | key documents | official references | reference files | file references | existing files |
        new or modified files | files reviewed | context files |
        key code | key paths | paths | 変更ファイル | 関連ファイル | ファイル | 文件 | 相关文件 | 修改的文件 |
        파일 | archivos | dateien | fichiers
    """),
    (Topic("validation", prose=True), """
        verification | verified… | verify… | validation | validated… | validations | how to verify | how to test |
        test | tests | testing | test results | test status | testing status | tests run | test plan | test run |
        test suite | test scenarios | test cases | checks | status check | quick status check | quick check |
        health check | quality gates | quality checks | gates | ci | ci status | build status | build |
        validation commands | verification steps | verification commands | verification results |
        verification checklist | commands run | linting | lint | type checking | type check | typecheck |
        manual testing | qa | quality assurance | evaluation results | tests passing | test evidence | smoke test |
        smoke tests | smoke | manual smoke | manual check | manual checks | manual test | manual tests |
        manual verification | testing strategy | test strategy | testing approach | testing plan | test commands |
        pass rate | regression tests | unit tests | integration tests | e2e tests | test outcome | proof |
        quality metrics | tested… | 検証 | テスト | テスト結果 | 構文検証 | 验证 | 测试 | 검증 | 테스트 | pruebas |
        verificación | tests à faire
    """),
    (Topic("learning", prose=True), """
        lesson | lessons… | lessons learned | lessons learnt | learning | learnings | what was learned | learned |
        what we learned | what i learned | gotcha | gotchas… | known gotchas | gotchas encountered | pitfalls |
        common pitfalls | tip | tips | tricks | tips and tricks | pattern | patterns | key patterns |
        patterns to reuse | patterns to follow | patterns applied | pattern applied | best practices | what worked |
        worked | what works | what worked well | what went well | takeaway | takeaways | key takeaways |
        retrospective | challenges | traps | technical insights | insights | key insights | quirks | caveats |
        what did work | 学び | 学んだこと | 教訓 | 经验教训 | 经验 | 교훈 | 배운 점 |
        lecciones aprendidas | erkenntnisse | leçons
    """),
    (Topic("phase"), "phases | milestones | stages | epics | current phase | sprints | phase | phase overview"),
    (FACT, """
        root cause | root causes | rootcause | cause | causes | finding | findings… | key findings | fact | facts |
        verified facts | code verified facts | discoveries | observation | observations | result | results |
        performance results | analysis | diagnosis | diagnostic | problem | problems | the problem |
        problem solved | known issue | known issues | known bugs | known limitations | known problems |
        limitations | bug | bugs | issue | issues | open issues | current issues | issues found |
        issues identified | key issues | flaws | flaws summary | current state | current status | current… |
        status | status summary | where we are | where we stand | where things stand | state | state observed |
        state of play | snapshot | current snapshot | session status | where it stands | implementation state |
        repo state | repository state | git state | code state | baseline | measurements | metrics | benchmark |
        benchmarks | benchmark results | performance | evidence | background | technical debt | key results |
        main results | symptom | symptoms | code health | answered questions | answers | notable | highlights |
        numbers | research findings summary | research summary | research findings | the finding | what exists |
        what exists today | how it works today | discovered… | important facts | key facts | facts worth knowing |
        bottleneck | bottlenecks | regressions | 現象 | 现象 | 症状 | 現状 | 現在の状態 | 問題 | 既知の問題 | 原因 |
        発見 | 当前状态 |
        现状 | 已知问题 | 根本原因 | 发现 | 현재 상태 | 문제 | estado actual | problemas conocidos | hallazgos |
        stand | aktueller stand | état actuel
    """),
    (BRIEF, "overview | executive summary | summary | introduction | project overview | tl dr | tldr | abstract"),
    (LOOSE, """
        context | important context | key context | notes | technical notes | technical details |
        implementation notes | implementation details | final notes | other notes | additional notes |
        session summary | details | conclusion | conclusions | proposal | resources used | additional context |
        備考 | 背景 | メモ | 备注 | 说明 | 배경 | notas | contexto | hinweise | kontext | contexte
    """),
    (AREA, """
        architecture | design | environment | key features | integration | test coverage | coverage | tech stack |
        technology stack | stack | configuration | settings | dependencies | data model | components |
        core components | api | behavior | behaviour | how it is built | hooks | solution | approach |
        proposed solution | strategy | code quality | worker | infrastructure | integration points | key concepts |
        concepts | security | deployment
    """),
    (NOTHING, """
        references | reference | links | resources | sources | research sources | table of contents | contents |
        toc | usage | usage example | usage examples | how to use | how to run | example | examples |
        example output | quick start | quickstart | getting started | installation | install | faq | appendix… |
        glossary | legend | priority legend | version history | document history | revision history | metadata |
        session info | session information | session metadata | session metrics | about | related documents |
        related docs | see also | related | related links | further reading | commands | useful commands |
        commands to run first | first command to inspect | quick commands | quick reference | cheat sheet |
        dev workflow | contact | contacts | contact points | troubleshooting… | template | templates | schema |
        format | output format | available skills | skills | philosophy | design rationale |
        rationale for the design | when to use | when not to use | how to use it | how its structured | how to read it
        | how to read this | what this does | what this is | use cases |
        how it works | flags | options | parameters | arguments | memory retrieval | retrieve with | audience |
        target audience | credits | acknowledgements | license | tools | api reference | documentation references |
        output | input | inputs | screenshots | demo | user | assistant | human | system | conversation |
        transcript | prompt | prompts | instructions | workflow | workflows | how to report | resources and links |
        bibliography | converting… | viewing… | who this is for | flow | session memory | pricing | version |
        versions | 使用方法 | 使い方 | 参考 | 参考资料 | 使用例 | 例 | 用法 | 참고 | referencias | links und quellen
    """),
)  # fmt: skip

# What a labelled line says about the item that it stands under: its reason, another of its fields, or no more than
# metadata.
_FIELDS: tuple[tuple[Field, str], ...] = (
    ("why", """
        why | reason | reasons | rationale | because | justification | motivation | reasoning | why not |
        why it failed | why it matters | because of | 理由 | 原因 | 为什么 | 이유 | razón | motivo | por qué |
        begründung | grund | raison
    """),
    ("field", """
        purpose | problem | solution | cause | root cause | issue | technical approach | 问题 | 問題 | 修复 | 修正 |
        原因 |
        目的 | 解决 | 解决方案 | 対策 | 影响范围 | 方案 | file | path | consequence | consequences | impact |
        alternatives |
        alternatives considered |
        options considered | alternative | priority | severity | effort | estimate | estimated effort | complexity |
        fix | workaround | mitigation | mitigations | location | where | trigger | option | current | proposed |
        reward | how to apply | benefit | benefits | cons | pros | outcome | trade off | tradeoff |
        probability | likelihood | description | details | component | affects | error | symptom | resolution |
        approach | implementation | related | related files changed | expected | actual | depends on |
        dependencies | evidence | verdict | action | answer | recommended | default | decided by | supersedes |
        when | revisit when | revisit | context | 解決策 | 優先度 | 影响 | 影響 | 영향
    """),
    ("meta", """
        date | created | created at | created by | updated | last updated | last update | last modified | author |
        authors | version | branch | base | base branch | commit | commits | head | session | session id |
        session date | duration | id | repo | repository | tag | time | timestamp | model | agent | owner |
        assignee | reviewer | labels | label | type | mode | provider | generated | generated at | generated by |
        prepared by | pr | pull request | link | url | live urls | size | language | started | ended | started at |
        ended at | completed at | from | to | ceo | cto | project | project root | worktree |
        working directory | current working directory | log path | title | estimated time | time spent | format |
        storage | ticket | milestone | issue type | audience | research date | based on | parent | execution mode |
        review date | spec | source | sources | 来源 | 出典 | 日期 | 日付 | 作成日 | 更新日
    """),
)  # fmt: skip

# A label that ends so tells about the document: "Work completed by".
_META_ENDS = frozenset(("by", "at", "id", "url", "date", "version"))
_WORD = re.compile(r"[^\W_]+(?:[.+][^\W_]+)*")
_DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b"
    r"|\bv\d+(?:\.\d+)+\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[(\[（【][^)\]）】]{0,200}[)\]）】]")
_NUMBER = re.compile(r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.):]?|[A-Z][.)]|[ivx]{1,4}[.)])\s+(?=\S)")
# With these in front it is a sentence that says what to do: "fix the login blocker".
_VERBS = frozenset("fix add write run create implement build update remove make do set resolve close check".split())
_COPULAS = frozenset("is are was were has have can will does".split())
# Words that say something in front of a sentence, and as a heading only how urgent something is.
_LINES_ONLY = frozenset((("note",), ("nb",), ("attention",), ("important",)))
_PARTS = re.compile(r"\s*(?:[/,|:;]|\s[-–—]+\s|\band\b|&|\+)\s*")
# A heading with more words than these is a sentence, and names nothing.
_WORDS_MAX = 9
# "Final storage design": it is decided.
_DECIDED = frozenset("final chosen selected agreed approved settled".split())
_DECIDED_UNSPACED = ("最终", "最終", "选定")
_DESIGNS = ("design", "approach", "architecture", "solution", "strategy", "设计", "設計", "方案", "方针", "方針")
# Words that say less than those in front of them: "verification plan" is on verification.
_CONTAINERS = frozenset(
    """plan plans steps step tasks task actions items list work features todos checklist results result status summary
    log report overview notes criteria changes""".split()
)
# What lies behind this character is written without spaces.
_LAST_SPACED = "\u2fff"
_UNSPACED_CHARS_MAX = 8
_DETAILS = re.compile(r"(?:詳細|一覧|リスト|列表|详情|清单|概要|まとめ|목록|요약)$")
# Words that say nothing in front of or behind a phrase.
_FILLERS = frozenset(
    """the our my your this that these those a an session sessions task current key main major important list section
    all some any overall so far today now here and of for in with to details summary notes items item log tracker made
    identified found known critical quick final full project new old phase work repo more other additional specific
    immediate latest recent technical""".split()
)


def normal(text: str) -> tuple[str, ...]:
    """The words of a heading: lower case, without marks, numbers in front, dates and what stands in brackets."""
    if front := _NUMBER.match(text):
        text = text[front.end() :]
    text = _DATE.sub(" ", _ASIDE.sub(" ", text.replace("(s)", "s")))
    text = text.replace("'", "").replace("’", "").replace("&", " and ").replace("`", "").lower()
    return tuple(_WORD.findall(text))


def topic(text: str, *, line: bool = False) -> Topic | None:
    """What a heading or label names, None where the table has nothing for it. `line`: words stand behind the label."""
    return _topic(text, line=line) if len(text) <= 160 else None


def exact(text: str) -> Topic | None:
    """What a text names as a whole: for keys, which are not sentences."""
    words = normal(text)
    return _whole(words) if words and len(text) <= 80 else None


@cache
def _phrases() -> tuple[dict[tuple[str, ...], Topic], frozenset[tuple[str, ...]]]:
    """Phrase to topic, and those that name it at a heading's beginning, too. The first of two rows counts."""
    table: dict[tuple[str, ...], Topic] = {}
    leading = set()
    for named, phrases in _TABLE:
        for phrase in phrases.split("|"):
            words = normal(phrase)
            if words and words not in table:
                table[words] = named
                if phrase.rstrip().endswith("…"):
                    leading.add(words)
    return table, frozenset(leading)


def _topic(text: str, *, line: bool) -> Topic | None:
    words = normal(text)
    if not words or len(words) > _WORDS_MAX or (not line and words in _LINES_ONLY):
        return None
    table, leading = _phrases()
    if found := _whole(words):
        return found if not (line and found == RANK) else _URGENT if words == ("critical",) else None
    if words[-1] in _CONTAINERS and (found := _contained(words)):
        return found
    parts = [normal(part) for part in _PARTS.split(_ASIDE.sub(" ", text))]
    of_parts = [
        found for part in parts if part and part != words and part not in _LINES_ONLY and (found := _whole(part))
    ]
    if certain := next((found for found in of_parts if found.kind and not found.soft), None):
        return certain
    if (words[0] in _DECIDED or words[0].startswith(_DECIDED_UNSPACED)) and words[-1].endswith(_DESIGNS):
        return _DECISION
    is_sentence = words[0] in _VERBS or not _COPULAS.isdisjoint(words)
    for size in range(len(words) - 1, 0, -1):
        if (found := table.get(words[-size:])) and found.kind and not is_sentence:
            # "Completed phase 1 issues" are no longer issues.
            is_done = found.kind == "finding" and words[:1] in leading and table[words[:1]].status == "done"
            return table[words[:1]] if is_done else found
    for size in range(len(words) - 1, 0, -1):
        if words[:size] in leading:
            return table[words[:size]]
    return of_parts[0] if of_parts else _unspaced(words)


def _whole(words: tuple[str, ...]) -> Topic | None:
    """What all of a phrase names, but for words that say nothing around it."""
    return _toggled(words) or _toggled(_bare(words))


def _toggled(words: tuple[str, ...]) -> Topic | None:
    """What a phrase names, in the singular or the plural."""
    table = _phrases()[0]
    if not words or words in table:
        return table.get(words)
    last = words[-1]
    other = last[:-1] if last.endswith("s") else f"{last}s"
    return table.get((*words[:-1], other)) if len(other) > 3 else None


def _contained(words: tuple[str, ...]) -> Topic | None:
    """What the words in front of a container name: "verification plan", "next exact steps"."""
    table, leading = _phrases()
    for size in range(len(words) - 1, 0, -1):
        if words[:size] in leading:
            return table[words[:size]]
    found = _whole(words[:-1])
    return found if found and found.kind and not found.soft and found.status != "done" else None


def _unspaced(words: tuple[str, ...]) -> Topic | None:
    """What a phrase in a script without spaces names, by its end."""
    table, last = _phrases()[0], _DETAILS.sub("", words[-1])
    sizes = range(min(len(last), _UNSPACED_CHARS_MAX), 1, -1)
    return next(
        (table[end] for size in sizes if last[-size] > _LAST_SPACED and (end := (last[-size:],)) in table), None
    )


@cache
def _field_words() -> dict[tuple[str, ...], Field]:
    return {normal(phrase): named for named, phrases in reversed(_FIELDS) for phrase in phrases.split("|")}


def field(label: str) -> Field | None:
    """What a label says about the item that it stands under, None where the table has nothing for it."""
    words = normal(label) if len(label) <= 60 else ()
    return _field_words().get(words) or ("meta" if words[1:] and words[-1] in _META_ENDS else None)


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    first, last = 0, len(words)
    while first < last - 1 and (words[first] in _FILLERS or words[first].isdigit()):
        first += 1
    while last > first + 1 and (words[last - 1] in _FILLERS or words[last - 1].isdigit()):
        last -= 1
    return words[first:last]
