"""A project that a person opted in, and sessions whose hooks run there: the use cases behind the hooks, real parts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from clew.app.hooks.prompt import during
from clew.app.hooks.receipts import Receipt, receipts
from clew.app.hooks.session_start import session_start
from clew.app.hooks.turn_end import ended
from clew.app.ports import Ports
from clew.app.project.runtime_dirs import opt_in
from clew.core.records.hook_events import Answer, HookEvent, StartSource
from clew.core.runtime_dir import HEARD, live_folder, session_folder
from clew.core.settings import Choice
from tests.app.projects import AGENT, World
from tests.recordings.sessions import Recorder

EARLIER = "5e551011-0000-4000-8000-000000000001"
NOW = "5e551022-0000-4000-8000-000000000002"
OTHER = "5e551033-0000-4000-8000-000000000003"
# No system gives a process this number.
GONE = 2**22 + 1
# An hour before the world's clock.
LATELY = "2026-11-21T23:00:00"
LONG_AGO = "2026-11-01T09:00:00"


class Hooked(World):
    """A world whose project was opted in. Clients' processes are gone, unless one is named."""

    def __init__(self, folder: Path, *, opted_in: bool = True) -> None:
        super().__init__(folder)
        self.data = self.home / ".local" / "share" / "clew"
        if opted_in:
            opt_in(self.data, self.top)

    def hook(self, session: str, **environment: str) -> Ports:
        """The ports of a hook of that session."""
        found = self.ports_of(AGENT)
        return found._replace(asking_session=session, environment={**found.environment, **environment})

    def start(
        self,
        source: StartSource = "startup",
        *,
        session: str = NOW,
        folder: Path | None = None,
        task: str = "",
        pid: int = GONE,
        ports: Ports | None = None,
        **fields: Any,
    ) -> Answer:
        """What a session that starts is answered."""
        where = str(folder or self.top)
        event = HookEvent("claude-code", "session_start", session, folder=where, source=source, pid=pid, **fields)
        given = ports or self.hook(session, **({"CLEW_TASK": task} if task else {}))
        said = session_start(given, event, str(self.data))
        here = Path(session_folder(live_folder(str(self.data), where), session))
        if here.is_dir():
            (here / "started").touch()  # as the hook does that ran to its end
            (here / HEARD).touch()
        self._at_its_time(here)
        return said

    def end(self, name: Any = "stop", *, session: str = NOW, **fields: Any) -> None:
        """A turn or a session ends, or a compaction begins."""
        event = HookEvent("claude-code", name, session, folder=str(self.top), **fields)
        ended(self.hook(session), event, self.live)
        self._at_its_time(self.session(session))

    def prompt(self, name: Any = "prompt", *, session: str = NOW, ports: Ports | None = None, **fields: Any) -> Answer:
        """What is answered at a prompt, which is counted as the fast hook does."""
        here = self.session(session)
        here.mkdir(parents=True, exist_ok=True)
        (here / HEARD).touch()
        if name == "prompt":
            with (here / "prompts").open("ab") as file:
                file.write(b".")
        event = HookEvent("claude-code", name, session, folder=str(self.top), **fields)
        said = during(ports or self.hook(session), event, self.live, str(self.data))
        self._at_its_time(here)
        return said

    def _at_its_time(self, folder: Path) -> None:
        """What was written into a session's folder has the time of this world, not of the machine."""
        now_s = self.clock() / 1000
        for path in folder.glob("*"):
            os.utime(path, (now_s, now_s), follow_symlinks=False)

    @property
    def live(self) -> str:
        """The live folder of the work tree's top."""
        return live_folder(str(self.data), str(self.top))

    def session(self, session: str = NOW) -> Path:
        """The folder of a session in it."""
        return Path(session_folder(self.live, session))

    def receipts(self) -> list[Receipt]:
        """What sessions were given, newest first."""
        with self.desk(write=False) as at:
            return list(receipts(at))

    def story(self, *, session: str = EARLIER, start: str = LATELY, cwd: Path | None = None) -> Recorder:
        """A session that decided something, edited a file, failed at a check, and was killed in a command."""
        made = Recorder(cwd or self.top, session=session, start=start).user("Fix the tide in src/a.py")
        made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
        made.reply("Decision: keep `moon()` in src/a.py because the loader needs it.")
        made.run("pytest tests/test_a.py", "FAILED tests/test_a.py::test_x - AssertionError: 1 == 2", code=1)
        return made.call("Bash", {"command": "sleep 100"})

    def finished(self, *, session: str = EARLIER, start: str = LATELY) -> Recorder:
        """A session that did what it was asked, committed it, and said so."""
        made = Recorder(self.top, session=session, start=start).user("Fix the tide in src/a.py")
        made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
        made.run("git commit -qam 'Fix the tide'", "[main 1234567] Fix the tide")
        return made.reply("Done: the tide is mended and committed.")

    def setting(self, name: str, value: Choice) -> None:
        """The user sets something."""
        group, _, key = name.partition(".")
        place = self.home / ".config" / "clew" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        told = f'"{value}"' if isinstance(value, str) else str(value).lower()
        place.write_text(f"[{group}]\n{key} = {told}\n")


def own_process() -> int:
    """A process that runs for sure."""
    return os.getpid()
