"""What a person forbids or demands, told from what they report, ask or quote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.distill.demands import demands

_DEMANDS = """
    stop. never commit without asking me.
    hands off of shop/legacy.py
    you may not rename columns
    ask me before you push
    Use the real store, and no mocks
    refrain from adding comments
    but keep the order of rows
    don't touch the public API
    The till must not round twice.
    Deploy it with the token, and never print it.
    run it only on staging
    Please don't reformat files you did not change
    Before you delete anything, ask me first
    stay away from the billing folder
    migrations: never edit an old one
    We only use pnpm here
    Nothing goes to production without my approval
    Die Tests bitte nicht anfassen
    Nimm nur die Staging-Datenbank
    Es muss auf Python 3.8 laufen
    Pas de nouvelles dépendances
    Toujours lancer les tests avant
    nunca hagas push a main
    Non toccare i test
    Il codice deve girare su 3.8
    if the tests fail, don't push
    Not on main, please
    no mocks in the integration tests, please
    never rebase a shared branch
    Only touch files below src/
    The exporter must keep the column order
    The module has to stay free of I/O
    don't rename anything without asking
    leave the old migrations as they are
    keep public names stable
    Commit small, and never amend
    stick to the standard library
    avoid global state
    use pnpm, never npm
    write no comments
    You can only read from that folder
    nothing outside of src/
    don't you dare touch prod
    Nur die Staging-Umgebung benutzen
    Lass die Tests in Ruhe
    Ändere nicht die API
    Il faut garder l'ordre des lignes
    Sin preguntar no borres nada
    Deja los tests como están
    Non aggiungere dipendenze
"""
_NONE = """
    it does not work on 3.8
    it never loads the second page
    it doesn't work, and I don't know why
    no errors in the log
    no tests ran
    the page opens but no rows are shown
    it only fails in Safari
    keep going
    never seen this before
    don't know what happened
    it must be a cache issue
    that must have been the old build
    I must admit this is nice
    Fix the sum of the cart
    the test that checks for no duplicates fails
    no problem, go on
    there is no config file in this repo
    the tests are not running
    not working yet
    das geht nicht
    ich weiß nicht warum
    es kommt keine Antwort vom Server
    la liste n'est jamais triée
    la lista nunca se ordena
    non so perché
    they start but don't finish
    the server keeps dying and never recovers
    the build always breaks after a rebase
    the import never finishes
    The header is only shown once
    My tests never ran on CI
    the parser does not keep the order
    we never got it to work
    I don't think that is right
    no change after the restart
    no output at all
    No module named shop.till
    not a big deal
    it has to be something with the cache
    he said we must not worry
    it should not take that long
    the row must have been deleted by the job
    add a check that the total is never negative
    write a test for the case with no rows
    make the list not jump around
    add a column for orders that must be paid
    Write docs for the no-cache flag
    the old flag is kept for now
    go ahead and push it
    Es funktioniert nicht mehr
    immer noch der gleiche Fehler
    nur der erste Test ist rot
    toujours la même erreur
    il ne répond jamais
    siempre sale el mismo error
    non lo so
    no mutex is needed here
    someone must carry each file over by hand
    tables: no heading row like before
    there are no tests yet
"""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


@pytest.mark.parametrize("text", _lines(_DEMANDS))
def test_what_is_forbidden_or_demanded_is_told(text: str) -> None:
    """The next session does what the user ruled out in this one."""
    assert [] != list(demands(text))


@pytest.mark.parametrize("text", _lines(_NONE))
def test_what_is_reported_asked_or_quoted_is_no_demand(text: str) -> None:
    """A bug report under "Must stay true" orders the bug to be kept."""
    assert [] == list(demands(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't touch the public API", ["don't touch the public API"]),
        ("Add a flag. Never push it to main.", ["Never push it to main."]),
        ("Add a flag, but do not rename the old one", ["Add a flag, but do not rename the old one"]),
        ("The till must not round twice.", ["The till must not round twice."]),
        ("- it should\n- always ask before you delete rows", ["always ask before you delete rows"]),
        ("I don’t want a new dependency here", ["I don't want a new dependency here"]),
        ("Deploy it with the token, and never print it.", ["Deploy it with the token, and never print it."]),
        ("stop. never commit without asking me.", ["never commit without asking me."]),
        ("Make the sum right.\n1. no new modules", ["no new modules"]),
        ("add a flag", []),
        ("why don't you add a flag?", []),
        ("it doesn't work, and I don't know why", []),
        ("`total` always calls `tax` twice", []),
        ("Always calls `tax` twice on each row", []),
        ("```\nnever do this in code\n```", []),
    ],
)
def test_what_is_forbidden_is_told_in_whole_sentences(text: str, expected: list[str]) -> None:
    """A rule outlives the request that it came with; what somebody found, or asks, is none."""
    assert expected == list(demands(text))


def test_a_pasted_document_demands_nothing_and_the_words_around_it_do() -> None:
    """Its rules are for whom it was written."""
    document = "\n\n".join(
        f"## Part {n}\n\nNever call the till twice in part {n}. " + "It is slow. " * 20 for n in range(4)
    )
    text = f"Add this page to the docs. Don't touch the index.\n\n{document}\n\nAsk me before you push."
    assert list(demands(text)) == ["Don't touch the index.", "Ask me before you push."]


@given(st.text(st.characters() | st.sampled_from("\n`#>{}; /,.")))
def test_any_prompt_can_be_read(text: str) -> None:
    """Whatever was pasted; and what comes out are lines."""
    for line in demands(text):
        assert line == " ".join(line.split())
