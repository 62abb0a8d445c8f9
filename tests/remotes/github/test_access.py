"""Where the API is, and whose login goes there."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clew.core.errors import Unavailable
from clew.remotes.github.access import api_of, token_for


@pytest.mark.parametrize(
    ("host", "api"),
    [
        ("github.com", "https://api.github.com"),
        ("acme.ghe.com", "https://api.acme.ghe.com"),
        ("git.example", "https://git.example/api/v3"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/api/v3"),
        ("127.0.0.1.example", "https://127.0.0.1.example/api/v3"),
    ],
)
def test_each_server_has_its_api(host: str, api: str) -> None:
    """Without TLS on this machine only."""
    assert api_of(host) == api


def test_a_token_goes_to_the_server_that_it_is_for() -> None:
    """The variables are those of `gh`, in its order; then its own login is asked."""
    own = {"GITHUB_TOKEN": "b", "GH_TOKEN": "a", "GH_ENTERPRISE_TOKEN": "c"}
    asked: list[str] = []

    def gh(host: str, environment: Mapping[str, str]) -> str:
        assert not set(own) & set(environment)
        asked.append(host)
        return "d"

    assert token_for("github.com", own, gh, chosen=True) == "a"
    assert token_for("acme.ghe.com", {"GITHUB_TOKEN": "b"}, gh, chosen=True) == "b"
    assert token_for("git.example", own, gh, chosen=True) == "c"
    assert token_for("git.example", {"GITHUB_TOKEN": "b"}, gh, chosen=True) == "d"
    assert asked == ["git.example"]
    with pytest.raises(Unavailable, match=r"no login for git\.example"):
        token_for("git.example", {"GH_TOKEN": "a", "GH_ENTERPRISE_TOKEN": " "}, lambda *_: "", chosen=True)


@pytest.mark.parametrize("host", ["evil.example", "evil.ghe.com"])
def test_a_server_that_nobody_chose_gets_no_token_of_the_environment(host: str) -> None:
    """Only a login that `gh` has for this very server: a person made it."""
    own = {"GH_TOKEN": "a", "GH_ENTERPRISE_TOKEN": "c"}
    assert token_for(host, own, lambda *_: "d", chosen=False) == "d"
    with pytest.raises(Unavailable, match="nobody chose it") as refused:
        token_for(host, own, lambda _host, environment: environment.get("GH_TOKEN", ""), chosen=False)
    assert f"GH_HOST={host}" in refused.value.hint
