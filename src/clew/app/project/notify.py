"""Telling a person that something began to wait for them, by a command of theirs (docs/guide/15-page.md).

It is told where the wait is recorded, by whoever records it; no process looks on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.ports import Ports
from clew.app.project.session import ProjectSession
from clew.core.errors import InputError
from clew.core.state.events import Event
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.plan.lint import grave, lint_plan
from clew.workspace.process import Finished, LimitExceeded, run

COMMAND: Final = "notify.command"
NoticeKind = Literal["question", "plan", "phase", "run", "done", "budget", "test"]
_WORDS_CHARS: Final = 300
_START_S: Final = 10.0
_TEST_S: Final = 60.0


class Notice(NamedTuple):
    """What began to wait: `words` is a sentence for the person, on one line."""

    kind: NoticeKind
    words: str


def notices(at: ProjectSession, recorded: Iterable[Event]) -> Iterator[Notice]:
    """What began to wait for a person by events that were recorded. What a person said waits for nobody."""
    for event in recorded:
        data = event.data
        is_persons = event.provenance == "human"
        match event.kind:
            case "item.stated" if data["kind"] == "question" and not is_persons:
                if data.get("blocking") or data.get("owner"):
                    yield _notice("question", f"A question waits for you: {data['text']}")
            case "plan.written" if not is_persons:
                plan = at.plan(event.task)
                if plan.is_planning and plan.phases and not grave(lint_plan(plan)):
                    yield _notice("plan", f"A plan waits for your approval: {plan.title}")
            case "phase.stopped":
                yield _notice("phase", f"A phase stopped: {data.get('cause') or data.get('failure') or ''}")
            case "run.ended":
                is_done = data["word"] == "done"
                said = "A run is finished" if is_done else "A run halted and needs you"
                yield _notice("done" if is_done else "run", f"{said}: {data.get('reason') or ''}")


def notify(ports: Ports, root: Path, found: Iterable[Notice]) -> None:
    """Start the person's command for each of `found`, and do not wait for its end. What goes wrong is the command's."""
    told = list(found)
    command = ports.settings(root).text(COMMAND) if told else ""
    for one in told if command else ():
        try:
            run(
                ["/bin/sh", "-c", '(eval "$0") >/dev/null 2>&1 </dev/null &', command],
                environment=_environment(ports, root, one),
                timeout_s=_START_S,
            )
        except (OSError, LimitExceeded):
            return


def notify_test(ports: Ports, root: Path) -> Finished:
    """Run the person's command once with a made-up notice, to its end. Raises `InputError` where there is none, and
    where it cannot be run or does not end.
    """
    command = ports.settings(root).text(COMMAND)
    if not command:
        raise InputError(
            f"{COMMAND} is not set",
            code="E-notify-none",
            hint=f"`clew settings set {COMMAND} 'notify-send \"$CLEW_NOTICE\"'` has a message shown on the desktop.",
        )
    notice = Notice("test", "This is a test of clew: a question would wait for you.")
    try:
        given = _environment(ports, root, notice)
        return run(["/bin/sh", "-c", command], environment=given, timeout_s=_TEST_S, folder=str(root))
    except (OSError, LimitExceeded) as error:
        why = f"it did not end within {_TEST_S:.0f} s" if isinstance(error, LimitExceeded) else str(error)
        raise InputError(f"{COMMAND} failed: {why}", code="E-notify-failed", hint="Run it in a terminal.") from error


def _notice(kind: NoticeKind, words: str) -> Notice:
    return Notice(kind, shorten(one_line(clean(words)).removesuffix(":"), _WORDS_CHARS))


def _environment(ports: Ports, root: Path, notice: Notice) -> dict[str, str]:
    told = {"CLEW_NOTICE": notice.words, "CLEW_NOTICE_KIND": notice.kind, "CLEW_PROJECT": str(root)}
    return {**ports.environment, **told}
