"""What a person forbids or demands, told from what they report, ask or quote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.distill.demands import demands

_DEMANDS = """
    stop. never commit without asking me.
    no new dependencies please
    hands off of shop/legacy.py
    only ever use the staging db
    you may not rename columns
    leave the tests alone
    ask me before you push
    It has to work on Python 3.8
    Use the real store, and no mocks
    and no mocks
    refrain from adding comments
    Sort it, but keep the order of rows
    but keep the order of rows
    bitte niemals force-pushen
    don't touch the public API
    Add a flag, but do not rename the old one
    The till must not round twice.
    I don't want a new dependency here
    Deploy it with the token, and never print it.
    Use tabs, not spaces
    run it only on staging
    No force push
    Please don't reformat files you did not change
    from now on always run the linter first
    Before you delete anything, ask me first
    stop adding comments everywhere
    stay away from the billing folder
    the public API must stay as it is
    migrations: never edit an old one
    never ever log the token
    We only use pnpm here
    everything has to stay backwards compatible
    Nothing goes to production without my approval
    Keine neuen Abhängigkeiten
    Die Tests bitte nicht anfassen
    Beträge bleiben Decimal, kein float
    Nimm nur die Staging-Datenbank
    Frag mich, bevor du pushst
    Es muss auf Python 3.8 laufen
    Ne touche pas aux tests
    Pas de nouvelles dépendances
    ne jamais pousser sur main
    Toujours lancer les tests avant
    No toques los tests
    nunca hagas push a main
    Siempre usa la base de pruebas
    Non toccare i test
    mai fare push su main
    Il codice deve girare su 3.8
    you can't use any network calls in tests
    if the tests fail, don't push
    shop/legacy.py is off limits
    Not on main, please
    wait. do not delete the old table yet.
    no mocks in the integration tests, please
    and please no new files
    never rebase a shared branch
    we never squash here
    Only touch files below src/
    You must not change the wire format
    The exporter must keep the column order
    we need to stay on Node 18
    The module has to stay free of I/O
    config.py is forbidden territory, work around it
    don't rename anything without asking
    check with me before you drop a table
    leave the old migrations as they are
    keep the old flag working
    keep public names stable
    Do it in the worktree, not in the main checkout
    Commit small, and never amend
    Rewrite the parser - but don't change its tests
    stick to the standard library
    Don't use sudo.
    avoid global state
    Not in this branch please
    use pnpm, never npm
    use only the sandbox account
    write no comments
    add no dependencies
    You can only read from that folder
    Nobody may touch the vault
    nothing outside of src/
    keep your hands off the CI config
    don't you dare touch prod
    Bitte keine Kommentare im Code
    Nur die Staging-Umgebung benutzen
    Niemals direkt auf main pushen
    Lass die Tests in Ruhe
    Du darfst keine Spalten umbenennen
    Ändere nicht die API
    N'ajoute pas de dépendances
    Il faut garder l'ordre des lignes
    Laisse les tests tranquilles
    Sin preguntar no borres nada
    No borres la base de datos
    Deja los tests como están
    Lascia stare i test
    Non aggiungere dipendenze
    Usa solo il database di prova
"""
_NONE = """
    it does not work on 3.8
    the list is never sorted
    it never loads the second page
    why don't you add a flag?
    it doesn't work, and I don't know why
    Always calls `tax` twice on each row
    no errors in the log
    no idea why it fails
    no tests ran
    no rows came back from the query
    the page opens but no rows are shown
    only the first test fails
    it only fails in Safari
    I keep getting the same error
    keep going
    never mind
    never seen this before
    always get a 500 on this page
    don't know what happened
    the docs say "never call this twice"
    it must be a cache issue
    there must be a bug in the parser
    that must have been the old build
    I have to restart the server every time
    I must admit this is nice
    the user may see two rows
    Fix the sum of the cart
    add tests for the tax table
    the test that checks for no duplicates fails
    why is it only called once?
    no problem, go on
    No, use SQLite
    there is no config file in this repo
    we had to revert it last week
    the tests are not running
    not sure what broke
    not working yet
    this should not happen
    das geht nicht
    die Liste ist nie sortiert
    ich weiß nicht warum
    wir können das nicht reproduzieren
    es kommt keine Antwort vom Server
    ça ne marche pas
    la liste n'est jamais triée
    no funciona en 3.8
    la lista nunca se ordena
    non funziona su 3.8
    non so perché
    what must I set to run it?
    they start but don't finish
    rename the only test in this file
    the server keeps dying and never recovers
    Implement the no-op logger
    the build always breaks after a rebase
    leave a comment on the pull request
    the import never finishes
    After the update nothing works
    The header is only shown once
    I only see half of the rows
    My tests never ran on CI
    It can't find the module
    the parser does not keep the order
    there is no way to log in
    we never got it to work
    you always forget the tests
    I don't think that is right
    don't see any difference
    no change after the restart
    still no luck
    no output at all
    nothing happens when I click
    No module named shop.till
    cannot import name total
    not a big deal
    Not found: /api/orders
    it has to be something with the cache
    the server has to be restarted by hand each time
    he said we must not worry
    it must have been my mistake
    it should not take that long
    shouldn't this be sorted?
    the row must have been deleted by the job
    I should have told you earlier
    add a check that the total is never negative
    fix the bug where it never stops
    write a test for the case with no rows
    what happens if there are no rows
    make the list not jump around
    show only the open orders in the list
    add a column for orders that must be paid
    find out why the job always fails on Monday
    Write docs for the no-cache flag
    can you keep an eye on the log?
    the old flag is kept for now
    we keep seeing timeouts
    go ahead and push it
    leave it for now
    Es funktioniert nicht mehr
    nicht klar was da passiert
    immer noch der gleiche Fehler
    der Server antwortet nie
    nur der erste Test ist rot
    keine Ahnung warum
    toujours la même erreur
    pas de réponse du serveur
    il ne répond jamais
    no sé por qué falla
    siempre sale el mismo error
    no hay tests
    non lo so
    sempre lo stesso errore
    no mutex is needed here
    you pushed without asking
    someone must carry each file over by hand
    no no, the labels look other, their border is lost
    tables: no heading row like before
    Only the desk then.
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
