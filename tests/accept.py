"""`python -m tests.accept`: write what is made by code as it is made now. Read the diff before committing it.

The golden files, the table in docs/reference/settings.md, the profiles with their output in
docs/reference/documents.md, the rules of docs/reference/linting.md, and what works in which client in
docs/clients/README.md.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from clew.core.settings import FAMILIES, SETTINGS, shown
from clew.documents.lint.page import RULES, LintRule
from clew.documents.profiles import PROFILES, Profile, Section
from clew.interfaces.cli.lint import rows
from tests.clients.capabilities import table
from tests.documents.lint.cases import CASES, linted
from tests.gold.stories import FOLDER, STORIES

DOCS = Path(__file__).parents[1] / "docs"
SETTINGS_PAGE = DOCS / "reference" / "settings.md"
DOCUMENTS_PAGE = DOCS / "reference" / "documents.md"
LINTING_PAGE = DOCS / "reference" / "linting.md"
CLIENTS_PAGE = DOCS / "clients" / "README.md"
_TABLE_BEGINS = "<!-- the table of settings: python -m tests.accept -->\n\n"
_TABLE_ENDS = "\n<!-- end of the table -->\n"
_PROFILES_BEGIN = "<!-- the profiles: python -m tests.accept -->\n\n"
_PROFILES_END = "\n<!-- end of the profiles -->\n"
_RULES_BEGIN = "<!-- the rules: python -m tests.accept -->\n\n"
_RULES_END = "\n<!-- end of the rules -->\n"
_CAPABILITIES_BEGIN = "<!-- the capabilities: python -m tests.accept -->\n\n"
_CAPABILITIES_END = "\n<!-- end of the capabilities -->\n"
_EXAMPLE_ROWS_MAX = 12


def settings_page(page: str) -> str:
    """The page with the table in it as the code has it."""
    return _between(page, _TABLE_BEGINS, settings_table(), _TABLE_ENDS)


def documents_page(page: str) -> str:
    """The page with the profiles in it as the code has them, each with the golden file as its output."""
    return _between(page, _PROFILES_BEGIN, "\n".join(map(_profile, PROFILES.values())), _PROFILES_END)


def linting_page(page: str) -> str:
    """The page with the rules in it as the code has them, each with a document and what is printed of it."""
    return _between(page, _RULES_BEGIN, "\n".join(map(_rule, RULES.values())), _RULES_END)


def clients_page(page: str) -> str:
    """The page with what works in which client, as a run of all of them found it."""
    with tempfile.TemporaryDirectory(prefix="clew-clients-") as folder:
        return _between(page, _CAPABILITIES_BEGIN, table(Path(folder).resolve()), _CAPABILITIES_END)


def _between(page: str, begins: str, made: str, ends: str) -> str:
    front, _, rest = page.partition(begins)
    _, _, back = rest.partition(ends)
    return f"{front}{begins}{made}{ends}{back}"


def _profile(profile: Profile) -> str:
    """A profile's section of the page."""
    rows = ["| heading | contents |", "| --- | --- |"]
    rows += [f"| {section.heading} | {_told(section)} |" for section in profile.sections]
    made = (FOLDER / f"profile-{profile.name}.md").read_text(encoding="utf-8")
    absent = f"Left out on purpose: {', '.join(profile.left_out)}."
    head = f"### {profile.name}\n\n{PURPOSES[profile.name]} At most {profile.budget_tokens} tokens."
    return f"{head}\n\n" + "\n".join(rows) + f"\n\n{absent}\n\n```text\n{made}```\n"


def _told(section: Section) -> str:
    if section.pins:
        return "whatever is pinned and has no place above"
    stages = " or ".join(stage or "not said" for stage in section.stages)
    only = f" ({stages})" if stages else ""
    boxes = ", as check boxes" if section.boxes else ""
    return ", ".join(section.kinds) + only + boxes + ("; also when there is none" if section.always else "")


PURPOSES = {
    "rehydrate": "What the next session needs: what `clew resume` prints ([the payload](../guide/02-payload.md)).",
    "debug": "A hunt for a bug: what was suspected, what is ruled out, what is left.",
    "team": "For a colleague who takes over; `--to NAME` says to whom. It names no folder of this machine.",
    "handoff": "For whoever goes on: what is done, what is not, what comes next.",
    "issue": "The body of an issue: the state as check boxes, and how to go on.",
    "summary": "One finished piece of work, for the archive.",
    "focus": "What to tell the client's own command that compacts a conversation.",
}


def _rule(rule: LintRule) -> str:
    """A rule's section of the page."""
    source = CASES[rule.id].speaks[0]
    shown = source.rstrip("\n").split("\n")
    if len(shown) > _EXAMPLE_ROWS_MAX:
        shown = [*shown[:3], "… (and so on)"]
    printed = rows("HANDOFF.md", [one for one in linted(source) if one.rule == rule.id])
    head = f"### {rule.id}\n\n{rule.meaning} For: {', '.join(sorted(rule.genres))}."
    return "\n".join((head, "", "~~~markdown", *shown, "~~~", "", "```text", *printed, "```", ""))


def settings_table() -> str:
    """The table of docs/reference/settings.md."""
    rows = ["| name | value | default | project's file | what it does |", "| --- | --- | --- | --- | --- |"]
    for setting in (*SETTINGS, *FAMILIES):
        project = (
            "no" if not setting.project else {"gate": "to tighten", "program": "if trusted"}.get(setting.kind, "yes")
        )
        cells = (f"`{setting.name}`", setting.expected, f"{shown(setting.default)} {setting.unit}".strip(), project)
        rows.append(f"| {' | '.join(cells)} | {setting.meaning} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    for name, story in STORIES.items():
        with tempfile.TemporaryDirectory(prefix="clew-gold-") as folder:
            text = story(Path(folder).resolve())
        _accept(FOLDER / f"{name}.md", text)
    _accept(SETTINGS_PAGE, settings_page(SETTINGS_PAGE.read_text(encoding="utf-8")))
    _accept(DOCUMENTS_PAGE, documents_page(DOCUMENTS_PAGE.read_text(encoding="utf-8")))
    _accept(LINTING_PAGE, linting_page(LINTING_PAGE.read_text(encoding="utf-8")))
    _accept(CLIENTS_PAGE, clients_page(CLIENTS_PAGE.read_text(encoding="utf-8")))


def _accept(path: Path, text: str) -> None:
    same = path.exists() and path.read_text(encoding="utf-8") == text
    path.write_text(text, encoding="utf-8")
    print(f"{'same   ' if same else 'written'} {path.name}")


if __name__ == "__main__":
    main()
