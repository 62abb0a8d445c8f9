"""Start in one client, go on in another: the same story for every pair of clients.

`python -m tests.live.pairs` plays all of them, `python -m tests.live.pairs codex gemini` one. What it tells: the first
client is killed inside a tool call; somebody changes its file; the second client's first request holds what was known;
the agent asks the MCP server; a summary loses a decision and a dead end, and the second client gets them back.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from itertools import product
from pathlib import Path

from tests.live.clients import CLIENTS, owner
from tests.live.endpoint import Endpoint, Request, asks, bash, read, results, said_to_model, say
from tests.live.people import Person, wait_for
from tests.live.projects import changes, make_project
from tests.live.stories import (
    DEAD_END,
    DECISION,
    NEXT,
    PROMPT,
    TASK,
    WHY_DECIDED,
    WHY_FAILED,
    changed_by_somebody,
    holds_what_was_known,
    works_on_refunds,
)

FOUND, WHY_FOUND = "The bank rounds half to even", "its manual says so"
# What a summary holds that leaves out a decision and a dead end.
SUMMARY = f"""
1. Primary Request and Intent:
   {PROMPT}
2. Key Technical Concepts:
   - {FOUND}, because {WHY_FOUND}.
3. Files and Code Sections:
   - refunds.py
4. Next Step:
   {NEXT}
"""


def play(first: Person, second: Person, project: Path, folder: Path) -> None:
    """One pair. Raises AssertionError where the story breaks."""
    for one in {first.name: first, second.name: second}.values():
        one.clew("init", "--client", one.name, cwd=project)
    first.clew("task", "new", TASK, cwd=project)
    works(first, project, folder / "inside")
    changed_by_somebody(project / "refunds.py")
    goes_on(second, project)
    ran = json.loads(first.clew("sessions", "--json", cwd=project).stdout)
    assert {first.name, second.name} == {session["client"] for session in ran["sessions"]}, ran
    assert [" M refunds.py"] == changes(project)
    for one in (first, second):
        assert {} == one.settled()
        assert [] == one.broken()


def works(me: Person, project: Path, inside: Path) -> None:
    """The first client is killed inside a tool call."""
    with Endpoint(works_on_refunds(project, inside)) as endpoint:
        with me.start(PROMPT, endpoint, project, CLEW_TASK=TASK) as session:
            wait_for(inside)
            session.kill()
        kept = [said.text for said in results(endpoint.main[-1]) if "Noted " in said.text]
    assert len(kept) == 3, said_to_model(endpoint.main[-1])
    me.end_all()


def goes_on(me: Person, project: Path) -> None:
    """The second client is told, asks the server, and gets back what its summary loses."""
    how = me.compacting()
    script = [
        say("I read it again.", read(project / "refunds.py"), bash("seq 2000")),
        say(
            "I keep that. And what else?",
            asks("clew", "record", kind="decision", text=FOUND, why=WHY_FOUND),
            asks("clew", "show", words="cents"),
        ),
        say("More.", bash("echo more"), tokens=how.tokens or 1000),
        say("Done."),
        say("Done again."),
        say("Done for good."),
    ]
    with Endpoint(script, summary=SUMMARY) as endpoint:
        prompts = ["Go on.", *(("And on.", "And on and on.") if how.tokens is None else ())]
        session: tuple[str, ...] = ()
        for prompt in prompts:
            ran = me.run(prompt, endpoint, project, *how.options, *session, CLEW_TASK=TASK)
            assert ran.code == 0, ran
            session = me.resuming(ran.session)
    main = endpoint.main
    assert len(main) == 3 + len(prompts), [request.kind for request in endpoint.requests]
    (said,) = ours(main[0])
    holds_what_was_known(said)
    assert len(said) < 10_000
    assert FOUND in known(me, project), asked_for(main[2])
    assert DECISION in asked_for(main[2])
    lost = lost_and_found(endpoint.requests)
    assert f"- decision: {DECISION} — {WHY_DECIDED}" in lost, lost
    assert f"- failed: {DEAD_END} — {WHY_FAILED}" in lost, lost
    assert FOUND not in lost  # the summary has it


def ours(request: Request) -> list[str]:
    """What our hooks or our plugin have put into a request."""
    return [text for text in request.injected if "clew" in text]


def asked_for(request: Request) -> str:
    """The results of the tools of a request, as one text."""
    return "\n".join(said.text for said in results(request))


def known(me: Person, project: Path) -> str:
    return me.clew("show", "--json", cwd=project).stdout


def lost_and_found(requests: list[Request]) -> str:
    """What was put into requests behind the summary and was in none before it."""
    summary = next(place for place, request in enumerate(requests) if request.kind == "summary")
    before = {text for request in requests[:summary] for text in ours(request)}
    after = [text for request in requests[summary:] if request.kind == "main" for text in ours(request)]
    return "\n".join(text for text in dict.fromkeys(after) if text not in before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pair", nargs="*", metavar="CLIENT", choices=[*CLIENTS, []])
    chosen = tuple(parser.parse_args().pair)
    if len(chosen) not in (0, 2):
        parser.error("name two clients, or none for all pairs")
    failed = 0
    for first, second in [chosen] if chosen else product(CLIENTS, CLIENTS):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, owner(Path(folder, "home"), first, second) as (one, other):
            try:
                play(one, other, make_project(Path(folder, "till")), Path(folder))
                how = "ok"
            except Exception:
                traceback.print_exc()
                how, failed = "FAILED", failed + 1
        print(f"{first} -> {second}: {how}, {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
