"""What simple commands do: which of them only read, and which files the others write. Pure; a hook imports it."""

from clew.core.gate import ALL, ALONE, PATCHING, TRACKED, normal

_WRITES_MAX = 64
_PATH_CHARS_MAX = 4096
_PATTERN_CHARS_MAX = 512
_BRACES_MAX = 4
UNKNOWN = "\0"

# What reads only, whatever its options say.
_READING = frozenset(
    """[ basename cat cd cksum cmp column comm cut date df diff dirname du echo egrep env expr false fgrep file
    fold grep head hexdump hostname id jq less ls md5sum more nl nproc od paste pgrep popd printenv printf ps pushd pwd
    readlink realpath rg seq sha1sum sha256sum sleep stat strings sum tac tail test tr tree true type uname uniq
    uptime wc which whoami export set unset return local declare alias shift trap wait exit break continue for select
    case in read : xxd""".split()
)
_GIT_READING = frozenset(
    "blame cat-file check-ignore cherry count-objects describe diff for-each-ref grep help log ls-files ls-remote "
    "ls-tree merge-base name-rev range-diff reflog rev-list rev-parse shortlog show show-ref status var version "
    "whatchanged".split()
)
# What changes the repository and not the files that one works on.
_GIT_KEEPING = frozenset("add branch commit config fetch gc notes push remote tag update-index update-ref".split())

# Options that take a value in a word of its own.
_VALUED = {
    "cp": "-t -S --target-directory --suffix", "mv": "-t -S --target-directory --suffix",
    "ln": "-t -S --target-directory", "install": "-t -m -o -g -S --target-directory --mode --owner --group",
    "touch": "-d -r -t --date --reference", "truncate": "-s -r --size --reference", "mkdir": "-m --mode",
    "sed": "-e -f -l --expression --file", "perl": "-e -E -I -M", "ruby": "-e -I -r", "chmod": "--reference",
    "rsync": "-e --exclude --include --rsh --filter", "shred": "-n -s",
    "curl": "-o -d -H -X -u -F -A -e -b -c -x -m -w -T -r -D --output",
    "wget": "-O -P -o --header --output-document", "sort": "-o -k -t -S -T --output", "scp": "-i -P -F -o",
    "restore": "-s --source", "checkout": "-b -B --orphan", "clean": "-e --exclude",
}  # fmt: skip


def reads(name: str) -> bool:
    """Whether a program only reads, whatever its options say."""
    return name in _READING


class Line:
    """A shell line as it was read.

    `commands` are the words of each simple command, unquoted, without wrappers; a `\\0` stands for what only the shell
    knows. `writes` are pairs of an absolute path, in which `*` stands for anything (a `\\0` for itself: nobody guesses
    at what stands in a variable), and what of that below it goes with it (`core.gate`: ALONE, TRACKED, ALL).
    `rewrites`: files are written that it does not name (`git checkout main`, `patch`). `changes`: something is changed,
    be it only the repository. `understood`: every command is known and every file it writes could be told.
    """

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.writes: list[tuple[str, int]] = []
        self.rewrites = False
        self.changes = False
        self.understood = True


class Doing:
    """What the commands of a line do, one after the other, from the folder `cwd` ("" unknown) on."""

    def __init__(self, line: Line, cwd: str, home: str) -> None:
        self.line = line
        self.cwd = cwd
        self.home = home

    def run(self, words: list[str], *, fills_in: bool) -> None:
        """Note what the command `words` does. `fills_in`: something else gives it further words (`xargs`)."""
        name = words[0].rpartition("/")[2]
        if name in ("cd", "pushd"):
            to = next((word for word in words[1:] if not word.startswith("-")), self.home)
            self.cwd = self._place(to) if words[1:] != ["-"] else ""
        elif name not in _READING:
            if fills_in:
                self.anything()
            self._deed(name, words[1:])

    def anything(self) -> None:
        """Note that nobody knows what is done."""
        self.line.changes, self.line.understood = True, False

    def _deed(self, name: str, words: list[str]) -> None:
        if name == "git":
            self._git(words)
            return
        operands, options = _parted(words, _VALUED.get(name, ""))
        deep = ALL if name in ("rm", "rmdir", "shred") else ALONE
        if name in ("rm", "rmdir", "unlink", "shred", "trash", "tee", "touch", "truncate", "mkdir", "mkfifo"):
            self._write_all(operands, deep=deep)
        elif name in ("chmod", "chown", "chgrp"):
            self._write_all(operands[1:])
        elif name in ("cp", "mv", "ln", "install", "rsync", "scp"):
            self._copy(name, operands, options)
        elif name == "dd":
            self._write_all([word[3:] for word in words if word.startswith("of=")])
        elif name in ("sed", "perl", "ruby"):
            self._in_place(name, operands, options)
        elif name in ("sort", "curl", "wget"):
            ways = ("-o", "--output") if name != "wget" else ("-O", "--output-document")
            targets = [target for way in ways for target in options.get(way, [])]
            self._write_all([target for target in targets if target != "-"])
            self.line.understood = self.line.understood and (name == "sort" or bool(targets))
        elif name == "find":
            if _FIND_ACTS & set(words):
                self.anything()
                if "-delete" in words and options.keys() <= _FIND_TAKES_ALL:
                    first = next(at for at, word in enumerate(words) if word.startswith("-"))
                    self._write_all(words[:first] or ["."], deep=ALL)
        elif name in PATCHING:
            self.line.rewrites = self.line.changes = True
            self.patch(operands[0] if operands else "")
        elif name in ("patch", "tar", "unzip"):
            self.line.rewrites = self.line.changes = True
        else:
            self.anything()

    def patch(self, text: str) -> None:
        """Note what a patch writes that `apply_patch` is given."""
        from clew.core import patch  # here: one client's command

        for path, _ in patch.files(text, self.cwd):
            if path.startswith("/") and len(self.line.writes) < _WRITES_MAX:
                self.line.writes.append((normal(path), ALONE))
            else:
                self.line.understood = False

    def _copy(self, name: str, operands: list[str], options: dict[str, list[str]]) -> None:
        if len(operands) > _WRITES_MAX:
            self.line.understood = False
            operands = [*operands[: _WRITES_MAX - 1], operands[-1]]
        operands = [one for word in operands for one in _braced(word)]
        to = [*options.get("-t", []), *options.get("--target-directory", [])]
        sources = operands if to else operands[:-1]
        to = to or operands[-1:]
        if name == "mv":
            self._write_all(sources, deep=ALL)
        elif name == "ln" and len(operands) == 1:
            sources, to = operands, ["."]
        names = [source.rstrip("/").rpartition("/")[2] for source in sources[:_WRITES_MAX]]
        for target in to[:_WRITES_MAX]:
            if name in ("rsync", "scp") and ":" in target.partition("/")[0]:
                self.line.changes = True  # on another machine
                continue
            # A folder takes the files in: which of the two it is, the text does not say. Nor which files those are
            # that a pattern names.
            within = [f"{target}/{UNKNOWN if any(sign in one for sign in '*?[') else one}" for one in names]
            self._write_all([target, *within])

    def _in_place(self, name: str, operands: list[str], options: dict[str, list[str]]) -> None:
        in_place = any(
            option.startswith("--in-place") or (option[1:2] != "-" and "i" in option.partition(".")[0])
            for option in options
        )
        given = any(option in options for option in ("-e", "-f", "-E", "--expression", "--file"))
        given = given or (name != "sed" and any("e" in option for option in options))
        if not in_place:
            if name != "sed":  # which runs a program
                self.line.changes, self.line.understood = True, False
            return
        self._write_all(operands if given else operands[1:])

    def _git(self, words: list[str]) -> None:
        kept = self.cwd
        while words and words[0].startswith("-"):
            if words[0] == "-C" and len(words) > 1:
                self.cwd = self._place(words[1])
            if words[0] in ("--git-dir", "--work-tree"):
                self.line.understood = False
            words = words[2:] if words[0] in ("-C", "-c", "--git-dir", "--work-tree") else words[1:]
        name = words[0] if words else "help"
        operands, options = _parted(words[1:], _VALUED.get(name, ""))
        if name not in _GIT_READING:
            self.line.changes = True
            self._git_change(name, operands, options, words)
        self.cwd = kept

    def _git_change(self, name: str, operands: list[str], options: dict[str, list[str]], words: list[str]) -> None:
        if name == "rm":
            self._write_all(operands if "--cached" not in options else [], deep=TRACKED)
        elif name == "mv":
            self._copy("mv", operands, options)
        elif name == "restore":
            if "--staged" not in options or "--worktree" in options:
                self._write_all(operands, deep=TRACKED)
        elif name == "checkout":
            behind = words[words.index("--") + 1 :] if "--" in words else operands
            self.line.rewrites = self.line.rewrites or "--" not in words
            self._write_all(behind, deep=TRACKED)
        elif name == "clean":
            flags = "".join(option for option in options if not option.startswith("--"))
            kept = [*options.get("-e", []), *options.get("--exclude", [])]
            # With -X what is left out counts as ignored, and that is what goes.
            spared = "X" not in flags and any(one.strip("/") == ".clew" for one in kept)
            if "n" not in flags and "--dry-run" not in options:
                deep = ALL if "x" in flags.lower() and not spared else ALONE
                self._write_all(operands or ["."], deep=deep)
        elif name not in _GIT_KEEPING:
            self.line.rewrites = True
            self.line.understood = self.line.understood and name in _GIT_REWRITING

    def _write_all(self, targets: list[str], *, deep: int = ALONE) -> None:
        for target in targets:
            if len(self.line.writes) >= _WRITES_MAX:
                self.line.understood = False
                return
            for word in _braced(target):
                self.write(word, deep=deep)

    def write(self, target: str, *, deep: int = ALONE) -> None:
        """Note that the file which the word `target` names is written, and `deep` what of that below it."""
        path = self._place(target)
        if not path or len(self.line.writes) >= _WRITES_MAX:
            self.line.understood = False
        elif not path.startswith("/dev/"):
            self.line.changes = True
            self.line.writes.append((path, deep))

    def _place(self, word: str) -> str:
        """The absolute path that a word names, `*` for what the shell fills in; "" where that is not known."""
        if word == "~" or word.startswith("~/"):
            word = self.home + word[1:] if self.home else "\0"
        if word.startswith("\0") or not word or len(word) > _PATH_CHARS_MAX:
            return ""
        if not word.startswith("/"):
            if not self.cwd:
                return ""
            word = f"{self.cwd}/{word}"
        wild = any(sign in word for sign in "?[{")
        if wild and len(word) > _PATTERN_CHARS_MAX:
            return ""
        return normal(_wild(word) if wild else word)


_FIND_ACTS = frozenset(("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fls", "-fprintf"))
# With any other test nobody can tell from the line which files it is about.
_FIND_TAKES_ALL = frozenset("-delete -depth -maxdepth -mindepth -mount -xdev -print -print0".split())
_GIT_REWRITING = frozenset(
    "am apply cherry-pick clone merge pull rebase reset revert stash submodule switch worktree".split()
)


def _wild(word: str) -> str:
    """A word with every pattern of the shell's as `*`: more than it would fill in, never less."""
    for opening, closing in ("[]", "{}"):
        head, *rest = word.split(opening)
        word = head + "".join(f"*{part.rpartition(closing)[2] if closing in part else ''}" for part in rest)
    return word.replace("?", "*")


def _braced(word: str) -> list[str]:
    """The words that a shell makes of one with `{a,b}`; the word itself where that would be many."""
    if "{" not in word or "," not in word or len(word) > _PATTERN_CHARS_MAX or word.count("{") > _BRACES_MAX:
        return [word]
    made: list[str] = []
    left = [(word, 0)]
    while left:
        one, start = left.pop()
        end = one.find("}", start)
        at = one.rfind("{", 0, end) if end > 0 else -1
        if end < 0:
            made.append(one)
        elif at < 0 or "," not in one[at:end]:
            left.append((one, end + 1))
        else:
            left += [(one[:at] + part + one[end + 1 :], 0) for part in reversed(one[at + 1 : end].split(","))]
        if len(made) + len(left) > _WRITES_MAX:
            return [word]
    return made


def _parted(words: list[str], valued: str) -> tuple[list[str], dict[str, list[str]]]:
    """Operands, and options with their values where they take one."""
    takes = valued.split()
    operands: list[str] = []
    options: dict[str, list[str]] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if word.startswith("-") and len(word) > 1:
            plain, name, value = _short(word, takes) if word[1] != "-" else ("", *word.partition("=")[::2])
            if len(plain) > 1:
                options.setdefault(plain, [])
            if not name:
                continue
            values = options.setdefault(name, [])
            if value:
                values.append(value)
            elif name in takes and "=" not in word and at < len(words):
                values.append(words[at])
                at += 1
        else:
            operands.append(word)
    return operands, options


def _short(word: str, takes: list[str]) -> tuple[str, str, str]:
    """A word of short options: those without a value, the first that takes one, and its value where it is attached."""
    for at in range(1, len(word)):
        if f"-{word[at]}" in takes:
            return word[:at], f"-{word[at]}", word[at + 1 :]
        if not word[at].isalnum():  # "-i.bak"
            break
    return word, "", ""
