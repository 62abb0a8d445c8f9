"""What stands in a model's context beside what happened: texts of the client, the input of calls as it was sent,
pictures. A reader that knows them offers them beside its records (`clew.clients.port.ContextReader`).
"""

from typing import Literal, NamedTuple, TypeAlias

# system: the client's instructions. tools: what is told of tools. rules: a rules file. skills: their list, or one that
# was loaded. hook: what a hook gave. client: reminders, mentions and notices. input: what the model sent to a call.
# output: what a call gave, to the letter; a record's result is tidied up. image: a picture. loaded: schemas of tools
# that were asked for. made, got: what a sub-agent said and was given, where only its client's notes tell. kept: what a
# compaction left. summary: what it wrote, where that cannot be read.
PartSort: TypeAlias = Literal[
    "system", "tools", "rules", "skills", "hook", "client", "input", "output", "image", "loaded", "made", "got", "kept",
    "summary",
]  # fmt: skip


class ContextPart(NamedTuple):
    """A part of the context. `at` and `agent` are as of records. `name` says which one: a file, a hook, a tool; of
    `input` and `output` the id of the call. `text` is "" where the record does not hold it.
    """

    at: int
    agent: str
    sort: PartSort
    name: str
    text: str
