"""State to document: which items fit, in which form, under which headings. Pure: same state, same bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.core.errors import BudgetError
from clew.core.state.ids import shortest_prefixes
from clew.core.state.items import Item, State
from clew.core.state.requests import is_state
from clew.core.text.receipt import mark_of, signed, wrapped
from clew.core.text.tokens import estimate
from clew.core.validation.claims import claims_pass
from clew.documents import frame
from clew.documents.entry import Entry
from clew.documents.files import file_entry_of, file_lines
from clew.documents.grammar import SHORT_TEXT_CHARS, entry_of, line_of, placed, short_entry_of
from clew.documents.profiles import Profile, Section

if TYPE_CHECKING:
    from clew.core.records.files import Drift
    from clew.core.state.drift import Verdict


# Documents that others read are shown as pages: there Markdown becomes HTML, images are loaded, and names are called.
#
# What stands in an item came from anywhere. So in such a document it loads nothing, calls nobody and is no markup; in
# code spans, which show everything as it is, nothing is changed.

_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
# A tag, a comment or a declaration; an image, which is a link behind a "!"; a name that is called. An address of mail
# calls nobody, nor does what stands in a path behind its beginning.
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE: Final = re.compile(r"!(?=\[)")
_MENTION: Final = re.compile(r"(?<![\w.+/-])@(?=\w)")


def harmless(text: str) -> str:
    """A piece of a line (Markdown) as it may be shown to others. Twice is once, and beside others it stays what it is:
    a lone backtick, which would open a code span or close somebody else's, is a quote.
    """
    if not any(sign in text for sign in ("<", "@", "![", "`")):
        return text
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_plain(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join((*parts, _plain(text[end:])))


def harmless_entry(entry: Entry) -> Entry:
    """The same of all that an entry tells."""
    return entry._replace(
        text=harmless(entry.text),
        why=harmless(entry.why),
        status=harmless(entry.status),
        owner=harmless(entry.owner),
        answer=harmless(entry.answer),
        label=harmless(entry.label),
    )


def _plain(text: str) -> str:
    text = text.replace("`", "'")
    return _MENTION.sub("＠", _IMAGE.sub("! ", _TAG.sub("‹", text)))


BUDGET_TOKENS_MIN = 120
# Up to this budget the goal takes no more than its share of the room, so that the latest request fits as well.
_GOAL_BUDGET_MAX = 300
_GOAL_SHARE = 1 / 3
# Items up to this rank (the goal, the latest request, the next action) are cut to a few words before they are left out.
_TIGHT_RANK_MAX = 2
_TIGHT_TEXT_CHARS = (40, 20)
# Before an entry whose heading the line above has said.
_NESTED = "  "


class Document(NamedTuple):
    """`text` ends with a newline. `tokens` is its estimate. `mark` is the receipt (see `docs/guide/02-payload.md`).

    `shown` and `left_out` are ids of items that the profile shows, in the state's order. `entries` is what the text
    says of those shown, in the order of its sections: reading the text back gives the same.
    """

    text: str
    tokens: int
    mark: str
    shown: tuple[str, ...]
    left_out: tuple[str, ...]
    entries: tuple[Entry, ...]


class Form(NamedTuple):
    """One way to say an item: with the heading it stood under, and without where the line above has said it."""

    labelled: Entry
    bare: Entry


class View(NamedTuple):
    """What a document is made of: the state, and how the disk stands to it (`drift` None: not looked at).

    `ids` are the shortest ids of items that are unique in their ledger; without them, in the state. `sender` and
    `receiver` are from whom and to whom the document goes, `reviewer` who looked through it, "" where that is not said.
    """

    state: State
    drift: Drift | None
    verdict: Verdict | None
    ids: Mapping[str, str] | None = None
    sender: str = ""
    receiver: str = ""
    reviewer: str = ""


def render(view: View, profile: Profile, budget_tokens: int, *, with_ids: bool = False) -> Document:
    """The document of `profile` for `view` in at most `budget_tokens` estimated tokens.

    Pinned items stand in full. The others are taken by rank, each in full if it fits, else cut to a clause with its
    id; then left out, and with it those of the same kind and rank behind it. `with_ids`: every entry tells its id, so
    that it is known again after it was edited. Raises `BudgetError` below
    `BUDGET_TOKENS_MIN` and where the pins alone do not fit.
    """
    if budget_tokens < BUDGET_TOKENS_MIN:
        raise BudgetError(
            f"a budget of {budget_tokens} tokens cannot hold a document",
            code="E-budget-small",
            hint=f"ask for {BUDGET_TOKENS_MIN} tokens or more",
        )
    draft = _FilledDocument(view, profile, budget_tokens, with_ids=with_ids)
    draft.pin()
    draft.fill()
    draft.fill()  # the first round adds up lines, which counts a little too much: what is left takes some more
    return draft.finish()


def _told_once(items: tuple[Item, ...], profile: Profile) -> list[Item]:
    """The items without those that another line tells: in a document that says the state in one line, the commits and
    checks that this line is made of; in one that lists them, the line.
    """
    states = {item.place.session for item in items if is_state(item)}
    if not profile.says_state:
        return [item for item in items if not is_state(item)]
    drafted = {item.place.session for item in items if item.draft}
    return [item for item in items if not (states and _is_in_state(item, states, drafted))]


def _is_in_state(item: Item, states: set[str], drafted: set[str]) -> bool:
    """Whether a state line tells an item: its session's commits and checks, what older ones passed and committed.
    Checks of a session that left a hand-off stand beside what that claims.
    """
    if item.place.at < 0 or item.pinned or is_state(item):
        return False
    if item.kind == "validation":
        if item.place.session in drafted:
            return False
        return item.status.startswith("passed") or (item.place.session in states and item.status != "not run")
    return item.kind == "step" and item.provenance == "verified"


class _FilledDocument:
    """A document being filled."""

    def __init__(self, view: View, profile: Profile, budget: int, *, with_ids: bool) -> None:
        self.view = view
        self.profile = profile
        self.budget = budget
        self.ids = view.ids or shortest_prefixes(item.id for item in view.state.items)
        self.with_ids = with_ids
        found = ((item, profile.section_of(item)) for item in _told_once(view.state.items, profile))
        self.section_of: dict[str, Section] = {item.id: section for item, section in found if section is not None}
        self.items = [item for item in view.state.items if item.id in self.section_of]
        self.by_rank = sorted(self.items, key=lambda item: item.rank)
        self.drifted = frame.drifted(view.drift)
        self.fails = any(one.kind == "validation" and one.status.startswith("failed") for one in view.state.items)
        self.dirty = frozenset(view.drift.tree.dirty) if view.drift else frozenset[str]()
        self.forms: dict[str, list[Form]] = {}  # of the items that were looked at
        self.tokens: dict[tuple[str, Entry], int] = {}  # of the lines that were
        self.taken: dict[str, Form] = {}
        self.folders: set[str] = set()  # those of taken files, and all above them
        self._sealed = signed if profile.for_people else wrapped
        self.open: set[str] = {section.heading for section in profile.sections if section.always}
        self.extent, self.empty, self.limit = self._frame()

    def _frame(self) -> tuple[frame.Extent, int, int]:
        """How much of the frame is told, its tokens, and those up to which items may fill the document.

        The largest extent wins that takes no more than its share. Below the budget at which a larger one would win,
        items get no more room than there, or a few tokens more of budget could cost an item.
        """
        room = self.budget
        for extent in frame.EXTENTS:
            self.extent = extent
            cost = estimate(self._sealed(self._text()))
            if cost <= extent.share * self.budget:
                break
            room = min(room, int(cost / extent.share) - cost)
        return extent, cost, min(self.budget, cost + room)

    def pin(self) -> None:
        """Take the pinned items, in full, before all others; the frame gives way to them as far as it can."""
        pinned = [item for item in self.items if item.pinned]
        if not pinned:
            return
        for item in pinned:
            self._take(item, self._forms(item, self.budget)[0])
        for extent in frame.EXTENTS[frame.EXTENTS.index(self.extent) :]:
            self.extent = extent
            cost = estimate(self._sealed(self._text()))
            if cost <= self.budget:
                self.limit = max(self.limit, cost)
                return
        names = ", ".join(self.ids[item.id] for item in pinned)
        raise BudgetError(
            f"the pinned items alone take {cost} tokens of {self.budget}: {names}",
            code="E-pins-over-budget",
            hint="Take a larger budget, or unpin some: a pinned item is neither shortened nor left out.",
        )

    def fill(self) -> None:
        """Take items by rank while they fit."""
        ordered = [item for item in self.by_rank if item.id not in self.taken]
        if not ordered:
            return
        spent = estimate(self._sealed(self._text())) if self.taken else self.empty
        room = self.limit - spent
        passed_over: set[tuple[str, int]] = set()  # kind and rank
        told = {(self.section_of[one.id].heading, one.label, one.place.at) for one in self._all_taken()}
        for item in ordered:
            # An older commit in place of a newer one that does not fit would be taken for the latest.
            if (item.kind, item.rank) in passed_over:
                continue
            section = self.section_of[item.id]
            said = (section.heading, item.label, item.place.at) in told
            for form in self._forms(item, room):
                cost = self._cost(item, form.bare if said else form.labelled) + (said and item.label != "")
                if spent + cost <= self.limit:
                    spent += cost
                    self._take(item, form)
                    told.add((section.heading, item.label, item.place.at))
                    break
            else:
                passed_over.add((item.kind, item.rank))

    def _take(self, item: Item, form: Form) -> None:
        self.taken[item.id] = form
        self.open.add(self.section_of[item.id].heading)
        if item.kind == "file":
            parts = item.text.split("/")[:-1]
            self.folders.update("/".join(parts[:depth]) for depth in range(len(parts) + 1))

    def _forms(self, item: Item, room: int) -> list[Form]:
        """The item in full and, where that is shorter, cut. `room`: the tokens that all items may take."""
        if item.id not in self.forms:
            self.forms[item.id] = self._every_form(item)
        forms, section = self.forms[item.id], self.section_of[item.id]
        if item.kind == "goal" and self.budget <= _GOAL_BUDGET_MAX:
            costs = {form: self._tokens(form.labelled, section) for form in forms}
            return [form for form in forms if costs[form] <= _GOAL_SHARE * room] or forms[-1:]
        return forms

    def _frames(self, lines: list[str]) -> list[str]:
        return [harmless(line) for line in lines] if self.profile.for_people else lines

    def _every_form(self, item: Item) -> list[Form]:
        forms = self._said(item)
        if not self.profile.for_people:
            return forms
        return [Form(harmless_entry(form.labelled), harmless_entry(form.bare)) for form in forms]

    def _said(self, item: Item) -> list[Form]:
        section = self.section_of[item.id]
        if section.kinds == ("file",):
            file = file_entry_of(item)
            return [Form(file, file)]
        verify, shown_id = self._stale(item), self.ids[item.id]
        own_id = shown_id if self.with_ids else ""
        labels = (True, False) if item.label else (True,)
        whole = [entry_of(item, verify=verify, labelled=label) for label in labels]
        told = [placed(full._replace(id=own_id) if own_id else full, section) for full in whole]
        forms = [Form(told[0], told[-1])]
        tight = _TIGHT_TEXT_CHARS if item.rank <= _TIGHT_RANK_MAX else ()
        for chars in (SHORT_TEXT_CHARS, *tight):
            cuts = [
                short_entry_of(item, full, shown_id, labelled=label, chars=chars)
                for full, label in zip(whole, labels, strict=True)
            ]
            shorter = [placed(cut, section) if cut.id else full for cut, full in zip(cuts, told, strict=True)]
            form = Form(shorter[0], shorter[-1])
            if form not in forms:
                forms.append(form)
        return forms

    def _stale(self, item: Item) -> bool:
        """Whether what the item says has to be looked at again: a claim or a check about a file that has changed.

        The user's words and commits stand whatever happened to the files; a check is to be run again once a later
        session edited anything, and so is what claims that all pass beside one that failed. Where the session no
        longer fits, the agent's claims are all about another tree, but a dead end stays one and a rule stays a rule.
        """
        if item.provenance == "human" or item.status.startswith("not run"):
            return False
        if item.kind == "validation" and (self.drifted or self._is_before_edits(item)):
            return True
        if item.provenance == "verified":
            return False
        if self.fails and item.kind == "finding" and claims_pass(item.text):
            return True
        verdict = self.view.verdict
        if verdict and verdict.kind == "no longer fits" and item.kind not in ("failed", "constraint"):
            return True
        return any(path in self.drifted for path in item.files)

    def _is_before_edits(self, item: Item) -> bool:
        """Whether a session left it, and a later one edited a file; within a session its status tells."""
        is_own = item.place.at < 0 or item.place.session == self.view.state.origin.session
        return not is_own and any(
            file.time > item.time and file.place.session != item.place.session
            for file in self.view.state.items
            if file.kind == "file" and file.status not in ("read", "reverted")
        )

    def _cost(self, item: Item, entry: Entry) -> int:
        section = self.section_of[item.id]
        heading = 0 if section.heading in self.open else estimate(f"\n## {section.heading}\n") + 1
        if item.kind != "file":
            return heading + self._tokens(entry, section) + 1
        line = f", {item.text.rsplit('/', 1)[-1]} ({item.why})"
        folder = item.text.rpartition("/")[0]
        if folder not in self.folders:
            line += f"- {folder}/"
        return heading + estimate(line) + 1

    def _tokens(self, entry: Entry, section: Section) -> int:
        """What the entry's line costs: what did not fit in one round is asked for again in the next."""
        key = section.heading, entry
        if key not in self.tokens:
            self.tokens[key] = estimate(line_of(entry, section))
        return self.tokens[key]

    def finish(self) -> Document:
        """The text; what the sum of lines underestimates is mended by leaving out the last taken."""
        final = self._sealed(text := self._text())
        tokens = estimate(final)
        pins = sum(item.pinned for item in self.items)
        while tokens > self.limit and len(self.taken) > pins:
            del self.taken[next(reversed(self.taken))]
            final = self._sealed(text := self._text())
            tokens = estimate(final)
        shown = tuple(item.id for item in self.items if item.id in self.taken)
        left_out = tuple(item.id for item in self.items if item.id not in self.taken)
        entries = tuple(entry for section in self.profile.sections for entry in self._entries(section))
        return Document(final, tokens, mark_of(text), shown, left_out, entries)

    def _text(self) -> str:
        view = self.view
        goal = next((item.text for item in view.state.items if item.kind == "goal"), "no goal on record")
        if not self.profile.names_goal and any(item.kind == "goal" for item in self._all_taken()):
            goal = ""  # it stands right below
        parties = (view.sender, view.receiver, view.reviewer)
        drafted = max((item.time for item in view.state.items if item.draft), default="")
        origin, drift, verdict = view.state.origin, view.drift, view.verdict
        head = frame.head(self.profile, goal, origin, drift, verdict, parties, self.extent, drafted)
        parts = [*self._frames(head), ""]
        files = [item for item in self._all_taken() if item.kind == "file"]
        reads = self._frames(frame.read_first(self.drifted, files, self.extent)) if self.profile.reads else []
        for section in self.profile.sections:
            body = self._body(section)
            if section.kinds == ("file",):
                parts, reads = parts + reads, []
            if body:
                parts += [f"## {section.heading}", *body, ""]
        parts += reads
        parts += self._frames(frame.changes(self.drifted, self.dirty, self.extent))
        parts += self._tail()
        return "\n".join(parts) + "\n"

    def _all_taken(self) -> list[Item]:
        return [item for item in self.items if item.id in self.taken]

    def _taken(self, section: Section) -> list[Item]:
        return [item for item in self.items if item.id in self.taken and self.section_of[item.id] is section]

    def _told(self, section: Section) -> list[tuple[Entry, str]]:
        """What is told under a heading, with the blanks before it. The heading that an item stood under is said once
        for neighbours: the others stand below the first.
        """
        told = []
        above: Item | None = None
        for item in self._taken(section):
            form = self.taken[item.id]
            said = above is not None and (above.label, above.place.at) == (item.label, item.place.at)
            told.append((form.bare if said else form.labelled, _NESTED if said and item.label else ""))
            above = item
        return told

    def _entries(self, section: Section) -> list[Entry]:
        return [entry for entry, _ in self._told(section)]

    def _body(self, section: Section) -> list[str]:
        told = self._told(section)
        if not told:
            return [self._nothing(section)] if section.always else []
        if section.kinds == ("file",):
            return file_lines([entry for entry, _ in told])
        return [blanks + line_of(entry, section) for entry, blanks in told]

    def _nothing(self, section: Section) -> str:
        if any(one is section for one in self.section_of.values()):
            return "- left out for lack of room"
        # Nobody looked through everything that was said: that there was none is more than a record tells.
        if section.kinds[0] != "next":
            return "- not recorded"
        asked = any(item.kind == "question" and not item.answer for item in self._all_taken())
        return "- not recorded: an open question waits for its answer" if asked else "- not recorded: ask the user"

    def _tail(self) -> list[str]:
        like = ((item, count) for item, count in self.view.state.more if self.profile.section_of(item) is not None)
        left = len(self.items) - len(self.taken) + sum(count for _, count in like)
        items = "1 item" if left == 1 else f"{left} items"
        return [f"Left out for lack of room: {items} (`clew show`)."] if left else []
