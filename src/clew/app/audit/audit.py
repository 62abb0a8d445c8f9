"""`clew audit`: a session's input tokens as a bill, and what to cut."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from clew.app.audit.mcp_servers import Measured, measure, servers
from clew.app.audit.waste import ADVICE, BilledSession, Waste, wastes
from clew.app.context.window import regular_bytes
from clew.app.cost.prices import KnownPrices
from clew.app.intake.find import pick_session, reader_at, unreadable
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import safe_errors
from clew.app.results import JsonResult
from clew.clients.port import ContextReader, Reader, UsageLocator
from clew.clients.registry import spec_of
from clew.core.audit.bill import Bill, BillEntry, bill_of
from clew.core.audit.contexts import MEANINGS, Contexts, Group, Piece, Response
from clew.core.cost.prices import Price
from clew.core.errors import InputError
from clew.core.records.context_parts import ContextPart
from clew.core.records.transcript import Context
from clew.core.text.cleaning import clean, one_line, shorten
from clew.core.text.tokens import estimate
from clew.documents.lint.page import page_of
from clew.documents.parse import parse
from clew.documents.rules_file.disk import imports
from clew.workspace.repository import find

_LINE_BYTES_MAX: Final = 64 << 20


class AuditReading:
    """A session that was read: its contexts, and where it ran when it began."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.contexts = Contexts(estimate, has_inputs=isinstance(reader, ContextReader))
        self.session = ""
        self.cwd = ""

    def file(self, path: Path, *, agent: str = "") -> None:
        """Take a file in. Raises `OSError`."""
        with self.reader.open(path) as file:
            for line, at in _lines(file):
                batch = self.reader.read(line, offset=at)
                parts: Iterable[ContextPart] = ()
                if isinstance(self.reader, ContextReader):
                    parts = self.reader.context_parts(line.rstrip(b"\n"), at)
                for record in batch.records:
                    if isinstance(record, Context) and not record.agent:
                        self.session = self.session or record.session
                        self.cwd = self.cwd or record.cwd
                self.contexts.take(batch.records, parts, agent=agent)


def read_session(ports: Ports, path: Path, reader: Reader, tell: Callable[[str], None]) -> AuditReading:
    """The session in `path`, with the files of its sub-agents. Raises `InputError` if it cannot be read."""
    found = AuditReading(reader)
    try:
        tell(path.name)
        found.file(path)
        for other in _of_agents(ports, path, found.session or path.stem, reader.name):
            tell(other.name)
            if (own := reader_at(other, ports.readers, client=reader.name)) is not None and own.name == reader.name:
                found.file(other, agent=other.stem)
    except OSError as error:
        raise unreadable(path, error) from error
    return found


def _of_agents(ports: Ports, path: Path, session: str, client: str) -> Iterable[Path]:
    """The files of the session's sub-agents, where its client keeps them apart."""
    many = (one for one in ports.locators if isinstance(one, UsageLocator))
    found = (item for one in many for item in one.usage_files() if item.client == client and item.size)
    return sorted(
        {one.path for one in found if one.session == session and one.path != path and one.path.stem != session}
    )


def _lines(file: BinaryIO) -> Iterable[tuple[bytes, int]]:
    """The lines of a session with their places, each with its end. One that is too long to be held is left out."""
    at = 0
    while line := file.readline(_LINE_BYTES_MAX):
        length, is_cut = len(line), len(line) == _LINE_BYTES_MAX
        while is_cut and (rest := file.readline(_LINE_BYTES_MAX)):
            length += len(rest)
            is_cut = not rest.endswith(b"\n")
        if length < _LINE_BYTES_MAX:
            yield (line if line.endswith(b"\n") else line + b"\n"), at
        at += length


_IMPORTS_DEEP: Final = 5
_FILES_MAX: Final = 500


def rules_standing(ports: Ports, client: str, cwd: str) -> list[Piece]:
    """The rules files of a session of `client` that ran in `cwd`: none of a client whose record holds them or
    where that folder is gone.
    """
    spec = spec_of(client)
    folder = Path(cwd) if cwd else None
    if not spec or spec.rules_recorded or folder is None or not folder.is_absolute() or not folder.is_dir():
        return []
    repository = find(folder)
    top = repository.top if repository is not None else folder
    places = [one for one in (folder, *folder.parents) if one.is_relative_to(top)]
    files = [place / name for place in reversed(places) for name in spec.rules]
    files += sorted((top / spec.rules_folder).glob("*.md")) if spec.rules_folder else []
    user = Path(ports.environment.get("HOME") or Path.home())
    files.append(spec.home(ports.environment, user) / spec.own_rules)
    found = _with_imports(files, user)
    return [Piece("rules", _shown(path, top, user), tokens) for path, tokens in found.items()]


def _with_imports(files: Sequence[Path], user: Path) -> dict[Path, int]:
    """The tokens of those that are there and of what they bring in, each once: files may name each other."""
    met: dict[Path, int] = {}
    for _ in range(_IMPORTS_DEEP + 1):
        following: list[Path] = []
        for file in files:
            path = Path(os.path.normpath(file.absolute()))
            is_new = path not in met and len(met) < _FILES_MAX
            text = (regular_bytes(path) or b"").decode("utf-8", "replace") if is_new else ""
            if text:
                met[path] = estimate(text)
                named = imports(page_of(parse(text, name=path.name), text))
                following += (user / name[2:] if name[:2] == "~/" else path.parent / name for _, name, _ in named)
        files = following
    return met


def _shown(path: Path, top: Path, user: Path) -> str:
    if path.is_relative_to(top):
        return path.relative_to(top).as_posix()
    return f"~/{path.relative_to(user).as_posix()}" if path.is_relative_to(user) else str(path)


NEWEST: Final = "newest"
_NAME_CHARS: Final = 120
# What takes less than this share of the input is not worth an advice.
_LEAST_SHARE: Final = 0.01
_DEFERRED: Final = "names of tools that can be loaded"


class BillPart(NamedTuple):
    """What bears one name in a line. `pieces` came in under it."""

    name: str
    tokens: int
    share: float
    usd: float
    pieces: int


class BillLine(NamedTuple):
    """A line of the bill: `tokens` sent with all responses, their `share` of the input, `usd` as far as prices are
    known; `peak_tokens` are what it took when the context was fullest. `parts` has the largest first.
    """

    group: Group
    meaning: str
    tokens: int
    share: float
    usd: float
    peak_tokens: int
    parts: tuple[BillPart, ...]


class WasteExample(NamedTuple):
    """What was wasted, and how often."""

    name: str
    times: int


class Cut(NamedTuple):
    """Something that could be cut. `saves_tokens` and `saves_usd` are what that would have saved at most."""

    kind: str
    what: str
    tokens: int
    share: float
    times: int
    examples: tuple[WasteExample, ...]
    do: str
    saves_tokens: int
    saves_usd: float


class Audit(JsonResult, frozen=True):
    """The audit of one session. `lines` has the largest first and adds up to `input_tokens`; `explained` is the share
    of them that the record explains. `peak_tokens`: the context at its fullest. `usd` is what the input cost, without
    `unpriced_tokens`. `again_tokens` were sent when the cache had lost them, which cost `again_usd` more.
    """

    client: str
    session: str
    file: Path
    models: tuple[str, ...]
    responses: int
    agents: int
    input_tokens: int
    peak_tokens: int
    explained: float
    usd: float
    unpriced_tokens: int
    again_tokens: int
    again_usd: float
    lines: tuple[BillLine, ...]
    found: tuple[Cut, ...]
    servers: tuple[Measured, ...]
    notes: tuple[str, ...]


def audit(
    project: ProjectHandle,
    known: KnownPrices,
    *,
    session: str = "",
    mcp: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Audit:
    """The audit of a session of the project that `folder` (absolute) is in: `session` is its file or the beginning of
    its id, "" or "newest" the newest. `mcp`: the servers that are configured are asked for their tools. Raises
    `NotFound`, `InputError`, `NotAllowed` (`measure`).
    """
    ports = project.ports
    with safe_errors(ports.redact):
        wanted = "" if session == NEWEST else session
        path, reader = pick_session(project, wanted, agents=True, asking="" if session else ports.asking_session)
        read = read_session(ports, path, reader, tell)
        ran = Path(read.cwd)  # where the session ran, if that is there; else where we are
        root = locate(ran if ran.is_absolute() and ran.is_dir() else project.folder).root
        asks = measure(ports, servers(ports, reader.name, root), root, tell) if mcp else []
        chains = read.contexts.chains()
        if not chains:
            raise InputError(
                f"{path} reports no tokens, so there is nothing to account for",
                code="E-audit-no-usage",
                hint="Audit a session of a client that records what each response used.",
            )
        is_deferred = any(
            piece.name == _DEFERRED for responses in chains.values() for one in responses for piece in one.pieces
        )
        standing = rules_standing(ports, reader.name, read.cwd)
        standing += [Piece("mcp", one.name, one.tokens) for one in asks if one.tokens and not is_deferred]

        def price(response: Response) -> Price | None:
            return known.prices.price(response.model, day=response.time[:10], context=response.tokens.context)

        bill = bill_of(chains, price, standing=standing)
        notes = [*_notes(bill, read, standing), *_of_servers(asks, read, is_deferred=is_deferred)]
        return _audit_of(ports, path, read, chains, bill, tuple(asks), tuple(notes))


def _audit_of(
    ports: Ports,
    path: Path,
    read: AuditReading,
    chains: dict[str, list[Response]],
    bill: Bill,
    asks: tuple[Measured, ...],
    notes: tuple[str, ...],
) -> Audit:
    def safe(text: str) -> str:
        return shorten(ports.redact(one_line(clean(text))), _NAME_CHARS)

    total = bill.input_tokens or 1
    models = dict.fromkeys(response.model for responses in chains.values() for response in responses if response.model)
    lines = [_line(group, bill, read.contexts.titles, safe) for group in MEANINGS]
    measures = wastes(BilledSession(bill, read.contexts.steps, read.cwd))
    found = [_cut(one, total, safe) for one in measures if one.tokens / total >= _LEAST_SHARE]
    return Audit(
        client=read.reader.name,
        session=ports.redact(clean(read.session or path.stem)),
        file=path,
        models=tuple(safe(model) for model in models),
        responses=bill.responses,
        agents=sum(bool(agent) for agent in chains),
        input_tokens=bill.input_tokens,
        peak_tokens=bill.peak_tokens,
        explained=round(bill.explained, 4),
        usd=round(bill.usd, 6),
        unpriced_tokens=bill.unpriced,
        again_tokens=bill.again,
        again_usd=round(bill.again_usd, 6),
        lines=tuple(sorted((one for one in lines if one.tokens), key=lambda one: -one.tokens)),
        found=tuple(sorted(found, key=lambda one: (-one.saves_tokens, -one.tokens))),
        servers=asks,
        notes=notes,
    )


def _cut(one: Waste, total: int, safe: Callable[[str], str]) -> Cut:
    what, do, saves = ADVICE[one.kind]
    return Cut(
        one.kind,
        what,
        round(one.tokens),
        round(one.tokens / total, 4),
        one.times,
        tuple(WasteExample(safe(name), times) for name, times in one.examples),
        do,
        round(one.tokens * saves),
        round(one.usd * saves, 6),
    )


def _line(group: Group, bill: Bill, titles: dict[str, str], safe: Callable[[str], str]) -> BillLine:
    total = bill.input_tokens or 1
    entries = [one for one in bill.entries if one.group == group]
    by_name: dict[str, list[BillEntry]] = {}
    for one in entries:
        by_name.setdefault(titles.get(one.agent, one.agent) if group == "agents" else one.piece.name, []).append(one)
    parts = [_part(safe(name), several, total) for name, several in by_name.items() if name]
    tokens = sum(one.carried for one in entries)
    return BillLine(
        group,
        MEANINGS[group],
        round(tokens),
        round(tokens / total, 4),
        round(sum(one.usd for one in entries), 6),
        round(sum(one.peak for one in entries)),
        tuple(sorted(parts, key=lambda one: (-one.tokens, one.name))),
    )


def _part(name: str, entries: Sequence[BillEntry], total: int) -> BillPart:
    tokens, usd = sum(one.carried for one in entries), sum(one.usd for one in entries)
    return BillPart(name, round(tokens), round(tokens / total, 4), round(usd, 6), len(entries))


def _notes(bill: Bill, read: AuditReading, standing: Sequence[Piece]) -> Iterable[str]:
    if any(one.group == "rules" for one in standing):
        yield "Of rules files the sizes are those of now; the record does not hold them."
    if bill.of("base") and not any(one.group == "mcp" for one in standing):
        yield "What MCP servers add to the base is unknown; `--mcp` asks them."
    if not read.contexts.steps and bill.responses > 1:
        yield "The record holds no tool calls."


def _of_servers(asks: Sequence[Measured], read: AuditReading, *, is_deferred: bool) -> Iterable[str]:
    for one in asks:
        if one.problem:
            yield f"The MCP server {one.name} was not measured: {one.problem}."
            continue
        calls = sum(f"mcp__{one.name}__" in f"{step.tool}__" for step in read.contexts.steps)
        told = f"The MCP server {one.name} offers {one.tools} tools of {one.tokens:,} tokens"
        told += ", loaded when they are asked for" if is_deferred else ""
        yield f"{told}; this session called it {calls} times." if calls else f"{told}; this session never called it."
