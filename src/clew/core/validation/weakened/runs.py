"""How checks are run: command lines that cannot fail any more or run less, settings of runners, code that looks whether
it is being tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clew.core.gate.shell.purposes import CHECKS, split
from clew.core.validation.verdict import flaw
from clew.core.validation.weakened.change import FileChange, WeakenedCheck, is_test, language

_RUNNING: Final = re.compile(
    r"(?:^|/)(?:Makefile|GNUmakefile|makefile|justfile|Justfile|Taskfile\.ya?ml|package\.json|"
    r"tox\.ini|noxfile\.py|Jenkinsfile|Dockerfile|"
    r"\.gitlab-ci\.yml|azure-pipelines\.yml|\.pre-commit-config\.yaml|deno\.json|composer\.json|lefthook\.yml)$|"
    r"(?:^|/)\.github/(?:workflows|actions)/.*\.ya?ml$|(?:^|/)\.circleci/|\.(?:sh|bash|mk)$|(?:^|"
    r"/)\.ci/|(?:^|/)\.husky/|(?:^|/)pyproject\.toml$"
)
_SETTINGS: Final = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.coveragerc|mypy\.ini|ruff\.toml|"
    r"\.ruff\.toml|\.flake8|package\.json|pom\.xml|"
    r"build\.gradle(?:\.kts)?|Cargo\.toml|clippy\.toml|\.golangci\.ya?ml|tsconfig[\w.-]*\.json|"
    r"\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s|"
    r"(?:jest|vitest|vite|playwright|karma)\.config\.[cm]?[jt]s|\.mocharc\.\w+|conftest\.py|"
    r"\.github/workflows/.*|\.gitlab-ci\.yml)$"
)
_LINE: Final = re.compile(
    r"^\s*(?:-\s+)?(?:run:\s*|script:\s*|RUN\s+|[\"']?[\w:.-]+[\"']?\s*[:=]\s*[\"'])?(.*?)[\"']?,?\s*$"
)
_SCRIPT: Final = re.compile(r"\s*\"(?:test|lint|check|typecheck|type-check)(?::[\w-]+)?\"\s*:")
# Words in the settings of runners by which failures count for nothing, or tests are left out.
_TOLD: Final = (
    (
        re.compile(
            r"continue-on-error:\s*true|allow_failure:\s*true|ignoreFailures\s*=\s*true|"
            r"<testFailureIgnore>\s*true|maven\.test\.failure\.ignore>?\s*[=:>]\s*true"
        ),
        "failures count for nothing",
    ),
    (
        re.compile(r"passWithNoTests[\"']?\s*[:=]\s*true|--passWithNoTests|--pass-with-no-tests"),
        "a run without a test passes",
    ),
    (
        re.compile(r"<skipTests>\s*true|<maven\.test\.skip>\s*true|\bskipTests[\"']?\s*[:=]\s*true|-DskipTests"),
        "tests are skipped",
    ),
    (
        re.compile(
            r"\bcollect_ignore(?:_glob)?\b|--ignore(?:-glob)?[= ]|--deselect[= ]|testPathIgnorePatterns|"
            r"<excludes?>|\bnorecursedirs\b"
        ),
        "tests are left out",
    ),
    (re.compile(r"\btestpaths\b.*\.py\b"), "tests are left out"),
    (
        re.compile(r"addopts.*\s-k[ =\"']|\s-k [\"']not |-m [\"']not |--testNamePattern|testNamePattern[\"']?\s*:"),
        "tests are left out",
    ),
    (re.compile(r"^\s*test\s*=\s*false\s*$|^\s*(?:doctest|bench)\s*=\s*false\s*$"), "tests are not built"),
    (
        re.compile(r"\bset \+e\b|--exit-zero\b|--no-fail\b|--max-warnings[= ](?:-1|\d{3,})"),
        "failures count for nothing",
    ),
    (
        re.compile(r"[\"'](?:test|lint|typecheck|check)[\"']\s*:\s*[\"'](?:echo\b[^\"']*|true|:|exit 0)[\"']"),
        "the script runs nothing",
    ),
)
_COVERAGE: Final = re.compile(
    r"(?:fail_under|--cov-fail-under|branches|functions|lines|statements)[\"']?\s*[=: ]\s*(\d+)"
)
_RIGGED: Final = re.compile(
    r"\bsession\.exitstatus\s*=|\bexitstatus\s*=\s*0|\.outcome\s*=\s*[\"']passed|\bitems\[:\]\s*=|"
    r"\bitems\.clear\(\)|\bos\._exit\(0\)|\bprocess\.exit\(0\)|"
    r"\bprocess\.exitCode\s*=\s*0|\bos\.Exit\(0\)|\bSystem\.exit\(0\)|\bstd::process::exit\(0\)|"
    r"\bTestCase\.assert\w+\s*=|\bunittest\.TestCase\.fail\s*=|"
    r"\bexpect\.extend\(\{\s*to(?:Be|Equal)\b|\badd_marker\(.*(?:skip|xfail)|\b__test__\s*=\s*False|"
    r"//go:build ignore|// \+build ignore|#\[cfg\(any\(\)\)\]|"
    r"\bsys\.exit\(0\)|\bpytest\.exit\(.*returncode=0"
)
_ASKING: Final = re.compile(
    r"\bPYTEST_CURRENT_TEST\b|[\"']pytest[\"'] in sys\.modules|\"unittest\" in sys\.modules|"
    r"\bJEST_WORKER_ID\b|\bNODE_ENV\s*===?\s*['\"]test['\"]|"
    r"\bprocess\.env\.VITEST\b|\bimport\.meta\.vitest\b|flag\.Lookup\(\"test\.|"
    r"\btesting\.Testing\(\)|strings\.HasSuffix\(os\.Args\[0\], \"\.test\"\)|\bcfg!\(test\)|"
    r"\binspect\.stack\(\).*test|sys\._getframe.*test"
)
_ALWAYS_EQUAL: Final = re.compile(r"def __(?:eq|ge|le|contains|bool)__\(self[^)]*\)[^:]*:\s*\n\s*return True\b")
_SHOWN: Final = 70


def told(changes: Sequence[FileChange]) -> Iterator[WeakenedCheck]:
    """What of this was added."""
    yield from _gone(changes)
    for change in changes:
        if change.after is None:
            continue
        if _RUNNING.search(change.path):
            yield from _lines(change)
        if _SETTINGS.search(change.path):
            yield from _settings(change)
        if language(change.path):
            yield from _code(change)


def _lines(change: FileChange) -> Iterator[WeakenedCheck]:
    """Command lines that can no longer fail, or that run less than the one in whose place they stand."""
    removed = [_command(line) for line in change.removed]
    for number, line in change.added:
        command = _command(line)
        parts = [part for part in split(command) if part.purpose in CHECKS] if command else []
        masked = (
            line.lstrip("\t ").startswith("-")
            and line.startswith("\t")
            and change.path.lower().endswith(("makefile", ".mk"))
        )
        if masked and any(part.purpose in CHECKS for part in split(command.lstrip("-@"))):
            yield WeakenedCheck("hidden", change.path, number, f"make goes on though it fails: `{command[:_SHOWN]}`")
            continue
        near = next((one for one in removed if one and parts and any(_is_of(part.words, one) for part in parts)), "")
        is_script = change.path.endswith("package.json") and _SCRIPT.match(line)
        why = flaw(command) if parts or is_script or _dry_of(command, removed) else ""
        if why and not (near and flaw(near)):
            yield WeakenedCheck("hidden", change.path, number, f"`{command[:_SHOWN]}` proves nothing: {why}")
        elif near and (less := _narrower(near, command)):
            yield WeakenedCheck("narrowed", change.path, number, f"`{command[:_SHOWN]}` runs less than before: {less}")


def _gone(changes: Sequence[FileChange]) -> Iterator[WeakenedCheck]:
    """Files that ran a check and run none of that kind any more, where no other file took it over."""
    running = [one for one in changes if _RUNNING.search(one.path)]
    now = {purpose for one in running for _, line in one.added for purpose in _checks(line)}
    for change in running:
        if change.after is None or change.before is None:
            continue
        left = {purpose for line in change.after.split("\n") for purpose in _checks(line)}
        for line in change.removed:
            if lost := _checks(line) - now - left - {"build"}:
                what = f"no {min(lost)} is run any more: `{_command(line)[:_SHOWN]}` is gone"
                yield WeakenedCheck("hidden", change.path, 0, what)
                break


def _checks(line: str) -> set[str]:
    return {part.purpose for part in split(_command(line)) if part.purpose in CHECKS}


def _command(line: str) -> str:
    """The shell command in a line of a Makefile, a workflow, a script in JSON."""
    found = _LINE.match(line.lstrip("\t "))
    text = (found[1] if found else "").strip()
    return text.lstrip("@-").replace('\\"', '"').strip()


def _is_of(words: Sequence[str], line: str) -> bool:
    """Whether a command runs the same program as one in `line`."""
    return any(part.words[:1] == tuple(words[:1]) for part in split(line))


def _dry_of(command: str, removed: Sequence[str]) -> bool:
    """Whether a command that only looks stands where one that checks stood."""
    return any(
        _is_of(part.words, one) and any(p.purpose in CHECKS for p in split(one))
        for part in split(command)
        for one in removed
        if one
    )


def _narrower(before: str, now: str) -> str:
    """What in `now` has the check of `before` run less, "" nothing."""
    old = next((part for part in split(before) if part.purpose in CHECKS), None)
    new = next((part for part in split(now) if part.purpose in CHECKS), None)
    if old is None or new is None or old.purpose != "test":
        return ""
    added = [word for word in new.words if word not in old.words]
    for word in added:
        if re.match(
            r"^(?:-k|-m|--deselect|--ignore|-run|-t|--testNamePattern|--grep|-g|--exclude|--skip|-short|"
            r"--lib|--lf|-Dtest)\b",
            word,
        ):
            return f"`{word}`"
    if set(old.words) <= set(new.words):
        places = [word for word in added if not word.startswith("-") and re.search(r"[/.]|::", word)]
        had = [word for word in old.words[1:] if not word.startswith("-") and re.search(r"[/.]", word)]
        if places and not had:
            return f"only `{places[0]}`"
    return ""


def _settings(change: FileChange) -> Iterator[WeakenedCheck]:
    removed = "\n".join(change.removed)
    for number, line in change.added:
        if line.lstrip().startswith(("#", "//", ";")):
            continue
        for pattern, what in _TOLD:
            found = pattern.search(line)
            if found and found[0].split("=")[0].strip() not in removed:
                yield WeakenedCheck("hidden", change.path, number, f"{what}: `{line.strip()[:_SHOWN]}`")
                break
        share = _COVERAGE.search(line)
        was_share = next(
            (
                found
                for one in change.removed
                if (found := _COVERAGE.search(one)) and share and found[0].split()[0][:8] == share[0].split()[0][:8]
            ),
            None,
        )
        if share and was_share and int(share[1]) < int(was_share[1]):
            yield WeakenedCheck(
                "narrowed", change.path, number, f"less has to be covered: {share[1]} instead of {was_share[1]}"
            )


def _code(change: FileChange) -> Iterator[WeakenedCheck]:
    in_tests = is_test(change.path)
    for number, line in change.added:
        text = line.strip()
        is_exit = change.path.endswith(".py") and not change.path.endswith("conftest.py") and "exit(0)" in line
        if in_tests and not is_exit and _RIGGED.search(line) and not text.startswith(("#", "*", '"', "'")):
            yield WeakenedCheck("rigged", change.path, number, f"the runner is told what to say: `{text[:_SHOWN]}`")
        elif (
            not in_tests
            and _ASKING.search(line)
            and not _RUNNING.search(change.path)
            and not text.startswith(("#", "//", "*"))
        ):
            yield WeakenedCheck(
                "rigged", change.path, number, f"the code looks whether it is being tested: `{text[:_SHOWN]}`"
            )
    if (
        change.after
        and not in_tests
        and _ALWAYS_EQUAL.search(change.after)
        and not _ALWAYS_EQUAL.search(change.before or "")
    ):
        yield WeakenedCheck("rigged", change.path, 0, "what it makes is equal to anything")
