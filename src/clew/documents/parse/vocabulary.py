"""What the words of headings and labels name: phrases of the table, and how people put them together in English: marks
of how far it is in front or behind ("remaining work", "issues resolved"), what it is about behind a preposition
("lessons from the migration"), questions ("what is left"). Knows nothing of documents.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from clew.documents.parse import stamps
from clew.documents.parse import words as speech
from clew.documents.parse.fields import FIELDS, Field
from clew.documents.parse.phrases import LINES, TABLE
from clew.documents.parse.questions import COPULAS, asked
from clew.documents.parse.topics import (
    CRITERIA,
    DECISION,
    DEFERRED,
    DONE,
    FACT,
    FILES,
    LOOSE,
    NEXT,
    NOTHING,
    OPEN,
    PENDING,
    RANK,
    RULE,
    RULED,
    SIDE,
    STEP,
    URGENT,
    VALIDATION,
    Topic,
)

# A label that ends so tells about the document: "Work completed by".
_META_ENDS = frozenset(("by", "at", "id", "url", "urls", "date", "version", "branch", "commit"))
_WORD = re.compile(r"[^\W_]+(?:[.+][^\W_]+)*")
_DATE = re.compile(rf"\b(?:{stamps.DATE})|\bv\d+(?:\.\d+)+\b", re.IGNORECASE)
_ASIDED = re.compile(r"([^—–:,]{3,40}?)(?:\s+[—–]|,)\s+\S")
_ASIDE = re.compile(r"[(\[（【][^)\]）】]{0,200}[)\]）】]")
_GLOSS = re.compile(r"[(（]([A-Za-z][^()（）]{2,60})[)）]")
# What an aside in English says of a heading that says little itself.
_GLOSSES = frozenset(("decision", "question", "failed", "constraint"))
# Participles and such of Spanish, Portuguese, French, Italian, that stand behind their noun.
_BEHIND = re.compile(r"(?:[aiu][dt][oa]s?|ientes?|antes?|ées?|és|ivos?|ivas?|iert[oa]s?|[aiu]t[ie])$")
_NUMBER = re.compile(r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.):]?|[A-Z][.)]|[ivx]{1,4}[.)])\s+(?=\S)")
# With these in front it is a sentence that says what to do: "fix the login blocker".
_VERBS = frozenset("fix add write run create implement build update remove make do set resolve close check".split())
_CODE = re.compile(r"`[^`]+`")
# "Open → QUESTIONS.md": the file's name tells what it holds, and so what of it is listed here.
_POINTS = re.compile(r"[^→]{0,60}(?:→|->|=>)\s*\[?`?(?:[\w.-]+/)*(?P<stem>[^\W\d][\w-]*)\.(?:md|txt)\b")
# Words that say something in front of a sentence, and as a heading only how urgent something is.
_LINES_ONLY = frozenset((("note",), ("nb",), ("attention",), ("important",)))
# "Decisions and why" are decisions.
_BESIDE = _LINES_ONLY | {("why",)}
_PARTS = re.compile(r"\s*(?:[/,|:;・、]|\s[-–—]+\s|\b(?:and|y|und|et)\b|&|\+)\s*")
# A heading with more words than these is a sentence, and names nothing.
_WORDS_MAX = 9
_LABEL_WORDS_MAX = 4
# "Final storage design": it is decided.
_DECIDED = frozenset("final chosen selected agreed approved settled".split())
_DECIDED_UNSPACED = ("最终", "最終", "选定")
_DESIGNS = ("design", "approach", "architecture", "solution", "strategy", "设计", "設計", "方案", "方针", "方針")
# Words that say less than those in front of them: "verification plan" is on verification.
_CONTAINERS = frozenset(
    """plan plans steps step tasks task actions items list work features todos checklist results result status summary
    log report overview notes criteria changes update entries evidence""".split()
)
_CONTAINERS_UNSPACED = ("结果", "結果", "결과", "情况", "状況")
# Behind these stands what it is about, of whom, or when.
_PREPOSITIONS = frozenset(
    """for of from in on to that which with we i you they at by during since until before after about into across per
    through as against within without when while this not de del da do das dos des du para von für zu di
    della""".split()
)
# So ends a clause in German.
_LAST_VERBS = frozenset(("ist", "sind"))
# So begins, behind its noun, what is said of it: "decisions the owner made", "questions still open".
_CLAUSES = frozenset("the a an already still worth needing requiring".split())
# They say only that there is such a thing: "validation performed", "patterns discovered".
_EXISTS = frozenset("performed discovered conducted observed noted recorded run taken made found".split())
_PROPOSED = frozenset("proposed suggested recommended required possible potential needed".split())
# What they stand in front of shows something: "Example output", "Sample session".
_ASIDES = frozenset(("example", "sample"))
# They look like what was done.
_ATTRIBUTES = frozenset(
    """advanced based detailed embed estimated expected feed intended limited need related seed shared speed supported
    untested unused""".split()
)
# They say nothing of what they are.
_THINGS = frozenset("things thing stuff items points approaches everything anything areas topics".split())
# They tell what was seen.
_RESULTS = frozenset("result results behavior behaviour values figures numbers metrics facts baseline".split())
# In front of these it tells when or for what: "If the build fails", "For each task".
_SCENES = frozenset("if when once before after during while unless".split())
# … and with these, for the one who goes on: "When you start the new session".
_BEGINS = frozenset("start starting resume resuming pick picking continue continuing return".split())
# What stands behind "when" then is a condition: "The plan is finished when".
_REACHED = frozenset("done complete completed finished ready over ships shipped released".split())
# Behind a phrase they say only when.
_TIMES = frozenset(("today", "yesterday", "tonight"))
# They tell where what is listed comes from: "Based on open files and recent activity".
_GROUNDS = frozenset(("based", "according", "per"))
_EACH = frozenset("each every any all a an".split())
# What lies behind this character is written without spaces.
_LAST_SPACED = "\u2fff"
_UNSPACED_CHARS_MAX = 8
# Those that a hand-off speaks to.
_ADDRESSED = frozenset("you owner user human agent agents whoever successor next me self future".split())
# What those who go on are told: "advice for the next agent".
_ADVICE = frozenset("notes note advice hints tips messages message instructions guidance warnings".split())
# Words that say nothing in front of or behind a phrase.
_FILLERS = frozenset(
    """the our my your this that these those a an session sessions task current key main major important list section
    all some any overall so far today now here and of for with to details summary notes items item log tracker made
    previous identified found known critical quick final full project new old phase work repo more other additional
    specific immediate latest recent technical useful relevant common general used taken encountered faced followed
    applied primary several own actual significant notable top currently initial basic essential special observed
    explicitly first as""".split()
)
# Kinds of work, which a word on how far it is says more of: "remaining tasks", "completed milestones".
_WORK = frozenset(("step", "phase"))
# What a word in front or behind makes of anything: "future risks" are put off, "failed tests" failed.
_STRONGER = frozenset(("deferral", "failed", "question", "next", "hypothesis"))


@lru_cache(maxsize=1024)
def normal(text: str) -> tuple[str, ...]:
    """The words of a heading: lower case, without marks, numbers in front, dates and what stands in brackets."""
    if front := _NUMBER.match(text):
        text = text[front.end() :]
    text = _DATE.sub(" ", _ASIDE.sub(" ", text.replace("(s)", "s")))
    text = text.replace("'", "").replace("’", "").replace("&", " and ").replace("`", "").lower()
    return tuple(_WORD.findall(text))


def topic(text: str, *, line: bool = False) -> Topic | None:
    """What a heading or label names, None where the table has nothing for it. `line`: words stand behind the label."""
    if len(text) > 160:
        return None
    if (points := _POINTS.match(text)) and (found := exact(points["stem"].replace("_", " "))):
        return found
    # What stands in back-quotes is a name.
    text = _CODE.sub(" ", text)
    found = _topic(text, line=line)
    is_foreign = any(char.isalpha() for char in text if not char.isascii())
    if (found is None or found.soft) and is_foreign and (gloss := _GLOSS.search(text)):
        # "学びと洞察 (Learnings & Insights)"
        return _topic(gloss[1], line=line) or found
    if (found is None or found.soft) and not line and (gloss := _GLOSS.search(text)) and " " in gloss[1]:
        # "Why one file (decisions already made)"
        named = _topic(gloss[1], line=False)
        return named if named and named.kind in _GLOSSES else found
    return found


def exact(text: str) -> Topic | None:
    """What a text names as a whole: for keys, which are not sentences."""
    words = normal(text)
    return _whole(words) if words and len(text) <= 80 else None


@cache
def _phrases() -> tuple[dict[tuple[str, ...], Topic], frozenset[tuple[str, ...]]]:
    """Phrase to topic, and those that name it at a heading's beginning, too. The first of two rows counts."""
    table: dict[tuple[str, ...], Topic] = {}
    leading = set()
    for named, phrases in TABLE:
        for phrase in phrases.split("|"):
            words = normal(phrase)
            if words and words not in table:
                table[words] = named
                if phrase.rstrip().endswith("…"):
                    leading.add(words)
    return table, frozenset(leading)


def _topic(text: str, *, line: bool) -> Topic | None:
    words = normal(text)
    if len(words) > _WORDS_MAX and (front := _ASIDED.match(text)):
        # "Not done — blocked on keys that this session does not have"
        words = normal(front[1])
    if not words or len(words) > _WORDS_MAX or (not line and words in _LINES_ONLY):
        return None
    if line and len(words) == 1 and words[0] in LINES:
        return LINES[words[0]]
    if (found := _whole(words)) and not (found == SIDE and _toggled(words) is None):
        return found if not (line and found == RANK) else URGENT if words == ("critical",) else None
    if words[0] in _SCENES and not _BEGINS.isdisjoint(words):
        return NEXT
    if words[0] in _SCENES or (words[0] in _PREPOSITIONS and words[1:2] and words[1] in _EACH):
        return None
    if words[-1] in _SCENES and not _REACHED.isdisjoint(words):
        return CRITERIA
    if words[0] in _GROUNDS and len(words) > 1:
        return None
    if words[0] == "not" and (told := _headed(words[1:])) and told.kind == "step" and told.status == "done":
        # "Not finished", "Not merged to main"
        return PENDING
    # "Verification — how to confirm that things still work" is on verification.
    aside = _ASIDED.match(text)
    if words[-1] in _CONTAINERS and not (aside and _whole(normal(aside[1]))) and (found := _contained(words)):
        return found
    parts = [normal(part) for part in _PARTS.split(_ASIDE.sub(" ", text))]
    of_parts = [
        found
        for at, part in enumerate(parts)
        if part
        and part != words
        and part not in _BESIDE
        and (
            found := _named(part)
            or (_headed(part) if not at and part[-1].endswith("s") and not speech.is_imperative(part[0]) else None)
        )
    ]
    if certain := next((found for found in of_parts if found.kind and not found.soft), None):
        if certain == DECISION and any(_composed(part, line=False) == RULE for part in parts if part):
            return RULED
        # "Open, each one a decision"
        return OPEN if certain == PENDING and words[-1] in ("decision", "decisions") else certain
    if (words[0] in _DECIDED or words[0].startswith(_DECIDED_UNSPACED)) and words[-1].endswith(_DESIGNS):
        return DECISION
    if found := None if line else asked(words):
        return found
    if composed := _composed(words, line=line):
        return composed
    # "Links and resources" are nothing, "Prompt A: the parser" may be something.
    return of_parts[0] if of_parts and (of_parts[0].kind or len(of_parts) == len(parts)) else _unspaced(words)


def _named(words: tuple[str, ...]) -> Topic | None:
    """What a part of a heading names; "Feature 4" names one thing, and nothing of what stands beside it."""
    found = _whole(words)
    return None if found == STEP and any(word.isdigit() for word in words) else found


def _composed(words: tuple[str, ...], *, line: bool) -> Topic | None:
    """What a phrase names that is put together of others."""
    if line:
        if words[-1] in _META_ENDS:
            return None
        if words[0].endswith("ing") and words[:1] not in _phrases()[0]:
            # "Adding a decision: …" says how that is done.
            return None
        words = words[: next((i for i in range(1, len(words)) if words[i] in _PREPOSITIONS), len(words))]
        return _headed(words, line=line) if len(words) <= _LABEL_WORDS_MAX else None
    if words[0] in ("what", "where", "how", "why", "when", "if"):
        return None
    table, leading = _phrases()
    bounds = [i for i in range(1, len(words)) if _bounds(words, i)]
    at = bounds[0] if bounds else len(words)
    if words[: at + 1] in leading:
        return table[words[: at + 1]]
    front, behind = words[:at], words[at + 1 :]
    if (words[-1] in _PREPOSITIONS or words[-1] in _LAST_VERBS) and (found := _last(words)):
        # "Ideas locked in", "Punkte, die noch zu tun sind"
        return found
    if words[at : at + 2] == ("not", "yet") and (found := _whole(words[at:])):
        # "Locked but not yet implemented"
        return found
    if words[at : at + 1] == ("still",):
        # "Decisions still open"
        return _combined(PENDING, _headed(front))
    if words[at : at + 1] in (("for",), ("from",)) and not _ADDRESSED.isdisjoint(behind):
        # "Decisions for the owner", "notes for whoever goes on"
        found = _headed(front)
        if front[-1] in _ADVICE or (found and found.kind == "decision"):
            return URGENT if front[-1] in _ADVICE else OPEN
    if words[at : at + 1] == ("to",) and behind and (meant := _meant(_headed(front), behind[0])):
        return meant
    if front[-1] in _THINGS and behind:
        named = _whole(words[at:]) or asked(("what", *words[at:])) or _headed(behind)
    else:
        named = None
    # "Things that could go wrong", "items for follow-up", "out of scope for this agent"
    found = named or next((table[words[:i]] for i in reversed(bounds) if words[:i] in table), None) or _headed(front)
    if found and found.kind == "step" and behind and _headed(behind) is NEXT:
        # "Tasks for next session"
        return NEXT
    return found or (_headed(behind) if words[at : at + 1] == ("of",) and behind else None)


def _bounds(words: tuple[str, ...], at: int) -> bool:
    """Whether the word at `at` begins what is said of the nouns in front of it: "risks carried forward"."""
    if words[at] in _PREPOSITIONS:
        return True
    if not words[at - 1].endswith("s"):
        return False
    is_verb = words[at].endswith(("ing", "ed")) and words[at : at + 1] not in _phrases()[1]
    return words[at] in _CLAUSES or (is_verb and at + 1 < len(words))


def _meant(front: Topic | None, verb: str) -> Topic | None:
    """What things are that are there for something: "issues to fix", "decisions to make"; None: what they are."""
    meant = next((named for verbs, named in _PURPOSES if verb in verbs), PENDING)
    if front is None or front.soft:
        return meant if meant != PENDING or speech.is_imperative(verb) else None
    if front.kind == "decision" and meant in (PENDING, VALIDATION):
        return OPEN
    # "Modules to implement"
    is_work = front.kind == "finding" or (front.kind == "step" and not front.status) or verb in _MAKES
    return meant if is_work and speech.is_imperative(verb) else None


def _headed(words: tuple[str, ...], *, line: bool = False) -> Topic | None:
    """What a phrase names by its last words, and by a word on how far it is in front of them or behind them."""
    if not words or not COPULAS.isdisjoint(words):
        return None
    if found := _whole(words):
        return found
    if words[-1] in _CONTAINERS and words[1:] and (found := _contained(words)):
        return found
    if led := _led(words):
        return _combined(led[0], _last(led[1]))
    while words[1:] and words[0] in _FILLERS:
        words = words[1:]
    if words[1:] and words[-1] in _TIMES:
        words = words[:-1]
    if words[0] in _VERBS:
        return None
    found = (_last(words[:-1]) if words[1:] and words[-1] in _EXISTS else None) or _turned(words) or _last(words)
    if line:
        return found
    if words[0] in _ASIDES:
        return NOTHING
    if words[0] in _PROPOSED:
        return STEP if found and found.kind == "step" and found.status == "done" else found or _whole(words[1:])
    if speech.is_past(words[0]) or (
        len(words) == 1 and words[0].isalpha() and words[0].endswith("ed") and words[0] not in _ATTRIBUTES
    ):
        # "Migrated services", "Salvaged into main", but "Measured results"
        return FACT if words[1:] and words[-1] in _RESULTS else _combined(DONE, found)
    if found and found.kind in _WORK and len(words) > 1 and words[-1:] in _phrases()[1]:
        # "Testing done"
        return _combined(found, _last(words[:-1]))
    return found


def _led(words: tuple[str, ...]) -> tuple[Topic, tuple[str, ...]] | None:
    """What a phrase names by its first words, and the words behind these."""
    table, leading = _phrases()
    for at, word in enumerate(words):
        for size in range(min(len(words) - at - 1, 3), 0, -1):
            if words[at : at + size] in leading:
                return table[words[at : at + size]], words[at + size :]
        if word not in _FILLERS:
            return None
    return None


def _last(words: tuple[str, ...]) -> Topic | None:
    """What the last words of a phrase name, the most of them that name anything: "areas worth future work"."""
    table, leading = _phrases()
    if found := _whole(words):
        return found
    for at in range(1, len(words)):
        end = words[at:]
        if end in table and table[end] != SIDE:
            # "Environment note" tells of that, "Note" warns.
            return LOOSE if end in _LINES_ONLY else table[end]
        # "The parser reached parity" is a sentence.
        is_said = not words[at - 1].endswith("s") and end[0].endswith("ed")
        if end[:1] in leading and len(end) > 1 and not is_said:
            return _combined(table[end[:1]], _last(end[1:]))
    return None


def _turned(words: tuple[str, ...]) -> Topic | None:
    """What a phrase of a language names that puts what it says of a noun behind it: "riesgos pendientes"."""
    table = _phrases()[0]
    last = words[-1]
    head = table.get(words[:-1]) if words[1:] and _BEHIND.search(last) else None
    return head and (_combined(table[words[-1:]], head) if words[-1:] in table else head)


def _combined(mark: Topic, head: Topic | None) -> Topic:
    """What a word on how far it is makes of what it stands with: "resolved issues" are done, "planned tests" tests."""
    if (
        head is None
        or head.soft
        or head.kind is None
        or mark.kind in _STRONGER
        or (mark, head.kind) == (RULE, "finding")
    ):
        return mark
    if mark.kind != "step":
        # "Current backlog" is a backlog, "current setup" is how things are.
        return mark if head.kind in _WORK and not (mark == FACT and head.status) else head
    if head.kind == "phase":
        return head._replace(status=mark.status)
    if head.kind == "decision" and mark.status == "pending":
        return OPEN
    if head.kind == "question" and mark.status == "done":
        # "Questions resolved"
        return DECISION
    is_over = (mark.status == "done" and head.kind == "finding") or (mark == DONE and head.kind == "blocker")
    return mark if head.kind in ("step", "goal") or is_over else head


_MAKES = frozenset("implement build develop finish".split())
# What a verb behind "to" makes of the things in front of it; any other is work to do.
_PURPOSES: tuple[tuple[frozenset[str], Topic], ...] = (
    (frozenset("decide confirm clarify discuss ask answer settle".split()), OPEN),
    (frozenset("know remember watch note mind expect".split()), URGENT),
    (frozenset("avoid".split()), RULE),
    (frozenset("defer postpone skip ignore".split()), DEFERRED),
    (frozenset("read".split()), FILES),
    (frozenset("verify test check validate".split()), VALIDATION),
)


def _whole(words: tuple[str, ...]) -> Topic | None:
    """What all of a phrase names, but for words that say nothing around it."""
    first, last = 0, len(words)
    while (found := _toggled(words[first:last])) is None:
        if first < last - 1 and (words[first] in _FILLERS or words[first].isdigit()):
            first += 1
        elif last > first + 1 and (words[last - 1] in _FILLERS or words[last - 1].isdigit()):
            last -= 1
        else:
            return None
    return found


def _toggled(words: tuple[str, ...]) -> Topic | None:
    """What a phrase names, in the singular or the plural."""
    table = _phrases()[0]
    if not words or words in table:
        return table.get(words)
    last = words[-1]
    other = last[:-1] if last.endswith("s") else f"{last}s"
    return table.get((*words[:-1], other)) if len(other) > 3 else None


def _contained(words: tuple[str, ...]) -> Topic | None:
    """What the words in front of a container name: "verification plan", "next exact steps"."""
    if led := _led(words):
        # "Current areas worth future work"
        return _combined(led[0], _last(led[1])) if led[0] == FACT else led[0]
    found = _last(words[:-1]) if words[0] not in _VERBS else None
    return found if found and found.kind and not found.soft and found.status != "done" else None


def _unspaced(words: tuple[str, ...]) -> Topic | None:
    """What a phrase in a script without spaces names: the last that it holds, and what the first says of that."""
    text = "".join(words)
    if text.isascii():
        return None
    found: list[Topic] = []
    at, begins = 0, False
    while at < len(text):
        sizes = range(min(len(text) - at, _UNSPACED_CHARS_MAX), 1, -1)
        size = next((size for size in sizes if text[at : at + size] in _unspaced_phrases()), 0)
        if size:
            begins = begins or at == 0
            found.append(_unspaced_phrases()[text[at : at + size]])
        at += size or 1
    certain = [topic for topic in found if not topic.soft]
    if not certain:
        return found[-1] if found else None
    marks = begins and (certain[0].status or certain[0].kind in _STRONGER)
    if len(certain) > 1 and text.endswith(_CONTAINERS_UNSPACED) and certain[-2].kind not in _WORK:
        # "検証結果" are on what was checked.
        return certain[-2]
    return _combined(certain[0], certain[-1]) if marks and len(certain) > 1 else certain[-1]


@cache
def _unspaced_phrases() -> dict[str, Topic]:
    """The phrases of scripts that are written without spaces, or with them where one likes."""
    return {
        phrase: named
        for words, named in _phrases()[0].items()
        if (phrase := "".join(words)) and len(phrase) > 1 and phrase[0] > _LAST_SPACED
    }


@cache
def _field_words() -> dict[tuple[str, ...], Field]:
    return {normal(phrase): named for named, phrases in reversed(FIELDS) for phrase in phrases.split("|")}


def field(label: str) -> Field | None:
    """What a label says about the item that it stands under, None where the table has nothing for it."""
    words = normal(label) if len(label) <= 60 else ()
    if words[:1] == ("why",):
        return "why"
    return _field_words().get(words) or (
        "meta" if 1 < len(words) <= _LABEL_WORDS_MAX and words[-1] in _META_ENDS else None
    )
