"""The table of programs: what each is for, whether it only reads, what it wraps, which of its options take a value, and
what else it is called. Whoever reads shell lines goes by it; while a plan waits, the stricter `reading_table.py` holds.
"""

from typing import Literal, TypeAlias

Purpose: TypeAlias = Literal[
    "test", "lint", "build", "commit", "push", "revert", "rewrite", "pull-request", "look", "other"
]

# A program, or a program with its sub-command, and what it is for.
_BY_PURPOSE: tuple[tuple[Purpose, str], ...] = (
    ("test", "pytest, py.test, unittest, tox, nox, trial, tape, jest, vitest, mocha, ava, rspec, phpunit, ctest, "
             "go test, cargo test, cargo nextest, playwright test, cypress run, dotnet test, swift test, bazel test, "
             "mix test, deno test, dart test, flutter test, sbt test, lein test"),
    ("lint", "golangci-lint, ruff, flake8, pylint, mypy, pyright, black, isort, eslint, prettier, biome, tsc, "
             "stylelint, shellcheck, hadolint, gofmt, goimports, gofumpt, staticcheck, rubocop, clang-format, "
             "clang-tidy, ktlint, detekt, swiftlint, pre-commit, lint-imports, go vet, cargo clippy, cargo fmt, "
             "cargo check, dotnet format, mix format, deno lint, deno fmt, deno check"),
    ("build", "ninja, webpack, rollup, esbuild, goreleaser, javac, gcc, g++, clang, rustc, build, go build, "
              "go install, go generate, go mod, cargo build, cargo run, dotnet build, swift build, bazel build, "
              "docker build, docker compose build, docker buildx build, docker-compose build, vite build, uv build, "
              "hatch build, poetry build, mix compile"),
    ("look", "rg, grep, egrep, fgrep, ag, ack, find, fd, ls, tree, cat, bat, head, tail, less, more, sed, awk, cut, "
             "sort, uniq, wc, file, stat, du, df, pwd, which, whereis, type, command, echo, printf, env, date, whoami, "
             "id, uname, ps, top, diff, cmp, jq, yq, xxd, od, strings, tee, touch, mkdir, sleep, true, false, test, [, "
             "[[, read, export, set, cd, pushd, popd, source, ., kill, pkill, pgrep, lsof, man, help, open, gh, "
             "git branch, git remote, git config, git fetch, git add, git worktree, git tag, git stash list, "
             "git stash show, clew"),
    ("commit", "git commit"),
    ("push", "git push"),
    ("revert", "git restore, git revert"),
    ("rewrite", "git rebase, git merge, git cherry-pick, git pull, git reset, git switch, git checkout, git stash"),
    ("pull-request", "gh pr create"),
)  # fmt: skip
# Programs that run tasks by name.
TASK_RUNNERS = frozenset(
    ["npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "task", "mise", "rake", "gradle", "gradlew", "mvn", "mvnw",
     "hatch", "cmake", "invoke", "nx", "turbo", "composer", "manage.py", "vp"]
)  # fmt: skip

# Programs that run a file.
INTERPRETERS = frozenset("python node bash sh zsh ruby perl php deno bun tsx ts-node java julia Rscript lua".split())

# What reads only, whatever its options say.
READING = frozenset(
    """[ basename cat cd cksum cmp column comm cut date df diff dirname du echo egrep env expr false fgrep file
    fold grep head hexdump hostname id jq less ls md5sum more nl nproc od paste pgrep popd printenv printf ps pushd pwd
    readlink realpath rg seq sha1sum sha256sum sleep stat strings sum tac tail test tr tree true type uname uniq
    uptime wc which whoami export set unset return local declare alias shift trap wait exit break continue for select
    case in read : xxd""".split()
)
GIT_READING = frozenset(
    "blame cat-file check-ignore cherry count-objects describe diff for-each-ref grep help log ls-files ls-remote "
    "ls-tree merge-base name-rev range-diff reflog rev-list rev-parse shortlog show show-ref status var version "
    "whatchanged".split()
)
PURPOSES: dict[str, Purpose] = {f"git {verb}": "look" for verb in GIT_READING}
PURPOSES |= {name.strip(): purpose for purpose, names in _BY_PURPOSE for name in names.split(",")}
# What changes the repository and not the files that one works on.
GIT_KEEPING = frozenset("add branch commit config fetch gc notes push remote tag update-index update-ref".split())

# Git's verbs that write files of the work tree which they do not name.
GIT_REWRITING = frozenset(
    "am apply cherry-pick clone merge pull rebase reset revert stash submodule switch worktree".split()
)

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
LAUNCHERS = {
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
    "restore": "-s --source", "checkout": "-b -B --orphan", "clean": "-e --exclude", "stash": "-m --message",
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

# Short words for what is done, and other words for the same.
_NPM = {
    **dict.fromkeys("i in ins inst insta instal isnt add".split(), "install"),
    **dict.fromkeys("un uninstall unlink r rm".split(), "remove"),
    **dict.fromkeys("t tst".split(), "test"),
    **dict.fromkeys("up upgrade".split(), "update"),
    "run-script": "run",
}
ALIASES = {
    "npm": _NPM, "pnpm": _NPM, "yarn": {"add": "install", "up": "update"},
    "bun": {"a": "install", "i": "install", "add": "install", "rm": "remove"},
    "cargo": {"b": "build", "c": "check", "t": "test", "r": "run", "rm": "remove"}, "gem": {"i": "install"},
    "pip": {"uninstall": "remove"}, "brew": {"uninstall": "remove", "rm": "remove"},
}  # fmt: skip

# Programs whose first word says what they do; with these two words do.
WITH_VERBS = frozenset(
    """git npm pnpm yarn bun cargo go pip uv docker docker-compose podman kubectl helm make gmake just gradle gradlew
    mvn mvnw terraform tofu brew apt apt-get gh dotnet mix bundle rails rake composer poetry pdm hatch deno swift
    flutter dart sbt lein stack cabal zig bazel nx turbo task mise alembic flask django-admin prisma supabase firebase
    aws gcloud az heroku vercel fly systemctl ansible cmake meson invoke""".split()
)
# The runner itself, and whatever runs the project's tests by it, are one.
JS_TESTS = frozenset("jest vitest mocha ava jasmine tap".split())
JS_MANAGERS = frozenset("npm pnpm yarn bun".split())
# Whatever their target: it is the error that tells one deed from another.
ONE_DEED = frozenset("make gmake just gradle gradlew mvn mvnw".split())
SAME_DEED = {("cargo", "check"): "build", ("cargo", "clippy"): "build", ("cargo", "run"): "build"}

# Commands that answer by their exit status: what stands behind `grep -q x f &&` may never have run. The other looks
# hardly ever fail.
ANSWERS = frozenset("rg grep egrep fgrep ag ack test [ [[ diff cmp which type command pgrep false clew".split())
# Looks that print what others wrote. Behind a pipe some hand on the end of what a check prints, and nothing else.
LOUD = frozenset(
    "rg grep egrep fgrep ag ack cat bat head tail less more sed awk cut sort uniq jq yq diff source . gh".split()
)
LOUD_GIT = frozenset(["log", "show", "diff", "grep", "blame", "reflog", "shortlog"])
