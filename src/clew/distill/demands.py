"""What a person forbids or demands in a prompt, as whole sentences. Bug reports, questions and quotes are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.core.text.cleaning import one_line
from clew.distill.blocks import sentences
from clew.distill.identifiers import words_of
from clew.distill.prompts import is_nod, request_lines

_CHARS_MAX: Final = 300
_WORDS_MIN: Final = 2
# Marks of a list, and quotes and code, whose words are somebody else's.
_MARK: Final = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»")
# People who type fast begin sentences with small letters: "stop. never commit".
_SMALL_END: Final = re.compile(r"(?<=[^\W\d_]{3}[.!])\s+(?=[^\W\d_])")
# What tells of which thing an order speaks: "orders that must be paid", "the bug where it never stops".
_RELATIVE: Final = re.compile(
    r"(?<=\w)(?<!sure)(?<!remember)(?<!note) (?:that|which|who|what|where|why|how|because|with no|for no)\b[^;:,]*",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r"\s*[;:–—,]\s+|\s+\(|\s+-{1,2}\s+|,?\s+(?:but|and|then|aber|und|sondern|mais|et|pero|y|ma|e)\s+", re.IGNORECASE
)
_LEADS: Final = re.compile(
    r"(?:(?:please|so|then|just|also|ok|okay|and|but|from now on|again|remember|note|important|(?:make sure|be sure"
    r"|ensure)(?: that| to)?"
    r"|that you|that|bitte|und|aber|also|ab jetzt|et|mais|surtout|s'il te plaît|y|pero|por favor|e|ma|per favore"
    r")(?:\b|(?<=\.))[,.:!]?\s+)*",
    re.IGNORECASE,
)
# Who or what a report is about; behind such a front "never loads" goes on with the report.
_SUBJECT: Final = re.compile(
    r"(?:to|the|an?|it|its|it's|this|that|there|i|i'm|we|they|my|our|your|he|she|these|those|all|some|der|die|das"
    r"|es|ich|wir|man|le|la|les|il|elle|ça|je|on|el|los|las|lo|i|gli|un|una|une|ein|eine|\w+ (?:is|are|was|were))\b",
    re.IGNORECASE,
)
# A clause that begins so is an order whatever stands in front of it.
_ORDER: Final = re.compile(
    r"(?:do not|don't|dont) (?!know|think|see\b|understand|get\b|have\b|need|remember|believe|recall|care\b|mind\b"
    r"|worry|work|seem|exist|match|appear|look|want me)\w+ \S"
    r"|refrain\b|stop \w+ing\b|hands off\b|st(?:ay|eer) (?:away|out|clear|off)\b|under no circumstances\b"
    r"|leave \S.*\b(?:alone|untouched|unchanged|as is|as (?:it|they) (?:is|are)|in place)\b"
    r"|keep (?!going|getting|seeing|having|on\b|it up|me\b|up\b|\w+ing\b)\w"
    r"|(?:ask|check with|wait for|run it by|tell|warn) (?:me|us|my)\b.*\b(?:before|first|ok|okay|until|approval)\b"
    r"|stick (?:to|with)\b"
    r"|auf keinen fall\b|keinesfalls\b|finger weg\b|lass\w* \S.*\b(?:in ruhe|stehen|unverändert|so)\b"
    r"|fass\w* \S.*nicht an"
    r"|frag\w* (?:mich|uns)\b|n(?:e |')\w+[\w-]* (?:(?:le|la|les|l')? ?)?(?:pas|jamais|rien|plus)\b"
    r"|ne (?:jamais|pas|rien|plus)\b|(?:demande|préviens)[sz]?-moi\b|(?:garde|laisse)[sz]?\b \S"
    r"|no \w+(?:es|as) (?:el|la|los|las|un|una|en|nada|ni|más|sin)\b|nada de\b|(?:pregúntame|avísame)\b"
    r"|(?:mantén|deja) \S|non \w{2,}(?:are|ere|ire)\b|(?:chiedimi|avvisami)\b|lascia \S",
    re.IGNORECASE,
)
# These forbid or demand where a clause begins with them and goes on with neither a report nor an exclamation.
_WORD: Final = re.compile(
    r"(?:do not|don't|dont) (?!know|think|see\b|understand|get\b|have\b|need|remember|believe|recall|care\b|mind\b"
    r"|worry|work|seem|exist|match|appear|look|want me)\w+"
    r"|avoid\b|(?:we )?(?:never|always)(?: ever)? (?!mind|been\b|seen\b|had\b|got\b|gets?\b|see\b|heard|happen|worked"
    r"|knew|the\b"
    r"|an?\b|same|reach|hit\b|\w+ed\b|\w+[^s\W]s\b)\w+"
    r"|(?:we )?only (?!the\b|an?\b|one|two|some|half|it\b|i\b|my\b|this|that|these|those|when|if\b|because|after|once"
    r"|in\b|on\b|at\b|for\b|with|then|now|got\b|see\b|get\b|\w+ed\b|\w+[^s\W]s\b|\d)\w+"
    r"|no (?!errors?\b|output|luck|idea|problem|worries|need|difference|change\b|clue|effect|matter|doubt|way\b|one\b"
    r"|longer|repl|response|results?\b|warnings?\b|such\b|rush|hurry|thanks|good\b|big deal|wonder|funciona|sé\b|se\b"
    r"|hay\b|pued|aparec|compila|entiendo|pasa|es\b|está|tiene|sirve|traceback|stack|logs?\b|match|sign\b|reason\b"
    r"|module named|file\b)\w+"
    r"|not (?:in|on|to|into|with|via|without|for|by|before|until) \w+|nothing (?:new|else|outside|beyond)\b"
    r"|nobody (?:may|should)"
    r"|(?:niemals|nie|nicht|immer|nur) (?!mehr\b|wieder|klar|sicher|gut|schlimm|noch\b|nur\b|so\b|das\b|die\b|der\b"
    r"|ein|wenn|bei\b|im\b|in\b|\w+t\b)\w+"
    r"|kein\w* (?!ahnung|problem|fehler|ausgabe|antwort|ergebnis|wunder|eile|treffer|sorge)\w+"
    r"|(?:jamais|toujours|seulement|uniquement) (?!l[ae]s?\b|rien|pas\b|en\b|un)\w+"
    r"|pas (?:de |d')(?!problème|souci|réponse|résultat|sortie|chance|erreur)\w+"
    r"|(?:nunca|jamás|siempre|s[oó]lo|mai|sempre|soltanto) (?!me\b|mi\b|se\b|si\b|da\b|sale|lo stesso|l[ao]s?\b|el\b"
    r"|il\b"
    r"|ha\b|h[ae] |cuando|quando|un|funziona|funciona|fall|\w+ò\b)\w+",
    re.IGNORECASE,
)
# Something that is or is not was seen, and is no order.
_NOUN_SEEN: Final = re.compile(
    r"(?:no|not|only|nothing|nobody|nur|kein\w*|pas|solo|sólo|soltanto)\b.*"
    r"\b(?:is|are|was|were|has|had|does|did|doesn't|didn't|isn't|aren't|wasn't|found|ran|came|shown|appears?|exists?"
    r"|happened|works?|fails?|failed|showed|returned|left over|anymore|ist|sind|war|wird|gefunden|trouvée?|est)\b",
    re.IGNORECASE,
)
# What says of something that it must or may not, wherever in the clause it stands.
_MUST: Final = re.compile(
    r"\b(?:must(?:n't)?|may not|should(?: not|n't| never)|shall(?: not)?|(?:you|we) (?:can't|cannot|can not|can only)"
    r"|(?<=\w )(?<!i )(?<!n't )(?:has|have|needs?) to (?:keep|stay|remain|support|stick)"
    r"|(?<=\w )(?<!i )(?<!we )(?<!n't )(?:has|have|needs?) to (?:work|run|be|pass|build|go|use|match|fit)"
    r"|not allowed|forbidden|off[- ]limits|(?:don't|do not|didn't) want (?:any|an?|new|you|to see|it|the|more|this"
    r"|that)"
    r"|(?:unless|until) i (?:say|ask|tell|approve|confirm)|without (?:asking|my (?:ok|okay|approval|permission"
    r"|consent))"
    r"|(?:darf|dürfen|darfst|soll|sollen|sollst)\b.*\b(?:nicht|nie|niemals|kein\w*|nur)|muss|müssen|verboten|tabu"
    r"|ohne (?:zu fragen|rückfrage|mich zu fragen)"
    r"|(?<!ça )(?<!on )(?:doit|doivent|il faut|ne dois pas)|interdit\w*|sans (?:me )?demander"
    r"|(?:debe|deben|debes|tiene que|tienen que|hay que)|prohibido|sin preguntar(?:me)?"
    r"|(?:deve|devono|devi|bisogna)|vietato|senza chiedere)\b",
    re.IGNORECASE,
)
# A guess, a wish of one's own, or a failure: no rule.
_MUST_NOT_BE: Final = re.compile(
    r"\b(?:must|has to|have to|muss|doit|debe|deve) (?:have\b|be (?:something|some\b|why|due|because|wrong|broken"
    r"|caused|coming|related)"
    r"|wohl|irgend|avoir|haber|aver|être (?:un|à cause)|ser (?:un|por)|essere (?:un|per)|an (?:der|dem|den)|am )"
    r"|\b(?:it|that|this|there|es|das) (?:must be|muss) (?:an?|the|in|ein|eine) |\bthere must\b"
    r"|\b(?:i|ich|je|man|wir) (?:must|muss|müssen|dois|should\w*|darf|soll\w*)\b|\bwe (?:should|must) (?:have|be)\b"
    r"|\b(?:this|that|it) should(?:n't| not| never) (?:have|happen|take|be (?:possible|happening)|fail|crash)\b"
    r"|\b(?:every time|each time|jedes mal|says|said|complains|error|shouldn't have|should not have"
    r"|should never have|you (?:\w+ed|went|did|ran|wrote|made))\b|^there (?:is|are|was|were)\b",
    re.IGNORECASE,
)
# Orders begin with one of these, and hold the word further on: "use tabs, not spaces", "run it only on staging".
_VERB: Final = re.compile(
    r"(?:use|make|put|write|run|call|name|take|work|commit|push|set|store|format|test|go|change|edit|touch|fix|add"
    r"|create|build|read|do|target|treat|install|nimm|nutze?|benutze?|verwende?|ändere?|lösche?|schreibe?|mache?"
    r"|committe|pushe?|halte?|teste?|füge?|baue?|rühre?|entferne?|installiere?|utilise[zr]?|touche[zr]?|ajoute[zr]?"
    r"|usa|toca|haz|añade|escribe|tocca|aggiungi|scrivi)\b",
    re.IGNORECASE,
)
_INSIDE: Final = re.compile(
    r"\b(?:only(?: ever| on| in| the| for| when| if| with)?|never|always|nothing (?:but|else)|no other|nur|nie|niemals"
    r"|nicht|kein\w*|immer|(?:que|seulement|uniquement) (?:les?|la|des?)|s[oó]lo|solo|soltanto|sempre|siempre) \w"
    r"|, (?:not|no|nicht|kein\w*|pas|non) \w|^\w+ no \w",
    re.IGNORECASE,
)
# "Die Tests nicht anfassen": German orders end in an infinitive, and have no verb beside it.
_INFINITIVE: Final = re.compile(
    r"\b(?:nicht|nie|niemals|nur|immer|kein\w*)\b(?: \S+){0,5} [\w-]+(?:en|ern|eln)[.!]*$", re.IGNORECASE
)
_GERMAN_VERB: Final = re.compile(
    r"\b(?:ist|sind|war|waren|wird|werden|wurden?|kann|können|konnten?|hat|haben|hatten?|will|wollen|würden?|lässt"
    r"|scheint?|ich|wir)\b",
    re.IGNORECASE,
)


def demands(text: str) -> Iterator[str]:
    """The sentences of a prompt, whole and in order, that forbid or demand something of who reads it."""
    for line in request_lines(text.replace("’", "'")):
        said = one_line(line)
        mark = _MARK.match(said)
        for sentence in sentences(said[mark.end() :] if mark else said):
            yield from filter(is_demand, _SMALL_END.split(sentence))


def is_demand(sentence: str) -> bool:
    """Whether a sentence, quotes and code aside, has a clause that forbids or demands. Questions do not."""
    if len(sentence) > _CHARS_MAX or sentence.endswith(("?", ":")) or len(words_of(sentence)) < _WORDS_MIN:
        return False
    if is_nod(sentence):
        return False
    said = _QUOTED.sub("it", sentence)
    told = _RELATIVE.sub("", said)
    if _MUST.search(told) and not _MUST_NOT_BE.search(told):
        return True
    if any(_ORDER.match(clause) for clause in _clauses(said)):
        return True
    clauses = _clauses(told)
    is_report = _SUBJECT.match(clauses[0]) is not None
    if any(_WORD.match(clause) and not _NOUN_SEEN.match(clause) for clause in clauses[: 1 if is_report else None]):
        return True
    if _INFINITIVE.search(said) and not _GERMAN_VERB.search(said):
        return True
    return bool(_VERB.match(clauses[0]) and _INSIDE.search(told))


def _clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, each from its first word that says something on."""
    return [
        clause[lead.end() :] if (lead := _LEADS.match(clause)) else clause for clause in _CLAUSE_END.split(sentence)
    ]
