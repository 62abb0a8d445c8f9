"""Loops and work that gets on, planted behind a real call: the call again with what it came to, as often as a person
would call it a loop or would not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clew.core.records.transcript import Call, Edit, Other, Poll, Read, Record, Result, Run, Running, Search

Made = Iterator[tuple[Record, ...]]


class Stage:
    """A real call with its result, from which others are made, each at a place and time of its own."""

    def __init__(self, call: Call, result: Result) -> None:
        self.call = call
        self.result = result
        self._count = 0

    def again(self, action: object = None, text: str | None = None, outcome: str = "") -> tuple[Record, ...]:
        """The call once more, doing `action` and coming to `text` with `outcome` where they are given."""
        self._count += 1
        name = f"planted {self._count}"
        call = self.call._replace(id=name, action=action or self.call.action)
        said = self.result.text if text is None else text
        return call, self.result._replace(call=name, text=said, outcome=outcome or self.result.outcome)

    def command(self, text: str) -> Run:
        """The call's command, changed by a form that has `{}` in it."""
        assert isinstance(self.call.action, Run)
        return Run(text.format(self.call.action.command), self.call.action.folder)


def _again(on: Stage) -> Made:
    yield from (on.again() for _ in range(3))


def _piped(on: Stage) -> Made:
    for form in ("{} 2>&1 | tail -20", "{} 2>&1 | tail -5", "{}; echo $?"):
        yield on.again(on.command(form))


def _noise(on: Stage) -> Made:
    for number in range(4):
        text = f"{on.result.text}\nFinished in {3 + number}.{number}7s at 10:0{number}:12, object 0x7f{number}a2b"
        yield on.again(text=text, outcome="error")


def _reads(on: Stage) -> Made:
    yield from (on.again() for _ in range(5))


def _searches(on: Stage) -> Made:
    assert isinstance(on.call.action, Search)
    yield from (on.again(text="No files found") for _ in range(5))


def _undo(on: Stage) -> Made:
    action = on.call.action
    assert isinstance(action, Edit)
    for _ in range(3):
        yield on.again(Edit(action.path, action.added, action.removed), "Edited.", "ok")
        yield on.again(action, "Edited.", "ok")


def _edit_error(on: Stage) -> Made:
    for number in range(4):
        edit = Edit("pkg/main.go", f"return fmt.Errorf({number})", "return err")
        yield on.again(edit, "String to replace not found in file.", "error")


def _alternate(on: Stage) -> Made:
    for _ in range(4):
        yield on.again()
        yield on.again(Read("pkg/other.go", 1, 80), "package other\n\nfunc main() {}\n", "ok")


def _tool(on: Stage) -> Made:
    action = on.call.action if isinstance(on.call.action, Other) else Other("query=deploy status")
    yield from (on.again(action, "Nothing was found for this query.", "ok") for _ in range(5))


def _stuck(on: Stage) -> Made:
    for number in range(6):
        yield on.again(Edit("pkg/try.go", f"n := {number}", f"n := {number + 1}"), "Edited.", "ok")
        yield on.again(outcome="error")


def _same(on: Stage) -> Made:
    yield from (on.again() for _ in range(7))


def _fewer(on: Stage) -> Made:
    for number in range(6, 1, -1):
        yield on.again(Edit("pkg/try.go", f"n := {number}", f"n := {number + 1}"), "Edited.", "ok")
        yield on.again(text=f"{on.result.text}\n{number} problems left", outcome="error")


def _after_edits(on: Stage) -> Made:
    for number in range(6):
        yield on.again(Edit(f"pkg/part{number}.go", "a", "b"), "Edited.", "ok")
        yield on.again(outcome="ok")


def _polls(on: Stage) -> Made:
    for number in range(8):
        call = on.call._replace(id=f"poll {number}", action=Poll("77"))
        yield call, Running(call.at, call.time, call.agent, call.id, "77", "still compiling")


def _waits(on: Stage) -> Made:
    for _ in range(3):
        yield on.again(Run("sleep 30; gh run view 4711 --json status"), '{"status":"in_progress"}', "ok")
    for _ in range(6):
        yield on.again(Run("gh run view 4711 --json status"), '{"status":"in_progress"}', "ok")


def _ranges(on: Stage) -> Made:
    action = on.call.action
    assert isinstance(action, Read)
    for number in range(6):
        yield on.again(Read(action.path, 1 + 100 * number, 100 + 100 * number))


def _status(on: Stage) -> Made:
    for number in range(6):
        yield on.again()
        yield on.again(Edit(f"pkg/part{number}.go", "a", "b"), "Edited.", "ok")


def _twice(on: Stage) -> Made:
    yield on.again()
    yield on.again(text="ok, all passed", outcome="ok")


def _reads_after_edits(on: Stage) -> Made:
    action = on.call.action
    assert isinstance(action, Read)
    for number in range(5):
        yield on.again(Edit(action.path, f"a{number}", f"b{number}"), "Edited.", "ok")
        yield on.again()


def _folders(on: Stage) -> Made:
    for number in range(6):
        yield on.again(on.command(f"cd services/s{number} && {{}}"), "0 issues.", "ok")


PLANTS: dict[str, Callable[[Stage], Made]] = {
    "again": _again,
    "piped": _piped,
    "noise": _noise,
    "reads": _reads,
    "searches": _searches,
    "undo": _undo,
    "edit error": _edit_error,
    "alternate": _alternate,
    "tool": _tool,
    "stuck": _stuck,
    "same": _same,
    "fewer": _fewer,
    "after edits": _after_edits,
    "polls": _polls,
    "waits": _waits,
    "ranges": _ranges,
    "status": _status,
    "twice": _twice,
    "reads after edits": _reads_after_edits,
    "folders": _folders,
}
