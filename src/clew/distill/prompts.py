"""The user's words: which of them matter, and what they are (a request, a rule, a plan, a mere nod)."""

from __future__ import annotations

import re

from clew.core.text import one_line, shorten
from clew.distill.blocks import sentences, title_of
from clew.distill.cues import CORRECTION, RULE, spoken
from clew.distill.identifiers import identifiers

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
_NOD_WORDS_MAX = 6
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
_RULE_CHARS_MAX = 300
_APPROVING = frozenset("yes yep yeah yup yea ya ok okay sure go let's".split())
_PICK_WORDS_MAX = 8
# What a prompt consists of that only says which points are to be done, beside their numbers.
_PICKING = frozenset(
    """fix mend do address handle resolve change update implement apply take tackle start correct solve try with and
    also then the issue issues point points item items number numbers finding findings option options problem problems
    comment comments suggestion suggestions improvement improvements top
    please can could you let's lets let us go ahead yes ok okay yeah sure
    actually maybe first now both all just only""".split()
)
# A longer one says itself what is to be done.
_APPROVAL_CHARS = 60
_CONSENTING = frozenset("yes yep yeah yup yea ya sure".split())
# First words of a prompt that turns something down.
_TURNING_DOWN = frozenset({"no", "nope", "na", "nah", "wait", "stop", "actually", "hmm", "but", "why"})
_LOG_LINE = re.compile(
    r"^\s*(?:[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]|[\[(]?\d\d:\d\d:\d\d|[\[(]?\d\d/\d\d/\d\d \d\d:\d\d|File \"|#\d+ "
    r"|goroutine |at (?:async |new )?[^\s(]+(?: \[as \w+\])? ?\(\S+:\d|at \S+:\d+:\d"
    r"|\S+\.(?:go|py|ts|js|rs|java):\d+[: ]|[>$+|]\s|\[[\w:-]+\] |ok\s+\S+\s|FAIL\b|DONE \d"
    r"|---|===|npm |error\[)"
)
# Of a difference: else a line that begins with a dash is an entry of a list.
_DIFFERENCE = re.compile(r"^@@ |^\+.*\n- |^- .*\n\+", re.MULTILINE)
PASTE_CHARS_MIN = 700


def is_nod(text: str) -> bool:
    """Whether the prompt only lets the agent go on, or is a command of the client itself."""
    text = one_line(text)
    if text.startswith("/"):
        return is_command(text)
    said = spoken(text)
    return (said.words <= _NODS and said.line.count(" ") <= _NOD_WORDS_MAX + 1) or text == "[image]"


def is_command(text: str) -> bool:
    """Whether the prompt is a command of the client or of clew, which says nothing about the work."""
    if text.startswith("/clew") and re.match(_OWN_COMMAND, text):
        return True
    name, _, argument = one_line(text).removeprefix("/").partition(" ")
    if not text.startswith("/") or name not in _CLIENT_COMMANDS:
        return False
    return name in _CLIENT_ONLY or len(argument) <= _CLIENT_ARGUMENT_CHARS_MAX


def is_closing(text: str) -> bool:
    """Whether the prompt only thanks, greets or praises: it asks for nothing, not even to go on."""
    return spoken(text).words <= _CLOSINGS


def is_rule(text: str) -> bool:
    """Whether the prompt forbids or demands something that outlives the request: no question, no pasted review."""
    return len(text) <= _RULE_CHARS_MAX and "?" not in text and RULE.within(spoken(text))


def is_approval(text: str) -> bool:
    """Whether the prompt begins with a yes: it goes on with the request before it."""
    return spoken(text).line.split(" ", 2)[1] in _APPROVING


def is_pick(text: str) -> bool:
    """Whether the prompt answers by number: it chooses from what the agent listed, or goes through its questions."""
    words = spoken(text).line.split()
    numbers = [word for word in words if word.isdecimal() and len(word) < 3]
    return bool(numbers) and (words[0] in numbers or len(words) <= _PICK_WORDS_MAX)


# "improvement 2", "#3", and with an order in front "address 2."
_NAMED_POINT = re.compile(
    r"(?:\b(?:issue|item|point|finding|improvement|recommendation|problem|concern|observation|comment|suggestion|option)"
    r"s? #?|(?<!\w)#)(?P<named>\d{1,2})\b(?!\.\d)"
    r"|^(?:let's |lets |please )?(?:address|fix|do|handle|tackle|implement|apply) "
    r"(?P<ordered>\d{1,2})(?=[.,:;)]|$| and\b)",
    re.IGNORECASE,
)
# A sentence with one of these asks for nothing, wherever it stands.
_PUTTING_OFF = re.compile(r"\b(?:disagree|wrong|waits?|later|postpone|skip|ignore|except)\b|\?$", re.IGNORECASE)
_NOT_PICKING = re.compile(r"\b(?:not|no|never|except|skip|ignore|leave|without|\w+n't|dont)\b", re.IGNORECASE)


def picks(text: str) -> frozenset[str]:
    """The numbers of the points that the prompt wants done: all of one that says nothing else, else those that it calls
    points ("improvement 2", "#3") and does not turn down.
    """
    words = spoken(text).words
    numbers = frozenset(word for word in words if word.isdecimal())
    if words - numbers <= _PICKING:
        return numbers
    said = [one for one in sentences(one_line(text[:PASTE_CHARS_MIN])) if not _PUTTING_OFF.search(one)]
    named = ((one, found) for one in said for found in _NAMED_POINT.finditer(one))
    return frozenset(
        found["named"] or found["ordered"] for one, found in named if not _NOT_PICKING.search(one, 0, found.start())
    )


# A shorter text may stand in another by chance.
QUOTE_CHARS_MIN = 30


_NO_LETTERS = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))


def letters(text: str) -> bytes:
    """The letters and digits of a text (ASCII): what is copied from a screen loses its marks and its line ends."""
    return text.lower().encode("utf-8", "replace").translate(None, _NO_LETTERS)


def parted(text: str, said: bytes | bytearray) -> tuple[str, str]:
    """A prompt in which a passage that stands in `said`, the `letters` of earlier messages, is cut to its beginning, as
    what the user says to it comes behind; and the user's own words alone. Nothing is cut where these are no sentence.
    """
    kept: list[str] = []
    own: list[str] = []
    was_quote = False
    for line in text.split("\n", _LINES_MAX):
        lead = _lead_of_quote(line, said)
        is_quote = lead is not None
        own.append(line if lead is None else lead)
        if lead or not (is_quote and was_quote):
            kept.append(line if lead is None else lead + shorten(line[len(lead) :], _QUOTED_CHARS))
        was_quote = is_quote
    words = "\n".join(own)
    return ("\n".join(kept), words) if len(words.split()) >= _OWN_WORDS_MIN else (text, words)


def _lead_of_quote(line: str, said: bytes | bytearray) -> str | None:
    """What stands in front of a quote in its line, up to a colon ("Do this: …"), "" nothing; None if it is no quote."""
    if not said or len(line) < QUOTE_CHARS_MIN:
        return None
    lead, colon, behind = line.partition(":")
    for front, quote in (("", line), (lead + colon, behind)):
        if len(mine := letters(quote)) >= QUOTE_CHARS_MIN and mine in said:
            return front
    return None


# The rest of a longer prompt is taken as one line.
_LINES_MAX = 60
_QUOTED_CHARS = 60
_OWN_WORDS_MIN = 4


def goes_on(text: str) -> bool:
    """Whether the prompt only lets the agent do what was spoken of before it, or picks from that."""
    return is_nod(text) or is_pick(text) or (is_approval(text) and len(text) <= _APPROVAL_CHARS)


def is_consent(text: str) -> bool:
    """Whether the prompt begins with a plain yes to what was asked or offered."""
    return spoken(text).line.split(" ", 2)[1] in _CONSENTING


_POINTING = frozenset(["it", "that", "them", "these", "those", "both"])


def points_back(text: str) -> bool:
    """Whether the prompt calls what it is about by nothing but a word for something said before."""
    return not _POINTING.isdisjoint(spoken(text).words) and not identifiers(text)


_REFUSING = frozenset(["no", "nope", "na", "nah"])
# "No problem", "no need to ask": that is a yes.
_NO_REFUSAL = (["problem"], ["worries"], ["need"], ["objection"], ["objections"], ["rush"], ["comment"], ["doubt"])
_HEAD_CHARS = 100


def is_refusal(text: str) -> bool:
    """Whether the prompt begins with a no to what was asked or proposed."""
    words = spoken(text[:_HEAD_CHARS]).line.split()
    return words[:1] != [] and words[0] in _REFUSING and words[1:2] not in _NO_REFUSAL


def is_correction(text: str) -> bool:
    """Whether the prompt turns down what the agent did or was about to do."""
    said = spoken(text[:300])
    return CORRECTION.within(said) or said.line.split(" ", 2)[1] in _TURNING_DOWN


_FINDING_FAULT = frozenset("still same doesn't didn't isn't wrong fails failing broken breaks worse".split())


def is_complaint(text: str) -> bool:
    """Whether the prompt finds fault with what the agent made or did."""
    return is_correction(text) or not _FINDING_FAULT.isdisjoint(spoken(text[:_HEAD_CHARS]).words)


def request(text: str) -> str:
    """The request in a prompt, on one line: pasted logs, code and quotes left out, with a "…" where they stood.

    Of a prompt that is nothing but a paste, its first line that names an error, or its first line.
    """
    kept = request_lines(text)
    if kept:
        return one_line(" ".join(kept))
    lines = [line.strip() for line in text.split("\n") if line.strip(" `")]
    telling = next((line for line in lines if re.search(_ERROR, line)), lines[0] if lines else "")
    return one_line(telling)


def failing_line(text: str) -> str:
    """The first line of a pasted output that says what failed, "" if there is none. Of talk nothing is one, nor of a
    request in sentences.
    """
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if len(lines) <= _OUTPUT_LINES_MIN or sum(line.endswith((".", "!", "?")) for line in lines) * 2 >= len(lines):
        return ""
    found = (one_line(line[0]) for line in re.finditer(_FAILS, text))
    return next((line for line in found if _SPEAKING.isdisjoint(spoken(line).words)), "")


# No program says these.
_SPEAKING = frozenset(["i", "i'm", "i've"])
_OUTPUT_LINES_MIN = 4
_FAILS = (
    r"(?m)^(?![-*•] )(?=.{1,400}$)(?:.*?[ \t])??"
    r"(?:[⨯✖✗✘❌]|(?:FAIL|FAILED|ERROR|panic|fatal)[: ]|[Ee]rror(?:\[\w+\])?[:=]|failed(?: with| after|:)).*"
)


def lead(text: str) -> str:
    """The first two words: of several requests that begin alike ("review commit …") only the last is told."""
    return " ".join(text.lower().split(maxsplit=2)[:2])


def request_lines(text: str) -> list[str]:
    """The lines of a prompt that ask for something: without pasted logs, code and quotes; "…" stands for those."""
    kept: list[str] = []
    fenced = gap = False
    differs = _DIFFERENCE.search(text) is not None
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            gap = True
            continue
        if not line.strip():
            continue
        if fenced or _is_output(line, differs=differs) or line.lstrip().startswith(">") or not is_prose(line):
            gap = True
            continue
        if gap and kept:
            kept.append("…")
        kept.append(line.strip())
        gap = False
    return kept


def _is_output(line: str, *, differs: bool) -> bool:
    """Whether a line is of a log, or of a difference where the text `differs` from another."""
    return _LOG_LINE.match(line) is not None or (differs and line.startswith("- "))


# Few sessions need what is not compiled here.
_ERROR = r"(?i)\berror\b|\bfail|exception|panic|warning|: \w+ \(\w+\)$"
_CODE_MARKS = re.compile(r"[{}<>;=|\\]|\(\)|=>|::|\[\]|\",")


def is_prose(line: str) -> bool:
    """Whether a line was written to be read: few marks of code for its length."""
    marks = len(_CODE_MARKS.findall(line))
    return marks * 14 <= len(line) and not line.lstrip().startswith(
        ("import ", "const ", "let ", "var ", "return ", "@@", "diff --git")
    )


_TITLE = r"(?im)^ {0,3}#{1,3}[ \t]+(?:plan:?[ \t]+)?(\S[^\n]*)"
_PLAN_LEAD = r"(?i)^Implement the following plan:?\s*"
_CONTEXT = (
    r"(?im)^ {0,3}#{1,4}[ \t]+(?:context|problem|background|goal|overview|approach|summary|why|motivation)\b[^\n]*\n+"
    r"(?:[-*+][ \t]|\d{1,3}[.)][ \t])?([^\n#][^\n]*)"
)


_QUESTION = re.compile(
    r"(?:so|ok|okay|and|but|hey|hi)?[,. ]{0,2}"
    r"(?!how about|what about|is there (?:a|any) way)"
    r"(?:what|why|where|when|who|which|how|is|are|does|do|did|was|were|has|have)(?:'s|’s)?\b[^.?!;]{0,200}\?",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a request, on one line, only asks how something is: "can you …?" asks for work."""
    return _QUESTION.fullmatch(text) is not None


def plan_goal(text: str) -> str:
    """A plan as one line: its title and the first line of its context."""
    text = re.sub(_PLAN_LEAD, "", text.strip())
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


def is_paste(text: str) -> bool:
    """Whether a prompt is long enough to hold more than a request: a review, a specification, a log."""
    return len(text) >= PASTE_CHARS_MIN


def prose_of_paste(text: str) -> str:
    """The lines of a long prompt that were written to be read, "" if most of it is code or output."""
    lines = text.split("\n")
    differs = _DIFFERENCE.search(text) is not None
    kept = [line for line in lines if is_prose(line) and not _is_output(line, differs=differs)]
    full = sum(bool(line.strip()) for line in kept), sum(bool(line.strip()) for line in lines)
    return "\n".join(kept) if full[0] * 4 >= full[1] * 3 else ""
