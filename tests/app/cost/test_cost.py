"""What sessions cost, from the files that clients left."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.app.cost.cost import By, CostReport, CostRequest, cost
from clew.app.cost.prices import known_prices, own_prices, refresh, table_files
from clew.app.cost.restarts import overhead, restarts
from clew.app.project.opening import ProjectHandle
from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.lines import read_file
from clew.core.cost.uses import ResponseUse, UsageFold
from clew.core.errors import InputError, NotFound, Unavailable
from tests.app.cost.used import KNOWN, MODEL, line, save
from tests.app.projects import World, open_task
from tests.clients.opencode.recordings import answer, made, stored, user


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a ledger and no session."""
    return World(tmp_path)


def told(world: World, by: By = "session", **asked: Any) -> CostReport:
    """What is told; days are those of UTC."""

    def day(at: int) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(at))

    return cost(world.by_person, CostRequest(by, day, **asked), KNOWN)


def test_each_response_counts_once_with_its_last_snapshot(world: World) -> None:
    """Given a response of three lines, copied into a fork whose copy is cut, it counts once, and for its session."""
    first = [line("m1", (5, 100, 1000, n), world.top, tools=tools) for n, tools in ((1, ()), (1, ("Read",)), (40, ()))]
    save(world, "s-1.jsonl", *first, mtime_s=1)
    save(
        world,
        "s-2.jsonl",
        *(one.replace(b"s-1", b"s-2") for one in first[:2]),
        line("m2", (1, 0, 0, 2), world.top, session="s-2"),
        mtime_s=2,
    )
    found = told(world)
    assert {"s-1": (5, 100, 0, 1000, 40), "s-2": (1, 0, 0, 0, 2)} == {
        one.name: (one.input, one.cache_write, one.cache_write_long, one.cache_read, one.output) for one in found.parts
    }
    assert found.total.usd == pytest.approx((6 * 10 + 100 * 12 + 1000 + 42 * 50) / 1e6)
    assert 2 == found.total.responses


def test_agents_of_a_workflow_count_for_its_session(world: World) -> None:
    """Their files lie two folders deeper than those of other sub-agents, beside a journal."""
    save(world, "s-1.jsonl", line("m1", (1, 0, 0, 1), world.top))
    save(world, "s-1/subagents/agent-a.jsonl", line("m2", (10, 0, 0, 0), world.top, agentId="a"))
    save(world, "s-1/subagents/workflows/wf_1/agent-b.jsonl", line("m3", (100, 0, 0, 0), world.top, agentId="b"))
    save(world, "s-1/subagents/workflows/wf_1/journal.jsonl", b'{"type": "result", "agentId": "b"}\n')
    assert [("s-1", 112)] == [(one.name, one.total) for one in told(world).parts]
    assert {"(main chain)": 2, "a": 10, "b": 100} == {one.name: one.total for one in told(world, "agent").parts}


def rollout(world: World, session: str, *totals: int, **meta: Any) -> None:
    """A session of Codex: each total is that of a response, "old" the head of the session it was copied from."""
    lines: list[dict[str, Any]] = []
    for name, about in ((session, meta), *((one, {}) for one in meta.values())):
        payload = {"id": name, "cwd": str(world.top), "source": "exec", **about}
        lines.append({"type": "session_meta", "payload": payload})
    before = 0
    for total in totals:
        last = {"input_tokens": total - before, "cached_input_tokens": 0, "output_tokens": 0}
        info = {"last_token_usage": last, "total_token_usage": {**last, "input_tokens": total}}
        lines.append({"type": "event_msg", "payload": {"type": "token_count", "info": info}})
        before = total
    path = world.home / ".codex" / "sessions" / "2026" / "11" / "20" / f"rollout-2026-11-20T10-00-00-{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"timestamp": "2026-11-20T10:00:00Z", **one}) + "\n" for one in lines))


def test_sessions_with_equal_counters_are_two_and_a_fork_is_not(world: World) -> None:
    """Codex names a response by the counters up to it: those are a name within a session and its forks only."""
    rollout(world, "aaaaaaaa-1", 100, 250)
    rollout(world, "bbbbbbbb-2", 100, 250)
    rollout(world, "cccccccc-3", 100, 250, 400, forked_from_id="aaaaaaaa-1")
    rollout(world, "dddddddd-4", 100, 500, forked_from_id="aaaaaaaa-1")
    assert (250 + 250 + 150 + 400, 6) == (told(world).total.total, told(world).total.responses)


def test_what_a_fork_of_opencode_copied_counts_once(world: World) -> None:
    """Its messages have new ids there, and their times and tokens as they were."""
    database = world.home / ".local" / "share" / "opencode"
    database.mkdir(parents=True)

    def response(created: int, given: int) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
        tokens = {"input": given, "output": 1, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        return answer({"type": "step-finish", "tokens": tokens}, time={"created": created})

    made(database, user("do"), response(1_767_258_000_000, 10), runs_in=str(world.top))
    connection = apsw.Connection(str(database / "opencode.db"))
    copied = [user("do"), response(1_767_258_000_000, 10), response(1_767_258_009_000, 500)]
    stored(connection, copied, session="ses_fork", runs_in=str(world.top))
    connection.close()
    assert (11 + 501, 2) == (told(world).total.total, told(world).total.responses)


def test_sub_agents_of_opencode_count_for_the_session_that_began_them(world: World) -> None:
    """They have sessions of their own, those that they begin as well."""
    database = world.home / ".local" / "share" / "opencode"
    database.mkdir(parents=True)

    def response(given: int) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
        return answer({"type": "step-finish", "tokens": {"input": given, "output": 1}})

    made(database, user("do"), response(10), runs_in=str(world.top), session="ses_main")
    connection = apsw.Connection(str(database / "opencode.db"))
    stored(connection, [user("a"), response(200)], session="ses_a", parent="ses_main", runs_in=str(world.top))
    stored(connection, [user("b"), response(3000)], session="ses_b", parent="ses_a", runs_in=str(world.top))
    connection.close()
    assert [("ses_main", 3213)] == [(one.name, one.total) for one in told(world).parts]
    assert {"(main chain)": 11, "ses_a": 201, "ses_b": 3001} == {
        one.name: one.total for one in told(world, "agent").parts
    }


def test_sub_agents_of_gemini_count_for_the_session_that_began_them(world: World) -> None:
    """Their files lie in a folder that is called by its id."""
    chats = world.home / ".gemini" / "tmp" / "tide" / "chats"
    (chats / "5e55a").mkdir(parents=True)
    (chats.parent / ".project_root").write_text(str(world.top))
    for file, session, kind, given in (
        ("session-2026-11-20T10-00-5e55a.jsonl", "5e55a", "main", 40),
        ("5e55a/helper.jsonl", "c0ffee", "subagent", 600),
    ):
        head = {"sessionId": session, "kind": kind, "projectHash": "x", "startTime": "2026-11-20T10:00:00.000Z"}
        tokens = {"input": given, "output": 1, "cached": 0, "thoughts": 0, "tool": 0, "total": given + 1}
        one = {"id": f"g-{given}", "timestamp": "2026-11-20T10:00:01.000Z", "type": "gemini", "content": "Done."}
        lines = (
            head,
            {**one, "type": "user", "id": f"u-{given}", "content": "do"},
            {**one, "model": "m", "tokens": tokens},
        )
        (chats / file).write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert [("5e55a", 642)] == [(one.name, one.total) for one in told(world).parts]


def test_what_is_appended_is_all_that_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look reads no file; one that grew is read from where it ended, a torn line when it is whole."""
    whole, more = line("m1", (1, 0, 0, 1), world.top), line("m2", (2, 0, 0, 2), world.top)
    path = save(world, "s-1.jsonl", whole, more[:50])
    assert (1, 1) == (told(world).total.responses, told(world).files)
    assert 0 == told(world).changed
    started: list[int] = []

    def noted(path: Path, reader: Any, start: int = 0, **known: Any) -> Any:
        started.append(start)
        return read_file(path, reader, start, **known)

    monkeypatch.setattr("clew.sessions.log.read_file", noted)
    path.write_bytes(whole + more)
    assert (3, [len(whole)]) == (told(world).total.input, started)


def test_what_is_gone_was_paid_for(world: World) -> None:
    """A file that its client deleted, or wrote again, stays counted."""
    path = save(world, "s-1.jsonl", line("m1", (1, 0, 0, 1), world.top))
    told(world)
    path.write_bytes(line("m2", (1, 0, 0, 1), world.top) + b"{}\n")
    assert 2 == told(world).total.responses
    path.unlink()
    assert 2 == told(world).total.responses


def test_by_tool_a_response_is_shared(world: World) -> None:
    """Given a response that called two tools, each has half of it, and the whole is the whole."""
    save(
        world,
        "s-1.jsonl",
        line("m1", (100, 0, 0, 10), world.top, tools=("Read", "Bash")),
        line("m2", (50, 0, 0, 2), world.top),
    )
    found = told(world, "tool")
    assert {"Read": 50, "Bash": 50, "(no tool)": 50} == {one.name: one.input for one in found.parts}
    assert 150 == found.total.input


def test_by_day_client_model_and_within_a_time(world: World) -> None:
    """Each response counts on its own day."""
    late = line("m2", (2, 0, 0, 1), world.top, time="2026-11-21T23:59:59Z", model="nobody-9")
    save(world, "s-1.jsonl", line("m1", (1, 0, 0, 1), world.top), late)
    assert [("2026-11-20", 1), ("2026-11-21", 2)] == [(one.name, one.input) for one in told(world, "day").parts]
    assert ["claude-code"] == [one.name for one in told(world, "client").parts]
    by_model = {one.name: (one.usd > 0, one.unpriced_tokens) for one in told(world, "model").parts}
    assert {MODEL: (True, 0), "nobody-9": (False, 3)} == by_model
    assert ("nobody-9",) == told(world).unknown
    assert 1 == told(world, until=1795219200).total.input  # 2026-11-21
    assert 2 == told(world, since=1795219200).total.input


def test_only_this_projects_sessions_unless_all_are_asked_for(world: World, tmp_path: Path) -> None:
    """What ran elsewhere is another project's."""
    save(world, "s-1.jsonl", line("m1", (1, 0, 0, 1), world.top))
    save(world, "s-2.jsonl", line("m2", (2, 0, 0, 1), tmp_path / "elsewhere", session="s-2"))
    assert (1, str(world.top)) == (told(world).total.input, told(world).scope)
    assert {str(world.top), str(tmp_path / "elsewhere")} == {
        one.name for one in told(world, "project", everywhere=True).parts
    }


def test_by_task(world: World) -> None:
    """A session counts for the task that the ledger has it for."""
    from tests.app.projects import extract_of

    with world.desk() as at:
        task = open_task(at, "The tide")
        at.ledger.take_in(extract_of(world, session="s-1", task=task))
    save(world, "s-1.jsonl", line("m1", (1, 0, 0, 1), world.top))
    save(world, "s-2.jsonl", line("m2", (2, 0, 0, 1), world.top, session="s-2"))
    assert {"The tide": 1, "(no task)": 2} == {one.name: one.input for one in told(world, "task").parts}


def test_priced_as_another_model(world: World) -> None:
    """Also what has no price of its own; a model without one cannot be asked for."""
    save(world, "s-1.jsonl", line("m1", (1_000_000, 0, 0, 0), world.top, model="nobody-9"))
    assert told(world, model=MODEL).total.usd == pytest.approx(10)
    with pytest.raises(InputError) as caught:
        told(world, model="nobody-9")
    assert "E-price-unknown" == caught.value.code


def test_an_eight_hour_session(world: World) -> None:
    """Given work in two quarters of an hour, eight hours cost sixteen times as much."""
    times = ("2026-11-20T10:01:00Z", "2026-11-20T10:14:00Z", "2026-11-20T15:00:00Z")
    save(world, "s-1.jsonl", *(line(f"m{n}", (100_000, 0, 0, 0), world.top, time=one) for n, one in enumerate(times)))
    found = told(world)
    assert (0.5, pytest.approx(3 * 16)) == (found.hours, found.per_session_usd)


def test_the_quick_way_finds_what_the_reader_finds(world: World) -> None:
    """Of every kind of line, those that only the reader understands among them."""
    lines = [
        line("m1", (1, 7, 3, 9), world.top, tools=("Bash", "Bash"), long=6),
        b'{"type":"user","message":{"content":"\\"usage\\" is a word"},"toolUseResult":{"usage":{"input_tokens":5}}}\n',
        line("m2", (1, 0, 0, 1), world.top, isApiErrorMessage=True),
        line("m3", (1, 0, 0, 1), world.top, model="<synthetic>"),
        line("m4", (2, 0, 0, 2), world.top, agentId="a1").replace(b'"timestamp"', b'"x"'),
        line("m5", (3, 0, 0, 2), world.top).replace(b'"output_tokens": 2', b'"output_tokens": "2"'),
        line("m6", (3, 0, 0, 2), world.top).replace(b"he said", b"he \xff said"),
        line("m7", (4, 0, 0, 2), world.top, tools=("Read",)).replace(b'"sessionId"', b'"session_id"'),
        b'{"usage": nothing\n',
        b'{"type":"progress","data":{"type":"agent_progress","agentId":"a2","message":'
        + line("m9", (6, 0, 0, 2), "/x").strip()
        + b"}}\n",
        b'{"within":{"type":"user"},' + line("m10", (7, 0, 0, 2), world.top)[1:],
        line("m8", (5, 0, 0, 2), "/elsewhere")[:-1],
    ]
    data = b"".join(lines)

    def found(read: Any) -> dict[str, ResponseUse]:
        fold = UsageFold(session="f")
        fold.add(read(data + b"\n", offset=0).records)
        return fold.responses

    reader = ClaudeCodeReader()
    assert found(reader.read) == found(reader.read_usage)
    assert 8 == len(found(reader.read))
    cut = reader.read_usage(data, offset=7)
    assert 7 + data.rfind(b"\n") + 1 == cut.offset


def test_restarts(world: World) -> None:
    """Given a session that read twice and then edited, what it used up to then is told."""
    from tests.recordings.sessions import Recorder

    story = Recorder(world.top).user("Make the tide ten").read("src/a.py", "a = 1\n").read("src/a.py", "a = 1\n")
    story.edit("src/a.py", "1", "10", original="a = 1\n").reply("Done.").read("src/a.py", "a = 10\n")
    story.save(world.home)
    found = restarts(world.by_person, KNOWN.prices, limit=5)
    (one,) = found.sessions
    assert (2, False, True) == (one.reads, one.given, one.tokens.total > 0)
    assert found.with_payload is None and found.without_payload is not None


def test_what_clew_itself_gave(world: World) -> None:
    """The ledger tells; without one nothing was given."""
    with world.desk() as at:
        data = {"client": "claude-code", "session": "s-1", "mark": "m", "tokens": 900, "source": "startup"}
        at.append([at.event("payload.given", data, task="", visibility="private")])
        at.append([at.event("payload.given", {**data, "mark": "n", "tokens": 100}, task="", visibility="private")])
    found = overhead(world.by_person)
    assert ((("startup", 2, 1000),), 1000, 1) == (found.given, found.given_tokens, found.sessions)
    with pytest.raises(NotFound):
        overhead(ProjectHandle(world.ports, world.home))


def test_prices_come_from_the_person_first(tmp_path: Path) -> None:
    """Then from what was refreshed; a list that is none changes nothing."""
    config = tmp_path / "config.toml"
    config.write_text('[prices."claude-x"]\ninput = 1\noutput = 2\n', encoding="utf-8")
    model = {"match": {"starts_with": "claude-"}, "prices": {"input_mtok": 5, "output_mtok": 6}}
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps([{"id": "anthropic", "models": [model] * 30}]), encoding="utf-8")
    refresh(tmp_path / "data", listed.as_uri())
    known = known_prices(own_prices(config), table_files(tmp_path / "data"))
    assert [1, 5] == [known.prices.of(name)[0].input for name in ("claude-x", "claude-y")]
    listed.write_text("[]", encoding="utf-8")
    with pytest.raises(Unavailable):
        refresh(tmp_path / "data", listed.as_uri())
    assert 5 == known_prices({}, table_files(tmp_path / "data")).prices.of("claude-y")[0].input
    config.write_text('[prices."claude-x"]\ninput = "much"\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        own_prices(config)
    assert "E-price-value" == caught.value.code
