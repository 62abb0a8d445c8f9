"""Pressure: how close a session's context is to being harmful. What to do about it is in `advice.py`. Pure;
docs/reference/pressure.md.

A model's window is not all usable: the client drops the context some way before its end, and that is the distance that
counts. Every threshold is the smaller of a share of the usable window and a number of tokens.
"""

from typing import Final, Literal, NamedTuple

from clew.core.settings import Settings
from clew.core.settings.table import CHECKPOINT, COMPACT

# Windows in tokens by the beginning of a model's name, the longest one that fits counts; the second number is the one
# that the model has where somebody asked for it, which its name in a session file does not tell. As in the table of
# Claude Code 2.1.330 (docs/reference/pressure.md says where it stands and how to read it again).
_LONG: Final = 1_000_000
_SHORT: Final = 200_000
_WINDOWS: Final[tuple[tuple[str, int, int], ...]] = (
    ("claude-fable-5", _LONG, _LONG),
    ("claude-haiku-4", _SHORT, _SHORT),
    ("claude-haiku-5", _LONG, _LONG),
    ("claude-mythos-5", _LONG, _LONG),
    ("claude-opus-4-6", _SHORT, _LONG),
    ("claude-opus-4-7", _LONG, _LONG),
    ("claude-opus-4-8", _LONG, _LONG),
    ("claude-opus-4", _SHORT, _SHORT),
    ("claude-opus-5", _LONG, _LONG),
    ("claude-sonnet-4", _SHORT, _LONG),
    ("claude-sonnet-5", _LONG, _LONG),
    ("claude-3", _SHORT, _SHORT),
    ("gemini-", 1_048_576, 1_048_576),
)
# In percent of the window where the client of these models compacts unless it was told otherwise.
_COMPACTS_AT: Final = (("gemini-", 50),)
_LONG_SUFFIX: Final = "[1m]"
# What the client keeps free: room for the summary's own answer, and a margin.
RESERVE: Final = 20_000 + 13_000
USABLE_MIN: Final = 10_000

Level = Literal["", "checkpoint", "compact"]


class Window(NamedTuple):
    """A model's context window in tokens; `usable` are those up to where the client compacts by itself.

    `is_sure`: it is known, and not only what a model of an unknown name is taken to have.
    """

    tokens: int
    usable: int
    is_sure: bool


class ToldWindow(NamedTuple):
    """What somebody told the client: the tokens at which its window ends (0 nobody did), and whether it `compacts` by
    itself.
    """

    tokens: int = 0
    compacts: bool = True

    def measured(self, tokens: int) -> "ToldWindow":
        """With the window that the client itself tells of a session (0 none): the smaller one is where it ends."""
        return self._replace(tokens=min(filter(None, (self.tokens, tokens)), default=0))


_NOTHING: Final = ToldWindow()


class Thresholds(NamedTuple):
    """From how many tokens of context on a checkpoint is advised, and from how many on compacting or handing over.

    `checkpoint_by` and `compact_by` say in words where each comes from.
    """

    checkpoint: int
    compact: int
    checkpoint_by: str
    compact_by: str
    window: Window


def window(model: str, *, context: int = 0, told: ToldWindow = _NOTHING) -> Window:
    """The window of `model`, as a session file names it or as a user does (`[1m]`, a vendor's prefix).

    `context` is the largest one that was seen: what held it is at least so large. `told` is stronger than both.
    """
    tokens, is_sure = _named(model.strip().lower())
    if told.tokens:
        tokens, is_sure = told.tokens, True
    elif context > tokens:
        tokens, is_sure = max(_LONG, context), context <= _LONG
    share = next((share for begins, share in _COMPACTS_AT if _plain(model.strip().lower()).startswith(begins)), 0)
    if share and told.compacts and not told.tokens:
        return Window(tokens, tokens * share // 100, is_sure)
    reserve = RESERVE if told.compacts else 0
    return Window(tokens, max(tokens - reserve, min(tokens, USABLE_MIN)), is_sure)


def thresholds(
    model: str, settings: Settings, *, client: str = "", context: int = 0, told: ToldWindow = _NOTHING
) -> Thresholds:
    """The thresholds of a session with `model` in `client` ("" unknown: the least that any may have); further arguments
    as for `window`. The setting wins, one for the model over one for the client, and both over one for all.
    """
    said, _ = number(settings, "pressure.window_tokens", model, client)
    found = window(model, context=context, told=told._replace(tokens=said) if said else told)
    checkpoint, checkpoint_by = _smaller(found, settings, CHECKPOINT, model, client)
    compact, compact_by = _smaller(found, settings, COMPACT, model, client)
    return Thresholds(checkpoint, compact, checkpoint_by, compact_by, found)


def crossed(context: int, limits: Thresholds) -> Level:
    """The highest threshold that a context of so many tokens has reached, "" none."""
    if context >= limits.compact:
        return "compact"
    return "checkpoint" if context >= limits.checkpoint else ""


def threshold_line(context: int, limits: Thresholds, *, compactions: int = 0, drafts: bool = False) -> str:
    """The one line that a session is told when its context has crossed a threshold; "" if it has crossed none.

    `drafts`: whoever takes a checkpoint now is asked for a hand-off.
    """
    level = crossed(context, limits)
    if not level:
        return ""
    size = f"clew: the context is {thousands(context)} tokens, over {spoke(level, limits)}. "
    mark = "Call the tool checkpoint (or `clew checkpoint`) and write the hand-off it asks for" if drafts else ""
    if level == "checkpoint":
        return f"{size}{mark} now." if drafts else f"{size}Take a checkpoint now (`clew checkpoint`)."
    if compactions:
        how = f"{mark}, then end" if drafts else "hand over at the next step boundary (`clew checkpoint`, new session)"
        return f"{size}It was compacted before: {how[0].lower()}{how[1:]}."
    if drafts:
        return f"{size}{mark}; then compact at the next step boundary."
    return f"{size}Compact at the next step boundary (`clew resume --profile focus` prints what to keep)."


def percent(context: int, limits: Thresholds) -> int:
    """How much of the usable window is used, in percent, rounded down."""
    return 100 * context // limits.window.usable


def thousands(tokens: int) -> str:
    """A number of tokens as people say it: `104k`, `1.2M`, `1.7B`, `900`."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 999_500:
        return f"{round(tokens / 1000)}k"
    of, unit = (1_000_000, "M") if tokens < 999_995_000 else (1_000_000_000, "B")
    return f"{tokens / of:.2f}".rstrip("0").rstrip(".") + unit


def _named(model: str) -> tuple[int, bool]:
    """Window by name, and whether that is certain."""
    if model.endswith(_LONG_SUFFIX):
        return _LONG, True
    plain = _plain(model)
    fitting = [row for row in _WINDOWS if plain.startswith(row[0])]
    if not fitting:
        return _SHORT, False
    _, tokens, most = max(fitting, key=lambda row: len(row[0]))
    return tokens, tokens == most


def _plain(model: str) -> str:
    """A model's name without a vendor's prefix."""
    at = max(model.find("claude-"), model.find("gemini-"))
    return model[at:] if at >= 0 else model


def number(settings: Settings, name: str, model: str, client: str) -> tuple[int, str]:
    """The value of a setting for a model and a client, and the name under which it is set."""
    group, _, key = name.partition(".")
    given = {words[0]: row for words, row in settings.family(f"{group}.*.{key}").items()}
    plain = _plain(model.strip().lower())
    of_models = [word for word in given if plain and word != client and plain.startswith(word.lower())]
    found = max(of_models, key=len, default=client if client in given else "")
    if found:
        return int(given[found].value), given[found].setting.name
    least = min((row for row in given.values() if row.value), key=lambda row: int(row.value), default=None)
    value = settings.number(name)
    if least is not None and not (model or client) and int(least.value) < (value or int(least.value) + 1):
        return int(least.value), least.setting.name
    return value, name


def _smaller(found: Window, settings: Settings, names: tuple[str, str], model: str, client: str) -> tuple[int, str]:
    """The smaller one of a share of the usable window and a number of tokens, and its name."""
    percentage, _ = number(settings, names[0], model, client)
    tokens, name = number(settings, names[1], model, client)
    by_share = found.usable * percentage // 100
    if tokens <= by_share:
        return tokens, name
    return by_share, f"{percentage} % of {'' if found.is_sure else 'about '}{thousands(found.usable)} usable tokens"


def spoke(level: Level, limits: Thresholds) -> str:
    """The threshold of a level, in words."""
    tokens, by = (
        (limits.compact, limits.compact_by) if level == "compact" else (limits.checkpoint, limits.checkpoint_by)
    )
    return f"{thousands(tokens)} ({by})"
