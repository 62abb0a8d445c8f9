"""A text that a session is offered, with what is known of it."""

from typing import Final, NamedTuple

from clew.core.state.items import Item
from clew.core.text.tokens import estimate


class Offer(NamedTuple):
    """A text for the agent, the mark of the data in it (its receipt, "" without data), and what it costs in estimated
    tokens. `items` are those that a whole payload tells, () for any other text. `since`: from when on it tells what
    changed, "" for a text that tells no changes. `session`: whose work a whole payload goes on with, "" for any other
    text, and where no session is known.
    """

    text: str
    mark: str
    tokens: int
    items: tuple[Item, ...] = ()
    since: str = ""
    session: str = ""

    def behind(self, sentence: str) -> "Offer":
        """The same behind a line."""
        text = f"{sentence}\n{self.text}" if self.text else sentence
        return self._replace(text=text, tokens=estimate(text))


NOTHING: Final = Offer("", "", 0)


def whole(lead: str, block: str) -> Offer:
    """An offer of a data block (wrapped, with its mark) behind a sentence or two."""
    text = f"{lead}\n{block}"
    return Offer(text, block[: block.index(">")].rpartition(" ")[2], estimate(text))
