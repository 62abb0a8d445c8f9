"""Who said it: from what was seen of the channel to the class of what comes by it (docs/reference/authority.md). Pure.

A command is a person's only if it was typed: in a shell that waits for lines, at a terminal that a known program
opened, with nothing in between but shells and programs that pass on what is typed, with no client among its ancestors
and no client's mark in the environment. All else, and all that cannot be seen, is an agent's.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.core.state.items import Authority


class Process(NamedTuple):
    """One process as the system tells it.

    `group` and `session` are ids of processes, `foreground` the group that its terminal listens to. `terminal` is the
    controlling terminal in the system's own words, "" none. `name` is the program's, `argv` its command line. `marks`
    are the names of clients' marks in the environment that it was started with, as far as that can be read. `fed`:
    its stdin was seen to be something else than its terminal. `file` is the program that it runs, whatever it is
    called ("" cannot be seen); `veiled`: it is this user's own, on a system that tells, and does not show it.
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
    fed: bool = False
    file: str = ""
    veiled: bool = False


class Channel(NamedTuple):
    """What was seen of the way by which a command came.

    `processes`: the one that runs first, then its parent and so on. `complete`: they go up to the first one of the
    system. `marks`: of the environment now. `reads` and `writes`: stdin, and one of stdout and stderr, are the
    controlling terminal. `loads` are variables that have this program load somebody's code (`LOADING`).
    """

    processes: tuple[Process, ...]
    complete: bool
    marks: tuple[str, ...]
    reads: bool
    writes: bool
    loads: tuple[str, ...] = ()


# Variables that a client sets for the commands it runs; nobody sets them for himself. CLEW_AGENT is for programs that
# are not listed and start clew for a model. Where each was seen: docs/reference/authority.md.
MARKS: Final = frozenset(
    (
        *("CLEW_AGENT", "AI_AGENT", "AGENT"),
        *("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"),
        *("CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT"),
        *("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
        *("GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD"),
        *("OPENCODE", "OPENCODE_PID", "OPENCODE_SESSION_ID"),
        *("QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
        *("CURSOR_AGENT", "COPILOT_AGENT", "COPILOT_CLI", "CLINE_ACTIVE", "CRUSH", "GOOSE_TERMINAL"),
    )
)

# Variables that have Python run what they name before anything of ours, or in its place (`-E` in its documents).
LOADING: Final = frozenset(
    "PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX"
    " PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHON_PRESITE".split()
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
# Options with which a shell still waits for lines. Not those that name an init file or a first command: what is in
# there was not typed, and it may come with the repository.
_FLAGS: Final = frozenset("ilfhuvxNP")
_LONG_FLAGS: Final = frozenset(
    "- -- --login --norc --noprofile --posix --interactive --restricted --verbose --noediting --no-rcs --no-globalrcs"
    " --no-config --no-config-file --no-std-lib --private -login -norc -noprofile".split()
)
_VALUED: Final = frozenset(("-O", "+O", "-o", "+o"))
_PWSH_FLAGS: Final = frozenset("-nologo -nol -noexit -noe -noprofile -nop -login -l -interactive -i".split())
_PWSH_VALUED: Final = frozenset("-workingdirectory -wd -executionpolicy -ex -ep".split())
# Shells that do not give each line a process group of its own.
_WITHOUT_JOBS: Final = frozenset(("elvish", "pwsh"))
# Of WSL: the program that opens terminals is the system's first.
_SYSTEMS_INIT: Final = frozenset(("init",))
# Where packages put the scripts of terminal programs that are written in Python.
_PACKAGED: Final = ("/usr/bin/", "/usr/share/", "/usr/libexec/", "/usr/lib/", "/opt/", "/snap/", "/nix/store/")
# What an editor tells the shell in its terminal, to see where a command begins and ends.
_INTEGRATION_OPTIONS: Final = frozenset("--init-file --rcfile --init-command -C -command -file".split())
_INTEGRATION_FILES: Final = (
    *("/shellintegration-bash.sh", "/shellintegration.fish", "/shellintegration.ps1"),
    *("/jediterm-bash.in", "/bash-integration.bash", "/fish-integration.fish", "/powershell-integration.ps1"),
)
# Programs that run one command in the same place. They count if their own words end with those of what they run:
# some also run tasks out of the repository, which nobody typed.
_WRAPPERS: Final = frozenset("sudo doas time env nice uv uvx hatch pdm poetry pipenv pixi rye mise".split())
# Programs that start a shell as another user.
_USER_CHANGERS: Final = frozenset("sudo su doas".split())
# The first process of a container, if it is not the shell.
_CONTAINER_INITS: Final = frozenset("docker-init tini catatonit".split())
# Programs that open a terminal of their own for the one who typed them. Any other that does so may be a harness.
_PASSERS: Final = frozenset("script sudo su doas asciinema ttyrec vi vim nvim".split())
# The same, if they were told `shell`.
_SHELL_PASSERS: Final = frozenset("poetry pipenv hatch pixi".split())
_TERMINAL_EDITORS: Final = frozenset("vi vim nvim".split())
# Editors that tell the shell in their terminal to load a file of theirs.
_EDITORS: Final = frozenset(
    (
        *"code code-insiders code-oss codium vscodium cursor windsurf".split(),
        *"idea pycharm webstorm goland clion phpstorm rubymine rider datagrip rustrover studio".split(),
    )
)
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
        *"zed zed-editor emacs gvim kate dolphin rstudio".split(),
        *_EDITORS,
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
    if channel.loads and not refusal:
        refusal = f"{channel.loads[0]} has other code run in the place of clew's"
    if refusal:
        return Authority("agent", refusal)
    return Authority("human", "it was typed in a shell at a terminal")


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
            return _is_client(process)
        if not _was_told(process.argv, own[0].argv):
            return False
    return not above


# What a hook's line may hold beside the command: a look whether the program is there (`clients/*/install.py`).
_BESIDE: Final = frozenset(("[", "-x", "]", "||", "exit", "0;", "exec"))


def _was_told(shell: tuple[str, ...], command: tuple[str, ...]) -> bool:
    """Whether the line that a shell was given runs this command, and does nothing else."""
    import shlex

    at = next((place for place, word in enumerate(shell) if place and word[:1] + word[-1:] == "-c"), len(shell))
    try:
        words = shlex.split(" ".join(shell[at + 1 :]), posix=True)
    except ValueError:
        return False
    told, meant = " ".join(words), " ".join(" ".join(command).split(" "))
    beside = told.removesuffix(meant).split()
    return told.endswith(meant) and all(word in _BESIDE or word == command[0] for word in beside)


def _is_client(process: Process) -> bool:
    """Whether this is a client, by its name or by the script that its interpreter was given: not by words of code."""
    words = process.argv[1:]
    script = next((place for place, word in enumerate(words) if word[:1] != "-"), len(words))
    options = () if any(word[:2] in {"-c", "-e", "-p"} or word[:6] == "--eval" for word in words[:script]) else words
    bare = process._replace(argv=(*process.argv[:1], *options[script : script + 1]))
    return any(_is_one_of(word, _CLIENTS) for word in _programs(bare))


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

    An interactive shell ran it. Its session's leader stands above it: who was cut off from it (a double fork) no
    longer does. Up to the leader there is nothing but shells of that kind and what passes on what is typed. What
    opened the leader's terminal is a program known for that, or one that does so for the person who typed it.
    """
    process = processes[at]
    if not process.terminal:
        return f"{_called(process)} runs without a terminal"
    shell = at + 1
    while shell < len(processes) and _passes_on(processes, shell):
        shell += 1
    while _is_subshell(processes, shell):
        shell += 1
    if shell >= len(processes):
        return "no shell stands above the command"
    if not _waits_for_lines(processes, shell):
        return f"it was started by {_called(processes[shell])}, not typed in a shell"
    # A line that is typed gets a process group of its own; what runs for an init file, for the prompt or in `$(…)`, or
    # out of a script that the shell reads as its input, stays in the shell's.
    if processes[shell - 1].group == processes[shell].group and _base(processes[shell].name) not in _WITHOUT_JOBS:
        return f"{_called(processes[shell])} did not run it as a line that was typed"
    leader = next((place for place in range(at, len(processes)) if processes[place].pid == process.session), -1)
    if leader < 0:
        return "it was cut off from the session of its terminal"
    for place in range(shell + 1, leader + 1):
        if not _keeps_typed(processes, place, leader):
            return f"the shell was started by {_called(processes[place])}, not typed in a shell"
    return _not_opened_for_a_person(processes, leader)


def _not_opened_for_a_person(processes: tuple[Process, ...], leader: int) -> str:
    """Why the terminal of this session's leader is not a person's, "" if it is."""
    if processes[leader].parent == 0:
        return ""  # the first process of a container, or one that was sent into it
    if _base(processes[leader].name) == "login":
        return _disguised(processes, leader)  # the console
    opener = leader + 1
    if opener >= len(processes):
        return "what opened its terminal cannot be seen"
    if _opens_terminals(processes[opener]):
        return _disguised(processes, opener)
    name = _base(processes[opener].name)
    if name in _TERMINAL_EDITORS:
        # Neovim has its screen in one process and its terminals in another, which has none itself.
        while opener + 1 < len(processes) and _base(processes[opener + 1].name) == name:
            opener += 1
        if not processes[opener].terminal:
            return _disguised(processes, opener)  # in a window of its own
    if name not in _PASSERS and not (name in _SHELL_PASSERS and "shell" in processes[opener].argv):
        return f"its terminal was opened by {_called(processes[opener])}, which clew does not know for that"
    refusal = _not_typed(processes, opener)
    return f"its terminal was opened by {_called(processes[opener])}: {refusal}" if refusal else ""


def _disguised(processes: tuple[Process, ...], place: int) -> str:
    """Why this is not the program that gives people terminals which it is called as, "" if it is as far as can be seen.

    A link, or a name that was given, makes any program be called so: what counts is the file that runs.
    """
    process = processes[place]
    if not process.file:
        # A daemon of the system's hides its processes for users (sshd), and stands above them itself.
        above = processes[place + 1] if place + 1 < len(processes) else process
        if process.veiled and (above.veiled or above.pid == 1 or not _opens_terminals(above)):
            return f"its terminal was opened by {_called(process)}, which does not show what it runs"
        return ""
    real = _base(process.file.removesuffix(" (deleted)"))
    names = {real, real.rstrip("-.0123456789"), real.partition("-")[0].partition(".")[0]}
    if real == "busybox":  # one program of many names, and what it does goes by the first word
        names = {_base(process.argv[0])} & {"login"} if process.argv else set()
    if names & (_OPENERS | _TERMINAL_EDITORS | _SYSTEMS_INIT):
        return ""
    if _is_editors_interpreter(process) and names & _OPENER_INTERPRETERS:
        return ""
    script = next((word for word in process.argv[1:] if word[:1] != "-"), "")
    is_scripts = real.rstrip("0123456789.") in _INTERPRETERS and _base(script) in _OPENERS
    if is_scripts and script.startswith(_PACKAGED):
        return ""
    return f"its terminal was opened by {_called(process)}, which is in truth {process.file}"


def _keeps_typed(processes: tuple[Process, ...], place: int, leader: int) -> bool:
    """Whether what stands here, between a shell and its session's leader, leaves the shell one that is typed in."""
    if _waits_for_lines(processes, place) or _passes_on(processes, place):
        return True
    name, argv = _base(processes[place].name), processes[place].argv
    if name in _USER_CHANGERS:
        return True  # what it started is a shell that waits for lines, or was looked at before
    if name in _SHELLS and argv[1:2] == ("-c",) and tuple(" ".join(argv[2:]).split()) == processes[place - 1].argv:
        return True  # `script -c bash` starts it by a shell
    return place == leader and (name == "login" or (name in _CONTAINER_INITS and processes[place].parent == 0))


def _passes_on(processes: tuple[Process, ...], place: int) -> bool:
    """Whether this is a wrapper that runs the process below as its own command line says."""
    if _base(processes[place].name) not in _WRAPPERS:
        return False
    wrapper, below = processes[place].argv, processes[place - 1].argv
    if wrapper == below:
        return True  # `sudo` has a process of its own for the terminal
    # A script stands behind its interpreter, which may have been given an option.
    if below and _base(below[0]).rstrip("0123456789.") in _INTERPRETERS:
        below = below[2:] if below[1:2] in {("-E",), ("-I",), ("-s",)} else below[1:]
    front = len(wrapper) - len(below)
    return bool(below) and front > 0 and _base(wrapper[front]) == _base(below[0]) and wrapper[front + 1 :] == below[1:]


def _is_subshell(processes: tuple[Process, ...], place: int) -> bool:
    """Whether this is a shell's copy of itself that runs a part of the line."""
    if place + 1 >= len(processes) or processes[place].fed:
        return False
    process, parent = processes[place], processes[place + 1]
    return bool(process.argv) and process.argv == parent.argv and process.group == processes[place - 1].group


def _waits_for_lines(processes: tuple[Process, ...], place: int) -> bool:
    """Whether this is a shell that somebody types in: it was given no command, no script (by its input neither) and no
    init file, but for that of the editor in whose terminal it is the first process.
    """
    process = processes[place]
    if process.fed or not process.argv or _base(process.argv[0]) not in _SHELLS or _base(process.name) not in _SHELLS:
        return False
    words = process.argv[1:]
    while place + 1 < len(processes) and processes[place + 1].argv == process.argv:
        place += 1  # a subshell is a fork
    top = processes[place]
    if top.pid == top.session and place + 1 < len(processes) and _is_editor(processes[place + 1]):
        words = _without_integration(words)
    shell = _base(process.argv[0])
    if shell == "busybox":
        if words[:1] not in {("sh",), ("ash",), ("hush",)}:
            return False
        words = words[1:]
    flags, valued = (_PWSH_FLAGS, _PWSH_VALUED) if shell == "pwsh" else (_LONG_FLAGS, _VALUED)
    skip = False
    for word in map(str.lower, words) if shell == "pwsh" else words:
        if skip:
            skip = False
        elif word in valued:
            skip = True
        elif word not in flags and (shell == "pwsh" or not _are_flags(word)):
            return False
    return True


def _are_flags(word: str) -> bool:
    return word[:1] in {"-", "+"} and len(word) > 1 and _FLAGS.issuperset(word[1:])


def _without_integration(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without the option, and its value, that loads an editor's own file."""
    for place in range(len(words) - 1):
        option = words[place] if words[place] == "-C" else words[place].lower()
        if option in _INTEGRATION_OPTIONS and _loads_integration(words[place + 1]):
            return words[:place] + words[place + 2 :]
    return words


def _loads_integration(value: str) -> bool:
    """Whether an option's value is an editor's own file, or a command that does nothing but load it."""
    path = value.removeprefix("try { ").removeprefix(". ").removeprefix("source ").removesuffix(" } catch {}")
    if path[:1] in {"'", '"'} and path[-1:] == path[:1]:
        path = path[1:-1]
    elif path != value and " " in path:
        return False
    known = path.startswith("/") and path.lower().endswith(_INTEGRATION_FILES)
    return known and not set(path).intersection("\"'`$;&|()<>{}\\\n")


def _opens_terminals(process: Process) -> bool:
    return bool(_names(process) & _OPENERS) or _is_editors_interpreter(process)


def _is_editor(process: Process) -> bool:
    return bool(_names(process) & _EDITORS) or _is_editors_interpreter(process)


def _names(process: Process) -> set[str]:
    # "tmux: server", "Relay(10)", "gnome-terminal-" (cut), "iTermServer-3.5.2"
    name = process.name.lower().partition(":")[0].partition("(")[0]
    return {name, name.rstrip("-.0123456789")}


def _is_editors_interpreter(process: Process) -> bool:
    return bool(_names(process) & _OPENER_INTERPRETERS) and any(
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
