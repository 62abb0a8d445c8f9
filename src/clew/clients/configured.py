"""What a client's own settings say that clew has to know: which hooks of ours are there, how long sessions are kept,
when the client drops its context. One reader for all; a family's `settings.py` says what is its own. Opens nothing but
the made-up session of a family (`assets/trial.json`).
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from clew.clients.fields import inner
from clew.clients.installing import is_hook, started
from clew.clients.spec import ClientSpec

# Settings of clew's own; a trial has none of the caller's.
_CLEW: Final = "CLEW_"


class InstalledHook(NamedTuple):
    """A hook of ours as it stands in the file `place`: what the client starts for `event`, without a shell."""

    event: str
    program: str
    arguments: tuple[str, ...]
    timeout_s: int
    place: Path


class HookRow(NamedTuple):
    """A hook of ours and the `row` of settings that it was read from: the `number`-th in the group `group_number` of
    its event, and what it is asked for ("" all).
    """

    hook: InstalledHook
    row: Mapping[str, Any]
    matcher: str
    group_number: int
    number: int


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
    user's own; `foreign` the other files that have a hook which is called like ours: such a file came with a
    repository (clew puts no hook there), and its author could have it start anything. `problems` are of files that the
    client does not read, or that switch hooks off. `retention_days`: how long the client keeps session files after
    they were last written, 0 for ever; `retention_said`: somebody set that. `compact_window`: the tokens that
    somebody told the client its window has, 0 nobody did. `compacts`: it drops its context by itself. `always` are
    those of the events that no session is without.
    """

    client: str
    events: tuple[str, ...]
    hooks: tuple[InstalledHook, ...]
    problems: tuple[Problem, ...]
    retention_days: int = 0
    retention_said: bool = False
    compact_window: int = 0
    compacts: bool = True
    always: tuple[str, ...] = ()
    foreign: tuple[Path, ...] = ()


class SettingLayers(NamedTuple):
    """The settings that the client reads, by their files in the order in which a later one wins; our hooks in them; and
    the environment that the client would be started in.
    """

    files: Sequence[tuple[Path, Mapping[str, Any]]]
    ours: Sequence[HookRow]
    environment: Mapping[str, str]

    @property
    def held(self) -> dict[str, Any]:
        """What holds of each member."""
        return {name: value for _, values in self.files for name, value in values.items()}


class Trial(NamedTuple):
    """What the client would give to one of our hooks: `given` by stdin, `environment` beside the caller's own."""

    given: bytes
    environment: Mapping[str, str]


class JsonForm(NamedTuple):
    """What a client does with a file in JSON that it does not read: a clause, and a sentence on how that is mended.
    `comments`: it takes comments and trailing commas.
    """

    otherwise: str
    mend: str
    comments: bool = False


class ClientConfig:
    """A client's settings on this machine. `home` is the client's folder. A member says its `spec`, the `form` of its
    settings, and what of them counts.
    """

    spec: ClassVar[ClientSpec]
    form: ClassVar[JsonForm]

    def __init__(self, home: Path) -> None:
        self.name = self.spec.name
        self.home = home

    def files(self, root: Path) -> tuple[Path, ...]:
        """The settings files that hold in the project whose top is `root`, there or not; what a later one says wins."""
        return self.spec.settings_of(self.home, root)

    def read(self, found: Sequence[tuple[Path, bytes]], environment: Mapping[str, str]) -> Configuration:
        """What those of the files say that are there. `environment` is the one that the client would be started in.
        Never raises on content.
        """
        own = {self.home / name for name in self.spec.settings}
        rows: list[HookRow] = []
        problems: list[Problem] = []
        layers: list[tuple[Path, dict[str, Any]]] = []
        for path, data in found:
            values, form, why = self.decode(path, data)
            rows += self.rows(path, values)
            if why:
                problems.append(Problem(f"{path} {why}, so {form.otherwise}", form.mend))
            else:
                layers.append((path, values))
        ours = [row for row in rows if row.hook.place in own]
        told = SettingLayers(layers, ours, environment)
        held = Configuration(
            client=self.name,
            events=self.spec.events,
            hooks=tuple(row.hook for row in ours),
            problems=(*problems, *self.problems(told)),
            always=self.spec.always,
            foreign=tuple(dict.fromkeys(row.hook.place for row in rows if row not in ours)),
        )
        return held._replace(**self.judge(told))

    def trial(self, event: str, *, session: str, place: Path, config: Path) -> Trial:
        """What the client would give to the hook of `event` in a made-up session in the folder `place`, if its own
        folder were `config`.
        """
        told = self._told(session, place, config)
        given = {**told["common"], "hook_event_name": event, **told["events"].get(event, {})}
        return Trial(json.dumps(given).encode(), told["environment"])

    def recorded(self, *, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
        """The session file of that session, as the client would have written it, and where below `config`."""
        told = self._told(session, place, config)
        if "database" in told:
            return Path(told["database"]), _database(told["record"])
        return Path(told["transcript"]), "".join(f"{json.dumps(line)}\n" for line in told["record"]).encode()

    def is_own(self, variable: str) -> bool:
        """Whether the client sets or heeds an environment variable: a trial must not have the caller's."""
        return variable.startswith((*self.spec.own_variables, _CLEW))

    def _told(self, session: str, place: Path, config: Path) -> dict[str, Any]:
        """The made-up session of the family. In its texts names in braces stand for what is known here only."""
        module = sys.modules[type(self).__module__].__file__ or ""
        told = json.loads(Path(module).with_name("assets").joinpath("trial.json").read_text(encoding="utf-8"))
        known = {"session": session, "short": session[:8], "place": str(place), "config": str(config)}
        known["slug"] = re.sub(r"[^A-Za-z0-9]", "-", str(place))
        known["transcript"] = _filled(told["transcript"], known)
        filled: dict[str, Any] = _filled(told, known)
        return filled

    # What a member says in a way of its own.

    def decode(self, path: Path, data: bytes) -> tuple[dict[str, Any], JsonForm, str]:  # noqa: ARG002
        """What a settings file says; and why the client does not read it, a clause, with the form that was asked for.
        What would stand there is told all the same, since our hooks may be among it.
        """
        values, why = decode_json(data, self.form)
        return values, self.form, why

    def rows(self, path: Path, values: Mapping[str, Any]) -> Iterator[HookRow]:
        """The hooks of ours in a file."""
        for event, groups in inner(values, "hooks").items():
            for group_number, group in enumerate(groups if isinstance(groups, list) else ()):
                rows = group.get("hooks") if isinstance(group, dict) else None
                for number, row in enumerate(rows if isinstance(rows, list) else ()):
                    if is_hook(self.spec, row) and (words := started(self.spec, row)):
                        matcher = group.get("matcher")
                        hook = InstalledHook(event, words[0], words[1:], self.timeout_s(event, row), path)
                        yield HookRow(hook, row, matcher if isinstance(matcher, str) else "", group_number, number)

    def timeout_s(self, event: str, row: Mapping[str, Any]) -> int:  # noqa: ARG002
        """The time-out of a hook in seconds, 0 for none of its own."""
        return whole(row.get("timeout"))

    def problems(self, told: SettingLayers) -> Iterator[Problem]:
        """What keeps hooks from running."""
        raise NotImplementedError

    def judge(self, told: SettingLayers) -> dict[str, Any]:  # noqa: ARG002
        """Of a `Configuration` how long sessions are kept and when the context is dropped, as far as that is told."""
        return {}


def whole(value: object) -> int:
    """A whole number above 0, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 40 else 0


def decode_json(data: bytes, form: JsonForm) -> tuple[dict[str, Any], str]:
    """The object that a settings file holds, and why a client that takes this form does not read it, a clause."""
    problem = ""
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text) if text.strip() else {}
    except UnicodeDecodeError:
        return {}, "is not UTF-8"
    except (ValueError, RecursionError):
        from clew.clients.jsonc import NotJson, parse, plain  # here: most files are what the client takes

        try:
            node = parse(text)
            value = plain(text, node) if node else {}
        except NotJson as error:
            return {}, f"is not JSON (line {error.line}: {error.what})"
        problem = "" if form.comments else "has comments or trailing commas"
    return (value, problem) if isinstance(value, dict) else ({}, "is not a JSON object")


def _filled(value: Any, known: Mapping[str, str]) -> Any:
    """`value` with what is known in the place of its names in braces."""
    if isinstance(value, str):
        for name, text in known.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, list):
        return [_filled(one, known) for one in value]
    return {key: _filled(one, known) for key, one in value.items()} if isinstance(value, dict) else value


def _database(statements: Iterable[Sequence[Any]]) -> bytes:
    """A database in which these statements, each with its values, were carried out; an object is put in as JSON."""
    import apsw  # here: SQLite costs as much as the interpreter

    connection = apsw.Connection(":memory:")
    try:
        for statement, *values in statements:
            connection.execute(statement, [json.dumps(one) if isinstance(one, dict) else one for one in values])
        return connection.serialize("main")
    finally:
        connection.close()
