"""Who may look at the page, and who may act on it (docs/reference/page.md). Decides; knows nothing of HTTP.

Looking takes a cookie, which a link brings once. Browsers send cookies to every port of a host, so a cookie may come
into the hands of any program that serves a page here: by it nobody acts. Acting takes a key that the page's own
JavaScript holds, and that is given for a code which the terminal of `clew serve` shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from threading import Lock
from typing import Final

from clew.core.errors import NotAllowed
from clew.core.state.items import Authority

CODE_CHARS: Final = 6
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_TRIES: Final = 3
_CODE_S: Final = 180
# Codes that may be asked for in vain before somebody has to start the server again: guessing gets nowhere.
_CODES_MAX: Final = 10
# A browser may look for so long, and act for so long.
_LOOK_S: Final = 30 * 24 * 3600
_ACT_S: Final = 12 * 3600
_BROWSERS_MAX: Final = 100
_KEY_BYTES: Final = 32


class ConfirmationNeeded(Exception):
    """A person has to see what a deed is `about` and confirm it. `says` completes "only a person may …", `seen` stands
    for exactly these words.
    """

    def __init__(self, says: str, about: str) -> None:
        super().__init__(says)
        self.says = says
        self.about = about
        self.seen = digest(says, about)


@dataclass(slots=True)
class Browser:
    """A browser that was let in. `token` goes with every change that it asks for; `key` ("" none) makes it a person's
    until `acts_until`. `code` is the one that waits to be typed. Seconds since 1970.
    """

    token: str
    until: float
    key: str = ""
    acts_until: float = 0.0
    code: str = ""
    code_until: float = 0.0
    tries: int = 0


@dataclass(slots=True)
class Access:
    """The browsers of one server. `show` writes to the terminal of whoever started it and tells whether it could;
    `barred` is why nobody may act here, as a clause ("" a person started it). `renewed` is told the next ticket when
    one was used.
    """

    chance: Callable[[int], bytes]
    now_s: Callable[[], float]
    show: Callable[[str], bool]
    barred: str
    renewed: Callable[[str], None] = lambda _: None
    ticket: str = ""
    _codes: int = 0
    _browsers: dict[str, Browser] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.ticket = self._secret()

    def enter(self, ticket: str) -> str:
        """The cookie for whoever has the ticket of the link, "" if it is not the one. It works once; the next link has
        another.
        """
        with self._lock:
            if not compare_digest(ticket.encode(), self.ticket.encode()):
                return ""
            self.ticket = self._secret()
            self.renewed(self.ticket)
            now = self.now_s()
            self._browsers = {name: one for name, one in self._browsers.items() if one.until > now}
            while len(self._browsers) >= _BROWSERS_MAX:
                self._browsers.pop(next(iter(self._browsers)))
            cookie = self._secret()
            self._browsers[digest(cookie)] = Browser(self._secret(), now + _LOOK_S)
            return cookie

    def browser(self, cookie: str) -> Browser | None:
        """The browser that has this cookie; None for a stranger."""
        found = self._browsers.get(digest(cookie)) if cookie else None
        return found if found is not None and found.until > self.now_s() else None

    def ask(self, browser: Browser) -> None:
        """Show a code on the terminal, to be typed into this browser. Raises `NotAllowed` where nobody may act."""
        with self._lock:
            if self.barred:
                raise _refused(self.barred)
            if self._codes >= _CODES_MAX:
                raise _refused(f"{_CODES_MAX} codes were shown and none was typed; start `clew serve` again")
            self._codes += 1
            browser.code = "".join(_LETTERS[byte % len(_LETTERS)] for byte in self.chance(CODE_CHARS))
            browser.code_until, browser.tries = self.now_s() + _CODE_S, 0
            shown = f"A browser asks to act for you. If that is you, type {browser.code} there; else do nothing."
            if not self.show(shown):
                browser.code = ""
                raise _refused("`clew serve` is not in the foreground of its terminal any more")

    def take_code(self, browser: Browser, typed: str) -> str:
        """The key that makes this browser a person's, for the code that was shown last. Raises `NotAllowed`."""
        with self._lock:
            code, browser.tries = browser.code, browser.tries + 1
            if not code or self.now_s() > browser.code_until or browser.tries > _TRIES:
                browser.code = ""
                raise _refused("the code is not valid any more; ask for another one")
            if not compare_digest(typed.strip().lower().encode(), code.encode()):
                raise _refused("that is not the code")
            browser.code, self._codes = "", 0
            browser.key, browser.acts_until = self._secret(), self.now_s() + _ACT_S
            return browser.key

    def acts(self, browser: Browser, key: str) -> bool:
        """Whether `key` makes this browser a person's now."""
        is_right = bool(browser.key) and compare_digest(key.encode(), browser.key.encode())
        return is_right and not self.barred and self.now_s() < browser.acts_until

    def _secret(self) -> str:
        return self.chance(_KEY_BYTES).hex()


def by_person(seen: str) -> Authority:
    """The authority of a person in a browser. What only a person may do is done for words that were `seen` (what stands
    for each, separated by commas), and for those of the form alone; for others it raises `ConfirmationNeeded`, with
    which they are shown.
    """
    known = frozenset(seen.split(","))

    def prove(says: str, about: str) -> str:
        if about and digest(says, about) not in known:
            raise ConfirmationNeeded(says, about)
        return ""

    return Authority("human", "it came from a browser that was opened with the code on the terminal", prove)


def reader() -> Authority:
    """The authority of everybody else."""
    return Authority("agent", "the browser was not opened with the code that the terminal of `clew serve` shows")


def digest(*words: str) -> str:
    """What stands for words without telling them."""
    return sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()


def _refused(why: str) -> NotAllowed:
    return NotAllowed(
        f"this browser cannot act for a person: {why}",
        code="E-page-person",
        hint="Start `clew serve` yourself in a terminal, open its link, and type the code that it shows there.",
    )
