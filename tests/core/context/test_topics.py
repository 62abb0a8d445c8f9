"""Whether the work went to other files."""

from __future__ import annotations

from clew.core.context.exchange import files_of, is_elsewhere
from clew.core.records.transcript import Edit, Read, Run, Search

SHOP = {"src/shop/total.py", "src/shop/prices.py", "tests/shop/test_total.py"}


def test_files_without_kin_are_another_topic() -> None:
    """A context full of the shop helps nobody with the mail."""
    assert is_elsewhere({"src/mail/send.py", "src/mail/queue.py"}, SHOP)
    assert is_elsewhere({f"src/mail/{name}.py" for name in "abcde"} | {"src/shop/total.py"}, SHOP)


def test_a_folder_or_a_name_makes_kin() -> None:
    """A test of what was written is the same work, wherever it stands."""
    assert not is_elsewhere({"src/shop/tax.py"}, SHOP)
    assert not is_elsewhere({"integration/total_flow_test.py"}, SHOP)
    assert not is_elsewhere({"src/shop/total.py", "src/mail/send.py"}, SHOP)


def test_without_files_nothing_is_said() -> None:
    """A question about anything touches none."""
    assert not is_elsewhere(set(), SHOP) and not is_elsewhere(SHOP, set())


def test_files_are_those_in_the_work_tree() -> None:
    """Commands name them too; scratch files and what only looks like one are none."""
    assert ({"src/a.py"}, True) == files_of(Edit("/home/src/a.py", "", ""), "/home")
    assert ({"a.py"}, False) == files_of(Read("./a.py", 0, 0), "")
    line = "cd src && sed -n 1,40p lib/b.go > /tmp/out.txt; git config user.name; git diff main...HEAD"
    assert ({"lib/b.go"}, False) == files_of(Run(line), "/home")
    assert (set(), False) == files_of(Read("/tmp/x.py", 0, 0), "/home")
    assert (set(), False) == files_of(Search("x", "src"), "/home")
