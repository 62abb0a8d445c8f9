#!/bin/sh
# Makes $VENV with clew (editable) and the development tools. Called by make; safe to run again.
set -eu

say() {
    printf 'setup: %s\n' "$1" >&2
}

fail() {
    printf 'setup: %s\n' "$1" >&2
    exit 1
}

# Where Python may write no byte code (PYTHONDONTWRITEBYTECODE), each process of the tests would compile what it imports.
compile() {
    "$VENV/bin/python" -m compileall -q src
}

command -v git >/dev/null 2>&1 || fail "git is not installed; install it with your package manager"

if command -v uv >/dev/null 2>&1; then
    say "$VENV, with clew and the tools of development …"
    [ -x "$VENV/bin/python" ] || uv venv -q --python ">=3.11" "$VENV"
    uv pip install -q --compile-bytecode --python "$VENV/bin/python" -e . --group dev
    compile
    exit 0
fi

command -v "$PYTHON" >/dev/null 2>&1 || fail "$PYTHON is not installed; install Python 3.11 or newer, or say PYTHON=/path/to/python3"
"$PYTHON" -c 'pass' >/dev/null 2>&1 ||
    fail "$PYTHON does not run (\"$PYTHON\" -c pass fails); say PYTHON=/path/to/python3, version 3.11 or newer"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$PYTHON" --version) is too old; clew needs 3.11 or newer: say PYTHON=/path/to/a/newer/python3"
say "$VENV (a minute or two: clew and the tools of development are installed there) …"
if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
    # Debian and its children ship Python without ensurepip: the folder is then made but is of no use.
    "$PYTHON" -m venv --clear "$VENV" >/dev/null 2>&1 || {
        rm -rf "$VENV"
        fail "$PYTHON cannot make virtual environments; install its venv package (Debian, Ubuntu: python3-venv), or install uv"
    }
fi
# `--group` came with pip 25.1.
"$VENV/bin/python" -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1'
say "installing …"
"$VENV/bin/python" -m pip install -q --disable-pip-version-check -e . --group dev
compile
