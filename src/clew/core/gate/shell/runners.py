"""What test runners print: the one table of their words. Plain text and patterns; a hook imports it, so it imports
nothing and compiles nothing.
"""

# By runner: the line in which it counts its tests, and what it says (beside a count of nothing) where it ran none.
# Patterns, of a whole line without colours; "" none. In a line that counts stand numbers and the words of `COUNTED`.
RUNNERS = {
    "pytest": (r"=* ?(?:\d+ [a-z]+(?:, )?)+ in [\d.]+s(?: \([\d:]+\))? ?=*",
               r"collected 0 items.*|.*/ 0 selected.*|=* ?no tests ran.*|=*[ \t]*\d+ deselected in.*"),
    "unittest": (r"Ran \d+ tests? in .*", "No Tests Found"),
    "jest": (r"Tests: +\d.*", r"No tests found, exiting with code \d.*"),
    "vitest": (r" *Tests  .* \(\d+\)", r"No test (?:suite )?files? found.*"),
    "node": (r"[#ℹ] tests +\d+", ""),
    "mocha": (r" +\d+ (?:passing|failing)\b.*", ""),
    "playwright": (r"  \d+ (?:passed|failed|skipped)(?: \([\d.]+m?s\))?", "Error: No tests found.*"),
    "jasmine": (r"\d+ specs?, \d+ failures?.*", r"No specs found|Incomplete: No specs found"),
    "bun": (r"Ran \d+ tests? across .*", r"The following filters did not match any test files:|.*matched 0 tests\..*"),
    "uvu": (r" +Total: +\d+", ""),
    "karma": (r".*\bExecuted \d+ of \d+\b.*", r".*Executed 0 of 0.*"),
    "deno": (r"(?:ok|FAILED) \| \d+ passed.*", "error: No test modules found.*"),
    "cargo": (r"test result: \S+ \d+ passed; \d+ failed; .*", ""),
    "nextest": (r" *Summary \[.*\] +\d+ tests? run: .*", "error: no tests to run"),
    "maven": (r"(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+",
              r"(?:\[\w+\] )?No tests to run\.?"),
    "gradle": (r"\d+ tests? completed, .*", r"> Task \S*[tT]est\S* (?:NO-SOURCE|SKIPPED)"),
    "dotnet": (r"(?:Passed!|Failed!|Skipped!|Total tests:) .*\d.*",
               r"No test (?:is available|matches the given testcase filter).*"),
    "rspec": (r"\d+ examples?, \d+ failures?.*", "No examples found.|All examples were filtered out"),
    "minitest": (r"\d+ (?:runs|tests), \d+ assertions, .*", ""),
    "phpunit": (r"OK \(\d+ tests?, .*", r"No tests executed!"),
    "bats": (r"\d+ tests?, \d+ failures?.*", r"1\.\.0(?: .*)?"),
    "prove": (r"Files=\d+, Tests=\d+,.*", "Result: NOTESTS"),
    "ctest": (r"\d+% tests passed, \d+ tests failed out of \d+", r"No tests were found!!!"),
    "behave": (r"\d+ scenarios? passed, .*", ""),
    "robot": (r"\d+ tests?, \d+ passed, \d+ failed.*", ""),
    "dart": (r"\d\d:\d\d \+\d+.*: (?:All tests passed!|Some tests failed\.)", r".*No tests (?:ran|match).*"),
    "xctest": (r"\s*Executed \d+ tests?, with .*", ""),
    "scalatest": (r"(?:\[info\] )?Tests: succeeded \d+, failed \d+.*", ""),
}  # fmt: skip
# Lines beside those, that tell more of what was counted there.
MORE = (
    r"(?:FAILED|OK|PASSED) \(.*=\d+.*\)|[#ℹ] (?:fail|skipped|todo) +\d+"
    r"| +(?:\d+ (?:fail|skip|pending)|(?:Failed|Skipped): +\d+)"
)
# What a number stands for in a line that counts: tests that were to run, that passed, failed, were left out.
COUNTED = {
    "total": "tests test examples example runs specs spec total ran of completed executed".split(),
    "passed": "passed passing pass xfailed xpassed succeeded successes + ok".split(),
    "failed": "failed failing failures failure fail errors error -".split(),
    "skipped": "skipped skips skip ignored pending todo ~".split(),
}

# Go has no count: a line for each package. `NO_TEST_HERE` is of one package of several.
PASSED = r"^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests)|^> Task \S*[tT]est\S*(?: UP-TO-DATE| FROM-CACHE)?$"
FAILED = r"test result: FAILED|(?-i:^(?:--- )?FAIL(?:ED)?\b|^ERROR:? \S)"
NO_TEST_OK = "warning: no tests to run"
NO_TEST_HERE = r"\[no tests? (?:to run|files)\]|^running 0 tests"

# How a line of a test begins and ends that failed, and of one that passed; the name stands between.
FAILS = (
    ("FAILED ", ""), ("SUBFAILED", ""), ("ERROR ", ""), ("--- FAIL: ", " ("), ("FAIL: ", ""), ("FAIL  ", ""),
    ("FAIL [", ""), ("not ok ", ""), ("#   Failed test '", "'"), ("(fail) ", " ["), ("● ", ""), ("✕ ", ""),
    ("✗ ", ""), ("✘ ", ""), ("✖ ", ""), ("× ", ""), ("Failed ", " ["), ("[  FAILED  ] ", " ("), ("", " [E]"),
    ("", "| FAIL |"), ("", "***Failed"), ("", "***Exception"), ("", "*** FAILED ***"), ("", " ... FAILED"),
    ("", " ... FAIL"), ("", " ... ERROR"), ("", " FAILED"), ("", "<<< FAILURE!"), ("", "<<< ERROR!"), ("", "[FAIL]"),
)  # fmt: skip
PASSES = (
    ("✓ ", ""), ("✔ ", ""), ("√ ", ""), ("ok ", ""), ("PASS ", ""), ("PASSED ", ""), ("(pass) ", ""), ("--- PASS", ""),
    ("=== ", ""), ("[PASS]", ""), ("Passed ", ""), ("[ RUN ", ""), ("[       OK ]", ""), ("", " PASSED"),
    ("", "| PASS |"), ("", " ... ok"), ("", "[OK]"), ("", " ✓"),
)  # fmt: skip
_PASSED_WITHIN = ("   Passed ", "] PASSED ", " PASSED  ")
_BEHIND = " 0123456789.%[]()|msec"  # a time, or how far the run is


def failed_test(line: str) -> str:
    """The test which a line says has failed, as its runner names it; "" where it says of none."""
    line = line.strip()
    for begin, end in FAILS:
        if begin and line.startswith(begin):
            name = line[len(begin) :].strip()
            number, _, rest = name.partition(" ")
            name = rest.removeprefix("- ") if begin == "not ok " and number.isdigit() else name
            return "" if name[:1] in ("|", "(") or end not in name else _bare(name.partition(end)[0] if end else name)
        if not begin and end in line and not line[line.rfind(end) + len(end) :].strip(_BEHIND):
            return "" if line.startswith(("test result:", "Result:")) else _bare(line[: line.rfind(end)])
    return ""


def _bare(name: str) -> str:
    """A name without what lists put about it: counts and a clock, a time, quotation marks, dots behind."""
    name = name.rstrip(". *")
    head, mark, rest = name.partition(": ")
    if mark and (" Test " in head or (head[:1].isdigit() and not head.strip("0123456789: +-~"))):
        name = rest
    for begin in ("[info] ", "- ", "test ", "[fail]: "):
        name = name.removeprefix(begin).strip()
    name = _untimed(name)
    return name[1:-1] if name[:1] == name[-1:] == '"' else name


def _untimed(line: str) -> str:
    """A line without the time that it ends with: ` (2 ms)`."""
    head, mark, time = line.rpartition(" (")
    return head if mark and time[:1].isdigit() and time.endswith("s)") else line


def is_passed(line: str) -> bool:
    """Whether a line says of a test that it passed, or that it began."""
    line = _untimed(line.strip())
    if line.startswith("Start ") and line[6:].lstrip()[:1].isdigit():
        return True
    return any(line.startswith(begin) if begin else line.endswith(end) for begin, end in PASSES) or any(
        mark in line for mark in _PASSED_WITHIN
    )
