"""A user's home and a project in it, for stories that need both; and secrets that exist nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

from clew import wiring
from clew.app.ports import Ports
from tests.samples import base64ish, hexed, text
from tests.workspace.repos import Repo


def ports(home: Path, **environment: str) -> Ports:
    """The adapters for a user whose home is `home`; programs are found as we find them."""
    shared = {name: os.environ[name] for name in ("PATH", "KF_RULE_CACHE_DIR") if name in os.environ}
    return wiring.ports({**shared, "HOME": str(home), **environment})


def project(top: Path, **files: str) -> Repo:
    """A repository at `top` with one commit of these files ("__" in a name stands for "/", "_" before "py" for ".")."""
    repo = Repo(top)
    repo.write("README.md", "A project.\n")
    for name, content in files.items():
        repo.write(name.replace("__", "/").replace("_py", ".py"), content)
    repo.commit("Begin", seconds=1772440000)
    return repo


def secrets() -> dict[str, str]:
    """One fabricated secret of each of several shapes, put together here so that no scanner finds one in our source."""
    return {
        "github": "gh" + "p_" + text(36),
        "aws": "AK" + "IA" + text(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        "anthropic": "sk-" + "ant-" + "api03-" + text(93) + "AA",
        "slack": "xox" + "b-" + text(12, "0123456789") + "-" + text(12, "0123456789") + "-" + text(24),
        "stripe": "sk_" + "live_" + text(24),
    }


def private_key() -> str:
    """A fabricated private key of 26 lines, of a size that real ones have."""
    rows = [base64ish(64 + n)[n:] for n in range(24)]
    return "\n".join(["-----BEGIN " + "RSA PRIVATE KEY-----", *rows, "-----END " + "RSA PRIVATE KEY-----"])


def named_secret() -> str:
    """A value that only its name gives away."""
    return hexed(48)[4:44]


def snapshot(*folders: Path) -> dict[str, tuple[int, int, int, str]]:
    """Everything below `folders`: mode, size, time of the last write and content (or link target)."""
    found = {}
    for folder in folders:
        for parent, names, files in os.walk(folder):
            for name in (*names, *files):
                path = Path(parent, name)
                facts = path.lstat()
                content = (
                    str(path.readlink()) if path.is_symlink() else path.read_bytes().hex() if path.is_file() else ""
                )
                found[str(path)] = (facts.st_mode, facts.st_size, facts.st_mtime_ns, content)
    return found
