// Drives our plugin as OpenCode does: node driver.mjs PLUGIN STEPS, with STEPS the JSON of [[hook, input, output], …] and
// `sessions` that the client knows. Prints what each hook made of its output, or what it threw.
import { pathToFileURL } from "node:url"

const [plugin, given] = process.argv.slice(2)
const { directory, sessions, steps } = JSON.parse(given)
const shown = []
const client = {
  session: {
    get: async ({ path }) => {
      if (!(path.id in sessions)) throw new Error("not found")
      return { data: { id: path.id, ...sessions[path.id].info } }
    },
    messages: async ({ path }) => ({ data: new Array(sessions[path.id]?.messages ?? 0) }),
  },
  tui: { showToast: async ({ body }) => void shown.push(body.message) },
}
const module = await import(pathToFileURL(plugin))
const factories = Object.values(module)
if (factories.some((one) => typeof one !== "function")) throw new Error("OpenCode takes every export for a plugin")
const hooks = await factories[0]({ client, directory })
const results = []
for (const [hook, input, output] of steps) {
  const begun = Date.now()
  try {
    await hooks[hook](input, output)
    results.push({ output, took: Date.now() - begun })
  } catch (error) {
    results.push({ thrown: error.message, took: Date.now() - begun })
  }
}
process.stdout.write(JSON.stringify({ results, shown }))
