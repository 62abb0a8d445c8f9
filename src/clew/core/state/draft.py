"""Drafts: a hand-off that an agent wrote when it was asked for one, taken apart into claims, each with its proof.

A draft is one event (`draft.written`) with its text and what became of every claim; the claims that stand are items
that the agent stated (`item.stated`), so that whatever can be done to an item can be done to them.
"""

from typing import Final, Literal, NamedTuple

from clew.core.state.items import Kind

KIND: Final = "draft.written"
# The letter in front of a draft's id (`core/state/items.py` has those of items).
LETTER: Final = "W"
TOKENS_MAX: Final = 900

# proved: record or disk say the same. anchored: its names, paths, numbers and quotations occur in the record.
# unsupported: they do not. contradicted: record or disk say otherwise.
Verdict = Literal["proved", "anchored", "unsupported", "contradicted"]
STANDING: Final[frozenset[Verdict]] = frozenset(("proved", "anchored"))

# tool: an agent's call of our tool; command: it was piped into `clew checkpoint --draft`; asked: a client wrote it
# afterwards, headless; review: a person curated it; import: it was read from a file.
Source = Literal["tool", "command", "asked", "review", "import"]


class CitedProof(NamedTuple):
    """What an entry gives as its proof, in brackets: the id of a commit, a file's path, or a command that was run."""

    kind: Literal["commit", "file", "check"]
    text: str


class Claim(NamedTuple):
    """One entry of a draft. `text`, `why` are one line each, as written but for list and emphasis marks.

    `status` is that of `Item` for its kind where the entry tells one (a check passed or failed, also ", before the last
    edit"; a step done, committed, pending), "" else. `label` is the heading or label that it stood under where the
    kind does not say as much. `files` are paths it names, without line numbers. `of_user`: it is told as the user's
    word or decision. `line` is where it stands in the draft, from 1. `evidence` stands in `text` or `why`, too.
    """

    kind: Kind
    text: str
    why: str = ""
    status: str = ""
    label: str = ""
    files: tuple[str, ...] = ()
    of_user: bool = False
    line: int = 0
    evidence: tuple[CitedProof, ...] = ()


class JudgedClaim(NamedTuple):
    """A claim with its verdict. `reason` is a clause for people and for the agent that wrote it: what proves it, or
    what is wrong ("no commit 4f2a1c9 in the record"). `claim` may differ from what was written: a quotation that is not
    exact has lost its marks, a check that ran earlier has its ", before the last edit".
    """

    claim: Claim
    verdict: Verdict
    reason: str

    @property
    def stands(self) -> bool:
        """Whether it may get into a payload."""
        return self.verdict in STANDING
