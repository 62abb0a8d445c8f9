"""The neutral transcript: what was said, called, returned, compacted and used.

Client readers (`clew.clients`) turn a client's own session file into these records; everything to the right
of them (`clew.distill`, usage, search) knows no client. Records are named tuples: immutable, cheap to import
and four times cheaper to make than a frozen dataclass, which matters because a corpus holds millions.

Shared fields, in this order at the front of every record:

`at`      byte offset of the line in its file: the record's place, stable for ever because files only grow.
          Several records can share one place (a line may hold several blocks).
`time`    RFC 3339 in UTC ("Z") as the client wrote it, "" where the line has none or something else in its place:
          so times can be compared as texts. Whether the client's clock was right, nobody knows.
`agent`   "" on the main chain, else the id of the sub-agent that spoke.
"""

from typing import NamedTuple, TypeAlias


class Context(NamedTuple):
    """Where the session runs, before the other records of every line on the user's side (prompts and results), and of
    all other lines of a main chain of which the client says where they stand.

    It is repeated whether or not it changed: so each line stands for itself, and a file read in pieces gives the same
    records as one read at once. The latest one holds: a session can move to another work tree. `attended` is False
    where the client says that a program gave what the line holds (a headless run), and True where it does not say. A
    text that the line does not tell is "".

    `uid` and `parent` are the client's ids of this line and of the one that it follows, of clients whose sessions are
    trees. A line that stands twice has one `uid`. Two lines with one `parent` are two ways: the user went back, or two
    processes went on with the session. A `parent` may be of a line that is not in the file.
    """

    at: int
    time: str
    agent: str
    session: str
    cwd: str
    branch: str
    version: str
    attended: bool = True
    uid: str = ""
    parent: str = ""


class Prompt(NamedTuple):
    """Words of the user.

    `source`: "typed"; "command" (a slash command or shell escape; `text` is the command with its arguments);
    "plan" (the client pasted an accepted plan as the prompt: `text` is that plan).
    Client echoes, meta records, notifications, messages of other agents and sessions, and injected skill texts are not
    prompts and are not emitted.
    `uid` and `parent` are the client's ids of this line and the one before it ("" where it has none): two prompts
    with one parent mean that the user went back and took another way, or that two processes go on with one session.
    """

    at: int
    time: str
    agent: str
    text: str
    source: str
    uid: str
    parent: str


class Reply(NamedTuple):
    """One block of assistant prose (no thinking)."""

    at: int
    time: str
    agent: str
    text: str
    message: str


class Thought(NamedTuple):
    """One block of what the assistant thought, where a client keeps that in the clear."""

    at: int
    time: str
    agent: str
    text: str


class Run(NamedTuple):
    """A shell command. `folder` is where the call says that it runs, "" in the session's own."""

    command: str
    folder: str = ""


class Read(NamedTuple):
    """A file was opened. Lines are 1-based and inclusive; 0 means from the start or to the end."""

    path: str
    first: int
    last: int


class Edit(NamedTuple):
    """A file was changed or written whole (`removed` is then ""). Texts are as the client gave them, uncut.

    `deletes`: the file is gone behind it (deleted, or moved to another name).
    """

    path: str
    removed: str
    added: str
    deletes: bool = False


class Search(NamedTuple):
    """A search in files or for files."""

    pattern: str
    path: str


class Plan(NamedTuple):
    """A plan was put before the user; its result says accepted or rejected."""

    text: str


class Todo(NamedTuple):
    """One entry of a to-do or task list. `status`: pending, in_progress, completed, deleted; "" leaves it as it was."""

    id: str
    text: str
    status: str


class Todos(NamedTuple):
    """To-do entries set by this call. `whole` means that the list replaces what was there before.

    An entry with text "" changes only the status of the entry with that id. An entry with id "" is new and gets its
    id from the call's result, if the client numbers them (`Result.todo`).
    """

    entries: tuple[Todo, ...]
    whole: bool


class Question(NamedTuple):
    """One question put to the user with the labels it offered."""

    text: str
    options: tuple[str, ...]


class Ask(NamedTuple):
    """Questions put to the user; the result's `answers` holds what was chosen or typed."""

    questions: tuple[Question, ...]


class Delegate(NamedTuple):
    """A sub-agent was started with this prompt."""

    title: str
    prompt: str


class Other(NamedTuple):
    """Any other tool. `detail` is a short one-line form of its input, for people."""

    detail: str


class Poll(NamedTuple):
    """A look at a command that goes on behind its call's answer. `process` is the client's name of it; what it printed
    since, and how it ended, is the result: one without an exit code tells no end. A client that tells of the end
    unasked makes such a call, too.
    """

    process: str


Action: TypeAlias = Run | Read | Edit | Search | Plan | Todos | Ask | Delegate | Other | Poll


class Call(NamedTuple):
    """A tool call. `tool` is the client's own name of the tool; `action` what it means."""

    at: int
    time: str
    agent: str
    id: str
    tool: str
    action: Action


class Result(NamedTuple):
    """What a tool call returned.

    `outcome`: "ok"; "error" (the tool or command failed); "rejected" (the user refused the call); "denied" (a hook or a
    rule of permissions kept it from running); "interrupted" (stopped); "unknown" (it printed `text`, and nobody told
    how it ended).
    `exit_code`: of a command, None where the client does not tell (then an "ok" means only that it did not fail).
    `text`: all of the result's text, which can be many megabytes: whoever keeps it takes what it needs.
    `reason`: what the user said when refusing ("" otherwise).
    `answers`: (question, answer) pairs when the call was an `Ask`.
    `todo`: id given to a new to-do entry ("" otherwise).
    """

    at: int
    time: str
    agent: str
    call: str
    outcome: str
    exit_code: int | None
    text: str
    reason: str
    answers: tuple[tuple[str, str], ...]
    todo: str


class Running(NamedTuple):
    """What a call answered whose command goes on, as `process`: what it printed since the last answer. How it ends, the
    result of a later `Poll` says, or a second answer to the call. `process` is "" where the answer to a look does not
    name it again.
    """

    at: int
    time: str
    agent: str
    call: str
    process: str
    text: str


class Compaction(NamedTuple):
    """The client dropped its context. `trigger`: "auto", "manual" or "micro"; tokens 0 where unknown."""

    at: int
    time: str
    agent: str
    trigger: str
    tokens_before: int
    tokens_after: int


class Summary(NamedTuple):
    """The client's own summary of what a compaction dropped."""

    at: int
    time: str
    agent: str
    text: str


class Usage(NamedTuple):
    """Tokens of one model response as known at this line.

    Clients write one response as several lines with the same ids: count once per (message, request); the last
    snapshot wins. Context size of the call = input + cache_read + cache_write. `model` is "" where the client names it
    elsewhere: then that of the last `Model` before it. `cache_write_long`: so many of `cache_write` are kept in the
    cache for an hour, which costs more than the usual five minutes. `window`: the model's context window as the client
    tells it, 0 unknown. A model's name can end in marks of what made the response dearer (`core.cost.pricing`).
    """

    at: int
    time: str
    agent: str
    message: str
    request: str
    model: str
    input: int
    cache_write: int
    cache_read: int
    output: int
    cache_write_long: int = 0
    window: int = 0

    @property
    def key(self) -> str:
        """By which lines about one response are known; "" where the client names none."""
        return f"{self.message} {self.request}" if self.message else ""

    @property
    def context(self) -> int:
        """Size of the context that the response was made from, in tokens."""
        return self.input + self.cache_read + self.cache_write


class Lineage(NamedTuple):
    """The session that this one and all its forks began as, of a client whose `Usage.message` is a name within these
    only. The last one holds: where the lines of several sessions are copied, each tells of its own.
    """

    at: int
    time: str
    agent: str
    session: str


class Model(NamedTuple):
    """The model that answers from here on, of a client that does not say so with each response (`Usage.model`)."""

    at: int
    time: str
    agent: str
    name: str


class Interruption(NamedTuple):
    """The user stopped the agent in the middle of its turn; several marks in one text are one."""

    at: int
    time: str
    agent: str


class Spawned(NamedTuple):
    """What `call` answered says that it began the sub-agent whose record this is: what stands before is copied from the
    session that began it. The answer itself is the call's `Result`.
    """

    at: int
    time: str
    agent: str
    call: str


class Rollback(NamedTuple):
    """The user took back the last `turns` of their own turns, with all that was said and edited in them."""

    at: int
    time: str
    agent: str
    turns: int


class Link(NamedTuple):
    """Something with an address that the session made: a pull request, an issue. `text` is its label."""

    at: int
    time: str
    agent: str
    text: str
    url: str


class Unreadable(NamedTuple):
    """A line that is no record of this format (broken JSON, not UTF-8, too deep). Nothing of it is lost: see `at`."""

    at: int
    time: str
    agent: str
    length: int
    why: str


Record: TypeAlias = (
    Context | Prompt | Reply | Thought | Call | Result | Running | Compaction | Summary | Usage | Model | Lineage
    | Interruption | Spawned | Rollback | Link | Unreadable
)  # fmt: skip


class Batch(NamedTuple):
    """What `read` made of a chunk: records in file order, and the offset to go on from (of a torn last line)."""

    records: list[Record]
    offset: int


class FileVersion(NamedTuple):
    """The whole content that a session saw or left in a file. `path` is as the client wrote it (mostly absolute)."""

    path: str
    content: bytes
