"""What of a user message is the user's own words."""

from __future__ import annotations

from typing import Any

import pytest

from clew.clients.gemini.contents import PromptText, apart, said


@pytest.mark.parametrize(
    ("shown", "content", "expected"),
    [
        (None, "Fix it\n\n", PromptText("typed", "Fix it")),
        (None, [{"text": "Fix it"}, {"text": "<hook_context>a note</hook_context>"}], PromptText("typed", "Fix it")),
        (None, "<hook_context>a note</hook_context>\n\nFix it", PromptText("typed", "Fix it")),
        (None, "What does <hook_context> mean?", PromptText("typed", "What does <hook_context> mean?")),
        (None, ["Fix", {"text": "it"}], PromptText("typed", "Fix\nit")),
        (
            None,
            [{"inlineData": {"mimeType": "image/png", "data": "…"}}, {"text": "this"}],
            PromptText("typed", "[image]\nthis"),
        ),
        (None, [{"text": "hidden", "thought": True}, {"text": "Fix it"}], PromptText("typed", "Fix it")),
        ([{"text": "/greet Ada"}], [{"text": "Say hello."}], PromptText("command", "/greet Ada")),
        (None, "/home/dev/a.py is broken", PromptText("typed", "/home/dev/a.py is broken")),
        (None, "Look\n--- Content from referenced files ---\nsecret file", PromptText("typed", "Look")),
        (None, "<session_context>\nThis is the Gemini CLI.\n</session_context>", PromptText("client", "")),
        (None, "System: Please continue.", PromptText("client", "")),
        (None, "clew: before you stop, hand over what the next session could not know.", PromptText("client", "")),
        (None, [{"functionResponse": {"id": "x"}}], PromptText("client", "")),
        (None, [{"text": "<hook_context>only a note</hook_context>"}], PromptText("client", "")),
        (None, "<state_snapshot>\n<goal>x</goal>\n</state_snapshot>", PromptText("summary", "<goal>x</goal>")),
        (None, "Why does <state_snapshot> come up?", PromptText("typed", "Why does <state_snapshot> come up?")),
        (7, {"text": ["odd"]}, PromptText("client", "")),
    ],
)
def test_only_what_somebody_said_is_said(shown: Any, content: Any, expected: PromptText) -> None:
    """The client's own texts would become goals, and a hook's would be quoted as the user's."""
    assert said(shown, content) == expected


def test_what_a_hook_put_there_is_given_as_the_hook_gave_it() -> None:
    """A receipt looks for its very words; the client writes < and > as entities."""
    text = "<hook_context>before</hook_context>\n\nfile\n\n\n<hook_context>a &lt;b&gt;</hook_context>"
    assert apart(text) == ("file\n", ["before", "a <b>"])
    assert apart("no end <hook_context>x") == ("no end <hook_context>x", [])
