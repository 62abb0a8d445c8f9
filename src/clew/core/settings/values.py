"""Which of several given values of a setting holds, and values as people write them. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from clew.core.errors import InputError
from clew.core.settings.setting import GATE, PREFIX, WORD_CHARS_MAX, Choice, Given, Resolved, Setting, Settings, Source
from clew.core.settings.table import FAMILIES, RENAMED, SETTINGS

_SAID_CHARS_MAX: Final = 16
_ON: Final = frozenset(("on", "true", "yes", "1"))
_OFF: Final = frozenset(("off", "false", "no", "0"))


def resolve(
    given: Iterable[Given], *, trusted: Callable[[Setting, str], bool], table: Sequence[Setting] = SETTINGS
) -> Settings:
    """What holds of all that was given, in any order. Raises `InputError` for a value that cannot be taken.

    `trusted` tells whether a person trusted a program that the project's file names.
    """
    by_name = {setting.name: setting for setting in table}
    of_families: list[Setting] = []
    found: dict[str, list[tuple[Given, Choice]]] = {}
    notes = []
    for one in sorted(given, key=lambda one: _ORDER.index(one.source)):
        setting = by_name.get(one.name) or meant(one.name, table)
        if setting is None:
            notes.append(unknown(one.name, one.place, table))
            continue
        if one.name not in by_name:
            by_name[one.name] = setting
            of_families.append(setting)
        value = checked(setting, one.value, place=one.place, line=one.line)
        note = _not_for_projects(setting, value, trusted) if one.source == "project" else ""
        if note:
            notes.append(f"{one.place}: {note}")
        else:
            found.setdefault(one.name, []).append((one, value))
    of_families.sort(key=lambda setting: setting.name)
    rows = tuple(
        _held(setting, found.get(setting.name, []), notes)
        for setting in (*table, *(one for one in of_families if found.get(one.name)))
    )
    return Settings(rows, tuple(notes))


def meant(name: str, table: Sequence[Setting] = SETTINGS) -> Setting | None:
    """The setting of this name (which may be one that it had before), of the table or of a family; None for none."""
    name = RENAMED.get(name, name)
    row = next((setting for setting in table if setting.name == name), None)
    return row or next((found for family in FAMILIES if (found := family.named(name))), None)


_ORDER: Final[tuple[Source, ...]] = ("built-in", "project", "user", "environment", "flag")


def _not_for_projects(setting: Setting, value: Choice, trusted: Callable[[Setting, str], bool]) -> str:
    if not setting.project:
        return f"{setting.name} cannot be set by a project; it was ignored"
    if setting.kind == "program" and not trusted(setting, str(value)):
        return f"{setting.name} names a program that nobody trusted; it was ignored (`clew trust` shows it)"
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
    found = _understood(setting, value)
    if found is None:
        where = f"{place}, line {line}" if line else place
        raise InputError(
            f"{where}: {setting.name} cannot be {_said(value)}",
            code="E-setting-value",
            hint=f"It takes {setting.expected}; `clew settings` shows what holds.",
        )
    return found


def _understood(setting: Setting, value: object) -> Choice | None:
    """`value` as the kind of setting has it, None where it is none of that kind."""
    text = value.strip() if isinstance(value, str) else ""
    match setting.kind:
        case "number":
            number = value if isinstance(value, int) and not isinstance(value, bool) else None
            if text.isascii() and text.isdigit() and len(text) < 12:
                number = int(text)
            return number if number is not None and setting.least <= number <= setting.most else None
        case "switch":
            known = text.lower() in _ON | _OFF
            return value if isinstance(value, bool) else text.lower() in _ON if known else None
        case "gate" | "choice":
            words = GATE if setting.kind == "gate" else setting.choices
            return text.lower() if text.lower() in words else None
        case "model" | "client":
            return text if _is_model(text) else None
        case "words":
            listed = [str(one) for one in value] if isinstance(value, list) else text.split()
            return " ".join(listed) if isinstance(value, (str, list)) and "" not in listed else None
        case "program":
            return text if text or value == setting.default else None


def _is_model(text: str) -> bool:
    """Whether a client can be given that as a model: no option, and nothing that a shell would read."""
    rest = text.translate(_MODEL_MARKS)
    return text[:1].isalnum() and len(text) <= WORD_CHARS_MAX and rest.isascii() and rest.isalnum()


_MODEL_MARKS: Final = {ord(mark): None for mark in "._-:/@[]"}


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
    for before, name in RENAMED.items():
        setting = meant(name, table)
        if setting is not None and not environment.get(setting.variable):
            variables[setting._replace(name=before).variable] = setting
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
    for name, value in sorted(_flat(values), key=lambda one: one[0] not in RENAMED):  # what is said anew holds
        if name.partition(".")[0] not in _NO_SETTINGS and name not in _NO_SETTINGS:
            given.append(Given(source, RENAMED.get(name, name), value, place, line_of(text, name)))
    return given


# What else stands in files: a project's identity and the commands that check its work (docs/reference/trust.md), and a
# person's own prices (docs/reference/cost.md).
_DEPTH_MAX: Final = 4
_NO_SETTINGS: Final = frozenset(("project", "validate.commands", "prices"))


def _flat(values: Mapping[str, object]) -> list[tuple[str, object]]:
    """Dotted names with their values, of tables in tables too. What holds no settings is one value."""
    found: list[tuple[str, object]] = []
    waiting: list[tuple[str, object, int]] = [(key, values[key], 0) for key in reversed([*values])]
    while waiting:
        name, value, depth = waiting.pop()
        if isinstance(value, Mapping) and value and depth < _DEPTH_MAX and name not in _NO_SETTINGS:
            waiting += [(f"{name}.{key}", value[key], depth + 1) for key in reversed([*value])]
        else:
            found.append((name, value))
    return found


def line_of(text: str, name: str) -> int:
    """The line, from 1, on which a TOML file sets `name` in the usual ways (`[a]` and `b =`, or `a.b =`); 0 unknown."""
    table = ""
    for number, row in enumerate(text.split("\n"), start=1):
        word = row.strip()
        if word.startswith("[") and "]" in word:
            table = word.strip("[]").partition("]")[0].strip().replace('"', "") + "."
        else:
            key, equals, _ = word.partition("=")
            if equals and table + key.strip().replace('"', "") == name:
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
