"""Who said it: from what was seen of the channel to the class of what comes by it (docs/reference/authority.md). Pure.

A command is a person's if it runs in the foreground of a terminal that was not cut off from who opened it, with no
client among its ancestors and no client's mark in an environment. All else, and all that cannot be seen, is an agent's.
What only a person may do needs a code besides, which the terminal shows (`workspace/terminal.py`).
"""

import shlex
from typing import Final, NamedTuple

from clew.core.state.items import Authority


class Process(NamedTuple):
    """One process as the system tells it.

    `terminal` is its controlling terminal ("" none), `fed`: its stdin was seen to be something else. `name` is the
    program's, `argv` its command line. `marks` are the names of clients' marks in the environment that it was started
    with, as far as that can be read.
    """

    pid: int
    name: str
    argv: tuple[str, ...]
    terminal: str = ""
    marks: tuple[str, ...] = ()
    fed: bool = False


class Channel(NamedTuple):
    """What was seen of the way by which a command came.

    `processes`: the one that runs first, then its parent and so on. `complete`: they go up to the first one of the
    system. `leader`: the process that leads the command's session. `marks`: of the environment now. `reads` and
    `writes`: stdin, and one of stdout and stderr, are the controlling terminal; `in_front`: that terminal listens to
    the command. `clients` is what programs of agents' clients are called. `loads` are variables that have this program
    load somebody's code (`LOADING`).
    """

    processes: tuple[Process, ...]
    complete: bool
    leader: int
    marks: tuple[str, ...]
    reads: bool
    writes: bool
    in_front: bool
    clients: tuple[str, ...]
    loads: tuple[str, ...] = ()


class Agents(NamedTuple):
    """By what agents' clients are known: what their `programs` are called, and the variables (`marks`) that they set
    for what they start and that nobody sets for himself.
    """

    programs: tuple[str, ...]
    marks: frozenset[str]


# Those that are no client of clew's own (`clew.clients.registry.agents` has these as well). CLEW_AGENT is for programs
# that are not listed and start clew for a model. Where each was seen: docs/reference/authority.md.
STRANGERS: Final = Agents(
    ("qwen", "cursor-agent", "aider", "amp", "cline", "crush", "droid", "goose"),
    frozenset(
        (
            *("CLEW_AGENT", "AI_AGENT", "AGENT"),
            *("QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
            *("CURSOR_AGENT", "CLINE_ACTIVE", "CRUSH", "GOOSE_TERMINAL"),
        )
    ),
)

# Variables that have Python run what they name before anything of ours, or in its place (`-E` in its documents).
LOADING: Final = frozenset(
    "PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX"
    " PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHON_PRESITE".split()
)

# What has its input from elsewhere is nobody's at a keyboard, whatever started it.
AWAY_FROM_TERMINAL: Final = Authority("agent", "the command runs without a terminal as its input")

_INTERPRETERS: Final = tuple("node nodejs bun deno python python3 pypy pypy3 ruby perl npm npx uv".split())
_PACKAGE_FOLDERS: Final = frozenset(("node_modules", "site-packages", "dist-packages"))
_SHELLS: Final = frozenset("bash sh zsh fish dash ash ksh ksh93 mksh oksh yash tcsh csh nu elvish pwsh busybox".split())


def authority(channel: Channel) -> Authority:
    """The class of what comes by `channel`, and why. Never raises."""
    refusal = _marked(channel) or _unseen(channel) or _client(channel) or _cut_off(channel)
    if channel.loads and not refusal:
        refusal = f"{channel.loads[0]} has other code run in the place of clew's"
    if refusal:
        return Authority("agent", refusal)
    return Authority("human", "it came from a terminal that no client stands above")


def of_client(channel: Channel) -> str:
    """Why what comes by `channel` was started by an agent's client, as a clause; "" where nothing says so."""
    return _marked(channel) or _client(channel)


def is_by_client(channel: Channel) -> bool:
    """Whether what runs first was started by a client itself, as its hooks are: what stands between is a shell that was
    told this command and nothing that feeds it. Where nothing above is seen, nothing speaks against it. A client hands
    its event over by a pipe: what reads a terminal was typed there, or written to one that a tool keeps open.
    """
    if channel.reads:
        return False
    own, above = channel.processes[:1], channel.processes[1:]
    for process in above:
        if _base(process.name) not in _SHELLS:
            return _is_client(process, channel.clients)
        if not _was_told(process.argv, own[0].argv):
            return False
    return not above


# What a hook's line may hold beside the command: a look whether the program is there (`clients/*/install.py`).
_BESIDE: Final = frozenset(("[", "-x", "]", "||", "exit", "0;", "exec"))


def _was_told(shell: tuple[str, ...], command: tuple[str, ...]) -> bool:
    """Whether the line that a shell was given runs this command, and does nothing else."""
    at = next((place for place, word in enumerate(shell) if place and word[:1] + word[-1:] == "-c"), len(shell))
    try:
        words = shlex.split(" ".join(shell[at + 1 :]), posix=True)
    except ValueError:
        return False
    told, meant = " ".join(words), " ".join(" ".join(command).split(" "))
    beside = told.removesuffix(meant).split()
    return told.endswith(meant) and all(word in _BESIDE or word == command[0] for word in beside)


def _is_client(process: Process, clients: tuple[str, ...]) -> bool:
    """Whether this is a client, by its name or by the script that its interpreter was given: not by words of code."""
    words = process.argv[1:]
    script = next((place for place, word in enumerate(words) if word[:1] != "-"), len(words))
    options = () if any(word[:2] in {"-c", "-e", "-p"} or word[:6] == "--eval" for word in words[:script]) else words
    bare = process._replace(argv=(*process.argv[:1], *options[script : script + 1]))
    return any(_is_one_of(word, clients) for word in _programs(bare))


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
    if not channel.in_front:
        return "the command runs in the background"
    if not channel.complete:
        return "not all programs above the command can be seen"
    return ""


def _client(channel: Channel) -> str:
    for process in channel.processes[1:]:
        if any(_is_one_of(word, channel.clients) for word in _programs(process)):
            return f"it was started below {_called(process)}, an agent's client"
    return ""


def _cut_off(channel: Channel) -> str:
    """Why the command no longer hangs on the terminal's own program, "" if it does: a double fork leaves it."""
    if any(process.pid == channel.leader for process in channel.processes):
        return ""
    return "it was cut off from the session of its terminal"


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
