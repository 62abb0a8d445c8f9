"""What becomes of a draft's claims: true ones stand, invented and wrong ones do not, and each says why."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.proof.facts import DiskFacts, RecordFacts
from clew.app.proof.prove import IN_DOUBT, prove
from clew.core.records.transcript import Other
from clew.core.state.draft import JudgedClaim
from clew.documents.draft import claims_in
from tests.app.proof.records import facts_in_records
from tests.builders import (
    ROOT,
    Piece,
    ask,
    by,
    call,
    edit,
    interrupted,
    laid_out,
    prompt,
    read,
    refused,
    reply,
    run,
    summary,
    unanswered,
)

_NO_DISK: Final = DiskFacts()
_ERROR: Final = "ModuleNotFoundError: No module named 'httpx'"
STORY: Final[tuple[Piece, ...]] = (
    prompt("Add retries to the http client. No new dependencies please, and never touch src/legacy/."),
    reply("I will look at src/shop/client.py first."),
    read(f"{ROOT}/src/shop/client.py"),
    read(f"{ROOT}/src/shop/token.py"),
    run("pytest -x", f"{_ERROR}\n1 error in 0.2s", exit_code=1),
    run("pip install -e '.[http]'", "Successfully installed httpx-0.27"),
    edit(f"{ROOT}/src/shop/client.py", "def get_with_retry(url, attempts=5, delay_ms=250):\n    pass\n"),
    run("pytest", "collected 71 items\n71 passed in 3.42s"),
    run("go vet ./...", ""),
    run("git add -A && git commit -m 'Add retries'", "[main 1a2b3c4] Add retries\n 1 file changed, 20 insertions(+)"),
    run("git push origin main", "To github.com:ada/shop\n   0000000..1a2b3c4  main -> main"),
    run("gh pr create --fill", "https://github.com/ada/shop/pull/12"),
    ask("Which backoff?", ("exponential", "fixed"), "exponential"),
    edit(f"{ROOT}/src/shop/cli.py", "def main(): ...\n"),
    run("mypy src", "src/shop/client.py:3: error: boo\nFound 2 errors in 1 file", exit_code=1),
    refused(run("rm -rf build"), "keep the build folder, the release script needs it"),
    reply("Done. Shall I add an async client later?"),
)  # fmt: skip


def judged(text: str, *pieces: Piece, disk: DiskFacts = _NO_DISK) -> tuple[JudgedClaim, ...]:
    claims = claims_in(text)
    facts = facts_in_records(laid_out(*(pieces or STORY)), claims, client="claude-code", root=ROOT)
    return prove(claims, facts, disk)


def verdict(heading: str, entry: str, *pieces: Piece, disk: DiskFacts = _NO_DISK) -> JudgedClaim:
    (one,) = judged(f"## {heading}\n- {entry}", *pieces, disk=disk)
    return one


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("Goal", '"Add retries to the http client."'),
        ("Constraints", '"keep the build folder"'),
        ("State", 'Committed 1a2b3c4 "Add retries", pushed'),
        ("State", "Uncommitted: src/shop/cli.py"),
        ("Checks", "`pytest`: 71 passed"),
        ("Checks", "71 passed, before the last edit [check pytest]"),
        ("Checks", "failed with 2 errors, after the last edit [check mypy src]"),
        ("State", "committed, pushed [commit 1a2b3c4] [file src/shop/client.py]"),
        ("State", "uncommitted [file src/shop/cli.py]"),
        ("Checks", "`go vet ./...` passed, before the last edit"),
        ("Checks", "`ruff` was not run"),
    ],
)
def test_what_tools_and_the_user_told_is_proved(heading: str, entry: str) -> None:
    """A tick is what a reader may build on: these are told by a tool or a prompt, word for word."""
    assert verdict(heading, entry).verdict == "proved", verdict(heading, entry).reason


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("Decisions", "Exponential backoff — the user's choice — rejected: fixed"),
        ("Decisions", "Retries live in `get_with_retry` of src/shop/client.py: 5 attempts, 250 ms apart"),
        ("Decisions", "`get_with_retry(url, attempts, delay_ms)` keeps its signature"),
        ("Constraints", "Never touch `src/legacy/`"),
        ("Constraints", "The user wants no further dependency"),
        ("Open", "An async client was offered, no answer yet"),
        ("Next", "Write tests/test_retry.py with a `FakeServer`, behind a new flag `--retries`"),
        ("State", "PR #12 is open"),
        ("Failed", f"`pytest -x` → \"{_ERROR}\" — the extra is missing — `pip install -e '.[http]'` works"),
        ("Checks", "all tests pass, before the last edit"),
        ("Decisions", "Retries: 5, 250 ms apart [commit 1a2b3c4] [file src/shop/client.py]"),
        ("Failed", "httpx was missing — the extra has it [check pytest -x] [check pip install -e '.[http]']"),
    ],
)
def test_what_occurs_or_cannot_be_checked_stands(heading: str, entry: str) -> None:
    """An agent says things in its own words: striking them would cost what only it knows."""
    assert verdict(heading, entry).verdict == "anchored", verdict(heading, entry).reason


@pytest.mark.parametrize(
    ("heading", "entry", "reason"),
    [
        ("State", "Committed 9f9f9f1", "9f9f9f1"),
        ("State", "PR #41 is open", "#41"),
        ("State", "merged into main [check gh pr merge 12]", "did not run"),
        ("State", "docs are written, uncommitted [file docs/retry.md]", "docs/retry.md"),
        ("State", "the token is renewed, uncommitted [file src/shop/token.py]", "never edited"),
        ("Checks", "all green [check ruff check]", "did not run"),
        ("Decisions", "Retries live in `retry_get`", "retry_get"),
        ("Decisions", "Retries live in src/core/client.py", "src/shop/client.py"),
        ("Decisions", "Delay of 475 ms", "475"),
        ("Decisions", "Behind the flag --with-backoff", "--with-backoff"),
        ("Constraints", "“Always add type hints to everything”", "prompt"),
        ("Constraints", "“I will look at src/shop/client.py first.”", "prompt"),
        ("Failed", '`npm ci` → "ENOENT: no such file or directory" — wrong folder', "ENOENT"),
        ("Next", "Fix `parse_frobnicate` in src/shop/client.py", "parse_frobnicate"),
    ],
)
def test_what_is_invented_does_not_stand(heading: str, entry: str, reason: str) -> None:
    """An invented hash, name or wish is followed by the next agent as a fact."""
    one = verdict(heading, entry)
    assert one.verdict == "unsupported", one.reason
    assert reason in one.reason


@pytest.mark.parametrize(
    ("heading", "entry", "reason"),
    [
        ("State", '1a2b3c4 "Remove the cache"', "Add retries"),
        ("State", "src/shop/client.py is uncommitted", "committed"),
        ("State", "src/shop/cli.py committed", "edited after"),
        ("State", "Nothing uncommitted", "src/shop/cli.py"),
        ("State", "Not pushed yet", "push"),
        ("State", "the command line retries [commit 1a2b3c4] [file src/shop/cli.py]", "not in commit"),
        ("State", "types hold [check mypy src]", "failed"),
        ("Checks", "17 passed [check pytest]", "71"),
        ("Checks", "all 17 tests pass", "71"),
        ("Checks", "passed, after the last edit [check pytest]", "edited after"),
        ("Constraints", "“Please add new dependencies”", "opposite"),
        ("Checks", "`mypy src` passes", "failed"),
        ("Checks", "`go vet ./...` was not run", "ran"),
    ],
)
def test_what_the_record_says_otherwise_is_contradicted(heading: str, entry: str, reason: str) -> None:
    """Work told as safe is lost, a red check told as green is built upon."""
    one = verdict(heading, entry)
    assert one.verdict == "contradicted", one.reason
    assert reason in one.reason


def test_one_wrong_thing_strikes_the_whole_entry() -> None:
    """An entry that is half true is believed as a whole."""
    assert not verdict("State", "Committed 1a2b3c4, pushed, 17 tests pass, see `get_with_retries`").stands
    assert verdict("Checks", "`pytest` and `mypy src` pass").verdict == "contradicted"


def test_a_quotation_that_is_not_exact_loses_its_marks() -> None:
    """A paraphrase in quotation marks is read as the user's very words."""
    one = verdict("Constraints", "“No new dependencies, and never touch the legacy folder”")
    assert one.stands
    assert one.claim.text == "No new dependencies, and never touch the legacy folder"


def test_a_check_before_the_last_edit_says_so() -> None:
    """ "Passed" without the edit behind it tells more than was checked."""
    one = verdict("Checks", "`pytest`: 71 passed")
    assert one.claim.status == "passed, before the last edit"


def test_edits_of_prose_do_not_contradict_a_check() -> None:
    """An agent that wrote the readme last does not lie when it says that tests ran after its last change."""
    story = (*STORY[:8], edit(f"{ROOT}/README.md", "Retries\n"))
    one = verdict("Checks", "`pytest`: 71 passed, after the last edit", *story)
    assert (one.verdict, one.claim.status, one.claim.text) == (
        "proved",
        "passed, before the last edit",
        "`pytest`: 71 passed",
    )


def test_what_was_not_pushed_is_not() -> None:
    """Work told as pushed is thought safe."""
    story = (*STORY[:11], edit(f"{ROOT}/a.py"), run("git commit -am 'More'", "[main 2b3c4d5] More\n 1 file changed"))
    assert verdict("State", "Committed 2b3c4d5, pushed", *story).verdict == "contradicted"
    assert verdict("State", "2b3c4d5 is not pushed", *story).verdict == "proved"
    assert verdict("State", "1a2b3c4 is pushed", *story).verdict == "proved"
    assert verdict("State", "pushed to origin", *STORY[:10]).verdict == "unsupported"


def test_the_draft_itself_proves_nothing() -> None:
    """The draft stands in the record that it is checked against: otherwise each invention would be its own proof."""
    decided = "## Decisions\n- Redis in `cache_pool`\n## State\n- Committed 9f9f9f1, PR #41\n"
    draft = f"## Goal\n- Add retries\n{decided}## Next\n- Wait for the review"
    for own in (reply(draft), edit("/tmp/HANDOFF.md", draft), run(f"clew checkpoint --draft - <<'EOF'\n{draft}\nEOF")):
        verdicts = [one.verdict for one in judged(draft, *STORY, own)]
        assert verdicts[1:3] == ["unsupported", "unsupported"]


def test_what_clew_answered_proves_nothing() -> None:
    """The tool's answer repeats each invention that it struck: the second try must not pass by it."""
    answer = "unsupported: Committed 9f9f9f1 - no commit 9f9f9f1 in the record"
    for own in (
        call(Other("draft: …"), answer, tool="mcp__clew__checkpoint"),
        run("clew checkpoint --draft - < draft.md", answer),
    ):
        assert verdict("State", "Committed 9f9f9f1", *STORY, own).verdict == "unsupported"


def test_what_clew_told_before_counts() -> None:
    """What a session was given of earlier ones is known to it."""
    own = run("clew resume", "- the cache was dropped in 9f9f9f1")
    assert verdict("Decisions", "No cache, as of 9f9f9f1", *STORY, own).verdict == "anchored"


def test_each_branch_is_pushed_by_itself() -> None:
    """The fix is out, the work is not: told the other way round, one of them is lost."""
    story = (
        *STORY[:9],
        run("git commit -am 'Half a parser'", "[parser 3c4d5e6] Half a parser\n 1 file changed"),
        run("git switch main && git commit -am 'Fix'", "[main 4d5e6f7] Fix\n 1 file changed"),
        run("git push origin main", ""),
    )
    assert verdict("State", "parser: 3c4d5e6, not pushed", *story).verdict == "proved"
    assert verdict("State", "parser: 3c4d5e6, pushed", *story).verdict == "unsupported"
    assert verdict("State", "main: 4d5e6f7, pushed", *story).verdict == "proved"


def test_a_command_is_the_one_that_was_typed() -> None:
    """A run with another interpreter, or with more than was named, is another run."""
    story = (
        run("python3.9 -m pytest -q", "bash: python3.9: command not found", exit_code=127),
        run("python -m pytest -q", "31 passed in 2s"),
        run("go test ./a ./b", "ok a\nFAIL b", exit_code=1),
    )
    assert verdict("Checks", "`python -m pytest -q`: 31 passed", *story).verdict == "proved"
    assert verdict("Checks", "`python3.9 -m pytest -q`: 31 passed", *story).verdict == "contradicted"
    assert verdict("Checks", "`go test ./a`: ok", *story).reason.startswith(IN_DOUBT)


def test_a_line_that_proves_nothing_gives_no_tick_as_evidence() -> None:
    """A whole shell line is known by its exit status, and that hides a negated, a piped and a background check."""
    for line in ("! pytest", "pytest | tail -1", "pytest || true", "pytest &"):
        story = (run(line, ""), edit(f"{ROOT}/README.md", "x\n"))
        assert verdict("Checks", f"passed [check {line}]", *story).verdict != "proved", line
    assert verdict("Checks", "passed [check make -n test]", run("make -n test", "pytest")).verdict != "proved"
    failed = run("make build | tee log", "boom", exit_code=1)
    assert verdict("State", "built [check make build | tee log]", failed).verdict == "contradicted"


@pytest.mark.parametrize(
    ("entry", "stands"),
    [
        ("`dotnet test`: Failed 0, Passed 75, Skipped 2", True),
        ("`dotnet test`: Failed 0 Passed 75 Skipped 2", True),
        ("`dotnet test`: Failed 0, Passed 57, Skipped 2", False),
        ("`dotnet test`: Failed 2, Passed 75", False),
    ],
)
def test_a_count_is_one_of_what_the_run_counted(entry: str, stands: bool) -> None:
    """Some runners have the word first, others the number: a true count must not become a lie."""
    for row in ("Passed!  - Failed:     0, Passed:    75, Skipped:     2", "Failed 0 Passed 75 Skipped 2"):
        one = verdict("Checks", entry, run("dotnet test", row))
        assert one.stands is stands, (row, one.reason)
        assert not stands or one.claim.status == "passed"


def test_a_code_or_what_is_amiss_makes_a_failed_run() -> None:
    """ "507 ok" stands beside what is missing: the run went wrong, and saying so is true."""
    links, counts = "node links.mjs", "507 ok\n23 missing"
    for told in ("507 ok, 23 missing (exit 1)", "507 ok, 23 missing", "507 ok: exit code 1"):
        one = verdict("Checks", f"{told} [check {links}]", run(links, counts, exit_code=1))
        assert (one.stands, one.claim.status) == (True, "failed"), (told, one.reason)
    assert not verdict("Checks", f"507 ok [check {links}]", run(links, counts, exit_code=1)).stands
    assert not verdict("Checks", f"507 ok (exit 1) [check {links}]", run(links, counts)).stands
    # Some commands end well with what they found, and a test may be of a command's code.
    assert verdict("Checks", f"507 ok, 23 missing [check {links}]", run(links, counts)).stands
    assert (
        verdict("Checks", "`pytest`: 3 passed, exit 1 on bad input", run("pytest", "3 passed")).verdict
        != "contradicted"
    )


def test_a_run_without_an_end_has_no_result() -> None:
    """The session broke off within it; told so, it is true, and told as passed it is not."""
    failed = run("cargo test", "8 passed; 1 failed", exit_code=101)
    again = run("cargo test dedupe", "")
    for last in (unanswered(again), interrupted(again)):
        told = "`cargo test`: 8 passed, 1 failed; `cargo test dedupe` after it {}"
        assert verdict("Checks", told.format("has no result"), failed, last).stands
        assert not verdict("Checks", told.format("passed"), failed, last).stands
    assert not verdict("Checks", told.format("has no result"), failed).stands


def test_the_branch_that_only_the_client_tells_is_known() -> None:
    """No command named it: the session's own head line does."""
    claims = claims_in("## State\n- On branch pump-boot\n- On branch pump-root")
    facts = facts_in_records(laid_out(*STORY, branch="pump-boot"), claims, client="claude-code", root=ROOT)
    assert [one.stands for one in prove(claims, facts, DiskFacts())] == [True, False]


def test_a_commit_that_only_the_agent_told_of_is_in_doubt() -> None:
    """It may know it from elsewhere: its report is neither proved nor a lie. As evidence it is too little."""
    story = (*STORY, reply("Known, fixed by 88e1f0a on main."))
    one = verdict("Open", "The crash was fixed on main by 88e1f0a", *story)
    assert (one.verdict, one.reason.startswith(IN_DOUBT)) == ("anchored", True)
    assert verdict("State", "The crash is fixed [commit 88e1f0a]", *story).verdict == "unsupported"


def test_a_quotation_with_something_left_out_is_compared_piece_by_piece() -> None:
    """Dots in brackets are the writer's, and no words of the user's."""
    for dots in ("[...]", "[…]", "(...)", "…"):
        one = verdict("Constraints", f"“Add retries to the http client. {dots} never touch src/legacy/”")
        assert one.verdict == "proved", (dots, one.reason)
        assert not verdict("Constraints", f"“Add retries {dots} rewrite all modules in Rust”").stands


def test_an_error_may_be_told_from_two_lines() -> None:
    """A runner prints the test's name above what went wrong; only what it printed may be joined."""
    story = (run("vitest run", "FAIL a.test.ts > motion is smooth\nAssertionError: paddle jumped 41px", exit_code=1),)
    assert verdict("Failed", "“motion is smooth: paddle jumped 41px” — set at once", *story).stands
    assert not verdict("Failed", "“motion is smooth: paddle fell through” — set at once", *story).stands


def test_what_a_sub_agent_wrote_was_written() -> None:
    """Its calls stand beside the main chain, and its work is the session's."""
    story = (*STORY, by("a1", edit(f"{ROOT}/docs/retry.md", "# Retries\n")))
    assert verdict("State", "written [file docs/retry.md]", *story).stands
    assert not verdict("State", "written [file docs/retry.md]").stands


def test_a_session_that_goes_on_knows_of_what_came_before() -> None:
    """Its record begins with a summary: what was done before that is in doubt, and not called a lie."""
    story = (summary("Retries were added and committed."), *STORY[1:4])
    for heading, entry in (("State", "pushed to origin"), ("Checks", "`make e2e` passed"), ("State", "Committed")):
        one = verdict(heading, entry, *story)
        assert one.stands, one.reason
        assert one.reason.startswith(IN_DOUBT)


@pytest.mark.parametrize(
    "entry", ["9" * 5000, "9" * 5000 + " tests passed", "1 of " + "9" * 5000, "²³ tests", "٣٤ tests"]
)
def test_odd_numbers_are_numbers(entry: str) -> None:
    """Python refuses to read a number of 5,000 digits."""
    verdict("Checks", entry)


def test_the_disk_proves_what_the_record_does_not_know() -> None:
    """A person commits in another window: git says so, and a claim about it is no lie."""
    disk = DiskFacts(
        True, frozenset(), "main", {"1a2b3c4d5e": "Add retries", "9f9f9f1aaa": "More"}, frozenset(("src/shop/cli.py",))
    )
    assert verdict("State", "Committed 9f9f9f1 “More”", disk=disk).verdict == "proved"
    assert verdict("State", "Nothing uncommitted", disk=disk).verdict == "proved"
    dirty = disk._replace(dirty=frozenset(("src/shop/cli.py",)))
    assert verdict("State", "Nothing uncommitted", disk=dirty).verdict == "contradicted"
    assert verdict("State", "src/shop/cli.py is uncommitted", disk=dirty).verdict == "proved"


def test_without_a_record_only_the_disk_speaks() -> None:
    """A hand-off from elsewhere is not called a lie because nobody can tell."""
    claims = claims_in("## State\n- Committed 9f9f9f1\n## Checks\n- `pytest` passes\n## Constraints\n- “be quick”")
    assert {one.verdict for one in prove(claims[1:], RecordFacts(), DiskFacts())} == {"anchored"}


_WORDS: Final = [word for piece in STORY for record in piece if (word := getattr(record, "text", ""))]


@given(st.sampled_from(_WORDS), st.data())
def test_exact_words_of_the_record_stand(words: str, data: st.DataObject) -> None:
    """Whoever copies from the record does not invent."""
    line = data.draw(st.sampled_from([row for row in words.splitlines() if row.strip()]))
    quoted = line.replace('"', "'")
    assert all(one.stands for one in judged(f"## Notes\n- it printed “{quoted}”")), line


@given(st.text(max_size=200))
def test_no_draft_raises_and_proving_twice_is_the_same(text: str) -> None:
    """What a model writes is anything; the answer to it must not depend on when it is asked."""
    draft = f"## Checks\n- {text}\n## State\n- {text}\n## Constraints\n- {text}"
    assert judged(draft) == judged(draft)
