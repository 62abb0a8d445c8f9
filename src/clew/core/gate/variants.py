"""One command, written in several ways: brought into one form, so that a guard of a deed knows them all. Pure; a hook
imports it, and it costs what the words are long.
"""

# What runs the program that is named behind it, with the word that says so ("" none is needed).
_RUNNERS = {
    "npx": ("",), "bunx": ("",), "uvx": ("",), "pnpx": ("",), "npm": ("exec", "x"), "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"), "bun": ("x",), "uv": ("run",), "pipx": ("run",), "poetry": ("run",), "pipenv": ("run",),
    "pdm": ("run",), "hatch": ("run",), "rye": ("run",), "bundle": ("exec",), "mise": ("exec", "x"),
}  # fmt: skip
# Short words for what is done, and other words for the same.
_NPM = {
    **dict.fromkeys("i in ins inst insta instal isnt add".split(), "install"),
    **dict.fromkeys("un uninstall unlink r rm".split(), "remove"),
    **dict.fromkeys("t tst".split(), "test"),
    **dict.fromkeys("up upgrade".split(), "update"),
    "run-script": "run",
}
_VERBS = {
    "npm": _NPM, "pnpm": _NPM, "yarn": {"add": "install", "up": "update"},
    "bun": {"a": "install", "i": "install", "add": "install", "rm": "remove"},
    "cargo": {"b": "build", "c": "check", "t": "test", "r": "run", "rm": "remove"}, "gem": {"i": "install"},
    "pip": {"uninstall": "remove"}, "brew": {"uninstall": "remove", "rm": "remove"},
}  # fmt: skip
# Behind these stand names of packages: their order says nothing, and a version makes no other deed of it.
_INSTALLING = frozenset(("install", "add", "require", "get", "remove"))
_TAKING_AWAY = frozenset(("remove", "uninstall"))
# Of git's.
_TELLING = frozenset("add branch commit fetch log merge notes push show stash status tag".split())
# Options whose value is a word of its own.
_VALUED = {
    "git": "-C -c --git-dir --work-tree --namespace",
    "npm": "-C --prefix --registry -w --workspace --userconfig --cache --loglevel --tag -p --package -c --call",
    "npx": "-p --package -c --call", "pnpm": "-C --dir -F --filter --registry", "yarn": "--cwd", "bun": "--cwd",
    "pip": "-r --requirement -c --constraint -i --index-url --extra-index-url -f --find-links -t --target --prefix"
    " --root --python --proxy --cert --timeout --retries --log --cache-dir",
    "uv": "--directory --project --python -p --with --with-requirements --extra --group --package --env-file"
    " --cache-dir --config-file", "uvx": "--from --with --python -p", "pipx": "--spec --python",
    "cargo": "--manifest-path -p --package -F --features --target --profile --color -Z --config",
    "make": "-C --directory -f --file -I", "go": "-C", "docker": "-H --host -c --context -l --log-level",
    "pytest": "-n -k -m -p -o -c -W --rootdir --ignore --deselect --maxfail --durations --basetemp",
    "kubectl": "-n --namespace --context --kubeconfig", "python": "-W -X", "poetry": "-C --directory -P --project",
}  # fmt: skip
_RUNS_MAX = 4
_VERSION = "=<>!~[;"


class Said:
    """A command in the one form: the `program`, then its `operands` in order, with its `options` apart, a value of an
    option with it. `packages`: what it installs or takes away, without versions, and as it was said; None for all other
    commands.
    """

    def __init__(self, program: str, operands: "list[str]", options: "list[str]") -> None:
        self.program = program
        self.operands = operands
        self.options = options
        self.packages: set[str] | None = None
        if operands and operands[0] in _INSTALLING:
            self.packages = {*operands[1:], *map(_unversioned, operands[1:])}


def said(words: "list[str]") -> Said:
    """The form of a command's `words`, of which there is one at least: `npx`, `python -m`, `uv run` and the like give
    what they run, `npm i` is `npm install`.
    """
    for _ in range(_RUNS_MAX):
        inner = _run_by(words)
        if not inner:
            break
        words = inner
    program = _program(words[0])
    operands, options = _parted(program, words[1:])
    if operands:
        operands[0] = _VERBS.get(program, {}).get(operands[0], operands[0])
    return Said(program, operands, options)


def fits(wanted: Said, given: Said) -> bool:
    """Whether `given`, of the same program, is the deed that `wanted` begins with: what it names comes first there,
    wherever options stand; packages in any order. Options that `wanted` has, `given` has.
    """
    if wanted.options and not set(given.options).issuperset(wanted.options):
        return False
    if wanted.packages is not None and given.packages is not None and wanted.operands[0] == given.operands[0]:
        return given.packages.issuperset(wanted.operands[1:])
    return given.operands[: len(wanted.operands)] == wanted.operands


def quiet(words: "list[str]") -> "list[tuple[str, str]]":
    """Of a command's words those by which nothing is tried, with what is left of each: messages of a commit, packages
    that are taken away, what `sed` replaces.
    """
    program = _program(words[0])
    if is_told(words):
        return [(word, "") for word in words[1:]]
    if program in ("sed", "perl"):
        return [(word, _replacement(word)) for word in words[1:] if _replacement(word) != word]
    form = said(words)
    if form.operands and form.operands[0] in _TAKING_AWAY:
        return [(word, "") for word in form.operands[1:]]
    return []


def is_told(words: "list[str]") -> bool:
    """Whether what a command says is told to people, or kept by git, and is in no file: a message, a branch's name."""
    program = _program(words[0])
    verb = next(iter(_parted(program, words[1:])[0]), "") if program == "git" else ""
    return program in ("gh", "glab") or verb in _TELLING


def _run_by(words: "list[str]") -> "list[str]":
    """What a runner runs, [] if this is none."""
    program = _program(words[0])
    at = 1
    if program == "python":
        while at < len(words) and words[at][:1] == "-" and words[at] != "-m":
            at += 2 if words[at] in _VALUED["python"].split() else 1
        return words[at + 1 :] if at + 1 < len(words) and words[at] == "-m" else []
    verbs = _RUNNERS.get(program)
    if verbs is None:
        return []
    valued = _VALUED.get(program, "").split()
    at = _behind_options(words, at, valued)
    if program == "uv" and words[at : at + 1] == ["pip"]:
        return words[at:]
    if verbs != ("",):
        if words[at : at + 1] == [] or words[at] not in verbs:
            return []
        at = _behind_options(words, at + 1, valued)
    return words[at:]


def _behind_options(words: "list[str]", at: int, valued: "list[str]") -> int:
    while at < len(words) and words[at][:1] == "-":
        if words[at] in ("--", "-m"):  # `uv run -m x` runs the module
            return at + 1
        at += 2 if words[at] in valued else 1
    return at


def _parted(program: str, words: "list[str]") -> "tuple[list[str], list[str]]":
    valued = _VALUED.get(program, "").split()
    operands: list[str] = []
    options: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word[:1] != "-" or word == "-":
            operands.append(word)
        elif word in valued:
            options.append(" ".join(words[at - 1 : at + 1]))
            at += 1
        elif word != "--":
            options.append(word)
    return operands, options


def _program(word: str) -> str:
    name = _unversioned(word.rpartition("/")[2])
    if name.startswith(("python", "pip", "pypy")):
        plain = name.rstrip("0123456789.")
        return {"pypy": "python"}.get(plain, plain)
    return name


def _unversioned(word: str) -> str:
    """The name of a package without the version, or the parts of it, that are wanted (`x@2`, `x==2`, `x[y]`)."""
    at = word.find("@", 1)
    word = word[:at] if at > 0 else word
    for sign in _VERSION:
        word = word.partition(sign)[0] or word
    return word


def _replacement(script: str) -> str:
    """What `s/a/b/` puts in the place of what it takes away; any other word as it is."""
    if len(script) < 4 or script[0] != "s" or script[1].isalnum() or script[1].isspace():
        return script
    parts = script[2:].split(script[1])
    return parts[1] if len(parts) > 1 else script
