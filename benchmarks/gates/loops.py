"""Loops as sessions really have them, made: the same thing fails again in other words, with other options, behind a
pipe, after another edit of the same file, in the next session.

Each kind is a runner with ways to call it, and outputs of one failure as they differ from run to run: times, folders,
line numbers, what options leave out. All of it was written for this.
"""

# ruff: noqa: E501 - a form stands on one line

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Kind(NamedTuple):
    """`calls` are ways to run it, `outputs` what the failure looks like from run to run; `file` is edited in between."""

    name: str
    calls: tuple[str, ...]
    outputs: tuple[str, ...]
    file: str


def _pytest(seconds: str, line: str, value: str) -> str:
    return (
        "============ test session starts ============\ncollected 12 items\n\ntests/test_cart.py ...F....\n\n"
        "================ FAILURES ================\n______ test_total_rounds_up ______\n\n"
        "    def test_total_rounds_up():\n>       assert total([1, 2]) == 4\n"
        f"E       assert {value} == 4\nE        +  where {value} = total([1, 2])\n\ntests/test_cart.py:{line}: AssertionError\n"
        f"FAILED tests/test_cart.py::test_total_rounds_up - assert {value} == 4\n1 failed, 11 passed in {seconds}s\n"
    )


KINDS = (
    Kind(
        "pytest",
        ("pytest -q", "python -m pytest tests/test_cart.py -x", "uv run pytest -k rounds -vv", "pytest tests 2>&1 | tail -5"),
        (
            _pytest("0.31", "14", "3"),
            _pytest("1.02", "15", "3"),
            "FAILED tests/test_cart.py::test_total_rounds_up - assert 3 == 4\n1 failed in 0.2s\n",
            "FAILED tests/test_cart.py::test_total_rounds_up - assert 3 == 4\n1 failed, 11 passed in 0.44s\n",
        ),
        "src/cart.py",
    ),
    Kind(
        "unittest",
        ("python -m unittest", "python3 -m unittest tests.test_tax -v", "python -m unittest discover -s tests"),
        tuple(
            "F..\n" + "=" * 70 + f"\nFAIL: test_half (tests.test_tax.TaxTest.test_half)\n{'-' * 70}\nTraceback (most recent call "
            f'last):\n  File "/home/dev/shop{n}/tests/test_tax.py", line {n}, in test_half\nAssertionError: 1.{n} != 2\n\n'
            f"Ran 3 tests in 0.00{n}s\n\nFAILED (failures=1)\n"
            for n in (3, 5, 7)
        ),
        "src/tax.py",
    ),
    Kind(
        "jest",
        ("npx jest", "npm test -- --watch=false", "npm test", "npx jest src/till.test.js --runInBand"),
        tuple(
            f"FAIL src/till.test.js ({n}.1 s)\n  ● till › counts change\n\n    expect(received).toBe(expected) // Object.is equality\n\n"
            f"    Expected: 5\n    Received: {n}\n\n      at Object.<anonymous> (src/till.test.js:{n}:20)\n\nTests: 1 failed, 4 passed\n"
            for n in (2, 3, 4, 6)
        ),
        "src/till.js",
    ),
    Kind(
        "vitest",
        ("npx vitest run", "pnpm vitest run src/price", "npx vitest run --reporter=verbose"),
        tuple(
            f" ❯ src/price.test.ts (4 tests | 1 failed) {n}0ms\n   × price > adds tax {n}ms\n     → expected 119 to be 120 // Object.is\n"
            f"AssertionError: expected 119 to be 120\n ❯ src/price.test.ts:{n}:21\n Tests  1 failed | 3 passed (4)\n"
            for n in (3, 8, 9)
        ),
        "src/price.ts",
    ),
    Kind(
        "go test",
        ("go test ./...", "go test ./pkg/relay -run TestPlan -count=1", "cd pkg && go test ./relay -v", "go test ./... 2>&1 | grep -v ok"),
        tuple(
            f"--- FAIL: TestPlan (0.0{n}s)\n    plan_test.go:{n}1: got 3 refs, want 4\nFAIL\nFAIL\tshop/pkg/relay\t0.{n}12s\n"
            for n in (1, 4, 6, 8)
        ),
        "pkg/relay/plan.go",
    ),
    Kind(
        "go build",
        ("go build ./...", "go build -o /tmp/shop ./cmd/shop", "go vet ./... && go build ./cmd/shop"),
        tuple(f"# shop/cmd/shop\ncmd/shop/main.go:{n}:9: undefined: newTill\n" for n in (12, 14, 21)),
        "cmd/shop/main.go",
    ),
    Kind(
        "cargo test",
        ("cargo test", "cargo t parse -- --nocapture", "RUST_BACKTRACE=1 cargo test --lib"),
        tuple(
            f"running 3 tests\ntest parse::odd ... FAILED\n\n---- parse::odd stdout ----\nthread 'parse::odd' panicked at src/parse.rs:{n}:5:\n"
            f"assertion `left == right` failed\n  left: 1\n right: 2\n\ntest result: FAILED. 2 passed; 1 failed; finished in 0.{n}s\n"
            for n in (12, 14, 31)
        ),
        "src/parse.rs",
    ),
    Kind(
        "cargo build",
        ("cargo build", "cargo check", "cargo build --release"),
        tuple(
            f"   Compiling shop v0.1.0\nerror[E0502]: cannot borrow `cart` as mutable because it is also borrowed\n  --> src/cart.rs:{n}:9\n"
            for n in (12, 13, 40)
        ),
        "src/cart.rs",
    ),
    Kind(
        "tsc",
        ("npx tsc --noEmit", "tsc -p .", "npx tsc --noEmit --pretty false | head -20"),
        tuple(f"src/cart.ts({n},5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.\n" for n in (3, 9, 12)),
        "src/cart.ts",
    ),
    Kind(
        "eslint",
        ("npx eslint src", "npx eslint . --max-warnings 0", "npx eslint src/till.ts"),
        tuple(f"/home/dev/shop/src/till.ts\n  {n}:7  error  'rest' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error)\n" for n in (4, 6, 8)),
        "src/till.ts",
    ),
    Kind(
        "npm run build",
        ("npm run build", "npm run build --silent", "npm run build -- --mode production 2>&1 | tail -20"),
        tuple(
            f"vite v5.2.{n} building for production...\n✗ Build failed in {n}12ms\nerror during build:\n"
            "RollupError: Could not resolve \"./tillx\" from \"src/main.ts\"\n"
            for n in (1, 2, 3)
        ),
        "src/main.ts",
    ),
    Kind(
        "make",
        ("make", "make -j4 all", "make all V=1"),
        tuple(f"cc -c till.c\ntill.c:{n}:10: fatal error: round.h: No such file or directory\ncompilation terminated.\nmake: *** [Makefile:{n}: till.o] Error 1\n" for n in (3, 4, 5)),
        "Makefile",
    ),
    Kind(
        "maven",
        ("mvn test", "mvn -q test", "mvn -o test -Dtest=CartTest"),
        tuple(
            f"[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.{n} s\n[ERROR] CartTest.roundsUp:{n} expected: <4> but was: <3>\n"
            "[INFO] BUILD FAILURE\n"
            for n in (12, 31, 44)
        ),
        "src/main/java/Cart.java",
    ),
    Kind(
        "python script",
        ("python scripts/load.py", "python3 scripts/load.py --verbose", "PYTHONPATH=. python scripts/load.py --limit 10"),
        tuple(
            f'Traceback (most recent call last):\n  File "/home/dev/shop/scripts/load.py", line {n}, in <module>\n    main()\n'
            f'  File "/home/dev/shop/scripts/load.py", line {n + 9}, in main\nKeyError: \'price_{n}\'\n'
            for n in (12, 14, 18)
        ),
        "scripts/load.py",
    ),
    Kind(
        "node script",
        ("node scripts/sync.mjs", "node scripts/sync.mjs --dry", "node --trace-warnings scripts/sync.mjs"),
        tuple(f"node:internal/errors:{n}\nError: connect ECONNREFUSED 127.0.0.1:{5400 + n}\n    at TCPConnectWrap.afterConnect (node:net:{n}:16)\n" for n in (32, 33, 34)),
        "scripts/sync.mjs",
    ),
    Kind(
        "docker build",
        ("docker build .", "docker build -t shop .", "docker build --no-cache -t shop:dev ."),
        tuple(f"#8 [4/6] RUN pip install -r requirements.txt\n#8 {n}.21 ERROR: Could not find a version that satisfies the requirement tilll==1.{n}\nERROR: failed to solve: exit code: 1\n" for n in (2, 3, 5)),
        "Dockerfile",
    ),
    Kind(
        "pip install",
        ("pip install tilll", "pip install tilll==1.2 --user", "python -m pip install -U tilll"),
        tuple(f"ERROR: Could not find a version that satisfies the requirement tilll (from versions: none)\nERROR: No matching distribution found for tilll\n[notice] {n}\n" for n in (1, 2, 3)),
        "requirements.txt",
    ),
    Kind(
        "npm install",
        ("npm install", "npm i --force", "npm install --legacy-peer-deps"),
        tuple(f"npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE could not resolve\nnpm ERR! While resolving: react-till@{n}.0.0\n" for n in (1, 2, 3)),
        "package.json",
    ),
    Kind(
        "git push",
        ("git push", "git push origin main", "git push -u origin HEAD"),
        tuple(f"To git@host:shop.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'host:shop{n}.git'\n" for n in (1, 2, 3)),
        ".git/config",
    ),
    Kind(
        "psql",
        ("psql -f schema.sql", "psql -d shop -f schema.sql", "psql shop -v ON_ERROR_STOP=1 -f schema.sql"),
        tuple(f'psql:schema.sql:{n}: ERROR:  relation "carts" does not exist\nLINE {n}: alter table carts add total int;\n' for n in (3, 5, 7)),
        "schema.sql",
    ),
    Kind(
        "terraform",
        ("terraform plan", "terraform plan -out=p", "terraform plan -refresh=false"),
        tuple(f'Error: Invalid reference\n\n  on main.tf line {n}, in resource "shop_till" "a":\n' for n in (12, 14, 16)),
        "main.tf",
    ),
    Kind(
        "curl",
        ("curl -sf http://127.0.0.1:8080/health", "curl -f http://127.0.0.1:8080/health", "curl -v http://localhost:8080/health"),
        tuple(f"curl: (7) Failed to connect to 127.0.0.1 port 8080 after {n} ms: Couldn't connect to server\n" for n in (1, 2, 0)),
        "src/server.py",
    ),
)  # fmt: skip


class Step(NamedTuple):
    """One call of a loop: a shell line with its output, or an edit of `path`. `session` tells which one."""

    session: str
    command: str = ""
    failed: bool = False
    text: str = ""
    path: str = ""


def loops() -> Iterator[tuple[str, list[Step]]]:
    """Each kind in four shapes; the last step is the third try, before which the failure has to be named."""
    for kind in KINDS:
        runs = [
            Step("one", call, "|" not in call, kind.outputs[at % len(kind.outputs)])
            for at, call in enumerate((*kind.calls, *kind.calls))
        ]
        edit, look = Step("one", path=f"/home/dev/shop/{kind.file}"), Step("one", "git diff --stat; ls")
        yield f"{kind.name}, nothing changed", [runs[0], look, runs[1], runs[2]]
        yield f"{kind.name}, one file again and again", [runs[0], edit, runs[1], look, edit, runs[2]]
        yield f"{kind.name}, the same words", [runs[0], edit, runs[0], edit, edit, runs[0]]
        later = [one._replace(session="two") for one in (runs[1], edit, runs[2])]
        yield f"{kind.name}, in two sessions", [runs[0], edit, *later]


def progress() -> Iterator[tuple[str, list[Step]]]:
    """Work that gets on: another file is edited, or another thing fails. Nothing of it is a repeat."""
    for kind in KINDS:
        first, second = (Step("one", call, True, kind.outputs[0]) for call in kind.calls[:2])
        one, other = Step("one", path=f"/home/dev/shop/{kind.file}"), Step("one", path="/home/dev/shop/src/other.py")
        yield f"{kind.name}, another file", [first, one, second, other, first]
        elsewhere = Step(
            "one", kind.calls[1], True, "TypeError: other() takes 2 positional arguments but 3 were given\n"
        )
        yield f"{kind.name}, another error", [first, one, elsewhere, one, first]
        passed = Step("one", kind.calls[1], False, "all well\n")
        yield f"{kind.name}, it passed in between", [first, one, passed, one, first]
