"""Which programs only read, with which of their options. What is in no table is refused.

A program of the tables may stand in another folder than the system's: who looks up the PATH says so (`Rules.find`).
"""

from clew.core.gate.planning.variables import assigned, is_own_name
from clew.core.gate.planning.words import GLOB, OPEN, UNKNOWN, may_be_option, parted, shown

TYPE_CHECKING = False  # `typing` would cost a hook more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SYSTEM_FOLDERS = frozenset(
    """/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin /opt/local/bin /snap/bin
    /run/current-system/sw/bin /nix/var/nix/profiles/default/bin""".split()
)

# Of the shell itself: no program on the PATH can stand in for them.
_BUILTINS = frozenset(
    ": echo true false pwd cd pushd popd dirs exit return break continue shift wait jobs type times umask help".split()
)
# They read, whatever their options say.
_FREE = frozenset(
    """cat ls dir head tail wc grep egrep fgrep basename dirname realpath readlink du df stat id groups whoami who uname
    arch uptime nproc seq sleep printenv ps pgrep pidof free lscpu lsblk cksum md5sum sha1sum sha224sum sha256sum
    sha384sum sha512sum b2sum shasum sum nl od hexdump strings tac rev fold fmt expand unexpand column comm join paste
    cut tr cmp diff diff3 expr jq getent locale getconf tty logname cal factor numfmt tsort readelf size lsusb lspci
    which whereis sw_vers""".split()
)
# The options with which the others read: letters; letters and words that take a value; long names, with a "=" those
# that take one; and so many operands at most. A "!" lists what is refused instead, where all else reads.
_OPTIONS = {
    "sort": ("bdfghiMnRrsuVzcCm", "k t S", "reverse unique numeric-sort human-numeric-sort version-sort key="
             " field-separator= ignore-case stable check zero-terminated general-numeric-sort month-sort", 99),
    "uniq": ("cdDuiz", "f s w", "count repeated unique ignore-case skip-fields= skip-chars= check-chars=", 1),
    "shuf": ("ez", "n i", "head-count= input-range= echo zero-terminated random-source=", 99),
    "base64": ("diDw", "w", "decode wrap= ignore-garbage", 99),
    "base32": ("di", "w", "decode wrap=", 99),
    "xxd": ("abeEiup", "c g l o s", "", 1),
    "file": ("bLhikrsz0NvE", "F e P", "brief mime mime-type mime-encoding dereference", 99),
    "tree": ("adfilpsugDhFQrtvUcnCAJXSNqx", "L I P", "noreport dirsfirst filesfirst gitignore filelimit= prune"
             " matchdirs ignore-case si du inodes device charset= sort= fromfile", 99),
    "date": ("uRI", "d r", "date= utc universal rfc-3339= iso-8601= reference= rfc-email", 99),
    "less": ("NSRXFEeiImMgGsnqQuUwWr", "", "no-init quit-if-one-screen raw-control-chars RAW-CONTROL-CHARS"
             " chop-long-lines LINE-NUMBERS", 99),
    "more": ("dflpcsu", "n", "", 99),
    "bat": ("Apnu", "r l H", "line-range= language= style= color= paging= theme= plain number show-all decorations="
            " wrap= tabs= highlight-line= list-languages list-themes", 99),
    "fd": ("HIusipgaLFq01", "t d e E S c j o", "hidden no-ignore no-ignore-vcs follow absolute-path glob fixed-strings"
           " type= extension= exclude= max-depth= min-depth= color= full-path ignore-case case-sensitive size="
           " changed-within= changed-before= print0 max-results= unrestricted", 99),
    "yq": ("rPeMCNcn", "o p", "output-format= input-format= prettyPrint no-colors colors unwrapScalar= raw-output", 99),
    "hostname": ("fsiIAd", "", "fqdn short all-fqdns ip-address all-ip-addresses domain", 0),
    "top": ("bcHi1", "n p u o d", "", 0),
    "lsof": ("iPnltRUaFbwO", "p u c d g i s", "", 99),
    "ss": ("tulnapxseiorm46", "", "tcp udp listening numeric processes all summary", 99),
    "netstat": ("tulnapxsrie46v", "", "tcp udp listening numeric programs all", 99),
    "iconv": ("lcs", "f t", "from-code= to-code= list", 99),
    "man": ("kfaw", "", "apropos whatis where path", 99),
    "gzip": ("dclktv", "", "stdout to-stdout decompress list", 99),
    "unzip": ("lvpZ12tqq", "", "", 99),
    "zipinfo": ("1slmhtTzv", "", "", 99),
    "curl": ("sSLfkIivG46", "H A m e u", "silent show-error location fail head header= user-agent= get insecure"
             " compressed max-time= connect-timeout= retry= include verbose http1.1 http2 url=", 99),
    "dpkg": ("lLsSW", "", "list listfiles status search", 99),
    "ping": ("nq46", "c W w i", "", 1),
}  # fmt: skip
_REFUSED = {"rg": ("pre", "hostname-bin"), "ag": ("pager",)}
# Programs with words for what they do: those that read, and the options with which they do not.
_VERBS = {
    "gh": ("pr view;pr list;pr diff;pr checks;pr status;issue view;issue list;issue status;repo view;repo list;"
           "run view;run list;release view;release list;label list;workflow view;workflow list;search;auth status;"
           "status;gist view;gist list", "web w", "R repo"),
    "npm": ("ls;list;view;info;show;outdated;root;prefix;explain;why;config get;config list;pkg get", "", "prefix"),
    "pip": ("list;show;freeze;check;config list;config get", "log cache-dir proxy report", ""),
    "docker": ("ps;images;logs;inspect;version;info;port;image ls;image inspect;container ls;container inspect;"
               "volume ls;network ls;compose ps;compose logs;compose ls;compose version;system df", "", "H host"),
    "kubectl": ("get;describe;logs;version;explain;api-resources;api-versions;config view;config current-context;"
                "config get-contexts;top", "profile profile-output cache-dir kubeconfig", "n namespace context"),
    "go": ("version;list;doc;env", "w u mod modfile toolexec overlay exec o export C http p", ""),
    "uv": ("pip list;pip show;pip freeze;pip tree;python list", "cache-dir config-file directory project", ""),
    "apt": ("list;show;search;policy", "o option c config-file", ""),
    "systemctl": ("status;show;cat;is-active;is-enabled;list-units;list-unit-files;list-timers", "H host root", ""),
    "brew": ("list;info;search;deps;uses;outdated;config;leaves;desc", "edit", ""),
    "mise": ("ls;list;current;where;which;version", "C cd", ""),
    "rustup": ("show;toolchain list;target list;component list", "", ""),
    # Not what binds a place to a task or starts a client: a gate is that of the place's task.
    "clew": ("status;show;log;resume;drift;sessions;confirm;search;pressure;lint;note;decide;reject;learn;ask;answer;"
             "resolve;supersede;retract;pin;checkpoint;validate;plan show;plan lint;plan new;plan edit;plan questions;"
             "plan prompt;plan approve;plan reopen;phase list;phase show;phase diff;gate show;gate restore;gate allow;"
             "trust;worktree list;stack list;stack show;settings list;settings show;task list;task show",
             "launch out o output", ""),
}  # fmt: skip
_SAME = {"pip3": "pip", "batcat": "bat", "fdfind": "fd", "gsed": "sed", "gawk": "awk", "mawk": "awk", "nawk": "awk",
         "gfind": "find", "ggrep": "grep", "gsort": "sort", "gdate": "date"}  # fmt: skip
_ASKING = (["--version"], ["--help"], ["-V"], ["version"])
_NEVER_ASKED = frozenset(("poweroff", "reboot", "halt", "shutdown", "init", "telinit", "nohup"))
SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
# Their letters in a `bash -…c`.
_SHELL_LETTERS = frozenset("celux")


class Rules:
    """What holds where a line would run: the folder `cwd` ("" unknown), the user's `home`, and the commands that a
    person trusted, which run in the folder `root`. `find(name)` says why the program that the PATH leads to is not the
    one that is meant; "" where it is.
    """

    def __init__(self, cwd: str, home: str, root: str, trusted: "Iterable[str]", find: "Callable[[str], str]") -> None:
        self.cwd, self.home, self.root, self.find = cwd, home, root, find
        self._lines = [line.strip() for line in trusted]
        self._commands: list[list[str]] | None = None

    def trusts_line(self, text: str) -> bool:
        """Whether a line is, whole, a command that a person trusted, in its folder."""
        return bool(self._lines) and self.cwd == self.root and text.strip() in self._lines

    def trusts(self, words: "list[str]") -> bool:
        """Whether a command is one of those that a person trusted, in its folder."""
        if not self._lines or self.cwd != self.root:
            return False
        if self._commands is None:
            self._commands = [line.split() for line in self._lines if not set(line) & set("'\"\\$`;&|<>(){}*?[#\n")]
        return words in self._commands


def refusal(words: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    """Why the command `words` is not known to only read; "" if it is. `inner(line)` tells it of a line for a shell."""
    name = words[0]
    if any(sign in name for sign in UNKNOWN):
        return f"only the shell knows which program {shown(name)} is"
    if "/" in name:
        folder, _, name = name.rpartition("/")
        if folder not in SYSTEM_FOLDERS:
            return f"nobody knows what {shown(words[0])} does"
    elif name not in _OF_SHELL and name not in _BUILTINS and (why := rules.find(name)):
        return why
    name = _SAME.get(name, name)
    given = words[1:]
    if name in _BUILTINS:
        return _moved(given, rules) if name in ("cd", "pushd", "popd") else ""
    if name in _FREE:
        return ""
    if name in _OPTIONS:
        return _by_options(name, given)
    if name in _REFUSED:
        return _all_but(name, given)
    if name in _OWN:
        return _OWN[name](given, rules, inner)
    if given in _ASKING and name not in _NEVER_ASKED:
        return ""
    if name in _VERBS:
        return _by_verb(name, given)
    return f"nobody knows whether {shown(name)} only reads"


def _moved(given: "list[str]", rules: Rules) -> str:
    """Go to another folder: what is told of the place does not hold there."""
    to = next((word for word in given if word[:1] != "-"), rules.home)
    if any(sign in to for sign in UNKNOWN) or given[:1] == ["-"] or not to:
        rules.cwd = ""
    elif to[:1] == "~":
        rules.cwd = _normal(rules.home + to[1:]) if to[:2] in ("~", "~/") and rules.home else ""
    elif rules.cwd or to[:1] == "/":
        rules.cwd = _normal(to if to[:1] == "/" else f"{rules.cwd}/{to}")
    return ""


def _normal(path: str) -> str:
    from clew.core.gate.decision import normal

    return normal(path)


def _by_options(name: str, given: "list[str]") -> str:
    letters, valued, longs, most = _OPTIONS[name]
    operands, why = parted(name, given, letters, valued.split(), longs.split())
    if not why and len(operands) > most:
        why = f"`{name}` writes to the {'second' if most else 'first'} file that it is given"
    if not why and most < 99 and any(OPEN in word or GLOB in word for word in operands):
        why = f"`{name}` may be given a file to write to"
    if not why and name == "date" and any(word[:1] != "+" for word in operands):
        why = "`date` may set the clock"
    if not why and name in ("less", "more") and any(word[:1] == "+" for word in operands):
        why = f"`{name} +…` runs commands"
    if not why and name == "bat" and operands[:1] == ["cache"]:
        why = "`bat cache` writes"
    if not why and name == "gzip" and not {"c", "l", "t", "stdout", "to-stdout", "list"} & _letters(given):
        why = "`gzip` puts another file in the place of the one it reads; with `-c` it does not"
    if not why and name == "unzip" and not {"l", "v", "p", "Z", "t"} & _letters(given):
        why = "`unzip` writes files; with `-l` or `-p` it does not"
    if not why and name == "dpkg" and not given:
        why = "`dpkg` without an option is not known to read"
    if not why and name == "curl" and not all(word.startswith(("http://", "https://")) for word in operands):
        why = "`curl` reads only from http:// and https:// here"
    return why


def _letters(given: "list[str]") -> "set[str]":
    found: set[str] = set()
    for word in given:
        found |= {word[2:].partition("=")[0]} if word[:2] == "--" else set(word[1:]) if word[:1] == "-" else set()
    return found


def _all_but(name: str, given: "list[str]") -> str:
    for word in given:
        if word == "--":
            return ""
        if may_be_option(word):
            return f"{shown(word)} may turn out to be an option of `{name}`; put `--` or `./` before it"
        if word[:2] == "--" and word[2:].partition("=")[0] in _REFUSED[name]:
            return f"`{name} {word.partition('=')[0]}` runs a program"
    return ""


def _by_verb(name: str, given: "list[str]") -> str:
    verbs, refused, valued = _VERBS[name]
    no = refused.split()
    plain: list[str] = []
    at = 0
    while at < len(given):
        word = given[at]
        at += 1
        if may_be_option(word) and name != "clew":
            return f"{shown(word)} may turn out to be an option of `{name}`"
        if word[:1] != "-" or word == "-":
            plain.append(word)
            continue
        option = word.lstrip("-").partition("=")[0]
        letter = "" if word[:2] == "--" else option[:1]
        if option in no or letter in no:
            return f"`{name} {word.partition('=')[0]}` is not known to read"
        at += option in valued.split() and "=" not in word and not plain
    known = verbs.split(";")
    if name == "gh" and plain[:1] == ["api"]:
        return _gh_api(given)
    if " ".join(plain[:2]) in known or (plain and plain[0] in known):
        return ""
    return f"`{' '.join([name, *plain[:2]])}` is not known to read"


def _gh_api(given: "list[str]") -> str:
    behind = given[given.index("api") + 1 :]
    reads = ["q", "t", "H", "p"]
    if any(word in ("-X", "--method") for word in behind):
        at = next(at for at, word in enumerate(behind) if word in ("-X", "--method"))
        if behind[at + 1 : at + 2] != ["GET"]:
            return "`gh api` changes something with this method"
        behind = behind[:at] + behind[at + 2 :]
    return parted("gh api", behind, "i", reads, "jq= template= header= paginate slurp include hostname=".split())[1]


# Words of the shell, and programs that run others.


def _printf(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    first = given[0] if given else ""
    return "`printf -v` sets a variable" if first[:1] in ("-", *UNKNOWN) and first != "--" else ""


def _test(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    if any(word in ("-v", "-R") for word in given):
        return "`test -v` runs what stands in a variable's index"
    return ""


def _double_test(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    for at, word in enumerate(given):
        if word in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge"):
            sides = given[max(0, at - 1) : at] + given[at + 1 : at + 2]
            if not all(side.lstrip("-").isdigit() for side in sides):
                return "`[[` calculates with names, and shells run what these hold; `[` does not"
    return _test(given, rules, inner)


def _read(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    names, why = parted("read", given, "rs", ["d", "n", "N", "t", "p", "u"], [])
    return why or ("" if all(map(is_own_name, names)) else "it reads into a name that shells or programs obey")


def _set(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    if given[:1] == ["--"]:
        return ""
    known = frozenset(
        "-e -u -x +e +u +x -eu -ex -ux -eux -euo -o +o -eo -uo -exo -euxo pipefail errexit nounset".split()
    )
    return "" if given and set(given) <= known else "`set` with these options is not known to read"


def _unset(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    return "" if all(map(is_own_name, given)) else "it takes a variable away that shells or programs obey"


def _export(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    return next((why for word in given if (why := assigned(word, ["export"]))), "")


def _shell(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    at = 0
    while at < len(given) and given[at][:1] == "-":
        letters = given[at][1:]
        if given[at] in ("-o", "-eo", "-uo", "-euo") and given[at + 1 : at + 2] == ["pipefail"]:
            at += 2
            continue
        if not letters or set(letters) - _SHELL_LETTERS:
            break
        at += 1
        if "c" in letters:
            return inner(given[at]) if at < len(given) else ""
    return "a shell runs a script, or what it is fed; say the commands themselves"


def _eval(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    return inner(" ".join(given))


def _env(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    at = 0
    while at < len(given):
        word = given[at]
        if word in ("-u", "--unset"):
            at += 2
        elif word in ("-i", "-", "-0", "--ignore-environment") or word.startswith("--unset="):
            at += 1
        elif word[:1] == "-" or word[:1] in UNKNOWN:
            return f"`env {shown(word).strip('`')}` is not known to read"
        elif "=" in word:
            if why := assigned(word, ["env"]):
                return why
            at += 1
        else:
            break
    return refusal(given[at:], rules, inner) if given[at:] else ""


def _wrapped(given: "list[str]", rules: Rules, inner: "Callable[[str], str]", valued: "list[str]", behind: int) -> str:
    at = 0
    while at < len(given) and given[at][:1] == "-":
        at += 2 if given[at] in valued else 1
    at += behind
    return refusal(given[at:], rules, inner) if given[at:] else ""


def _timeout(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    return _wrapped(given, rules, inner, ["-k", "-s", "--kill-after", "--signal"], 1)


def _nice(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    return _wrapped(given, rules, inner, ["-n", "--adjustment"], 0)


def _stdbuf(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    return _wrapped(given, rules, inner, ["-i", "-o", "-e"], 0)


def _command(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    if given[:1] in (["-v"], ["-V"]) or not given:
        return ""
    given = given[1:] if given[0] in ("-p", "--") else given
    return refusal(given, rules, inner) if given and given[0][:1] != "-" else "`command` with this option is not read"


def _exec(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    if given and given[0][:1] == "-":
        return "`exec` with an option is not read"
    return refusal(given, rules, inner) if given else ""


def _xargs(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    at, filled = 0, ""
    while at < len(given) and given[at][:1] == "-":
        word = given[at]
        if word in ("-0", "-r", "-t", "--null", "--no-run-if-empty"):
            at += 1
        elif word[:2] in ("-n", "-P", "-L", "-d", "-s", "-E", "-I"):
            value = word[2:] or "".join(given[at + 1 : at + 2])
            filled = value if word[:2] == "-I" else filled
            at += 1 if word[2:] else 2
        else:
            return f"`xargs {shown(word).strip('`')}` is not known to read"
    behind = given[at:] or ["echo"]
    if filled:
        return refusal([word.replace(filled, OPEN) for word in behind], rules, inner)
    return refusal([*behind, OPEN], rules, inner)


def _tar(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    first, *rest = given or [""]
    letters = first.removeprefix("-")
    lists = "t" in letters and not set(letters) - set("tvzjJf") and not any(map(may_be_option, rest))
    if lists and not any(word[:1] == "-" for word in rest):
        return ""
    return "`tar` writes files; with `tf` it does not"


def _tee(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    return "" if set(given) <= {"-a", "/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"} else "`tee` writes a file"


_SQL_READS = ("select ", "explain ", ".schema", ".tables", ".indexes", "pragma table_info(", "with ")
_SQL_WRITES = ("writefile", "load_extension", "edit(", "insert", "update", "delete", "replace into", ".output", ".once")


def _sqlite(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    options = "header noheader column json csv line list table box markdown readonly bail".split()
    doubled = [f"-{word}" if word[:1] == "-" else word for word in given]
    operands, why = parted("sqlite3", doubled, "", [], options)
    sql = operands[1].strip().rstrip(";").lower() if len(operands) == 2 else ""
    reads = sql.startswith(_SQL_READS) and not any(sign in sql for sign in (";", *UNKNOWN, *_SQL_WRITES))
    return why or ("" if reads else "`sqlite3` is only known to read by one SELECT")


def _git(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    from clew.core.gate.planning import git

    return git.refusal(given)


def _find(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:
    from clew.core.gate.planning import scripts

    return scripts.find_refusal(given, lambda words: refusal(words, rules, inner))


def _sed(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    from clew.core.gate.planning import scripts

    return scripts.sed_refusal(given)


def _awk(given: "list[str]", rules: Rules, inner: "Callable[[str], str]") -> str:  # noqa: ARG001
    from clew.core.gate.planning import scripts

    return scripts.awk_refusal(given)


_OF_SHELL = {
    "printf": _printf, "test": _test, "[": _test, "[[": _double_test, "read": _read, "set": _set, "unset": _unset,
    "export": _export, "eval": _eval, "command": _command, "builtin": _command, "exec": _exec,
}  # fmt: skip
_OWN = {
    **_OF_SHELL, **dict.fromkeys(SHELLS, _shell), "env": _env, "timeout": _timeout, "gtimeout": _timeout,
    "nice": _nice, "stdbuf": _stdbuf, "xargs": _xargs, "tar": _tar, "tee": _tee, "git": _git, "find": _find,
    "sed": _sed, "awk": _awk, "sqlite3": _sqlite,
}  # fmt: skip
