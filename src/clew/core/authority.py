"""Who said it: from what was seen of the channel to the class of what comes by it (docs/authority.md). Pure.

A command is a person's only if it was typed: in a shell that waits for lines, at a terminal that a known program
opened, with no client among its ancestors and no client's mark in the environment. All else, and all that cannot be
seen, is an agent's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.core.items import Provenance


class Process(NamedTuple):
    """One process as the system tells it.

    `group` and `session` are ids of processes, `foreground` the group that its terminal listens to. `terminal` is the
    controlling terminal in the system's own words, "" none. `name` is the program's, `argv` its command line. `marks`
    are the names of clients' marks in the environment that it was started with, as far as that can be read.
    """

    pid: int
    parent: int
    group: int
    session: int
    terminal: str
    foreground: int
    name: str
    argv: tuple[str, ...]
    marks: tuple[str, ...]


class Channel(NamedTuple):
    """What was seen of the way by which a command came.

    `processes`: the one that runs first, then its parent and so on. `complete`: they go up to the first one of the
    system. `marks`: of the environment now. `reads` and `writes`: stdin, and one of stdout and stderr, are the
    controlling terminal.
    """

    processes: tuple[Process, ...]
    complete: bool
    marks: tuple[str, ...]
    reads: bool
    writes: bool


class Authority(NamedTuple):
    """`provenance` is `human` or `agent`; `reason` tells why, as a clause."""

    provenance: Provenance
    reason: str


# Variables that a client sets for the commands it runs; nobody sets them for himself. CLEW_AGENT is for programs that
# are not listed and start clew for a model. Where each was seen: docs/authority.md.
MARKS: Final = frozenset(
    (
        *("CLEW_AGENT", "AI_AGENT", "AGENT"),
        *("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"),
        *("CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT"),
        *("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
        *("GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD"),
        *("OPENCODE", "OPENCODE_PID"),
        *("QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
        *("CURSOR_AGENT", "COPILOT_AGENT", "COPILOT_CLI", "CLINE_ACTIVE", "CRUSH", "GOOSE_TERMINAL"),
    )
)

_CLIENTS: Final = (
    *("claude", "codex", "gemini", "opencode", "qwen"),
    *("cursor-agent", "copilot", "aider", "amp", "cline", "crush", "droid", "goose"),
)
_INTERPRETERS: Final = (
    "node",
    "nodejs",
    "bun",
    "deno",
    "python",
    "python3",
    "pypy",
    "pypy3",
    "ruby",
    "perl",
    "npm",
    "npx",
    "uv",
)
_PACKAGE_FOLDERS: Final = frozenset(("node_modules", "site-packages", "dist-packages"))
_SHELLS: Final = frozenset("bash sh zsh fish dash ash ksh ksh93 mksh oksh yash tcsh csh nu elvish pwsh busybox".split())
# Options of shells that take the next word as their value, and still wait for lines.
_VALUED: Final = frozenset(("--rcfile", "--init-file", "--init-command", "-C", "-O", "+O", "-o", "+o"))
# Programs that run one command, as typed, in the same place.
_WRAPPERS: Final = frozenset("sudo doas time uv uvx hatch pdm poetry pipenv pixi rye mise".split())
# Programs that open a terminal of their own for the one who typed them. Any other that does so may be a harness.
_PASSERS: Final = frozenset("script sudo su doas asciinema ttyrec".split())
# Programs that give people a terminal. Linux knows the first 15 characters of a name.
_OPENERS: Final = frozenset(
    (
        *"login sshd sshd-session dropbear mosh-server in.telnetd telnetd etserver etterminal".split(),
        *"tmux screen zellij dtach abduco wezterm-mux-server wezterm-mux-ser relay sessionleader".split(),
        *"xterm uxterm rxvt urxvt urxvtd st gnome-terminal gnome-terminal-server kgx ptyxis ptyxis-agent".split(),
        *"konsole yakuake xfce4-terminal mate-terminal lxterminal qterminal deepin-terminal cosmic-term".split(),
        *"io.elementary.terminal io.elementary.t terminator tilix guake sakura terminology termite".split(),
        *"alacritty kitty wezterm wezterm-gui foot ghostty rio contour cool-retro-term blackbox hyper tabby".split(),
        *"warp warp-terminal waveterm termux terminal iterm itermserver".split(),
        *"code code-insiders code-oss codium vscodium cursor windsurf zed zed-editor".split(),
        *"emacs vim nvim gvim kate dolphin rstudio".split(),
        *"idea pycharm webstorm goland clion phpstorm rubymine rider datagrip rustrover studio".split(),
    )
)
# Editors whose terminals are opened by one of these: what stands in its command line then.
_OPENER_INTERPRETERS: Final = frozenset("node mainthread java code-server".split())
_OPENER_WORDS: Final = (
    *("/.vscode-server", "/.vscode-remote", "/.cursor-server", "/.windsurf-server", "/code-server/"),
    "com.intellij.",
)


def marks_in(names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that are a client's mark, sorted."""
    return tuple(sorted(MARKS.intersection(names)))


def authority(channel: Channel) -> Authority:
    """The class of what comes by `channel`, and why. Never raises."""
    refusal = _marked(channel) or _unseen(channel) or _client(channel) or _not_typed(channel.processes, 0)
    if refusal:
        return Authority("agent", refusal)
    return Authority("human", "it was typed in a shell at a terminal")


def _marked(channel: Channel) -> str:
    if channel.marks:
        return f"the environment has {channel.marks[0]}, which an agent's client sets"
    for process in channel.processes[1:]:
        if process.marks:
            return f"{_called(process)} was started with {process.marks[0]}, which an agent's client sets"
    return ""


def _unseen(channel: Channel) -> str:
    """Why too little is known, or no terminal is there, "" if all is well."""
    if not channel.processes:
        return "this system does not tell which programs started the command"
    if not channel.processes[0].terminal:
        return "the command runs without a terminal"
    if not channel.reads:
        return "the command's input is not the terminal"
    if not channel.writes:
        return "neither output nor errors of the command go to the terminal"
    if channel.processes[0].group != channel.processes[0].foreground:
        return "the command runs in the background"
    if not channel.complete:
        return "not all programs above the command can be seen"
    return ""


def _client(channel: Channel) -> str:
    for process in channel.processes[1:]:
        if any(_is_one_of(word, _CLIENTS) for word in _programs(process)):
            return f"it was started below {_called(process)}, an agent's client"
    return ""


def _not_typed(processes: tuple[Process, ...], at: int) -> str:
    """Why the process at this place of the chain was not typed, "" if it was.

    It must stand below an interactive shell, and its session's leader above it: who was cut off from it (a double
    fork) no longer does. What opened the leader's terminal is a program known for that, or one that does so for the
    person who typed it.
    """
    process = processes[at]
    if not process.terminal:
        return f"{_called(process)} runs without a terminal"
    above = at + 1
    while above < len(processes) and _base(processes[above].name) in _WRAPPERS:
        above += 1
    if above == len(processes):
        return "no shell stands above the command"
    if not _waits_for_lines(processes[above]):
        return f"it was started by {_called(processes[above])}, not typed in a shell"
    leader = next((place for place in range(at, len(processes)) if processes[place].pid == process.session), -1)
    if leader < 0:
        return "it was cut off from the session of its terminal"
    if processes[leader].parent == 0:
        return ""  # the first process of a container, or one that was sent into it
    opener = leader + 1
    if opener >= len(processes):
        return "what opened its terminal cannot be seen"
    if _opens_terminals(processes[opener]):
        return ""
    if _base(processes[opener].name) not in _PASSERS:
        return f"its terminal was opened by {_called(processes[opener])}, which clew does not know for that"
    refusal = _not_typed(processes, opener)
    return f"its terminal was opened by {_called(processes[opener])}: {refusal}" if refusal else ""


def _waits_for_lines(process: Process) -> bool:
    """Whether this is a shell that somebody types in: it was given neither a command nor a script."""
    if not process.argv or _base(process.argv[0]) not in _SHELLS or _base(process.name) not in _SHELLS:
        return False
    words = process.argv[1:]
    if _base(process.argv[0]) == "pwsh":
        lower = [word.lower() for word in words]
        return "-noexit" in lower or not any(word.startswith(("-c", "-f", "-e")) for word in lower)
    if _base(process.argv[0]) == "busybox":
        words = words[1:]
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif word.startswith("--"):
            if word.startswith("--command"):
                return False
        elif word[:1] in {"-", "+"}:
            if {"c", "s"} & set(word[1:]):
                return False
        else:
            return False
    return True


def _opens_terminals(process: Process) -> bool:
    # "tmux: server", "Relay(10)", "gnome-terminal-" (cut), "iTermServer-3.5.2"
    name = process.name.lower().partition(":")[0].partition("(")[0]
    if {name, name.rstrip("-.0123456789")} & _OPENERS:
        return True
    return name in _OPENER_INTERPRETERS and any(
        word in part.lower() for part in process.argv[:8] for word in _OPENER_WORDS
    )


def _programs(process: Process) -> list[str]:
    """What this process may be called: by its name, its first word, and what its interpreter was told to run."""
    words = [process.name.lower()]
    if process.argv:
        words.append(_base(process.argv[0]))
    if any(_is_one_of(word.rstrip("0123456789."), _INTERPRETERS) or word in _SHELLS for word in words):
        words.append(_told_to_run(process.argv))
        for part in process.argv[1:8]:
            folders = part.lower().replace("\\", "/").split("/")
            for place, folder in enumerate(folders):
                if folder in _PACKAGE_FOLDERS:
                    words += folders[place + 1 :]
    return words


def _told_to_run(argv: tuple[str, ...]) -> str:
    """The script or module in an interpreter's command line, "" if there is none."""
    for place, word in enumerate(argv[1:], start=1):
        if word == "-c":
            return ""
        if word == "-m":
            return argv[place + 1].lower() if place + 1 < len(argv) else ""
        if word[:1] != "-":
            return _base(word)
    return ""


def _base(word: str) -> str:
    """The program in a path, without the hyphen in front of a login shell."""
    return word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe").removeprefix("-")


def _is_one_of(word: str, names: tuple[str, ...]) -> bool:
    return any(word.startswith(name) and not word[len(name) : len(name) + 1].isalnum() for name in names)


def _called(process: Process) -> str:
    return f"{process.name or 'a program without a name'} (process {process.pid})"
