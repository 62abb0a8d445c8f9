"""Settings: the one table of them, and which of several given values holds. Pure; the table makes docs/settings.md.

built-in < project file < user file < environment < flag. Of a gate a stricter value always holds, from wherever it
comes, and only the user's file can be laxer than what is built in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from clew.core.errors import InputError

Source = Literal["built-in", "project", "user", "environment", "flag"]
Choice: TypeAlias = str | int | bool
# gate: off, warn or deny. choice: one of a few words. program: a command line that clew would run.
SettingKind = Literal["number", "switch", "gate", "choice", "program"]
GATE: Final = ("off", "warn", "deny")
PREFIX: Final = "CLEW_"
_SAID_CHARS_MAX: Final = 16
_ON: Final = frozenset(("on", "true", "yes", "1"))
_OFF: Final = frozenset(("off", "false", "no", "0"))


class Setting(NamedTuple):
    """One row of the table. Numbers have a `unit` and a least and a greatest value that is taken, choices their
    `words`.

    `project`: whether the project's file may set it; a gate only to a stricter value, a program only once a person
    has trusted it.
    """

    name: str
    kind: SettingKind
    default: Choice
    meaning: str
    unit: str = ""
    least: int = 0
    most: int = 0
    project: bool = True
    words: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `CLEW_RESUME_BUDGET_TOKENS`."""
        return PREFIX + self.name.upper().replace(".", "_")

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind == "number":
            return f"a whole number of {self.unit} from {self.least} to {self.most}"
        if self.kind == "choice":
            return f"{', '.join(self.words[:-1])} or {self.words[-1]}"
        return {"switch": "on or off", "gate": "off, warn or deny"}.get(self.kind, "a command line")


class Given(NamedTuple):
    """A value as it was found. `place` is the file or the variable, `line` its line there, 0 unknown."""

    source: Source
    name: str
    value: object
    place: str
    line: int = 0


class Resolved(NamedTuple):
    """What holds: `source` and `place` ("" built in) tell why."""

    setting: Setting
    value: Choice
    source: Source
    place: str


class Settings(NamedTuple):
    """All settings, in the order of the table. `notes` are sentences about what was given and is not heeded."""

    rows: tuple[Resolved, ...]
    notes: tuple[str, ...] = ()

    def number(self, name: str) -> int:
        """The value of a number."""
        value = self._row(name).value
        assert isinstance(value, int)
        return value

    def on(self, name: str) -> bool:
        """Whether a switch is on."""
        return self._row(name).value is True

    def gate(self, name: str) -> str:
        """The level of a gate, or the word of a choice."""
        value = self._row(name).value
        assert isinstance(value, str)
        return value

    def _row(self, name: str) -> Resolved:
        return next(row for row in self.rows if row.setting.name == name)


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        "resume.budget_tokens",
        "number",
        2000,
        "What `clew resume` may print at most, where `--budget` says nothing else",
        unit="tokens",
        least=120,
        most=100_000,
    ),
    Setting(
        "checkpoint.auto",
        "switch",
        True,
        "Take a checkpoint when a session that is taken in committed, passed tests or was compacted",
    ),
    Setting(
        "thread.idle_days",
        "number",
        14,
        "After how long without a session a thread (a task that nobody had to open) ends by itself",
        unit="days",
        least=1,
        most=3650,
    ),
    Setting(
        "intake.deadline_ms",
        "number",
        4000,
        "How long `clew resume` waits for what sessions left; the rest comes the next time",
        unit="milliseconds",
        least=100,
        most=60_000,
    ),
    Setting(
        "retention.telemetry_days",
        "number",
        90,
        "How long the ledger keeps the note that a session was taken in; what sessions left is kept in any case",
        unit="days",
        least=1,
        most=3650,
    ),
    Setting(
        "inject.on",
        "switch",
        True,
        "Give a starting session what the last one left",
    ),
    Setting(
        "inject.recent_hours",
        "number",
        72,
        "How old a task's last session may be for a starting session to get its whole payload and not one line",
        unit="hours",
        least=1,
        most=8760,
    ),
    Setting(
        "hook.deadline_ms",
        "number",
        2000,
        "How long the hook of a starting session waits for what sessions left; the rest comes the next time",
        unit="milliseconds",
        least=100,
        most=30_000,
    ),
    Setting(
        "mcp.result_tokens",
        "number",
        1000,
        "What a tool of the MCP server may give back at most",
        unit="tokens",
        least=200,
        most=20_000,
    ),
    Setting(
        "draft.at_threshold",
        "switch",
        True,
        "Ask a session for a hand-off when its context crosses a threshold",
    ),
    Setting(
        "draft.at_stop",
        "switch",
        False,
        "Ask a session for a hand-off at the end of a turn, when it did real work since the last one",
        project=False,
    ),
    Setting(
        "draft.record_tokens",
        "number",
        12_000,
        "How much of a session's record `clew draft --ask` gives to the client that writes the hand-off",
        unit="tokens",
        least=1_000,
        most=200_000,
    ),
    Setting(
        "draft.timeout_s",
        "number",
        180,
        "How long `clew draft --ask` waits for the client",
        unit="seconds",
        least=10,
        most=3_600,
    ),
    Setting(
        "documents.share",
        "choice",
        "none",
        "Which of the files in `.clew` git may see: hand-offs and journal (`documents`), or memory and state as well",
        words=("none", "documents", "all"),
    ),
    Setting(
        "documents.at_end",
        "switch",
        True,
        "Write hand-off, session page and journal when a session ends that worked for over 15 minutes or edited files",
    ),
    Setting(
        "memory.inject",
        "switch",
        True,
        "Give a starting session the index of the memory, beside what the last session left",
    ),
    Setting(
        "gate.confirm",
        "gate",
        "off",
        "Edits wait until the agent has said the goal and the next action of the payload that it was given",
    ),
    Setting(
        "gate.stale",
        "gate",
        "warn",
        "Edits of a file that was changed from outside since the session read it",
    ),
    Setting(
        "gate.offlimits",
        "gate",
        "deny",
        "Edits of files that are off limits",
    ),
    Setting(
        "gate.guard",
        "gate",
        "warn",
        "Actions that match the guard of a failed approach",
    ),
    Setting(
        "pressure.checkpoint_percent",
        "number",
        60,
        "Share of the usable context window at which a checkpoint is advised",
        unit="percent",
        least=1,
        most=100,
    ),
    Setting(
        "pressure.checkpoint_tokens",
        "number",
        100_000,
        "Tokens of context at which a checkpoint is advised, if that is less than the share",
        unit="tokens",
        least=1_000,
        most=10_000_000,
    ),
    Setting(
        "pressure.compact_percent",
        "number",
        70,
        "Share of the usable context window at which compacting or handing over is advised",
        unit="percent",
        least=1,
        most=100,
    ),
    Setting(
        "pressure.compact_tokens",
        "number",
        200_000,
        "Tokens of context at which compacting or handing over is advised, if that is less than the share",
        unit="tokens",
        least=1_000,
        most=10_000_000,
    ),
    Setting(
        "pressure.window_tokens",
        "number",
        0,
        "The model's context window; 0: what is known of the model, or told to the client",
        unit="tokens",
        most=10_000_000,
    ),
)


def resolve(
    given: Iterable[Given],
    *,
    trusted: Callable[[Setting, str], bool],
    table: Sequence[Setting] = SETTINGS,
) -> Settings:
    """What holds of all that was given, in any order. Raises `InputError` for a value that cannot be taken.

    `trusted` tells whether a person trusted a program that the project's file names.
    """
    by_name = {setting.name: setting for setting in table}
    found: dict[str, list[tuple[Given, Choice]]] = {}
    notes = []
    for one in sorted(given, key=lambda one: _ORDER.index(one.source)):
        setting = by_name.get(one.name)
        if setting is None:
            notes.append(unknown(one.name, one.place, table))
            continue
        value = checked(setting, one.value, place=one.place, line=one.line)
        note = _not_for_projects(setting, value, trusted) if one.source == "project" else ""
        if note:
            notes.append(f"{one.place}: {note}")
        else:
            found.setdefault(one.name, []).append((one, value))
    rows = tuple(_held(setting, found.get(setting.name, []), notes) for setting in table)
    return Settings(rows, tuple(notes))


_ORDER: Final[tuple[Source, ...]] = ("built-in", "project", "user", "environment", "flag")


def _not_for_projects(setting: Setting, value: Choice, trusted: Callable[[Setting, str], bool]) -> str:
    if not setting.project:
        return f"{setting.name} is not a project's to set; it is not heeded"
    if setting.kind == "program" and not trusted(setting, str(value)):
        return f"{setting.name} names a program that nobody trusted; it is not heeded (`clew trust` shows it)"
    return ""


def _held(setting: Setting, values: list[tuple[Given, Choice]], notes: list[str]) -> Resolved:
    """Of `values`, which are in the order of their sources, the one that holds."""
    held = Resolved(setting, setting.default, "built-in", "")
    if setting.kind != "gate":
        for one, value in values:
            held = Resolved(setting, value, one.source, one.place)
        return held
    for one, value in sorted(values, key=lambda entry: entry[0].source != "user"):
        if one.source == "user" or GATE.index(str(value)) > GATE.index(str(held.value)):
            held = Resolved(setting, value, one.source, one.place)
        elif value != held.value:
            notes.append(f"{one.place}: {setting.name} = {value} would loosen a gate; {held.value} holds")
    return held


def checked(setting: Setting, value: object, *, place: str, line: int = 0) -> Choice:
    """`value` as the setting wants it; texts as people write them are understood.

    Raises `InputError` that names `place` and what is expected.
    """
    found: Choice | None = None
    text = value.strip() if isinstance(value, str) else ""
    if setting.kind == "number":
        if isinstance(value, int) and not isinstance(value, bool):
            found = value
        elif text.isascii() and text.isdigit() and len(text) < 12:
            found = int(text)
        if isinstance(found, int) and not setting.least <= found <= setting.most:
            found = None
    elif setting.kind == "switch":
        if isinstance(value, bool):
            found = value
        elif text.lower() in _ON | _OFF:
            found = text.lower() in _ON
    elif setting.kind in ("gate", "choice"):
        found = text.lower() if text.lower() in (setting.words or GATE) else None
    elif text:
        found = text
    if found is None:
        where = f"{place}, line {line}" if line else place
        raise InputError(
            f"{where}: {setting.name} cannot be {_said(value)}",
            code="E-setting-value",
            hint=f"It takes {setting.expected}; `clew settings` shows what holds.",
        )
    return found


def unknown(name: str, place: str, table: Sequence[Setting] = SETTINGS) -> str:
    """A sentence about a setting that does not exist, with the nearest one that does."""
    near = nearest(name, table)
    return f"{place}: there is no setting {name}" + (f"; did you mean {near}?" if near else "")


def nearest(name: str, table: Sequence[Setting] = SETTINGS) -> str:
    """The name that is most like `name`, "" if none is."""
    import difflib  # only for who mistyped

    names = [setting.name for setting in table]
    return next(iter(difflib.get_close_matches(name.lower(), names, 1, 0.5)), "")


def from_variables(
    environment: Mapping[str, str], table: Sequence[Setting] = SETTINGS
) -> tuple[list[Given], list[str]]:
    """What the environment sets (an empty variable sets nothing), and notes about what looks like a setting there."""
    variables = {setting.variable: setting for setting in table}
    groups = tuple({f"{PREFIX}{setting.name.partition('.')[0].upper()}_" for setting in table})
    given: list[Given] = []
    notes = []
    for variable in sorted(name for name in environment if name.startswith(PREFIX)):
        setting = variables.get(variable)
        if setting is not None and environment[variable]:
            given.append(Given("environment", setting.name, environment[variable], variable))
        elif setting is None and variable.startswith(groups):
            near = nearest(variable.removeprefix(PREFIX).replace("_", ".", 1), table)
            wanted = next((one.variable for one in table if one.name == near), "")
            notes.append(
                f"the environment's {variable} is no setting" + (f"; did you mean {wanted}?" if wanted else "")
            )
    return given, notes


def from_file(text: str, values: Mapping[str, object], *, source: Source, place: str) -> list[Given]:
    """What a file's parsed `values` set; `text` tells the lines. Tables that hold no settings are passed over."""
    given = []
    for name, value in _flat(values):
        if name.partition(".")[0] not in _NO_SETTINGS:
            given.append(Given(source, name, value, place, line_of(text, name)))
    return given


# What else stands in a project's file: its identity, and the commands that check its work (docs/trust.md).
_NO_SETTINGS: Final = frozenset(("project", "validate"))


def _flat(values: Mapping[str, object]) -> list[tuple[str, object]]:
    """Dotted names with their values. No setting is more than one table deep; what is deeper is one value."""
    found: list[tuple[str, object]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            found += [(f"{key}.{inner}", held) for inner, held in value.items()]
        else:
            found.append((key, value))
    return found


def line_of(text: str, name: str) -> int:
    """The line, from 1, on which a TOML file sets `name` in the usual ways (`[a]` and `b =`, or `a.b =`); 0 unknown."""
    table = ""
    for number, row in enumerate(text.split("\n"), start=1):
        word = row.strip()
        if word.startswith("[") and "]" in word:
            table = word.strip("[]").partition("]")[0].strip() + "."
        else:
            key, equals, _ = word.partition("=")
            if equals and table + key.strip() == name:
                return number
    return 0


def _said(value: object) -> str:
    """A value, if it is short enough to be no secret."""
    if isinstance(value, bool):
        return shown(value)
    if isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _SAID_CHARS_MAX):
        return f"“{value}”"
    return f"a text of {len(value)} characters" if isinstance(value, str) else "what stands there"


def shown(value: Choice) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
