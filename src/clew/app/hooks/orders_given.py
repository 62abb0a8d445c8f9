"""Standing orders at every start: what holds in the whole project, whatever else the session is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clew.app.hooks.receipts import InjectedText
from clew.app.project.reading import LiveItems
from clew.app.project.session import ProjectSession
from clew.core.records.hook_events import HookEvent
from clew.core.state.items import LETTERS
from clew.core.state.orders import Order, standing_orders
from clew.core.text.cleaning import shorten
from clew.core.text.receipt import wrapped
from clew.core.text.tokens import estimate
from clew.documents.escaping import claimed, safe
from clew.documents.grammar import entry_of, line_of, short_entry_of
from clew.documents.profiles import Section

if TYPE_CHECKING:
    from clew.documents.entry import Entry

# Of these so many tokens, the rest by id.
_TOKENS_MAX: Final = 130
_ROW_TOKENS_MAX: Final = 40
_IDS_MAX: Final = 6
_COUNTED: Final = ("constraint", "deferral")
_TITLE_CHARS: Final = 40
_SECTION: Final = Section("Standing orders", ("finding", *LETTERS))
_LEAD: Final = (
    "clew: standing orders of this project; they hold in every task and branch until a person ends them. Words in “…” "
    "are a person's, the rest agents noted."
)


def with_orders(
    at: ProjectSession, event: HookEvent, offer: InjectedText, whole: LiveItems, task: str, *, count: int = 0
) -> InjectedText:
    """What a session of `task` ("" none) is offered, with the orders behind it that do not stand in it already, of what
    stands in the `whole` project. A session that is gone on with has in its context what was said before it last wrote.
    `count`: the how manieth compaction of the session it is, 0 none.
    """
    since = ""
    if event.source == "resume":
        since = max((one.origin.last_time for one in at.ledger.extracts(session=event.session)), default="")
    shown = {item.id for item in offer.items}
    orders = [
        one
        for one in standing_orders(whole.orders.values(), task)
        if one.item.id not in shown and one.item.time > since and safe(one.item.text) not in offer.text
    ]
    if not orders:
        return offer
    more = sum(count for sort, count in whole.more.items() if sort.provenance == "human" and sort.kind in _COUNTED)
    # A client drops a text that the session has heard, though the compaction took it out of the context.
    lead = _LEAD.replace("clew:", f"clew: after compaction {count}:") if count else _LEAD
    return offer.beside(f"{lead}\n{wrapped(_text(at, orders, task, more))}")


def _text(at: ProjectSession, orders: list[Order], task: str, more: int) -> str:
    """The orders as lines, as many as there is room for, the ids of the next ones, and how many there are beside."""
    shown = at.ledger.shortest([one.item.id for one in orders])
    titles = {one.id: one.title for one in at.tasks() if one.id != task and one.status == "open"}
    rows: list[str] = []
    space = _TOKENS_MAX
    for one in orders:
        row = line_of(_entry(one, shown[one.item.id]), _SECTION)
        if one.task in titles:
            row += f" (said in “{claimed(safe(shorten(titles[one.task], _TITLE_CHARS)))}”)"
        space -= estimate(row) + 1
        if space < 0 and rows:
            break
        rows.append(row)
    left = [shown[one.item.id] for one in orders[len(rows) :]]
    if left:
        named = ", ".join(left[:_IDS_MAX])
        others = f" and {len(left) + more - _IDS_MAX:,} others" if len(left) + more > _IDS_MAX else ""
        rows.append(f"- {len(left) + more:,} more: {named}{others} (`clew show ID`; `clew gate` lists them)")
    return "\n".join(rows) + "\n"


def _entry(one: Order, shown: str) -> Entry:
    whole = entry_of(one.item)
    fits = one.item.pinned or estimate(line_of(whole, _SECTION)) <= _ROW_TOKENS_MAX
    return whole if fits else short_entry_of(one.item, whole, shown)
