"""What a client's last words say."""

from __future__ import annotations

import pytest

from clew.app.run.working import Ending, ending_of


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("I did it.\n\nOUTCOME: Amounts are cents", Ending("Amounts are cents", "", False, True)),
        ("**OUTCOME:** Amounts are cents", Ending("Amounts are cents", "", False, True)),
        ("CAUSE: a typo\nOUTCOME: Mended", Ending("Mended", "a typo", False, True)),
        ("OUTCOME: half\nthen\nBLOCKED: Which bank?", Ending("Which bank?", "", True, True)),
        ("BLOCKED: Which bank?\n\nNever mind.\nOUTCOME: Both", Ending("Both", "", False, True)),
        ("fee() rounds half upOUTCOME: Nothing left", Ending("Nothing left", "", False, True)),
        ("All is well. CAUSE: a typo. OUTCOME: Mended", Ending("Mended", "a typo.", False, True)),
        ("I end with `OUTCOME: …` as I was told.", Ending("I end with `OUTCOME: …` as I was told.", "", False, False)),
        ("\n  It is done.\nReally.", Ending("It is done.", "", False, False)),
        ("", Ending("", "", False, False)),
    ],
)
def test_the_last_line_of_ours_counts(text: str, ending: Ending) -> None:
    assert ending == ending_of(text)
