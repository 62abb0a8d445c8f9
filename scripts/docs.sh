#!/bin/sh
# Builds the website of the documentation into build/site. Called by make. $1 is the virtual environment.
set -eu

if ! "$1/bin/python" -c 'import zensical' 2>/dev/null; then
    if command -v uv >/dev/null 2>&1; then
        uv pip install -q --python "$1/bin/python" --group docs
    else
        "$1/bin/python" -m pip install -q --disable-pip-version-check --group docs
    fi
fi
"$1/bin/python" scripts/site.py
"$1/bin/python" -m zensical build --clean --strict --config-file build/site.toml
