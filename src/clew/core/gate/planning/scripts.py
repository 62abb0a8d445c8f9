"""sed, awk and find: each has a language in which it can write files and run programs. Only what is plain is read."""

from clew.core.gate.planning.words import GLOB, OPEN, QUOTED, may_be_option, parted, shown

TYPE_CHECKING = False  # `typing` would cost a hook more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable

_BLANK = " \t"
_LABEL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_SED_PLAIN = frozenset("=dDgGhHnNpPqQxzlF")
_SED_LONGS = "quiet silent expression= regexp-extended null-data separate unbuffered posix line-length=".split()
_AWK_WRITES = ("system", "getline", "@", "\\\n", "/inet", "|&")


def sed_refusal(given: "list[str]") -> str:
    """Why `sed` with the words `given` is not known to only read; "" if it is."""
    operands, why = parted("sed", given, "nErsuz", ["e", "l"], _SED_LONGS)
    if why:
        return why
    scripts = _values(given, "e", "expression")
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    script = "\n".join(scripts)
    if any(sign in script for sign in (QUOTED, OPEN, GLOB)):
        return "what `sed` does stands in a variable; write it out, in quotes"
    return "" if _sed_reads(script) else f"the script {shown(script)} of `sed` may write a file or run a program"


def _values(given: "list[str]", letter: str, long: str) -> "list[str]":
    found: list[str] = []
    for at, word in enumerate(given):
        if word == "--":
            break
        if word[:2] != "--" and word[:1] == "-" and letter in word:
            behind = word.partition(letter)[2]
            found.append(behind or "".join(given[at + 1 : at + 2]))
        elif word.startswith(f"--{long}="):
            found.append(word.partition("=")[2])
        elif word == f"--{long}":
            found.append("".join(given[at + 1 : at + 2]))
    return found


def _sed_reads(script: str) -> bool:
    """Whether every command of a script is known, and none writes or runs anything."""
    at, size = 0, len(script)
    while at < size:
        if script[at] in " \t\n;}{":
            at += 1
            continue
        at = _behind_addresses(script, at)
        if at < 0 or at >= size:
            return False
        sign = script[at]
        at += 1
        if sign == "{":
            continue
        if sign in "sy":
            at = _behind_substitution(script, at, "gpiImM0123456789" if sign == "s" else "")
        elif sign in _SED_PLAIN:
            at = _behind(script, at, " \t0123456789")
        elif sign in ":btT":
            at = _behind(script, _behind(script, at, _BLANK), _LABEL)
        elif sign == "#":
            end = script.find("\n", at)
            at = size if end < 0 else end
        else:
            return False
        if at < 0 or (at < size and script[at] not in " \t\n;}#"):
            return False
    return True


def _behind(script: str, at: int, signs: str) -> int:
    while at < len(script) and script[at] in signs:
        at += 1
    return at


def _behind_addresses(script: str, at: int) -> int:
    """The place behind the addresses of a command, -1 where they cannot be read."""
    for _ in range(2):
        at = _behind_address(script, at)
        if at < 0:
            return -1
        at = _behind(script, at, _BLANK)
        if script[at : at + 1] != ",":
            break
        at = _behind(script, at + 1, " \t+~")
    return _behind(script, at, " \t!")


def _behind_address(script: str, at: int) -> int:
    sign = script[at : at + 1]
    if sign.isdigit():
        while at < len(script) and (script[at].isdigit() or script[at] == "~"):
            at += 1
        return at
    if sign == "$":
        return at + 1
    if sign in ("/", "\\") and sign:
        start = at + 1 if sign == "\\" else at
        at = _behind_pattern(script, start)
        while 0 <= at < len(script) and script[at] in "IM":
            at += 1
    return at


def _behind_pattern(script: str, at: int) -> int:
    """The place behind a pattern whose delimiter stands at `at`; -1 for one that ends in different places for different
    programs (a delimiter in brackets), or never.
    """
    delimiter = script[at : at + 1]
    if not delimiter or delimiter.isalnum() or delimiter in " \t\n\\;{}[]":
        return -1
    at += 1
    is_bracketed = False
    while at < len(script):
        sign = script[at]
        if sign == "\n":
            return -1
        if sign == "\\":
            at += 2
            continue
        if sign == delimiter:
            return -1 if is_bracketed else at + 1
        if sign == "[":
            is_bracketed = True
            at += 1 if script[at + 1 : at + 2] != "^" else 2
            at += script[at : at + 1] == "]"
            continue
        is_bracketed = is_bracketed and sign != "]"
        at += 1
    return -1


def _behind_substitution(script: str, at: int, flags: str) -> int:
    end = _behind_pattern(script, at)
    if end < 0:
        return -1
    delimiter = script[at]
    while end < len(script) and script[end] != delimiter:
        if script[end] == "\n":
            return -1
        end += 2 if script[end] == "\\" else 1
    if end >= len(script):
        return -1
    end += 1
    while end < len(script) and script[end] in flags:
        end += 1
    return end


def awk_refusal(given: "list[str]") -> str:
    """Why `awk` with the words `given` is not known to only read; "" if it is."""
    at = 0
    while at < len(given) and given[at][:1] == "-" and given[at] not in ("-", "--"):
        word = given[at]
        if word[:2] not in ("-F", "-v"):
            return f"`awk {word.partition('=')[0]}` is not known to read"
        at += 1 if word[2:] else 2
    at += given[at : at + 1] == ["--"]
    program = given[at] if at < len(given) else ""
    if any(sign in program for sign in (QUOTED, OPEN, GLOB)):
        return "what `awk` does stands in a variable; write it out, in quotes"
    behind = program.partition("print")[2]
    writes = ">" in behind or "|" in behind.replace("||", "")
    if writes or any(sign in program for sign in _AWK_WRITES):
        return f"the program {shown(program)} of `awk` may write a file or run a program"
    return ""


# Words of find: those without a value, and those with one.
_FIND_PLAIN = frozenset(
    """( ) ! , -a -o -and -or -not -true -false -daystart -depth -d -follow -mount -xdev -noleaf -empty -executable
    -readable -writable -nouser -nogroup -print -print0 -ls -prune -quit -warn -nowarn -ignore_readdir_race
    -noignore_readdir_race""".split()
)
_FIND_VALUED = frozenset(
    """-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -perm -user
    -group -uid -gid -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -links -inum
    -samefile -fstype -regextype -printf -used -context""".split()
)


def find_refusal(given: "list[str]", judge: "Callable[[list[str]], str]") -> str:
    """Why `find` with the words `given` is not known to only read; "" if it is. `judge` tells it of a command that it
    would run for each file.
    """
    at = 0
    while at < len(given):
        word = given[at]
        at += 1
        if may_be_option(word):
            return f"{shown(word)} may turn out to be an action of `find`; put `./` before it, or quotes around it"
        if word in ("-exec", "-execdir"):
            end = next((place for place in range(at, len(given)) if given[place] in (";", "+")), 0)
            if word == "-execdir" or end <= at:
                return "`find -execdir` runs programs in folders that it finds"
            # Each file begins with the place where find looks, so none can be taken for an option.
            if why := judge(
                [
                    one.replace("{}", f"./{QUOTED}") if one == "{}" else one.replace("{}", QUOTED)
                    for one in given[at:end]
                ]
            ):
                return f"`find -exec` would run it, and {why}"
            at = end + 1
        elif word in _FIND_VALUED or word.startswith("-newer"):
            at += 1
        elif word[:1] == "-" and word not in _FIND_PLAIN and word not in ("-H", "-L", "-P") and word[:2] != "-O":
            return f"`find {word}` is not known to read"
    return ""
