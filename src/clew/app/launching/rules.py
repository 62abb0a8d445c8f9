"""Rules files: a few lines in a file that an agent reads at its start, for agents that have no hooks of clew.

The block stands between two marks at the end of a file that is there; every other byte of it stays as it is, and taking
the block out gives the file from before. No file is made: a new one can keep a client from reading the one that was
read until then (a CLAUDE.md switches AGENTS.md off).
"""

import codecs
import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.install.entries import Machine, SettingsChange, apply
from clew.app.launching.launch import hooks_bring
from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.clients.configured import ClientConfig
from clew.clients.registry import specs
from clew.core.errors import InputError, NotFound
from clew.core.text.tokens import estimate

_BEGIN: Final = "<!-- clew:begin -->"
_END: Final = "<!-- clew:end -->"
_LINES: Final = (
    _BEGIN,
    "## Memory of this task: clew",
    "",
    "- At the start, and when your context was cut: run `clew resume` and go on from what it prints.",
    '- When something is decided: `clew decide "WHAT" --why "WHY"`. When an approach failed: `clew reject "WHAT" --why '
    '"THE ERROR"`. When something stays open: `clew ask "WHAT"`.',
    '- Before you stop: `clew next "THE NEXT ACTION"`, then `clew checkpoint`.',
    _END,
)
BLOCK: Final = "\n".join(_LINES)
# Files that agents read by themselves, beside those of our clients.
_OTHERS: Final = (
    *("QWEN.md", "CONVENTIONS.md", ".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules"),
    *(".github/copilot-instructions.md", ".junie/guidelines.md"),
)
# How others are called: a program reads all else (`package.json`, `firestore.rules`), and takes no Markdown.
_RULES_NAME: Final = re.compile(r"\.?[\w-]*rules|.*\.(?:md|mdc|txt)", re.IGNORECASE)
_FOREIGN: Final = frozenset((".git", ".clew"))
_BYTES_MAX: Final = 4 << 20
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# absent, present: nothing was to be done. The others: what was done.
Did = Literal["absent", "present", "written", "removed"]


class RulesFile(NamedTuple):
    """A rules file that is there, named from the project's root; `has_block` is False where it cannot be read. `hooked`
    are the clients that read it and have hooks of clew here: they need no block.
    """

    file: str
    has_block: bool
    hooked: tuple[str, ...]


class Ruled(JsonResult, frozen=True):
    """What stands, or was done, in the file that was named (None: none was), and the rules files that are there.
    `block` is what is put into one, of so many `tokens` (estimated).

    `notes` are sentences for the person who asked.
    """

    block: str
    tokens: int
    file: Path | None
    did: Did
    files: tuple[RulesFile, ...]
    notes: tuple[str, ...]


def rules(
    project: ProjectHandle,
    machine: Machine,
    clients: Sequence[ClientConfig],
    file: Path | None,
    *,
    wanted: Literal["look", "write", "remove"] = "look",
) -> Ruled:
    """Put the block into `file`, take it out, or only look. Twice is once.

    Raises `NotFound` for a file that is not there, `InputError` for one that cannot take it (E-rules-unfit) or cannot
    be written (E-rules-unwritable), `NotAllowed` where a file outside the project is changed and not by a person.
    """
    location = locate(project.folder)
    did: Did = "absent"
    notes: list[str] = []
    if file is not None:
        before = _read(file, location.root)
        if wanted != "look":
            _check_place(project.ports, file, location.root)
        did = _done(file, before, wanted)
    hooked = {one.name for one in clients if hooks_bring(project, machine, one)}
    files = tuple(_rules_files(location.root, hooked))
    if not location.has_ledger:
        notes.append(f"{location.root} is not initialised: run `clew init` there, or agents cannot record anything.")
    if file is not None and did in ("written", "present"):
        notes += _told_twice(file, location.root, hooked)
    return Ruled(BLOCK, estimate(BLOCK), file, did, files, tuple(notes))


def with_block(data: bytes) -> bytes:
    """The file's bytes with the block, at its end or where it stands already. Raises `ValueError` with why not."""
    found = _span(data)
    end = b"\r\n" if b"\r\n" in data else b"\n"
    if found is not None:
        start, stop = found
        return data[:start] + _block(_line_end(data, start)) + data[stop:]
    if not data.removeprefix(codecs.BOM_UTF8):
        return data + _block(end) + end
    if data.endswith(b"\n"):
        return data + end + _block(end) + end
    return data + end + end + _block(end)


def without_block(data: bytes) -> bytes:
    """The file's bytes from before the block was put in. Raises `ValueError` with why not."""
    found = _span(data)
    if found is None:
        return data
    start, stop = found
    end = _line_end(data, start)
    before, behind = data[:start], data[stop:]
    if not behind:  # the file had no line end at its end, so it got one line end more
        before = before.removesuffix(end)
    return before.removesuffix(end) + behind.removeprefix(end)


def _span(data: bytes) -> tuple[int, int] | None:
    """Where the block stands, its marks included; None if there is none."""
    if data.startswith(_UTF16) or b"\0" in data:
        raise ValueError("it is not UTF-8 text")
    begins, ends = data.count(_BEGIN.encode()), data.count(_END.encode())
    if not begins and not ends:
        return None
    start, stop = data.find(_BEGIN.encode()), data.find(_END.encode())
    if (begins, ends) != (1, 1) or stop < start:
        raise ValueError(f"the marks around clew's block are damaged ({begins} `{_BEGIN}`, {ends} `{_END}`)")
    return start, stop + len(_END)


def _line_end(data: bytes, start: int) -> bytes:
    """The line end that the block at `start` was written with."""
    return b"\r\n" if data.startswith(b"\r\n", start + len(_BEGIN)) else b"\n"


def _block(line_end: bytes) -> bytes:
    return line_end.join(line.encode() for line in _LINES)


def _done(file: Path, before: bytes, wanted: str) -> Did:
    try:
        found = _span(before) is not None
        after = with_block(before) if wanted == "write" else without_block(before)
    except ValueError as error:
        raise _unfit(file, str(error)) from None
    if wanted == "look" or after == before:
        return "present" if found else "absent"
    try:
        if apply(SettingsChange(file, before, after, settings=True)):
            return "written" if wanted == "write" else "removed"
    except OSError as error:
        raise InputError(
            f"{file} cannot be written: {error.strerror or type(error).__name__}",
            code="E-rules-unwritable",
            hint="Check its rights and the room on its disk, and run it again.",
        ) from error
    raise _unfit(file, "somebody else is writing it just now")


def _read(file: Path, root: Path) -> bytes:
    """The file's bytes."""
    try:
        facts = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        there = [name for name in _readers() if (root / name).is_file()]
        instead = f"Name one that is there ({', '.join(there)}), or make" if there else "Make"
        raise NotFound(
            f"there is no file {file}",
            code="E-rules-missing",
            hint=f"{instead} it yourself: clew makes none, since a new CLAUDE.md would switch AGENTS.md off.",
        ) from None
    except (OSError, ValueError) as error:
        raise _unfit(file, f"it cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if not stat.S_ISREG(facts.st_mode):
        raise _unfit(file, "it is not a file")
    if facts.st_size > _BYTES_MAX:
        raise _unfit(file, "it is larger than any rules are")
    try:
        return file.read_bytes()
    except OSError as error:
        raise _unfit(file, f"it cannot be read ({error.strerror})") from error


def _check_place(ports: Ports, file: Path, root: Path) -> None:
    """Nothing, if rules can stand in the file, wherever its links lead, and whoever asks may change it. A link is not
    followed out of the project: a repository can come from anybody.
    """
    top, real = Path(os.path.realpath(root)), Path(os.path.realpath(file))
    is_inside = real.is_relative_to(top)
    if not is_inside and Path(os.path.realpath(file.parent)).is_relative_to(top):
        raise _unfit(file, f"it is a link out of the project, to {real}")
    below = real.relative_to(top) if is_inside else real
    if not _FOREIGN.isdisjoint(part.lower() for part in below.parts):
        raise _unfit(file, "it is one of the files of git or of clew")
    if any(real.is_relative_to(os.path.realpath(path)) for path in ports.protected(root)):
        raise _unfit(file, "it belongs to clew, or to the settings of a client")
    if real.name not in {Path(name).name for name in _readers()} and not _RULES_NAME.fullmatch(real.name):
        raise _unfit(file, "its name is not that of a rules file")
    if not is_inside:
        require_person(ports.channel(), "rules file", f"change {real}, which is outside the project {top}")


def _readers() -> dict[str, list[str]]:
    """The files that agents read by themselves, and which clients of ours read them."""
    found: dict[str, list[str]] = {}
    for spec in specs():
        for name in spec.rules:
            found.setdefault(name, []).append(spec.name)
    return found | {name: [] for name in _OTHERS}


def _rules_files(root: Path, hooked: Iterable[str]) -> Iterable[RulesFile]:
    for name, readers in _readers().items():
        try:
            data = (root / name).read_bytes() if (root / name).is_file() else None
        except OSError:
            continue
        if data is not None:
            has_block = _BEGIN.encode() in data[:_BYTES_MAX]
            yield RulesFile(name, has_block, tuple(one for one in readers if one in hooked))


def _told_twice(file: Path, root: Path, hooked: Iterable[str]) -> Iterable[str]:
    """Which clients read the file and have hooks that say the same."""
    for name, readers in _readers().items():
        if os.path.realpath(root / name) == os.path.realpath(file):
            for client in readers:
                if client in hooked:
                    yield f"{client} reads {name} and has hooks of clew here: it needs no block."


def _unfit(file: Path, why: str) -> InputError:
    return InputError(
        f"{file} cannot take the block: {why}",
        code="E-rules-unfit",
        hint="Nothing was changed in it. `clew rules` prints the block: put it in, or take it out, by hand.",
    )
