"""Words that mean something to a shell line: wrappers, shells, options with values. A hook imports it."""

TYPE_CHECKING = False  # `typing` would cost a hook more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

# Behind these stands a name or a word, and no command.
LISTING = frozenset(("for", "case", "select"))
OPENING = LISTING | {"if", "while", "until"}
CLOSING = frozenset(("fi", "done", "esac"))
KEY_WORDS = (OPENING | CLOSING | {"{", "}", "do", "then", "else", "elif", "!"}) - LISTING
SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
TIME_LIMITS = frozenset(("timeout", "gtimeout"))  # what stands behind their options is the time

# Words that only wrap the command behind them, with those of their options that take a value in a word of its own. The
# other options are left out with the wrapper.
WRAPPERS = {
    "sudo": "-u -g -h -p -C", "doas": "-u", "nice": "-n", "nohup": "", "env": "-u -C", "command": "", "exec": "-a",
    "builtin": "", "setsid": "", "ionice": "-c -n", "stdbuf": "-i -o -e",
    "timeout": "-s --signal -k --kill-after", "xargs": "-n -P -I -L -d -a -s -E",
}  # fmt: skip
# These run a program of a project's or of a registry's, or do more: a gate does not look through them.
RUNNERS = {
    "python -m": "", "time": "-f -o", "caffeinate": "-t -w", "gtimeout": "-s --signal -k --kill-after",
    "npx": "-p --package", "bunx": "-p --package", "pnpx": "", "uvx": "--from --with",
    "uv run": "--with --python -p --group --extra --package --directory --project --env-file",
    "poetry run": "", "pipenv run": "", "pdm run": "", "hatch run": "", "rye run": "", "bundle exec": "",
    "mise x": "", "mise exec": "", "direnv exec": "", "npm exec": "", "pnpm exec": "", "yarn exec": "",
    "pnpm dlx": "", "yarn dlx": "", "npm x": "", "bun x": "",
    "pipx run": "--spec --python", "coverage run": "--source --omit --include --rcfile",
}  # fmt: skip

# Options, and a few words, that take the next word as their value, by program or by git's sub-command. With a "?" it
# may have one, but only in the same word.
VALUED = {
    "patch": "-i -p -d -o -r --input --strip --directory --output", "awk": "-f -v -F", "gawk": "-f -v -F",
    "cp": "-t -S --target-directory --suffix", "mv": "-t -S --target-directory --suffix",
    "ln": "-t -S --target-directory", "install": "-t -m -o -g -S --target-directory --mode --owner --group",
    "touch": "-d -r -t --date --reference", "truncate": "-s -r --size --reference", "mkdir": "-m --mode",
    "sed": "-e -f -l --expression --file", "perl": "-e -E -I -M", "ruby": "-e -I -r", "chmod": "--reference",
    "rsync": "-e --exclude --include --rsh --filter", "shred": "-n -s",
    "curl": "-o -d -H -X -u -F -A -e -b -c -x -m -w -T -r -D --output",
    "wget": "-O -P -o --header --output-document", "sort": "-o -k -t -S -T --output", "scp": "-i -P -F -o",
    "nl": "-b -d -f -h -i -l -n -s -v -w", "head": "-n -c --lines --bytes", "tail": "-n -c --lines --bytes",
    "bat": "-r -l --line-range --language --style --color --paging --theme",
    "batcat": "-r -l --line-range --language --style --color --paging --theme",
    "restore": "-s --source", "checkout": "-b -B --orphan", "clean": "-e --exclude",
    "commit": "-m -F -C -c -t -S? -u? --message --file --author --date --template --reuse-message --reedit-message "
    "--fixup --squash --cleanup --trailer --pathspec-from-file",
    "git": "-C -c --git-dir --work-tree --namespace",
    "gh": "-R -b -F -t -B -H -a -l -m -p -r --repo --body --body-file --title",
    "go": "-C",
    "cargo": "-C --manifest-path -p --package -F --features --target --profile --color -Z --config",
    "npm": "-C --prefix --registry -w --workspace --userconfig --cache --loglevel --tag -p --package -c --call",
    "pnpm": "-C --dir -F --filter --registry", "yarn": "--cwd workspace", "bun": "--cwd",
    "pip": "-r --requirement -c --constraint -i --index-url --extra-index-url -f --find-links -t --target --prefix"
    " --root --python --proxy --cert --timeout --retries --log --cache-dir",
    "uv": "--directory --project --python -p --with --with-requirements --extra --group --package --env-file"
    " --cache-dir --config-file", "python": "-W -X", "poetry": "-C --directory -P --project",
    "pytest": "-n -k -m -p -o -c -W --rootdir --ignore --deselect --maxfail --durations --basetemp",
    "kubectl": "-n --namespace --context --kubeconfig",
    "make": "-C -f -I --directory --file", "gmake": "-C -f", "just": "-f --justfile -d --working-directory",
    "task": "-d --dir -t --taskfile", "gradle": "-p --project-dir -b", "gradlew": "-p --project-dir -b",
    "mvn": "-f --file -pl --projects -P", "mvnw": "-f --file -pl --projects -P", "cmake": "-S -B",
    "docker": "-H --host -c --context -l --log-level -f --file -p --project-name",
    "docker-compose": "-f --file -p --project-name",
}  # fmt: skip


def is_assignment(word: str) -> bool:
    """Whether a word sets a variable: `A=1`, `A+=1`."""
    name, equals, _ = word.partition("=")
    return bool(equals) and name.rstrip("+").isidentifier()


class Options:
    """The `words` behind a command taken apart, of which those in `valued` take a value.

    `flags` are the options without a value, short ones each by its letter; `values` pairs of an option and its value,
    in order, both without dashes; `operands` the other words.
    """

    def __init__(self, words: "Iterable[str]", valued: str = "") -> None:
        self.flags: set[str] = set()
        self.values: list[tuple[str, str]] = []
        self.operands: list[str] = []
        takes = valued.split()
        rest = iter(words)
        for word in rest:
            name, assigned, value = word.partition("=")
            if word == "--":
                self.operands += rest
            elif word in takes:
                self.values += [(word.lstrip("-"), one) for one in (next(rest, ""),) if one]
            elif word[:2] == "--" and assigned:
                self.values.append((name[2:], value))
            elif word[:2] == "--":
                self.flags.add(name[2:])
            elif word[:1] == "-" and word != "-":
                self._short(word, takes, rest)
            else:
                self.operands.append(word)

    def _short(self, word: str, takes: "list[str]", rest: "Iterator[str]") -> None:
        for at, letter in enumerate(word[1:], 2):
            if f"-{letter}" in takes:
                value = word[at:] or next(rest, "")
                self.values += [(letter, value)] if value else []
                break
            if not letter.isalnum():  # "-i.bak"
                break
            self.flags.add(letter)
            if f"-{letter}?" in takes:
                break

    def given(self, *names: str) -> "list[str]":
        """The values of options that go by several names."""
        return [value for name, value in self.values if name in names]


def behind_options(words: "Sequence[str]", at: int, valued: "Container[str]") -> int:
    """The place from `at` of the first word that is neither an option nor the value of one of `valued`."""
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return at


def unwrapped(words: "tuple[str, ...]", wrappers: "dict[str, str]") -> "tuple[str, ...]":
    """The words without assignments and what else wraps them in front: `sudo`, `env A=1`, `timeout 5`, `uv run`."""
    at = 0
    while at < len(words):
        head = program(words[at])
        name = " ".join(words[at : at + 2]) if head not in wrappers else head
        if is_assignment(words[at]):
            at += 1
        elif head == "python" and "python -m" in wrappers:
            module = next((place for place in range(at + 1, len(words) - 1) if words[place] == "-m"), 0)
            if not module or behind_options(words, at + 1, ("-W", "-X")) < module:  # a script's own -m
                break
            at = module + 1
        elif head == "command" and words[at + 1 : at + 2] in (("-v",), ("-V",)):  # it only asks where a program is
            break
        elif name in wrappers:
            at = behind_options(words, at + 1 + (name != head), wrappers[name].split()) + (head in TIME_LIMITS)
        else:
            break
    return words[at:]


def program(word: str) -> str:
    """A program's name without its folder; every Python is "python"."""
    name = word.rpartition("/")[2]
    return "python" if name.rstrip("0123456789.") == "python" else name
