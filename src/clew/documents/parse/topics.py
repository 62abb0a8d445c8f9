"""What headings and labels can name: a kind, and what that says of the lines below. Knows no words."""

from clew.core.items import Kind
from clew.core.tuples import NamedTuple


class Topic(NamedTuple):
    """What a heading or label names: a kind, or None for what is not filed (usage, links, examples).

    `status` is that of the steps below. `prose`: paragraphs below are items, too, not only lists. `soft`: it says
    little, the words of an entry say more. `yields`: below a heading that names a kind it says nothing.
    `files`: entries that begin with a path are files. `brief`: the kind of its first paragraph, with a list that this
    introduces. `noun`: its status is the usual one of such things, what stands above tells another. `ruled`: an
    order is a constraint.
    """

    kind: Kind | None
    status: str = ""
    prose: bool = False
    soft: bool = False
    yields: bool = False
    files: bool = False
    brief: Kind | None = None
    noun: bool = False
    ruled: bool = False


DONE = Topic("step", "done", prose=True)
# "Improvements" were made, or are to be made: below "Next steps" they are.
MADE = DONE._replace(noun=True)
DOING = Topic("step", "in progress", prose=True)
PENDING = Topic("step", "pending", prose=True)
BLOCKED = Topic("step", "blocked", prose=True)
DROPPED = Topic("step", "dropped", prose=True)
STEP = Topic("step")
FACT = Topic("finding", prose=True)
LOOSE = Topic("finding", soft=True)
BRIEF = Topic("finding", soft=True, brief="goal")
SUMMARY = Topic("finding", soft=True, brief="finding")
SOLUTION = Topic("finding", soft=True, yields=True, brief="decision")
PROBLEM = Topic("finding", prose=True, brief="finding")
AREA = Topic("finding", soft=True, yields=True)
NOTHING = Topic(None)
# Nothing where it is the whole heading; "data flow" and "system prompt" are subjects.
SIDE = Topic(None, yields=True)
RULE = Topic("constraint", prose=True)
# What must hold before a piece of work counts as done. Where each is ticked off they are steps.
CRITERIA = Topic("constraint")
RANK = Topic("step", yields=True)
FILES = Topic("file")
DECISION = Topic("decision", prose=True)
URGENT = Topic("reminder", prose=True)
NEXT = Topic("next", "pending", prose=True)
GOAL = Topic("goal", prose=True)
# In a sentence what is aimed at, in a list what is worked on.
FOCUS = Topic("goal", "in progress", prose=True)
# "Decisions and constraints": what orders is one of these.
RULED = Topic("decision", prose=True, ruled=True)
DEFERRED = Topic("deferral", prose=True)
FAILED = Topic("failed", prose=True)
OPEN = Topic("question", prose=True)
VALIDATION = Topic("validation", prose=True)
RISK = Topic("risk", prose=True)
LEARNED = Topic("learning", prose=True)
# Changes that are in the making.
CHANGING = Topic("step", "in progress", prose=True, files=True)
CHANGED = Topic("step", "done", prose=True, files=True, noun=True)
