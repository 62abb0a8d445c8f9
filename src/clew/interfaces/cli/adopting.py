"""What `clew init --adopt` says and asks: the files it found, what each would bring, and whether to take them in."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from clew.app.importing.adopt import Adopted, Offer, Offers, adopt, offers, title_for
from clew.app.ports import Ports
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.asking import confirmed
from clew.interfaces.cli.here import count, of_kind, say_notes

_KINDS_MAX = 3


class Asked(NamedTuple):
    """What was found, and what was taken in (None: nothing, nobody said so)."""

    offers: "Offers"
    adopted: "Adopted | None"


def adopting(ports: "Ports", folder: Path, *, dry_run: bool, yes: bool, quiet: bool) -> Asked:
    """Offer what lies around in the project of `folder`, and take it in if a person at the terminal, or `yes`, says so.

    `quiet`: print nothing to stdout, and ask nothing.
    """
    found = offers(ports, folder)
    useful = [one for one in found.found if one.brings]
    title = one_line(clean(title_for(ports, folder, useful)))
    if not quiet:
        for line in _offered(found):
            print(line)
        if title and (dry_run or not yes):
            print(f"No task is bound here: a task “{title}” would be opened for it.")
    if dry_run or not useful or not (yes or (not quiet and _agreed(len(useful)))):
        return Asked(found, None)
    done = adopt(ports, folder, useful)
    for line in _adopted(done) if not quiet else ():
        print(line)
    if done.left:
        names = ", ".join(one.name for one in done.left)
        say_notes([f"{names} came with the repository: a person takes that in (`clew init --adopt` at a terminal)."])
    if done.opened:
        say_notes(done.opened.notes)
    if done.taken:
        say_notes(done.taken.notes)
    return Asked(found, done)


def _agreed(number: int) -> bool:
    """Whether a person at the terminal wants that; without one the answer is no."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        say_notes(["Nothing was taken in: at a terminal you are asked, --yes says so beforehand."])
        return False
    return confirmed(f"Take in {count(number, 'file')}?")


def _offered(found: "Offers") -> Iterator[str]:
    useful = [one for one in found.found if one.brings]
    rest = len(found.found) - len(useful) - sum(bool(one.problem) for one in found.found)
    if not useful:
        known = f": {count(rest, 'file')} known already" if rest else ""
        yield f"Nothing else to take in{known}."
    for one in useful:
        yield one_line(clean(f"Found {one.name} ({one.sort}, {_size(one.size)}{_origin(one)}): {_brings(one)}"))
    for one in found.found:
        if one.problem:
            yield one_line(clean(f"Found {one.name}, which cannot be taken in: {one.problem}"))
    if found.more:
        yield "There are more such files; `clew import FILE` takes in any."


def _origin(one: "Offer") -> str:
    return ", came with the repository" if one.brought else ""


def _brings(one: "Offer") -> str:
    if one.reading is None:
        return "what is in it shows once this is a project"
    kinds = Counter({kind: number for kind, number in one.new.items() if kind != "note"})
    told = [of_kind(number, kind) for kind, number in kinds.most_common(_KINDS_MAX)]
    told += [f"{kinds.total() - sum(n for _, n in kinds.most_common(_KINDS_MAX)):,} more"] * (len(kinds) > _KINDS_MAX)
    notes = one.new.get("note", 0)
    told += [count(notes, "note")] if notes else []
    changed = sum(placed.did == "changed" for placed in one.reading.placed)
    told += [f"{changed:,} changed"] if changed else []
    return ", ".join(told)


def _adopted(done: "Adopted") -> Iterator[str]:
    if done.opened:
        yield one_line(clean(f"{done.opened.said}."))
    for reading in done.taken.readings if done.taken else ():
        new = sum(one.did == "new" for one in reading.placed)
        yield one_line(clean(f"Took in {reading.name}: {count(new, 'item')}."))


def _size(number: int) -> str:
    return f"{number / 1024:.1f} KiB" if number >= 1024 else count(number, "byte")
