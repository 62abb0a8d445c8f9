// clew leads the next session of a coding agent back to where the last one stopped. `clew init` has written this file,
// `clew uninstall` takes it away. It tells a program what happens in a session and does what that answers. Whatever
// fails here, OpenCode goes on as if this file were not there.

import { spawn } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const COMMAND = ["@COMMAND@"]

const QUICK_MS = 5_000
const SLOW_MS = 15_000
const LOOK_MS = 1_000
const ANSWER_MAX = 1 << 20
const PROMPT_MAX = 10_000
const SUMMARY_MAX = 1 << 18
// So much of a command's output tells how it failed.
const OUTPUT_MAX = 1 << 15
// What is known to read and is called most: it need not wait for us.
const READING = new Set(["read", "grep", "glob", "list", "todowrite", "todoread", "question"])
// Subcommands at which nobody sits.
const HEADLESS = new Set(["run", "serve", "github"])
const COMMANDS = new Set([...HEADLESS, "acp", "attach", "pr", "tui", "web"])
// What was used is added up from zero by each process that runs this.
const RUN = `${process.pid}-${Date.now().toString(36)}`

export const Clew = async ({ client, directory }) => {
  // By their ids: { parent, created, begun, tokens, model, window, text, lost, asked, used, last }. `parent` is undefined
  // as long as nobody knows whether it is a sub-agent's.
  const sessions = new Map()
  const calls = new Map()

  const known = (id) => {
    if (!sessions.has(id)) sessions.set(id, { id, asked: 0 })
    return sessions.get(id)
  }

  // The session of the main chain that `id` belongs to, undefined if that cannot be found out.
  const rootOf = async (id) => {
    let session = known(id)
    for (let depth = 0; depth < 20; depth++) {
      if (session.parent === undefined) {
        const found = await within(LOOK_MS, client.session.get({ path: { id: session.id } }))
        if (!found?.data?.id) return undefined
        session.parent ??= found.data.parentID ?? ""
      }
      if (!session.parent) return session
      session = known(session.parent)
    }
  }

  // What every event tells, undefined where nothing is to be told.
  const common = async (event, id) => {
    const root = id ? await rootOf(id) : undefined
    if (!root) return undefined
    const session = known(id)
    const told = {
      session_id: root.id,
      transcript_path: join(database(), root.id),
      cwd: directory,
      hook_event_name: event,
      attended: isAttended(),
      pid: process.pid,
    }
    if (session !== root) told.agent_id = id
    for (const name of ["tokens", "model", "window"]) if (session[name] !== undefined) told[name] = session[name]
    return told
  }

  // What the session `root` and its sub-agents used, by model and day: tokens of input, written to the cache, read from
  // it, of output; when the first of it was used and when the last.
  const usedBy = async (root) => {
    const found = {}
    for (const session of sessions.values()) {
      if (!session.used || (await rootOf(session.id)) !== root) continue
      for (const [name, one] of Object.entries(session.used)) {
        const sum = (found[name] ??= { ...one, tokens: [0, 0, 0, 0] })
        sum.tokens = sum.tokens.map((value, at) => value + one.tokens[at])
        if (one.since < sum.since) sum.since = one.since
        if (one.at > sum.at) sum.at = one.at
      }
    }
    return found
  }

  const ask = async (event, id, fields, limit) => {
    const told = await common(event, id)
    if (!told) return {}
    const answer = await started(event, { ...told, ...fields }, directory, limit)
    const message = words(answer.systemMessage)
    if (message && isAttended()) {
      within(LOOK_MS, client.tui.showToast({ body: { title: "clew", message, variant: "info" } }))
    }
    const said = answer.hookSpecificOutput
    return said && typeof said === "object" ? said : {}
  }

  const tell = async (event, id, fields) => {
    const told = await common(event, id)
    if (told) started(event, { ...told, ...fields }, directory, 0)
  }

  // How a session begins for this process: at its first message, behind which nothing is stored yet.
  const source = async (session) => {
    const query = { limit: 1 }
    const found = await within(LOOK_MS, client.session.messages({ path: { id: session.id }, query }))
    const before = found?.data?.length ?? (session.created ? 0 : 1)
    return before ? (session.created ? "fork" : "resume") : "startup"
  }

  // After a compaction: what its summary lost is asked for once; each request until the next message waits for it.
  const compacted = (session) => {
    const asked = ++session.asked
    const fields = { source: "compact", tokens: 0 }
    if (session.text) fields.summary = session.text
    session.tokens = 0
    session.lost = ask("SessionStart", session.id, fields, SLOW_MS).then(
      (said) => (session.asked === asked ? words(said.additionalContext) : ""),
      () => "",
    )
  }

  const events = {
    "session.created": ({ info }) => Object.assign(known(info.id), { parent: info.parentID ?? "", created: true }),
    "session.updated": ({ info }) => Object.assign(known(info.id), { parent: info.parentID ?? "" }),
    "session.deleted": ({ info }) => sessions.delete(info.id),
    "message.updated": ({ info }) => {
      if (info.role === "assistant" && info.tokens) count(known(info.sessionID), info)
      const { input, cache } = info.tokens ?? {}
      const tokens = (input ?? 0) + (cache?.read ?? 0) + (cache?.write ?? 0)
      if (info.role === "assistant" && info.summary !== true && tokens > 0) {
        Object.assign(known(info.sessionID), { tokens, model: info.modelID })
      }
    },
    "session.compacted": async ({ sessionID }) => {
      const session = known(sessionID)
      if (session.parent === "" || (await rootOf(sessionID)) === session) compacted(session)
    },
    "session.idle": async ({ sessionID }) => {
      const session = known(sessionID)
      if (session.begun) await tell("Stop", sessionID, { stop_hook_active: false, used: await usedBy(session) })
    },
  }

  return {
    event: quietly(async ({ event }) => events[event.type]?.(event.properties)),

    "chat.message": quietly(async ({ sessionID }, output) => {
      const session = known(sessionID)
      session.asked++
      session.lost = undefined
      if ((await rootOf(sessionID)) !== session) return
      const said = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const fields = { prompt: said.join("\n").slice(0, PROMPT_MAX) }
      if (!session.begun) fields.source = await source(session)
      const event = session.begun ? "UserPromptSubmit" : "SessionStart"
      session.begun = true
      const text = words((await ask(event, sessionID, fields, SLOW_MS)).additionalContext)
      if (!text) return
      const last = output.parts.at(-1)
      const messageID = output.message.id
      output.parts.push({ id: following(last?.id), sessionID, messageID, type: "text", text, synthetic: true })
    }),

    "chat.params": quietly(async ({ sessionID, agent, model }) => {
      const name = typeof agent === "string" ? agent : agent?.name
      const window = model?.limit?.context
      if (window > 0 && !["title", "compaction", "summary"].includes(name)) known(sessionID).window = window
    }),

    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      let denied = ""
      await quietly(async () => {
        if (calls.size > 1_000) calls.clear() // of calls that failed nobody tells the end
        const call = { begun: Date.now(), warning: "" }
        calls.set(callID, call)
        if (READING.has(tool)) return
        const root = await rootOf(sessionID)
        const fields = { tool_name: tool, tool_input: output.args, used: root ? await usedBy(root) : {} }
        const said = await ask("PreToolUse", sessionID, fields, QUICK_MS)
        if (said.permissionDecision === "deny") denied = words(said.permissionDecisionReason) || "clew denied it"
        else call.warning = words(said.additionalContext)
      })()
      if (denied) throw new Error(denied)
    },

    "tool.execute.after": quietly(async ({ tool, sessionID, callID, args }, output) => {
      const call = calls.get(callID)
      calls.delete(callID)
      const fields = { tool_name: tool, tool_input: args }
      if (tool === "bash" && typeof output?.output === "string") {
        fields.tool_response = { output: output.output.slice(-OUTPUT_MAX), exit: output.metadata?.exit }
      }
      if (call) fields.duration_ms = Date.now() - call.begun
      const text = words((await ask("PostToolUse", sessionID, fields, QUICK_MS)).additionalContext)
      for (const one of [call?.warning, text]) {
        if (one && typeof output?.output === "string") output.output += "\n\n" + one
      }
    }),

    "experimental.text.complete": quietly(async ({ sessionID }, output) => {
      known(sessionID).text = String(output.text).slice(0, SUMMARY_MAX)
    }),

    "experimental.session.compacting": quietly(async ({ sessionID }) => {
      if ((await rootOf(sessionID)) === known(sessionID)) {
        await ask("PreCompact", sessionID, { trigger: "auto" }, SLOW_MS)
      }
    }),

    "experimental.chat.system.transform": quietly(async ({ sessionID }, output) => {
      const text = await sessions.get(sessionID)?.lost
      if (text && !/^You are a title generator/.test(output.system[0] ?? "")) output.system.push(text)
    }),

    // What the agent starts can tell by it which session asks.
    "shell.env": quietly(async ({ sessionID }, output) => {
      if (sessionID) output.env.OPENCODE_SESSION_ID = sessionID
    }),

    dispose: quietly(async () => {
      for (const session of sessions.values()) {
        if (session.begun) await tell("SessionEnd", session.id, { reason: "exit", used: await usedBy(session) })
      }
    }),
  }
}

// Add up what a message used, which is told again with more.
function count(session, { id, modelID, tokens }) {
  const { input, output, reasoning, cache } = tokens
  const now = [input, cache?.write, cache?.read, (output ?? 0) + (reasoning ?? 0)].map((value) => value ?? 0)
  if (!now.some((value) => value > 0)) return
  const before = session.last && session.last.id === id ? session.last.now : [0, 0, 0, 0]
  const at = new Date()
  const name = `${RUN} ${modelID} ${at.toDateString()}`
  const one = ((session.used ??= {})[name] ??= { model: modelID, since: at.toISOString(), tokens: [0, 0, 0, 0] })
  one.at = at.toISOString()
  one.tokens = one.tokens.map((value, place) => value + Math.max(0, now[place] - before[place]))
  session.last = { id, now }
}

// `work` that fails for nobody.
function quietly(work) {
  return async (...given) => {
    try {
      await work(...given)
    } catch {
      return
    }
  }
}

function words(value) {
  return typeof value === "string" ? value : ""
}

// What `promise` gives, undefined if that takes longer than `limit` milliseconds or fails.
function within(limit, promise) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit)
  })
  return Promise.race([promise, late])
    .catch(() => undefined)
    .finally(() => clearTimeout(timer))
}

// Start the program for `event` and give it `told`. What it answers; {} for nothing, for nonsense and for whatever goes
// wrong. With the limit 0 nobody waits for it, and it lives on when OpenCode ends.
function started(event, told, place, limit) {
  return new Promise((resolve) => {
    let timer
    const pieces = []
    let size = 0
    const end = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), "opencode", event], {
        cwd: place,
        detached: true, // a group of its own, which can be ended whole, and no Ctrl-C reaches
        env: { ...process.env, CLEW_PLACE: place },
        stdio: ["pipe", limit ? "pipe" : "ignore", "ignore"],
        windowsHide: true,
      })
      child.on("error", () => end({}))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(told))
      if (!limit) {
        child.unref()
        return end({})
      }
      child.stdout.on("error", () => {})
      child.stdout.on("data", (piece) => {
        size += piece.length
        if (size <= ANSWER_MAX) pieces.push(piece)
      })
      child.on("close", () => end(size <= ANSWER_MAX ? parsed(Buffer.concat(pieces).toString("utf8")) : {}))
      timer = setTimeout(() => {
        end({})
        kill(child)
      }, limit)
    } catch {
      end({})
    }
  })
}

function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
  child.stdout.destroy()
  child.unref()
}

function parsed(text) {
  try {
    const value = JSON.parse(text)
    return value && typeof value === "object" ? value : {}
  } catch {
    return {}
  }
}

// Where the client keeps its sessions.
function database() {
  const data = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode")
  const named = process.env.OPENCODE_DB || "opencode.db"
  return named.startsWith("/") ? named : join(data, named)
}

function isAttended() {
  if (process.env.OPENCODE_CLIENT === "desktop") return true
  const command = process.argv.slice(1).find((one) => COMMANDS.has(one))
  return !HEADLESS.has(command)
}

// The id of a part that stands behind the part `id`: ids begin with the time, and are put in order by it.
function following(id) {
  const found = /^prt_([0-9a-f]{12})/.exec(id ?? "")
  const time = found ? Number.parseInt(found[1], 16) + 1 : Date.now() * 0x1000
  let tail = ""
  while (tail.length < 14) tail += Math.random().toString(36).slice(2)
  return "prt_" + time.toString(16).padStart(12, "0").slice(-12) + tail.slice(0, 14)
}
