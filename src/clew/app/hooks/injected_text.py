"""A text that a session is offered, with what is known of it."""

from typing import Final, NamedTuple

from clew.core.records.hook_events import CONTEXT_UNITS_MAX, units
from clew.core.state.items import Item
from clew.core.text.receipt import OPENING
from clew.core.text.tokens import estimate

# What stands around the texts of an answer, in the units that clients count.
_MARGIN_UNITS: Final = 400


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

    def beside(self, block: str) -> "Offer":
        """The same with another text behind it, a lead and mostly a data block; as it was where there is no room."""
        if not block or units(self.text) + units(block) + _MARGIN_UNITS > CONTEXT_UNITS_MAX:
            return self
        text = f"{self.text.rstrip()}\n\n{block}" if self.text else block
        mark = self.mark or block.partition(OPENING)[2].partition(">")[0]
        return self._replace(text=text, mark=mark, tokens=estimate(text))


NOTHING: Final = Offer("", "", 0)


def whole(lead: str, block: str) -> Offer:
    """An offer of a data block (wrapped, with its mark) behind a sentence or two."""
    text = f"{lead}\n{block}"
    return Offer(text, block[: block.index(">")].rpartition(" ")[2], estimate(text))
