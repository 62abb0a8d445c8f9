"""Variables: those that only a line itself heeds, and why setting one is refused."""

from clew.core.gate.planning.words import shown

# Variables that a shell or a program obeys. Of those that a line sets for itself nobody else hears.
_OBEYED = frozenset(
    """IFS ENV HOME SHELL SHELLOPTS PATH CDPATH OPTIND OPTARG TMOUT GLOBIGNORE EXECIGNORE FIGNORE TIMEFORMAT NULLCMD
    READNULLCMD PAGER EDITOR VISUAL BROWSER TERM TMPDIR TZ MAIL MAILCHECK PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT_COMMAND
    ZDOTDIR LESS MORE TERMINFO COLUMNS LINES USER LOGNAME PWD OLDPWD WORDCHARS KEYTIMEOUT SAVEHIST UID EUID
    path fpath cdpath module_path manpath mailpath fignore psvar watch prompt histchars argv status commands functions
    aliases options parameters""".split()
)
_OBEYED_BEGINNINGS = (
    *("LD_", "DYLD_", "GIT_", "BASH", "PYTHON", "NODE", "PERL", "RUBY", "GO", "CARGO", "RUST", "JAVA", "npm_", "NPM_"),
    *("GH_", "LESS", "MAN", "XDG_", "LC_", "LANG", "HIST", "FUNCNAME", "COMP_", "SSH_", "DOCKER_", "KUBE", "AWS_"),
    *("JQ_", "CLEW_", "CLAUDE", "RIPGREP", "GREP_", "TAR_", "CURL_", "ZSH"),
)  # fmt: skip
_OBEYED_ENDS = ("PATH", "PAGER", "CMD", "COMMAND", "OPTIONS", "OPTS", "FLAGS", "SHELL", "EDITOR", "_HOME")
# What may be set for one command.
_HARMLESS = frozenset(
    "TMPDIR LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR COLUMNS LINES".split()
)
_NO_PAGER = frozenset("GIT_PAGER=cat PAGER=cat MANPAGER=cat GH_PAGER=cat GIT_OPTIONAL_LOCKS=0 TERM=dumb".split())


def is_own_name(name: str) -> bool:
    """Whether a variable is one that only the line itself heeds."""
    return (
        name.isascii()
        and name.isidentifier()
        and name not in _OBEYED
        and not name.startswith(_OBEYED_BEGINNINGS)
        and not name.endswith(_OBEYED_ENDS)
    )


def assigned(word: str, command: "list[str]") -> str:
    """Why an assignment before a command, or before none, is refused."""
    name = word.partition("=")[0]
    if command and (name in _HARMLESS or word in _NO_PAGER or (name == "IFS" and command[0] == "read")):
        return ""
    if command:
        return f"it sets {shown(name)} for a program"
    return "" if is_own_name(name.rstrip("+")) else f"it sets {shown(name)}, which shells or programs obey"
