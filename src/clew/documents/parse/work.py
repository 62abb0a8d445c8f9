"""Phrases that name work: what is done, to be done, aimed at. Knows nothing of how they are put together."""

from clew.documents.parse.topics import (
    BLOCKED,
    CHANGED,
    CHANGING,
    CRITERIA,
    DOING,
    DONE,
    DROPPED,
    FOCUS,
    GOAL,
    MADE,
    NEXT,
    PENDING,
    RANK,
    STEP,
    Topic,
)

# Rows of `phrases.TABLE`.
WORK: tuple[tuple[Topic, str], ...] = (
    (DONE, """
        completed… | complete… | done… | finished… | accomplished… | accomplishments | achievements | achieved |
        progress | changelog | implemented… | delivered… | shipped… | merged… | resolved… | fixed… | closed… |
        landed… | released… | commits | deployed… | built… | replaced… | 完了 | 完了したこと | 已完成 | 完成 |
        変更点 | 완료 | hecho | completado | erledigt | terminé | what has been done | did | work so far |
        what we did | what we built | what was implemented | what was fixed | what was done | what was delivered |
        what was completed | what was built | what was accomplished | what is done | what i did | what i built |
        what got done | 실행 완료 | work performed | log | work log | whats done | what shipped | what happened |
        what changed | the fix | tasks done | session log | implementation summary | final summary | change log |
        bugs fixed | already done | activity log | actions taken | completion | solved… | met… | reached… | history |
        recent work | session work | work session | recent updates | past sessions | 修正 | 実装済み | 変更 | 变更 |
        更新 | 修改 | 진행 내역 | 변경 | 변경 사항 | 완료된 작업 | 작업 내역 | 進捗 | 进展 | 进度 | 历史里程碑 |
        実施内容 | 対応済み | cambios | cambios recientes | fait | modifications | änderungen | concluído | feito |
        сделано | готово | выполнено | đã xong | đã làm | hoàn thành | đã hoàn thành | latest work | sudah selesai |
        selesai | yang sudah selesai | completato | completati | fatto | tamamlanan | tamamlananlar | yapılanlar |
        tamamlandı | zrobione | ukończone | gedaan | afgerond | voltooid | что сделано | завершено | 已完成事項 |
        完成項目 | 已完成工作 | concluídos | completados | lo que se hizo | o que foi feito | was erledigt ist |
        ce qui est fait | change entries | last completed task | last completed work |
        was schon steht | was steht | was fertig ist | was gemacht wurde | was schon geht | bereits erledigt |
        fertig… |
        working features | gotovo | hotovo | dokončeno | klart | färdigt | kész | gata | završeno
    """),
    (MADE, """
        fixes | resolution | improvements | enhancements | optimizations | refactorings | bug fixes | updates |
        additions | cleanup | cleanups | housekeeping | polish | ux improvements | 改善 | 優化 | 优化 | 改进 | 개선
    """),
    (DOING, """
        active | wip | ongoing… | underway | doing | now | partially… | partial… | half… | started | 進行中 | 进行中 |
        진행 중 | working on | under way | partially completed | partially complete | in progress… | in flight |
        in arbeit | half done | what im working on | what we are working on | en progreso | en curso | current work |
        current task | active tasks | in review | ready for qa | ready for review | awaiting review |
        uncommitted work | uncommitted | unfinished work | open prs | open pull requests |
        active branches | em andamento | в работе | 작업 중 | 着手中 | 作業中 | en cours | đang làm | tugas sekarang |
        sedang dikerjakan | in corso | devam eden | devam edenler | w toku | mee bezig | в процессе | 進行中項目 |
        u tijeku | probíhá | pågående | folyamatban
    """),
    (PENDING, """
        pending… | todo… | todos | remaining… | outstanding… | planned… | backlog | upcoming… | followups |
        unfinished… | incomplete… | missing… | open… | remains | gaps | needed… | needs… | need… | to… | 残タスク |
        待办 | 待办事项 | 未完了 | pendiente | offen | what is left | to do list | to be done | still to do |
        not yet started | not yet implemented | not yet done | need to do | left to do | 할 일 | à faire |
        whats remaining | whats left | what remains | unfinished business | to dos | to do | short term | open todos |
        open tasks | not started | not implemented | not done | needs doing | near term | mid term | medium term |
        follow up… | follow ups… | contributions | action required | actions required | required actions |
        steps required | loose ends | loose threads | stickies | must fix | must do | should do | should fix |
        tech debt |
        areas for improvement | room for improvement | opportunities for improvement | improvement opportunities |
        before launch | before release | before merging | before merge | before shipping | before production |
        pre launch | contribute | how to help | up for grabs | needs attention | needs work | needs verification |
        user actions | 残課題 | 残り | 残 | 課題 | 未着手 | 未実装 | 未対応 | 未完成 | 待 | 待处理 | 遗留 | 剩余 |
        缺失 | 缺少 |
        할일 | 남은 작업 | 남은 일 | 남은 | 미완료 | 미착수 | 미구현 | 대기 | 예정 | pendientes | por hacer |
        restante | ausstehend | noch offen | reste à faire | pendências | осталось | не сделано | việc cần làm |
        còn lại | tồn đọng | cần làm | current queue | work queue | task queue | likely queue | belum selesai |
        yang belum selesai | tugas berikutnya | da fare | yapılacaklar | kalan işler | do zrobienia | te doen |
        осталось сделать | что осталось | 待辦事項 | 待辦 | 未完成項目 | offene punkte | offene aufgaben | on deck |
        coming up | left undone | worth doing… | also worth doing… | not done yet | not built | not yet… |
        punch list | things left | immediate followups | human tasks | path to green | but not yet implemented |
        zu tun | zu tun ist | zu tun sind | noch zu tun | was noch fehlt | was fehlt | was noch offen ist | lo que
        falta | ce qui reste | o que falta | cosa manca | offen… |
        belum | left for… | left open… | priority tasks | preostalo | zbývá | återstår | kvar att göra | hátravan |
        unresolved work | unresolved tasks
    """),
    (PENDING._replace(noun=True), "actions"),
    (BLOCKED, "blocked… | paused… | stuck | on hold…"),
    (DROPPED, "cancelled… | canceled… | dropped… | obsolete… | superseded…"),
    (CHANGED, """
        changes… | added… | removed… | created… | updated… | deleted… | modified… | new | renamed | edited | changed |
        touched | changes made
    """),
    (CHANGING, "uncommitted changes | unstaged changes | staged changes | in flight changes | pending changes"),
    (RANK, """
        critical | high | medium | low | urgent | p0 | p1 | p2 | p3 | top priority | should have | quick wins |
        priority 3 | priority 2 | priority 1 | must have | medium priority | low priority | high priority |
        critical priority | could have
    """),
    (STEP, """
        tasks | breakdown | subtasks | steps | plan | sequence | roadmap | acceptance | deliverables | checklist |
        scope | stories | timeline | schedule | checkpoints | setup | prerequisites | priorities | features |
        recommendations | suggestions | rollout | requirements | タスク | 計画 | 計划 | 计划 | 任务 | 작업 | tareas |
        aufgaben |
        tâches | work breakdown structure | what to build | things to do | plan of action | order of work |
        order of execution | order of attack | recommended path | proposed path | work items |
        user stories | task status | task list | sub tasks | status overview |
        set up… | rollout plan | required changes | refactoring plan | recommended sequence | recommended actions |
        proposed plan | proposed changes | priority order | priority matrix | prerequisite steps | overall progress |
        migration steps | migration plan | improvement plan | implementation tasks | implementation steps |
        implementation status | implementation plan | implementation order | implementation checklist | fix plan |
        feature status | execution plan | execution order |
        changes required | changes needed | action plan | acceptance criteria |
        build order | build plan | build sequence | development order | implementation sequence |
        order of implementation | 実装計画 | 手順 | 步骤 | 功能 | 기능 |
        계획 | 작업 목록 | fonctionnalités | funcionalidades | plan de | план | задачи | 顺序 | 順序 | 순서 |
        work packages | slices | tickets | work plan | packages
    """),
    (CRITERIA, """
        success metrics | success criteria | trigger conditions | preconditions | criteria |
        end criteria | definition of ready | exit conditions | exit criteria | exit gate |
        entry criteria | gate criteria | exit |
        exit when | completion criteria | definition of done | done when | complete when | accept when |
        accepted when | expected results | expected outcome | 完成标准 | 完了条件 | 완료 조건 | criterios de éxito |
        critérios de sucesso | critères de succès | erfolgskriterien | критерии успеха
    """),
    (NEXT, """
        next… | resume | tomorrow… | continue… | then | immediate | 次のステップ | 次のアクション | 次にやること |
        下一步 | 后续步骤 | action items and next steps | first thing to do | where to start | where to resume |
        what is next | what comes next | suggested next steps | recommended next steps | how to resume |
        how to continue | do this next | do this first | 다음 단계 | whats next | what next | up next | start here |
        siguientes pasos | right now | resume point | resume instruction | próximos pasos | prochaines étapes |
        picking up | pick up… | nächste schritte | now what | next up | next tasks | next step | next session |
        next priorities | next moves | next milestone | next goal | next action | immediate actions | first thing… |
        first step | do next | do first | after that | picking this up… | resuming | resuming work | first actions |
        next handoff | continue here | pickup instructions | 次 | 次回 | 次に | 次の | 着手順 | 推奨順 | 下一 |
        接下来 | 下次 | 다음 |
        다음에 할 일 | 다음 작업 | 다음 세션 | nächster schritt | próximo | próximos | siguiente | prochaine étape |
        следующие шаги | дальше | việc tiếp theo | tiếp theo | bước tiếp theo | suggested workflow |
        suggested order of work | recommended order | recommended workflow | recommended order of work |
        suggested sequence | langkah berikutnya | langkah selanjutnya | prossimi passi | prossimo passo |
        sonraki adımlar | sonraki adım | następne kroki | następny krok | volgende stappen | volgende stap |
        следующий шаг | что дальше | 下一步計畫 | 後續步驟 | próximos passos | current priority | current priorities |
        do these first | path forward | way forward | immediate priorities | if you only do one thing |
        you can proceed with |
        was als erstes zu tun ist | was als nächstes kommt | als nächstes | als erstes | zuerst | weiter geht es mit
        | lo siguiente | la suite | ensuite | 下一任务 | 下个任务 | 次のタスク | 다음 과제 | 下一個任務 |
        picking this back up | picking back up | resume sequence | resume order | resume steps | sljedeći koraci
        | další kroky | nästa steg | következő lépések
    """),
    (GOAL, """
        goal | goals | objective | objectives | mission | purpose | aim | aims | vision | task | request | intent |
        ask | 目標 | 目的 | 目标 | 목표 | objetivo | objetivos | ziel | ziele | objectif | what we are building |
        what this is for | what were building | original user request | desired end state | user request |
        task description | target outcome | original request | north star | mission statement | desired outcome |
        big picture | core value | problem to solve | end goal |
        target | target state | desired state | end state | what success looks like |
        焦点 | 现在焦点 | 当前焦点 | 목적 | 현재 초점 |
        finalidad | cel | цель | цели | mục tiêu | objetivo principal | tujuan | obiettivo | obiettivi | hedef |
        hedefler | amaç | cele | doel | doelen
    """),
    (FOCUS, """
        focus | active focus | current focus | work focus | session focus | フォーカス | 現在のフォーカス | 当前重点 |
        현재 포커스
    """),
)  # fmt: skip
