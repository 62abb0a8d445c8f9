"""The one table of settings; it makes docs/reference/settings.md."""

from typing import Final

from clew.core.settings.setting import Setting

# The greatest budget that can be set, and the most that one can be raised by at once.
TOKENS_MOST: Final = 99_999_999_999
CENTS_MOST: Final = 99_999_999


def _number(
    name: str, default: int, unit: str, least: int, most: int, meaning: str, *, project: bool = True
) -> Setting:
    return Setting(name, "number", default, meaning, unit, least, most, project)


# Names that settings had before: they are still understood.
RENAMED: Final = {"retention.telemetry_days": "retention.activity_days"}

# fmt: off
SETTINGS: Final[tuple[Setting, ...]] = (
    _number("resume.budget_tokens", 1500, "tokens", 120, 100_000,
        meaning="What `clew resume` may print at most, where `--budget` says nothing else"),
    _number("stack.budget_tokens", 20_000, "tokens", 200, 100_000_000,
        meaning="What the text of a stack may have at most, where neither the stack nor `--budget` says "
                "something else"),
    Setting("checkpoint.auto", "switch", True,
        meaning="Create a checkpoint when an imported session committed, passed tests or was compacted"),
    _number("thread.idle_days", 14, "days", 1, 3650,
        meaning="After how long without a session a thread (a task that nobody had to open) ends by itself"),
    _number("intake.deadline_ms", 4000, "milliseconds", 100, 60_000,
        meaning="How long `clew resume` waits for what sessions left; the rest comes the next time"),
    _number("retention.activity_days", 90, "days", 1, 3650,
        meaning="How long the ledger keeps the note that a session was imported; what sessions left is kept in "
                "any case"),
    Setting("archive.on", "switch", False, project=False,
        meaning="Keep a copy of a session's record, redacted and compressed, when the session ends or its "
                "context is dropped"),
    _number("archive.days", 365, "days", 1, 3650, project=False,
        meaning="How long an archived record is kept after its session's last change"),
    _number("archive.most_mb", 2048, "megabytes", 1, 1_000_000, project=False,
        meaning="How large the archive may become; the oldest records go first"),
    Setting("inject.on", "switch", True,
        meaning="Give a starting session what the last one left"),
    _number("inject.recent_hours", 72, "hours", 1, 8760,
        meaning="How old a task's last session may be for a starting session to get its whole payload and not "
                "one line"),
    _number("hook.deadline_ms", 2000, "milliseconds", 100, 30_000,
        meaning="How long the hook of a starting session waits for what sessions left; the rest comes the next time"),
    _number("mcp.result_tokens", 1000, "tokens", 200, 20_000,
        meaning="What a tool of the MCP server may give back at most"),
    Setting("draft.at_threshold", "switch", True,
        meaning="Ask a session for a hand-off when its context crosses a threshold"),
    Setting("draft.at_stop", "switch", False, project=False,
        meaning="Ask a session for a hand-off at the end of a turn, when it did real work since the last one"),
    Setting("draft.by_successor", "choice", "offer", choices=("offer", "off"),
        meaning="Where a session left no hand-off, tell the next one what its record in short costs to read"),
    _number("draft.record_tokens", 20_000, "tokens", 1000, 200_000,
        meaning="How much of a session's record `clew draft --ask` gives to the client that writes the hand-off"),
    _number("draft.timeout_s", 180, "seconds", 10, 3600,
        meaning="How long `clew draft --ask` waits for the client"),
    _number("delegate.cap_tokens", 800, "tokens", 200, 20_000,
        meaning="How much of an answer `clew delegate` gives back at most, where `--cap` says nothing else"),
    _number("delegate.budget_tokens", 200_000, "tokens", 10_000, 5_000_000, project=False,
        meaning="How much an agent that `clew delegate` asks may read and write at most; one that tells it at "
                "its end only is ended by time"),
    _number("delegate.budget_cents", 100, "cents", 0, 100_000, project=False,
        meaning="What an agent that `clew delegate` asks may cost, where the client keeps such a budget; 0: no bound"),
    _number("delegate.timeout_s", 300, "seconds", 10, 3600, project=False,
        meaning="How long `clew delegate` waits for the answer"),
    _number("delegate.depth", 1, "delegates", 0, 5, project=False,
        meaning="How many delegates may stand one behind the other; 0: agents and people ask none"),
    Setting("documents.share", "choice", "none", choices=("none", "documents", "all"),
        meaning="Which of the files in `.clew` git may see: hand-offs and journal (`documents`), or memory and "
                "state as well"),
    Setting("documents.at_end", "switch", True,
        meaning="Write hand-off, session page and journal when a session ends that worked for over 15 minutes "
                "or edited files"),
    Setting("memory.inject", "switch", True,
        meaning="Give a starting session the index of the memory, beside what the last session left"),
    Setting("gate.plan", "gate", "deny",
        meaning="Whatever does more than read while a plan waits for a person's approval"),
    Setting("gate.confirm", "gate", "off",
        meaning="Edits wait until the agent has said the goal and the next action of the payload that it was given"),
    Setting("gate.stale", "gate", "warn",
        meaning="Edits of a file that was changed from outside since the session read it"),
    Setting("gate.offlimits", "gate", "deny",
        meaning="Edits of files that are off limits"),
    Setting("gate.guard", "gate", "warn",
        meaning="Actions that match the guard of a failed approach"),
    Setting("gate.repeat", "gate", "warn",
        meaning="A command that failed twice in the same way, tried a third time when nothing else was changed"),
    Setting("gate.parallel", "gate", "warn",
        meaning="Edits of a file that another live session changed since this one saw it, and a `git add -A`, "
                "`git commit -a` or `git stash` that would take in another session's edits"),
    Setting("gate.stop", "gate", "deny",
        meaning="A turn that claims to be done while a phase is under way whose checks fail or were not run; it "
                "is asked once"),
    Setting("validate.auto", "choice", "off", choices=("off", "stop", "change-set"),
        meaning="When hooks run the quick validation commands: at the end of a turn, or behind each set of "
                "edits as well"),
    _number("budget.session_tokens", 0, "tokens", 0, TOKENS_MOST,
        meaning="Tokens that a session may use with its sub-agents, those from the cache as well; 0: no limit"),
    _number("budget.session_cents", 0, "cents of a dollar", 0, CENTS_MOST,
        meaning="What a session may cost with its sub-agents, by the prices that `clew cost` knows; 0: no limit"),
    _number("budget.task_tokens", 0, "tokens", 0, TOKENS_MOST,
        meaning="Tokens that all sessions of a task may use together, those from the cache as well; 0: no limit"),
    _number("budget.task_cents", 0, "cents of a dollar", 0, CENTS_MOST,
        meaning="What all sessions of a task may cost together; 0: no limit"),
    _number("budget.phase_tokens", 0, "tokens", 0, TOKENS_MOST,
        meaning="Tokens that an attempt at a phase may use, without those from the cache, where its plan says "
                "no budget; 0: no limit"),
    _number("budget.phase_cents", 0, "cents of a dollar", 0, CENTS_MOST,
        meaning="What an attempt at a phase may cost; 0: no limit"),
    _number("budget.day_tokens", 0, "tokens", 0, TOKENS_MOST, project=False,
        meaning="Tokens that all sessions of this user where clew is set up may use in a day; 0: no limit"),
    _number("budget.day_cents", 0, "cents of a dollar", 0, CENTS_MOST, project=False,
        meaning="What all sessions of this user where clew is set up may cost in a day; 0: no limit"),
    Setting("notify.command", "program", "", project=False,
        meaning="Shell command that is run when something begins to wait for you; `CLEW_NOTICE` is the sentence. "
                "Empty: none"),
    Setting("run.client", "client", "auto",
        meaning="Which client `clew run` has work, where `--client` says nothing else; auto: the first that is "
                "installed"),
    _number("run.contexts", 3, "contexts", 1, 50,
        meaning="How many contexts a phase of a run may outgrow before it is stopped"),
    _number("run.context_tokens", 150_000, "tokens", 0, 10_000_000,
        meaning="Tokens of context at which a phase of a run goes on in a new one; 0: the client compacts as it likes"),
    _number("run.retry_s", 60, "seconds", 1, 3600,
        meaning="How soon a run tries again where a limit names no time or nobody answers; then twice as late "
                "each time, up to an hour"),
    _number("run.client_wait_s", 60, "seconds", 0, 100_000,
        meaning="How long a client of a run may wait for a limit by itself; then it is ended, and the run waits"),
    _number("run.phase_minutes", 120, "minutes", 0, 100_000,
        meaning="How long clients may work at a phase of a run, waiting for limits left out; 0: no limit"),
    _number("pressure.checkpoint_percent", 60, "percent", 1, 100,
        meaning="Share of the usable context window at which a checkpoint is advised"),
    _number("pressure.checkpoint_tokens", 100_000, "tokens", 1000, 10_000_000,
        meaning="Tokens of context at which a checkpoint is advised, if that is less than the share"),
    _number("pressure.compact_percent", 70, "percent", 1, 100,
        meaning="Share of the usable context window at which compacting or handing over is advised"),
    _number("pressure.compact_tokens", 200_000, "tokens", 1000, 10_000_000,
        meaning="Tokens of context at which compacting or handing over is advised, if that is less than the share"),
    _number("pressure.window_tokens", 0, "tokens", 0, 10_000_000,
        meaning="The model's context window; 0: what is known of the model, or told to the client"),
    _number("pressure.hours", 4, "hours", 1, 1000,
        meaning="Hours of work in one context at which a fresh session is advised"),
    _number("pressure.turn_cents", 0, "cents of a dollar", 0, 1_000_000,
        meaning="What one more turn may cost before compacting is advised, by the prices that `clew cost` "
                "knows; 0: anything"),
    Setting("sync.auto", "choice", "off", choices=("off", "sessions"), project=False,
        meaning="Exchange with the places that were joined when a session begins and when it ends, in the "
                "background"),
    Setting("sync.share", "choice", "none", choices=("none", "sessions"), project=False,
        meaning="What goes to a hub beside what was recorded: `sessions` also sends what rules read off sessions, "
                "with quotes of prompts"),
    Setting("worktree.copy", "words", ".env .env.*",
        meaning="Which ignored files a new work tree gets a copy of: globs, of names or (with a /) of whole paths"),
    Setting("worktree.ports", "words", "PORT",
        meaning="Which variables in copied `.env` files hold a port that each work tree needs for itself: globs "
                "of names"),
)
# fmt: on

# Of each scope of a budget: its tokens, its cents. Of each threshold of a context: its share, its tokens.
BUDGETS: Final = {
    "session": ("budget.session_tokens", "budget.session_cents"),
    "day": ("budget.day_tokens", "budget.day_cents"),
    "task": ("budget.task_tokens", "budget.task_cents"),
    "phase": ("budget.phase_tokens", "budget.phase_cents"),
}
CHECKPOINT: Final = ("pressure.checkpoint_percent", "pressure.checkpoint_tokens")
COMPACT: Final = ("pressure.compact_percent", "pressure.compact_tokens")

# Rows for names that people choose: a tier and a client; a client's name, or the beginning of a model's.
FAMILIES: Final[tuple[Setting, ...]] = (
    Setting(
        "route.*.*",
        "model",
        "",
        "Model for phases of a tier in a client (`route.build.claude-code`); without one the client chooses",
    ),
    *(
        row._replace(
            name=row.name.replace(".", ".*.", 1),
            meaning=f"The same as `{row.name}` for one client, or for models whose name begins so",
        )
        for row in SETTINGS
        if row.name.startswith("pressure.")
    ),
)
