"""What a client's own settings say that clew has to know: which hooks of ours are there, how long sessions are kept,
when the client drops its context. Values only; each client's `config.py` reads them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol


class InstalledHook(NamedTuple):
    """A hook of ours as it stands in the file `place`: what the client starts for `event`, without a shell."""

    event: str
    program: str
    arguments: tuple[str, ...]
    timeout_s: int
    place: Path


class Problem(NamedTuple):
    """Why hooks in a file of settings do not run, a clause; and how that is mended, a sentence. Not `hinders`: they
    run, and something about it is bad.
    """

    said: str
    mend: str
    hinders: bool = True


class Configuration(NamedTuple):
    """What holds for sessions in one project.

    `events` are those that a whole installation has a hook for, in their order. `hooks` are ours, in files of the
    user's own; `foreign` the other files that have a hook which is called like ours. `problems` are of files that the
    client does not read, or that switch hooks off. `retention_days`: how long the client keeps session files after
    they were last written, 0 for ever; `retention_said`: somebody set that. `compact_window`: the tokens that
    somebody told the client its window has, 0 nobody did. `compacts`: it drops its context by itself. `always` are
    those of the events that no session is without.
    """

    client: str
    events: tuple[str, ...]
    hooks: tuple[InstalledHook, ...]
    problems: tuple[Problem, ...]
    retention_days: int
    retention_said: bool
    compact_window: int
    compacts: bool
    always: tuple[str, ...] = ("SessionStart", "UserPromptSubmit")
    foreign: tuple[Path, ...] = ()


def told_apart(
    hooks: Iterable[InstalledHook], own: Collection[Path]
) -> tuple[tuple[InstalledHook, ...], tuple[Path, ...]]:
    """Those of `hooks` that stand in files of the user's `own`, and the other files. Such a file came with a repository
    (clew puts no hook there): its author could have a hook called like ours start anything.
    """
    rows = list(hooks)
    ours = tuple(row for row in rows if row.place in own)
    return ours, tuple(dict.fromkeys(row.place for row in rows if row.place not in own))


class Trial(NamedTuple):
    """What the client would give to one of our hooks: `given` by stdin, `environment` beside the caller's own."""

    given: bytes
    environment: Mapping[str, str]


class Configured(Protocol):
    """A client's settings on this machine."""

    name: str

    def files(self, root: Path) -> tuple[Path, ...]:
        """The settings files that hold in the project whose top is `root`, there or not; what a later one says wins."""
        ...

    def read(
        self, found: Sequence[tuple[Path, bytes]], environment: Mapping[str, str], *, plugins: Collection[Path] = ()
    ) -> Configuration:
        """What those of the files say that are there. `environment` is the one that the client would be started in.
        `plugins` are those of the files that clew made for a plugin. Opens nothing and never raises on content.
        """
        ...

    def trial(self, event: str, *, session: str, place: Path, config: Path) -> Trial:
        """What the client would give to the hook of `event` in a session in the folder `place`, if its own folder were
        `config`. The session is made up.
        """
        ...

    def recorded(self, *, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
        """The session file of that session, as the client would have written it, and where below `config`."""
        ...

    def is_own(self, variable: str) -> bool:
        """Whether the client sets or heeds an environment variable: a trial must not have the caller's."""
        ...


class Tried:
    """What `Configured` says of trials, which the module `trial` of the same family knows. `clew doctor` alone tries
    hooks, so that is loaded late.
    """

    def trial(self, event: str, *, session: str, place: Path, config: Path) -> Trial:
        """See `Configured.trial`."""
        found: Trial = self._trials().trial(event, session=session, place=place, config=config)
        return found

    def recorded(self, *, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
        """See `Configured.recorded`."""
        found: tuple[Path, bytes] = self._trials().recorded(session=session, place=place, config=config)
        return found

    def is_own(self, variable: str) -> bool:
        """See `Configured.is_own`."""
        return bool(self._trials().is_own(variable))

    def _trials(self) -> Any:
        return __import__(f"{type(self).__module__.rpartition('.')[0]}.trial", fromlist=["*"])
