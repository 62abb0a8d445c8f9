"""Where an issue is: repositories by what git calls their remote, and issues by what people call them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clew.core.errors import InputError

_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?"
_HOST: Final = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?"
_PATH: Final = rf"(?P<owner>{_NAME})/(?P<name>[A-Za-z0-9._-]+?)"
# As git writes them: https://host/owner/name.git, ssh://git@host:22/owner/name, git@host:owner/name.
_REMOTES: Final = (
    re.compile(rf"(?P<scheme>https?)://(?:[^@/]+@)?(?P<host>{_HOST})/{_PATH}(?:\.git)?/?"),
    re.compile(rf"(?:ssh|git)://(?:[^@/]+@)?(?P<host>[A-Za-z0-9.-]+)(?::\d+)?/{_PATH}(?:\.git)?/?"),
    re.compile(rf"(?:[^@/:]+@)?(?P<host>[A-Za-z0-9.-]+):{_PATH}(?:\.git)?/?"),
)
_URL: Final = re.compile(rf"https?://(?P<host>{_HOST})/{_PATH}/issues/(?P<number>\d{{1,9}})(?:[/?#].*)?")
_SHORT: Final = re.compile(rf"(?:(?:(?P<host>{_HOST})/)?{_PATH})?#(?P<number>\d{{1,9}})")
# ssh.github.com is the same server behind another port.
_SAME: Final = {"ssh.github.com": "github.com", "www.github.com": "github.com"}


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """A repository on a server. `host` is in lower case, with its port if it has one."""

    host: str
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def key(self) -> str:
        """By which it is told from all others: servers do not tell case."""
        return f"{self.host}/{self.owner}/{self.name}".lower()


@dataclass(frozen=True, slots=True)
class Reference:
    """An issue as it was named; `repository` None: the one of the place."""

    number: int
    repository: RemoteRepository | None


def repository_in(url: str) -> RemoteRepository | None:
    """The repository that the URL of a git remote names; None for a folder or what is no such URL."""
    for form in _REMOTES:
        if found := form.fullmatch(url.strip()):
            return _repository(found)
    return None


def remote_of(settings: Mapping[str, str]) -> RemoteRepository | None:
    """The repository whose issues those of a clone are, by git's configuration: the one that `gh repo set-default`
    chose, else `origin`, else the only one. Never by itself an upstream: what leaves goes where the user pushes.
    """
    urls = {
        name[len("remote.") : -len(".url")]: url
        for name, url in settings.items()
        if name.startswith("remote.") and name.endswith(".url")
    }
    chosen = [name for name in urls if settings.get(f"remote.{name}.gh-resolved") == "base"]
    rest = list(urls) if len(urls) == 1 else []
    for name in (*chosen, "origin", *rest):
        if name in urls and (found := repository_in(urls[name])):
            return found
    return None


def is_chosen(host: str, here: RemoteRepository | None, environment: Mapping[str, str]) -> bool:
    """Whether a person chose the server: github.com, that of this clone's remote, or the one that `GH_HOST` names. What
    an issue's URL or a repository's files name is no reason to show a login to a server.
    """
    named = environment.get("GH_HOST", "").strip().lower()
    return host in ("github.com", _SAME.get(named, named)) or (here is not None and host == here.host)


def reference(text: str) -> Reference | None:
    """The issue that `text` names (`24`, `#24`, `owner/name#24`, a URL); None if it names none."""
    told = text.strip()
    if told.isdecimal() and told.isascii() and len(told) < 10:
        return Reference(int(told), None)
    found = _URL.fullmatch(told) or _SHORT.fullmatch(told)
    if found is None or int(found["number"]) == 0:
        return None
    repository = None
    if found["owner"]:
        repository = _repository(found) if found["host"] else RemoteRepository("", found["owner"], found["name"])
    return Reference(int(found["number"]), repository)


def issue_named(text: str, here: RemoteRepository | None) -> tuple[RemoteRepository, int]:
    """The repository and number of the issue that `text` names, from a clone of `here`. Raises `InputError`."""
    found = reference(text)
    if found is None or found.number == 0:
        raise InputError(
            f"{text} names no issue", code="E-issue-number", hint="Say its number (24), owner/name#24, or its URL."
        )
    repository = found.repository or here
    if repository is not None and not repository.host:
        repository = RemoteRepository(here.host if here else "github.com", repository.owner, repository.name)
    if repository is None:
        raise no_repository()
    return repository, found.number


def no_repository() -> InputError:
    """That nothing tells whose issues are meant."""
    return InputError(
        "this clone has no remote on a server with issues",
        code="E-issue-repository",
        hint="Name the issue as owner/name#24 or by its URL; `clew issue push --repo OWNER/NAME` opens one there.",
    )


def repository_named(text: str, here: RemoteRepository | None) -> RemoteRepository:
    """The repository that a person names: `owner/name`, `host/owner/name`, or a URL. Raises `InputError`."""
    parts = text.strip().split("/")
    host = here.host if here else "github.com"
    found = repository_in(text)
    if found is None and len(parts) in (2, 3):
        found = repository_in(f"https://{'/'.join(parts if len(parts) == 3 else [host, *parts])}")
    if found is None:
        raise InputError(
            f"{text} names no repository", code="E-issue-repository", hint="Say owner/name, or host/owner/name."
        )
    return found


def _repository(found: re.Match[str]) -> RemoteRepository:
    host = found["host"].lower()
    return RemoteRepository(_SAME.get(host, host), found["owner"], found["name"].removesuffix(".git"))
