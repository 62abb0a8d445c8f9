"""Conversations that people export and save."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.port import Reader
from clew.core.records import Call, Context, Edit, Model, Prompt, Reply, Result, Run

from .recordings import CHAT, CHATGPT, CLAUDE, DIALOGUE, MESSAGES, PLAIN, line_of, of

TURNS = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
REPOSITORY = Path(__file__).parents[3]


def _prompts(path: Path) -> list[str]:
    return [one.text for one in of(Prompt, path, CHAT)]


def _replies(path: Path) -> list[str]:
    return [one.text for one in of(Reply, path, CHAT)]


def _known(value: Any) -> bool:
    return CHAT.recognises(json.dumps(value).encode())


def test_chatgpt_the_way_that_was_gone_on_with() -> None:
    """Given an answer that was asked for again, only the one that was gone on from counts; hidden messages do not."""
    assert _prompts(CHATGPT) == [
        "How do I round a sum of money in parts?",
        "[image_asset_pointer]\nUse Decimal, never floats.",
    ]
    assert _replies(CHATGPT) == ["Give the odd cent to the largest part."]
    assert [one.name for one in of(Model, CHATGPT, CHAT)] == ["large-9"]
    first = of(Prompt, CHATGPT, CHAT)[0]
    assert (first.time, of(Context, CHATGPT, CHAT)[0].session) == ("2026-03-02T09:00:01.250Z", "c0ffee00-1")


def test_an_export_of_all_conversations_is_read_one_by_one() -> None:
    """Two conversations are two sessions: read as one, the first one's decisions would be the second's."""
    assert _prompts(CLAUDE / "aa11") == ["What is a spring tide?"]
    assert _prompts(CLAUDE / "bb") == ["And a neap tide?"]
    with pytest.raises(OSError, match=r"2 conversations; name one: claude\.json/aa11, claude\.json/bb22"):
        CHAT.open(CLAUDE)
    with pytest.raises(OSError, match="no conversation of that id"):
        CHAT.open(CLAUDE / "cc33")


def test_messages_as_apis_have_them() -> None:
    """Text and blocks, calls in both manners, results as a user's message and as a tool's."""
    assert _prompts(MESSAGES) == ["Make the tide ten."]
    assert _replies(MESSAGES) == ["I run the tests.", "The tide in src/tide.py is ten now."]
    assert [one.action for one in of(Call, MESSAGES, CHAT)] == [Run("pytest -q"), Edit("src/tide.py", "9", "10")]
    assert [(one.call, one.outcome, one.text) for one in of(Result, MESSAGES, CHAT)] == [
        ("t1", "error", "1 failed"),
        ("t2", "ok", "done"),
    ]
    assert [line_of(one, MESSAGES, CHAT) for one in of(Prompt, MESSAGES, CHAT)] == [2]


def test_a_document_with_headings_for_speakers() -> None:
    """An answer may have headings and examples of its own."""
    assert _prompts(DIALOGUE) == ["How do I round a sum of money in parts?", "Use Decimal, never floats."]
    assert _replies(DIALOGUE)[0].endswith("## Why\n\nBecause cents are whole.")
    rows = DIALOGUE.read_text(encoding="utf-8").split("\n")
    assert all("User" in rows[line_of(one, DIALOGUE, CHAT) - 1] for one in of(Prompt, DIALOGUE, CHAT))


def test_plain_text_with_names_before_colons() -> None:
    """A turn goes on over lines and blank lines; `Note:` is no speaker."""
    assert _prompts(PLAIN) == ["Make the tide ten,\nand leave the moon alone.", "Mend it."]
    assert _replies(PLAIN) == ["It is ten.\nNote: one test still fails.", "Mended."]


@pytest.mark.parametrize(
    "text",
    [
        "**User:** Hi\n\n**Assistant:** Hello.\n\n**User:** Bye\n",
        "**Human**\n\nHi\n\n**Claude**\n\nHello.\n\n**Human**\n\nBye\n",
        "#### You:\nHi\n\n#### ChatGPT:\nHello.\n\n#### You:\nBye\n",
        "# A title\n\n**Created:** 3/2/2026\n**Link:** https://example.org\n\n"
        "## Prompt:\nHi\n\n## Response:\nHello.\n\n## Prompt:\nBye\n",
        "You said:\nHi\n\nChatGPT said:\nHello.\n\nYou said:\nBye\n",
        "> saved by hand\n\nHUMAN: Hi\n\nAI: Hello.\n\nHUMAN: Bye\n",
        "### User Input\n\nHi\n\n### Planner Response\n\nHello.\n\n### User Input\n\nBye\n",
    ],
)
def test_the_manners_of_other_exports(text: str, tmp_path: Path) -> None:
    """Each tool has its own; what they share is that the document is nothing but turns."""
    path = tmp_path / "chat.md"
    path.write_text(text, encoding="utf-8")
    assert CHAT.recognises(text.encode())
    assert _prompts(path)[0] == "Hi" and _replies(path)[0] == "Hello."


@pytest.mark.parametrize(
    "text",
    [
        "# Handoff\n\n## Goal\nMake it ten.\n\n## User\nWants ten.\n\n## Assistant\nDid nine.\n",
        "User: ada\nAgent: claude\nDate: 2026-03-02\n\n## Done\n- nine\n",
        "**User:** ada\n**Agent:** codex\n**Status:** open\n\nWe made the tide nine.\n",
        "# README\n\nA chat looks so:\n\n```\nUser: hi\nAssistant: hello\nUser: bye\n```\n",
        "A long introduction that says what this document is about, in words of its own, for whoever reads it first.\n"
        "It goes on here, and says why.\nAnd here.\n\nUser: hi\n\nAssistant: hello\n\nUser: bye\n",
        "## Assistant\n\nWhat the assistant does.\n\n## Human\n\nWhat a person does.\n\n## Licence\n\nMIT\n",
        "Q: What is it?\nA: A tide.\nQ: How high?\nA: Ten.\n",
        "user: ada\nassistant: bot\nuser: bob\n",
        "## User\n\nAll that the user wants.\n",
        "# Data model\n\n## User\n\nHas a name.\n\n## Model\n\nHas a size.\n",
        "# Data model\n\n## User\n\nHas a name.\n\n## Agent\n\nHas a task.\n\n## Model\n\nHas a size.\n",
        "# The API\n\n## Prompt\n\nWhat is sent.\n\n## Response\n\nWhat comes back.\n",
        "",
    ],
)
def test_what_people_write_for_each_other_is_none(text: str) -> None:
    """A hand-off that is taken for a session would lose its entries, and a README would become somebody's words."""
    assert not CHAT.recognises(text.encode())


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"role": "system", "content": "You are a pirate."}]},
        {"messages": [{"role": "user", "content": "Say {{word}}."}]},
        {"name": "x", "messages": {"hello": "Hello"}},
        [{"role": "admin", "content": "x"}, {"role": "owner", "content": "y"}],
        [{"id": 1, "title": "Step"}],
        {"sessionId": "1", "messages": [{"type": "user", "content": "x"}, {"type": "gemini", "content": "y"}]},
        {"info": {"id": "ses_1"}, "messages": [{"info": {"role": "user"}, "parts": []}]},
        {"state": "open", "history": ["a", "b"]},
        {"goal": "The tide is ten", "decisions": ["No floats"], "next": "Mend it", "history": TURNS},
        {"Next-Steps": ["Mend it"], "messages": TURNS},
        [],
        {},
    ],
)
def test_json_of_other_kinds_is_none(value: Any) -> None:
    """Templates of prompts, state files, lists of people, other clients' sessions."""
    assert not _known(value)


def test_a_page_of_a_services_list_is_a_conversation() -> None:
    """A cursor in it is called like a next action, and an empty list of things to do says nothing."""
    assert _known({"messages": TURNS, "next": "cursor-2", "todos": []})


def test_a_state_file_stays_a_document() -> None:
    """Lines of JSON that are no messages, too."""
    assert not CHAT.recognises(b'{"id": "a", "status": "open"}\n{"id": "b", "status": "done"}\n')
    assert not CHAT.recognises(b'{"role": "user", "content": "x"}\n{"kind": "event"}\n')


@pytest.mark.parametrize(
    "value",
    [
        {"chunkedPrompt": {"chunks": [{"role": "user", "text": "Hi"}, {"role": "model", "text": "Hello."}]}},
        {
            "conversations": [
                {
                    "conversation": {"id": "g1"},
                    "responses": [{"sender": "human", "message": "Hi"}, {"sender": "assistant", "message": "Hello."}],
                }
            ]
        },
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]},
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello."}]}]},
        {
            "uuid": "u",
            "messages": [
                {"role": "user", "content": {"role": "user", "content": "Hi"}},
                {"role": "assistant", "content": "Hello."},
            ],
        },
    ],
)
def test_other_exports(value: Any, tmp_path: Path) -> None:
    """AI Studio, Grok, ShareGPT, the Gemini API, Claude's design tool: each its own names for the same."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert _known(value)
    assert (_prompts(path), _replies(path)) == (["Hi"], ["Hello."])


def test_the_beginning_of_a_long_export_tells() -> None:
    """Only 64 KiB are looked at: a first message that is longer must not hide the rest."""
    long = [{"role": "user", "content": "a" * 200_000}, {"role": "assistant", "content": "b"}]
    assert CHAT.recognises(json.dumps(long).encode()[: 64 << 10])
    many = [{"role": "user" if at % 2 else "assistant", "content": "x" * 900} for at in range(200)]
    assert CHAT.recognises(json.dumps({"messages": many}).encode()[: 64 << 10])


def test_hostile_documents_cost_no_time() -> None:
    """Whatever is named on the command line is looked at: brackets without end, strings that never close."""
    for data in (
        b"[" * 65_536,
        b'{"a":' * 13_000,
        b'["' + b'\\"' * 32_000,
        b'{"' * 32_000,
        b"**" * 32_000,
        b"# " * 32_000,
    ):
        assert not CHAT.recognises(data)


def test_an_id_that_cannot_be_typed_is_none(tmp_path: Path) -> None:
    """It would stand in lists, documents and commands: a file cannot put there what it likes."""
    path = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    path.write_text(json.dumps({"id": "a\nb; rm -rf ~", "messages": turns}), encoding="utf-8")
    (session,) = {one.session for one in of(Context, path, CHAT)}
    assert session.isalnum()


def test_a_round_of_parents_ends(tmp_path: Path) -> None:
    """Given a damaged export whose messages name each other as parents, reading it comes to an end."""
    node = {"message": {"author": {"role": "user"}, "content": {"parts": ["Hi"]}}, "parent": "a"}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"mapping": {"a": node}, "current_node": "a"}), encoding="utf-8")
    assert set(_prompts(path)) == {"Hi"} and len(_prompts(path)) < 10


@pytest.mark.parametrize("path", sorted(REPOSITORY.glob("docs/**/*.md")), ids=lambda path: path.name)
def test_our_own_pages_are_no_sessions(path: Path, readers: tuple[Reader, ...]) -> None:
    """They show turns, labels and trajectories; they are documents all the same."""
    assert not [one.name for one in readers if one.recognises(path.read_bytes()[: 64 << 10])]


def test_other_pages_are_no_sessions(readers: tuple[Reader, ...]) -> None:
    """Nor are the notes, settings and recordings that stand in this repository for other readers."""
    pages = [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("examples/**/*.md"),
        *REPOSITORY.glob("tests/documents/**/*.md"),
    ]
    pages += [
        *REPOSITORY.glob("tests/recordings/[!g]*/**/*.json*"),
        *REPOSITORY.glob("tests/recordings/gemini/*.json*"),
    ]
    for path in pages:
        if path.is_file():
            assert not [one.name for one in readers if one.recognises(path.read_bytes()[: 64 << 10])], path
