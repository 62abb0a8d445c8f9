"""LangGraph's SqliteSaver, run by an interpreter that has it (`langgraph-checkpoint-sqlite`), or where FILE is the
address of a database its PostgresSaver (`langgraph-checkpoint-postgres`). Imports nothing of ours.

peer.py put FILE         for each line on stdin one checkpoint with one item, and how many seconds it took;
                         for the line "open again" a new connection instead
peer.py make FILE N      one checkpoint of a state with N items
peer.py restore FILE N   a new process reads that state
"""

from __future__ import annotations

import sqlite3
import sys
import time
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint

CONFIG = {"configurable": {"thread_id": "task", "checkpoint_ns": ""}}
_TEXT = "the rate limiter counts per user and not per address since the proxy hides them all"


def state(count: int) -> dict[str, list[dict[str, str]]]:
    """Items with a text and a reason, as ours."""
    items = [
        {"id": f"D-{number:016d}", "kind": "decision", "text": f"{_TEXT} {number}", "why": f"{number} {_TEXT}"}
        for number in range(count)
    ]
    return {"items": items}


def opened(file: str) -> Any:
    """As the saver's `from_conn_string` opens it."""
    if file.startswith("postgres"):
        import psycopg
        from langgraph.checkpoint.postgres import PostgresSaver
        from psycopg.rows import dict_row

        saver: Any = PostgresSaver(psycopg.connect(file, autocommit=True, prepare_threshold=0, row_factory=dict_row))
    else:
        from langgraph.checkpoint.sqlite import SqliteSaver

        saver = SqliteSaver(sqlite3.connect(file, check_same_thread=False))
    saver.setup()
    return saver


def put(saver: Any, values: dict[str, list[dict[str, str]]]) -> None:
    """Save one checkpoint of a state."""
    empty = empty_checkpoint()
    versions = {"items": empty["id"]}  # of a version that it has PostgresSaver would not write the values again
    checkpoint = {**empty, "channel_values": values, "channel_versions": versions}
    saver.put(CONFIG, checkpoint, {"source": "loop", "step": 1, "parents": {}}, versions)


def main() -> None:
    """Do what the command says."""
    what, file = sys.argv[1:3]
    saver = opened(file)
    if what == "put":
        for line in sys.stdin:
            if line.strip() == "open again":
                saver.conn.close()
                saver = opened(file)
                continue
            values = state(1)
            start = time.perf_counter()
            put(saver, values)
            print(time.perf_counter() - start, flush=True)
    elif what == "make":
        put(saver, state(int(sys.argv[3])))
    else:
        found = saver.get_tuple(CONFIG)
        assert found is not None
        assert len(found.checkpoint["channel_values"]["items"]) == int(sys.argv[3])
    saver.conn.close()


if __name__ == "__main__":
    main()
