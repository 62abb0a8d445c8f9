"""Messages: who made one, how large it is, where a list may be parted."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given

from clew.core.context.messages import author, partings, tokens_of
from tests.core.conversations import CONVERSATIONS, ODD_MESSAGES, Messages, refused


class Block:
    """A block as an SDK gives it: an object with names, no mapping."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def model_dump(self, *, exclude_none: bool) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None or not exclude_none}


def use(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "read", "input": {"path": "a.py"}}


def result(name: str, content: str = "done") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": content}]}


def test_who_made_a_message_is_known_in_every_shape() -> None:
    """What is taken for the user's goal must not be a tool's output."""
    told: list[tuple[str, dict[str, Any]]] = [
        ("system", {"role": "developer", "content": "x"}),
        ("user", {"role": "user", "content": "x"}),
        ("user", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}),
        ("assistant", {"role": "assistant", "content": None, "tool_calls": []}),
        ("assistant", {"type": "custom_tool_call", "call_id": "c", "input": "x"}),
        ("assistant", {"type": "reasoning", "summary": []}),
        ("result", result("t")),
        ("result", {"role": "tool", "tool_call_id": "c", "content": "x"}),
        ("result", {"role": "function", "name": "f", "content": "x"}),
        ("result", {"type": "computer_call_output", "call_id": "c", "output": {}}),
        ("other", {"role": "referee"}),
    ]
    assert told == [(author(message), message) for _, message in told]


@given(CONVERSATIONS)
def test_wherever_a_list_is_parted_an_api_takes_both_halves(messages: Messages) -> None:
    """A compaction that parts a call from its result ends the run with an error of the API."""
    assert not refused(messages)
    for place in partings(messages):
        assert not refused(messages[:place]) and not refused(messages[place:])


@given(ODD_MESSAGES)
def test_no_message_is_too_odd(messages: list[Any]) -> None:
    """A program's list is its own business: we may not fall over it."""
    places = partings(messages)
    assert places[0] == 0 and places == sorted(set(places)) and places[-1] <= len(messages)
    assert all(tokens_of(message) >= 0 for message in messages)


def test_calls_that_still_run_hold_the_end_of_the_list() -> None:
    """Their results come next: parted off, they would have no call."""
    ask = {"role": "user", "content": "read both"}
    call = {"role": "assistant", "content": [use("t1"), use("t2")]}
    assert [0, 1] == partings([ask, call])
    assert [0, 1] == partings([ask, call, result("t1")])
    assert [0, 1, 3, 4] == partings(
        [ask, call, {"role": "user", "content": result("t1")["content"] + result("t2")["content"]}, ask]
    )


def test_a_call_that_was_given_up_holds_nothing() -> None:
    """A run that was broken off left a call without a result; the conversation went on long ago."""
    call = {"role": "assistant", "content": [use("t1")]}
    messages = [{"role": "user", "content": "a"}, call, *({"role": "user", "content": str(n)} for n in range(3))]
    assert [0, 1, 2, 3, 4, 5] == partings(messages)


def test_objects_of_an_sdk_count_as_what_they_stand_for() -> None:
    """`messages.append({"content": response.content})` is what everybody writes."""
    call = Block(type="tool_use", id="t1", name="read", input={"path": "a.py"})
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [call]}, result("t1")]
    assert [0, 1, 3] == partings(messages)
    assert tokens_of({"role": "assistant", "content": [use("t1")]}) == tokens_of(messages[1])
    assert "assistant" == author(Block(role="assistant", content="x"))


def test_a_picture_is_not_counted_by_its_letters() -> None:
    """A megabyte of base 64 is some 1,600 tokens for the model; counted as text it would be half a million."""

    class Case(NamedTuple):
        block: dict[str, Any]
        most: int

    data = "iVBORw0KGgo" * 90_000
    source = {"type": "base64", "media_type": "image/png", "data": data}
    for case in (
        Case({"type": "image", "source": source}, 1_700),
        Case({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}, 1_700),
        Case({"type": "document", "source": {**source, "media_type": "application/pdf"}}, 40_000),
        Case({"type": "thinking", "thinking": "hm", "signature": data}, 20),
    ):
        assert tokens_of({"role": "user", "content": [case.block]}) <= case.most
