"""How checks are run: command lines that cannot fail any more or run less, settings of runners, code that looks whether
it is being tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clew.core.gate.shell.purposes import CHECKS, split
from clew.core.validation.changes import FileChange, WeakenedCheck, is_test, language
from clew.core.validation.verdict import flaw

_RUNNING: Final = re.compile(
    r"(?:^|/)(?:Makefile|GNUmakefile|makefile|justfile|Justfile|Taskfile\.ya?ml|package\.json|"
    r"tox\.ini|noxfile\.py|Jenkinsfile|Dockerfile|"
    r"\.gitlab-ci\.yml|azure-pipelines\.yml|\.pre-commit-config\.yaml|deno\.json|composer\.json|lefthook\.yml)$|"
    r"(?:^|/)\.github/(?:workflows|actions)/.*\.ya?ml$|(?:^|/)\.circleci/|\.(?:sh|bash|mk)$|(?:^|"
    r"/)\.ci/|(?:^|/)\.husky/|(?:^|/)pyproject\.toml$"
)
_SETTINGS: Final = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.coveragerc|mypy\.ini|\.?ruff\.toml|\.flake8|package\.json"
    r"|Cargo\.toml|clippy\.toml|\.golangci\.ya?ml|tsconfig[\w.-]*\.json|\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s"
    r"|(?:jest|vitest|vite|playwright|karma)\.config\.[cm]?[jt]s|\.mocharc\.\w+|conftest\.py|\.github/workflows/.*"
    r"|\.gitlab-ci\.yml)$"
)
_LINE: Final = re.compile(
    r"^\s*(?:-\s+)?(?:run:\s*|script:\s*|RUN\s+|[\"']?[\w:.-]+[\"']?\s*[:=]\s*[\"'])?(.*?)[\"']?,?\s*$"
)
_SCRIPT: Final = re.compile(r"\s*\"(?:test|lint|check|typecheck|type-check)(?::[\w-]+)?\"\s*:")
# What in the settings of runners has failures count for nothing, or leaves tests out.
_SAYS: Final = {
    "failures count for nothing": r"continue-on-error:\s*true|allow_failure:\s*true|\bset \+e\b"
    r"|--exit-zero\b|--no-fail\b|--max-warnings[= ](?:-1|\d{3,})",
    "a run without a test passes": r"passWithNoTests[\"']?\s*[:=]\s*true|--pass-?with-?no-?tests",
    "tests are left out": r"\bcollect_ignore(?:_glob)?\b|--ignore(?:-glob)?[= ]|--deselect[= ]|testPathIgnorePatterns"
    r"|\bnorecursedirs\b|\btestpaths\b.*\.py\b|addopts.*\s-k[ =\"']|\s-[km] [\"']not |testNamePattern[\"']?\s*:",
    "tests are not built": r"^\s*(?:test|doctest|bench)\s*=\s*false\s*$",
    "the script runs nothing": r"[\"'](?:test|lint|typecheck|check)[\"']\s*:"
    r"\s*[\"'](?:echo\b[^\"']*|true|:|exit 0)[\"']",
}
_TOLD: Final = [(re.compile(pattern, re.IGNORECASE), what) for what, pattern in _SAYS.items()]
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


def weakened_runs(changes: Sequence[FileChange]) -> Iterator[WeakenedCheck]:
    """What was added by which checks can no longer fail, run less, or are told what to say."""
    yield from _gone(changes)
    for change in changes:
        if change.after is not None:
            yield from _lines(change) if _RUNNING.search(change.path) else ()
            yield from _settings(change) if _SETTINGS.search(change.path) else ()
            yield from _code(change) if language(change.path) else ()


def _lines(change: FileChange) -> Iterator[WeakenedCheck]:
    """Command lines that can no longer fail, or that run less than the one in whose place they stand."""
    removed = [_command(line) for line in change.removed]
    is_make = change.path.lower().endswith(("makefile", ".mk"))
    for number, line in change.added:
        command = _command(line)
        if is_make and line.startswith("\t") and line.lstrip().startswith("-") and _checks(line):
            yield WeakenedCheck("hidden", change.path, number, f"make goes on though it fails: `{command[:_SHOWN]}`")
            continue
        parts = [part for part in split(command) if part.purpose in CHECKS]
        programs = {part.words[0] for part in parts}
        near = next((one for one in removed if any(part.words[0] in programs for part in split(one))), "")
        is_script = change.path.endswith("package.json") and _SCRIPT.match(line)
        why = flaw(command) if parts or is_script else ""
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


_SELECTS: Final = re.compile(
    r"^(?:-k|-m|--deselect|--ignore|-run|-t|--testNamePattern|--grep|-g|--exclude|--skip|-short|--lib|--lf)\b"
)


def _narrower(before: str, now: str) -> str:
    """What in `now` has the check of `before` run less, "" nothing."""
    old = next((part for part in split(before) if part.purpose in CHECKS), None)
    new = next((part for part in split(now) if part.purpose in CHECKS), None)
    if old is None or new is None or old.purpose != "test":
        return ""
    added = [word for word in new.words if word not in old.words]
    for word in added:
        if _SELECTS.match(word):
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
        found = next(((one[0], what) for pattern, what in _TOLD if (one := pattern.search(line))), None)
        if found and found[0].split("=")[0].strip() not in removed:
            yield WeakenedCheck("hidden", change.path, number, f"{found[1]}: `{line.strip()[:_SHOWN]}`")


def _code(change: FileChange) -> Iterator[WeakenedCheck]:
    in_tests = is_test(change.path)
    pattern, what = (
        (_RIGGED, "the runner is told what to say")
        if in_tests
        else (_ASKING, "the code looks whether it is being tested")
    )
    for number, line in change.added:
        text = line.strip()
        is_exit = "exit(0)" in line and change.path.endswith(".py") and not change.path.endswith("conftest.py")
        if pattern.search(line) and not is_exit and not text.startswith(("#", "//", "*", '"', "'")):
            yield WeakenedCheck("rigged", change.path, number, f"{what}: `{text[:_SHOWN]}`")
    if not in_tests and _ALWAYS_EQUAL.search(change.after or "") and not _ALWAYS_EQUAL.search(change.before or ""):
        yield WeakenedCheck("rigged", change.path, 0, "what it makes is equal to anything")
