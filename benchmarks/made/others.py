"""What made recordings of OpenCode (1.18: what `opencode export` prints) and of Gemini CLI (0.61: lines) are told with."""

import hashlib
import json

from benchmarks.made.record import Base


class OpenCode(Base):
    """One message a line, so that evidence has a line: the file as a whole is the JSON that the client exports."""

    format = "opencode"

    def __init__(self, name, cwd, branch, start, repo, model="claude-sonnet-4-5"):
        super().__init__(name, cwd, branch, start, repo)
        self.model, self.session_id, self.asked = model, f"ses_{self.hex(26)}", ""
        self.info = {"id": self.session_id, "slug": "brisk-otter", "directory": cwd, "path": "", "title": name}
        self.info |= {"agent": "build", "version": "1.18.33", "time": {"created": self.ms(), "updated": 0}}
        self.records.append({"info": self.info})
        self.open = None

    def ms(self, low=0.0, high=0.05):
        self.tick(low, high)
        return int(self.now.timestamp() * 1000)

    def part(self, message, **fields):
        ids = {"id": f"prt_{len(self.records):04d}{len(message['parts']):03d}{self.hex(16)}"}
        message["parts"].append({**fields, **ids, "sessionID": self.session_id, "messageID": message["info"]["id"]})

    def message(self, role, low=0.0, high=0.05, **fields):
        self.finish()
        info = {"role": role, "time": {"created": self.ms(low, high)}, "agent": "build", **fields}
        info |= {"id": f"msg_{len(self.records):04d}{self.hex(20)}", "sessionID": self.session_id}
        self.records.append({"info": info, "parts": []})
        return self.records[-1]

    def user(self, text, wait=(30, 400)):
        said = self.message(
            "user", *wait, model={"providerID": "anthropic", "modelID": self.model}, summary={"diffs": []}
        )
        self.part(said, type="text", text=text)
        self.asked = said["info"]["id"]
        self.texts.append(text)

    def answer(self, **fields):
        """The answer that is being written: a new one after each that has ended."""
        if self.open is None:
            path = {"cwd": self.cwd, "root": self.cwd}
            more = {"parentID": self.asked, "mode": "build", "path": path, "cost": 0, "modelID": self.model}
            message = self.message("assistant", 2, 9, **{**more, "providerID": "anthropic", **fields})
            self.open = message
            self.part(message, type="step-start", snapshot=self.hex(40))
        return self.open

    def finish(self, reason="stop"):
        if self.open is not None:
            message, self.open = self.open, None
            use = {"total": self.tokens + 220, "input": 900, "output": 220, "reasoning": 0}
            use["cache"] = {"read": self.tokens - 900, "write": 0}
            message["info"] |= {"tokens": use, "finish": reason}
            message["info"]["time"]["completed"] = self.ms()
            self.part(message, type="step-finish", reason=reason, snapshot=self.hex(40), tokens=use, cost=0)

    def say(self, text, end=False):
        message, now = self.answer(), self.ms(2, 12)
        self.part(message, type="text", text=text, time={"start": now - 900, "end": now})
        if end:
            self.finish()

    def tool(self, name, given, out, error=False, low=0.2, high=5.0, **metadata):
        """A call with its result; an error's words are what the client keeps instead of output."""
        message, began = self.answer(), self.ms(1, 6)
        state = {"status": "running", "input": given, "metadata": {"output": ""}, "time": {"start": began}}
        if out is not None:
            self.tokens += len(out) // 4
            done = (
                {"error": out}
                if error
                else {"output": out, "metadata": metadata, "title": str(next(iter(given.values())))[:60]}
            )
            state = {"status": "error" if error else "completed", "input": given, **done}
            state["time"] = {"start": began, "end": self.ms(low, high)}
        self.part(message, type="tool", tool=name, callID=f"call_{self.hex(20)}", state=state)
        if out is None:
            self.open = None
        else:
            self.finish("tool-calls")

    def bash(self, cmd, out="", exit=0, desc=None, secs=None, background=None):
        given = {"command": cmd, "description": desc or "Run command"}
        low, high = (secs, secs + 1) if secs else (0.2, 5.0)
        self.tool("bash", given, out if out is None else out + "\n", False, low, high, output=out, exit=exit)

    def reject(self, name, given, said):
        text = "The user rejected permission to use this specific tool call."
        if said:
            text += f" User provided the following feedback: {said}"
        self.tool(name, given, text, True, 20, 60)

    def read(self, path, text):
        lines = text.splitlines()
        shown = "\n".join(f"{i}: {line}" for i, line in enumerate(lines, 1))
        where = self.path(path)
        out = f"<path>{where}</path>\n<type>file</type>\n<content>\n{shown}\n\n(End of file - total {len(lines)} lines)\n</content>"
        self.tool("read", {"filePath": where}, out, preview=text[:200], truncated=False)

    def grep(self, pattern, out, path=None):
        self.tool("grep", {"pattern": pattern, "path": self.path(path or ".")}, out or "No files found")

    def edit(self, path, old, new):
        self.note_edit(path)
        body = "\n".join(["@@ -10 +10 @@", *("-" + x for x in old.splitlines()), *("+" + x for x in new.splitlines())])
        diff = f"Index: {self.path(path)}\n{'=' * 67}\n--- {self.path(path)}\n+++ {self.path(path)}\n{body}\n"
        given = {"filePath": self.path(path), "oldString": old, "newString": new}
        self.tool("edit", given, "Edit applied successfully.", diff=diff, diagnostics={})

    def write(self, path, text):
        self.note_edit(path)
        self.tool("write", {"filePath": self.path(path), "content": text}, "Wrote file successfully.", exists=False)

    def todo(self, *items):
        todos = [{"content": c, "status": st, "priority": "medium"} for c, st in items]
        self.tool("todowrite", {"todos": todos}, json.dumps(todos, indent=2), todos=todos)

    def agent(self, task, prompt, answer):
        given = {"description": task, "prompt": prompt, "subagent_type": "general"}
        other = f"ses_{self.hex(26)}"
        out = f'<task id="{other}" state="completed">\n<task_result>\n{answer}\n</task_result>\n</task>'
        self.tool("task", given, out, False, 40, 120, parentSessionId=self.session_id, sessionId=other)

    def compact(self, summary):
        self.compactions += 1
        asked = self.message("user", model={"providerID": "anthropic", "modelID": self.model}, summary={"diffs": []})
        self.part(asked, type="compaction", auto=True, overflow=False)
        self.asked, self.tokens = asked["info"]["id"], 12000
        self.answer(mode="compaction", agent="compaction", summary=True)
        self.say(summary, end=True)
        go_on = "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed."
        asked = self.message("user", model={"providerID": "anthropic", "modelID": self.model}, summary={"diffs": []})
        self.part(asked, type="text", text=go_on, synthetic=True, metadata={"compaction_continue": True})
        self.asked = asked["info"]["id"]

    def close(self):
        self.finish()
        self.info["time"]["updated"] = self.ms()

    def text(self):
        head, *messages = (json.dumps(record, ensure_ascii=False) for record in self.records)
        return head[:-1] + ', "messages": [\n' + ",\n".join(messages) + "\n]}\n"

    def stamps(self):
        return [self.tick(0, 0)] + [_iso(record["info"]["time"]["created"]) for record in self.records]


def _iso(ms):
    from datetime import datetime, timezone

    return datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Gemini(Base):
    format = "gemini"

    def __init__(self, name, cwd, branch, start, repo, model="gemini-3-pro"):
        super().__init__(name, cwd, branch, start, repo)
        self.model, self.session_id, self.answer = model, self.id(), None
        head = {"sessionId": self.session_id, "projectHash": hashlib.sha256(cwd.encode()).hexdigest()}
        self.records.append({**head, "startTime": self.tick(), "lastUpdated": self.tick(0, 0), "kind": "main"})
        context = (
            "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nMy operating system is: linux\n"
            f"- **Workspace Directories:**\n  - {cwd}\n</session_context>"
        )
        first = {"id": self.id(), "timestamp": self.tick(0, 0.01), "type": "user", "content": [{"text": context}]}
        self.records.append({"$set": {"messages": [first], "lastUpdated": self.tick(0, 0)}})

    def put(self, record):
        self.records.append(record)
        self.records.append({"$set": {"lastUpdated": self.tick(0, 0.02)}})

    def user(self, text, wait=(30, 400)):
        self.texts.append(text)
        self.answer = None
        content = [{"text": text}]
        self.put(
            {
                "id": self.id(),
                "timestamp": self.tick(*wait),
                "type": "user",
                "content": content,
                "displayContent": content,
            }
        )

    def say(self, text, end=False):
        use = {"input": self.tokens, "output": 120, "cached": 0, "thoughts": 0, "tool": 0, "total": self.tokens + 120}
        record = {"id": self.id(), "timestamp": self.tick(2, 12), "type": "gemini", "content": text, "thoughts": []}
        self.answer = {**record, "tokens": use, "model": self.model}
        self.put(self.answer)

    def call(self, name, given, out, status="success", low=0.3, high=6.0, shown=None):
        """A call comes with the answer that made it, which is written again for it, and once more as the user's turn."""
        if self.answer is None:
            self.say("")
        record, self.answer = self.answer, None
        cid = f"{name}__{self.hex(8)}"
        one = {"id": cid, "name": name, "args": given}
        if out is None:
            self.records.append(
                {**record, "toolCalls": [{**one, "status": "executing", "timestamp": self.tick(0.1, 0.3)}]}
            )
            return
        self.tokens += len(out) // 4
        response = {
            "functionResponse": {
                "id": cid,
                "name": name,
                "response": {"output" if status == "success" else "error": out},
            }
        }
        done = {**one, "result": [response], "status": status, "timestamp": self.tick(low, high)}
        self.records.append({**record, "toolCalls": [{**done, "resultDisplay": shown or out[:400]}]})
        self.put({"id": self.id(), "timestamp": self.tick(0, 0.02), "type": "user", "content": [response]})

    def bash(self, cmd, out="", exit=0, desc=None, secs=None, background=None):
        given = {"command": cmd, "description": desc or "Run command"}
        if out is None:
            return self.call("run_shell_command", given, None)
        code = f"Exit Code: {exit}\n" if exit else ""
        text = f"<untrusted_context>\nOutput: {out or '(empty)'}\n{code}Process Group PGID: {self.rnd.randint(4000, 30000)}\n</untrusted_context>"
        self.call("run_shell_command", given, text, "success", *((secs, secs + 1) if secs else (0.3, 6.0)))

    def read(self, path, text):
        self.call("read_file", {"file_path": self.path(path)}, text)

    def grep(self, pattern, out, path=None):
        given = {"pattern": pattern, "dir_path": path or "."}
        self.call(
            "grep_search",
            given,
            f'Found matches for pattern "{pattern}":\n---\n{out}\n---' if out else "No matches found",
        )

    def edit(self, path, old, new):
        self.note_edit(path)
        given = {"file_path": self.path(path), "old_string": old, "new_string": new, "instruction": "edit"}
        out = f"Successfully modified file: {self.path(path)} (1 replacements). Here is the updated code:\n{new}"
        self.call("replace", given, out)

    def write(self, path, text):
        self.note_edit(path)
        out = f"Successfully created and wrote to new file: {self.path(path)}. Here is the updated code:\n{text}"
        self.call("write_file", {"file_path": self.path(path), "content": text}, out)

    def todo(self, *items):
        todos = [{"description": c, "status": st} for c, st in items]
        rows = "\n".join(f"{i}. [{one['status']}] {one['description']}" for i, one in enumerate(todos, 1))
        self.call(
            "write_todos", {"todos": todos}, f"Successfully updated the todo list. The current list is now:\n{rows}"
        )

    def reject(self, name, given, said):
        self.call(name, given, "[Operation Cancelled] Reason: User did not allow tool call", "cancelled", 20, 60)
        if said:
            self.user(said, wait=(2, 20))
