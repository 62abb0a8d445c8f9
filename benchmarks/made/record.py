"""What made recordings are told with: each module of stories/ tells one session with these helpers and ends with its key.

A recording has the form the client writes (Claude Code 2.1 JSONL, Codex 0.169 rollout; others.py: OpenCode 1.18 export,
Gemini CLI 0.61 lines). All text is invented; ids and clock come from the name, so the output is the same on every run.
"""

import json
import random
import uuid
from datetime import datetime, timedelta, timezone

MATCHING = (
    'each item: "match" = list of alternatives; an alternative holds when ALL its substrings occur (case-insensitive) '
    "in the payload; item is recalled when ANY alternative holds. traps: a held match is a false statement in the payload"
)
NOTE = (
    "Written from reading the recording only. Texts are our own words; evidence = 1-based transcript lines. "
    "No later session was used: needed_by_n1 is what whoever goes on from here would need."
)


class Base:
    def __init__(self, name, cwd, branch, start, repo):
        self.name, self.cwd, self.branch, self.repo = name, cwd, branch, repo
        self.rnd = random.Random(name)
        self.now = datetime.fromisoformat(start).replace(tzinfo=timezone.utc)
        self.records, self.compactions, self.edited, self.texts = [], 0, [], []
        self.tokens = 18000
        self.files = {}

    def id(self):
        return str(uuid.UUID(int=self.rnd.getrandbits(128), version=4))

    def hex(self, n):
        return "".join(self.rnd.choice("0123456789abcdef") for _ in range(n))

    def tick(self, low=1.0, high=9.0):
        self.now += timedelta(seconds=self.rnd.uniform(low, high))
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def path(self, path):
        return path if path.startswith("/") else f"{self.cwd}/{path}"

    def note_edit(self, path):
        if path not in self.edited:
            self.edited.append(path)

    # What every story can do, in terms of `call`, `user` and `say`.
    def commit(self, message, files, plus=20, minus=3, sha=None, add=None):
        sha = sha or self.hex(7)
        head = message.splitlines()[0]
        out = f"[{self.branch} {sha}] {head}\n {len(files)} file{'s' if len(files) > 1 else ''} changed, {plus} insertions(+), {minus} deletions(-)"
        self.bash(f'git add {add or " ".join(files)} && git commit -m "{message}"', out, desc="Commit")
        return sha

    def text(self):
        """The file: one record a line."""
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records)

    def stamps(self):
        return [record["timestamp"] for record in self.records if "timestamp" in record]

    def close(self):
        """Nothing is left to write."""

    def find(self, probe):
        """Line of the first record that holds the probe, of the last one after "last:"."""
        last, probe = probe.startswith("last:"), probe.removeprefix("last:")
        probe = json.dumps(probe, ensure_ascii=False)[1:-1]
        numbered = list(enumerate(self.records, 1))
        for i, record in reversed(numbered) if last else numbered:
            if probe in json.dumps(record, ensure_ascii=False):
                return i
        raise SystemExit(f"{self.name}: evidence not found: {probe}")


class Claude(Base):
    format = "claude-code"

    def __init__(self, name, cwd, branch, start, repo, version="2.1.330", model="claude-sonnet-4-5"):
        super().__init__(name, cwd, branch, start, repo)
        self.version, self.model = version, model
        self.session_id, self.parent, self.prompt = self.id(), None, None
        self.turn_start, self.msg = None, None
        self.raw({"type": "permission-mode", "permissionMode": "acceptEdits", "sessionId": self.session_id})

    def raw(self, record):
        self.records.append(record)

    def envelope(self):
        return {
            "userType": "external",
            "entrypoint": "cli",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": self.branch,
        }

    def put(self, kind, low=1.0, high=9.0, **fields):
        uid = self.id()
        record = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "type": kind,
            **fields,
            "uuid": uid,
            "timestamp": self.tick(low, high),
            **self.envelope(),
        }
        self.raw(record)
        self.parent = uid
        return uid

    def end_turn(self):
        if self.turn_start:
            ms = int((self.now - self.turn_start).total_seconds() * 1000)
            self.put("system", 0.1, 0.5, subtype="turn_duration", durationMs=ms, isMeta=False)
            self.turn_start = None
            self.raw(
                {
                    "type": "last-prompt",
                    "lastPrompt": self.texts[-1][:200],
                    "leafUuid": self.parent,
                    "sessionId": self.session_id,
                }
            )

    def user(self, text, wait=(30, 400)):
        self.end_turn()
        self.prompt = self.id()
        self.texts.append(text)
        self.raw(
            {
                "type": "file-history-snapshot",
                "messageId": self.id(),
                "isSnapshotUpdate": False,
                "snapshot": {"messageId": self.prompt, "trackedFileBackups": {}, "timestamp": self.tick(*wait)},
            }
        )
        self.put(
            "user",
            0.1,
            0.4,
            promptId=self.prompt,
            message={"role": "user", "content": text},
            permissionMode="acceptEdits",
            promptSource="typed",
        )
        self.turn_start = self.now

    def queued(self, text):
        """The user types while the agent works; it is handed over when the turn is done."""
        self.raw(
            {
                "type": "queue-operation",
                "operation": "enqueue",
                "timestamp": self.tick(),
                "sessionId": self.session_id,
                "content": text,
            }
        )
        return text

    def dequeue(self, text):
        self.end_turn()
        self.raw(
            {
                "type": "queue-operation",
                "operation": "dequeue",
                "timestamp": self.tick(0.1, 0.3),
                "sessionId": self.session_id,
            }
        )
        self.user(text, wait=(0.1, 0.3))

    def assistant(self, block, stop="tool_use", new=True):
        self.tokens += len(json.dumps(block)) // 4
        if new or not self.msg:
            self.msg = f"msg_01{self.hex(22)}"
        self.put(
            "assistant",
            2,
            14,
            message={
                "model": self.model,
                "id": self.msg,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {
                    "input_tokens": 3,
                    "cache_creation_input_tokens": 900,
                    "cache_read_input_tokens": self.tokens,
                    "output_tokens": len(json.dumps(block)) // 4,
                    "service_tier": "standard",
                },
            },
            requestId=f"req_01{self.hex(20)}",
        )

    def say(self, text, end=False):
        self.assistant({"type": "text", "text": text}, "end_turn" if end else "tool_use")

    def think(self, text):
        self.assistant({"type": "thinking", "thinking": text, "signature": self.hex(64)})

    def call(self, name, args, result, extra=None, error=False, low=0.3, high=6.0):
        tid = f"toolu_01{self.hex(22)}"
        said = self.records[-1].get("type") == "assistant"
        self.assistant({"type": "tool_use", "id": tid, "name": name, "input": args}, new=not said)
        source = self.parent
        if result is None:
            return
        self.tokens += len(result) // 4
        block = {"tool_use_id": tid, "type": "tool_result", "content": result}
        if error or name == "Bash":
            block["is_error"] = error
        self.put(
            "user",
            low,
            high,
            promptId=self.prompt,
            message={"role": "user", "content": [block]},
            toolUseResult=extra if extra is not None else result,
            sourceToolAssistantUUID=source,
        )

    def bash(self, cmd, out="", exit=0, desc=None, secs=None, background=None):
        args = {"command": cmd, "description": desc or "Run command"}
        if background:
            args["run_in_background"] = True
            note = f"Command running in background with ID: {background}. Output is being written to: /tmp/claude-1000/tasks/{background}.output"
            self.call(
                "Bash",
                args,
                note,
                {"stdout": "", "stderr": "", "interrupted": False, "isImage": False, "backgroundTaskId": background},
            )
            return
        low, high = (secs, secs + 1) if secs else (0.3, 6.0)
        if out is None:
            self.call("Bash", args, None)
        elif exit:
            text = f"Exit code {exit}\n{out}".rstrip()
            self.call("Bash", args, text, f"Error: {text}", True, low, high)
        else:
            shown = out or "(Bash completed with no output)"
            self.call(
                "Bash",
                args,
                shown,
                {"stdout": out, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False},
                False,
                low,
                high,
            )

    def notify(self, task, cmd, summary):
        """A background command has ended: the client submits this by itself."""
        self.end_turn()
        text = (
            f"<task-notification>\n<task-id>{task}</task-id>\n<output-file>/tmp/claude-1000/tasks/{task}.output</output-file>\n"
            f'<status>{"failed" if "failed" in summary else "completed"}</status>\n<summary>Background command "{cmd}" {summary}</summary>\n</task-notification>'
        )
        self.prompt = self.id()
        self.put(
            "user",
            60,
            300,
            promptId=self.prompt,
            message={"role": "user", "content": text},
            promptSource="task-notification",
        )
        self.turn_start = self.now

    def poll(self, task, out, status="running"):
        """A look at a background command."""
        text = f"<retrieval_status>success</retrieval_status>\n\n<task_id>{task}</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>{status}</status>\n\n<output>\n{out}\n</output>"
        self.call("TaskOutput", {"task_id": task, "block": False, "timeout": 5000}, text)

    def agent(self, task, prompt, answer):
        """A sub-agent's errand: its own record is not part of this one."""
        extra = {"status": "completed", "prompt": prompt, "agentId": self.hex(7), "totalToolUseCount": 11}
        extra["content"] = [{"type": "text", "text": answer}]
        self.call(
            "Agent", {"description": task, "prompt": prompt, "subagent_type": "Explore"}, answer, extra, False, 40, 120
        )

    def command(self, name, args="", out=""):
        """A slash command that the user typed."""
        self.user(
            f"<command-name>/{name}</command-name>\n<command-message>{name}</command-message>\n<command-args>{args}</command-args>"
        )
        if out:
            text = f"<local-command-stdout>{out}</local-command-stdout>"
            self.put("user", 0.1, 0.2, promptId=self.prompt, message={"role": "user", "content": text})

    def pr_link(self, number):
        url = f"https://github.com/{self.repo}/pull/{number}"
        self.raw(
            {
                "type": "pr-link",
                "sessionId": self.session_id,
                "prNumber": number,
                "prUrl": url,
                "prRepository": self.repo,
                "timestamp": self.tick(0.1, 0.2),
            }
        )

    def read(self, path, text):
        lines = text.splitlines()
        shown = "\n".join(f"{i}\t{line}" for i, line in enumerate(lines, 1))
        self.call(
            "Read",
            {"file_path": self.path(path)},
            shown,
            {
                "type": "text",
                "file": {
                    "filePath": self.path(path),
                    "content": text,
                    "numLines": len(lines),
                    "startLine": 1,
                    "totalLines": len(lines),
                },
            },
        )

    def grep(self, pattern, out, path=None):
        self.call(
            "Grep",
            {"pattern": pattern, "output_mode": "content", "-n": True, **({"path": self.path(path)} if path else {})},
            out or "No matches found",
            {"mode": "content", "numFiles": 0, "filenames": [], "content": out, "numLines": out.count("\n") + 1},
        )

    def edit(self, path, old, new):
        self.note_edit(path)
        self.call(
            "Edit",
            {"file_path": self.path(path), "old_string": old, "new_string": new, "replace_all": False},
            f"The file {self.path(path)} has been updated successfully. (file state is current in your context — no need to Read it back)",
            {
                "filePath": self.path(path),
                "oldString": old,
                "newString": new,
                "originalFile": None,
                "userModified": False,
                "replaceAll": False,
                "structuredPatch": [
                    {
                        "oldStart": 10,
                        "oldLines": old.count("\n") + 1,
                        "newStart": 10,
                        "newLines": new.count("\n") + 1,
                        "lines": ["-" + x for x in old.splitlines()] + ["+" + x for x in new.splitlines()],
                    }
                ],
            },
        )

    def write(self, path, text):
        self.note_edit(path)
        self.call(
            "Write",
            {"file_path": self.path(path), "content": text},
            f"File created successfully at: {self.path(path)}",
            {"type": "create", "filePath": self.path(path), "content": text, "structuredPatch": []},
        )

    def plan(self, text, rejected=None):
        if rejected:
            note = (
                "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written "
                f"to the file). To tell you how to proceed, the user said:\n{rejected}"
            )
            self.call("ExitPlanMode", {"plan": text}, note, f"Error: {note}", True, 40, 90)
        else:
            note = (
                "User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\n"
                f"Your plan has been saved to: /home/dev/.claude/plans/{self.name}.md\n\n## Approved Plan:\n{text}"
            )
            self.call("ExitPlanMode", {"plan": text}, note, {"plan": text, "isAgent": False}, False, 40, 90)

    def reject(self, name, args, said):
        note = (
            "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written "
            f"to the file). To tell you how to proceed, the user said:\n{said}"
        )
        self.call(name, args, note, f"Error: {note}", True, 20, 60)

    def ask(self, *questions):
        """Each question: (text, header, [(label, description)...], answer)."""
        args = {
            "questions": [
                {
                    "question": q,
                    "header": h,
                    "options": [{"label": a, "description": b} for a, b in o],
                    "multiSelect": False,
                }
                for q, h, o, _ in questions
            ]
        }
        answers = {q: a for q, _, _, a in questions}
        said = ", ".join(f'"{q}"="{a}"' for q, a in answers.items())
        self.call(
            "AskUserQuestion",
            args,
            f"User has answered your questions: {said}. You can now continue with the user's answers in mind.",
            {"questions": args["questions"], "answers": answers},
            False,
            30,
            120,
        )

    def todo(self, *items):
        todos = [{"content": c, "status": st, "activeForm": c} for c, st in items]
        self.call(
            "TodoWrite",
            {"todos": todos},
            "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable",
            {"oldTodos": [], "newTodos": todos},
        )

    def compact(self, summary, trigger="auto"):
        self.compactions += 1
        before, old = self.tokens, self.parent
        self.parent = None
        self.put(
            "system",
            20,
            60,
            subtype="compact_boundary",
            content="Conversation compacted",
            level="info",
            logicalParentUuid=old,
            compactMetadata={"trigger": trigger, "preTokens": before + 120000, "postTokens": 6200},
        )
        self.tokens = 12000
        self.put(
            "user",
            0.1,
            0.2,
            promptId=self.prompt,
            isVisibleInTranscriptOnly=True,
            isCompactSummary=True,
            message={
                "role": "user",
                "content": "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the "
                f"conversation.\n\nSummary:\n{summary}\n\nContinue the conversation from where it left off without asking the user any further questions. "
                "Resume directly.",
            },
        )

    def interrupt(self):
        self.put(
            "user",
            1,
            5,
            promptId=self.prompt,
            message={"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]},
        )

    def close(self):
        """A turn that was cut off has no end."""
        if self.records[-1].get("type") == "assistant" and self.records[-1]["message"]["content"][0]["type"] == "text":
            self.end_turn()


class Codex(Base):
    format = "codex"

    def __init__(self, name, cwd, branch, start, repo, version="0.169.0", model="gpt-5-codex"):
        super().__init__(name, cwd, branch, start, repo)
        self.session_id, self.turn, self.model = self.id(), None, model
        self.seq, self.last = 0, ""
        self.event_raw(
            "session_meta",
            {
                "session_id": self.session_id,
                "id": self.session_id,
                "timestamp": self.tick(),
                "cwd": cwd,
                "originator": "codex_cli_rs",
                "cli_version": version,
                "source": "cli",
                "model_provider": "openai",
                "base_instructions": {
                    "text": "You are a coding agent running in the Codex CLI, a terminal-based coding assistant.…[20451 chars trimmed]"
                },
                "git": {"commit_hash": self.hex(40), "branch": branch},
            },
        )
        self.first = True

    def event_raw(self, kind, payload, low=0.0, high=0.05):
        self.records.append(
            {"timestamp": self.tick(low, high), "ordinal": len(self.records), "type": kind, "payload": payload}
        )

    def event(self, kind, **fields):
        self.event_raw("event_msg", {"type": kind, **fields})

    def item(self, kind, low=0.0, high=0.05, **fields):
        self.seq += 1
        self.records.append(
            {
                "timestamp": self.tick(low, high),
                "ordinal": len(self.records),
                "type": "response_item",
                "payload": {
                    "type": kind,
                    **fields,
                    "internal_chat_message_metadata_passthrough": {"turn_id": self.turn},
                },
                "metadata": {"history_sequence": self.seq, "client_authored": False},
            }
        )

    def done(self, item):
        ms = int(self.now.timestamp() * 1000)
        self.event(
            "item_completed",
            thread_id=self.session_id,
            turn_id=self.turn,
            item=item,
            started_at_ms=ms,
            completed_at_ms=ms,
        )

    def end_turn(self):
        if self.turn:
            self.event(
                "task_complete",
                turn_id=self.turn,
                last_agent_message=self.last,
                completed_at=int(self.now.timestamp()),
                duration_ms=int((self.now - self.began).total_seconds() * 1000),
            )
            self.turn = None

    def user(self, text, wait=(30, 400)):
        self.end_turn()
        self.tick(*wait)
        self.turn, self.began = self.id(), self.now
        self.texts.append(text)
        self.event(
            "task_started",
            turn_id=self.turn,
            started_at=int(self.now.timestamp()),
            model_context_window=258400,
            collaboration_mode_kind="default",
        )
        if self.first:
            self.item(
                "message",
                id=f"msg_{self.id()}",
                role="developer",
                content=[
                    {
                        "type": "input_text",
                        "text": "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is `workspace-write`. Network access is restricted.\nApproval policy is currently on-request.\n</permissions instructions>",
                    }
                ],
            )
            self.item(
                "message",
                id=f"msg_{self.id()}",
                role="user",
                content=[
                    {
                        "type": "input_text",
                        "text": f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>bash</shell>\n  <current_date>{self.now.date()}</current_date>\n  <timezone>Europe/Berlin</timezone>\n</environment_context>",
                    }
                ],
            )
            self.first = False
        self.event_raw(
            "turn_context",
            {
                "turn_id": self.turn,
                "cwd": self.cwd,
                "approval_policy": "on-request",
                "model": self.model,
                "summary": "none",
                "sandbox_policy": {"type": "workspace-write", "network_access": False},
            },
        )
        self.item("message", id=f"msg_{self.id()}", role="user", content=[{"type": "input_text", "text": text}])
        self.done(
            {"type": "UserMessage", "id": self.id(), "content": [{"type": "text", "text": text, "text_elements": []}]}
        )

    def say(self, text, end=False):
        mid = f"msg_{self.hex(20)}"
        self.tick(2, 14)
        self.done({"type": "AgentMessage", "id": mid, "content": [{"type": "Text", "text": text}]})
        self.item(
            "message",
            status="completed",
            id=mid,
            role="assistant",
            content=[{"type": "output_text", "text": text, "annotations": []}],
        )
        self.last = text

    def think(self, text):
        self.item("reasoning", 1, 6, summary=[{"type": "summary_text", "text": text}], content=None)

    def usage(self, out):
        self.tokens += out + 300
        use = {
            "input_tokens": self.tokens,
            "cached_input_tokens": self.tokens - 500,
            "output_tokens": out,
            "reasoning_output_tokens": 0,
            "total_tokens": self.tokens + out,
        }
        self.event(
            "token_count",
            info={"total_token_usage": use, "last_token_usage": use, "model_context_window": 258400},
            rate_limits=None,
        )

    def function(self, name, args):
        cid = f"call_{self.hex(20)}"
        self.item(
            "function_call",
            2,
            9,
            status="completed",
            id=f"fc_{self.hex(20)}",
            name=name,
            arguments=json.dumps(args, ensure_ascii=False),
            call_id=cid,
        )
        return cid

    def output(self, cid, text):
        self.item("function_call_output", id=f"fco_{self.id()}", call_id=cid, output=text)

    def executed(self, cid, cmd, out, exit, wall, process=None):
        self.tokens += len(out) // 4
        self.done(
            {
                "type": "CommandExecution",
                "id": cid,
                "process_id": str(process or self.rnd.randint(20000, 90000)),
                "command": ["/bin/bash", "-lc", cmd],
                "cwd": f"file://{self.cwd}",
                "parsed_cmd": [{"type": "unknown", "cmd": cmd}],
                "source": "unified_exec_startup",
                "status": "failed" if exit else "completed",
                "aggregated_output": out + "\n" if out else "",
                "exit_code": exit,
                "duration": {"secs": int(wall), "nanos": 8202},
            }
        )

    def start(self, cmd, out=""):
        """A command that outlives its answer: what `poll` asks about."""
        cid, process = (
            self.function("exec_command", {"cmd": cmd, "yield_time_ms": 1000}),
            self.rnd.randint(20000, 90000),
        )
        self.output(
            cid,
            f"Chunk ID: {self.hex(6)}\nWall time: 1.0000 seconds\nProcess running with session ID {process}\nOriginal token count: {len(out) // 4}\nOutput:\n{out}\n",
        )
        return cid, cmd, process, out

    def poll(self, started, out, exit=None, secs=30):
        """What it printed since, and how it ended, if it did."""
        cid, cmd, process, before = started
        look = self.function("write_stdin", {"session_id": process, "chars": "", "yield_time_ms": secs * 1000})
        self.tick(secs, secs + 1)
        if exit is not None:
            self.executed(cid, cmd, f"{before}\n{out}".strip(), exit, secs, process)
        state = f"running with session ID {process}" if exit is None else f"exited with code {exit}"
        self.output(
            look,
            f"Chunk ID: {self.hex(6)}\nWall time: {secs}.0000 seconds\nProcess {state}\nOriginal token count: {len(out) // 4}\nOutput:\n{out}\n",
        )
        return cid, cmd, process, f"{before}\n{out}".strip()

    def refuse(self, cmd):
        self.output(self.function("exec_command", {"cmd": cmd}), "exec command rejected by user")

    def bash(self, cmd, out="", exit=0, desc=None, secs=None, background=None):
        cid = self.function("exec_command", {"cmd": cmd})
        if out is None:
            return
        wall = secs or self.rnd.uniform(0.05, 4)
        self.tick(wall, wall + 0.2)
        self.executed(cid, cmd, out, exit, wall)
        self.item(
            "function_call_output",
            id=f"fco_{self.id()}",
            call_id=cid,
            output=f"Chunk ID: {self.hex(6)}\nWall time: {wall:.4f} seconds\nProcess exited with code {exit}\nOriginal token count: {len(out) // 4}\nOutput:\n{out}\n",
        )
        self.usage(40)

    def read(self, path, text):
        self.bash(f"sed -n '1,260p' {path}", text)

    def grep(self, pattern, out, path=None):
        self.bash(f'rg -n "{pattern}" {path or "."}', out, 0 if out else 1)

    def patch(self, path, body, mark):
        self.note_edit(path)
        cid = f"call_{self.hex(20)}"
        self.item(
            "custom_tool_call",
            3,
            12,
            status="completed",
            id=f"ctc_{self.hex(20)}",
            call_id=cid,
            name="apply_patch",
            input=f"*** Begin Patch\n{body}\n*** End Patch",
        )
        out = f"Success. Updated the following files:\n{mark} {path}\n"
        self.event(
            "patch_apply_end",
            call_id=cid,
            turn_id=self.turn,
            stdout=out,
            stderr="",
            success=True,
            changes={self.path(path): {"type": "add" if mark == "A" else "update", "unified_diff": body}},
        )
        self.item(
            "custom_tool_call_output",
            call_id=cid,
            output=json.dumps({"output": out, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
        )
        self.usage(len(body) // 4)

    def edit(self, path, old, new):
        body = "\n".join(
            [f"*** Update File: {path}", "@@"]
            + ["-" + x for x in old.splitlines()]
            + ["+" + x for x in new.splitlines()]
        )
        self.patch(path, body, "M")

    def write(self, path, text):
        self.patch(path, "\n".join([f"*** Add File: {path}"] + ["+" + x for x in text.splitlines()]), "A")

    def update_plan(self, *items, explanation=""):
        cid = f"call_{self.hex(20)}"
        self.item(
            "function_call",
            2,
            6,
            status="completed",
            id=f"fc_{self.hex(20)}",
            name="update_plan",
            call_id=cid,
            arguments=json.dumps({"explanation": explanation, "plan": [{"step": a, "status": b} for a, b in items]}),
        )
        self.item("function_call_output", call_id=cid, output="Plan updated")

    def compact(self, summary):
        self.compactions += 1
        pre = (
            "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the "
            "tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the "
            "summary produced by the other language model, use the information in this summary to assist with your own analysis:\n"
        )
        history = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": t}]} for t in self.texts
        ]
        history.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": pre + summary}]})
        self.event_raw("compacted", {"message": pre + summary, "replacement_history": history}, 20, 60)
        self.done({"type": "ContextCompaction", "id": self.id()})

    def abort(self):
        self.event(
            "turn_aborted",
            turn_id=self.turn,
            reason="interrupted",
            completed_at=int(self.now.timestamp()),
            duration_ms=41000,
        )
        self.turn = None

    def close(self):
        self.end_turn()


class CodexScripts(Codex):
    """The newest models': one tool, `functions.exec`, whose scripts call the others; their calls stand in events."""

    def __init__(self, *args, model="gpt-6.1-sol", **more):
        super().__init__(*args, model=model, **more)

    def script(self, source, text, wall=0.4):
        """The script itself; `text` gives what it printed, worked out between call and answer."""
        cid = f"call_{self.hex(20)}"
        self.item(
            "custom_tool_call",
            2,
            9,
            id=f"fc_{self.hex(20)}",
            call_id=cid,
            name="exec",
            namespace="functions",
            input=source,
        )
        printed = text()
        if printed is None:
            return
        out = [{"type": "input_text", "text": f"Script completed\nWall time {wall:.1f} seconds\nOutput:\n"}]
        out.append({"type": "input_text", "text": printed})
        self.item("custom_tool_call_output", id=f"ctco_{self.id()}", call_id=cid, output=out)
        self.usage(60)

    def many(self, *runs):
        """Several commands in one script, each (command, output, exit code?)."""
        calls = ", ".join(f"tools.exec_command({{cmd: {json.dumps(run[0])}}})" for run in runs)

        def text():
            given = []
            for cmd, out, *code in runs:
                wall = self.rnd.uniform(0.05, 4)
                self.tick(wall, wall + 0.2)
                self.executed(f"exec-{self.id()}", cmd, out, code[0] if code else 0, wall)
                given.append({"chunk_id": self.hex(6), "wall_time_seconds": wall, "exit_code": code[0] if code else 0})
                given[-1]["output"] = out + "\n"
            return json.dumps(given if len(given) > 1 else given[0], ensure_ascii=False)

        self.script(f"const r = await Promise.all([{calls}]);\ntext(r.length > 1 ? r : r[0]);", text)

    def bash(self, cmd, out="", exit=0, desc=None, secs=None, background=None):
        if out is None:
            self.script(f"text(await tools.exec_command({{cmd: {json.dumps(cmd)}}}));", lambda: None)
        else:
            self.many((cmd, out, exit))

    def start(self, cmd, out=""):
        cid, process = f"exec-{self.id()}", self.rnd.randint(20000, 90000)
        given = {"chunk_id": self.hex(6), "wall_time_seconds": 1.0, "session_id": process, "output": out}
        source = f"text(await tools.exec_command({{cmd: {json.dumps(cmd)}, yield_time_ms: 1000}}));"
        self.script(source, lambda: json.dumps(given, ensure_ascii=False), 1.0)
        return cid, cmd, process, out

    def poll(self, started, out, exit=None, secs=30):
        cid, cmd, process, before = started
        given = {"chunk_id": self.hex(6), "wall_time_seconds": secs}
        given |= {"session_id": process} if exit is None else {"exit_code": exit}

        def text():
            self.tick(secs, secs + 1)
            if exit is not None:
                self.executed(cid, cmd, f"{before}\n{out}".strip(), exit, secs, process)
            return json.dumps({**given, "output": out}, ensure_ascii=False)

        call = f"tools.write_stdin({{session_id: {process}, chars: '', yield_time_ms: {secs * 1000}}})"
        self.script(f"text(await {call});", text, secs)
        return cid, cmd, process, f"{before}\n{out}".strip()

    def patch(self, path, body, mark):
        self.note_edit(path)
        patch = f"*** Begin Patch\n{body}\n*** End Patch"
        lines = body.splitlines()[1:]
        content = "\n".join(line[1:] for line in lines) + "\n"
        change = (
            {"type": "add", "content": content} if mark == "A" else {"type": "update", "unified_diff": "\n".join(lines)}
        )

        def text():
            out = f"Success. Updated the following files:\n{mark} {path}\n"
            item = {"type": "FileChange", "id": f"exec-{self.id()}", "changes": {self.path(path): change}}
            self.done({**item, "status": "completed", "stdout": out, "stderr": ""})
            return "{}"

        self.script(f"text(await tools.apply_patch({json.dumps(patch, ensure_ascii=False)}));", text)

    def update_plan(self, *items, explanation=""):
        plan = {"explanation": explanation, "plan": [{"step": a, "status": b} for a, b in items]}
        self.script(f"text(await tools.update_plan({json.dumps(plan, ensure_ascii=False)}));", lambda: "{}")


# ---- noise: long outputs such as tools give ----


def pytest_out(
    tests, failed=(), secs="4.31", head="platform linux -- Python 3.12.4, pytest-8.2.2, pluggy-1.5.0", detail=""
):
    """tests: {file: [names]}; failed: names."""
    flat = [(f, n) for f, ns in tests.items() for n in ns]
    assert not set(failed) - {n for _, n in flat}, failed
    out = [
        "=" * 29 + " test session starts " + "=" * 29,
        head,
        "rootdir: /home/dev",
        f"collected {len(flat)} items",
        "",
    ]
    for i, (f, n) in enumerate(flat, 1):
        out.append(f"{f}::{n} {'FAILED' if n in failed else 'PASSED'}".ljust(72) + f"[{100 * i // len(flat):3d}%]")
    if failed:
        out += ["", "=" * 35 + " FAILURES " + "=" * 35, detail, "=" * 27 + " short test summary info " + "=" * 27]
        out += [f"FAILED {f}::{n}" for f, n in flat if n in failed]
    counts = (f"{len(failed)} failed, " if failed else "") + f"{len(flat) - len(failed)} passed"
    return "\n".join(out + ["=" * 20 + f" {counts} in {secs}s " + "=" * 20])


def names(prefix, parts, n):
    """n test names made of parts."""
    out, i = [], 0
    while len(out) < n:
        a, b = parts[i % len(parts)], parts[(i // len(parts) + i + 1) % len(parts)]
        name = f"{prefix}{a}_{b}" if a != b else f"{prefix}{a}"
        out.append(name if name not in out else f"{name}_{i}")
        i += 1
    return out


def go_out(pkg, tests, failed=(), secs="1.204", detail=""):
    assert not set(failed) - set(tests), (failed, tests)
    out = []
    for t in tests:
        out += (
            [f"=== RUN   {t}"]
            + ([detail] if t in failed and detail else [])
            + [f"--- {'FAIL' if t in failed else 'PASS'}: {t} (0.0{len(t) % 9}s)"]
        )
    return "\n".join(out + (["FAIL", f"FAIL\t{pkg}\t{secs}s", "FAIL"] if failed else ["PASS", f"ok  \t{pkg}\t{secs}s"]))


def listing(rows):
    return "\n".join(rows)


def log(pattern, words, n, seed):
    """n lines such as tools print, all of one pattern with {a}, {b} (words), {i} (running number) and {n} (any number)."""
    rnd = random.Random(seed)
    return "\n".join(
        pattern.format(a=rnd.choice(words), b=rnd.choice(words), i=i, n=rnd.randint(2, 900)) for i in range(1, n + 1)
    )


def filler(kind, words, n, seed):
    """n lines of plausible source, for reads that are only noise."""
    rnd, out = random.Random(seed), []
    while len(out) < n:
        a, b, c = (rnd.choice(words) for _ in range(3))
        if kind == "py":
            out += [
                f"def {a}_{b}({c}, *, limit=None):",
                f'    """Return the {a} of one {c}, {b} first."""',
                f"    rows = [r for r in {c}.{b}s if r.{a}]",
                "    if limit is not None:",
                "        rows = rows[:limit]",
                f"    return sorted(rows, key=lambda r: r.{b})",
                "",
                "",
            ]
        elif kind == "go":
            out += [
                f"// {a}{b.title()} gives the {b} of c.",
                f"func (s *Store) {a}{b.title()}(ctx context.Context, c *{c.title()}) ({b.title()}, error) {{",
                f"\tif c == nil {{",
                f"\t\treturn {b.title()}{{}}, errNo{c.title()}",
                "\t}",
                f"\tv, err := s.load{b.title()}(ctx, c.ID)",
                "\tif err != nil {",
                f'\t\treturn {b.title()}{{}}, fmt.Errorf("{a} {b}: %w", err)',
                "\t}",
                "\treturn v, nil",
                "}",
                "",
            ]
        elif kind == "ts":
            out += [
                f"export function {a}{b.title()}({c}: {c.title()}, opts: Options = {{}}): {b.title()}[] {{",
                f"  const rows = {c}.{b}s.filter((r) => r.{a} !== undefined);",
                "  if (opts.limit !== undefined) {",
                "    return rows.slice(0, opts.limit);",
                "  }",
                f"  return rows.map((r) => ({{ ...r, {a}: normalise(r.{a}) }}));",
                "}",
                "",
            ]
        elif kind == "rs":
            out += [
                f"    pub fn {a}_{b}(&self, {c}: &{c.title()}) -> Result<{b.title()}, Error> {{",
                f"        let found = self.{b}s.iter().find(|x| x.id == {c}.id);",
                "        match found {",
                f"            Some(x) => Ok(x.{a}()),",
                f"            None => Err(Error::No{b.title()}({c}.id)),",
                "        }",
                "    }",
                "",
            ]
        elif kind == "ex":
            out += [
                f"  def {a}_{b}(%{c.title()}{{}} = {c}, opts \\\\ []) do",
                f"    {c}",
                f"    |> Map.get(:{b}s, [])",
                f"    |> Enum.filter(& &1.{a})",
                "    |> Enum.take(Keyword.get(opts, :limit, 100))",
                "  end",
                "",
            ]
    return "\n".join(out[:n])


LOOKS = (
    "Let me see how `{a}_{b}` is used.",
    "Now who calls that.",
    "I want to know whether {a} has a test for this before I change anything.",
    "Nothing surprising here: {a} hands over to {b}.",
    "That file is longer than I thought; the part about {a} stands near its end.",
    "So {a} is read in two places and written in one.",
    "The name is misleading, this is about {b} and not about {a}.",
    "There's an older helper for {a}. It isn't used any more as far as I see.",
    "One more look, at how {b} is made.",
    "OK, that matches what I expected of {a}.",
    "I check the configuration as well, in case {b} is switched off somewhere.",
    "This explains the odd default of {a}.",
)


def explore(s, words, n, kind, suffix, folder="src"):
    """n looks around such as agents take before they know what matters: some words, then a file or a search."""
    for _ in range(n):
        a, b = s.rnd.sample(words, 2)
        if s.rnd.random() < 0.6:
            s.say(s.rnd.choice(LOOKS).format(a=a.lower(), b=b.lower()))
        path = f"{folder}/{a.lower()}/{b.lower()}.{suffix}"
        if s.rnd.random() < 0.5:
            s.read(path, filler(kind, words, s.rnd.randint(24, 60), s.rnd.random()))
        else:
            s.grep(
                f"{a}.*{b}",
                log(
                    f"{folder}/{{a}}/{{b}}.{suffix}:{{n}}: {{b}}({{a}}, {{i}})",
                    words,
                    s.rnd.randint(3, 14),
                    s.rnd.random(),
                ),
            )


# ---- keys ----


def facts(s, prefix, items, **more):
    """Each item: (text, evidence probes, alternatives, {further fields}?)."""
    out = []
    for i, item in enumerate(items, 1):
        text, probes, match = item[:3]
        fact = {"id": f"{prefix}{i}", "text": text}
        if probes:
            fact["evidence"] = [{"line": s.find(p)} for p in ([probes] if isinstance(probes, str) else probes)]
        fact["match"] = [[m] if isinstance(m, str) else list(m) for m in match]
        fact.update(more)
        if len(item) > 3:
            fact.update(item[3])
        out.append(fact)
    return out


def key_of(s, k):
    one = lambda prefix, item: {**facts(s, prefix, [item])[0], "id": prefix}
    stamps = s.stamps()
    return {
        "key_version": 1,
        "pair_id": s.name,
        "note": NOTE,
        "matching": MATCHING,
        "session_n": {
            "file": f"made/{s.name}.jsonl",
            "repo": s.repo,
            "session_id": s.session_id,
            "format": s.format,
            "chain": s.name,
            "order": 1,
            "first": min(stamps),
            "last": max(stamps),
            "records": len(s.records),
            "compactions": s.compactions,
        },
        "session_n1": None,
        "end_state": k["end_state"],
        "goal": one("g", k["goal"]),
        "decisions": facts(s, "d", k.get("decisions", ()), status="done", by="agent"),
        "failed_approaches": facts(s, "f", k.get("failed", ())),
        "user_constraints": facts(s, "c", k.get("constraints", ()), by="user"),
        "files_edited": s.edited,
        "validation": [{"command": c, "line": s.find(p), "result": r} for c, p, r in k.get("checks", ())],
        "open_items": facts(s, "o", k.get("open", ())),
        "next_step": one("n", k["next"]),
        "needed_by_n1": facts(s, "w", k.get("needed", ())),
        "traps": facts(s, "t", k.get("traps", ())),
    }
