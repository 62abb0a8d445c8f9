"""Phrases that say nothing, and a template's places: whole entries, never a part of a sentence. Knows no documents."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

# Judged are short entries only: whoever writes more says something.
_CHARS_MAX: Final = 90
_PLACE_CHARS_MAX: Final = 120
_EDGES: Final = " \t.!:;,*_-–—…✅☑✔✓🎉👍🚀"


def alternatives(words: str) -> str:
    """A pattern for any of several, which are written with " | " between them, over as many lines as it takes."""
    return "(?:" + "|".join(part.strip() for part in re.split(r"\s\|\s", words) if part.strip()) + ")"


_MISC: Final = alternatives("""
    various | several | some | misc | miscellaneous | minor | small | general | other | further | more | additional |
    assorted | multiple | many | a few | lots of | different
""")
_WORK: Final = alternatives("""
    improvements? | fix(?:es)? | bug ?fix(?:es)? | changes? | updates? | tweaks? | clean-?ups? | refactors? |
    refactorings? | enhancements? | polish | polishing | adjustments? | stuff | things | optimi[sz]ations? |
    housekeeping
""")
_THING: Final = alternatives("""
    code | codebase | things | stuff | everything | it | this | that | issues? | bugs? | problems? | errors? |
    loose ends | the rest | rest
""")
_TIDY: Final = alternatives("""
    clean(?:ed)? ?up | improve[ds]? | refactor(?:ed)? | polish(?:ed)? | tid(?:y|ied)(?: up)? | fix(?:ed)? |
    optimi[sz]e[ds]? | enhance[ds]? | handle[ds]? | debug(?:ged)? | adjust(?:ed)? | tweak(?:ed)? |
    finish(?:ed)?(?: up)? |
    finali[sz]e[ds]? | wrap(?:ped)? up | address(?:ed)?
""")
_ALL: Final = alternatives(
    "the | all | any | some | remaining | more | other | various | minor | small | a few | existing"
)
_ON: Final = alternatives("""
    with | on | to | the | our | my | your | this | it | going | working | work | development | implementation |
    implementing | developing | coding | task | tasks | project | from | where | we | i | you | left | off | as |
    planned |
    before | here | there | remaining | current | next | steps? | things? | stuff
""")
_SAID: Final = alternatives("""
    discussed | agreed | mentioned | planned | described | said | noted | above | before | usual | requested | decided |
    talked about
""")
_THEN: Final = alternatives("""
    above | before | earlier | previously | yesterday | today | in chat | in the (?:call|meeting|chat) |
    in (?:the )?(?:last|previous) (?:session|chat|message)
""")
_WORKS: Final = alternatives("""
    works? | is working | are working | working | runs fine | looks good | is fine | is ok | is good |
    seems (?:fine|ok|good|to work)
""")
_WELL: Final = alternatives("""
    now | fine | well | great | ok | okay | good | correctly | properly | perfectly | as expected | as intended |
    again |
    so far | for now | on my machine
""")
_DEED: Final = alternatives("""
    [a-z-]+ing | implementation | development | refactor | cleanup | work | task | everything | feature | phase | code
""")
_IS: Final = r"(?:(?:is|are|was|were|has been|have been) )?(?:(?:now|mostly|almost|basically|all) )?"
_PATTERNS: Final = (
    # various improvements; misc bug fixes and tweaks
    rf"(?:(?:made|did|add|added|with) )?{_MISC}(?: {_MISC})*(?: (?:code|bug|ui|ux))? {_WORK}"
    rf"(?:(?:,| and|,? &) (?:{_MISC} )?{_WORK})*",
    rf"{_WORK}(?:(?:,| and|,? &) (?:{_MISC} )?{_WORK})+",
    r"bug ?fixes|misc|miscellaneous|housekeeping|stuff|general clean-?up|code clean-?up",
    # as discussed
    rf"(?:as|like|per)(?: we| was| already| previously)? {_SAID}(?: {_THEN})?",
    # works now; should be fine
    rf"(?:(?:it|this|that|everything|all|now|still|just|and|code) ){{0,3}}{_WORKS}(?: {_WELL}){{0,2}}",
    rf"(?:(?:it|this|that|everything|all) )?(?:should|ought to|will) (?:be (?:fine|ok|okay|good|working)|work)"
    rf"(?: {_WELL}){{0,2}}",
    r"(?:all |everything (?:is )?)?good to go|lgtm|so far so good|no problems so far",
    # clean up code; fix issues
    rf"{_TIDY}(?: {_ALL})* {_THING}(?: and {_THING})?",
    # continue work; finish the rest
    rf"(?:continue|carry on|proceed|keep|resume)(?: {_ON})+",
    r"(?:do|finish|complete|continue|work on) (?:the )?(?:rest|remaining (?:work|tasks|items|stuff|things)|more work)",
    r"more (?:work|testing|stuff|things) (?:needed|required|to do|to come)|needs? (?:more )?work|work in progress"
    r"|to be continued|more to come",
    # matching done; implementation is complete
    rf"(?:[a-z][a-z-]* )?{_IS}(?:done|finished)(?: now| so far)?",
    rf"{_DEED} {_IS}(?:complete|completed|ready)(?: now| so far)?",
    r"(?:all|everything) (?:is |was )?(?:done|complete|completed|finished|ready|working|good|fine)",
    r"(?:(?:we are|it is|now) )?ready (?:for|to start|to begin|to go on with) (?:the )?next "
    r"(?:task|step|phase|session|thing|steps)",
    # and so on
    r"etc|and so on|and so forth|and more|and others?|see above|ditto|the usual"
    r"|same as (?:above|before|last time|usual)",
)  # fmt: skip
_REPAIR: Final = re.compile(
    rf"(?:fix|handle|debug|address|adjust|tweak)(?: {_ALL})* (?:issues?|bugs?|problems?|errors?|code|it|this|that)"
)
# Short words in front of "done" with which it means something.
_KEPT: Final = re.compile(
    r"(?:(?:not|never|none|nothing|is|are|was|when|if|until|once|well|over|partly) )?(?:done|finished)"
)
_TEMPLATE: Final = alternatives("""
    describe | insert | add | fill | your | list | todo | tbd | name | date | explain | write | enter | what | why |
    how |
    the | a | an | link | path | details? | summary | placeholder | optional | xxx
""")
_TAG: Final = alternatives("""
    details | summary | div | p | img | a | br | hr | span | table | tr | td | th | ul | ol | li | b | i | em | strong |
    code | pre | sub | sup | kbd | center | h[1-6] | svg | picture | source | video | input | https? | mailto |
    clew-data
""")
_PLACEHOLDERS: Final = (
    rf"<(?!{_TAG}\b)[a-z][^<>`=]{{2,80}}>",
    rf"\[{_TEMPLATE}\b[^\[\]`]{{0,100}}\](?!\()",
    r"\{\{?[a-z][^{}`]{2,80}\}\}?",
    r"(?:todo|tbd|fixme)\b\W*(?:fill (?:this |it )?in|write (?:this|me)|add (?:details?|content|description|more)"
    r"|describe|complete this|to be (?:filled|written|added))\b.*",
    r"to be (?:filled(?: in)?|written|completed|added|documented|determined)|fill (?:this |me )?in|coming soon"
    r"|lorem ipsum.*|xxx+|tbd|todo|fixme|\?{2,}|yyyy-mm-dd",
)


def is_empty_phrase(text: str) -> bool:
    """Whether all of a text (one line, without marks) is a phrase that says nothing. Every sentence has to be one."""
    if not text or len(text) > _CHARS_MAX:
        return False
    parts = [part.strip(_EDGES).lower().replace("’", "'") for part in re.split(r"(?<=[.!])\s+", text)]
    parts = [part for part in parts if part]
    return bool(parts) and all(_empty().fullmatch(part) and not _KEPT.fullmatch(part) for part in parts)


def is_repair(text: str) -> bool:
    """Whether a phrase says to repair what is not named: "Fix bugs"."""
    return bool(_REPAIR.fullmatch(text.strip(_EDGES).lower()))


def is_placeholder(text: str) -> bool:
    """Whether all of a text is a template's place that nobody filled in."""
    told = text.strip().strip("*_").strip().rstrip(".")
    return len(told) <= _PLACE_CHARS_MAX and bool(_placeholder().fullmatch(told))


@cache
def _empty() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in _PLACEHOLDERS), re.IGNORECASE)
