"""The shim that clients run. `clew init` copies it to the user's data; `clew doctor` keeps the copy current.

It stands outside the package, so a package that is gone or broken blocks nobody: whatever happens here ends with exit
code 0 and in silence. Never exit code 2, which clients read as "block". It imports nothing of clew until a folder says
that a person ran `clew init` for this place.

    <python> -I -S -c "…import clewhook…" CLIENT EVENT     with the event's JSON on stdin

Beside it lies `package`, a text file: its first line is the folder that holds the package `clew`, further lines are
folders of what the package needs.
"""

import sys

# These look for a live folder by themselves: with the first two a session begins, and the folder above the place may
# have one; the last is told the place on stdin.
SEEKS = ("SessionStart", "BeforeAgent", "statusline")
# Stands in the environment of a client that `clew draft --ask` runs: no hook of ours does anything in it.
ASKED = b"CLEW_ASKED"


def live_folder(data: str, place: str) -> str:
    """What `clew.core.runtime_dir.live_folder` says of absolute POSIX paths, when the package may be gone."""
    parts = [part for part in place.split("/") if part]
    if not parts or not place.startswith("/") or ".." in parts or "=clew" in parts:
        return ""
    return "/".join([data, "live", *parts, "=clew"])


def main() -> None:
    """Answer the event that `sys.argv` names, and leave the process with exit code 0."""
    import posix

    live = ""
    try:
        data = __file__.rpartition("/")[0]
        client, event = sys.argv[1:3]
        # Clients set such a variable for hooks to where they were started; for others our own plugin does. Without it
        # the hook itself runs there. Only its own: a client that another one runs has the variables of both.
        own = f"{client.partition('-')[0].upper()}_PROJECT_DIR".encode()
        place = posix.environ.get(own) or posix.environ.get(b"CLEW_PLACE") or posix.getcwdb()
        live = live_folder(data, place.decode("utf-8", "surrogateescape"))
        if ASKED not in posix.environ and (event in SEEKS or _is_there(live)):
            _find_package(data)
            from clew.interfaces.hook import entry

            entry.run(client, event, live, data)
        else:
            _drain()
        _flush()
    except BaseException as failure:
        _leave_word(live, failure)
    posix._exit(0)  # nothing is left to be written, and an end without ceremony costs a fifth less


def _is_there(live: str) -> bool:
    import posix

    try:
        return bool(live and posix.stat(live))
    except OSError:
        return False


def _find_package(data: str) -> None:
    """Make `clew` known. For this one import its folder is asked first, which spares a look into all others."""
    import posix

    file = posix.open(data + "/package", posix.O_RDONLY | posix.O_NONBLOCK)  # what lies there may be a pipe
    folders = posix.read(file, 65536).decode("utf-8", "surrogateescape").split("\n")
    posix.close(file)
    folders = [folder for folder in folders if folder]
    before = [folder for folder in sys.path if folder != data]  # where the user's data lie no modules are looked for
    sys.path = [*folders[:1], *before]
    try:
        import clew  # noqa: F401
    finally:
        sys.path = [*before, *folders]


def _drain() -> None:
    """Read what nobody wants: a client that writes into a closed pipe may take it ill."""
    import posix

    while sys.stdin is not None and posix.read(0, 1 << 20):
        pass


def _flush() -> None:
    """Send what a full program printed. A reader that is gone is nobody's failure."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        return


def _leave_word(live: str, failure: BaseException) -> None:
    """Say in the live folder what failed: its type and place, no text of anybody's. Nothing where that cannot be."""
    import posix

    if not live:  # else it would be a file at the top of the file system
        return
    try:
        trace, place = failure.__traceback__, ""
        while trace is not None:
            place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
            trace = trace.tb_next
        word = f"{' '.join(sys.argv[1:3])} {type(failure).__name__} {place}\n"
        how = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NONBLOCK
        file = posix.open(live + "/broken", how, 0o600)
        posix.write(file, word.encode("utf-8", "replace"))
        posix.close(file)
    except BaseException:
        return


if __name__ == "clewhook":
    main()
