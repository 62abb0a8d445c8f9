"""Words of a command line as they are read here: what only the shell knows in them, and options beside operands."""

# In the place of what only the shell knows: one word of any text, any number of words; before a pattern of file names.
QUOTED, OPEN, GLOB = "\0", "\1", "\2"
UNKNOWN = (QUOTED, OPEN, GLOB)
_SHOWN_CHARS_MAX = 60


def shown(text: str) -> str:
    """A word of a line as it is told, on one line and not too long."""
    for sign in UNKNOWN:
        text = text.replace(sign, "" if sign == GLOB else "…")
    text = " ".join(text.split())
    return f"`{text[:_SHOWN_CHARS_MAX] + '…' if len(text) > _SHOWN_CHARS_MAX else text}`"


def may_be_option(word: str) -> bool:
    """Whether a word that the shell fills in may turn out to be an option, or hold one behind a blank."""
    return word[:1] in UNKNOWN or OPEN in word or (word[:1] == "-" and any(sign in word for sign in UNKNOWN))


def parted(
    name: str, given: "list[str]", letters: str, valued: "list[str]", longs: "list[str]"
) -> "tuple[list[str], str]":
    """The operands of a command, and why one of its options is refused ("" none is)."""
    operands: list[str] = []
    at = 0
    while at < len(given):
        word = given[at]
        at += 1
        if word == "--":
            return operands + given[at:], ""
        if may_be_option(word):
            return operands, f"{shown(word)} may turn out to be an option of `{name}`; put `--` or `./` before it"
        if word[:2] == "--":
            long, assigned, _ = word[2:].partition("=")
            if long + "=" in longs:
                at += not assigned
            elif long not in longs or assigned:
                return operands, f"`{name} --{long}` is not known to read"
        elif word[:1] == "-" and len(word) > 1:
            for place, letter in enumerate(word[1:], 2):
                if letter in valued:
                    at += place == len(word)
                    break
                if letter not in letters and not (name in ("head", "tail") and letter.isdigit()):
                    return operands, f"`{name} -{letter}` is not known to read"
        else:
            operands.append(word)
    return operands, ""
