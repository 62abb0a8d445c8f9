"""`clew validate --init`: commands proposed, as a diff, and written if that is wanted."""

from __future__ import annotations

from clew.app.validate import proposal
from clew.core.text.cleaning import clean
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.here import here, remark


def propose(*, write: bool, as_json: bool) -> None:
    """Print what is proposed; write it if told to."""
    found = proposal.propose(here(), write=write)
    if as_json:
        print(encoded("proposal", found))
        return
    if not found.commands:
        remark("Nothing new was found to propose; `[[validate.commands]]` takes a name and a line to run.")
        return
    print("\n".join(clean(line) for line in found.diff.split("\n")))
    if found.written:
        remark(f"Written to {found.file}. Nothing of it runs before a person trusts it: `clew trust`.")
    else:
        remark("Nothing was written: `clew validate --init --yes` writes it.")
