"""What a person forbids or demands in a prompt, as whole sentences. Bug reports, questions and quotes are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.core.text.cleaning import one_line
from clew.distill.blocks import sentences
from clew.distill.identifiers import words_of
from clew.distill.prompts import is_nod, request_lines


class _Language(NamedTuple):
    """How people forbid and demand, as alternatives of patterns: `order` begins a clause that does; `never` too, but
    not in front of `not_so`, where it tells how things are; `must` stands anywhere in one. `joint` stands between
    clauses, `correct` turns a course.
    """

    order: str
    never: str
    not_so: str
    must: str
    joint: str
    correct: str


_NO_VERB: Final = r"(?! (?:\w+ed|\w+[^s\W]s)\b)"  # "it never stops"
_LANGUAGES: Final = (
    _Language(
        r"(?:do not|don't|dont) (?!know|think|see\b|understand|get\b|have\b|need|remember|believe|care\b|mind\b|worry"
        r"|work|seem|exist|match|appear|look|finish|want me)\w+|refrain\b|avoid\b|stop \w+ing\b|hands off\b"
        r"|st(?:ay|eer) (?:away|out|clear|off)\b|under no circumstances\b|stick (?:to|with)\b"
        r"|leave \S.*\b(?:alone|untouched|unchanged|as is|as they are|as it is|in place)\b"
        r"|keep (?!going|getting|seeing|having|on\b|up\b|me\b|\w+ing\b)\w"
        r"|(?:ask|tell|check with|wait for) (?:me|us|my)\b.*\b(?:before|first|until|ok(?:ay)?)\b"
        r"|(?:use|make|put|write|run|call|take|work|commit|push|set|store|format|test|go|change|edit|touch|fix|add|create"
        r"|build|read|do|target|treat|install)\b.*(?:\b(?:only|no|never|always|nothing but) \w|, (?:not|no) \w)",
        rf"(?:we )?(?:never|always|only)(?: ever)?{_NO_VERB}|no|nothing(?= (?:new|else|outside))"
        r"|nobody(?= (?:may|should))|not(?= (?:in|on|to|into|with|for|by|before|until|the)\b| \w+s$)",
        r"no|mind|been|seen|had|got|gets?|see|heard|happen|worked|knew|the|an?|same|one|it|i|my|this|that|when|if|because"
        r"|after|errors?|output|luck|idea|problem|need|difference|change|clue|effect|matter|doubt|way|longer|such|rush"
        r"|hurry|thanks|results?|response|warnings?|reason|module|file|logs?|match|traceback|stack|working"
        r"|sure|funciona|sé|se|hay|es",
        r"must(?:n't)?|may not|should(?: not|n't| never)|shall(?: not)?|(?:you|we) (?:can't|cannot|can only)"
        r"|off[- ]limits|(?<=\w )(?<!i )(?<!n't )(?:has|have|needs?) to (?:keep|stay|remain|support|stick)"
        r"|not allowed|forbidden"
        r"|(?<=\w )(?<!i )(?<!we )(?<!n't )(?:has|have|needs?) to (?:work|run|be (?!\w+ed\b)|pass|build|go|use|fit)"
        r"|(?:don't|do not|didn't) want (?:any|an?|new|you|to see|it|the|more|this|that)"
        r"|(?:unless|until) i (?:say|ask|tell|approve|confirm)|without (?:asking|my \w+)",
        r"but|and|then|please|so|just|also|ok(?:ay)?|from now on|again|remember|note|important|that"
        r"|(?:make|be) sure(?: that| to)?|ensure",
        r"no|nope|not|don'?t|instead|rather|actually|wrong|undo|revert|reset|stop|leave|skip|keep|only|without|simpl\w+"
        r"|prefer|never|always|should(?:n't)?|must|first",
    ),
    _Language(
        r"(?:lass\w*|fass\w*|nimm|nutze?|verwende?|ändere?) .*\b(?:ruhe|nur|nie|nicht|kein\w*)\b|frag\w* (?:mich|uns)\b"
        r"|(?!.*\b(?:ich|wir|ist|sind|wird|kann|können|hat|haben|will)\b)"
        r".*\b(?:nicht|nie|niemals|nur|immer|kein\w*)\b(?: \S+){0,5} [\w-]+(?:en|ern|eln)[.!]*$",
        r"(?:niemals|nie|nicht|immer|nur)(?! \w+t\b)|kein\w*",
        r"mehr|noch|wieder|klar|sicher|gut|so|das|die|der|ein|bei|im|in|ahnung|problem|fehler|ausgabe|antwort|ergebnis",
        r"(?:darf|dürfen|darfst|soll|sollen|sollst)\b.*\b(?:nicht|nie|niemals|kein\w*|nur)|muss|müssen|verboten"
        r"|ohne (?:zu fragen|rückfrage)",
        "aber|und|sondern|bitte|ab jetzt",
        "nein|nicht|stattdessen|lieber|falsch|zurück|ohne|nur",
    ),
    _Language(
        r"n(?:e |')\w+[\w-]* .*\b(?:pas|jamais|rien|plus)\b|ne (?:jamais|pas|rien|plus)\b|(?:garde|laisse)[sz]? \S",
        "jamais|toujours|seulement|pas (?:de|d')",
        r"l[ae]s?|en|un|problème|réponse|résultat|sortie|erreur",
        r"(?<!ça )(?<!on )(?:doit|doivent|il faut)|interdit\w*|sans (?:me )?demander",
        "mais|et|surtout",
        "non|pas|plutôt|sans",
    ),
    _Language(
        r"no \w+(?:es|as) (?:el|la|los|las|un|una|nada)\b|(?:mantén|deja) \S",
        "nunca|jamás|siempre|s[oó]lo",
        r"me|se|si|da|sale|l[ao]s?|el|ha|un|funciona|fall\w*",
        "(?:debe|deben|hay que)|prohibido|sin preguntar",
        "pero|y|por favor",
        "no|mejor|sin",
    ),
    _Language(
        r"non \w{2,}(?:are|ere|ire)\b|lascia \S|usa\b.*\bsolo\b",
        "mai|sempre|solo",
        r"il|h[ae]|da|un|funziona|lo|\w+ò",
        "(?:deve|devono|bisogna)|vietato|senza chiedere",
        "ma|e|per favore",
        "non|piuttosto|senza",
    ),
)


def _any(field: str) -> str:
    return "|".join(getattr(language, field) for language in _LANGUAGES)


_CHARS_MAX: Final = 300
_WORDS_MIN: Final = 2
# Marks of a list, and quotes and code, whose words are somebody else's.
_MARK: Final = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»")
# People who type fast begin sentences with small letters: "stop. never commit".
_SMALL_END: Final = re.compile(r"(?<=[^\W\d_]{3}[.!])\s+(?=[^\W\d_])")
# What tells of which thing an order speaks: "orders that must be paid", "the bug where it never stops".
_RELATIVE: Final = re.compile(
    r"(?<=\w)(?<!sure) (?:that|which|who|where|why|how|because|with no)\b[^;:,]*", re.IGNORECASE
)
_CLAUSE: Final = re.compile(rf"\s*[;:–—,]\s+|\s+\(|\s+-{{1,2}}\s+|\s+(?:{_any('joint')})\s+", re.IGNORECASE)
_LEADS: Final = re.compile(rf"(?:(?:{_any('joint')})\b[,.:!]?\s+)*", re.IGNORECASE)
# Something that is or is not was seen, and is no order; nor goes one on behind who or what a report is about.
_SEEN: Final = re.compile(
    r"no .*\b(?:like|as) before\b"
    r"|(?:no|nothing|nobody) [\w-]+ (?!files|modules|dependencies|deps|packages|mocks|tests|changes)\w+[^\Ws]s\b"
    r"|(?:no|not|only|nothing|nobody|nur|kein\w*|solo|sólo)\b.*\b(?:is|are|was|were|has|had|does|did|doesn't|didn't|isn't"
    r"|found|ran|came|works?|fails?|failed|ist|sind|wird|est)\b",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"(?:the|an?|it|its|it's|this|that|there|i|i'm|they|he|she|these|those|all|some|der|die|das|es|ich|wir|man|le|la"
    r"|les|il|elle|ça|je|on|el|los|lo|un|una|une|ein|eine|you \w+|\w+ (?:is|are|was|were))\b",
    re.IGNORECASE,
)
_NEVER: Final = tuple(re.compile(rf"(?:{one.never}) (?!(?:{one.not_so})\b)\w", re.IGNORECASE) for one in _LANGUAGES)
_ORDER: Final = re.compile(_any("order"), re.IGNORECASE)
_MUST: Final = re.compile(rf"\b(?:{_any('must')})(?!\w)", re.IGNORECASE)
# A guess, a wish of one's own, or a failure: no rule.
_GUESS: Final = re.compile(
    r"\b(?:must|has to|have to|muss|doit|debe|deve) (?:have|be (?:something|some|why|due|because|wrong|broken)"
    r"|an (?:der|dem))\b|\b(?:(?:it|that|this|there) must be|(?:es|das) muss (?:an|am|ein|wohl))\b"
    r"|\b(?:i|someone|somebody|people|ich|je|man|wir|we) (?:must|muss|müssen|dois|should\w*|darf|soll\w*)\b"
    r"|\b(?:this|that|it) should(?:n't| not| never)\b|^there (?:is|are|was|were)\b"
    r"|\b(?:says|said|complains|error|should(?:n't| not| never) have|you (?:\w+ed|went|did|ran))\b",
    re.IGNORECASE,
)
_CORRECT: Final = re.compile(rf"\b(?:{_any('correct')})\b", re.IGNORECASE)


def demands(text: str) -> Iterator[str]:
    """The sentences of a prompt, whole and in order, that forbid or demand something of who reads it."""
    for line in request_lines(_around_paste(text.replace("’", "'"))):
        said = one_line(line)
        mark = _MARK.match(said)
        for sentence in sentences(said[mark.end() :] if mark else said):
            yield from filter(is_demand, _SMALL_END.split(sentence))


def _around_paste(text: str) -> str:
    """Of a long prompt with headings or times in it, a document or a log, the user's own words: the paragraphs at its
    ends.
    """
    if len(text) <= _PASTED_CHARS_MIN or len(re.findall(_PASTED, text)) < _PASTED_LINES_MIN:
        return text
    paragraphs = re.split(r"\n[ \t]*\n", text.strip())
    return "\n".join(one for one in (paragraphs[0], *paragraphs[1:][-1:]) if not re.search(_PASTED, one))


# Lines that nobody types: a heading, a time, a level, a quote, a line number.
_PASTED = r"(?m)^[ \t]*(?:#{1,6} |>|\|.*\||\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:INFO|WARN|ERROR|DEBUG)\b|\d+[:|] )"
_PASTED_CHARS_MIN, _PASTED_LINES_MIN = 600, 3


def is_demand(sentence: str) -> bool:
    """Whether a sentence, quotes and code aside, has a clause that forbids or demands. Questions do not."""
    if len(sentence) > _CHARS_MAX or sentence.endswith(("?", ":")) or len(words_of(sentence)) < _WORDS_MIN:
        return False
    if is_nod(sentence) or words_of(sentence)[-1] == "then":  # it draws the end of what was said before
        return False
    told = _RELATIVE.sub("", _QUOTED.sub("it", sentence))
    if _MUST.search(told) and not _GUESS.search(told):
        return True
    clauses = [_LEADS.sub("", clause, count=1) for clause in _CLAUSE.split(told)]
    if any(_ORDER.match(clause) for clause in clauses):
        return True
    heads = clauses[:1] if _SUBJECT.match(clauses[0]) else clauses
    return any(never.match(clause) and not _SEEN.match(clause) for clause in heads for never in _NEVER)


def is_correction(text: str) -> bool:
    """Whether a request takes something back or turns the course."""
    return _CORRECT.search(text.replace("’", "'")) is not None
