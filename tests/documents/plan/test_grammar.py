"""Plans as people and clients write them: read, written, and written back without touching another byte."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.core.plan.plan import Phase, Plan, Step
from clew.documents.plan.grammar import asked, parse, proposed, render, ticked, tokens_of, written_back

OURS = """\
# A rate limit per key

## Questions

- Does a key without a plan count as free?
- Which store? → Redis, it exists already

## Phase 1: Analysis

- [x] Write down who calls `limits.check`
- [ ] Reproduce the burst
- validate: `pytest -q tests/test_limits.py`
- budget: 50k
- tier: plan
- depends: none
- files: src/limits.py, tests/test_limits.py
- tags: Linux, gpu-2

## Phase 2: Build it

- [ ] Count per key
- validate: `make check` and `make test`
- depends: 1

## Risks

- [ ] This is no step
"""


def test_our_own_form() -> None:
    plan = parse(OURS)
    assert (plan.title, plan.questions) == ("A rate limit per key", ("Does a key without a plan count as free?",))
    one, two = plan.phases
    assert [(step.text, step.ticked) for step in one.steps] == [
        ("Write down who calls `limits.check`", True),
        ("Reproduce the burst", False),
    ]
    assert (one.number, one.title, one.validate, one.budget_tokens, one.tier, one.depends) == (
        1,
        "Analysis",
        ("pytest -q tests/test_limits.py",),
        50_000,
        "plan",
        (),
    )
    assert one.files == ("src/limits.py", "tests/test_limits.py")
    assert (one.tags, two.tags) == (("linux", "gpu-2"), ())
    assert (two.validate, two.depends, len(two.steps)) == (("make check", "make test"), (1,), 1)
    assert asked(OURS)[1] == ("Which store?", "Redis, it exists already")


SPEC_KIT = """\
# Tasks: Photo albums

**Input**: Design documents from `/specs/001-photo-albums/`

## Phase 3.1: Setup
- [x] T001 Create the project structure
- [ ] T002 [P] Configure linting

## Phase 3.2: Tests first
- [ ] T004 [P] Contract test in tests/contract/test_albums.py

## Dependencies
- Tests (T004) before implementation
"""
CHECKLIST = "We want albums.\n\n- [x] Draw it\n- [ ] Build it\n  - [ ] the list\n* [X] Try it\n"
ISSUE = "## Current status\n\n- [x] Phase 1: Look\n- [ ] Phase 2 - Build\n\n## Open risks\n\n- None\n"
BACKLOG = """\
---
id: task-12
title: 'Add albums'
status: To Do
dependencies: []
---

## Description

Albums.

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 Albums are listed
- [ ] #2 Albums can be made
<!-- AC:END -->
"""
DIALOG = """\
# Albums

## Context
People want albums.

## Approach

### 1. Add the model
- New file `src/albums.py`

### 2. Wire it up
- In `src/app.py`, call it

## Verification
Run `pytest -q`.
"""
TASKS = """\
# Albums Plan

### Task 1: The store

**Files:**
- Create: `src/store.py`

- [ ] **Step 1: Write the test**

```python
def test(): ...
```

**Verification:**

```bash
pytest -q tests/test_store.py
```

### Task 2: The list

**Files:** `src/list.py`

1. Write it
2. Try it
"""
ROADMAP = """\
# Roadmap: a boat log

## Phases

- [x] **Phase 1: Logbook** - kept by hand
- [x] **Phase 2: Weather** - read from a station
- [ ] **Phase 3: Routes**

<details>
<summary>✅ v1 (Phase 1) SHIPPED 2026-02-02</summary>

### Phase 1: Logbook
**Delivered:**
- A page a day

</details>

### v1.1 (in progress)

#### Phase 2: Weather
- Ask the station

#### Phase 3: Routes
- [ ] 03-01: Draw a route
##### Phase 3.1: Waypoints
- [ ] Name a waypoint
"""
NESTED = """\
# Fleet

## Milestone 1: Harbour
### Phase 1: Boats
- [ ] Count them
### Phase 2: Crews
- [x] Name them

## Milestone 2: Sea
### Phase 3: Tides
- [ ] Read them
"""
EXAMPLE = """\
# An XML reader

- [ ] Read this:

```xml
<task><name>Row</name></task>
```
"""
INSERTED = """\
## 1. Find the leak
- [x] 1.1 Watch the heap

## 1b. Guard the cache
- [ ] 1b.1 Bound it

## Tell the users
- [ ] Write to the list

## 2. Close up
- [ ] 2.1 Ask for review
- [ ]* 2.2 Measure it again
"""
LIVING = """\
# Move the queue

## Progress

- [x] (2026-04-01 08:00Z) Read the worker
- [ ] Write the new queue

## Milestone 1: worker

It reads from both.

## Milestone 2: switch

- depends: 1

## Risks

- [ ] This is no step
"""
SENTENCES = """\
# The index page

- [ ] Write the index

## Done when

- No link is dead
- Phase 4 approved by Ann

## Tell

- Phase 4 approved message
"""
ELEMENTS = """\
---
phase: 02-buoys
---
<objective>
Show every buoy. Boats need them.
</objective>
<tasks>
<task type="auto">
  <name>Task 1: Load the buoys</name>
  <files>src/buoys.py, data/buoys.csv</files>
  <verify>pytest -q tests/test_buoys.py</verify>
</task>
<task type="checkpoint:human-verify">
  <what-built>A map with buoys</what-built>
  <how-to-verify>Open the map and look at it.</how-to-verify>
</task>
<task type="auto">
  <name>Task 2: Draw them</name>
  <verify><automated>npm run map:check</automated> Look that it is blue.</verify>
</task>
</tasks>
<verification>
- [x] The map loads
</verification>
<output>
# Phase 2 Plan 01: Summary
- [ ] Drew buoys
</output>
"""


@pytest.mark.parametrize(
    ("text", "title", "phases"),
    [
        (SPEC_KIT, "Tasks: Photo albums", [("Setup", 2, 1), ("Tests first", 1, 0)]),
        (CHECKLIST, "", [("The work", 4, 2)]),
        (ISSUE, "Current status", [("Look", 1, 1), ("Build", 1, 0)]),
        (BACKLOG, "Add albums", [("Add albums", 2, 1)]),
        (DIALOG, "Albums", [("Add the model", 1, 0), ("Wire it up", 1, 0)]),
        (TASKS, "Albums Plan", [("The store", 1, 0), ("The list", 2, 0)]),
        (NESTED, "Fleet", [("Boats", 1, 0), ("Crews", 1, 1), ("Tides", 1, 0)]),
        (EXAMPLE, "An XML reader", [("An XML reader", 1, 0)]),
        (ROADMAP, "Roadmap: a boat log", [("Weather", 1, 1), ("Routes", 2, 0)]),
        (
            INSERTED,
            "",
            [("Find the leak", 1, 1), ("Guard the cache", 1, 0), ("Tell the users", 1, 0), ("Close up", 2, 0)],
        ),
        (LIVING, "Move the queue", [("Progress", 2, 1), ("worker", 0, 0), ("switch", 0, 0)]),
        (SENTENCES, "The index page", [("The index page", 1, 0)]),
        (ELEMENTS, "Show every buoy", [("Show every buoy", 4, 1)]),
        ("", "", []),
        ("Only words.\n", "", []),
    ],
)
def test_what_others_write(text: str, title: str, phases: list[tuple[str, int, int]]) -> None:
    plan = parse(text)
    told = [(one.title, len(one.steps), sum(step.ticked for step in one.steps)) for one in plan.phases]
    assert (plan.title, told) == (title, phases)
    assert render(plan) == text


def test_commands_and_files_of_others() -> None:
    store, listed = parse(TASKS).phases
    assert (store.validate, store.files) == (("pytest -q tests/test_store.py",), ("src/store.py",))
    assert listed.files == ("src/list.py",)


def test_elements_name_their_commands_files_and_lines() -> None:
    (phase,) = parse(ELEMENTS).phases
    assert phase.validate == ("pytest -q tests/test_buoys.py", "npm run map:check")
    assert phase.files == ("src/buoys.py", "data/buoys.csv")
    rows = ELEMENTS.split("\n")
    assert all(step.text in rows[step.line] for step in phase.steps)


def test_a_phase_without_a_number_takes_that_of_no_other() -> None:
    progress, worker, switch = parse(LIVING).phases
    assert (worker.label, switch.label, switch.depends) == ("1", "2", (worker.number,))
    assert progress.number == 1


def test_a_label_right_below_a_step_is_not_the_steps() -> None:
    plan = parse("## Phase 1: Go\n- [ ] Do it\nvalidate: pytest -q\nbudget: 1.5M tokens\n")
    assert plan.phases[0].steps[0].text == "Do it"
    assert (plan.phases[0].validate, plan.phases[0].budget_tokens) == (("pytest -q",), 1_500_000)


def test_the_last_proposed_plan_counts() -> None:
    assert proposed("so\n<proposed_plan>\n# A\n</proposed_plan>\nor\n<proposed_plan>\n# B\n</proposed_plan>") == "# B\n"
    assert proposed("# C") == "# C"


@pytest.mark.parametrize(
    ("words", "tokens"), [("50k", 50_000), ("20,000 tokens", 20_000), ("0.2M", 200_000), ("a lot", 0), ("1 500", 1500)]
)
def test_amounts(words: str, tokens: int) -> None:
    assert tokens_of(words) == tokens


def test_ticks_go_back_into_a_file_that_somebody_else_changed_and_nothing_else_does() -> None:
    plan = parse(SPEC_KIT)
    one, two = plan.phases
    done = one._replace(steps=tuple(step._replace(ticked=True) for step in one.steps))
    theirs = SPEC_KIT.replace("# Tasks", "# Our tasks\r").replace("- [ ] T004", "- [ ] T003 new\n*  [ ]  T004")
    back = written_back(theirs, plan._replace(phases=(done, two)))
    assert back.text == theirs.replace("- [ ] T002", "- [x] T002")
    assert (back.boxes, back.missing) == (1, ())
    gone = written_back("# Nothing\n", plan._replace(phases=(done, two)))
    assert (gone.text, gone.missing) == (
        "# Nothing\n",
        ("T001 Create the project structure", "T002 [P] Configure linting"),
    )


WORDS = st.text(st.sampled_from("abcdez .,-_`'\"/()é 1"), min_size=1, max_size=30).map(" ".join([""]).join)
LINES = WORDS.map(lambda text: " ".join(text.split())).filter(lambda text: any(char.isalpha() for char in text))
STEPS = st.builds(lambda text, done: Step(f"Do {text}", done), LINES, st.booleans())
FILES = st.from_regex(r"[a-z]{1,8}(/[a-z ,]{1,6}[a-z])?\.py", fullmatch=True)
COMMANDS = st.one_of(
    LINES.map(lambda text: f"run {text}"), st.sampled_from(["grep 'a  b' c", "`a` && ``b``", "x `y`", "`", "a |& b"])
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(1, 4))
    phases = []
    for number in range(1, count + 1):
        steps = draw(st.lists(STEPS, min_size=1, max_size=4))
        depends = draw(
            st.lists(st.integers(1, count).filter(lambda one, own=number: one != own), max_size=2, unique=True)
        )
        phases.append(
            Phase(
                number,
                f"Part {draw(st.from_regex(r'[a-z]{1,9}( [a-z]{1,9})?', fullmatch=True))}",
                tuple(steps),
                tuple(draw(st.lists(COMMANDS, max_size=3, unique=True))),
                draw(st.sampled_from((0, 700, 50_000, 1_234_567))),
                draw(st.sampled_from(("", "plan", "build"))),
                tuple(depends),
                tuple(draw(st.lists(FILES, max_size=3, unique=True))),
            )
        )
    questions = draw(st.lists(st.sampled_from(["Which store?", "Who decides on `x`?"]), max_size=2, unique=True))
    return Plan("A plan", tuple(phases), "", tuple(questions))


def bare(plan: Plan) -> Plan:
    """Without the text and the places in it."""
    phases = (
        phase._replace(line=-1, steps=tuple(step._replace(line=-1) for step in phase.steps)) for phase in plan.phases
    )
    return plan._replace(text="", phases=tuple(phases))


@given(plans())
def test_what_is_written_is_read_back(plan: Plan) -> None:
    assert bare(parse(render(plan))) == plan


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([*OURS.split("\n"), *TASKS.split("\n"), "\t- [ ] x"])).map("\n".join)
)
@example("##PHASE0\n-\n# 0\n- []\n- [] STEP0:0")
def test_no_byte_of_a_text_is_lost(text: str) -> None:
    plan = parse(text)
    assert render(plan) == text
    steps = [step for phase in plan.phases for step in phase.steps]
    turned = ticked(text, [step._replace(ticked=not step.ticked) for step in steps])
    assert len(turned.split("\n")) == len(text.split("\n"))
    again = [step for phase in parse(turned).phases for step in phase.steps]
    assert [step.ticked for step in again if step.box] == [not step.ticked for step in steps if step.box]
