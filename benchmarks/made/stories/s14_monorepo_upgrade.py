"""TypeScript and Go in one repository: a plan rejected twice, an interrupt with a new direction, several commits, a push and a PR, one known red test."""

from benchmarks.made.record import Claude, filler, go_out, names

W = ["widget", "schema", "route", "client", "panel", "field"]
G = names("TestAPI", ["List", "Get", "Auth", "Page", "Sort"], 14)


def vitest(n, bad=(), files=9):
    rows = [
        f" ✓ packages/{p}/src/{f}.test.ts ({k} tests)"
        for p, f, k in [
            ("ui", "Panel", 12),
            ("ui", "Field", 18),
            ("ui", "Grid", 7),
            ("api-client", "fetch", 21),
            ("api-client", "retry", 5),
            ("forms", "schema", 30),
            ("forms", "date", 11),
            ("app", "router", 9),
            ("app", "boot", 4),
        ]
    ]
    only = {13: "app", 37: "ui", 41: "forms"}.get(n)
    rows = [r for r in rows if (not only or f"/{only}/" in r) and not any(b.split(" > ")[0] in r for b in bad)]
    for b in bad:
        rows += ["", f" FAIL  {b}"]
    return "\n".join(
        [
            "",
            *rows,
            "",
            f" Test Files  {f'{len(bad)} failed | ' if bad else ''}{files - len(bad)} passed ({files})",
            f"      Tests  {f'{len(bad)} failed | ' if bad else ''}{n - len(bad)} passed ({n})",
        ]
    )


DATE = "packages/forms/src/date.test.ts > parses a date of the user's locale\nAssertionError: expected '2026-03-04' to be '2026-04-03'"


def session():
    s = Claude(
        "monorepo-upgrade",
        "/home/dev/patchbay",
        "react-19",
        "2026-11-09T13:05:00",
        "tallgrass/patchbay",
        version="2.1.330",
    )
    s.user(
        "upgrade to react 19 in the monorepo. packages/ui, forms, api-client, app; the go server is not affected. plan first. date.test.ts fails on main too (locale of the CI), ignore that one, its known"
    )
    s.say("I'll look at the versions and at what React 19 removes that we use.")
    s.bash(
        "cat pnpm-workspace.yaml && grep -rn '\"react\"' packages/*/package.json package.json",
        'packages:\n  - packages/*\npackages/ui/package.json:18:    "react": "^18.3.1"\npackages/forms/package.json:20:    "react": "^18.3.1"\npackages/app/package.json:25:    "react": "18.2.0"',
        desc="Versions",
    )
    s.grep(
        "defaultProps|propTypes|ReactDOM.render|findDOMNode|forwardRef|useRef\\(\\)",
        "packages/ui/src/Panel.tsx:40:Panel.defaultProps = { dense: false };\npackages/ui/src/Grid.tsx:88:Grid.propTypes = {\npackages/ui/src/Field.tsx:12:export const Field = forwardRef<HTMLInputElement, Props>(\npackages/app/src/boot.tsx:9:ReactDOM.render(<App />, root);\npackages/forms/src/useForm.ts:31:  const last = useRef();",
    )
    s.read("packages/ui/src/Panel.tsx", filler("ts", W, 110, 111))
    s.read("packages/forms/src/useForm.ts", filler("ts", W, 130, 112))
    s.bash("pnpm -r test", vitest(117, (DATE,)), exit=1, desc="Tests before")
    s.plan(
        "# React 19\n\n1. All packages to react 19 at once, `@types/react` 19\n2. run the codemod `types-react-codemod preset-19`\n3. replace every `forwardRef` by ref as prop\n4. move from Vitest 1 to 2 at the same time, since the testing library needs it\n",
        rejected="too big. not vitest at the same time, and no forwardRef rewrite, that is optional in 19. one package per commit pls so i can bisect",
    )
    s.plan(
        "# React 19, smaller\n\n1. `ui` → 19, peer range `^18 || ^19`\n2. `forms`\n3. `app` with `createRoot`\n4. remove `defaultProps`/`propTypes`\n\nOne commit each. `api-client` has no React.\n",
        rejected="order is wrong: app is on 18.2.0 exactly, thats why last time everything broke. app to 18.3.1 FIRST, look at the deprecation warnings, then the rest like you say",
    )
    s.plan(
        "# React 19, third version\n\n0. `app` 18.2.0 → 18.3.1, read the warnings\n1. `createRoot` in app\n2. `defaultProps`, `propTypes`, `useRef()` without argument\n3. `ui` → 19 (peer `^18 || ^19`)\n4. `forms` → 19\n5. `app` → 19\n\nOne commit each; no Vitest 2, no forwardRef rewrite.\n"
    )
    s.edit("packages/app/package.json", '    "react": "18.2.0"', '    "react": "^18.3.1"')
    s.bash(
        "pnpm install",
        ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date\nNote that in CI environments this setting is true by default.',
        exit=1,
        desc="Install",
    )
    s.bash(
        "CI= pnpm install --no-frozen-lockfile && pnpm -r test 2>&1 | tail -40",
        "Packages: +2 -2\nWarning: ReactDOM.render has not been supported since React 18\nWarning: Panel: Support for defaultProps will be removed from function components\n"
        + vitest(117, (DATE,)),
        desc="Install and test",
    )
    s.say(
        "`CI` is set in this shell, so pnpm freezes the lockfile; `CI= pnpm install --no-frozen-lockfile` works. Two warnings, as in the plan; `date.test.ts` is red as on main."
    )
    s.commit("app: react 18.3.1", ["packages/app/package.json", "pnpm-lock.yaml"], 9, 9, sha="0b6e2aa")
    s.edit("packages/app/src/boot.tsx", "ReactDOM.render(<App />, root);", "createRoot(root).render(<App />);")
    s.bash("pnpm --filter app test", vitest(13, files=2), desc="App tests")
    s.commit("app: createRoot", ["packages/app/src/boot.tsx"], 2, 2, sha="51c80ff")
    s.edit("packages/ui/src/Panel.tsx", "Panel.defaultProps = { dense: false };", "")
    s.edit(
        "packages/ui/src/Panel.tsx",
        "export function Panel({ dense, children }: Props) {",
        "export function Panel({ dense = false, children }: Props) {",
    )
    s.edit("packages/ui/src/Grid.tsx", "Grid.propTypes = {", "// types: see GridProps\nconst unused = {")
    s.edit(
        "packages/forms/src/useForm.ts",
        "  const last = useRef();",
        "  const last = useRef<Values | undefined>(undefined);",
    )
    s.interrupt()
    s.user(
        "dont leave a `const unused` in there!! just delete the propTypes block. and use named default in the signature everywhere, also Field"
    )
    s.edit(
        "packages/ui/src/Grid.tsx",
        "// types: see GridProps\nconst unused = {\n  rows: PropTypes.array.isRequired,\n};\n",
        "",
    )
    s.edit("packages/ui/src/Field.tsx", "({ size, ...props }, ref)", "({ size = 'm', ...props }, ref)")
    s.bash("pnpm -r test 2>&1 | tail -40 && pnpm -r exec tsc --noEmit", vitest(117, (DATE,)), desc="Tests")
    s.commit(
        "ui, forms: no defaultProps, propTypes or empty useRef",
        [
            "packages/ui/src/Panel.tsx",
            "packages/ui/src/Grid.tsx",
            "packages/ui/src/Field.tsx",
            "packages/forms/src/useForm.ts",
        ],
        7,
        12,
        sha="e8f4d13",
    )
    s.edit("packages/ui/package.json", '    "react": "^18.3.1"', '    "react": "^18 || ^19"')
    s.bash(
        "CI= pnpm install --no-frozen-lockfile && pnpm --filter ui test && pnpm --filter ui exec tsc --noEmit",
        "packages/ui/src/Grid.tsx(61,14): error TS2503: Cannot find namespace 'JSX'.\npackages/ui/src/Panel.tsx(22,20): error TS2503: Cannot find namespace 'JSX'.",
        exit=2,
        desc="ui on 19",
    )
    s.say("React 19 has no global `JSX` namespace; it's `React.JSX` now. Two places.")
    s.edit("packages/ui/src/Grid.tsx", "): JSX.Element {", "): React.JSX.Element {")
    s.edit("packages/ui/src/Panel.tsx", "): JSX.Element {", "): React.JSX.Element {")
    s.bash("pnpm --filter ui test && pnpm --filter ui exec tsc --noEmit", vitest(37, files=3), desc="ui again")
    s.commit(
        "ui: react 19",
        ["packages/ui/package.json", "packages/ui/src/Grid.tsx", "packages/ui/src/Panel.tsx", "pnpm-lock.yaml"],
        21,
        17,
        sha="9d0b77c",
    )
    s.user("by the way unrelated: the go server logs 'pagination: negative limit' 500s since this morning, is that us?")
    s.grep(
        "negative limit",
        'server/api/page.go:33:\t\treturn Page{}, errors.New("pagination: negative limit")',
        path="server",
    )
    s.bash("git log --since '2 days ago' --oneline -- server packages/api-client", "", desc="Was something changed")
    s.read("server/api/page.go", filler("go", W, 60, 113))
    s.bash("cd server && go test ./api", go_out("patchbay/server/api", G), desc="Server tests")
    s.say(
        "It isn't us: nothing in `server` or `packages/api-client` has changed for two days, and our client never sends a negative limit (`fetch.ts` clamps to 1..200). Someone calls the API by hand. That it is answered with **500 instead of 400** is our fault, though: page.go:33 returns a plain error."
    )
    s.user("ok make it a 400, own branch own PR. then continue with forms")
    s.bash(
        "git stash list; git checkout -b page-limit-400 main",
        "Switched to a new branch 'page-limit-400'",
        desc="Branch from main",
    )
    s.edit(
        "server/api/page.go",
        '\t\treturn Page{}, errors.New("pagination: negative limit")',
        '\t\treturn Page{}, badRequest("pagination: negative limit")',
    )
    s.bash(
        "cd server && go test ./api", go_out("patchbay/server/api", G + ["TestAPINegativeLimit"]), desc="Server tests"
    )
    s.bash(
        "git commit -am 'api: a negative limit is a bad request' && git push -u origin page-limit-400 && gh pr create --fill",
        "[page-limit-400 3a71be0] api: a negative limit is a bad request\n 2 files changed, 14 insertions(+), 1 deletion(-)\nhttps://git.example.org/tallgrass/patchbay/pull/907",
        desc="Commit, push, PR",
    )
    s.bash("git checkout react-19", "Switched to branch 'react-19'", desc="Back")
    s.edit("packages/forms/package.json", '    "react": "^18.3.1"', '    "react": "^19.0.0"')
    s.bash(
        "CI= pnpm install --no-frozen-lockfile && pnpm --filter forms test && pnpm --filter forms exec tsc --noEmit",
        ' WARN  Issues with peer dependencies found\npackages/forms\n└─┬ react-datepicker 6.9.0\n  └── ✕ unmet peer react@"^16.9.0 || ^17 || ^18": found 19.0.0\n'
        + vitest(
            41,
            (DATE, "packages/forms/src/schema.test.ts > picks a day\nTypeError: element.ref is not a function"),
            files=2,
        ),
        exit=1,
        desc="forms on 19",
    )
    s.say(
        "`forms` has two red tests on 19:\n\n| test | why |\n| --- | --- |\n| `date.test.ts` | the known one, red on main |\n| `schema.test.ts › picks a day` | **new**: `react-datepicker` 6.9.0 reads `element.ref`, gone in 19 |\n\nreact-datepicker 7.5 supports 19, but it drops `popperModifiers` in the form we use (`DateField.tsx`). I tried a pnpm override to force the peer range: the warning is gone, the test stays red, so that's no way out; I took the override out again.\n\nState: `packages/forms/package.json` and the lockfile are changed and **not committed**. The branch `react-19` has four commits (0b6e2aa, 51c80ff, e8f4d13, 9d0b77c), not pushed. PR #907 is open for the server.\n\nI'd go to react-datepicker 7.5 and port the modifiers in `DateField.tsx`, as a commit of its own before `forms`. Okay?",
        end=True,
    )
    s.user("yes, 7.5, own commit before forms")
    s.edit("packages/forms/package.json", '    "react-datepicker": "^6.9.0"', '    "react-datepicker": "^7.5.0"')
    s.read("packages/forms/src/DateField.tsx", filler("ts", W, 70, 114))
    s.bash(
        "CI= pnpm install --no-frozen-lockfile && pnpm --filter forms exec tsc --noEmit",
        "packages/forms/src/DateField.tsx(44,9): error TS2322: Type '{ name: string; options: { offset: number[]; }; }[]' is not assignable to type 'Middleware[]'.",
        exit=2,
        desc="Install 7.5",
    )
    s.say(
        "As expected: `popperModifiers` takes floating-ui middleware now. `[{ name: 'offset', options: { offset: [0, 8] } }]` becomes `[offset(8)]`."
    )
    s.interrupt()
    s.user("have to run, continue tomorrow from here")
    return s


KEY = {
    "end_state": "Interrupted while react-datepicker 7.5 is ported. Four local commits on react-19, package.json and lockfile uncommitted, tsc red in DateField.tsx. PR #907 (server) is open.",
    "goal": (
        "React 19 in the monorepo (ui, forms, app), one commit per package",
        "upgrade to react 19",
        [["react 19"], ["react-19"]],
    ),
    "decisions": [
        (
            "Third plan: app to 18.3.1 first, then createRoot, cleaning, ui, forms, app",
            "third version",
            [["18.3.1"], ["createroot"]],
        ),
        (
            "React.JSX instead of JSX in ui",
            "React.JSX",
            [["react.jsx"], ["jsx namespace"], ["namespace 'jsx'"], ["`jsx`"]],
        ),
        (
            "Server: a negative limit is a 400, own branch and PR #907, 3a71be0",
            "pull/907",
            [["#907"], ["3a71be0"], ["page-limit-400"], ["pull/907"]],
        ),
        (
            "react-datepicker 7.5 as a commit of its own before forms",
            "yes, 7.5, own commit before forms",
            [["react-datepicker"], ["7.5"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "Plan with Vitest 2 and a forwardRef rewrite was rejected",
            "not vitest at the same time",
            [["not vitest"], ["no vitest"], ["no forwardref"], ["vitest", "reject"], ["forwardref", "reject"]],
        ),
        (
            "pnpm install: CI freezes the lockfile; CI= pnpm install --no-frozen-lockfile works",
            "ERR_PNPM_OUTDATED_LOCKFILE",
            [["--no-frozen-lockfile"], ["frozen"], ["outdated_lockfile"]],
        ),
        ("A pnpm override of the peer range silences the warning, the test stays red", "pnpm override", [["override"]]),
    ],
    "constraints": [
        (
            "One package per commit, for bisecting",
            "one package per commit",
            [["per commit"], ["one commit each"], ["bisect"], ["own commit"]],
        ),
        ("date.test.ts is red on main too, ignore it", "ignore that one", [["date.test.ts"]]),
        (
            "Named default in the signature, no const unused",
            "const unused",
            [["named default"], ["const unused"], ["default in the signature"]],
        ),
    ],
    "open": [
        (
            "schema.test.ts 'picks a day' is red with 6.9.0 on React 19 (element.ref)",
            "element.ref",
            [["picks a day"], ["element.ref"], ["schema.test.ts"]],
        ),
        ("After forms: app to 19", "5. `app` → 19", [["app", "19"]]),
    ],
    "next": (
        "Port popperModifiers in DateField.tsx to [offset(8)], check with tsc, commit before forms",
        "becomes `[offset(8)]`",
        [["offset(8)"], ["datefield.tsx"], ["poppermodifiers"]],
    ),
    "needed": [
        (
            "react-datepicker 7.5 is installed, DateField.tsx:44 doesn't compile: floating-ui middleware",
            "Type '{ name: string",
            [["datefield.tsx"], ["middleware"], ["offset(8)"]],
            {"weight": 3},
        ),
        (
            "react-19: 0b6e2aa, 51c80ff, e8f4d13, 9d0b77c, not pushed",
            "has four commits",
            [["9d0b77c"], ["four commits"], ["4 commits"], ["e8f4d13"]],
            {"weight": 2},
        ),
        (
            "Uncommitted: packages/forms/package.json and the lockfile",
            "**not committed**",
            [["packages/forms/package.json"], ["lockfile", "not committed"], ["lockfile", "uncommitted"]],
            {"weight": 2},
        ),
    ],
    "checks": [
        ("pnpm --filter ui test && pnpm --filter ui exec tsc --noEmit", "37 passed (37)", "pass"),
        ("pnpm --filter forms exec tsc --noEmit", "Type '{ name: string", "fail"),
    ],
    "traps": [
        (
            "All packages at once, with Vitest 2 (rejected)",
            None,
            [["all packages to react 19 at once"], ["move from vitest 1 to 2"], ["replace every `forwardref` by ref"]],
        ),
        (
            "Order ui, forms, app (rejected)",
            None,
            [["1. `ui` → 19, peer range `^18 || ^19`\n2. `forms`"], ["react 19, smaller"]],
        ),
        (
            "Whether to go to 7.5 is open (answered)",
            None,
            [["in `datefield.tsx`, as a commit of its own before `forms`. okay?"], ["7.5 awaits the user's answer"]],
        ),
        (
            "The 500 is still there (fixed)",
            None,
            [["is our fault, though: page.go:33 returns a plain error"], ["page.go:33 returns a plain error"]],
        ),
        ("ui does not compile (fixed)", None, [["ui does not compile"], ["ui is still on 18"]]),
        ("react-19 is pushed", None, [["react-19 is pushed"], ["pushed react-19"], ["pushed the react-19"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "React 19 in the monorepo, one commit per package; at the moment react-datepicker 7.5 before forms.",
        "match": [["react 19"], ["react-19"], ["react-datepicker"]],
    },
    "next": {
        "text": "In packages/forms/src/DateField.tsx make popperModifiers [offset(8)], run tsc and the forms tests, commit on its own before forms.",
        "match": [["datefield"], ["offset(8)"], ["poppermodifiers"]],
    },
}
