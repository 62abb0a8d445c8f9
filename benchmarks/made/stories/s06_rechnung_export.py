"""Deutsch, Python/Django: Verbote in einem langen Prompt, eine spät beantwortete Frage, absichtlich nicht committet."""

from benchmarks.made.record import Claude, filler, names, pytest_out

W = ["beleg", "konto", "buchung", "steuer", "export", "mandant"]
T = {
    "belege/tests/test_datev.py": names(
        "test_", ["kopfzeile", "umlaute", "soll_haben", "steuerschluessel", "festschreibung"], 16
    ),
    "belege/tests/test_models.py": names("test_", ["beleg", "storno", "summe"], 7),
}
T2 = {
    **T,
    "belege/tests/test_export_job.py": [
        "test_job_laeuft",
        "test_job_mandant_ohne_konten",
        "test_job_grosse_mandanten",
        "test_job_abbruch",
    ],
}


def session():
    s = Claude("de-rechnung-export", "/home/dev/kontor", "datev-export", "2026-11-12T07:31:00", "muehlenhof/kontor")
    s.user(
        "Moin, der DATEV-Export muss bis Freitag laufen. Stand: datev.py schreibt die CSV, aber Steuerbüro sagt die Datei lässt sich nicht einlesen (Zeile 1 falsch, und Umlaute kaputt). "
        "Bitte anschauen und reparieren. Wichtig: an den Models nix ändern, da hängt die Migration vom Kollegen dran. Keine neuen Pakete. Die Beträge bleiben Decimal, kein float irgendwo, "
        "darauf sind wir letztes Jahr reingefallen. Und bitte nicht committen, ich will das erst mit dem Steuerbüro testen. Ach ja, Testdaten liegen in fixtures/mandant_4711.json, echte Daten NICHT anfassen (liegen unter data/)."
    )
    s.say("Ich schaue mir zuerst den Export und die Tests an.")
    s.read(
        "belege/datev.py",
        '"""DATEV-Buchungsstapel."""\nimport csv\n\nKOPF = ["EXTF", "510", "21", "Buchungsstapel"]\n\n\ndef schreibe(pfad, buchungen):\n    with open(pfad, "w", newline="", encoding="utf-8") as datei:\n        ziel = csv.writer(datei, delimiter=";")\n        ziel.writerow(KOPF)\n        for b in buchungen:\n            ziel.writerow([b.betrag, b.soll_haben, b.konto, b.gegenkonto, b.steuerschluessel, b.datum, b.text])\n',
    )
    s.read("belege/models.py", filler("py", W, 130, 41))
    s.bash(
        "ls fixtures data belege/tests docs",
        "belege/tests:\ntest_datev.py\ntest_models.py\n\ndata:\nmandant_0815.json\n\ndocs:\ndatev-format.txt\n\nfixtures:\nmandant_4711.json\nstapel_ok.csv",
        desc="Dateien ansehen",
    )
    s.bash(
        "file fixtures/stapel_ok.csv && head -c 600 fixtures/stapel_ok.csv | iconv -f cp1252 -t utf-8",
        'fixtures/stapel_ok.csv: ISO-8859 text, with CRLF line terminators\n"EXTF";700;21;"Buchungsstapel";13;20261101;;"RE";"";"";1001;4711;20260101;4;20261001;20261031;"Oktober";"";1;0;0;"EUR"\nUmsatz;Soll/Haben;WKZ;Kurs;Basisumsatz;WKZ Basis;Konto;Gegenkonto;BU;Belegdatum;Belegfeld 1\n119,00;"S";"EUR";;;;1200;8400;"";0310;"R-2026-114"',
        desc="Datei, die das Steuerbüro einlesen konnte",
    )
    s.bash(
        "python manage.py test belege",
        "Found 23 test(s).\nSystem check identified no issues (0 silenced).\n.......................\nRan 23 tests in 0.912s\n\nOK",
        desc="Tests vorher",
    )
    s.say(
        "## Befund\n\n| | soll | ist |\n| --- | --- | --- |\n| Kopf | EXTF, Version **700**, 22 Felder | 510, 4 Felder |\n| Zeile 2 | Spaltennamen | fehlt |\n| Zeichensatz | cp1252 | utf-8 |\n| Betrag | Komma | Punkt |\n| Datum | TTMM | ISO |\n| Zeilenende | CRLF | CRLF (csv macht das schon) |\n\n"
        "Eine Frage: Soll der Stapel **festgeschrieben** sein (Feld 21 = 1)? Dann kann das Steuerbüro nichts mehr ändern. Ich lasse es vorerst auf 0."
    )
    s.edit(
        "belege/datev.py",
        'KOPF = ["EXTF", "510", "21", "Buchungsstapel"]',
        'VERSION, KATEGORIE, FORMAT = 700, 21, "Buchungsstapel"\nFESTGESCHRIEBEN = 0\n',
    )
    s.edit(
        "belege/datev.py",
        'with open(pfad, "w", newline="", encoding="utf-8") as datei:',
        'with open(pfad, "w", newline="", encoding="cp1252", errors="replace") as datei:',
    )
    s.edit("belege/datev.py", "            ziel.writerow([b.betrag,", "            ziel.writerow([komma(b.betrag),")
    s.edit(
        "belege/datev.py",
        "def schreibe(pfad, buchungen):",
        'def komma(betrag):\n    """Decimal mit zwei Stellen und Komma."""\n    return f"{betrag:.2f}".replace(".", ",")\n\n\ndef schreibe(pfad, buchungen):',
    )
    s.bash(
        "python -m pytest belege -v",
        pytest_out(
            T,
            failed=("test_umlaute_soll_haben",),
            detail="    def test_umlaute_soll_haben(tmp_path):\n>       assert \"Łódź\" in gelesen\nE       AssertionError: assert 'Łódź' in '?ód?'\n\nbelege/tests/test_datev.py:52: AssertionError",
        ),
        exit=1,
        desc="Tests",
    )
    s.say(
        'Ein Test ist rot: `errors="replace"` macht aus „Łódź“ stillschweigend „?ód?“. cp1252 kennt diese Zeichen nicht. Besser ist umschreiben (Ł→L) als Fragezeichen; Python hat dafür `unicodedata.normalize`, allerdings zerlegt NFKD das **Ł nicht**. Versuch mit NFKD: `ó` und `ź` gehen, `Ł` bleibt. Also eine kleine Tabelle für die Ausnahmen.'
    )
    s.edit(
        "belege/datev.py",
        'encoding="cp1252", errors="replace") as datei:',
        'encoding="cp1252", errors="datev") as datei:',
    )
    s.write(
        "belege/zeichen.py",
        'import codecs\nimport unicodedata\n\nAUSNAHMEN = {"Ł": "L", "ł": "l", "Đ": "D", "đ": "d"}\n\n\ndef ersatz(fehler):\n    stueck = fehler.object[fehler.start:fehler.end]\n    return "".join(AUSNAHMEN.get(z) or unicodedata.normalize("NFKD", z)[0] for z in stueck), fehler.end\n\n\ncodecs.register_error("datev", ersatz)\n',
    )
    s.edit("belege/tests/test_datev.py", '    assert "Łódź" in gelesen', '    assert "Lódz" in gelesen')
    s.bash("python -m pytest belege -v", pytest_out(T), desc="Tests")
    s.user(
        "Nebenbei: der nächtliche Export-Job (export_job.py) bricht bei grossen Mandanten ab, MemoryError. Kannst du das auch noch? Aber kein Celery oder sowas einführen"
    )
    s.read("belege/export_job.py", filler("py", W, 60, 42))
    s.grep(
        "list(",
        "belege/export_job.py:22:    buchungen = list(Buchung.objects.filter(mandant=mandant).select_related('konto'))",
        path="belege",
    )
    s.say(
        "`list(...)` lädt alle Buchungen auf einmal. `.iterator(chunk_size=2000)` reicht, der Schreiber braucht nur einen Durchlauf."
    )
    s.edit(
        "belege/export_job.py",
        "    buchungen = list(Buchung.objects.filter(mandant=mandant).select_related('konto'))",
        "    buchungen = Buchung.objects.filter(mandant=mandant).select_related('konto').iterator(chunk_size=2000)",
    )
    s.write(
        "belege/tests/test_export_job.py",
        "import pytest\n\n\n@pytest.mark.django_db\ndef test_job_grosse_mandanten(mandant, django_assert_max_num_queries):\n    with django_assert_max_num_queries(8):\n        lauf(mandant)\n",
    )
    s.bash(
        "python -m pytest belege -v",
        pytest_out(
            T2,
            failed=("test_job_mandant_ohne_konten",),
            detail="belege/export_job.py:30: in lauf\n    log.info('%d Buchungen', len(buchungen))\nE   TypeError: object of type 'generator' has no len()",
        ),
        exit=1,
        desc="Tests",
    )
    s.say("`len()` auf einem Generator geht nicht; die Zahl zähle ich beim Schreiben mit.")
    s.edit(
        "belege/export_job.py", "    log.info('%d Buchungen', len(buchungen))", "    log.info('%d Buchungen', anzahl)"
    )
    s.bash("python -m pytest belege -v", pytest_out(T2), desc="Tests")
    s.user(
        "super. zu deiner Frage von vorhin: ja, festschreiben = 1, hab mit Frau vom Steuerbüro telefoniert. Und Belegfeld 1 darf max 36 Zeichen haben sagt sie, nur Grossbuchstaben und Ziffern und $%&*+-/"
    )
    s.edit("belege/datev.py", "FESTGESCHRIEBEN = 0", "FESTGESCHRIEBEN = 1")
    s.edit(
        "belege/datev.py",
        "def komma(betrag):",
        'ERLAUBT = re.compile(r"[^A-Z0-9$%&*+\\-/]")\n\n\ndef belegfeld(text):\n    return ERLAUBT.sub("", text.upper())[:36]\n\n\ndef komma(betrag):',
    )
    s.bash(
        "python -m pytest belege -q",
        "...........................                                              [100%]\n27 passed in 1.31s",
        desc="Tests",
    )
    s.bash(
        "python manage.py datev_export --mandant fixtures/mandant_4711.json --ziel /tmp/stapel.csv && diff <(iconv -f cp1252 -t utf-8 /tmp/stapel.csv | head -2) <(iconv -f cp1252 -t utf-8 fixtures/stapel_ok.csv | head -2)",
        '1c1\n< "EXTF";700;21;"Buchungsstapel";13;20261112;;"RE";"";"";1001;4711;20260101;4;20261001;20261031;"Oktober";"";1;0;1;"EUR"\n---\n> "EXTF";700;21;"Buchungsstapel";13;20261101;;"RE";"";"";1001;4711;20260101;4;20261001;20261031;"Oktober";"";1;0;0;"EUR"',
        exit=1,
        desc="Vergleich mit der guten Datei",
    )
    s.bash(
        "git status --short",
        " M belege/datev.py\n M belege/export_job.py\n M belege/tests/test_datev.py\n?? belege/tests/test_export_job.py\n?? belege/zeichen.py",
        desc="Stand",
    )
    s.say(
        "## Stand\n\n- Kopf und Spaltenzeile stimmen mit `fixtures/stapel_ok.csv` überein, bis auf das Erstelldatum und die Festschreibung (jetzt 1, wie gewünscht).\n- 27 Tests grün. **Nichts committet**, wie abgesprochen.\n- Models und `data/` habe ich nicht angefasst.\n\n## Noch offen\n\n1. `belegfeld()` hat noch **keinen Test**, und zwei Rechnungsnummern könnten nach dem Kürzen gleich werden (`R-2026-114a` und `R-2026-114A`).\n2. Die Beraternummer `1001` steht fest im Code. Kommt die aus den Einstellungen?\n3. Der Speicherverbrauch des Jobs ist nur über die Anzahl der Abfragen geprüft, nicht mit einem grossen Mandanten gemessen.\n\n"
        "Die Datei für den Test beim Steuerbüro liegt unter `/tmp/stapel.csv`.",
        end=True,
    )
    s.user(
        "Perfekt, schick ich gleich rüber. Zu 2: Beraternummer kommt ins Mandant-Model, aber erst nach der Migration vom Kollegen, also nicht jetzt. 1 bitte morgen als erstes"
    )
    s.say(
        "Notiert: Beraternummer erst nach der Migration. Morgen zuerst der Test für `belegfeld()` samt Schutz vor doppelten Belegnummern.",
        end=True,
    )
    return s


KEY = {
    "end_state": "Export repariert, 27 Tests grün, absichtlich nichts committet. Der Nutzer testet mit dem Steuerbüro; morgen zuerst der Test für belegfeld().",
    "goal": (
        "Der DATEV-Export soll sich einlesen lassen (Kopf, Umlaute), bis Freitag",
        "DATEV-Export muss bis Freitag",
        [["datev"]],
    ),
    "decisions": [
        (
            "Kopf Version 700, Spaltenzeile, cp1252, Komma, wie in stapel_ok.csv",
            "Version **700**",
            [["version", "700"], ["cp1252"], ["stapel_ok.csv"]],
        ),
        (
            'Zeichen ohne cp1252 werden umgeschrieben: Fehlerbehandlung "datev" in zeichen.py',
            "Also eine kleine Tabelle",
            [["zeichen.py"], ["register_error"], ["łódź"], ["lódz"], ["ausnahmen"]],
        ),
        (
            "Festschreibung = 1 (Antwort des Nutzers nach dem Telefonat)",
            "festschreiben = 1",
            [["festschreib", "1"], ["festgeschrieben = 1"], ["festgeschrieben"]],
            {"by": "user"},
        ),
        (
            "belegfeld(): nur Grossbuchstaben, Ziffern und $%&*+-/, höchstens 36 Zeichen",
            "max 36 Zeichen",
            [["36 zeichen"], ["belegfeld"], ["[:36]"]],
            {"by": "user"},
        ),
        (
            "Nächtlicher Job liest mit .iterator(chunk_size=2000) statt list()",
            "iterator(chunk_size=2000)",
            [["iterator"], ["chunk_size"], ["memoryerror"]],
        ),
    ],
    "failed": [
        (
            'errors="replace" macht aus Łódź stillschweigend ?ód?; NFKD zerlegt das Ł nicht',
            "NFKD das **Ł nicht**",
            [["replace", "?ód?"], ["nfkd"], ['errors="replace"'], ['errors=\\"replace']],
        ),
    ],
    "constraints": [
        (
            "An den Models nichts ändern",
            "an den Models nix",
            [["models nix"], ["models nicht"], ["models", "ändern"], ["models", "migration"]],
        ),
        (
            "Keine neuen Pakete, kein Celery",
            "Keine neuen Pakete",
            [["keine neuen pakete"], ["kein celery"], ["celery"]],
        ),
        ("Beträge bleiben Decimal, kein float", "Beträge bleiben Decimal", [["decimal"], ["kein float"]]),
        (
            "Nicht committen",
            "bitte nicht committen",
            [["nicht committen"], ["nichts committet"], ["nicht committet"], ["uncommitted"], ["not committed"]],
        ),
        ("Echte Daten unter data/ nicht anfassen", "NICHT anfassen", [["data/"], ["echte daten"]]),
    ],
    "open": [
        (
            "Beraternummer 1001 steht fest im Code; ins Mandant-Model erst nach der Migration",
            "erst nach der Migration",
            [["beraternummer"], ["1001"]],
        ),
        (
            "Speicher des Jobs nicht mit einem grossen Mandanten gemessen",
            "nicht mit einem grossen Mandanten",
            [["speicher"], ["gemessen"], ["gro", "mandant", "nicht"]],
        ),
    ],
    "next": (
        "Test für belegfeld() und Schutz vor gleichen Belegnummern nach dem Kürzen",
        "1 bitte morgen als erstes",
        [["belegfeld", "test"], ["doppelte", "belegnummer"], ["doppelten belegnummern"]],
    ),
    "needed": [
        (
            "Zwei Rechnungsnummern können nach dem Kürzen gleich sein (R-2026-114a / A)",
            "R-2026-114a",
            [["r-2026-114a"], ["kürzen gleich"], ["doppelt"]],
            {"weight": 3},
        ),
        (
            "Die Datei für das Steuerbüro liegt unter /tmp/stapel.csv; Rückmeldung steht aus",
            "/tmp/stapel.csv",
            [["/tmp/stapel.csv"]],
            {"weight": 2},
        ),
        ("27 Tests grün", "27 Tests grün", [["27 tests"], ["27 passed"]], {"weight": 1}),
    ],
    "checks": [("python -m pytest belege -q", "27 passed in 1.31s", "pass")],
    "traps": [
        (
            "Die Frage zur Festschreibung ist offen (beantwortet)",
            None,
            [["ich lasse es vorerst auf 0"], ["festgeschrieben = 0"], ["soll der stapel **festgeschrieben** sein"]],
        ),
        ("Kopf und Zeichensatz sind falsch (behoben)", None, [["| 510, 4 felder |"]]),
        ("Ein Test ist rot (grün)", None, [["ein test ist rot"], ["status: 1 failed"]]),
        ("Beraternummer jetzt einbauen / Frage offen (verschoben)", None, [["kommt die aus den einstellungen?"]]),
        (
            "Es ist committet",
            None,
            [["committed and pushed"], ["ist committet"], ["wurde committet"], ["commit erstellt"]],
        ),
    ],
}
NEXT = {
    "goal": {
        "text": "DATEV-Export, der sich beim Steuerbüro einlesen lässt; repariert, uncommittet, Rückmeldung steht aus.",
        "match": [["datev"]],
    },
    "next": {
        "text": "Zuerst ein Test für belegfeld() in belege/tests/test_datev.py und ein Schutz vor doppelten Belegnummern.",
        "match": [["belegfeld"], ["belegnummer"]],
    },
}
