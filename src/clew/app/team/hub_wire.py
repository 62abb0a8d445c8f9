"""What devices and a hub tell each other beside the talk of an exchange (docs/reference/hub.md)."""

from __future__ import annotations

from hashlib import blake2b

import msgspec


class JoinRequest(msgspec.Struct):
    """What a device says that joins: the code, its name, what its user is called there, and the hash of its key."""

    code: str
    name: str
    account: str
    key_hash: str


class JoinAnswer(msgspec.Struct):
    """Which device it is from now on, and of whom; `hub` is the hub's id."""

    hub: str
    device: str
    person: str


class ProjectRequest(msgspec.Struct):
    """A project that a device wants to exchange. `remote` and `root` are hashes that two clones of one repository share
    (`repository_marks`), "" none. `apart`: it is another project than those that are like it.
    """

    id: str
    title: str
    remote: str = ""
    root: str = ""
    apart: bool = False


class SimilarProject(msgspec.Struct):
    """A project on the hub that is like the one that was asked about: of the same remote, or with the same first
    commit.
    """

    id: str
    title: str
    like: str


class ProjectAnswer(msgspec.Struct):
    """`similar` are projects that the person has to tell it from first; without any the project is there."""

    similar: list[SimilarProject]


class SessionOffer(msgspec.Struct):
    """The first line of a request about sessions: those that the device has, with a number for what it has of each
    (`session_mark`) and the time of its last record. Lines of extracts follow.
    """

    marks: dict[str, int]
    times: dict[str, str]


class SessionAnswer(msgspec.Struct):
    """The first line of the answer: which sessions the hub wants. Lines of those that the device lacks follow."""

    wanted: list[str]


def session_mark(line: bytes) -> int:
    """What tells this state of a session from others."""
    return int.from_bytes(blake2b(line.strip(), digest_size=6).digest(), "big")


def hash_of(secret: str) -> str:
    """What is kept of a key or a code. They are 256 and 160 bits of chance: no guessing finds one by its hash."""
    return blake2b(secret.encode("utf-8", "surrogatepass"), digest_size=32, person=b"clew hub secret").hexdigest()
