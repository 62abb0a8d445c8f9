"""Gemini CLI, a Neovim plugin in Lua: a parser thrown away, a refused dependency, a pasted issue, cut off in the middle of a fix."""

from benchmarks.made.others import Gemini
from benchmarks.made.record import explore, filler, log

W = ["posting", "account", "payee", "balance", "buffer", "fold"]


def busted(bad=0, n=34, detail=""):
    return (
        "+" * (n - bad)
        + "-" * bad
        + f"\n{n - bad} successes / {bad} failures / 0 errors / 0 pending : 0.{n}8 seconds\n{detail}"
    )


def session():
    s = Gemini("lua-nvim-ledger", "/home/sam/src/ledger.nvim", "align", "2026-10-18T11:11:00", "samwel/ledger.nvim")
    s.user(
        "plugin: ledger.nvim. add :LedgerAlign — aligns amounts in the buffer (or range) on the decimal mark. nvim >= 0.9. lua only, no treesitter parser needed pls (users hate installing). commodities before and after amount, european commas too (1.234,56 EUR)"
    )
    s.call(
        "invoke_agent",
        {"agent_name": "codebase_investigator", "prompt": "How does the plugin read journals?"},
        "lua/ledger/parse.lua has a line-based parser for dates and payees only; amounts are never parsed. Commands are registered in plugin/ledger.lua:8. Tests: busted, spec/*.lua, run by `make test` in a headless nvim.",
    )
    s.read("lua/ledger/parse.lua", filler("py", W, 60, 111))
    s.read(
        "plugin/ledger.lua",
        "local cmd = vim.api.nvim_create_user_command\ncmd('LedgerFold', function() require('ledger.fold').toggle() end, {})\n",
    )
    explore(s, W, 6, "py", "lua", "lua/ledger")
    s.say("I'll write `lua/ledger/align.lua` with an LPeg grammar for amounts (Neovim ships `vim.lpeg`).")
    s.write(
        "lua/ledger/align.lua",
        "-- Aligns amounts on their decimal mark.\nlocal lpeg = vim.lpeg\n" + filler("py", W, 40, 112),
    )
    s.write("spec/align_spec.lua", "describe('align', function()\n" + filler("py", W, 40, 113) + "\nend)\n")
    s.bash("make test", busted(0, 34))
    s.bash(
        "make test NVIM=nvim-0.9",
        busted(12, 34, "spec/align_spec.lua:9: attempt to index field 'lpeg' (a nil value)"),
        2,
    )
    s.say("`vim.lpeg` came with 0.10; 0.9 doesn't have it. I could add the `lpeg` rock as a dependency …")
    s.reject(
        "write_file",
        {
            "file_path": "/home/sam/src/ledger.nvim/ledger.nvim-scm-1.rockspec",
            "content": "dependencies = { 'lpeg >= 1.1' }\n",
        },
        "no rocks! half of my users are on windows. plain lua patterns are enough for one line",
    )
    s.say(
        "Plain patterns then. One line at a time: indent, account, two spaces or tab, then the rest; in the rest the *last* mark of `.` or `,` followed by 1 to n digits that aren't a group of three is the decimal mark."
    )
    s.user("walk me through the mark detection, thats where every formatter i tried breaks")
    s.say(
        "Sure. After the account and the gap there's `rest`. In it:\n\n1. an optional commodity in front (`$`, `EUR `, `\"Fund A\"` in quotes)\n2. a number: digits with `.`, `,`, `'` or blanks as separators, an optional sign before or after the commodity\n3. an optional commodity behind\n4. anything else: price, assertion, lot, comment\n\nFor the number I collect all separators with their place from the right. If there are two *different* kinds, the last one is the decimal mark (`1.234,56` and `1,234.56` are both clear). If there's one kind and it occurs more than once, it's grouping (`1.234.567`). If it occurs once and isn't followed by exactly three digits, it's decimal (`12,5`). Left is the ugly case: once, with exactly three digits behind, `1.234`. That's the one where a guess is needed.\n\nNo number at all (an elided amount) → the line is left alone. A number without any mark → its end is where the mark would be."
    )
    s.write(
        "lua/ledger/align.lua",
        "-- Aligns amounts on their decimal mark. Plain patterns: 0.9 has no lpeg.\nlocal M = {}\n"
        + filler("py", W, 50, 114)
        + "\nreturn M\n",
    )
    s.bash(
        "make test && make test NVIM=nvim-0.9",
        busted(
            3,
            34,
            "spec/align_spec.lua:31: 1.234 EUR: Expected column 46, got 42\nspec/align_spec.lua:38: 1,000: ambiguous\nspec/align_spec.lua:44: (10 * 2.5) EUR",
        ),
        2,
    )
    s.say(
        "Three left. `1.234 EUR` is ambiguous by nature: 1.234 euros or one thousand two hundred …? ledger itself decides by the commodity's earlier use or by `decimal-mark` directives."
    )
    s.user(
        "read directive `decimal-mark ,` if there, else guess from other amounts in the buffer with same commodity, else `.` is decimal. expressions in parens: leave the line alone"
    )
    s.edit(
        "lua/ledger/align.lua",
        "local function mark_of(rest)",
        "local function mark_of(rest, journal)\n  local directive = journal.decimal_mark or journal.seen[commodity_of(rest)]\n  if directive then return directive end",
    )
    s.edit(
        "lua/ledger/align.lua",
        "  local amount = rest:match(AMOUNT)",
        "  if rest:find('^%(') then return nil end -- an expression: left alone\n  local amount = rest:match(AMOUNT)",
    )
    s.bash("make test && make test NVIM=nvim-0.9", busted(0, 36) + "\n" + busted(0, 36))
    s.bash("git add -A && git commit -q -m 'LedgerAlign' && git log --oneline -1", "f00c3d5 LedgerAlign")
    s.user("which column do you align to? hardcoded?")
    explore(s, W, 3, "py", "lua", "lua/ledger")
    s.say(
        "46 at the moment, hard-coded. Three ways others do it: `ledger-mode` of Emacs aligns to column 52 by default, `hledger-fmt` to the longest account of the file plus two, beancount's plugin to 50. The second looks nicest in one file and changes every line as soon as one account gets longer, which is bad for diffs under version control. A fixed column with an option is the quiet choice: `require('ledger').setup({ align = { column = 52 } })`."
    )
    s.user("default 52 like ledger-mode, option in setup yes")
    s.edit("lua/ledger/init.lua", "M.defaults = {", "M.defaults = {\n  align = { column = 52 },")
    s.user("someone will ask for align on save. is there a clean way")
    s.say(
        "An autocmd on `BufWritePre` for `*.ledger,*.journal` that calls align over the whole buffer. Two things against making it the default: the first save of an old journal would touch thousands of lines (`git blame` is gone), and with `undojoin` it's fiddly to keep it one undo step together with what the user typed before. As an example in the help it's three lines."
    )
    s.user("no autocmd by default, people will hate me. example in :h is fine")
    s.user("works on my journal. 41k lines takes 3 sec tho, feels slow. profile")
    s.bash(
        "nvim-0.10 --headless -u NONE -c 'luafile bench/align.lua' -c q",
        "lines 41200\nseen(): 2.61 s\nalign(): 0.31 s\nset_lines: 0.09 s\n" + log("{a}_{b} {n} calls", W, 10, 115),
    )
    s.say(
        "2.6 of 3 seconds are `seen()`: for each line it scans the whole buffer for amounts of the same commodity (quadratic). Once per run into a table is enough."
    )
    s.edit(
        "lua/ledger/align.lua",
        "  local seen = scan(buffer, commodity)",
        "  local seen = self.seen or scan_all(buffer)\n  self.seen = seen",
    )
    s.bash(
        "nvim-0.10 --headless -u NONE -c 'luafile bench/align.lua' -c q && make test",
        "lines 41200\nseen(): 0.08 s\nalign(): 0.30 s\nset_lines: 0.09 s\n" + busted(0, 36),
    )
    s.bash("git commit -qam 'align: one scan per run' && git push -q -u origin align", "")
    s.say("3.0 → 0.47 s. Pushed.", end=True)
    s.user("does it handle wide chars? i have some japanese payees")
    s.say(
        "Payees aren't on posting lines, so they don't matter here; accounts are: `支出:食費` has five characters and nine display cells. The width of the *account* is measured with `strdisplaywidth`, so yes. What I didn't look at is `ambiwidth=double`, where `…` and `×` count as two; `strdisplaywidth` follows the option, so it should be right by itself.",
        end=True,
    )
    s.user("nice. README section + :h doc, then tag v0.7.0. undo must be ONE step btw, is it?")
    s.bash("nvim-0.10 --headless -u NONE -c 'luafile bench/undo.lua' -c q", "undo steps after LedgerAlign: 1")
    s.say("One step, since `nvim_buf_set_lines` is called once.")
    s.edit(
        "README.md",
        "## Commands\n",
        "## Commands\n\n- `:[range]LedgerAlign`: aligns amounts on the decimal mark. `decimal-mark` directives count; expressions in parentheses are left alone.\n",
    )
    s.edit(
        "doc/ledger.txt",
        "COMMANDS",
        "COMMANDS\n\n:[range]LedgerAlign                                             *:LedgerAlign*\n    Align amounts on the decimal mark.\n",
    )
    s.bash(
        "nvim --headless -c 'helptags doc' -c q && git commit -qam 'LedgerAlign: docs' && git tag v0.7.0 && git push -q && git push -q origin v0.7.0",
        "",
    )
    s.user(
        "someone in chat asks if it works on :g or only full buffer\n\n<kjell> hi sam, tried master. :'<,'>LedgerAlign ok, :g/2026/LedgerAlign takes forever\n<kjell> also E5108 once, trace:\n"
        + log("E5108: ...lua/ledger/{a}.lua:{n}: in function '{b}'", W, 14, 67)
    )
    explore(s, W, 2, "py", "lua", "lua/ledger")
    s.say(
        "With `:g` the command runs once for each line, and each run scans the whole buffer for `seen` (80 ms times his 900 lines). The scan can be kept per buffer and `changedtick`: then it's done again only if the buffer has changed since, which with `:g` it does after each aligned line … so that helps little. Better to tell people to use a range; `:g` is the wrong tool. The E5108 is in `balance.lua`, which we don't touch here; it's the nil account of a comment line, already fixed on main by `88e1f0a`."
    )
    s.user("ok i tell him. no cache then")
    s.say("Tagged v0.7.0 and pushed. CHANGELOG has no entry, there's no such file.", end=True)
    s.user(
        "got an issue already lol:\n\n> **#61 LedgerAlign eats trailing comments**\n> `  Expenses:Food    12,50 EUR  ; lunch with Ana`\n> after align: `  Expenses:Food       12,50 EUR`\n> nvim 0.10.2, v0.7.0\n\nthats data loss, fix asap + 0.7.1. reproduce in test first. dont move the comments column-wise tho, people align them by hand"
    )
    s.edit(
        "spec/align_spec.lua",
        "end)\n",
        "  it('keeps comments (#61)', function()\n    assert.same('  Expenses:Food                12,50 EUR  ; lunch', align('  Expenses:Food    12,50 EUR  ; lunch'))\n  end)\nend)\n",
    )
    s.bash(
        "make test",
        busted(
            1,
            37,
            "spec/align_spec.lua:71: keeps comments (#61)\nExpected: '… 12,50 EUR  ; lunch'\nPassed in: '… 12,50 EUR'",
        ),
        2,
    )
    s.say(
        "Reproduced. `AMOUNT` matches up to the commodity and the line is built anew of what matched: whatever follows (`; …`, but also `@ 1.10 USD` prices and `= 100 EUR` assertions!) is lost. So prices and balance assertions are eaten as well, worse than the issue says."
    )
    s.user(
        "omg. ok all of that must survive, byte for byte, only spaces between account and amount may change. add tests for @ @@ = and {lot}"
    )
    s.edit(
        "spec/align_spec.lua",
        "  it('keeps comments (#61)'",
        "  for _, tail in ipairs({ ' @ 1.10 USD', ' @@ 13 USD', ' = 100 EUR', ' {10 EUR}' }) do\n    it('keeps' .. tail, function() assert.truthy(align('  A  1,00 EUR' .. tail):find(tail, 1, true)) end)\n  end\n  it('keeps comments (#61)'",
    )
    s.edit(
        "lua/ledger/align.lua",
        "  return indent .. account .. pad .. amount",
        "  return indent .. account .. pad .. rest -- rest as it is: only the gap changes",
    )
    s.bash(
        "make test && make test NVIM=nvim-0.9",
        busted(1, 41, "spec/align_spec.lua:55: negative amounts\nExpected column 52, got 51"),
        2,
    )
    s.say(
        "The five new ones are green, one old one is red: the pad was worked out from `amount` with its sign stripped, and `rest` has the sign. The width of what stands before the decimal mark has to be taken from `rest`."
    )
    s.write(
        "NOTES.md",
        "# 0.7.1\n\n- #61: everything behind the amount survives (comments, @, @@, =, {lot}); only the gap changes\n- red: negative amounts are one column off, width has to come from `rest`\n- then: tag v0.7.1, answer #61, yank 0.7.0 from the release page\n",
    )
    s.edit(
        "lua/ledger/align.lua",
        "  local width = #amount:match('^[^.,]*')",
        "  local width = vim.fn.strdisplaywidth(rest:sub(1, mark - 1))",
    )
    s.bash("make test && make test NVIM=nvim-0.9", None)
    return s


KEY = {
    "end_state": ":LedgerAlign is released as v0.7.0 with data loss (#61). The mend (rest kept byte for byte, width from rest) is uncommitted; the last test run has no result. NOTES.md lists what follows.",
    "goal": (
        ":LedgerAlign aligns amounts on the decimal mark; now 0.7.1 without data loss",
        "add :LedgerAlign",
        [["ledgeralign", "decimal mark"], ["ledgeralign", "aligns"], [":ledgeralign", "amounts"]],
    ),
    "decisions": [
        (
            "Rule of the mark: two kinds, the last is decimal; once with three digits behind is ambiguous",
            "the last one is the decimal mark",
            [["last one is the decimal mark"], ["exactly three digits"], ["three digits", "ambiguous"]],
        ),
        (
            "Default column 52 with an option in setup",
            "default 52 like ledger-mode",
            [["column = 52"], ["column 52", "default"], ["default 52"]],
            {"by": "user"},
        ),
        (
            "Plain Lua patterns instead of LPeg",
            "plain lua patterns are enough",
            [["plain", "patterns"], ["lua patterns"]],
            {"by": "user"},
        ),
        (
            "Decimal mark: directive, else guess from the same commodity, else the dot",
            "read directive `decimal-mark ,`",
            [["decimal-mark", "directive"], ["decimal-mark", "commodity"], ["same commodity"]],
            {"by": "user"},
        ),
        (
            "Expressions in parentheses are left alone",
            "leave the line alone",
            [["expression", "alone"], ["parens", "alone"], ["leave the line alone"]],
        ),
        (
            "One scan per run instead of one per line (3.0 → 0.47 s)",
            "Once per run into a table",
            [["one scan per run"], ["once per run"], ["seen", "scan"], ["seen", "quadratic"]],
        ),
        (
            "Everything behind the amount survives; only the gap changes",
            "only the gap changes",
            [["only the gap"], ["byte for byte"], ["rest as it is"], ["only spaces between account"]],
        ),
        (
            "Width from rest (strdisplaywidth), not from the amount without its sign",
            "has to be taken from `rest`",
            [["width", "rest"], ["strdisplaywidth", "rest"]],
        ),
    ],
    "failed": [
        (
            "A cache by changedtick for :g: it changes with each aligned line, so no cache",
            "no cache then",
            [["changedtick"], ["no cache"], [":g", "wrong tool"]],
        ),
        ("vim.lpeg: only since 0.10", "came with 0.10", [["vim.lpeg", "0.9"], ["lpeg", "0.10"], ["lpeg", "0.9"]]),
        (
            "The lpeg rock as dependency: refused, many users are on Windows",
            "no rocks!",
            [["no rocks"], ["rock", "windows"]],
        ),
        (
            "The line built anew of what matched ate comments, prices and assertions",
            "is built anew of what matched",
            [["built anew"], ["eats trailing comments"], ["assertions are eaten"], ["comments", "lost"]],
        ),
        (
            "Negative amounts were one column off: sign stripped",
            "with its sign stripped",
            [["negative amounts"], ["sign stripped"], ["one column off"]],
        ),
    ],
    "constraints": [
        (
            "No autocmd by default; an example in the help",
            "no autocmd by default",
            [["no autocmd"], ["autocmd", "example"]],
        ),
        ("Neovim >= 0.9", "nvim >= 0.9", [["nvim >= 0.9"], ["nvim-0.9"], ["neovim", "0.9"]]),
        ("Lua only, no treesitter parser", "no treesitter parser needed", [["no treesitter"], ["lua only"]]),
        (
            "Comments aren't moved to a column",
            "dont move the comments",
            [["comments", "column"], ["comments", "not", "moved"], ["move the comments"], ["comments", "by hand"]],
        ),
        ("Undo has to be one step", "undo must be ONE step", [["undo", "one step"], ["undo", "step"]]),
    ],
    "open": [
        (
            "Tag v0.7.1, answer #61, yank 0.7.0",
            "yank 0.7.0",
            [["yank"], ["v0.7.1", "#61"], ["tag v0.7.1"], ["answer #61"]],
        ),
        (
            "Tests in 0.9 for the mend",
            "last:make test NVIM=nvim-0.9",
            [["0.9", "tests", "0.7.1"], ["nvim=nvim-0.9"], ["nvim-0.9", "make test"]],
        ),
    ],
    "next": (
        "Run the tests (0.10 and 0.9) on the mend of the width, commit, tag v0.7.1, answer #61",
        "last:make test NVIM=nvim-0.9",
        [
            ["make test", "width"],
            ["make test", "nvim-0.9"],
            ["tag v0.7.1"],
            ["0.7.1", "negative amounts"],
            ["v0.7.1", "#61"],
        ],
    ),
    "needed": [
        (
            "The mend of #61 is uncommitted; the last test run has no result",
            "last:make test NVIM=nvim-0.9",
            [
                ["#61", "uncommitted"],
                ["align.lua", "uncommitted"],
                ["#61", "not committed"],
                ["#61", "no result"],
                ["make test", "nvim=nvim-0.9"],
                ["negative amounts", "red"],
                ["negative amounts", "column"],
            ],
            {"weight": 3},
        ),
        (
            "v0.7.0 is out and loses data: comments, prices, assertions",
            "worse than the issue says",
            [["v0.7.0", "data loss"], ["eats trailing comments"], ["#61", "comments"], ["prices", "assertions"]],
            {"weight": 3},
        ),
        (
            "The last edit takes the width from rest",
            "strdisplaywidth(rest",
            [["strdisplaywidth", "rest"], ["width", "from rest"], ["width", "taken from"]],
            {"weight": 2},
        ),
        (
            "After it: v0.7.1, answer #61, yank 0.7.0",
            "yank 0.7.0",
            [["yank 0.7.0"], ["tag v0.7.1"], ["answer #61"]],
            {"weight": 2},
        ),
    ],
    "checks": [("make test && make test NVIM=nvim-0.9", "1 failures / 0 errors", "fail")],
    "traps": [
        ("Aligned to a hard-coded column 46", None, [["46 at the moment, hard-coded"], ["column 46 is hard"]]),
        ("LPeg grammar", None, [["i'll write `lua/ledger/align.lua` with an lpeg"], ["uses an lpeg grammar"]]),
        ("Docs and tag v0.7.0 are to do", None, [["next: readme section"], ["then tag v0.7.0"]]),
        ("It is slow (mended)", None, [["41k lines takes 3 sec"], ["seen(): 2.61 s"]]),
        ("All tests pass", None, [["41 successes / 0 failures"], ["all 41 tests pass"]]),
        ("v0.7.1 is tagged", None, [["tagged v0.7.1"], ["v0.7.1 is out"], ["released 0.7.1"]]),
        ("Only comments are lost", None, [["only comments are lost"]]),
    ],
}
NEXT = {
    "goal": ":LedgerAlign in ledger.nvim, at the moment release 0.7.1 that mends the data loss of #61.",
    "next": "Run make test on 0.10 and 0.9 (width from rest, negative amounts), commit, tag v0.7.1, answer #61, yank 0.7.0.",
    "state": "v0.7.0 is out and loses what follows an amount; the mend in align.lua is uncommitted, its last test run has no result.",
}
CLAIMS = (
    ("State", "v0.7.0 is tagged and pushed; it loses comments, prices and assertions (#61)."),
    ("State", "The mend of #61 in `lua/ledger/align.lua` is uncommitted."),
    ("Dead ends", "`vim.lpeg` isn't there in Neovim 0.9."),
    ("Decisions", "User: no rocks, plain Lua patterns."),
    ("State", "The five new tests for comments, @, @@, = and lots were green, negative amounts were red."),
    ("State", "All 41 tests pass on 0.9 and 0.10.", "test", "The last run has no result; one was red before."),
    ("State", "v0.7.1 is tagged.", "push", "Not yet."),
    ("Decisions", "Comments are aligned to a column as well.", "user-said", "The user forbade it."),
    ("State", "0.7.0 was yanked from the release page.", "run", "It is a point in NOTES.md."),
)
