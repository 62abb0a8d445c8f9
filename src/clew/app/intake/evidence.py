"""What a session proves of the files it worked on: their content when it last saw them, from its own record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from clew.clients.port import Reader
from clew.core.records.file_names import moved_home, relative
from clew.core.records.files import Seen
from clew.workspace.fingerprint import blob_id

# A line that holds a whole file twice can be large; beyond this the content counts as unknown.
_LINE_BYTES_MAX = 32 << 20


def seen_files(
    transcript: Path,
    reader: Reader,
    evidence: dict[str, int],
    wanted: Iterable[str],
    *,
    root: str,
    time: str,
    trees: Sequence[str] = (),
) -> list[Seen]:
    """One `Seen` for each wanted path (relative to `root`), with content and blob id where a line proves them.

    `evidence` maps paths as the client wrote them to the byte offset of the last line about them; `time` is when the
    session last wrote; `trees` are folders that hold the same files as `root`. Raises `OSError` if the transcript
    cannot be read.
    """

    def name(raw: str) -> str:
        return relative(moved_home(raw, root, trees), root)

    places = {path: at for raw, at in evidence.items() if (path := name(raw))}
    seen: list[Seen] = []
    with reader.open(transcript) as file:
        for path in wanted:
            content = None
            at = places.get(path)
            if at is not None:
                file.seek(at)
                line = file.readline(_LINE_BYTES_MAX)
                content = next((v.content for v in reader.file_versions(line) if name(v.path) == path), None)
            seen.append(Seen(path, blob_id(content) if content is not None else "", None, content, time))
    return seen
