"""A whole day at a front end, told in a draft as agents write them: each true entry stands, each false one does not."""

from __future__ import annotations

from typing import Final

import pytest

from clew.app.proof.facts import DiskFacts
from clew.app.proof.prove import IN_DOUBT, prove
from clew.core.state.draft import JudgedClaim
from clew.documents.draft import claims_in
from tests.app.proof.records import facts_in_records
from tests.builders import ROOT, Piece, ask, edit, laid_out, prompt, read, reply, run

_HOOK: Final = f"{ROOT}/src/hooks/useQuery.ts"
_BOX: Final = f"{ROOT}/src/components/SearchBox"
_READING: Final = "TypeError: Cannot read properties of undefined (reading 'signal')"
DAY: Final[tuple[Piece, ...]] = (
    prompt("The search box asks on every keystroke. Debounce it, 300 ms. Don't pull in lodash just for that."),
    run("git status", "On branch fix/search-debounce\nnothing to commit, working tree clean"),
    read(f"{_BOX}.tsx"),
    read(_HOOK),
    read(f"{ROOT}/package.json"),
    reply("`fetchResults` runs in `onChange`. I'd write a small `useDebouncedValue` hook, not `lodash.debounce`."),
    edit(f"{ROOT}/src/hooks/useDebouncedValue.ts", "export function useDebouncedValue<T>(value: T, delayMs = 300) {\n"),
    edit(f"{_BOX}.tsx", "const q = useDebouncedValue(text)\n", "const q = text\n"),
    run("npm test -- SearchBox", "Expected: 1\nReceived: 4\n\nTests: 1 failed, 11 passed, 12 total", exit_code=1),
    reply("Real timers. `vi.useFakeTimers()` breaks `user-event`, so `advanceTimers` must be passed."),
    edit(f"{_BOX}.test.tsx", "const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime })\n"),
    run("npm test -- SearchBox", "Tests: 12 passed, 12 total\nTime: 2.1s"),
    run("npx tsc --noEmit", ""),
    run("git commit -am 'Debounce search requests'", "[fix/search-debounce 8d1f0a2] Debounce search requests"),
    prompt("Good. Also cancel the in-flight request when a new one starts, but leave useQuery's signature alone."),
    edit(_HOOK, "const controller = new AbortController()\n"),
    run("npm test", f"Tests: 2 failed, 140 passed, 142 total\n{_READING}", exit_code=1),
    edit(_HOOK, "const controller = useRef(new AbortController())\n"),
    run("npm test", "Tests: 142 passed, 142 total\nTime: 31.6s"),
    run("npx eslint src", "useQuery.ts\n  14:9  warning  missing dependency: 'url'\n✖ 1 problem (0 errors, 1 warning)"),
    ask("AbortError: swallow it or show it?", ("swallow", "show"), "swallow"),
    edit(_HOOK, "if (err.name === 'AbortError') return\n"),
    run("npm run build", "vite v5.2.0 building for production...\n✓ built in 4.02s\nindex-4f3a.js  212.40 kB"),
    reply("Build passes. Should old answers be kept in a cache for 20 s? And do you want me to push the branch?"),
)  # fmt: skip

TRUE: Final = """
## Goal
- “Also cancel the in-flight request when a new one starts, but leave useQuery's signature alone.” — not committed
- "Debounce it, 300 ms." — done
## Decisions
- Own `useDebouncedValue` hook (300 ms) — lodash not wanted — the user's
- AbortError is swallowed — the user's choice — rejected: showing it
- AbortController in a ref so that it survives re-renders — mine — rejected: a global `abortAll()`
- `useQuery` keeps its signature — user
- The hook lives in src/hooks/useDebouncedValue.ts; SearchBox.tsx uses it
## Failed
- `vi.useFakeTimers()` alone broke `user-event` — pass `advanceTimers: vi.advanceTimersByTime`
- AbortController per render → "Cannot read properties of undefined (reading 'signal')", 2 tests failed — a ref fixed it
- first run: 1 failed, 11 passed (Expected 1, Received 4)
## Constraints
- “Don't pull in lodash just for that.”
- "leave useQuery's signature alone"
- no lodash (user)
- Never change useQuery's signature
## Open
- push was offered, no answer yet
- eslint warns about a missing dependency 'url' in useQuery.ts line 14, left as it is
- the swallowing of AbortError has no test
- Risk: requests of other hooks are not cancelled
## Next
- Commit src/hooks/useQuery.ts, then ask about the push
- Add a test for AbortError in src/hooks/useQuery.test.ts
- Run `npm test` once more, since useQuery.ts was edited after the last run
## State
- Committed: 8d1f0a2 "Debounce search requests"
- Uncommitted: src/hooks/useQuery.ts (AbortController and AbortError)
- Nothing pushed
- branch fix/search-debounce
- 1 commit, not pushed
- Debounced, not pushed [commit 8d1f0a2] [file src/components/SearchBox.tsx]
- Cancelling and AbortError, uncommitted [file src/hooks/useQuery.ts]
- Builds as it is [check npm run build]
## Checks
- `npm test`: 142 passed — before the last edit (AbortError came after)
- `npm test -- SearchBox`: 12 passed
- `npx tsc --noEmit` clean, before the last edit
- `npx eslint src`: 0 errors, 1 warning
- `npm run build` passes, after the last edit (built in 4.02s)
- Search box: 12 passed [check npm test -- SearchBox]
- The first run of it failed, then 12 passed [check npm test -- SearchBox]
- Types clean, before the last edit [check npx tsc --noEmit]
- tests for AbortError: not written
- tried by hand in the browser: ok
"""
FALSE: Final = """
## Goal
- “Debounce it, 500 ms.” — done
- The user asked for a Redux store
## Decisions
- Own `useThrottledValue` hook — lodash not wanted — the user's
- Debounce is 450 ms
- Debounce of 700 ms — the user's
- The hook lives in src/utils/useDebouncedValue.ts
- `delayMillis` defaults to 300
- The manifest is changed in `package.json`
## Failed
- `vi.useFakeTimers()` → "ReferenceError: vi is not defined" — globals
- AbortController per render → "Cannot read properties of null (reading 'abort')"
- `npm ci` fails: EACCES
## Constraints
- “Use lodash for that.”
- “Never touch the tests.”
- The user wants every commit signed
## Open
- PR #88 waits for review
- eslint has 6 warnings in useQuery.ts
## Next
- Fix `cancelPending` in src/hooks/useQuery.ts
## State
- Committed: 8d1f0a3 "Debounce search requests"
- 8d1f0a2 "Cancel in-flight requests"
- 8d1f0a2 (abort controllers everywhere)
- Pushed to origin/fix/search-debounce
- 8d1f0a2 is on origin
- Everything is committed, clean working tree
- src/hooks/useQuery.ts committed
- branch fix/debounce-search
- Uncommitted: src/components/SearchBox.tsx
- Changed package.json
- docs/reference/search.md written
- all tests pass, 140 passed
- Cancelling is in [commit 8d1f0a2] [file src/hooks/useQuery.ts]
- Debounced [commit 8d1f0a3] [file src/components/SearchBox.tsx]
- Debounced, pushed [commit 8d1f0a2]
- No new dependency, uncommitted [file package.json]
- Cancelling is done [file src/hooks/useQuery.ts]: committed
- Merged into main [check git merge fix/search-debounce]
- A PR is open [check gh pr create --fill]
## Checks
- `npm test`: 142 passed — after the last edit
- `npm test`: 124 passed, before the last edit
- `npm test`: 142 passed, after the change of src/hooks/useQuery.ts
- `npm test` fails
- `npm run lint` clean
- `npx tsc --noEmit` clean after the last edit
- `npx playwright test` passes
- `npm run build` failed
- `npm run build` was not run
- coverage is 93 %
- all green [check npm run e2e]
- 140 passed [check npm test]
- 142 passed, after the last edit [check npm test]
- all fail [check npm run build]
- Types and lint clean [check npx tsc --noEmit] [check npm run lint]
"""


def rows(text: str) -> list[tuple[str, str]]:
    heading, found = "", []
    for line in text.strip().splitlines():
        if line.startswith("## "):
            heading = line
        else:
            found.append((heading, line))
    return found


def judged(heading: str, line: str) -> JudgedClaim:
    claims = claims_in(f"{heading}\n{line}")
    records = laid_out(*DAY, branch="fix/search-debounce")
    (one,) = prove(claims, facts_in_records(records, claims, client="claude-code", root=ROOT), DiskFacts())
    return one


@pytest.mark.parametrize(("heading", "line"), rows(TRUE))
def test_what_is_true_stands(heading: str, line: str) -> None:
    """A true entry that is struck is lost: only its writer knew it."""
    one = judged(heading, line)
    assert one.stands, one.reason


@pytest.mark.parametrize(("heading", "line"), rows(FALSE))
def test_what_is_false_does_not(heading: str, line: str) -> None:
    """Each of these would be built upon."""
    one = judged(heading, line)
    assert not one.stands, one.reason


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("## Constraints", "- “change useQuery's signature”"),
        ("## Checks", "- `npm test -- SearchBox`: 11 of 12 typing tests pass"),
        ("## Decisions", '- A "debounce first" rule for all inputs'),
    ],
)
def test_what_is_not_as_told_is_in_doubt(heading: str, line: str) -> None:
    """It may be meant well, so it stays; its writer hears of it."""
    one = judged(heading, line)
    assert one.stands
    assert one.reason.startswith(IN_DOUBT)
