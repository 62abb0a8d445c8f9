"""The user's words: which of them matter, and what they are (a request, a plan, a mere nod)."""

from __future__ import annotations

import re

from clew.core.text.cleaning import one_line
from clew.distill.blocks import sentences, title_of
from clew.distill.identifiers import content_words, identifiers, words_of

# What people say to let an agent go on: a prompt of these words alone asks for nothing by itself.
_NODS = frozenset(
    """yes yep yeah yup yea ya y ok okay sure go on ahead continue proceed do it please thanks thank you thx great
    perfect nice good lgtm looks sounds exit quit done resume next keep going ship commit this push and try
    again retry no nope stop wait hi hey hello test run agreed agree correct right exactly cool approved approve
    merge now that them all let's""".split()
)
_CLOSINGS = frozenset(
    "thanks thank you thx great perfect nice good cool lgtm looks bye exit quit hi hey hello ok okay".split()
)
_NOD_WORDS_MAX = 7
# What people say when they leave: "have to run, we continue tomorrow".
_LEAVING = re.compile(
    r"(?:i |i've |we )?(?:have|need|got|gotta|must)(?: to)? (?:run|go|leave)(?: now)?|(?:see you|until|bis) \w+"
    r"|(?:let's |we'll |i'll |we |to be )?(?:continued?|go on|more|pick (?:it|this) up)(?: (?:it|this|here|again))*"
    r"(?: (?:tomorrow|later|next week|on \w+day))|good ?night|that's (?:it|all|enough) for (?:today|now)"
    r"|(?:ich )?muss (?:jetzt )?(?:los|weg)|(?:wir machen |machen wir )?morgen(?: geht es)? weiter",
    re.IGNORECASE,
)
# Commands of the clients themselves: they say nothing about the work.
_CLIENT_COMMANDS = frozenset(
    """clear exit quit compact model login logout cost help context config resume mcp status doctor memory
    agents permissions hooks init vim theme usage fast effort ide terminal-setup release-notes bug export
    plugin reload-plugins rename rewind stats tasks todos add-dir output-style statusline upgrade privacy-settings
    sandbox skills new undo diff approvals settings branch fork
    continue copy feedback keybindings bashes color allowed-tools""".split()
)
# Whatever these are given is for the client.
_CLIENT_ONLY = frozenset("compact rename resume model export add-dir mcp config branch fork feedback bug color".split())
_CLIENT_ARGUMENT_CHARS_MAX = 20
# clew's own, as a skill (`/clew-resume`) and as a plugin's (`/clew:resume`): whatever they are given is for clew.
_OWN_COMMAND = r"/clew(?:[-:][\w:-]*)?(?![\w/.])"
_LOG_LINE = re.compile(
    r"^\s*(?:[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]|[\[(]?\d\d:\d\d:\d\d|File \"|#\d+ |goroutine "
    r"|at (?:async |new )?[^\s(]+ ?\(\S+:\d|at \S+:\d+:\d|\S+\.\w{1,5}:\d+[: ]|[>$+|]\s|\[[\w:-]+\] "
    r"|ok\s+\S+\s|FAIL\b|---|===|npm |error\[)"
)
_CODE_MARKS = re.compile(r"[{}<>;=|\\]|\(\)|=>|::|\[\]|\",")
# First words of an answer: a prompt that is not long goes on with the request before it.
_ANSWERING = _CLOSINGS | frozenset("yes yep yeah yup yea ya sure no nope na nah and or but".split())
_ANSWER_CHARS = 120
_GOING_ON = (("go", "on"), ("go", "ahead"), ("carry", "on"), ("keep", "going"))
# First words of a question about how something is: it sets no work going by itself.
_ASKING = frozenset("what what's why where when who which how how's is are does did was were".split())
# A prompt that answers, or goes on with what was spoken of.
_SHORT_CHARS = 60
_POINTING = frozenset(["it", "them", "these", "those", "both"])
_SUBSTANCE_WORDS_MIN = 2


def is_nod(text: str) -> bool:
    """Whether the prompt only lets the agent go on, or is a command of the client itself."""
    text = one_line(text)
    if text.startswith("/"):
        return is_command(text)
    words = words_of(text)
    return (len(words) <= _NOD_WORDS_MAX and _NODS.issuperset(words)) or text == "[image]" or is_closing(text)


_POSTPONING = re.compile(
    r"(?:(?:yes|yeah|yep|ok|okay|sure|good idea|agreed|no|maybe|perhaps|fine)\b[\s,.:;–—-]*)*"
    r"(?:(?:but|let's (?:do|leave|keep) (?:it|that|this)|(?:do|leave) (?:it|that|this))\s+)?"
    r"(?:for |until )?(?:later\b|not (?:now|yet|today|in this|for now)\b|(?:another|some other) (?:time|day)\b"
    r"|next (?:week|time|sprint|release)\b|(?:only )?after (?:the|this|that)\b|postpone\b"
    r"|(?:put|leave) (?:it|that|this) (?:off|for later)\b)",
    re.IGNORECASE,
)
_POSTPONING_CHARS = 160


def postponed(text: str) -> str:
    """The sentence at the beginning of a prompt that puts off what was offered ("yes, but later"); "" for none."""
    first = next(iter(sentences(one_line(text))), "")
    return first if len(first) <= _POSTPONING_CHARS and _POSTPONING.match(first) else ""


def is_command(text: str) -> bool:
    """Whether the prompt is a command of the client or of clew, which says nothing about the work."""
    if text.startswith("/clew") and re.match(_OWN_COMMAND, text):
        return True
    name, _, argument = one_line(text).removeprefix("/").partition(" ")
    if not text.startswith("/") or name not in _CLIENT_COMMANDS:
        return False
    return name in _CLIENT_ONLY or len(argument) <= _CLIENT_ARGUMENT_CHARS_MAX


def is_closing(text: str) -> bool:
    """Whether the prompt only thanks, greets, praises or takes leave: it asks for nothing, not even to go on."""
    clauses = re.split(r"[,.;!?()–—]+|\band\b", one_line(text.replace("’", "'")))
    return all(_CLOSINGS.issuperset(words_of(one)) or _LEAVING.fullmatch(one.strip()) for one in clauses)


def is_short(text: str) -> bool:
    """Whether a prompt says little without what it answers to: it is short and names nothing."""
    return len(text) <= _SHORT_CHARS and not identifiers(re.sub(_PICK, "", text))


def stands_alone(text: str) -> bool:
    """Whether a request says by itself what is to be done: it may be a goal."""
    words = words_of(text)
    goes_on = words[:1] != () and (words[0] in _ANSWERING | _ASKING or words[:2] in _GOING_ON)
    answers = len(text) <= _ANSWER_CHARS and goes_on
    points = len(text) <= _SHORT_CHARS and not _POINTING.isdisjoint(words) and not identifiers(text)
    return not answers and not points and not is_nod(text) and len(content_words(words)) >= _SUBSTANCE_WORDS_MIN


# "Option C", "the second point", "#3", "B.": what a prompt takes of that which was listed.
_PICK = re.compile(r"(?:\b(?:option|point|item|number|issue|finding|step)s? |#)?\b([A-H]|\d{1,2})\b", re.IGNORECASE)


def picks(text: str) -> list[str]:
    """The letters or numbers by which a short prompt takes something that was listed."""
    if len(text) > _SHORT_CHARS:
        return []
    return [found[1] for found in _PICK.finditer(text) if found[1] not in ("a", "A") or "option" in text.lower()]


def request(text: str) -> str:
    """The request in a prompt, on one line: pasted logs, code and quotes left out, with a "…" where they stood.

    Of a prompt that is nothing but a paste, its first line that names an error, or its first line.
    """
    if kept := request_lines(text):
        return one_line(" ".join(kept))
    lines = [line.strip() for line in text.split("\n") if line.strip(" `")]
    telling = next((line for line in lines if re.search(_ERROR, line)), lines[0] if lines else "")
    return one_line(telling)


def request_lines(text: str) -> list[str]:
    """The lines of a prompt that ask for something: without pasted logs, code and quotes; "…" stands for those."""
    kept: list[str] = []
    fenced = gap = False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith("```")
        fenced ^= is_fence
        if not line.strip():
            continue
        if is_fence or fenced or _LOG_LINE.match(line) or not _is_prose(line):
            gap = True
            continue
        if gap and kept:
            kept.append("…")
        kept.append(line.strip())
        gap = False
    return kept


_ERROR = r"(?i)\berror\b|\bfail|exception|panic|warning"


def _is_prose(line: str) -> bool:
    """Whether a line was written to be read: few marks of code for its length."""
    return len(_CODE_MARKS.findall(line)) * 14 <= len(line) and not line.lstrip().startswith(("@@", "diff --git"))


_TITLE = r"(?im)^ {0,3}#{1,3}[ \t]+(?:plan:?[ \t]+)?(\S[^\n]*)"
_PLAN_LEAD = r"(?i)^Implement the following plan:?\s*"
_CONTEXT = (
    r"(?im)^ {0,3}#{1,4}[ \t]+(?:context|problem|background|goal|overview|approach|summary|why|motivation)\b[^\n]*\n+"
    r"(?:[-*+][ \t]|\d{1,3}[.)][ \t])?([^\n#][^\n]*)"
)


def plan_goal(text: str) -> str:
    """A plan as one line: its title and the first line of its context."""
    text = plan_body(text)
    title = re.search(_TITLE, text)
    name = one_line(title_of(title.group(1))) if title else one_line(text.split("\n", 1)[0])
    context = re.search(_CONTEXT, text)
    first = one_line(context.group(1)) if context else ""
    if first.endswith(":"):  # it leads to a list that is not told here
        first = " ".join(sentences(first)[:-1])
    return f"{name}: {first}" if first else name


def plan_body(text: str) -> str:
    """A plan without the client's lead line."""
    return re.sub(_PLAN_LEAD, "", text.strip())
