"""Which git commands only read."""

from clew.core.gate.planning.words import may_be_option, shown

_READING = frozenset(
    """blame cat-file check-attr check-ignore check-ref-format cherry count-objects describe diff diff-files diff-index
    diff-tree for-each-ref grep log ls-files ls-remote ls-tree merge-base name-rev range-diff rev-list rev-parse
    shortlog show show-branch show-ref status var version whatchanged""".split()
)
# git takes the beginning of a long option for the whole, so they are refused down to that.
_REFUSED = (
    *("output", "ext-diff", "open-files-in-pager", "upload-pack", "exec", "filters", "textconv", "ext-grep"),
    *("parseopt", "sq-quote"),
)
_WHOLE = ("text",)  # it is an option of its own, though another one begins with it
_LETTERS = {"grep": "O"}
# Options of git itself: with a value, and without.
_CONFIGURED = (
    "color.",
    "core.pager=cat",
    "core.quotepath=",
    "core.quotePath=",
    "log.",
    "diff.renames",
    "pager.",
    "column.",
)
_PLAIN = frozenset(("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"))
_LISTING = {
    "branch": frozenset(
        "-a -r -l -v -vv -av -avv -rv -i -q --all --remotes --list --verbose --show-current --no-color --ignore-case"
        " --no-column --no-abbrev".split()
    ),
    "tag": frozenset("-l -n --list --no-color --ignore-case --no-column".split()),
}
_LISTING_FOR = ("--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
_LISTING_HOW = ("--sort", "--format", "--color", "--column", "--abbrev")
_NESTED = {
    "stash": ("list", "show"),
    "remote": ("", "-v", "--verbose", "get-url", "show"),
    "worktree": ("list",),
    "submodule": ("status", "summary"),
    "notes": ("list", "show", ""),
    "bisect": ("log",),
    "bundle": ("list-heads",),
    "lfs": ("ls-files", "status", "env"),
}
_CONFIG_READS = ("--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "get", "list", "--get-color")
_CONFIG_OPTIONS = frozenset(
    "--global --local --system --worktree --show-origin --show-scope --name-only --null -z --includes --no-includes"
    " --bool --int --path --all --type=bool --type=int --type=path --regexp".split()
)


def refusal(given: "list[str]") -> str:
    """Why `git` with the words `given` is not known to only read; "" if it is."""
    at = 0
    while at < len(given) and given[at][:1] == "-":
        word = given[at]
        if word in ("--version", "--help", "-v", "-h"):
            return "" if len(given) == at + 1 else "git's help may open a program"
        if word == "-C" or (word == "-c" and any(given[at + 1 : at + 2]) and _is_harmless(given[at + 1])):
            at += 2
        elif word in _PLAIN:
            at += 1
        else:
            return f"`git {word.partition('=')[0]}` may run programs or lead elsewhere"
    if at >= len(given):
        return ""
    name, rest = given[at], given[at + 1 :]
    if any(map(may_be_option, rest[: rest.index("--") if "--" in rest else len(rest)])):
        word = next(filter(may_be_option, rest))
        return f"{shown(word)} may turn out to be an option of `git {name}`; put `--` or `./` before it"
    if name in _READING:
        return _reading(name, rest)
    if name in _LISTING:
        return _listing(name, rest)
    if name == "config":
        return _config(rest)
    if name in _NESTED:
        verb = rest[0] if rest else ""
        known = _NESTED[name]
        return _reading(name, rest[1:]) if verb in known else f"`git {name} {verb}`" + " is not known to read"
    return _others(name, rest)


def _is_harmless(setting: str) -> bool:
    if may_be_option(setting) or not setting.startswith(_CONFIGURED):
        return False
    return not setting.startswith("pager.") or setting.endswith(("=cat", "=false"))


def _others(name: str, rest: "list[str]") -> str:
    if name == "reflog" and (not rest or rest[0] not in ("expire", "delete", "write", "drop")):
        return _reading(name, rest)
    if name == "symbolic-ref" and set(rest) <= {"-q", "--short", "--quiet", "HEAD"}:
        return ""
    if name == "clean" and _only_tells(rest):
        return ""
    if name == "help" and not rest:
        return ""
    return f"`git {name}` changes something, or is not known to read"


def _only_tells(rest: "list[str]") -> bool:
    """Whether `git clean` is told to name the files and to leave them."""
    options = [word for word in (rest[: rest.index("--")] if "--" in rest else rest) if word[:1] == "-"]
    letters = {letter for word in options if word[:2] != "--" for letter in word[1:]}
    longs = {word for word in options if word[:2] == "--"}
    if letters - set("nfdxXq") or longs - {"--dry-run", "--force", "--quiet"}:
        return False
    return "n" in letters or "--dry-run" in longs


def _reading(name: str, rest: "list[str]") -> str:
    for word in rest:
        if word == "--":
            break
        option = word[2:].partition("=")[0] if word[:2] == "--" else ""
        if option and option not in _WHOLE and any(one.startswith(option) for one in _REFUSED):
            return f"`git {name} --{option}` may write or run a program"
        if word[:1] == "-" and word[1:2] != "-" and any(letter in word for letter in _LETTERS.get(name, "")):
            return f"`git {name} {word}` may run a program"
        if name == "ls-remote" and "::" in word:
            return "`git ls-remote` may run a program by this address"
    return ""


def _listing(name: str, rest: "list[str]") -> str:
    lists = any(word in ("-l", "--list") for word in rest)
    at, operands = 0, 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if word.partition("=")[0] in _LISTING_FOR:
            lists = True
            at += "=" not in word
        elif word.partition("=")[0] in _LISTING_HOW:
            at += word in ("--sort", "--format")
        elif name == "tag" and word[:2] == "-n" and word[2:].isdigit():
            lists = True
        elif word[:1] == "-":
            if word not in _LISTING[name]:
                return f"`git {name} {word}` is not known to read"
        else:
            operands += 1
    if operands and not lists:
        return f"`git {name} NAME` makes one; with `--list` it looks for it"
    return ""


def _config(rest: "list[str]") -> str:
    operands = [word for word in rest if word[:1] != "-"]
    options = [word for word in rest if word[:1] == "-"]
    if any(word not in _CONFIG_OPTIONS and word not in _CONFIG_READS for word in options):
        return "`git config` with this option may write"
    if any(word in _CONFIG_READS for word in options) or operands[:1] in (["get"], ["list"]):
        return ""
    return (
        "" if len(operands) == 1 and operands[0] not in ("edit", "set", "unset") else "`git config NAME VALUE` writes"
    )
