"""The gate: what rules say to a tool call, decided without looking at anything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.gate import decision as gate
from clew.core.gate.shell.effects import read
from tests.growth import in_proportion

ROOT = "/w/tide"


def rules(**changed: Any) -> dict[str, Any]:
    """What a `gates.json` may hold."""
    levels = {"confirm": "off", "stale": "warn", "offlimits": "deny", "guard": "warn", **changed.pop("levels", {})}
    return {
        "levels": levels,
        "root": ROOT,
        "protected": [[f"{ROOT}/.clew", "ours"], ["/home/dev/.claude/settings.json", "the client's"]],
        "offlimits": [["src/old.py", "I-1", ": generated"], ["vendor", "I-2", ""]],
        "deferred": [["src/late.py", "Z-1", "Round later"]],
        "guards": {
            "commands": {"npm": [[["npm", "install", "moment"], "X-1", "no moment"]]},
            "paths": [["src/legacy/*", "X-2", "no legacy"]],
            "words": [["import moment", "X-3", "no import"]],
        },
        **changed,
    }


def asked(
    gates: dict[str, Any],
    deed: gate.Deed | None,
    *,
    closed: bool = False,
    told: Collection[str] = (),
    changed: str = "",
) -> tuple[str, str, str]:
    assert deed is not None
    return gate.decide(gates, deed, gate.Facts(closed, lambda rule: rule in told, lambda path: changed))


def edit(path: str, text: str = "x", tool: str = "Write") -> gate.Deed | None:
    return gate.edit(tool, {"file_path": f"{ROOT}/{path}", "content": text})


def shell(text: str) -> gate.Deed:
    line = read(text, ROOT, "/home/dev")
    deed = gate.Deed(line.writes, text, edits=False)
    deed.commands, deed.rewrites = line.commands, line.rewrites
    return deed


def rule_of(gates: dict[str, Any], deed: gate.Deed | None, **facts: Any) -> str:
    verdict, rule, _ = asked(gates, deed, **facts)
    return f"{verdict} {rule}".strip()


SAID = {
    "src/a.py": "",
    ".clew/config.toml": "deny protected",
    "src/old.py": "deny I-1",
    "vendor/x/y.py": "deny I-2",
    "src/late.py": "warn Z-1",
    "src/legacy/z.py": "warn X-2",
}


@pytest.mark.parametrize("path", SAID)
def test_what_is_said_to_an_edit(path: str) -> None:
    """Each rule by the file that it names."""
    assert SAID[path] == rule_of(rules(), edit(path))


RUN = {
    "ls": "",
    "rm -rf .": "deny protected",
    "rm -rf *": "deny I-1",  # `*` leaves hidden files out
    "rm src/*.py": "deny I-1",
    "echo > .clew/config.toml": "deny protected",
    "rm -rf .cl*": "deny protected",
    "sed -i s/deny/off/ ~/.claude/settings.json": "deny protected",
    "rm -rf ~": "deny protected",
    "cp x vendor": "deny I-2",
    "rm src/{old,new}.py": "deny I-1",
    'cp "$F" src/; echo > src/$NAME.py; rm -rf src/$DIR/': "",  # a variable may be anything, and mostly is not that
    "rm -rf vendor/$NAME": "deny I-2",
    "rm -rf */node_modules src/*/build": "",  # nothing lies below a file
    "rm -rf vendor/*": "deny I-2",
    "git checkout -- src": "deny I-1",
    "git checkout .": "deny I-1",  # and not because of .clew, which git does not know
    "find . -name '*.pyc' -delete": "",
    "find . -name __pycache__ -exec rm -rf {} +": "",
    "git clean -fdx -e .clew": "",
    "git commit -m 'npm install moment'": "",
    "npx cowsay npm install moment": "",
    "echo 'npm install moment'": "",
    "echo 'import moment' >> src/a.js": "warn X-3",
}


@pytest.mark.parametrize("line", RUN)
def test_what_is_said_to_a_command(line: str) -> None:
    """A shell is only another way to edit."""
    assert RUN[line] == rule_of(rules(), shell(line))


def test_the_records_of_sessions_are_their_clients_to_write() -> None:
    """A prompt that an agent writes into one would count as a person's. What its tools keep beside them is its own."""
    folder = "/home/dev/.claude/projects"
    gates = rules(records=[[folder, "the client's"]])
    forged = gate.edit("Write", {"file_path": f"{folder}/-w-tide/5e55.jsonl", "content": "{}"})
    memory = gate.edit("Write", {"file_path": f"{folder}/-w-tide/memory/MEMORY.md", "content": "x"})
    assert "deny protected" == rule_of(gates, forged)
    assert "" == rule_of(gates, memory)
    for line, said in {
        "cat x >> ~/.claude/projects/-w-tide/5e55.jsonl": "deny protected",
        "cp x ~/.claude/projects/-w-tide/": "deny protected",
        "mv ~/.claude/projects/-w-tide/memory/a.md ~/.claude/projects/-w-tide/b.jsonl": "deny protected",
        "rm -rf ~/.claude/projects": "deny protected",
        "rm -rf ~/.claude": "deny protected",
        "tail -1 ~/.claude/projects/-w-tide/5e55.jsonl": "",
        "echo x > ~/.claude/projects/-w-tide/memory/MEMORY.md": "",
        "touch ~/.claude/other": "",
    }.items():
        assert said == rule_of(gates, shell(line)), line
    off = dict.fromkeys(gate.GATES, "off")
    assert "" == rule_of(rules(levels=off, records=[[folder, "x"]]), forged)


def test_words_are_found_whatever_stands_between_them() -> None:
    """`import moment` is an import in many spellings, and no part of a longer word."""
    for text, said in {
        "import moment": True,
        "import  'moment'": True,
        "import {moment} from 'x'": True,
        "import momentum": False,
        "moment import": False,
        "reimport moment": False,
        "import x, moment": False,
    }.items():
        assert said == (rule_of(rules(), edit("src/a.js", text)) == "warn X-3"), text


def test_a_gate_that_is_off_says_nothing_and_one_that_denies_denies() -> None:
    """The person's settings decide how hard a rule is."""
    assert "" == rule_of(rules(levels={"offlimits": "off"}), edit("src/old.py"))
    assert "warn I-1" == rule_of(rules(levels={"offlimits": "warn"}), edit("src/old.py"))
    assert "deny X-2" == rule_of(rules(levels={"guard": "deny"}), edit("src/legacy/z.py"))
    assert "warn Z-1" == rule_of(rules(levels={"guard": "deny"}), edit("src/late.py")), "a deferral only ever warns"
    off = dict.fromkeys(gate.GATES, "off")
    assert "" == rule_of(rules(levels=off), edit(".clew/config.toml")), "nothing depends on it then"
    assert "deny protected" == rule_of(rules(levels={**off, "stale": "warn"}), edit(".clew/config.toml"))


def test_the_closed_confirm_gate_stops_what_is_written_in_the_work_tree() -> None:
    """It is there for edits; reading, and scratch files, are how one finds out what to say."""
    gates = rules(levels={"confirm": "deny"})
    for deed in (edit("src/a.py"), shell("echo > a"), shell("git switch main"), shell("rm -rf src")):
        assert "deny confirm" == rule_of(gates, deed, closed=True)
        assert "deny confirm" != rule_of(gates, deed, closed=False)
    for line in ("ls", "echo x > /tmp/scratch", "clew confirm 'goal: x next: y'", "git log"):
        assert "" == rule_of(gates, shell(line), closed=True)
    assert "warn confirm" == rule_of(rules(levels={"confirm": "warn"}), edit("src/a.py"), closed=True)
    assert "clew confirm" in asked(gates, edit("src/a.py"), closed=True)[2]


def test_what_is_off_limits_may_be_a_pattern() -> None:
    """`clew note file 'migrations/*' --status "off limits"` was noted, and nothing was ever denied."""
    gates = rules(offlimits=[["migrations/*", "I-1", ""], ["src/*.gen.ts", "I-2", ""], ["*.lock", "I-3", ""]])
    for path in ("migrations/1.sql", "migrations/old/1.sql", "src/api/a.gen.ts", "web/yarn.lock"):
        assert rule_of(gates, edit(path)).startswith("deny")
    for line in ("rm -rf migrations", "rm -rf .", "rm migrations/*.sql", "rm *.lock"):
        assert rule_of(gates, shell(line)).startswith("deny")
    for path in ("src/a.ts", "other/migrations.sql", "locks/a"):
        assert "" == rule_of(gates, edit(path))


def test_a_file_that_was_changed_from_outside() -> None:
    """Only an editing tool goes by what it read; each version of the file is its own warning."""
    verdict, rule, reason = asked(rules(), edit("src/a.py"), changed="stale-7-9")
    assert ("warn", "stale-7-9") == (verdict, rule)
    assert "src/a.py was changed" in reason
    assert "" == rule_of(rules(), edit("src/a.py"), changed="stale-7-9", told={"stale-7-9"})
    assert "" == rule_of(rules(levels={"stale": "off"}), edit("src/a.py"), changed="stale-7-9")
    assert "" == rule_of(rules(), shell("echo > src/a.py"), changed="stale-7-9")


def test_a_warning_is_said_once_and_hides_no_other() -> None:
    """What was heard is not repeated at each call; a denial is."""
    deed = edit("src/legacy/z.js", "import moment")
    assert "warn X-2" == rule_of(rules(), deed)
    assert "warn X-3" == rule_of(rules(), deed, told={"X-2"})
    assert "" == rule_of(rules(), deed, told={"X-2", "X-3"})
    assert "deny I-1" == rule_of(rules(), edit("src/old.py", "import moment"), told={"I-1"})


FITS = [
    ("src/*.py", "src/a.py", True), ("src/*.py", "src/b/a.py", True), ("src/*.py", "lib/a.py", False),
    ("*.lock", "x/y/yarn.lock", True), ("src", "src/a.py", True), ("src/a", "src/a/b.py", True),
    ("src/a", "src/ab.py", False), ("src/", "src/a.py", False), ("a*b*c", "abc", True), ("x/a*a", "x/a", False),
    ("src/*", "src/a/b", True), ("/src/*", "src/a", False), ("**/x.py", "a/x.py", True),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "path", "said"), FITS)
def test_which_paths_a_guard_stands_for(pattern: str, path: str, said: bool) -> None:
    """`*` is anything; without a slash it is about the name."""
    assert said == gate.fits(pattern, path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["file_path", "notebook_path", "content", "new_string", "edits", "command"])


@given(
    st.sampled_from(["Edit", "Write", "MultiEdit", "NotebookEdit", "Bash"]), st.dictionaries(FIELDS, VALUES), st.text()
)
def test_any_input_is_decided(tool: str, given_: dict[str, Any], line: str) -> None:
    """Whatever a client or a model sends, a verdict comes back."""
    gates = rules(levels=dict.fromkeys(gate.GATES, "warn"))
    for deed in (gate.edit(tool, given_), shell(line)):
        if deed is not None:
            assert asked(gates, deed, closed=True)[0] in ("", "warn", "deny")


def test_hundreds_of_guards_and_a_large_input_cost_little() -> None:
    """Cost grows with what is written, not with what patterns could match: nothing to hang on."""

    patterns = ["a*" * 60 + "b", *(f"src/legacy{n}/*" for n in range(200))]
    words = [[f"import word{n}", f"X-{n}", "no"] for n in range(200)]
    commands = {"npm": [[["npm", "run", f"t{n}"], f"X-{n}", "no"] for n in range(200)]}
    paths = [[pattern, f"X-{n}", "no"] for n, pattern in enumerate(patterns)]
    gates = rules(guards={"commands": commands, "paths": paths, "words": words})

    def deed(size: int) -> gate.Deed:
        made = edit("src/" + "a" * (size * 10), "import word " * (size * 50))
        assert made is not None
        made.commands = [["npm", "run", "x"]] * size
        return made

    assert "" == rule_of(gates, deed(400))
    in_proportion(deed, lambda made: rule_of(gates, made), 100)


def patched(text: str) -> gate.Deed | None:
    return gate.edit(gate.PATCH, {"command": f"*** Begin Patch\n{text}\n*** End Patch"}, ROOT)


def test_what_is_said_to_a_patch() -> None:
    """Every file counts; of its words only those that it puts in: who takes a dead end out tries nothing again."""
    assert "deny I-2" == rule_of(rules(), patched("*** Update File: src/a.py\n@@\n-a\n*** Add File: vendor/x.py\n+b"))
    assert "warn X-2" == rule_of(rules(), patched("*** Update File: src/a.py\n*** Move to: src/legacy/a.py"))
    assert "warn X-3" == rule_of(rules(), patched("*** Update File: src/a.js\n@@\n-x\n+import moment"))
    assert "" == rule_of(rules(), patched("*** Update File: src/a.js\n@@\n-import moment\n+x"))
    assert gate.edit(gate.PATCH, {"command": "no patch"}, ROOT) is None
    assert gate.edit(gate.PATCH, {"command": 7}, ROOT) is None


def test_a_patch_within_a_command_counts_as_well() -> None:
    """Codex's model may give it to its shell."""
    patch = "*** Begin Patch\n*** Update File: old.py\n@@\n-a\n+b > c\n*** End Patch"
    assert "deny I-1" == rule_of(rules(), shell(f"cd src && apply_patch <<'EOF'\n{patch}\nEOF"))
    assert "deny I-1" == rule_of(rules(), shell(f'cd src; apply_patch "{patch}"'))
    assert "deny I-1" == rule_of(rules(), shell(f"bash -lc 'cd src && apply_patch <<EOF\n{patch}\nEOF'"))
    assert "deny I-1" == rule_of(rules(), shell(f"cd src && applypatch <<-PATCH\n{patch}\nPATCH"))
    assert "" == rule_of(rules(), shell(f"apply_patch <<'EOF'\n{patch}\nEOF"))
