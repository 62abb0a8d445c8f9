"""The template of an issue with the fixed sections: what somebody without clew fills in is read like one of our own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clew.app.issue.body import ASKED, LABEL
from clew.core.errors import InputError
from clew.documents.profiles import ISSUE
from clew.workspace.atomic import make_folder, replace

PLACE: Final = ".github/ISSUE_TEMPLATE/agent-task.md"


@dataclass(frozen=True, slots=True)
class Template:
    """The file with the template. `is_new`: it was not there so before."""

    file: Path
    text: str
    is_new: bool


def template_text() -> str:
    """The template."""
    head = (
        "---\n"
        "name: Task for a coding agent\n"
        "about: Goal, status, decisions and risks of a task that several sessions work on\n"
        'title: ""\n'
        f"labels: {LABEL}\n"
        "---\n"
    )
    sections = [section.heading for section in ISSUE.sections if section.heading in ASKED]
    return head + "".join(f"\n## {heading}\n\n{ASKED[heading]}\n" for heading in sections)


def write_template(root: Path, *, dry_run: bool = False, force: bool = False) -> Template:
    """Write the template into the project whose top is `root`. Another file in its place is replaced with `force` only.
    Raises `InputError` (E-issue-template).
    """
    file, text = root / PLACE, template_text()
    there = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    if there == text:
        return Template(file, text, is_new=False)
    if os.path.lexists(file) and not force:
        raise InputError(
            f"{file} is there, and is another one", code="E-issue-template", hint="Use --force to replace it."
        )
    if not dry_run:
        try:
            make_folder(file.parent)
            replace(file, text.encode(), mode=0o644)
        except OSError as error:
            raise InputError(
                f"{file} cannot be written: {error.strerror}",
                code="E-issue-template",
                hint="`clew issue template --print` prints it.",
            ) from error
    return Template(file, text, is_new=True)
