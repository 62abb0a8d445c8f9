"""A setting, a value that was given for one, and what holds. A *family* is a row for names that people choose."""

from typing import Final, Literal, NamedTuple, TypeAlias

Source = Literal["built-in", "project", "user", "environment", "flag"]
Choice: TypeAlias = str | int | bool
# gate: off, warn or deny. choice: one of a few words. program: a command line that clew would run. model: a model as a
# client calls it. words: any number of words, kept as one text with a space between them.
SettingKind = Literal["number", "switch", "gate", "choice", "program", "model", "client", "words"]
GATE: Final = ("off", "warn", "deny")
PREFIX: Final = "CLEW_"
WORD_CHARS_MAX: Final = 100


class Setting(NamedTuple):
    """One row of the table. Numbers have a `unit` and a least and a greatest value that is taken.

    `project`: whether the project's file may set it; a gate only to a stricter value, a program only once a person
    has trusted it. In the name of a family each `*` stands for a word; a row of one has the names of its tables and
    its own as `path`, since such a word may hold dots.
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
    path: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `CLEW_RESUME_BUDGET_TOKENS`; "" for one of a family."""
        return "" if self.path else PREFIX + self.name.upper().replace(".", "_")

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of its tables in a file, and its own: `("resume", "budget_tokens")`."""
        return self.path or tuple(self.name.split("."))

    def named(self, name: str) -> "Setting | None":
        """The row `name` of this family; None where the name is none of it."""
        words = self.name.split(".")
        end = "" if words[-1] == "*" else f".{words[-1]}"
        if not (name.startswith(f"{words[0]}.") and name.endswith(end)):
            return None
        middle = name[len(words[0]) + 1 : len(name) - len(end)]
        stars = words.count("*")
        free = middle.split(".", stars - 1)
        if len(free) != stars or not all(free) or len(middle) > WORD_CHARS_MAX:
            return None
        return self._replace(name=name, path=(words[0], *free, *((words[-1],) if end else ())))

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind == "number":
            return f"a whole number of {self.unit} from {self.least} to {self.most}"
        if self.kind == "choice":
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        said = {
            "switch": "on or off",
            "gate": "off, warn or deny",
            "model": "a model as the client calls it",
            "client": "a client as clew calls it, or auto",
            "words": "words, with spaces between them",
        }
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
    """All settings, in the order of the table, and behind them those of families that somebody set. `notes` are
    sentences about what was given and ignored.
    """

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

    def family(self, name: str) -> dict[tuple[str, ...], Resolved]:
        """What somebody set of a family, by the words that stand for its `*`."""
        words = name.split(".")
        own = len(words) - words.count("*") - 1
        return {
            row.setting.path[1 : len(row.setting.path) - own]: row
            for row in self.rows
            if row.setting.path and row.setting.path[0] == words[0] and (not own or row.setting.path[-1] == words[-1])
        }

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a list."""
        return tuple(self.text(name).split())

    def _row(self, name: str) -> Resolved:
        return next(row for row in self.rows if row.setting.name == name)
