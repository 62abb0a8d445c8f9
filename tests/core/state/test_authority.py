"""Who said it, decided over chains of processes as systems tell them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.authority import MARKS, Channel, Process, authority, is_by_client, marks_in

# From above: the first process, what opens the terminal, the shell in it, the command.
FIRST = ("systemd", "/sbin/init")
TTY = "34817"


def chain(*programs: tuple[str, str], tty_from: int = 2) -> tuple[Process, ...]:
    """Processes from above, as (name, command line): pids 1, 11, 12 …; from place `tty_from` on at a terminal whose
    session's leader is the first there; the last one runs in the foreground. Given back as a channel has them.
    """
    made = []
    for place, (name, line) in enumerate(programs):
        pid = 10 + place if place else 1
        parent = (10 + place - 1 if place > 1 else 1) if place else 0
        at_terminal = place >= tty_from
        made.append(
            Process(
                pid=pid,
                parent=parent,
                group=pid,
                session=10 + tty_from if at_terminal else pid,
                terminal=TTY if at_terminal else "",
                foreground=10 + len(programs) - 1 if at_terminal else -1,
                name=name,
                argv=tuple(shlex.split(line)),
                marks=(),
            )
        )
    return tuple(reversed(made))


def seen(processes: tuple[Process, ...], **more: object) -> Channel:
    """A channel at which nothing else is wrong."""
    return Channel(processes, complete=True, marks=(), reads=True, writes=True)._replace(**more)  # type: ignore[arg-type]


XTERM = ("xterm", "xterm")
BASH = ("bash", "bash")
CLEW = ("clew", "python /usr/bin/clew note decision x")


@pytest.mark.parametrize(
    ("opener", "shell"),
    [
        (XTERM, BASH),
        (("sshd", "sshd: ada@pts/0"), ("bash", "-bash")),
        (("sshd-session", "sshd-session: ada@pts/0"), ("zsh", "-zsh")),
        (("login", "login -pf ada"), ("zsh", "-zsh")),
        (("tmux: server", "tmux new -s work"), ("fish", "fish")),
        (("screen", "SCREEN -S work"), ("bash", "/bin/bash")),
        (("gnome-terminal-", "/usr/libexec/gnome-terminal-server"), BASH),
        (("code", "/usr/share/code/code --type=utility"), ("bash", "bash --init-file /x/shellIntegration-bash.sh")),
        (("code", "/usr/share/code/code --type=utility"), ("zsh", "/bin/zsh -il")),
        (("code", "/usr/share/code/code"), ("fish", """fish --init-command 'source "/x y/shellIntegration.fish"'""")),
        (
            ("code", "/usr/share/code/code"),
            ("pwsh", """pwsh -noexit -command 'try { . "/x/shellIntegration.ps1" } catch {}'"""),
        ),
        (("node", "/home/ada/.vscode-server/bin/1/node bootstrap-fork --type=ptyHost"), BASH),
        (("java", "java -cp x com.intellij.idea.Main"), ("bash", "bash --rcfile /x/jediterm-bash.in -i")),
        (("Relay(10)", "/init"), ("bash", "-bash")),
        (("iTermServer-3.5.2", "/Users/ada/iTermServer-3.5.2"), ("zsh", "-zsh")),
        (("Terminal", "/System/Applications/Terminal"), ("zsh", "-zsh")),
        (XTERM, ("dash", "sh -i")),
        (XTERM, ("busybox", "busybox sh -l")),
        (XTERM, ("bash", "bash --posix -o vi")),
        (XTERM, ("pwsh", "pwsh -NoLogo -WorkingDirectory /x")),
        (XTERM, ("elvish", "elvish")),
    ],
)
def test_what_is_typed_in_a_known_terminal_is_a_persons(opener: tuple[str, str], shell: tuple[str, str]) -> None:
    """People may not be taken for machines where they work."""
    assert authority(seen(chain(FIRST, opener, shell, CLEW))).provenance == "human"


@pytest.mark.parametrize(
    "between",
    [
        [("zsh", "zsh")],
        [("sudo", "sudo -u ada clew note decision x")],
        [("uv", "uv run clew note decision x")],
        [("bash", "-bash"), ("sudo", "sudo clew note decision x"), ("sudo", "sudo clew note decision x")],
        [("sudo", "sudo -s"), ("bash", "/bin/bash")],
        [("su", "su - ada"), ("bash", "-bash")],
        [("uv", "uv run bash"), ("bash", "bash")],
        [("sh", "sh -c 'bash -i'"), ("bash", "bash -i")],
        [("zsh", "zsh"), ("fish", "fish"), ("bash", "bash --norc")],
    ],
    ids=lambda between: " ".join(name for name, _ in between),
)
def test_what_only_stands_between_changes_nothing(between: list[tuple[str, str]]) -> None:
    """A shell in a shell, or a program that runs one command as it was typed."""
    assert authority(seen(chain(FIRST, XTERM, BASH, *between, CLEW))).provenance == "human"


@pytest.mark.parametrize(
    ("programs", "reason"),
    [
        ([FIRST, XTERM, BASH, ("claude", "claude"), BASH, CLEW], "below claude"),
        ([FIRST, XTERM, BASH, ("MainThread", "node /usr/bin/gemini"), BASH, CLEW], "an agent's client"),
        (
            [FIRST, XTERM, BASH, ("node", "node --no-warnings /u/node_modules/@qwen-code/qwen-code/cli.js"), CLEW],
            "node",
        ),
        ([FIRST, XTERM, BASH, ("python3.12", "python3.12 -m aider"), CLEW], "below python3.12"),
        ([FIRST, XTERM, BASH, ("bash", "bash /usr/local/bin/codex"), ("codex-x86_64-un", "codex"), CLEW], "codex"),
        ([FIRST, ("opencode", "opencode serve"), BASH, CLEW], "below opencode"),
        ([FIRST, ("Claude", "/Applications/Claude.app/Contents/MacOS/Claude"), BASH, CLEW], "below Claude"),
        ([FIRST, XTERM, BASH, ("bash", "bash -c clew"), CLEW], "started by bash"),
        ([FIRST, XTERM, BASH, ("bash", "bash -lc clew"), CLEW], "started by bash"),
        ([FIRST, XTERM, BASH, ("bash", "bash -ic clew"), CLEW], "started by bash"),
        ([FIRST, XTERM, BASH, ("bash", "bash -s"), CLEW], "started by bash"),
        ([FIRST, XTERM, BASH, ("sh", "sh .git/hooks/post-commit"), CLEW], "started by sh"),
        ([FIRST, XTERM, BASH, ("fish", "fish --command clew"), CLEW], "started by fish"),
        ([FIRST, XTERM, BASH, ("pwsh", "pwsh -Command clew"), CLEW], "started by pwsh"),
        ([FIRST, XTERM, BASH, ("make", "make note"), CLEW], "started by make"),
        ([FIRST, XTERM, BASH, ("just", "just note"), CLEW], "started by just"),
        ([FIRST, XTERM, BASH, ("git", "git commit"), CLEW], "started by git"),
        ([FIRST, XTERM, BASH, ("vim", "vim"), ("zsh", "zsh -c clew"), CLEW], "started by zsh"),
        ([FIRST, XTERM, BASH, ("python3", "python3 tool.py"), CLEW], "started by python3"),
        # A shell that waits for lines, but not for a person's.
        *(
            ([FIRST, XTERM, BASH, (line.split()[0], line), *below, CLEW], f"started by {line.split()[0]}")
            for line in ("make", "git commit", "vim", "npm test", "watch sh", "find . -exec sh", "entr sh", "ssh box")
            for below in ([BASH], [BASH, ("zsh", "zsh")])
        ),
        ([FIRST, XTERM, BASH, ("sh", "sh ./setup"), ("sh", "sh -i"), CLEW], "started by sh"),
        ([FIRST, XTERM, BASH, ("sh", "sh -c sh"), ("su", "su ada"), ("bash", "bash"), CLEW], "started by sh"),
        ([FIRST, XTERM, BASH, ("sh", "sh -c 'evil; bash'"), BASH, CLEW], "started by sh"),
        ([FIRST, XTERM, BASH, ("nix", "nix develop"), ("bash", "bash"), CLEW], "started by nix"),
        # Wrappers that run something else than what was typed.
        ([FIRST, XTERM, BASH, ("mise", "mise run note"), CLEW], "started by mise"),
        ([FIRST, XTERM, BASH, ("mise", "mise run decision x"), CLEW], "started by mise"),
        ([FIRST, XTERM, BASH, ("pdm", "python3 /usr/bin/pdm run x"), CLEW], "started by pdm"),
        ([FIRST, XTERM, BASH, ("sudo", "sudo ./setup"), CLEW], "started by sudo"),
        ([FIRST, XTERM, BASH, ("uv", "uv run it"), BASH, CLEW], "started by uv"),
        ([FIRST, XTERM, ("sudo", "sudo clew note decision x"), CLEW], "started by xterm"),
        ([FIRST, XTERM, BASH, ("su", "su ada -c clew"), CLEW], "started by su"),
        ([FIRST, ("tmux: server", "tmux"), CLEW], "not typed in a shell"),
        ([FIRST, ("sshd", "sshd: ada@pts/0"), ("bash", "bash -c clew"), CLEW], "started by bash"),
        ([FIRST, ("script", "script -q x"), BASH, CLEW], "opened by script"),
        ([FIRST, ("python3", "python3 -c pty"), BASH, CLEW], "opened by python3"),
        ([FIRST, ("code-agent", "code-agent"), BASH, CLEW], "opened by code-agent"),
        ([FIRST, ("python3", "python3 /srv/code-server/harness.py"), BASH, CLEW], "opened by python3"),
        ([FIRST, ("expect", "expect forge.exp"), BASH, CLEW], "opened by expect"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[-2][1][:24],
)
def test_what_is_not_typed_is_an_agents(programs: list[tuple[str, str]], reason: str) -> None:
    """Also when nothing of it is an agent: a command that a program runs is not what somebody said."""
    found = authority(seen(chain(*programs)))
    assert found.provenance == "agent"
    assert reason in found.reason


@pytest.mark.parametrize(
    "shell",
    [
        "bash --rcfile ./evil.sh -i",
        "bash --rcfile=./evil.sh",
        "bash --init-file ./evil.sh",
        "bash -init-file -i",
        "bash -rcfile ./evil.sh",
        "fish -C evil",
        "fish --init-command evil",
        "fish --init-command=evil",
        "yash --profile=evil",
        "nu -e evil",
        "nu --execute evil",
        "nu --config evil",
        "elvish -rc evil",
        "ksh -E evil",
        "zsh -c evil",
        "tcsh -t evil",
        "busybox watch evil",
        "pwsh -noexit -command evil",
        "pwsh -NoExit -File evil.ps1",
        "pwsh -nop evil.ps1",
        "pwsh -EncodedCommand ZQ==",
        "bash --login evil.sh",
        "bash -o vi evil.sh",
        "bash -",
    ],
)
@pytest.mark.parametrize("opener", ["xterm", "tmux: server", "code"])
def test_a_shell_with_a_script_or_a_file_of_its_own_is_not_typed_in(shell: str, opener: str) -> None:
    """What runs first there may have come with the repository; also in an editor's terminal (tasks of VS Code)."""
    found = authority(seen(chain(FIRST, (opener, opener), (shell.split(maxsplit=1)[0], shell), CLEW)))
    assert found.provenance == ("human" if shell == "bash -" else "agent")
    nested = authority(seen(chain(FIRST, XTERM, BASH, (shell.split(maxsplit=1)[0], shell), CLEW)))
    assert nested.provenance == found.provenance


@pytest.mark.parametrize(
    "line",
    [
        "bash --init-file ./shellIntegration-bash.sh",
        "bash --init-file '/x/$(evil)/shellIntegration-bash.sh'",
        "bash --init-file /x/shellIntegration-bash.sh evil.sh",
        "fish --init-command 'evil; source /x/shellIntegration.fish'",
        "fish --init-command 'source /evil /x/shellIntegration.fish'",
        "bash --init-file /x/shellIntegration-bash.sh --rcfile evil",
    ],
)
def test_only_an_editors_own_file_is_let_through(line: str) -> None:
    """And only where the editor itself started the shell."""
    code = ("code", "/usr/share/code/code")
    assert authority(seen(chain(FIRST, code, (line.split(maxsplit=1)[0], line), CLEW))).provenance == "agent"
    good = ("bash", "bash --init-file /x/shellIntegration-bash.sh")
    assert authority(seen(chain(FIRST, code, good, CLEW))).provenance == "human"
    assert authority(seen(chain(FIRST, code, BASH, good, CLEW))).provenance == "agent"
    assert authority(seen(chain(FIRST, XTERM, good, CLEW))).provenance == "agent"


def test_a_shell_that_is_fed_a_script_is_not_typed_in() -> None:
    """`curl … | bash` looks like `bash`, but for its input; a shell further up counts as well."""
    command, inner, outer, *above = chain(FIRST, XTERM, BASH, BASH, CLEW)
    found = authority(seen((command, inner._replace(fed=True), outer, *above)))
    assert (found.provenance, "started by bash" in found.reason) == ("agent", True)
    assert authority(seen((command, inner, outer._replace(fed=True), *above))).provenance == "agent"


@pytest.mark.parametrize("place", [2, 3, 4, 5])
@pytest.mark.parametrize("stranger", ["make", "x", "direnv", "tox", "python3", ""])
def test_one_stranger_between_the_command_and_its_terminal_is_enough(place: int, stranger: str) -> None:
    """The list is of what may stand there, not of what may not."""
    programs = [FIRST, XTERM, BASH, ("zsh", "zsh"), BASH, CLEW]
    assert authority(seen(chain(*programs))).provenance == "human"
    programs.insert(place, (stranger, f"{stranger} all"))
    assert authority(seen(chain(*programs))).provenance == "agent"


def test_what_a_shell_runs_for_itself_is_not_typed() -> None:
    """A line that is typed gets a process group of its own. Init files, prompts, `$(…)` and piped scripts get none."""
    command, shell, *above = chain(FIRST, XTERM, BASH, CLEW)
    own = command._replace(group=shell.group, foreground=shell.group)
    found = authority(seen((own, shell, *above)))
    assert found.provenance == "agent"
    assert "not run it as a line" in found.reason
    # Elvish and PowerShell make no groups: there it cannot be told.
    elvish = shell._replace(name="elvish", argv=("elvish",))
    assert authority(seen((own, elvish, *above))).provenance == "human"


@pytest.mark.parametrize(("opener", "provenance"), [("code", "human"), ("xterm", "agent")])
def test_a_subshell_in_an_editors_terminal_is_its_shell(opener: str, provenance: str) -> None:
    """`( cd x && clew … )`: the fork has the command line of the shell, with the editor's file in it."""
    line = ("bash", "bash --init-file /x/shellIntegration-bash.sh")
    command, fork, *above = chain(FIRST, (opener, opener), line, line, CLEW)
    command = command._replace(group=fork.group, foreground=fork.group)
    assert authority(seen((command, fork, *above))).provenance == provenance
    assert authority(seen((command, fork._replace(fed=True), *above))).provenance == "agent"


@pytest.mark.parametrize(
    ("between", "provenance"),
    [
        ([("vim", "vim")], "human"),
        ([("nvim", "nvim"), ("nvim", "nvim --embed")], "human"),
        ([("make", "make"), ("vim", "vim -S evil.vim")], "agent"),
        ([("make", "make"), ("nvim", "nvim"), ("nvim", "nvim --embed")], "agent"),
        ([("git", "git commit"), ("vim", "vim")], "agent"),
        ([("poetry", "python /usr/bin/poetry shell")], "human"),
        ([("poetry", "python /usr/bin/poetry run it")], "agent"),
        ([("make", "make"), ("script", "script")], "agent"),
    ],
    ids=str,
)
def test_who_opens_a_terminal_in_a_terminal_must_have_been_typed(
    between: list[tuple[str, str]], provenance: str
) -> None:
    """A Makefile can start an editor that types; the person who starts one is the person."""
    outer = chain(FIRST, XTERM, BASH, *between)
    if between[-1] == ("nvim", "nvim --embed"):
        outer = (outer[0]._replace(terminal="", session=outer[0].pid), *outer[1:])
    place = 3 + len(between)
    inner = chain(FIRST, XTERM, BASH, *between, BASH, CLEW, tty_from=place)[:2]
    assert authority(seen((*inner, *outer))).provenance == provenance


def test_an_editor_with_a_window_of_its_own_is_no_program_in_a_terminal() -> None:
    """Neovim below a graphical front end has no terminal itself."""
    programs = [FIRST, ("neovide", "neovide"), ("nvim", "nvim --embed"), BASH, CLEW]
    assert authority(seen(chain(*programs, tty_from=3))).provenance == "human"


def test_the_console_of_a_system_whose_login_stays_the_leader() -> None:
    """Debian's `login` starts the shell in its own session, macOS's too."""
    programs = [("login", "login -p --"), ("bash", "-bash"), CLEW]
    assert authority(seen(chain(FIRST, *programs, tty_from=1))).provenance == "human"
    terminal = ("Terminal", "/System/Applications/Terminal")
    assert authority(seen(chain(FIRST, terminal, *programs))).provenance == "human"
    assert authority(seen(chain(FIRST, ("make", "make"), *programs[1:], tty_from=1))).provenance == "agent"


@pytest.mark.parametrize(("first", "provenance"), [("tini", "human"), ("docker-init", "human"), ("make", "agent")])
def test_the_first_process_of_a_container_may_start_the_shell(first: str, provenance: str) -> None:
    """`docker run --init -it`; but not `docker run -it image make`."""
    processes = [one._replace(session=1) for one in chain((first, first), BASH, CLEW, tty_from=0)]
    assert authority(seen(tuple(processes))).provenance == provenance


@pytest.mark.parametrize(("between", "provenance"), [("script", "human"), ("sudo", "human"), ("harness", "agent")])
def test_a_terminal_in_the_terminal_is_a_persons_if_the_program_is_known_for_it(between: str, provenance: str) -> None:
    """A harness that nobody has heard of keeps a shell in a terminal of its own, too; a person started both."""
    outer = chain(FIRST, XTERM, BASH, (between, between))
    inner = chain(FIRST, XTERM, BASH, (between, between), BASH, CLEW, tty_from=4)[:2]
    found = authority(seen((*inner, *outer)))
    assert found.provenance == provenance
    assert provenance == "human" or "opened by harness" in found.reason


def test_a_terminal_that_the_first_process_opened_is_nobodys() -> None:
    """An orphan that made its own terminal looks like this; a person's has a program above it."""
    found = authority(seen(chain(FIRST, BASH, CLEW, tty_from=1)))
    assert found.provenance == "agent"
    assert "opened by systemd" in found.reason


def test_the_shell_of_a_container_is_a_persons() -> None:
    """`docker run -it` makes the shell the first process: nothing above it can be seen, and nothing is there."""
    shell, command = Process(1, 0, 1, 1, TTY, 9, "bash", ("bash",), ()), Process(9, 1, 9, 1, TTY, 9, "clew", (), ())
    assert authority(seen((command, shell))).provenance == "human"


def test_who_was_cut_off_from_the_session_is_no_person() -> None:
    """A double fork inside of the person's own terminal: the session's leader lives, and is no ancestor."""
    typed = chain(FIRST, XTERM, BASH, CLEW)
    orphan = typed[0]._replace(parent=99, session=12)
    shell = typed[1]._replace(pid=99, parent=1, session=12)
    found = authority(seen((orphan, shell, typed[3])))
    assert found[:2] == ("agent", "it was cut off from the session of its terminal")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"processes": ()}, "does not tell"),
        ({"complete": False}, "not all programs"),
        ({"reads": False}, "input is not the terminal"),
        ({"writes": False}, "go to the terminal"),
        ({"marks": ("CLAUDECODE",)}, "CLAUDECODE"),
        ({"processes": (chain(FIRST, XTERM, BASH, CLEW)[0]._replace(terminal=""),)}, "without a terminal"),
        ({"processes": (chain(FIRST, XTERM, BASH, CLEW)[0]._replace(foreground=3),)}, "background"),
        ({"processes": chain(FIRST, XTERM, BASH, CLEW)[:1]}, "no shell"),
        ({"processes": chain(FIRST, XTERM, BASH, CLEW)[:2]}, "cannot be seen"),
    ],
)
def test_what_is_not_known_is_not_trusted(more: dict[str, object], reason: str) -> None:
    """Every single thing that is missing is enough."""
    found = authority(seen(chain(FIRST, XTERM, BASH, CLEW))._replace(**more))  # type: ignore[arg-type]
    assert found.provenance == "agent"
    assert reason in found.reason


@pytest.mark.parametrize(
    ("opener", "file", "provenance"),
    [
        (("xterm", "xterm"), "/usr/bin/xterm", "human"),
        (("xterm", "xterm"), "/usr/bin/script", "agent"),
        (("xterm", "xterm"), "/usr/bin/python3.12", "agent"),
        (("xterm", "xterm /usr/bin/terminator"), "/usr/bin/script", "agent"),
        (("tmux: server", "tmux new"), "/usr/bin/tmux (deleted)", "human"),
        (("emacs", "emacs"), "/usr/bin/emacs-gtk", "human"),
        (("gvim", "gvim"), "/usr/bin/vim.gtk3", "human"),
        (("screen", "screen"), "/usr/bin/screen-4.9.0", "human"),
        (("Relay(10)", "/init"), "/init", "human"),
        (("terminator", "/usr/bin/python3 /usr/bin/terminator"), "/usr/bin/python3.12", "human"),
        (("terminator", "terminator /home/dev/x/terminator"), "/usr/bin/python3.12", "agent"),
        (("node", "node /home/dev/.vscode-server/x/server-main.js"), "/home/dev/.vscode-server/x/node", "human"),
        (("node", "node /home/dev/.vscode-server/x/server-main.js"), "/usr/bin/script", "agent"),
        (("vim", "vim"), "/usr/bin/script", "agent"),
    ],
)
def test_who_opened_the_terminal_goes_by_what_it_runs(opener: tuple[str, str], file: str, provenance: str) -> None:
    """A link to `script` called `xterm` is `script`: any shell line can make one."""
    processes = list(chain(FIRST, opener, BASH, CLEW))
    processes[2] = processes[2]._replace(file=file)
    found = authority(seen(tuple(processes)))
    assert found.provenance == provenance, found.reason
    assert provenance == "human" or file in found.reason


def test_a_console_goes_by_what_it_runs_too() -> None:
    """Else a shell in the terminal of anything is a console, if it is called `login`."""
    for file, argv, provenance in [
        ("/usr/bin/login", ("login",), "human"),
        ("/bin/busybox", ("login",), "human"),
        ("/bin/busybox", ("script",), "agent"),
        ("/usr/bin/bash", ("login",), "agent"),
    ]:
        processes = list(chain(FIRST, ("login", "login"), BASH, CLEW, tty_from=1))
        processes[2] = processes[2]._replace(file=file, argv=argv)
        assert authority(seen(tuple(processes))).provenance == provenance


def test_who_hides_what_it_runs_stands_below_the_systems_own() -> None:
    """A process of sshd's hides itself, and so does what may not be read; only one has sshd above."""
    sshd = [("sshd", "sshd -D"), ("sshd", "sshd: ada [priv]"), ("sshd", "sshd: ada@pts/0")]
    processes = list(chain(FIRST, *sshd, BASH, CLEW, tty_from=4))
    processes[2] = processes[2]._replace(veiled=True)
    assert authority(seen(tuple(processes))).provenance == "human"
    alone = list(chain(FIRST, sshd[-1], BASH, CLEW))
    alone[2] = alone[2]._replace(veiled=True)
    found = authority(seen(tuple(alone)))
    assert (found.provenance, "does not show what it runs" in found.reason) == ("agent", True)


def test_where_others_code_is_loaded_nothing_is_a_persons() -> None:
    """What decides here may then be somebody else's."""
    found = authority(seen(chain(FIRST, XTERM, BASH, CLEW), loads=("PYTHONPATH",)))
    assert (found.provenance, "PYTHONPATH" in found.reason) == ("agent", True)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_mark_on_any_ancestor_is_enough(place: int) -> None:
    """`env -i` takes the marks off the command, not off the shell that was started with them."""
    processes = list(chain(FIRST, XTERM, BASH, CLEW))
    processes[place] = processes[place]._replace(marks=("CODEX_CI",))
    found = authority(seen(tuple(processes)))
    assert found.provenance == "agent"
    assert "CODEX_CI" in found.reason


def test_only_clients_own_variables_are_marks() -> None:
    """People export keys and folders of clients in their profiles; that makes nobody an agent."""
    theirs = "CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_API_KEY OPENCODE_DISABLE_AUTOUPDATE ANTHROPIC_API_KEY SSH_AGENT_PID"
    assert marks_in(theirs.split()) == ()
    assert marks_in(["PATH", "GEMINI_CLI", "CLEW_AGENT"]) == ("CLEW_AGENT", "GEMINI_CLI")


_NAMES = st.sampled_from(["bash", "-bash", "xterm", "claude", "node", "sudo", "tmux: server", "script", "x", ""])
_PROCESSES = st.builds(
    Process,
    pid=st.integers(0, 6),
    parent=st.integers(0, 6),
    group=st.integers(0, 6),
    session=st.integers(0, 6),
    terminal=st.sampled_from(["", TTY]),
    foreground=st.integers(-1, 6),
    name=_NAMES,
    argv=st.lists(_NAMES | st.sampled_from(["-c", "-i", "--rcfile", "-m"]), max_size=4).map(tuple),
    marks=st.sampled_from([(), ("AGENT",)]),
    file=_NAMES,
    veiled=st.booleans(),
)


@given(
    st.lists(_PROCESSES, max_size=7).map(tuple),
    st.booleans(),
    st.sampled_from([(), *((mark,) for mark in sorted(MARKS)[:2])]),
    st.booleans(),
    st.booleans(),
)
def test_no_chain_raises_and_no_client_ever_stands_above_a_person(
    processes: tuple[Process, ...], complete: bool, marks: tuple[str, ...], reads: bool, writes: bool
) -> None:
    """The system may tell anything."""
    found = authority(Channel(processes, complete, marks, reads, writes))
    assert found.reason
    if found.provenance == "human":
        assert complete and reads and writes and not marks
        assert not any("claude" in (one.name, *one.argv[:1]) or one.marks for one in processes[1:])


HOOK = ("python3", "-I", "-S", "-c", "import clewhook; clewhook.main()", "claude-code", "PostToolUse")
LINE = shlex.join(HOOK)


def hooked(*above: tuple[str, ...]) -> Channel:
    """A hook, and the command lines of what started it."""
    lines = (HOOK, *above)
    processes = (
        Process(100 - at, 99 - at, 1, 1, "", 0, line[0].rpartition("/")[2], line, ()) for at, line in enumerate(lines)
    )
    return seen(tuple(processes))._replace(reads=False)


@pytest.mark.parametrize(
    "above",
    [
        [("claude", "--continue")],
        [("node", "--no-warnings", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js")],
        [("/bin/zsh", "-lc", LINE), ("codex",)],
        [("bash", "-c", f"[ -x python3 ] || exit 0; exec {LINE}"), ("node", "/usr/bin/gemini")],
        [],
    ],
    ids=["itself", "a script of Node", "its shell", "a look before", "nothing can be seen"],
)
def test_a_hook_that_a_client_started_is_the_clients(above: list[tuple[str, ...]]) -> None:
    assert is_by_client(hooked(*above))


@pytest.mark.parametrize(
    "above",
    [
        [("bash", "-c", f"{LINE} < event.json"), ("claude",)],
        [("bash", "-c", f"cat event.json | {LINE}"), ("claude",)],
        [("bash", "-c", f"eval '{LINE} < e'; true"), ("claude",)],
        [("bash", "-c", LINE), ("bash", "-c", "printf x | ./send"), ("claude",)],
        [("sh", "./send"), ("claude",)],
        [("bash",), ("claude",)],
        [("python3", "-c", "# /node_modules/claude-code/cli.js"), ("bash", "-c", "x"), ("claude",)],
        [("systemd",)],
    ],
    ids=["fed", "piped", "evaluated", "shell in shell", "a script", "typed", "a program", "cut off"],
)
def test_a_hook_that_a_tools_shell_started_is_not(above: list[tuple[str, ...]]) -> None:
    assert not is_by_client(hooked(*above))


def test_a_hook_that_reads_a_terminal_is_not_the_clients() -> None:
    """Some clients' tools keep a command in a terminal, and an agent writes to it."""
    assert not is_by_client(hooked(("/bin/zsh", "-lc", LINE), ("codex",))._replace(reads=True))
