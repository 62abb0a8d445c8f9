"""What phrases of headings and labels name: one table. Knows nothing of how they are put together."""

from clew.documents.parse.topics import (
    AREA,
    BRIEF,
    DECISION,
    DEFERRED,
    FACT,
    FAILED,
    FILES,
    LEARNED,
    LOOSE,
    NOTHING,
    OPEN,
    PENDING,
    PROBLEM,
    RISK,
    RULE,
    SIDE,
    SOLUTION,
    SUMMARY,
    URGENT,
    VALIDATION,
    Topic,
)
from clew.documents.parse.work import WORK

# A phrase names its topic as a whole heading, at a heading's end ("remaining risks"), and with "…" at its beginning,
# too ("completed this session"). Written as `normal` leaves them.
TABLE: tuple[tuple[Topic, str], ...] = (
    *WORK,
    (DECISION, """
        decision | decisions | adr | adrs | choices | alternatives | tradeoffs | agreed… | agreements | decided… |
        ratified | settled | recommendation | direction | verdict | 決定 | 決定事項 | 决策 | 决定 | 결정 |
        decisiones | entscheidungen | décisions | decisions and why | decisions and rationale |
        architecture decision records | trade offs | settled questions | selected approach | resolved decisions |
        options considered | locked decisions | final design | final approach | design direction | design decisions |
        design choices | decisions locked | decision record | decision outcome | confirmed decisions | chosen design |
        chosen approach | architecture decisions | architectural decisions | alternatives considered | agreed design |
        agreed approach | decided against | locked in | locked in choices | locked choices | 技术决策 | 选型 | 方針 |
        결정 사항 | 결정사항 | 技术选型 | 方案选择 | 設計判断 | 設計方針 | décision | entscheidung | decisión |
        decisão | decisões | решения | quyết định | rulings | owner rulings | key calls | calls made | keputusan |
        decisioni | kararlar | alınan kararlar | decyzje | beslissingen | besluiten | принятые решения | 決策 |
        設計決策 | decisões tomadas | decisiones tomadas | getroffene entscheidungen | décisions prises |
        was entschieden ist | entschieden… |
        design record | design log | decision log | decisions log
    """),
    (DEFERRED, """
        nongoals | excluded… | beyond… | later… | deferred… | deferrals | penciled in… | pencilled in… |
        future… | parked… | postponed… | someday |
        stretch | icebox | ideas | optional | 対象外 | 今後の課題 | 范围外 | 추후 | später | what we are not doing |
        what were not doing | explicitly out of scope | will not do | out of scope | not in scope | nice to have |
        fuera de alcance | wont fix | wont do | stretch goals | scope cuts | possible improvements | plus tard |
        parking lot | optional enhancements | not now | not in… | not included | not doing | not building |
        non goals | longer term | long term | intentionally not… | deliberately not… | exclusions | backburner |
        wishlist | wish list | maybe never | back burner | on the horizon | post mvp | post launch | post release |
        possible… | not planned | 将来 | 今後 | 未来 | 后续 | 暂不 | 暂缓 | 保留 | 保留事項 | 範囲外 | 향후 |
        추후 과제 | 보류 | 범위 외 | 제외 | a futuro | futuro | zukunft | futur | потом | отложено | ditunda |
        rimandato | ertelenen | odłożone | uitgesteld | 暫緩 | adiado | aplazado | zurückgestellt | reporté |
        cut for time | cut for now | cut for scope | cut list | 不再做 | 不做
    """),
    (FAILED, """
        failed… | failures | tried | attempts | attempted… | abandoned… | rejected… | eliminated | 失敗 |
        うまくいかなかったこと | 失败 | 실패 | what did not work | lo que no funcionó | what went wrong |
        what went badly | what we tried | what was tried | what i tried | what didnt work | tried and failed |
        do not retry | did not work | did not help | anti patterns tried | what failed | things tried | ruled out… |
        rejected approaches | hypotheses eliminated | failed attempts | failed approaches | didnt work | dead ends |
        approaches tried | abandoned approaches | do not try again | dont retry | dont try again | wrong turns |
        false starts | failed experiments | unsuccessful… | 失敗した | 試した | 尝试 | 시도 | 실패한 | intentos |
        versuche | échecs | неудачи |
        ruled out… | dead ends explored
    """),
    (Topic("hypothesis", prose=True), """
        hypothesis | hypotheses | suspected… | theory | theories | suspects | working theory |
        suspected cause | possible cause | likely cause
    """),
    (RULE, """
        constraint | constraints | rule | rules | invariant | invariants | must | avoid… | musts | dont… | never |
        allowed… | permitted… | forbidden… | prohibited… | disallowed… | always | guardrails | principles |
        conventions | boundaries | preferences | policy | policies | guidelines | standards | contract | limits |
        targets | budgets | considerations | antipatterns | 制約 | 约束 | 제약 | restricciones | regeln |
        contraintes | what not to do | things to avoid | non functional requirements | must stay true | do not touch |
        do not do | working rules | technical requirements | style guide | stop condition | stop when | stop if |
        soft constraints | security requirements | security considerations | safety rules | performance targets |
        performance budget | off limits | non negotiable | must not… | must hold | hard rules | hard constraints |
        hands off | guiding principles | guard rails | ground rules | functional requirements | dont do | do not… |
        design considerations | core principles | common mistakes | style | naming | patterns and preferences |
        code patterns | coding patterns | development patterns | established patterns | things not to do |
        standing instructions | patterns to follow | formatting | coding standards | coding conventions | code style |
        code conventions | anti pattern | discipline | convention | guideline | principle |
        working agreement | working agreements | quality bar |
        design philosophy | core philosophy | tenets | release discipline | how we work | how work is gated | 規約 |
        ルール | 原則 | 禁止 | 规则 | 规范 | 原则 |
        约定 | 注意事項 | 규칙 | 원칙 | 선호 | 사용자 선호 | 제약 사항 | 금지 | reglas | regras | règles |
        konventionen | convenciones | правила | ограничения | environment requirements | system requirements |
        hardware requirements | runtime requirements | standing orders | standing rules | merge policy | 작업자에게 |
        에이전트에게 | ai에게 | aturan | regole | vincoli | kurallar | zasady | regels | не трогать | 規則 |
        限制條件 | não mexer | no tocar | nicht anfassen | ne pas toucher | guarantees
    """),
    (URGENT, """
        reminder | reminders | remember… | important | warning | warnings | caution | attention | beware | nb | note |
        注意 | 注意点 | 注意事项 | 주의 | ojo | notes to self | note to self | keep in mind | do not forget |
        watch outs | please note | important note | heads up | dont forget | critical note | be careful | be aware… |
        critical notes | notes for next session | notes for the next session | notes for next agent |
        notes for the next agent | notes for future sessions | read this first | before you start | must know |
        handle with care | careful | things to watch | 留意点 | 主意 | 주의사항 | 주의 사항 | 유의사항 | 提醒 | 警告 |
        重要 | advertencias | 提示 | 接手提示 | 引き継ぎ事項 | wichtig | achtung | atención | attention points |
        предупреждение | важно | lưu ý | careful with… | read before touching anything | catatan penting |
        note importanti | önemli notlar | ważne | belangrijk | importante | need to know | before continuing |
        before you begin | before you continue | wichtige hinweise
    """),
    (Topic("assumption", prose=True), "assumption | assumptions | assumed | 前提 | 假设 | working assumptions"),
    (OPEN, """
        question | questions | unresolved… | unknowns | unknown | tbd | clarifications | undecided | 未解決 |
        未解決の質問 | 质疑 | 待确认 | to be decided | 개방형 질문 | unresolved questions | to clarify |
        questions ouvertes | preguntas abiertas | pending decisions | open question | open decisions | offene fragen |
        needs input | needs decision | needs clarification | need input | input needed | decisions needed… |
        decision needed… | clarifications needed | awaiting decision | answers needed | unclear… |
        awaiting your decision | needs your input | not answered | unanswered… | 決める | 待用户决策 | 待决策 |
        to confirm |
        awaiting confirmation | ask the user | ask the owner | decisions to make | 未決 | 未決定 | 要確認 | 確認事項 |
        质问 | 疑问 | 待定 | 待决 | 질문 | 미결 | 확인 필요 | preguntas | fragen | questions en suspens | perguntas |
        вопросы | câu hỏi | próximas decisões | próximas decisiones | decisões pendentes | needs your call |
        needs your decision | what i need from you | what we need from you | decisões a tomar |
        próximas decisões a tomar | decisiones por tomar | decisiones pendientes | décisions à prendre |
        décisions en attente | offene entscheidungen | decisions à prendre | pertanyaan | pertanyaan terbuka |
        domande aperte | açık sorular | otwarte pytania | open vragen | открытые вопросы | 未決問題 | 待確認 |
        perguntas em aberto | dúvidas
    """),
    (RISK, """
        risk | risks | concerns | threats | 風險 | リスク | 风险 | 위험 | riesgos | risiken | risques |
        risk considerations | what could go wrong | risks and mitigations | risk register | risk assessment |
        potential risks | potential problems | potential issues | operational risks | open risks | hazards |
        risk areas | danger zones | dangers | fragile areas | fragile | watch items | watch list | areas of concern |
        failure modes | threat model | risk mitigation | mitigations | 懸念 | 懸念点 | 隐患 | 우려 | 리스크 | risco |
        riscos | riesgo | риски | rủi ro | risiko | rischi | riskler | ryzyka | risicos
    """),
    (Topic("blocker", prose=True), """
        blocker | blockers | blocks | blocking | impediment | impediments | waiting | showstoppers |
        ブロッカー | 阻塞 |
        阻碍 | bloqueos |
        bloqueadores | hindernisse | blocages | 차단 요소 | waiting on | show stoppers | open blockers | blocked on… |
        needs from… | external blockers | blocking issues | blocked by | awaiting… | needs a human | needs the owner |
        needs human input
    """),
    (FILES, """
        file | files | artifacts | artefacts | documents | docs | paths | 変更ファイル | 関連ファイル | ファイル |
        文件 | 相关文件 | 修改的文件 | 파일 | archivos | dateien | fichiers | new or modified files | where to look |
        what to read | read these first | files to read | files to modify | files to create | files to change |
        files in play | files created modified | documents to read | test files | target files | source files |
        required reading | relevant code | related files | related code | reference files | reading list |
        read first | must read | modified files | files to… | files touched | files reviewed | files removed |
        files modified | files involved | files deleted | files created | files changed | files affected |
        files added | file structure | file references | file changes | existing files | deleted files |
        critical references | created files | core files | context files | config files | code references |
        code locations | code files | changed files | affected files | reading order | reading path |
        orientation path | code map | file map | key locations | key paths | documentation available |
        documentation map | pointers | file index | repo map | codebase map | repo layout | project structure |
        directory structure | repository structure | repository layout | folder structure | entry points |
        key scripts | where the code lives | where things live | файлы | arquivos | 文件清单 | 関連資料 | 参照資料 |
        파일 목록 | 참고 파일 | key documentation | source map | key code | key modules | modules | start by reading |
        read first in this order | read in this order | documents to read first | file disentuh | file yang diubah |
        file penting | file modificati | file toccati | değişen dosyalar | dosyalar | zmienione pliki | pliki |
        gewijzigde bestanden | bestanden | изменённые файлы | измененные файлы | ключевые файлы | 變更檔案 |
        相關檔案 | 重要檔案 | arquivos alterados | arquivos modificados | archivos modificados | geänderte dateien |
        wichtige dateien | fichiers modifiés | fichiers clés |
        what is here | whats here | whats in here | whats where | what is where | where is what | wo was
        liegt | wo was steht |
        file locations | directory layout | code structure | code locations | waypoints | code waypoints
    """),
    (VALIDATION, """
        verification | verified… | verify… | validation | validated… | validations | test | tests | testing | checks |
        gates | ci | linting | lint | typecheck | qa | proof | tested… | 検証 | テスト | テスト結果 |
        構文検証 | 验证 | 测试 | 검증 | 테스트 | pruebas | verificación | how to verify | how to test |
        verification steps | verification results | verification commands | verification checklist |
        validation commands | unit tests | type checking | type check | tests run | tests passing | testing strategy |
        testing status | testing plan | testing approach | test suite | test strategy | test status | test scenarios |
        test run | test results | test plan | test outcome | test evidence | test commands | test cases |
        status check | smoke test | regression tests | quality metrics | quality gates | quality checks |
        quality assurance | pass rate | manual verification | manual testing | manual test | manual smoke |
        manual check | integration tests | health check | e2e tests | ci status | build status | checks run |
        regression checklist | test checklist | qa checklist | release checklist | verification state |
        verified state | 確認 | 動作確認 | 测试结果 | 确认 | 확인 | 테스트 결과 | vérification | verificação |
        testes | prüfung | проверка | тесты | kiểm tra | smoke… | verify path | definition of green | verifikasi |
        pengujian | verifica | doğrulama | testler | weryfikacja | verificatie | 驗證 | 測試結果 | überprüfung |
        expected result | evidence of completion | untested | unverified | executed | commands run |
        commands executed
    """),
    (LEARNED, """
        lesson | lessons | learning | non obvious things | learnings | learned | gotcha | gotchas | pitfalls | tip |
        tips | tricks | pattern | patterns | worked | takeaway | takeaways | retrospective | traps | insights |
        quirks | caveats | 学び | 学んだこと | 教訓 | 经验教训 | 经验 | 교훈 | erkenntnisse | leçons |
        what worked well | what went well | went well | what we learned | what was learned | what i learned |
        what did work | tips and tricks | patterns to reuse | 배운 점 | what worked | lessons learnt |
        lessons learned | lecciones aprendidas | best practices | footguns | foot guns | landmines | non obvious |
        mistakes | workarounds | trip over | 知見 | 気づき | ハマりどころ | 踩坑 | 坑 | 心得 | 함정 | 배운 것 | 학습 |
        aprendizajes | aprendizados | erfahrungen | выводы | уроки | bài học | surprises | sharp edges | hard won… |
        field notes | catatan & jebakan | jebakan | pelajaran | lezioni apprese | öğrenilenler | çıkarılan dersler |
        wnioski | lessen | geleerde lessen | подводные камни | 經驗 | 踩坑紀錄 | stolperfallen | leçons apprises |
        pièges | where the bodies are buried |
        retro | stolpersteine | fallstricke | was wir gelernt haben
    """),
    (Topic("phase"), """
        phases | milestones | stages | epics | sprints | phase | phase overview | build phases | roadmap timeline |
        release timeline | フェーズ | 阶段 | 단계 | fases | phasen | этапы
    """),
    (FACT, """
        definitions | terminology | 定义 | 定義 | consequences | rootcause | cause | causes | finding | findings |
        fact | facts | discoveries | observation | observations | result | results | analysis | diagnosis |
        diagnostic | problems | impact | benefits | errors | limitations | bug | bugs | issue | issues | current… |
        status | state | snapshot | baseline | measurements | metrics | benchmark | benchmarks | performance |
        evidence | background | symptom | symptoms | answers | notable | highlights | numbers | discovered… |
        bottleneck | bottlenecks | regressions | 現象 | 现象 | 症状 | 現状 | 現在の状態 | 問題 | 既知の問題 | 原因 |
        発見 | 当前状态 | 现状 | 已知问题 | 根本原因 | 发现 | 문제 | hallazgos | stand | how it works today |
        where we stand | where we are | where things stand | where it stands | state of play | facts worth knowing |
        현재 상태 | état actuel | what works | what exists | verified facts | technical debt | status quo |
        root cause | research summary | research findings | repository state | problemas conocidos | problem solved |
        performance results | open issues | estado actual | état courant | état des lieux | état | edge cases |
        code state | benchmark results | as is | aktueller stand | situation | defects | quirks of | test failures |
        failing tests | known failures | debt | known debt | current challenges | known challenges |
        technical challenges | open challenges | confirmed | confirmed facts | claims | 既知の制約 | 状況 | 状態 |
        状态 | 情况 | 分析 | 结论 | 结果 | 結果 | 调查 | 調査 | 상태 | 현황 | 분석 | 결과 | 원인 | 알려진 문제 |
        이슈 | problemas | probleme | problèmes | состояние | проблемы | текущее состояние | hiện trạng | estado |
        état | deviations | deltas | surprises found | live state | what does not work | what doesnt work |
        not working… | running state | measured |
        알려진 한계 | 한계 | 제한 사항 | 제한사항 | 한계점 | 已知限制 | 制限事項 |
        既知の制限 | masalah diketahui | masalah | status saat ini | kondisi saat ini | stato attuale |
        problemi noti | mevcut durum | bilinen sorunlar | sorunlar | stan obecny | aktualny stan | znane problemy |
        huidige status | bekende problemen | известные проблемы | 目前狀態 | 已知問題 | 目前進度 | estado atual |
        problemas conhecidos | bekannte probleme | problèmes connus | non blocking issues |
        known non blocking issues | known limits | honest assessment | assessment | rough edges | live urls | urls |
        working | works | stopping point | statistics | at a glance | key facts | challenges |
        wo wir stehen | wo es steht | wo die arbeit liegt | wo alles steht | aktuelle phase | lage | dónde estamos |
        où en est on | fase actual | phase actuelle | fase atual | fase attuale | 当前阶段 | 目前阶段 |
        現在のフェーズ | 현재 단계 |
        目前階段 | 遗留问题 | 遺留問題 | 残存問題
    """),
    (BRIEF, "overview | introduction | abstract | what this is | what it is | what is this"),
    (SUMMARY, """
        summary | tldr | tl dr | executive summary | briefing
    """),
    (SOLUTION, """
        solution | approach | strategy | proposal | proposed solution | proposed design | proposed approach
    """),
    (PROBLEM, "problem | why | motivation | the issue | problem statement"),
    (LOOSE, """
        context | idea | notes | details | conclusion | conclusions | 備考 | 背景 | メモ | 备注 | 说明 | 배경 |
        notas | contexto | hinweise | kontext | contexte | session summary | project overview | implementation notes |
        implementation details | core idea | implementation pointers | general notes | additional notes | misc |
        miscellaneous
    """),
    (AREA, """
        interface | interfaces | architecture | design | environment | integration | coverage | stack |
        configuration | settings | dependencies | components | api | behavior | behaviour | infrastructure |
        concepts | security | deployment | test coverage | technology stack | tech stack | integration points |
        data model | environment variables | env vars | core components |
        technical patterns | architecture patterns | architectural patterns |
        design patterns | system patterns | code quality
    """),
    (NOTHING, """
        references | links | resources | sources | contents | toc | usage | example | examples | quickstart | faq |
        appendix… | related documents | related docs | glossary | legend | metadata | related | commands | contact… |
        contacts | troubleshooting… | credits | acknowledgements | screenshots | bibliography | 使用方法 | 使い方 |
        参考 | 参考资料 | 使用例 | 例 | 用法 | 참고 | referencias | who this is for | when not to use | when to use |
        table of contents | version history | use cases | target audience | session information | session info |
        see also | revision history | quick start | getting started | further reading | document history |
        design rationale | git status | git info | session stats | session statistics | token usage |
        effort estimate | time estimates | estimated timeline | status legend | command reference |
        commands reference | quick reference | handoff template | demo script | suggested skills | about this file |
        about this document | purpose of this document | how to run | how to run locally | running locally |
        resume prompt | handoff prompt | session prompt | kickoff prompt | starter prompt |
        prompt for the next session | prompt for next session
    """),
    (SIDE, """
        tools | output | input | inputs | flow | workflow | workflows | format | schema | template | templates |
        skills | options | parameters | arguments | flags | demo | user | assistant | human | system | conversation |
        transcript | prompt | prompts | instructions | version | versions | about | audience | license |
        installation | install | reference | guide | philosophy
    """),
)  # fmt: skip

# Words that name a kind only in front of a sentence: as a heading "Build" tells how to make it.
LINES: dict[str, Topic] = {"build": VALIDATION, "idea": DEFERRED, "fixme": PENDING}
