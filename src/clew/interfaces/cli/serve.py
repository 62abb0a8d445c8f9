"""`clew serve`: the page."""

from __future__ import annotations

from importlib.util import find_spec
from urllib.parse import urlsplit

import click

from clew import wiring
from clew.core.errors import InputError, Unavailable
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, here

PORT = 7414


@click.command("serve", cls=CliCommand)
@click.option("--open", "opens", is_flag=True, help="Open it in your browser.")
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65_535),
    default=PORT,
    help="The port on this machine; 0: one that is free.",
)
@click.option("--public-url", metavar="URL", default="", help="The address of a tunnel that leads here.")
def command(opens: bool, port: int, public_url: str) -> None:
    """Show all projects of this user in a browser: what waits for you, tasks, plans, sessions, costs.

    The link that is printed works once. Whoever opens it may look; to answer, approve and review there, type the code
    that this terminal shows when the page asks for it (docs/reference/page.md). Ctrl-C ends it.
    """
    require_web("the page")
    from clew.interfaces.web.access import Access
    from clew.interfaces.web.server import listen, make_server
    from clew.interfaces.web.site import EXCHANGE_S, Site, Tools
    from clew.workspace.terminal import show_line

    ports = wiring.ports()
    said = ports.channel()
    try:
        at = listen(port)
    except OSError as error:
        raise InputError(
            f"port {port} of this machine cannot be used: {error.strerror}",
            code="E-page-port",
            hint="Is `clew serve` running already? Else choose another one with `--port`.",
        ) from None
    number = at.getsockname()[1]
    hosts = {f"{name}:{number}" for name in ("127.0.0.1", "localhost")}
    origins = {f"http://{one}" for one in hosts}
    base = f"http://127.0.0.1:{number}"
    if public_url:
        base = _public(public_url)
        hosts.add(urlsplit(base).netloc)
        origins.add(base)

    def show(ticket: str) -> None:
        aside(f"The next link, for another browser: {base}/#{ticket}")

    barred = "" if said.provenance == "human" else f"`clew serve` was not started by a person: {said.reason}"
    access = Access(ports.chance, lambda: ports.now_ms() / 1000, show_line, barred, show)
    tools = Tools(wiring.machine, wiring.configurations, wiring.stacks)
    calm = ports._replace(asking_session="")
    site = Site(calm, tools, access, here(), frozenset(hosts), frozenset(origins), base.startswith("https:"))
    server = make_server(site)
    link = f"{base}/#{access.ticket}"
    print(f"Open {link}", flush=True)
    if barred:
        aside(f"note: The page is for reading only: {barred}.")
    for root in site.projects().values():
        for hub in filter(None, (one.url for one in site.hubs(root))):
            name = one_line(clean(root.name))
            aside(f"While a page is open, {name} is exchanged with {hub} every {EXCHANGE_S:.0f} seconds.")
    if opens:
        click.launch(link)
    with at:
        server.run(sockets=[at])


def require_web(what: str) -> None:
    """Raises `Unavailable` without the packages of the extra `web`."""
    for name in ("jinja2", "starlette", "uvicorn"):
        if find_spec(name) is None:
            raise Unavailable(
                f"{what} needs the package `{name}`, which is not installed",
                code="E-page-extra",
                hint="Install clew with it, from its checkout: `pipx install '.[web]'`, `uv tool install '.[web]'`.",
            )


def _public(url: str) -> str:
    """The origin of an address that people may open, in lower case."""
    parts = urlsplit(url.lower())
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc or parts.path.strip("/"):
        raise InputError(
            "--public-url is no address without a path", code="E-page-url", hint="As https://page.example.org."
        )
    return f"{parts.scheme}://{parts.netloc}"
