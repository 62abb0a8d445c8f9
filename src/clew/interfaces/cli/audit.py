"""`clew audit`: what filled a session's context, as a bill; and the lint of rules files."""

from __future__ import annotations

import sys
from typing import Final

import click

from clew import wiring
from clew.app.audit.audit import Audit, BillLine, Cut, audit
from clew.app.audit.rules_lint import Rules, linted_rules
from clew.app.cost.prices import known_prices
from clew.core.context.pressure import thousands
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.rules_file.disk import BUDGET_TOKENS
from clew.interfaces.cli.cost import money
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, count, find_project, here, present, remark, say_notes
from clew.interfaces.cli.lint import EXIT_FOUND, rows
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.picture import bar, figure
from clew.interfaces.cli.screen import is_screen, show_table
from clew.interfaces.cli.waiting import Waiting

_BAR_CELLS: Final = 20
_PARTS_SHOWN: Final = 4
_PART_SHARE: Final = 0.01
_NAME_CHARS: Final = 56


@click.group("audit", cls=Group)
@click.option(
    "--session", metavar="S", default="", help="A session file or the beginning of an id; default: the newest."
)
@click.option("--mcp", is_flag=True, help="Start the MCP servers in the client's settings, and list their tools.")
@json_option()
@click.pass_context
def command(ctx: click.Context, session: str, mcp: bool) -> None:
    """Show what filled a session's context: a bill of the input tokens of all its responses, what to cut, and what that
    would save.

    Without --session it is the session that asks, else the newest of this project.
    """
    if ctx.invoked_subcommand is not None:
        return
    ports = wiring.ports()
    with Waiting("Reading") as waiting:
        known = known_prices(*ports.price_tables())
        found = audit(find_project(), known, session=session, mcp=mcp, tell=waiting.at)
    present(found, _say)


def _say(found: Audit) -> None:
    agents = f", {count(found.agents, 'sub-agent')}" if found.agents else ""
    print(f"{found.client} {found.session}: {count(found.responses, 'response')}{agents}, {', '.join(found.models)}")
    print(
        f"{found.input_tokens:,} input tokens{_cost(found)}; the context at its fullest {found.peak_tokens:,}; "
        f"{found.explained:.1%} explained"
    )
    print()
    rows = [row for line in found.lines for row in _rows(line, found)]
    heads = ("share", "", "tokens", "cost", "at fullest", "what")
    show_table(heads, rows, styles=("bold", "cyan"), spare=(4, 1, 3))
    _say_found(found)
    if not found.lines:
        remark("The session used no tokens.")
    say_notes(found.notes)


def _cost(found: Audit) -> str:
    if found.unpriced_tokens >= found.input_tokens:
        return ""
    rest = f" and {found.unpriced_tokens:,} tokens whose price is unknown" if found.unpriced_tokens else ""
    return f" ({money(found.usd)}{rest})"


def _rows(line: BillLine, found: Audit) -> list[tuple[str, ...]]:
    """A line of the bill, and its largest parts below it."""
    priced = found.unpriced_tokens < found.input_tokens
    rows: list[tuple[str, ...]] = [
        (
            f"{line.share:.1%}",
            bar(line.share, _BAR_CELLS) if is_screen(sys.stdout) else "",
            figure(line.tokens),
            money(line.usd) if priced else "",
            figure(line.peak_tokens),
            line.meaning,
        )
    ]
    shown = [one for one in line.parts if one.share >= _PART_SHARE][:_PARTS_SHOWN]
    for one in shown if len(line.parts) > 1 or line.group in ("rules", "mcp", "hooks") else ():
        name = shorten(one_line(clean(one.name)), _NAME_CHARS)
        cost = money(one.usd) if priced else ""
        rows.append((f"{one.share:.1%}", "", figure(one.tokens), cost, "", f"  {name} ×{one.pieces}"))
    return rows


def _say_found(found: Audit) -> None:
    if found.found:
        print("\nWhat to cut:")
    for one in found.found:
        saved = f"; saves up to {thousands(one.saves_tokens)}" if one.saves_tokens else ""
        saved += f", {money(one.saves_usd)}" if one.saves_usd else ""
        print(f"- {one.what}: {thousands(one.tokens)} tokens ({one.share:.1%}){_times(one)}{saved}")
        print(f"  {one.do}")
    if found.again_tokens > found.input_tokens * _PART_SHARE:
        cost = f", {money(found.again_usd)} more than from the cache" if found.again_usd else ""
        print(
            f"- sent again although it had been sent before, since the cache had lost it: "
            f"{thousands(found.again_tokens)} tokens{cost}"
        )


def _times(one: Cut) -> str:
    shown = ", ".join(
        f"{shorten(one_line(clean(name)), _NAME_CHARS)}{f' ×{times}' if times > 1 else ''}"
        for name, times in one.examples[:3]
        if name
    )
    return f", {one.times:,} × ({shown})" if shown else ""


@command.command("rules", short_help="Check rules files: paths, commands, order, size, meaning.")
@click.argument("files", metavar="[FILE…]", type=click.Path(), nargs=-1)
@click.option(
    "--budget",
    metavar="N",
    type=click.IntRange(min=1),
    default=BUDGET_TOKENS,
    help="How many tokens a rules file may have.",
)
@click.option("--rule", "rules", metavar="ID", multiple=True, help="Only this rule; repeatable.")
@json_option()
def rules_command(files: tuple[str, ...], budget: int, rules: tuple[str, ...]) -> None:
    """Check CLAUDE.md, AGENTS.md, GEMINI.md and their like by the rules of docs/reference/audit.md; without FILE all of
    the project's.

    A file that cannot be read does not stop the others. Exits with 1 if something was found or a file could not be
    read.
    """
    with Waiting("Reading") as waiting:
        found = linted_rules(wiring.ports(), here(), files, budget_tokens=budget, rules=rules, progress=waiting.at)
    problems = [one for one in found.files if one.error]
    if len(found.files) == 1 and problems and problems[0].error:
        raise problems[0].error
    for one in problems:
        if one.error:
            aside(one_line(clean(f"error: {one.error.message}  [{one.error.code}]")))
    say_notes(found.notes)
    present(found, _say_rules)
    if problems or any(one.findings for one in found.files):
        raise SystemExit(EXIT_FOUND)


def _say_rules(found: Rules) -> None:
    for one in found.files:
        for row in rows(one.file, one.findings):
            print(row)
    if found.files:
        total, tokens = sum(len(one.findings) for one in found.files), sum(one.tokens for one in found.files)
        aside(f"{count(total, 'finding')} in {count(len(found.files), 'rules file')} of {tokens:,} tokens.")
