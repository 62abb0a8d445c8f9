"""A setting, a value that was given for one, and what holds."""

from typing import Final, Literal, NamedTuple, TypeAlias

Source = Literal["built-in", "project", "user", "environment", "flag"]
Choice: TypeAlias = str | int | bool
# gate: off, warn or deny. choice: one of a few words. program: a command line that clew would run. words: any number of
# words, kept as one text with a space between them.
SettingKind = Literal["number", "switch", "gate", "choice", "program", "words"]
GATE: Final = ("off", "warn", "deny")
PREFIX: Final = "CLEW_"


class Setting(NamedTuple):
    """One row of the table. Numbers have a `unit` and a least and a greatest value that is taken.

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
    choices: tuple[str, ...] = ()

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
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        said = {"switch": "on or off", "gate": "off, warn or deny", "words": "words, with spaces between them"}
        return said.get(self.kind, "a command line")


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
        """The level of a gate: off, warn or deny."""
        value = self._row(name).value
        assert isinstance(value, str)
        return value

    def text(self, name: str) -> str:
        """The word of a choice, or the text of words."""
        value = self._row(name).value
        assert isinstance(value, str)
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a list."""
        return tuple(self.text(name).split())

    def _row(self, name: str) -> Resolved:
        return next(row for row in self.rows if row.setting.name == name)
