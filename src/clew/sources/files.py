"""Files of the project, by paths and patterns, without what git ignores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clew.core.text.charset import decode
from clew.core.validation.globs import matching
from clew.sources.port import (
    CHARS_MAX,
    Fetched,
    Notes,
    SourceContext,
    SourceError,
    SourceKind,
    SourcePart,
    Spec,
    decode_text,
)
from clew.workspace.disk import Disk
from clew.workspace.fingerprint import read
from clew.workspace.repository import head

_FILE_BYTES_MAX: Final = 4 << 20
_LISTED_MAX: Final = 200_000
_HEAD_BYTES: Final = 8000  # where git looks for a NUL, too
_FOLDERS_OF_TOOLS: Final = frozenset((".git", ".hg", ".svn"))
_LANGUAGES: Final[Mapping[str, str]] = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "jsx",
    "ts": "typescript", "mts": "typescript", "cts": "typescript", "rs": "rust", "rb": "ruby", "sh": "bash",
    "md": "markdown", "yml": "yaml", "h": "c", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "cs": "csharp",
    "kt": "kotlin", "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell", "pl": "perl",
}  # fmt: skip


class FilePatterns(Spec, frozen=True):
    """`paths` are files, folders or patterns from the project's top: `*` within a folder, `**` over folders, `{a,b}`
    either; one without "/" is about names in any folder. What `exclude` names is left out.
    """

    paths: tuple[str, ...]
    exclude: tuple[str, ...] = ()


def fetch(spec: FilePatterns, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """The files in the order of the patterns, then by path. Raises `SourceError` where nothing is named."""
    listed = context.git.files() if context.git is not None else tuple(_walk(context.root))
    paths = _chosen(listed, spec)
    if not paths:
        raise SourceError(
            f"no file of the project is named by {', '.join(spec.paths)}",
            code="E-source-missing",
            hint="Paths and patterns count from the project's top; what git ignores is left out.",
        )
    disk, parts, notes, chars = Disk(context.root), [], Notes(), 0
    for found in paths:
        path = _written(found)
        context.at(path)
        place = disk.locate(found)
        data = read(place, limit_bytes=_FILE_BYTES_MAX) if place is not None else None
        if data is None:
            if place is None or os.path.lexists(place):  # else git lists what is gone
                limit = f"no plain file, not to be read, or over {_FILE_BYTES_MAX >> 20} MiB"
                notes.add(f"Passed over, {limit}", path)
            continue
        found_text = decode(data)
        if b"\0" in data[:_HEAD_BYTES] and not found_text.encoding.startswith(("UTF-16", "UTF-32")):
            notes.add("Passed over, no text", path)
            continue
        text = found_text.text
        if found_text.replaced:
            notes.add("Not in an encoding that could be told, so signs are replaced", path)
        elif found_text.encoding != "UTF-8":
            notes.add(f"Read as {found_text.encoding}", path)
        chars += len(text)
        if chars > CHARS_MAX:
            raise SourceError(
                f"{', '.join(spec.paths)} name more than {CHARS_MAX >> 20} million characters",
                code="E-source-large",
                hint="Name less, or leave something out with `exclude`.",
            )
        parts.append(SourcePart(text, path, language_of(path)))
    if not parts:
        raise SourceError(
            f"no file named by {', '.join(spec.paths)} can be read as text ({'; '.join(notes.told())})",
            code="E-source-missing",
            hint="Name files with text in them.",
        )
    return Fetched(tuple(parts), _provenance(spec, context, len(parts)), notes.told())


def _written(path: str) -> str:
    """A path as it can be written: of a name that is no UTF-8 the odd bytes are told by their numbers."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _provenance(spec: FilePatterns, context: SourceContext, count: int) -> str:
    found = head(context.git.repository) if context.git is not None else None
    at = f", work tree on {found.commit[:10]}" if found is not None and found.commit else ""
    return f"{count} file{'s' * (count != 1)} by {', '.join(spec.paths)}{at}"


def _chosen(listed: Iterable[str], spec: FilePatterns) -> list[str]:
    """Those that `spec` names: of an earlier pattern first, then by path; each once."""
    there = sorted(listed)
    gone = set(_matched(there, spec.exclude))
    found: dict[str, None] = {}
    for pattern in spec.paths:
        literal = not set("*?{").intersection(pattern)
        for path in _matched(there, [pattern]):
            # What is in our own folder is meant only where it is said.
            if path not in gone and (literal or not path.startswith(".clew/")):
                found[path] = None
    return list(found)


def _matched(paths: list[str], patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        plain = pattern.removeprefix("./").rstrip("/")
        if set("*?{").intersection(pattern):
            yield from matching(paths, [pattern])
        elif plain == ".":
            yield from (path for path in paths if not path.startswith(".clew/"))
        else:
            yield from (path for path in paths if path == plain or path.startswith(f"{plain}/"))


def _walk(root: Path) -> Iterator[str]:
    """All files below `root`, outside of git: without what `.gitignore` files on the way name. No link is entered."""
    from pathspec import GitIgnoreSpec  # here: in a repository git is asked

    waiting: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    count = 0
    while waiting:
        folder, rules = waiting.pop()
        ignored = read(str(root / folder / ".gitignore"), limit_bytes=_FILE_BYTES_MAX)
        if ignored:
            rules = (*rules, (folder, GitIgnoreSpec.from_lines(decode_text(ignored).splitlines())))
        try:
            with os.scandir(root / folder) as entries:
                rows = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError:
            continue
        for name, is_folder in rows:
            path = f"{folder}{name}"
            if _is_ignored(path + "/" * is_folder, rules):
                continue
            if is_folder:
                if name not in _FOLDERS_OF_TOOLS:
                    waiting.append((f"{path}/", rules))
                continue
            count += 1
            if count > _LISTED_MAX:
                raise SourceError(
                    f"{root} holds more than {_LISTED_MAX:,} files",
                    code="E-source-large",
                    hint="Keep it in git, or build the stack in a smaller folder.",
                )
            yield path


def _is_ignored(path: str, rules: tuple[tuple[str, Any], ...]) -> bool:
    """By git's rule: of all patterns that name it the last one counts, of the deepest file that has one."""
    for folder, spec in reversed(rules):
        said = spec.check_file(path[len(folder) :]).include
        if said is not None:
            return bool(said)
    return False


def language_of(path: str) -> str:
    """The word behind the fence of a file."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return _LANGUAGES.get(ending) or (ending if ending.isalnum() and ending.isascii() and len(ending) < 12 else "text")


SOURCE: Final = SourceKind("files", "files and patterns, without what git ignores", FilePatterns, "paths", fetch)
