"""How far a step is, by the marks people use: words, emoji, boxes, a line through it. Knows nothing of documents."""

import re
from functools import cache

from clew.core.tuples import NamedTuple

DONE, DOING, BLOCKED, PENDING, DROPPED = "done", "in progress", "blocked", "pending", "dropped"

_WORDS: tuple[tuple[str, str], ...] = (
    (DONE, """
        done | complete | completed | closed | fixed | resolved | finished | shipped | merged | implemented |
        deployed | verified | passed | passing | pass | ok | landed | released | delivered | live | solved |
        succeeded | success | accepted | approved | all done | 完了 | 完成 | 已完成 | 완료 | hecho | completado |
        listo | erledigt | fertig | abgeschlossen | abgenommen | terminé | fait | concluído | feito | fatto |
        completato | готово | сделано | gedaan | klaar | gotowe
    """),
    (DOING, """
        in progress | inprogress | wip | work in progress | doing | active | started |
        ongoing | running | current | partial | partially done | partially complete | partly done | in review |
        under review | reviewing | underway | under way | in development | in flight | testing | now | 進行中 |
        进行中 | 진행 중 | 진행중 | en progreso | en curso | in arbeit | angefangen | en cours | em andamento |
        in corso | в работе | mee bezig | w toku
    """),
    (BLOCKED, """
        blocked | on hold | onhold | stuck | waiting | paused | halted | awaiting | 阻塞 | 차단됨 |
        bloqueado | blockiert | bloqué | bloccato
    """),
    (PENDING, """
        pending | todo | to do | open | not started | planned | queued | backlog | proposed |
        next | ready | up next | new | scheduled | upcoming | remaining | unstarted | draft | not done | not yet |
        incomplete | tbd | future | failing | fail | failed | missing | deferred | postponed | not implemented |
        not run | required | to be built | to be done | to be written | to be implemented |
        未着手 | 待办 | 未开始 | 未完成 | 대기 | pendiente | offen | ausstehend |
        nicht begonnen | à faire | pendente | a fazer | da fare | не начато | te doen | do zrobienia
    """),
    (DROPPED, """
        dropped | cancelled | canceled | wont do | won't do | wontfix | won't fix | skipped | obsolete |
        superseded | abandoned | rejected | removed | invalid | duplicate | n/a | withdrawn | archived | deprecated |
        retired | 取消 | 已取消 | cancelado
    """),
)  # fmt: skip

_SIGNS: tuple[tuple[str, str], ...] = (
    (DONE, "✅ ☑ ✔ ✓ 🟢 🎉 ☒ 💯 🏁 👍"),
    (DOING, "🚧 🔄 🟡 🔨 🏗 ▶ 🔁 ⚙ 🛠 🟠 🔵"),
    (BLOCKED, "⛔ 🚫 🛑 ⏸ 🔒 🔴"),
    (PENDING, "⬜ ☐ ⏳ 🔲 📋 📅 🗓 🔜 ⭕ ⌛ ⏭ ▢ ◻ ⚪ 🕐 📝 ❌ ✗ ✘ ❎"),
    (DROPPED, "🗑 ❎"),
)

_BOXES = {"x": DONE, "X": DONE, "✓": DONE, "✔": DONE, "-": DROPPED, "~": DOING, "/": DOING, ">": PENDING}

_BOX = re.compile(r"\[([ xX✓✔~/>-])\]")
_SHARE = re.compile(r"[~≈]?(\d{1,3}) ?%(?: (?:complete|completed|done|finished|ready))?", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
# A mark behind a text is looked for in so much of it.
_TAIL_CHARS = 80


class Marked(NamedTuple):
    """A text without the marks that say how far it is. `sign`: it had an emoji or such in front."""

    text: str
    status: str
    sign: bool = False


@cache
def _table() -> dict[str, str]:
    return {_key(word): status for status, words in reversed(_WORDS) for word in words.split("|")}


def _key(word: str) -> str:
    """A word or phrase as it is looked up: "NOT-STARTED" is "not started"."""
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())


@cache
def _signs() -> dict[str, str]:
    return {sign: status for status, signs in reversed(_SIGNS) for sign in signs.split()}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    words = "|".join(re.escape(word).replace("\\ ", "[ _-]") for word in sorted(_table(), key=len, reverse=True))
    signs = "".join(_signs())
    # Any picture in front goes, with or without a meaning.
    front = re.compile(
        rf"(?P<signs>(?:[{signs}\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff][\ufe0f\u200d]*\s*)*)"
        rf"(?:[\[(*_]*(?P<word>{words})[\])*_]*(?:\s*[:—–]|\s+-)\s+|\[(?P<boxed>{words})\]\s*)?",
        re.IGNORECASE,
    )
    back = re.compile(
        rf"(?:\s*[{signs}]\ufe0f?)?\s*[\[(（*_]+\s*(?:[{signs}]\ufe0f?\s*)?"
        rf"(?:\d{{1,3}} ?%\s*(?=complete|done))?(?P<boxed>{words})\s*[\])）*_]+\s*$"
        rf"|(?:\s*[:—–←→|]|\s-{{1,2}})\s*(?:[{signs}🎯]\ufe0f?\s*)?(?P<word>{words})[.!]?\s*$"
        rf"|\s*(?P<sign>[{signs}🎯])\ufe0f?\s*[*_]*(?P<said>{words})?[*_]*[.!]?\s*$",
        re.IGNORECASE,
    )
    whole = re.compile(rf"\W*(?P<word>{words})\b", re.IGNORECASE)
    said = re.compile(rf"(?:[{signs}]\ufe0f?\s*)?(?P<word>{words})(?=\s*(?:$|[.;,!(–—]|-\s|\*\*))", re.IGNORECASE)
    return front, back, whole, said


@cache
def _lasts() -> tuple[frozenset[str], frozenset[str]]:
    """The last words of all phrases, and all signs."""
    return frozenset(word.split()[-1] for word in _table()), frozenset(_signs()) | {"🎯"}


def _ends_marked(text: str) -> bool:
    """Whether a closer look at the end is worth it: most lines have no mark, and are long."""
    words, signs = _lasts()
    tail = text[-_TAIL_CHARS:]
    last = tail.rstrip(" .!)]）*_").rpartition(" ")[2].lstrip("([（*_:—–←→|").lower()
    return last in words or (not tail.isascii() and not signs.isdisjoint(tail))


def of_box(box: str) -> str:
    """The status of a checkbox by what stands between its brackets; anything unknown is open."""
    return _BOXES.get(box, PENDING)


def of_word(text: str) -> str:
    """The status that a cell, a field or a key's value tells, "" if it tells none: its box, sign or first words."""
    if box := _BOX.fullmatch(text.strip()):
        return of_box(box[1])
    text = text.strip().strip("*_`[]()\"'").strip()
    if not text or len(text) > 200:
        return ""
    if found := _table().get(_key(text)):
        return found
    if share := _SHARE.fullmatch(text):
        return DONE if share[1] == "100" else PENDING if share[1] == "0" else DOING
    if match := _patterns()[2].match(text):
        return _table()[_key(match["word"])]
    return next((status for sign, status in _signs().items() if text.startswith(sign)), "")


def said(text: str) -> str:
    """The status that the first words behind a label tell as a sentence of their own: "Done. All ten steps."."""
    text = text[:_TAIL_CHARS].lstrip("*_ ")
    if match := _patterns()[3].match(text):
        return _table()[_key(match["word"])]
    return next((status for sign, status in _signs().items() if text.startswith(sign)), "")


def of_aside(text: str) -> str:
    """The status that stands in brackets, "" if it is anything else."""
    return _table().get(_key(text.strip("()（） ")), "")


def at_end(text: str) -> str:
    """The status that a short sentence ends in: "The parser is complete (v0.18).", "Data pipeline: done"."""
    words = _BRACKETS.sub("", text).rstrip(" .!*_").rsplit(None, 2)
    return next((found for size in (2, 1) if (found := _table().get(_key(" ".join(words[-size:])), ""))), "")


def boxed(text: str) -> Marked | None:
    """A line that begins with a box, without it; None if it begins with none."""
    match = _BOX.match(text)
    rest = text[match.end() :].strip() if match else ""
    return Marked(rest, of_box(match[1]), sign=False) if match and rest else None


def marked(text: str) -> Marked:
    """A line of text and its status, by marks in front of it or behind it. The word counts before the sign."""
    status, sign, tail = "", False, ""
    if text[:1] == "~" and text.startswith("~~"):
        inner, _, tail = text[2:].partition("~~")
        text, status = (inner + tail, DROPPED) if tail.strip() else (inner, DROPPED)
    front, back = _patterns()[:2]
    start = text[:2]
    in_words = start.isalnum() and start.isascii() and not start.isupper()
    bold = "**" if start == "**" and not text[2:3].isalnum() else ""
    text = text[len(bold) :]
    if not in_words and (match := front.match(text)) and match.end() < len(text):
        word = match["word"] or match["boxed"]
        # A word alone in front is a mark only in capitals or in brackets: "Next: …" is a label.
        if word and not match["boxed"] and not word.isupper() and not match["signs"]:
            word = None
        elif word or match["signs"]:
            text = text[match.end() :] if word else text[match.end("signs") :]
        signs = match["signs"]
        sign = bool(signs.strip())
        status = _table()[_key(word)] if word else next((_signs()[c] for c in signs if c in _signs()), status)
    text = bold + text
    at = max(0, len(text) - _TAIL_CHARS)
    if _ends_marked(text) and (match := back.search(text, at)) and match.start() > 0:
        word = match["boxed"] or match["word"] or match["said"]
        if match["word"] and not (word.isupper() or len(word) > 3):
            return Marked(text.strip(), status, sign)
        status = _table()[_key(word)] if word else _signs().get(match["sign"], status)
        text = text[: match.start()]
    return Marked(text.strip(), status, sign)
