"""Codex, TypeScript: a review, picks by number, a dead end told only in prose, a test that is red at the end."""

from benchmarks.made.record import Codex, filler

W = ["search", "query", "result", "page", "token", "facet"]


def jest(files, fails=(), total=0):
    out = [f"{'FAIL' if any(f == x for x, _ in fails) else 'PASS'} {f}" for f in files]
    for _, text in fails:
        out += ["", text]
    bad = len(fails)
    return "\n".join(
        out
        + [
            "",
            f"Test Suites: {f'{bad} failed, ' if bad else ''}{len(files) - bad} passed, {len(files)} total",
            f"Tests:       {f'{bad} failed, ' if bad else ''}{total - bad} passed, {total} total",
            "Snapshots:   0 total",
            "Time:        6.204 s",
        ]
    )


F = [
    "src/search/useSearch.test.tsx",
    "src/search/SearchBox.test.tsx",
    "src/search/api.test.ts",
    "src/search/facets.test.ts",
    "src/lib/abort.test.ts",
]
RED = (
    "src/search/useSearch.test.tsx",
    """  ● useSearch › drops the answer of an older query

    expect(received).toEqual(expected)

    - Expected  ["herring gull"]
    + Received  ["her"]

      at src/search/useSearch.test.tsx:77:31""",
)


def session():
    s = Codex("ts-search-debounce", "/home/dev/birdlist", "search-debounce", "2026-09-29T16:30:00", "wader/birdlist")
    s.user(
        "review src/search please, users report that the result list sometimes shows results of what they typed BEFORE. also anything else you find. no edits, list by severity w/ numbers"
    )
    s.say("I’m reading the search hook, the API wrapper and their tests, then I’ll try to reproduce the stale results.")
    s.bash(
        "git status -sb && ls src/search src/lib",
        "## search-debounce...origin/search-debounce\nsrc/lib:\nabort.test.ts\nabort.ts\ndebounce.ts\n\nsrc/search:\nSearchBox.test.tsx\nSearchBox.tsx\napi.test.ts\napi.ts\nfacets.test.ts\nfacets.ts\nuseSearch.test.tsx\nuseSearch.ts",
    )
    s.read(
        "src/search/useSearch.ts",
        "export function useSearch(text: string) {\n  const [rows, setRows] = useState<Row[]>([]);\n  useEffect(() => {\n    const run = debounce(async () => {\n      const found = await search(text);\n      setRows(found);\n    }, 200);\n    run();\n  }, [text]);\n  return rows;\n}\n\n"
        + filler("ts", W, 60, 71),
    )
    s.read("src/search/api.ts", filler("ts", W, 120, 72))
    s.read("src/search/SearchBox.tsx", filler("ts", W, 140, 73))
    s.read(
        "src/lib/debounce.ts",
        "export function debounce<A extends unknown[]>(f: (...a: A) => void, ms: number) {\n  let timer: ReturnType<typeof setTimeout> | undefined;\n  return (...a: A) => {\n    clearTimeout(timer);\n    timer = setTimeout(() => f(...a), ms);\n  };\n}\n",
    )
    s.bash(
        "npx jest src/search",
        "npm error code ENOTFOUND\nnpm error network request to https://registry.example.org/jest failed, reason: getaddrinfo ENOTFOUND registry.example.org",
        exit=1,
    )
    s.bash(
        "ls node_modules/.bin | rg 'jest|vitest'; cat package.json | rg -n '\"test\"' ",
        '9:    "test": "node --experimental-vm-modules .yarn/unplugged/jest-npm-29.7.0/node_modules/jest/bin/jest.js"',
        exit=0,
    )
    s.bash("yarn test src/search src/lib", jest(F, total=48))
    s.say(
        "The repo is Yarn PnP: `npx jest` goes to the network and fails, `yarn test` works. 48 tests pass.\n\n## Findings\n\n**P1**\n1. `useSearch.ts:4` – `debounce` is created inside the effect, so every keystroke gets its own timer; nothing is debounced and all requests are sent.\n2. `useSearch.ts:6` – answers aren’t ordered; a slow answer of an older query overwrites a newer one. This is the reported bug.\n\n**P2**\n3. `api.ts:31` – `search()` ignores `AbortSignal`; requests of an unmounted component run on.\n4. `api.ts:58` – errors are swallowed into `[]`, the user sees “no birds found” when the server is down.\n5. `SearchBox.tsx:90` – the list has no `aria-live`.\n\n**P3**\n6. `facets.ts:22` – facets are recomputed on each render.\n7. `SearchBox.tsx:12` – unused import.",
        end=True,
    )
    s.user(
        "1 2 and 4. for 4: show the banner component <OfflineNotice> that we already have. 3 - skip, the backend cancels itself after 2s. 5 is in the a11y sprint, leave it. and don't touch the api of useSearch, the mobile web app imports it"
    )
    s.update_plan(
        ("Finding 1: debounce outside of the effect", "in_progress"),
        ("Finding 2: drop answers of older queries", "pending"),
        ("Finding 4: OfflineNotice", "pending"),
    )
    s.edit(
        "src/search/useSearch.ts",
        "    const run = debounce(async () => {\n      const found = await search(text);\n      setRows(found);\n    }, 200);\n    run();\n  }, [text]);",
        "    const timer = setTimeout(async () => {\n      setRows(await search(text));\n    }, 200);\n    return () => clearTimeout(timer);\n  }, [text]);",
    )
    s.bash("yarn test src/search/useSearch.test.tsx", jest(F[:1], total=11))
    s.say(
        "Finding 1 is done. For 2 I first tried `useDeferredValue`; that only delays rendering and doesn’t order answers, so it’s no use here. React Query’s `keepPreviousData` would order them, but it isn’t a dependency of this package and the hook’s return type would change, which you’ve ruled out. A counter in a ref stays."
    )
    s.edit(
        "src/search/useSearch.ts",
        "      setRows(await search(text));",
        "      const mine = ++latest.current;\n      const found = await search(text);\n      if (mine === latest.current) setRows(found);",
    )
    s.edit(
        "src/search/useSearch.test.tsx",
        "describe('useSearch', () => {",
        "describe('useSearch', () => {\n  it('drops the answer of an older query', async () => {\n    const { result, rerender } = render('her');\n    await advance(200);\n    rerender('herring gull');\n    await advance(50);\n    answer('her', ['her']);\n    await advance(200);\n    answer('herring gull', ['herring gull']);\n    expect(result.current).toEqual(['herring gull']);\n  });\n",
    )
    s.bash("yarn test src/search/useSearch.test.tsx", jest(F[:1], fails=(RED,), total=12), exit=1)
    s.say(
        "The new test is red: the answer to “her” comes **before** the second request starts (its timer still runs), so the counter hasn’t moved yet and the stale rows are shown for 150 ms. The counter has to move when the text changes, not when the request starts."
    )
    s.edit(
        "src/search/useSearch.ts",
        "    const timer = setTimeout(async () => {\n      const mine = ++latest.current;",
        "    const mine = ++latest.current;\n    const timer = setTimeout(async () => {",
    )
    s.bash("yarn test src/search/useSearch.test.tsx", jest(F[:1], fails=(RED,), total=12), exit=1)
    s.say(
        "Still red, with the same values. The rows aren’t overwritten now, but nothing sets the new ones in the test: `answer('herring gull', …)` resolves, and the assertion runs before React flushes the state. I’m checking this by awaiting one more tick."
    )
    s.edit(
        "src/search/useSearch.test.tsx",
        "    expect(result.current).toEqual(['herring gull']);",
        "    await act(async () => {});\n    expect(result.current).toEqual(['herring gull']);",
    )
    s.bash("yarn test src/search/useSearch.test.tsx", jest(F[:1], fails=(RED,), total=12), exit=1)
    s.say(
        "That wasn’t it; the extra tick changes nothing. I’m leaving this test red for a moment and doing 4, since it’s independent."
    )
    s.grep(
        "OfflineNotice",
        "src/ui/OfflineNotice.tsx:5:export function OfflineNotice({ retry }: { retry(): void }) {\nsrc/map/MapView.tsx:71:      {failed && <OfflineNotice retry={load} />}",
        path="src",
    )
    s.edit(
        "src/search/api.ts",
        "  } catch {\n    return [];\n  }",
        "  } catch (error) {\n    throw new SearchFailed(error);\n  }",
    )
    s.edit(
        "src/search/SearchBox.tsx",
        "      <ResultList rows={rows} />",
        "      {failed ? <OfflineNotice retry={again} /> : <ResultList rows={rows} />}",
    )
    s.bash(
        "yarn tsc --noEmit",
        "src/search/SearchBox.tsx(41,8): error TS2304: Cannot find name 'failed'.\nsrc/search/SearchBox.tsx(41,40): error TS2304: Cannot find name 'again'.",
        exit=2,
    )
    s.say(
        "`useSearch` returns only rows, and its return type must stay. I’m adding a second hook `useSearchState` with `{ rows, failed, again }`, and `useSearch` becomes `useSearchState(text).rows`."
    )
    s.edit(
        "src/search/useSearch.ts",
        "export function useSearch(text: string) {",
        "export function useSearch(text: string): Row[] {\n  return useSearchState(text).rows;\n}\n\nexport function useSearchState(text: string): SearchState {",
    )
    s.edit(
        "src/search/SearchBox.tsx",
        "  const rows = useSearch(text);",
        "  const { rows, failed, again } = useSearchState(text);",
    )
    s.bash("yarn tsc --noEmit && yarn test src/search src/lib", jest(F, fails=(RED,), total=49), exit=1)
    s.bash(
        "git add -A src/search && git commit -m 'Search: one request per pause, offline notice'",
        "[search-debounce 91d7e05] Search: one request per pause, offline notice\n 4 files changed, 66 insertions(+), 19 deletions(-)",
    )
    s.user("did you commit with a red test?")
    s.say(
        "Yes: `91d7e05` holds the new test, and it is red (1 of 49 fails). It isn’t pushed. I should have said so before the commit.\n\nWhat I know about the failure: the received value is `[\"her\"]`, so the stale rows are really set. In the test `render('her')` and `rerender` go through **two instances** of the hook, because `render` wraps it in a component with `key={text}`; a new instance has its own `latest` ref. If that’s right, the fault is in the test’s `render` helper (useSearch.test.tsx:18), not in the hook. I haven’t verified it.\n\nDo you want me to amend the commit once it’s green, or a separate commit?",
        end=True,
    )
    s.user("separate, never amend. tomorrow")
    s.say(
        "Okay: a separate commit, tomorrow. First step then is the `key={text}` in the `render` helper of `useSearch.test.tsx`.",
        end=True,
    )
    return s


KEY = {
    "end_state": "Findings 1, 2 and 4 implemented and committed locally in 91d7e05 with one red test. The user wants a separate commit, tomorrow, never an amend.",
    "goal": (
        "Results of older queries must not be shown; findings 1, 2 and 4 of the review",
        "results of what they typed BEFORE",
        [["typed before"], ["stale"], ["older query"], ["1 2 and 4"], ["findings 1, 2 and 4"]],
    ),
    "decisions": [
        (
            "1: one timer per text in the effect, cleared on change",
            "return () => clearTimeout(timer)",
            [["cleartimeout"], ["one timer"], ["settimeout"], ["debounce", "effect", "clear"]],
        ),
        (
            "2: a counter in a ref, moved when the text changes",
            "has to move when the text changes",
            [["latest.current"], ["`latest`"], ["counter"]],
        ),
        (
            "4: SearchFailed and OfflineNotice instead of []",
            "SearchFailed(error)",
            [["offlinenotice"], ["searchfailed"]],
        ),
        (
            "New hook useSearchState; useSearch keeps its return type",
            "adding a second hook `useSearchState`",
            [["usesearchstate"]],
        ),
    ],
    "failed": [
        (
            "useDeferredValue doesn't order answers; keepPreviousData would change the return type",
            "useDeferredValue",
            [["usedeferredvalue"], ["keeppreviousdata"]],
        ),
        (
            "Another awaited tick (act) changed nothing",
            "the extra tick changes nothing",
            [["extra tick"], ["act(", "nothing"], ["one more tick"], ["awaiting"]],
        ),
        (
            "npx jest goes to the network and fails (Yarn PnP); yarn test works",
            "ENOTFOUND",
            [["yarn test"], ["npx jest"], ["pnp"]],
        ),
    ],
    "constraints": [
        (
            "The API of useSearch stays, the mobile web app imports it",
            "don't touch the api of useSearch",
            [["api of usesearch"], ["usesearch", "return type"], ["mobile web app"]],
        ),
        (
            "Never amend; a separate commit",
            "separate, never amend",
            [["never amend"], ["separate commit"], ["separate, never"]],
        ),
        (
            "3 is skipped, 5 stays for the a11y sprint",
            "5 is in the a11y sprint",
            [["a11y"], ["3 - skip"], ["backend cancels"]],
        ),
    ],
    "open": [
        (
            "91d7e05 is local, with a red test in it",
            "It isn’t pushed",
            [
                ["91d7e05", "not pushed"],
                ["91d7e05", "isn’t pushed"],
                ["91d7e05", "unpushed"],
                ["91d7e05", "red"],
                ["91d7e05", "local"],
            ],
        ),
    ],
    "next": (
        "Look at the key={text} in the render helper of useSearch.test.tsx",
        "First step then is the",
        [["key={text}"], ["render", "helper"], ["usesearch.test.tsx:18"]],
    ),
    "needed": [
        (
            "Red: 'drops the answer of an older query', gets [\"her\"]; 1 of 49",
            "1 of 49 fails",
            [["drops the answer of an older query"], ["1 of 49"], ["red test"], ["1 failed"]],
            {"weight": 3},
        ),
        (
            "Unverified guess: the test's render makes two hook instances by key={text}",
            "I haven’t verified it",
            [["key={text}"], ["two instances"], ["haven’t verified"], ["haven't verified"], ["unverified"]],
            {"weight": 3},
        ),
    ],
    "checks": [("yarn tsc --noEmit && yarn test src/search src/lib", "1 failed, 48 passed, 49 total", "fail")],
    "traps": [
        (
            "Which findings to fix is open / all seven are to do",
            None,
            [["`search()` ignores `abortsignal`"], ["the list has no `aria-live`"]],
        ),
        ("All tests pass", None, [["all tests pass"], ["48 tests pass."], ["49 tests pass"], ["49 passed"]]),
        (
            "Whether to amend is open (answered)",
            None,
            [["do you want me to amend"], ["amend the commit once it’s green, or"], ["amend or separate commit?"]],
        ),
        (
            "Errors are still swallowed (fixed)",
            None,
            [["errors are swallowed into `[]`"], ["nothing is debounced and all requests are sent"]],
        ),
        ("The fault is React flushing late (disproved)", None, [["the assertion runs before react flushes"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "No stale results in src/search; the fix is committed with one red test that must get green in a separate commit.",
        "match": [["stale"], ["usesearch"], ["older query"], ["red"]],
    },
    "next": {
        "text": "Check the key={text} in the render helper of src/search/useSearch.test.tsx, then a separate commit.",
        "match": [["key={text}"], ["render", "helper"], ["usesearch.test.tsx"]],
    },
}
