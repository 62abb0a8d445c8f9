"""TypeScript: a review with findings by severity; the user picks some by number, one finding turns out wrong while it is fixed."""

from benchmarks.made.record import Claude, filler

W = ["invoice", "tax", "line", "rate", "total", "credit"]


def vitest(files, failed="", total=0, bad=0):
    out = [" RUN  v2.0.5 /home/dev/ledgerly", ""] + [f" ✓ {f} ({n} tests) {n * 3}ms" for f, n in files]
    if failed:
        out += ["", "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯", failed]
    return "\n".join(
        out
        + [
            "",
            f" Test Files  {len(files)} passed" if not bad else f" Test Files  1 failed | {len(files) - 1} passed",
            f"      Tests  {f'{bad} failed | ' if bad else ''}{total - bad} passed ({total})",
            "   Duration  3.91s",
        ]
    )


FILES = [
    ("test/totals.test.ts", 22),
    ("test/tax.test.ts", 17),
    ("test/credit-note.test.ts", 9),
    ("test/pdf.test.ts", 6),
    ("test/api/invoices.test.ts", 14),
]


def session():
    s = Claude(
        "ts-invoice-review", "/home/dev/ledgerly", "feat/credit-notes", "2026-10-20T07:55:00", "brightfield/ledgerly"
    )
    s.user(
        "pls review the branch feat/credit-notes against main before i open the PR. its about credit notes (negative invoices). order by severity, number them, and dont change anything yet"
    )
    s.bash(
        "git diff --stat main...HEAD",
        " src/api/invoices.ts        |  64 ++++++++--\n src/domain/credit-note.ts  | 142 +++++++++++++++++++++\n src/domain/tax.ts          |  21 ++-\n src/pdf/render.ts          |  33 +++--\n test/credit-note.test.ts   |  97 ++++++++++++++\n 5 files changed, 331 insertions(+), 26 deletions(-)",
        desc="Diff stat",
    )
    s.bash(
        "git diff main...HEAD",
        "diff --git a/src/domain/credit-note.ts b/src/domain/credit-note.ts\nnew file mode 100644\n--- /dev/null\n+++ b/src/domain/credit-note.ts\n"
        + "\n".join("+" + x for x in filler("ts", W, 142, 11).splitlines()),
        desc="The diff",
    )
    s.read("src/domain/tax.ts", filler("ts", W, 80, 12))
    s.read("src/api/invoices.ts", filler("ts", W, 150, 13))
    s.grep(
        "roundHalfEven",
        "src/domain/tax.ts:9:import { roundHalfEven } from './money';\nsrc/domain/tax.ts:41:  return roundHalfEven(net * rate);\nsrc/domain/credit-note.ts:58:  return -Math.round(line.net * line.rate);\nsrc/domain/money.ts:12:export function roundHalfEven(x: number): number {",
    )
    s.bash("pnpm vitest run", vitest(FILES, total=68), desc="Tests")
    s.say(
        "# Review of feat/credit-notes\n\nTests: 68 pass. Findings, worst first.\n\n## High\n1. **Tax of a credit note is rounded differently from its invoice** — `creditTax` (credit-note.ts:58) uses `Math.round`, invoices use `roundHalfEven`. A full credit of 0.125 leaves one cent open.\n2. **A credit note may exceed the invoice** — `createCreditNote` doesn't check the sum of earlier credit notes.\n\n## Medium\n3. **Missing authorisation** — `POST /invoices/:id/credit` (invoices.ts:88) has no `requireRole('accounting')`, every other write has.\n4. **The PDF prints the minus twice** — `render.ts` puts `-` before an amount that is negative already.\n5. **`issuedAt` is local time** — `new Date().toISOString().slice(0, 10)` is UTC, but the comment says local; notes of the evening get tomorrow's date.\n\n## Low\n6. `creditNoteNumber` is a string in the API and a number in the domain.\n7. The test names say \"refund\", the domain says \"credit\".\n\nWhich ones shall I fix?",
        end=True,
    )
    s.user(
        "1, 3 and 5 please, each its own commit. 2 is by design!! (goodwill credits, we had that discussion with finance, dont touch). 4 leave, the new PDF renderer comes in november anyway. 6 after the release. 7 who cares"
    )
    s.say("On it: 1, 3, 5, one commit each.")
    s.edit(
        "src/domain/credit-note.ts",
        "  return -Math.round(line.net * line.rate);",
        "  return -roundHalfEven(line.net * line.rate);",
    )
    s.edit(
        "test/credit-note.test.ts",
        "describe('full refund', () => {",
        "it('credits the tax of an invoice to the cent', () => {\n  expect(invoiceTax(LINE_0125) + creditTax(LINE_0125)).toBe(0);\n});\n\ndescribe('full refund', () => {",
    )
    s.bash(
        "pnpm vitest run test/credit-note.test.ts",
        vitest([("test/credit-note.test.ts", 10)], total=10),
        desc="Credit note tests",
    )
    s.commit(
        "Credit notes: round tax half-even like invoices",
        ["src/domain/credit-note.ts", "test/credit-note.test.ts"],
        6,
        1,
        sha="a90f3be",
    )
    s.say("Finding 1 is done (`a90f3be`). Now 3.")
    s.read(
        "src/api/router.ts",
        filler("ts", W, 60, 14)
        + "\n\n// everything below needs accounting\nrouter.use('/invoices', requireRole('accounting'));\nrouter.use('/invoices', invoices);",
    )
    s.grep(
        "requireRole",
        "src/api/router.ts:63:router.use('/invoices', requireRole('accounting'));\nsrc/api/customers.ts:20:router.post('/', requireRole('sales'), create);\nsrc/api/rates.ts:11:router.put('/:id', requireRole('admin'), update);",
    )
    s.bash(
        "curl -s -o /dev/null -w '%{http_code}' -X POST localhost:3000/invoices/1/credit -H 'x-role: sales'",
        "403",
        desc="Try it as sales",
    )
    s.say(
        "**I have to take finding 3 back.** The role is enforced for the whole `/invoices` router in `src/api/router.ts:63`; a POST as `sales` gives 403. My remark that every other write has its own `requireRole` was true only of customers and rates. Nothing to fix, so no commit for 3.\n\nOn to 5."
    )
    s.grep(
        "issuedAt",
        "src/domain/credit-note.ts:31:  issuedAt: new Date().toISOString().slice(0, 10),\nsrc/domain/invoice.ts:44:  issuedAt: localDate(clock.now(), tenant.timeZone),\ntest/credit-note.test.ts:70:    expect(note.issuedAt).toBe('2026-03-31');",
    )
    s.edit(
        "src/domain/credit-note.ts",
        "  issuedAt: new Date().toISOString().slice(0, 10),",
        "  issuedAt: localDate(clock.now(), tenant.timeZone),",
    )
    s.bash(
        "pnpm vitest run",
        vitest(
            FILES,
            failed=" FAIL  test/credit-note.test.ts > dates > uses the tenant's day\nTypeError: Cannot read properties of undefined (reading 'timeZone')\n ❯ createCreditNote src/domain/credit-note.ts:31:48\n ❯ test/credit-note.test.ts:66:18",
            total=69,
            bad=1,
        ),
        exit=1,
        desc="All tests",
    )
    s.say("`createCreditNote` doesn't get the tenant. I pass it through from the route, as `createInvoice` does.")
    s.edit(
        "src/domain/credit-note.ts",
        "export function createCreditNote(invoice: Invoice, lines: Line[]): CreditNote {",
        "export function createCreditNote(tenant: Tenant, invoice: Invoice, lines: Line[], clock: Clock): CreditNote {",
    )
    s.edit(
        "src/api/invoices.ts",
        "  const note = createCreditNote(invoice, body.lines);",
        "  const note = createCreditNote(req.tenant, invoice, body.lines, req.clock);",
    )
    s.edit(
        "test/credit-note.test.ts",
        "createCreditNote(INVOICE, LINES)",
        "createCreditNote(TENANT, INVOICE, LINES, CLOCK)",
    )
    s.bash(
        "pnpm tsc --noEmit",
        "src/jobs/reissue.ts(27,31): error TS2554: Expected 4 arguments, but got 2.",
        exit=2,
        desc="Types",
    )
    s.read("src/jobs/reissue.ts", filler("ts", W, 40, 15))
    s.edit(
        "src/jobs/reissue.ts",
        "createCreditNote(invoice, invoice.lines)",
        "createCreditNote(job.tenant, invoice, invoice.lines, systemClock)",
    )
    s.bash("pnpm tsc --noEmit && pnpm vitest run", vitest(FILES, total=69), desc="Types and all tests")
    s.commit(
        "Credit notes: issue date in the tenant's time zone",
        ["src/domain/credit-note.ts", "src/api/invoices.ts", "src/jobs/reissue.ts", "test/credit-note.test.ts"],
        14,
        6,
        sha="c27d518",
    )
    s.user("nice. push it. i open the PR myself")
    s.bash(
        "git push origin feat/credit-notes",
        "remote: \nremote: GH013: Repository rule violations found for refs/heads/feat/credit-notes.\nremote: - Commits must have verified signatures.\n ! [remote rejected] feat/credit-notes -> feat/credit-notes (push declined due to repository rule violations)\nerror: failed to push some refs",
        exit=1,
        desc="Push",
    )
    s.bash(
        "git config --get commit.gpgsign; git config --get user.signingkey; git log --format='%h %G?' -4",
        "c27d518 N\na90f3be N\n7f6610d G\n2b01c9d G",
        desc="Signing set-up",
    )
    s.say(
        "## Push was declined\n\nThe remote wants **verified signatures** (GH013). My two commits, `a90f3be` and `c27d518`, are unsigned, and this shell has no signing key; yours (`7f6610d`, `2b01c9d`) are signed.\n\nYou would have to re-sign them in your own shell:\n\n```\ngit rebase --exec 'git commit --amend --no-edit -S' 7f6610d\ngit push origin feat/credit-notes\n```\n\nI did not touch the signing settings.\n\n| finding | state |\n| --- | --- |\n| 1 rounding | fixed, `a90f3be` |\n| 2 over-credit | by design, untouched |\n| 3 authorisation | withdrawn, my mistake |\n| 4 PDF minus | left, new renderer |\n| 5 issue date | fixed, `c27d518` |\n| 6 number type | after the release |\n| 7 test names | dropped |\n\n69 tests pass, `tsc` is clean. One more thing I saw while in `reissue.ts`: the job catches every error and goes on silently. I left it alone; shall I note it as an issue?",
        end=True,
    )
    return s


KEY = {
    "end_state": "Findings 1 and 5 fixed and committed, 3 withdrawn, the rest left as the user said. The push was declined for unsigned commits. An offer is open.",
    "goal": (
        "Review feat/credit-notes, fix the picked findings and push; the user opens the PR",
        "review the branch feat/credit-notes",
        [["feat/credit-notes"], ["credit notes", "review"], ["credit note", "push"]],
    ),
    "decisions": [
        (
            "1: tax rounded half-even like invoices, a90f3be",
            "roundHalfEven(line.net * line.rate)",
            [["a90f3be"], ["roundhalfeven"], ["half-even"]],
        ),
        (
            "5: issue date in the tenant's time zone, c27d518",
            "issue date in the tenant's time zone",
            [["c27d518"], ["localdate"], ["tenant", "time zone"], ["tenant's time"]],
        ),
        (
            "createCreditNote takes tenant and clock now; reissue.ts adapted",
            "Expected 4 arguments",
            [["createcreditnote", "tenant"], ["reissue.ts"], ["expected 4 arguments"]],
        ),
        (
            "2 (credit may exceed the invoice) is by design",
            "2 is by design",
            [["by design"], ["goodwill"]],
            {"by": "user"},
        ),
        (
            "4 (double minus in the PDF) is left for the new renderer in November",
            "new PDF renderer",
            [["renderer"], ["november"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "Finding 3 (missing authorisation) was wrong: router.ts enforces the role, 403 as sales",
            "take finding 3 back",
            [
                ["router.ts"],
                ["403"],
                ["finding 3", "back"],
                ["finding 3", "withdrawn"],
                ["3 authorisation", "withdrawn"],
                ["3", "authoris", "wrong"],
            ],
        ),
        (
            "git push was declined: GH013, commits need verified signatures",
            "GH013",
            [["gh013"], ["verified signatures"], ["unsigned"], ["signing key"]],
        ),
    ],
    "constraints": [
        (
            "Each fix its own commit",
            "each its own commit",
            [["each its own commit"], ["own commit"], ["one commit each"]],
        ),
        (
            "The user opens the PR himself",
            "i open the PR myself",
            [["open the pr myself"], ["opens the pr"], ["pr myself"], ["pr himself"]],
        ),
    ],
    "open": [
        (
            "6 (number type) after the release",
            "6 after the release",
            [["6", "after the release"], ["creditnotenumber"]],
        ),
        (
            "Offer, unanswered: an issue for reissue.ts, which goes on silently after any error",
            "catches every error",
            [["reissue.ts", "error"], ["catches every error"], ["silently"]],
        ),
    ],
    "next": (
        "Re-sign the two commits (user's shell) and push feat/credit-notes",
        "git commit --amend --no-edit -S",
        [["re-sign"], ["resign"], ["-s' 7f6610d"], ["amend --no-edit -s"], ["sign", "push"], ["signature", "push"]],
    ),
    "needed": [
        (
            "Not on the remote: a90f3be and c27d518 are local and unsigned",
            "are unsigned",
            [
                ["a90f3be", "unsigned"],
                ["c27d518", "unsigned"],
                ["push was declined"],
                ["push declined"],
                ["not pushed"],
                ["gh013"],
            ],
            {"weight": 3},
        ),
        (
            "69 tests pass and tsc is clean after the last edit",
            "69 tests pass",
            [["69 tests"], ["69 pass"], ["(69)"]],
            {"weight": 1},
        ),
    ],
    "checks": [
        ("pnpm tsc --noEmit && pnpm vitest run", "69 passed (69)", "pass"),
        ("git push origin feat/credit-notes", "push declined", "fail"),
    ],
    "traps": [
        (
            "POST /invoices/:id/credit lacks the role (withdrawn)",
            None,
            [
                ["has no `requirerole('accounting')`"],
                ["**missing authorisation**"],
                ["missing authorisation (", "open"],
            ],
        ),
        (
            "Nobody has said which findings to fix (answered)",
            None,
            [["which ones shall i fix?"], ["waiting for the user to pick"]],
        ),
        (
            "Tax is still rounded with Math.round (fixed)",
            None,
            [["`credittax` (credit-note.ts:58) uses `math.round`"], ["a full credit of 0.125 leaves one cent open"]],
        ),
        (
            "reissue.ts does not compile (fixed)",
            None,
            [["`createcreditnote` doesn't get the tenant"], ["reissue.ts does not compile"], ["tsc is red"]],
        ),
        (
            "The branch is pushed",
            None,
            [["pushed to origin/feat/credit-notes"], ["branch is pushed"], ["pushed successfully"]],
        ),
    ],
}
NEXT = {
    "goal": {
        "text": "Get the two fixes of the credit-note review onto the remote; the user opens the PR.",
        "match": [["feat/credit-notes"], ["credit note", "push"], ["credit-notes"]],
    },
    "next": {
        "text": "The user re-signs a90f3be and c27d518 in the own shell and pushes; then answer on an issue for reissue.ts.",
        "match": [["sign", "push"], ["signed"], ["-s' 7f6610d"], ["gh013"]],
    },
}
