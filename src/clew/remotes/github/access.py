"""Where GitHub's API is, and whose login is used there. Pure; the environment and `gh` are arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from clew.core.errors import Unavailable

PUBLIC: Final = "github.com"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
# As `gh` reads them: a token for github.com is sent to no other server.
_PUBLIC_TOKENS: Final = ("GH_TOKEN", "GITHUB_TOKEN")
_OTHER_TOKENS: Final = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")


def api_of(host: str) -> str:
    """The root of the REST API of a server: github.com, a tenant on ghe.com, or an Enterprise Server. Without TLS only
    on this machine.
    """
    if host == PUBLIC:
        return "https://api.github.com"
    if host.endswith(".ghe.com"):
        return f"https://api.{host}"
    scheme = "http" if host.rpartition(":")[0] in _LOOPBACK or host in _LOOPBACK else "https"
    return f"{scheme}://{host}/api/v3"


def token_for(
    host: str, environment: Mapping[str, str], ask_gh: Callable[[str, Mapping[str, str]], str], *, chosen: bool
) -> str:
    """The token for a server: from the variables that `gh` reads, else `gh`'s own login (`ask_gh` takes the host and
    the environment, and gives "" for none). A variable is for no server in particular, so it goes to one that a person
    chose (`chosen`) only; a login of `gh`'s was made for its server. Raises `Unavailable`.
    """
    is_public = host == PUBLIC or host.endswith(".ghe.com")
    names = _PUBLIC_TOKENS if is_public else _OTHER_TOKENS
    told = next((environment[name].strip() for name in names if environment.get(name, "").strip()), "")
    token = told if chosen else ""
    # `gh` answers with the same variables where it finds them.
    rest = {name: value for name, value in environment.items() if name not in (*_PUBLIC_TOKENS, *_OTHER_TOKENS)}
    token = token or ask_gh(host, rest)
    if token:
        return token
    if told:
        raise Unavailable(
            f"{host} is not the server of this clone, and nobody chose it: no token was sent there",
            code="E-issue-access",
            hint=f"If you trust it, run `gh auth login --hostname {host}` or set GH_HOST={host}.",
        )
    raise Unavailable(
        f"there is no login for {host}",
        code="E-issue-access",
        hint=f"Run `gh auth login --hostname {host}`, or set {names[0]}."
        + ("" if is_public else " clew speaks with GitHub and servers of GitHub Enterprise, with no other tracker."),
    )
