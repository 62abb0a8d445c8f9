"""Who said it, decided over chains of processes as systems tell them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.authority import Channel, Process, authority, is_by_client

TTY = "/dev/pts/1"
# From above: the first process, what opens the terminal, the shell in it, the command.
TYPED = (("systemd", "/sbin/init"), ("xterm", "xterm"), ("bash", "bash"), ("clew", "python /usr/bin/clew note x"))


def chain(*programs: tuple[str, str]) -> tuple[Process, ...]:
    """Processes from above, as (name, command line); from the third on at a terminal. As a channel has them."""
    made = (
        Process(10 + place, name, tuple(shlex.split(line)), TTY if place > 1 else "")
        for place, (name, line) in enumerate(programs)
    )
    return tuple(made)[::-1]


def seen(chain: tuple[Process, ...], **more: object) -> Channel:
    """A channel at which nothing else is wrong, of a session that the third process from above leads."""
    clients = ("claude", "codex", "gemini", "aider")
    channel = Channel(
        chain, complete=True, leader=12, marks=(), reads=True, writes=True, in_front=True, clients=clients
    )
    return channel._replace(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "between",
    [
        [],
        [("sudo", "sudo clew note x")],
        [("make", "make note")],
        [("vim", "vim"), ("bash", "bash")],
        [("python", "python /home/ada/claudette.py")],
        [("bash", "bash -c 'ls ~/.claude/agents; clew note x'")],
    ],
)
def test_a_terminal_that_no_client_stands_above_is_a_persons(between: list[tuple[str, str]]) -> None:
    """Which program opens it, and what stands between, does not matter."""
    found = authority(seen(chain(*TYPED[:3], *between, TYPED[3])))
    assert found.provenance == "human", found.reason


@pytest.mark.parametrize(
    "client",
    [
        ("claude", "claude"),
        ("node", "node /usr/lib/node_modules/@google/gemini-cli/dist/index.js"),
        ("python3", "python3 -m aider"),
        ("bash", "bash /usr/bin/codex"),
    ],
)
@pytest.mark.parametrize("place", [1, 2, 3])
def test_one_client_above_is_enough(client: tuple[str, str], place: int) -> None:
    found = authority(seen(chain(*TYPED[:place], client, *TYPED[place:])))
    assert (found.provenance, "an agent's client" in found.reason) == ("agent", True)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_mark_on_any_ancestor_is_enough(place: int) -> None:
    """`env -i` takes the marks off the command, not off the shell that was started with them."""
    processes = list(chain(*TYPED))
    processes[place] = processes[place]._replace(marks=("CODEX_CI",))
    found = authority(seen(tuple(processes)))
    assert (found.provenance, "CODEX_CI" in found.reason) == ("agent", True)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"processes": ()}, "does not tell"),
        ({"complete": False}, "not all programs"),
        ({"reads": False}, "input is not the terminal"),
        ({"writes": False}, "go to the terminal"),
        ({"in_front": False}, "background"),
        ({"marks": ("CLAUDECODE",)}, "CLAUDECODE"),
        ({"loads": ("PYTHONPATH",)}, "PYTHONPATH"),
        ({"leader": 99}, "cut off"),
        ({"processes": (chain(*TYPED)[0]._replace(terminal=""),)}, "without a terminal"),
    ],
)
def test_what_is_not_known_is_not_trusted(more: dict[str, object], reason: str) -> None:
    """Every single thing that is missing is enough."""
    found = authority(seen(chain(*TYPED), **more))
    assert (found.provenance, reason in found.reason) == ("agent", True), found.reason


_NAMES = st.sampled_from(["bash", "-bash", "xterm", "claude", "node", "sudo", "tmux: server", "script", "x", ""])
_PROCESSES = st.builds(
    Process,
    pid=st.integers(0, 6),
    name=_NAMES,
    argv=st.lists(_NAMES | st.sampled_from(["-c", "-i", "--rcfile", "-m"]), max_size=4).map(tuple),
    terminal=st.sampled_from(["", TTY]),
    marks=st.sampled_from([(), ("AGENT",)]),
    fed=st.booleans(),
)


@given(
    st.builds(
        Channel,
        processes=st.lists(_PROCESSES, max_size=7).map(tuple),
        complete=st.booleans(),
        leader=st.integers(0, 6),
        marks=st.sampled_from([(), ("AGENT",)]),
        reads=st.booleans(),
        writes=st.booleans(),
        in_front=st.booleans(),
        clients=st.just(("claude",)),
    )
)
def test_no_chain_raises_and_no_client_ever_stands_above_a_person(channel: Channel) -> None:
    """The system may tell anything."""
    found = authority(channel)
    assert found.reason
    if found.provenance == "human":
        assert channel.complete and channel.reads and channel.writes and channel.in_front and not channel.marks
        assert not any("claude" in (one.name, *one.argv[:1]) or one.marks for one in channel.processes[1:])


HOOK = ("python3", "-I", "-S", "-c", "import clewhook; clewhook.main()", "claude-code", "PostToolUse")
LINE = shlex.join(HOOK)


def hooked(*above: tuple[str, ...]) -> Channel:
    """A hook, and the command lines of what started it."""
    lines = (HOOK, *above)
    processes = (Process(100 - at, line[0].rpartition("/")[2], line) for at, line in enumerate(lines))
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
