"""The one way out: every text that leaves the machine is scanned here, and refused where it holds a secret.

A refusal names rule and place, never the value. Nothing leaves unscanned: an engine that fails is a refusal as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotAllowed
from clew.secrets import Redactor, scan
from clew.secrets.personal import Sort, personal

if TYPE_CHECKING:
    from clew.app.egress.clean_texts import CleanTexts
    from clew.secrets.deep import DeepScan, Engine


Exit = Literal["clipboard", "file", "launch", "issue", "export", "push", "stdout"]
EXITS: Final[tuple[Exit, ...]] = get_args(Exit)
OWN_RULES: Final = "clew"

_SHOWN_MAX: Final = 5
_WHAT: Final[dict[Exit, str]] = {
    "clipboard": "what would go to the clipboard",
    "file": "what would go into the file",
    "launch": "what would go to a model",
    "issue": "what would go into the issue",
    "export": "the export",
    "push": "what would be pushed",
    "stdout": "what would be printed",
}
_SORTS: Final[dict[Sort, str]] = {
    "mail": "a mail address",
    "phone": "a telephone number",
    "iban": "an IBAN",
    "card": "the number of a payment card",
}


class Leak(JsonResult, frozen=True):
    """What looks like a secret: of what kind (`rule`), in which text (`where`), on which of its lines (from 1; 0: the
    text has one). `digits` name the value under the ledger's key, as placeholders do; "" where there is no key.
    """

    rule: str
    digits: str
    where: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.where}, line {self.line}" if self.line else self.where


class PersonalData(JsonResult, frozen=True):
    """Personal data that leaves: of which `sort`, where it stands, and how many of the sort stand in that text."""

    sort: Sort
    where: str
    line: int
    count: int


@dataclass(frozen=True, slots=True)
class Scanned:
    """Nothing speaks against it. `engine` says what looked: "clew", or "clew + NAME VERSION" with a deep engine.
    `warnings` is the personal data in it, `allowed` what a person let pass.
    """

    engine: str
    warnings: tuple[PersonalData, ...]
    allowed: tuple[Leak, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person is to be told, in sentences."""
        return (
            *map(_warned, self.warnings),
            *(f"It holds {one.rule} {one.digits}, as allowed." for one in self.allowed),
        )


def require_clean(
    texts: Iterable[tuple[str, str]],
    key: bytes,
    *,
    exit: Exit,
    allow: Collection[str] | None = (),
    deep: DeepScan | None = None,
    hint: str = "",
    remembered: Callable[[str], CleanTexts] | None = None,
) -> Scanned:
    """Nothing but what was seen, if none of `texts` (what it is called, the text) holds what looks like a secret, but
    for what a person lets pass by its digits in `allow` (`permitted` asks who that is; None: nobody can, here).
    `texts` are read once, in order, to the end.

    `deep` opens the engine that looks as well (`Ports.deep_scan`). `hint` says where the value can be taken out.
    `remembered` gives the texts that need no other look, by what looked.

    Raises `NotAllowed`: E-egress-secret, or E-egress-engine where something could not be scanned.
    """
    named = Redactor(key or None)
    engine = opened(deep)
    by = f"{OWN_RULES} + {engine.name}" if engine else OWN_RULES
    known = remembered(by) if remembered else None
    clean: list[tuple[str, bool]] = []
    found: dict[tuple[str, str, str, int], Leak] = {}
    warnings: dict[tuple[str, Sort], PersonalData] = {}
    for where, text, is_clean in known.unknown(texts) if known else ((*one, False) for one in texts):
        secrets, data = [] if is_clean else findings(text, where, engine), personal(text)
        if not secrets and not is_clean:
            clean.append((text, bool(data)))
        for one in secrets:
            digits = named.fingerprint(text[one.start : one.end])
            leak = Leak(one.rule, digits, where, line_of(text, one.start))
            found.setdefault((one.rule, digits, where, leak.line), leak)
        for sort, start, _end in data:
            before = warnings.get((where, sort))
            warnings[where, sort] = PersonalData(
                sort, where, before.line if before else line_of(text, start), before.count + 1 if before else 1
            )
    if known:
        known.keep(clean)
    refused = [leak for leak in found.values() if not leak.digits or leak.digits not in (allow or ())]
    if refused:
        raise _refused(refused, exit, hint, may_pass=allow is not None)
    return Scanned(by, tuple(warnings.values()), tuple(found.values()))


def opened(deep: DeepScan | None) -> Engine | None:
    """The deep engine, None where there is none. Raises `NotAllowed` (E-egress-engine)."""
    if deep is None:
        return None
    try:
        return deep()
    except Exception as error:
        raise _unscanned(error) from error


class SecretFinding(NamedTuple):
    """A finding at `text[start:end]`; `is_deep`: only the deep engine has it."""

    rule: str
    start: int
    end: int
    is_deep: bool


def findings(text: str, where: str, engine: Engine | None) -> list[SecretFinding]:
    """What our rules find, and what the deep engine finds beside that. Raises `NotAllowed` (E-egress-engine)."""
    try:
        ours = scan(text)
        theirs = engine.scan(text) if engine else ()
    except Exception as error:
        raise _unscanned(error, where) from error
    beside = (one for one in theirs if not any(one.start < known.end and known.start < one.end for known in ours))
    return [*(SecretFinding(*one, False) for one in ours), *(SecretFinding(*one, True) for one in beside)]


def line_of(text: str, start: int) -> int:
    """On which line of a text a place is, from 1; 0 in a text of one line."""
    return text.count("\n", 0, start) + 1 if "\n" in text else 0


def _refused(leaks: Sequence[Leak], exit: Exit, hint: str, *, may_pass: bool) -> NotAllowed:
    names = [" ".join(filter(None, (one.rule, one.digits))) + f" ({one.place})" for one in leaks[:_SHOWN_MAX]]
    more = f" and {len(leaks) - len(names)} more" if len(leaks) > len(names) else ""
    digits = next((one.digits for one in leaks if one.digits), "")
    passes = ""
    if may_pass and digits:
        passes = f"; or, if it is none, a person lets it pass: --allow {digits} --why TEXT"
    elif may_pass:
        passes = "; without a ledger (`clew init`) it has no digits by which a person could let it pass"
    return NotAllowed(
        f"{_WHAT[exit]} holds what looks like a secret: {', '.join(names)}{more}",
        code="E-egress-secret",
        hint=f"Nothing was sent. {hint or 'Take it out with `clew redact ID`'}{passes}.",
    )


def _unscanned(error: Exception, where: str = "") -> NotAllowed:
    # What an engine says of itself may hold what it looked at.
    what = f"{where} could not be scanned for secrets" if where else "the deep scan for secrets could not start"
    return NotAllowed(
        f"{what} ({type(error).__name__})",
        code="E-egress-engine",
        hint="Nothing was sent. The deep engine is the extra `[secrets]`: reinstall `kingfisher-secret-scanner`, or "
        "uninstall it to go by clew's own rules alone.",
    )


def _warned(one: PersonalData) -> str:
    place = f"{one.where}, line {one.line}" if one.line else one.where
    more = "" if one.count == 1 else f", the first of {one.count}"
    return f"It holds {_SORTS[one.sort]} ({place}{more})."


def permitted(ports: Ports, allow: Collection[str], why: str) -> None:
    """Nothing, if nothing is to be let pass, or a person says so and `why`. Raises `NotAllowed`, `InputError`."""
    if not allow:
        return
    if not why.strip():
        raise InputError(
            "letting a finding pass needs a reason",
            code="E-egress-why",
            hint="Give it with --why: it is recorded with your name, so that others can see it.",
        )
    require_person(ports.channel(), "leave")


def note_allowed(at: ProjectSession, scanned: Scanned, *, exit: Exit, why: str, task: str | None = None) -> None:
    """Keep who let which finding pass, where to and why, before it leaves. `task` None: the one that is bound here."""
    digits = {leak.digits: leak for leak in scanned.allowed}
    if not digits:
        return
    named = at.task() if task is None else task
    at.keep(
        [
            at.event(
                "secret.allowed",
                {"digits": one.digits, "rule": one.rule, "exit": exit, "where": one.place, "why": why.strip()},
                task=named,
            )
            for one in digits.values()
        ]
    )


def leaving(
    project: ProjectHandle,
    texts: Iterable[tuple[str, str]],
    *,
    exit: Exit,
    allow: Collection[str] = (),
    why: str = "",
    hint: str = "",
) -> Scanned:
    """`require_clean` for who has no open session: under the key of the ledger that is kept for `folder` (absolute),
    with what was allowed kept there. Raises as `permitted`, `require_clean` and `open_project` do.
    """
    permitted(project.ports, allow, why)
    if not locate(project.folder).has_ledger:
        return require_clean(texts, b"", exit=exit, deep=project.ports.deep_scan, hint=hint)
    with project.open(write=bool(allow)) as at:
        from clew.app.egress.clean_texts import CleanTexts  # here: SQLite, and most who send ask otherwise

        key, ports = at.ledger.key, project.ports

        def remembered(engine: str) -> CleanTexts:
            return CleanTexts(ports.cache_folder, key, engine)

        known = remembered if key else None
        scanned = require_clean(texts, key, exit=exit, allow=allow, deep=ports.deep_scan, hint=hint, remembered=known)
        note_allowed(at, scanned, exit=exit, why=why)
        return scanned
