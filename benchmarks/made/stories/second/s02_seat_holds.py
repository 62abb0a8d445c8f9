"""Claude Code, Django, chatty: a plan rejected and one approved, a hand-off written half-way and overtaken, ends with a question."""

from benchmarks.made.record import Claude, explore, filler, names, pytest_out

W = ["seat", "event", "booking", "hold", "ticket", "venue"]
OLD = {
    "booking/tests/test_views.py": names("test_", ["checkout", "seatmap", "login", "promo"], 14),
    "booking/tests/test_models.py": names("test_", ["seat", "venue", "price"], 9),
}
NEW = {
    **OLD,
    "booking/tests/test_holds.py": [
        "test_hold_blocks_second_user",
        "test_hold_expires",
        "test_hold_renewed_by_same_user",
        "test_two_threads_one_seat",
        "test_sweeper_frees_expired",
        "test_checkout_without_hold_refused",
    ],
}


def session():
    s = Claude(
        "py-seat-holds",
        "/Users/imke/code/zaaltje",
        "seat-holds",
        "2026-09-22T20:31:00",
        "zaaltje/zaaltje",
        version="2.1.338",
    )
    s.user(
        "Hi! So, on Saturday we had the first really busy sale (Loes's theatre, 300 seats, gone in 4 minutes 🎉) and 7 seats were sold twice :( I had to phone people, not fun. "
        "I think what happens is two people have the seat map open and both pay. I'd like a proper solution, like the big ticket sites: when you click a seat it is yours for some minutes. "
        "Could you have a look first how it works now and then give me a plan? Stack is django 5 + postgres + htmx, hosted on a small hetzner box. Please keep in mind I'm the only developer, so nothing fancy I have to babysit."
    )
    s.say("Happy to. I'll look at how a seat becomes sold today.")
    explore(s, W, 3, "py", "py", "booking")
    s.bash(
        "git log --oneline | head -6 && ls && ls booking booking/tests",
        "8ac1f02 Promo codes: case-insensitive\n40be9d1 Seat map: show balcony\n1f7d7e3 mollie webhook: retry\nbb02c7a Bump django 5.1.1\n09c2ad4 Loes: logo\n2cf0a55 Refund by hand\nDockerfile  booking  compose.yml  manage.py  requirements.txt  zaaltje\nadmin.py  apps.py  forms.py  migrations  models.py  mollie.py  templates  tests  urls.py  views.py\ntest_models.py  test_views.py",
    )
    s.read("booking/models.py", filler("py", W, 110, 21))
    s.read("booking/views.py", filler("py", W, 140, 22))
    s.grep(
        "sold",
        "booking/models.py:44:    sold = models.BooleanField(default=False)\nbooking/mollie.py:61:    for seat in booking.seats.all():\nbooking/mollie.py:62:        seat.sold = True\nbooking/views.py:90:    seats = Seat.objects.filter(event=event, sold=False, pk__in=picked)",
    )
    s.agent(
        "Survey seat flow",
        "Find every place that reads or writes Seat.sold, the payment flow with Mollie, and how long a payment takes. Report file:line.",
        "## Findings\n- `booking/views.py:90` checkout reads `sold=False` without any lock\n- `booking/mollie.py:61` the webhook sets `sold=True` when the payment is *paid*: 20 s to 12 min later (bank redirects)\n- `booking/admin.py:33` box office sells by hand, sets `sold` directly\n- no transaction around checkout, ATOMIC_REQUESTS is off\n- webhook can come twice, it's not idempotent for refunds",
    )
    explore(s, W, 4, "py", "py", "booking")
    s.say(
        "That explains Saturday: checkout reads `sold=False` and the flag is set only when Mollie's webhook comes, up to 12 minutes later."
    )
    s.plan(
        "# Seat holds\n\n1. Redis with `SET seat:{id} user NX EX 600` per held seat\n2. Celery beat task frees expired holds\n3. Websocket channel so that the seat map updates live\n4. Checkout refuses seats that are not held by this session\n",
        rejected="oh no, redis AND celery AND websockets? :D that is exactly what I meant by babysitting. we have postgres, can't that do it? and the map can just poll with htmx every few secs",
    )
    s.plan(
        "# Seat holds, Postgres only\n\n1. Model `Hold(seat, session_key, until)`, seat unique\n2. Click on a seat: `select_for_update` on the seat, create or renew the hold, 8 minutes\n3. Expired holds count as free; a management command `sweep_holds` from cron deletes them\n4. Checkout and box office refuse seats that somebody else holds\n5. Seat map polls every 5 s with htmx\n6. Tests with two threads\n"
    )
    s.todo(
        ("Hold model + migration", "in_progress"),
        ("hold/release views", "pending"),
        ("checkout + box office refuse", "pending"),
        ("sweep_holds", "pending"),
        ("htmx polling", "pending"),
        ("tests", "pending"),
    )
    s.edit(
        "booking/models.py",
        "class Booking(models.Model):",
        "class Hold(models.Model):\n    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name='hold')\n    session_key = models.CharField(max_length=40)\n    until = models.DateTimeField(db_index=True)\n\n\nclass Booking(models.Model):",
    )
    s.bash(
        "python manage.py makemigrations booking && python manage.py migrate",
        "Migrations for 'booking':\n  booking/migrations/0019_hold.py\n    + Create model Hold\nOperations to perform:\n  Apply all migrations: admin, auth, booking, contenttypes, sessions\nRunning migrations:\n  Applying booking.0019_hold... OK",
    )
    s.write("booking/holds.py", '"""Who may buy a seat right now."""\n' + filler("py", W, 60, 23))
    s.edit(
        "booking/views.py",
        "    seats = Seat.objects.filter(event=event, sold=False, pk__in=picked)",
        "    seats = holds.held_by(request.session.session_key, event, picked)",
    )
    s.write(
        "booking/tests/test_holds.py",
        "import threading\n\nimport pytest\n\nfrom booking import holds\n\n" + filler("py", W, 80, 24),
    )
    s.bash(
        "python -m pytest -q -v",
        pytest_out(
            NEW,
            ("test_two_threads_one_seat",),
            detail="    def test_two_threads_one_seat(event):\n>       assert sorted(results) == [False, True]\nE       assert [True, True] == [False, True]\n\nbooking/tests/test_holds.py:71: AssertionError",
        ),
        1,
    )
    s.say(
        "The important one is red: both threads get the seat. The lock is taken with `select_for_update()` on `Hold`, but for a fresh seat there is no Hold row yet, so there's nothing to lock. It has to lock the **Seat** row."
    )
    s.edit(
        "booking/holds.py",
        "Hold.objects.select_for_update().filter(seat=seat)",
        "Seat.objects.select_for_update().get(pk=seat.pk)",
    )
    s.bash(
        "python -m pytest -q -v",
        pytest_out(
            NEW,
            ("test_two_threads_one_seat",),
            detail="E   django.db.utils.OperationalError: database table is locked: booking_seat",
        ),
        1,
    )
    s.say(
        "Now it's `database table is locked`: the tests run on **SQLite** (settings_test.py), which has no row locks. So this test was never able to show anything. The test settings need Postgres, the compose file has one."
    )
    s.edit(
        "zaaltje/settings_test.py",
        "'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'",
        "'ENGINE': 'django.db.backends.postgresql', 'NAME': 'zaaltje_test', 'HOST': 'localhost', 'PORT': 5433",
    )
    s.bash("docker compose up -d db && python -m pytest -q -v", pytest_out(NEW, secs="11.80"))
    s.bash("git add -A && git commit -q -m 'Seat holds: model, views, tests on Postgres'")
    s.user(
        "yay! I have to catch a train in 10 min, could you write down where we are, in HANDOFF.md or so? I'd commit it so I can look at it on my laptop"
    )
    s.bash("git log --oneline -1 && git status -s", "5f3e0b8 Seat holds: model, views, tests on Postgres")
    s.write(
        "HANDOFF.md",
        "# Seat holds – where we are\n\n## Done\n- Hold model (migration 0019), `booking/holds.py`, checkout refuses seats that aren't held by the session\n- tests run on Postgres now (`docker compose up -d db`, port 5433)\n\n## Decisions\n- Postgres only, no Redis/Celery/websockets\n- a hold lasts 8 minutes\n- the lock is on the Seat row\n\n## Next\n1. box office (admin.py:33) must refuse held seats\n2. `sweep_holds` + cron\n3. htmx polling every 5 s\n4. Mollie webhook: what if the hold ran out while the customer was paying?\n\n## Open question\n- 8 minutes or 10?\n",
    )
    s.commit("Hand-off", ["HANDOFF.md"], 24, 0, sha="c90a1d7")
    s.say("`HANDOFF.md` is committed (`c90a1d7`). Not pushed, shall I?", end=True)
    s.user(
        "yes push. ok I'm on the train now with (some) wifi. 12 minutes instead of 8, you said the bank can take up to 12. And let's go on with the box office"
    )
    s.say(
        "While the box office code is open, here's what I see in `admin.py`, because it's older than the rest and you said once that you're afraid of it:\n\n- `sell_selected` loops over seats and saves one by one; with 20 seats that's 20 queries and no transaction, so when number 12 fails, eleven are sold and nobody knows\n- `refund_selected` sets `sold=False` but leaves the ticket's QR code valid at the door (!). That isn't about holds, but somebody could get in with a refunded ticket\n- the list filter counts free seats with `sold=False`, so seats on hold are counted as free. For the box office that's arguably right\n- permissions: everybody with staff status may sell, also the volunteers of the bar\n\nI only change the first one now, since the refusal of held seats needs the transaction anyway. The QR code I'd do soon."
    )
    s.user(
        "oh wow the QR thing. please note it, separate fix, I make a ticket myself. volunteers selling is on purpose!"
    )
    s.bash("git push -q -u origin seat-holds", "")
    s.edit("booking/holds.py", "LIFETIME = timedelta(minutes=8)", "LIFETIME = timedelta(minutes=12)")
    s.user(
        "while you do that: people who are not logged in can buy too (most of them), does the hold know who they are? I always mix up session and login in django"
    )
    explore(s, W, 2, "py", "py", "booking")
    s.say(
        "Good that you ask. A hold belongs to a **session key**, not to a user, so login doesn't matter. But there's a trap: Django gives an anonymous visitor a session key only when something is stored in the session. Before that `request.session.session_key` is `None`, and all first-time visitors would be the same nobody: the first click of everybody would look like *my own hold*.\n\nTo explain the three things that get mixed up:\n\n| | what | how long |\n| --- | --- | --- |\n| cookie `sessionid` | names the browser | two weeks |\n| session | a row in django_session | as the cookie |\n| login | one entry *in* the session | until logout |\n\nThe view has to call `request.session.save()` before it makes the first hold."
    )
    s.say(
        "I also looked at what happens when the session cookie changes in between, since Django rotates the key at login (`cycle_key`). Somebody who holds four seats and *then* logs in to use their promo code gets a new session key, and their own four seats look like somebody else's. The hold has to move along: a receiver of `user_logged_in` that updates `Hold.session_key` from the old to the new key. Django hands over the request only after the rotation, so the old key must be remembered before: `SessionMiddleware` doesn't do it, a small login view of ours could."
    )
    explore(s, W, 2, "py", "py", "booking")
    s.edit(
        "booking/views.py",
        "class Login(LoginView):",
        "class Login(LoginView):\n    def form_valid(self, form):\n        before = self.request.session.session_key\n        answer = super().form_valid(form)\n        holds.move(before, self.request.session.session_key)  # login rotates the key\n        return answer",
    )
    s.edit(
        "booking/views.py",
        "def hold(request, seat_id):",
        "def hold(request, seat_id):\n    if request.session.session_key is None:\n        request.session.save()  # anonymous visitors have no key before that",
    )
    s.user(
        "ah! that would have been a nasty one. and can one person grab all 300 seats just by clicking? some kids would do that"
    )
    s.say(
        "At the moment yes. I'd limit holds per session, say 8 seats: more than a family, less than a class. A script could still clear its cookies, for that you'd want a limit per IP in nginx, which I wouldn't start with."
    )
    s.user("make it 10, schools book 10 per teacher. no nginx stuff")
    s.edit("booking/holds.py", "class SeatTaken(Exception):", "MAX_PER_SESSION = 10\n\n\nclass SeatTaken(Exception):")
    s.edit(
        "booking/admin.py",
        "            seat.sold = True",
        "            if holds.blocks(seat, None):\n                self.message_user(request, f'{seat} is being bought right now', messages.ERROR)\n                continue\n            seat.sold = True",
    )
    s.bash(
        "python -m pytest -q",
        "..........................F..                                            [100%]\nFAILED booking/tests/test_holds.py::test_hold_expires - AssertionError: hold still there after 9 minutes\n1 failed, 28 passed in 12.02s",
        1,
    )
    s.say("`test_hold_expires` waits nine minutes (frozen clock), that was right for eight. It should use `LIFETIME`.")
    s.edit(
        "booking/tests/test_holds.py",
        "    clock.tick(minutes=9)",
        "    clock.tick(holds.LIFETIME + timedelta(seconds=1))",
    )
    s.bash(
        "python -m pytest -q",
        ".............................                                            [100%]\n29 passed in 11.63s",
    )
    s.bash("git commit -qam 'Box office refuses held seats; 12 minutes'")
    s.user(
        "super. btw Loes rang: she wants that the box office CAN override a hold, because people stand at the desk and see the seat empty. so a warning with a second button 'sell anyway'"
    )
    s.say(
        "Then the admin action shows an intermediate page instead of the refusal. I'd delete the other person's hold when she confirms, and their checkout says 'this seat was just sold at the box office'."
    )
    s.edit(
        "booking/admin.py",
        "                self.message_user(request, f'{seat} is being bought right now', messages.ERROR)\n                continue",
        "                held.append(seat)",
    )
    s.write(
        "booking/templates/admin/booking/sell_anyway.html",
        "{% extends 'admin/base_site.html' %}\n{% block content %}\n<p>These seats are being bought right now: {{ seats|join:', ' }}</p>\n<form method=post>{% csrf_token %}<button name=anyway value=1>Sell anyway</button></form>\n{% endblock %}\n",
    )
    s.bash(
        "python -m pytest -q",
        "..............................                                           [100%]\n30 passed in 11.90s",
    )
    s.bash(
        "git add -A && git commit -q -m 'Box office may override a hold' && git push -q && git log --oneline -3",
        "e7b4410 Box office may override a hold\n3d1c9fe Box office refuses held seats; 12 minutes\nc90a1d7 Hand-off",
    )
    s.user("great!! and the sweep thing, do we really need it? expired = free anyway as I understand it")
    s.say(
        "You're right: since an expired hold counts as free everywhere and `Hold.seat` is unique, a stale row is simply taken over. It costs nothing; the table never gets larger than the number of seats. I drop `sweep_holds` from the list. One test goes with it."
    )
    s.edit(
        "booking/tests/test_holds.py",
        "def test_sweeper_frees_expired(event):\n    call_command('sweep_holds')\n    assert not Hold.objects.exists()\n",
        "",
    )
    s.bash(
        "python -m pytest -q && git commit -qam 'No sweeper: expired holds are taken over' && git status -sb | head -1",
        ".............................                                            [100%]\n29 passed in 11.55s\n## seat-holds...origin/seat-holds [ahead 1]",
    )
    s.user(
        "can you write me 5 sentences for Loes so she understands what changes for her? no tech words pls, she is an actress :)"
    )
    s.say(
        "Dear Loes, from now on a seat that somebody clicks is kept for that person for twelve minutes. During that time nobody else can choose it, so two people can't pay for the same seat any more. If they change their mind, the seat becomes free by itself. At the desk you will see a warning when a seat is being bought at that very moment; you can still sell it, but then the other person gets a message that the seat is gone. So please only use the second button when somebody really stands in front of you.\n\nToo long? The last sentence is the one that matters."
    )
    s.user("perfect, sent. she answered with 14 emojis so I think it's good")
    s.say("Then back to the list: the webhook and the polling of the seat map are what remains, by my count.", end=True)
    s.user("now the scary one, mollie. what happens if someone pays and the hold is gone?")
    s.read("booking/mollie.py", filler("py", W, 90, 26))
    s.say(
        "Today the webhook sets `sold` on whatever the booking lists. So with a hold that ran out and a second buyer in between, the seat is still sold twice: much rarer, but possible (payment longer than 12 minutes, or Loes's *sell anyway*).\n\nTwo ways:\n\n**A** the webhook refunds automatically through Mollie's refund API and mails an apology\n**B** the hold is extended when the customer is sent to the bank, until Mollie says paid/expired/failed (Mollie expires iDEAL after 15 min), so it can only clash with *sell anyway*; those few are marked and you refund by hand\n\nB is smaller and has no money moving by itself; the refund path of the webhook isn't idempotent today (it can come twice). Which one do you want? And should *sell anyway* be forbidden while a payment is running?",
        end=True,
    )
    return s


KEY = {
    "end_state": "Holds work in Postgres, the box office may override them, the sweeper was dropped; five commits, the last one (no sweeper) not pushed. The webhook's clash is open: the agent asked A or B and whether sell-anyway is forbidden during a payment. HANDOFF.md is stale.",
    "goal": (
        "No seat is sold twice: a clicked seat is held for some minutes",
        "7 seats were sold twice",
        [["sold twice"], ["seat", "yours for some minutes"], ["seat holds"], ["hold", "sold", "seat map"]],
    ),
    "decisions": [
        (
            "Login rotates the session key, so holds move along (holds.move)",
            "login rotates the key",
            [["login", "rotates"], ["holds.move", "login"], ["cycle_key"]],
        ),
        (
            "A hold belongs to the session key; an anonymous session is saved first",
            "has to call `request.session.save()`",
            [["session key", "anonymous"], ["session.save()"], ["session_key", "none"]],
        ),
        (
            "At most 10 seats per session, no limit in nginx",
            "make it 10, schools",
            [
                ["10 seats", "session"],
                ["10 seats", "at most"],
                ["10", "schools"],
                ["max_per_session"],
                ["schools book 10"],
            ],
            {"by": "user"},
        ),
        (
            "Postgres only: Hold model, no Redis, Celery or websockets",
            "Seat holds, Postgres only",
            [["postgres only"], ["no redis"], ["hold", "postgres", "celery"]],
        ),
        (
            "The lock is taken on the Seat row",
            "has to lock the **Seat** row",
            [["lock", "seat row"], ["select_for_update", "seat"]],
        ),
        (
            "A hold lasts twelve minutes, as the bank may take that long",
            "12 minutes instead of 8",
            [
                ["hold", "twelve minutes"],
                ["12 min", "hold"],
                ["12 minutes", "hold"],
                ["12 minutes", "bank"],
                ["lifetime", "12"],
            ],
            {"by": "user"},
        ),
        (
            "The box office may override a hold: warning with a second button",
            "CAN override a hold",
            [["sell anyway"], ["box office", "override"]],
            {"by": "user"},
        ),
        (
            "No sweeper: an expired hold counts as free and is taken over",
            "I drop `sweep_holds`",
            [["no sweeper"], ["drop", "sweep"], ["expired", "taken over"], ["expired", "free", "sweep"]],
        ),
        (
            "Tests run on Postgres, port 5433",
            "need Postgres, the compose file has one",
            [["tests", "on postgres"], ["port 5433"], ["sqlite", "row locks"]],
        ),
        ("The map polls with htmx, no websockets", "can just poll with htmx", [["poll", "htmx"], ["htmx", "every"]]),
    ],
    "failed": [
        (
            "Redis + Celery + websockets: rejected, babysitting",
            "that is exactly what I meant by babysitting",
            [["redis", "babysit"], ["redis", "celery", "websocket"]],
        ),
        (
            "Locking the Hold row: there is none for a fresh seat",
            "there's nothing to lock",
            [["nothing to lock"], ["no hold row"], ["fresh seat"]],
        ),
        (
            "The thread test on SQLite could not show anything",
            "no row locks",
            [["sqlite", "thread"], ["sqlite", "row locks"], ["sqlite", "locked"]],
        ),
    ],
    "constraints": [
        (
            "Volunteers of the bar may sell on purpose",
            "volunteers selling is on purpose",
            [["volunteers", "on purpose"], ["volunteers selling"]],
        ),
        (
            "One developer: nothing that has to be looked after",
            "only developer",
            [["one developer"], ["single developer"], ["only dev"], ["only developer"], ["babysit"], ["nothing fancy"]],
        ),
        ("Small box, Django 5, Postgres, htmx", "small hetzner box", [["hetzner"], ["django 5", "htmx"]]),
    ],
    "open": [
        (
            "Refunded tickets keep a valid QR code: separate fix, the user makes a ticket",
            "oh wow the QR thing",
            [["qr code", "refund"], ["qr", "separate fix"], ["qr thing"]],
        ),
        ("htmx polling of the seat map isn't built", "Seat map polls every 5 s", [["poll", "5 s"], ["htmx polling"]]),
        (
            "Webhook refunds aren't idempotent, it can come twice",
            "isn't idempotent today",
            [["idempotent"], ["webhook", "come twice"]],
        ),
        (
            "Question: forbid sell-anyway while a payment runs?",
            "be forbidden while a payment is running",
            [["sell-anyway", "payment"], ["sell anyway", "payment"], ["forbidden", "payment"]],
        ),
    ],
    "next": (
        "Wait for the answer A (automatic refund) or B (hold extended until Mollie answers), then do the webhook",
        "Which one do you want?",
        [
            ["which one do you want"],
            ["refund", "extend", "hold"],
            ["hold is extended", "mollie"],
            ["webhook", "hold", "ran out"],
        ],
    ),
    "needed": [
        (
            "A payment after the hold ran out can still sell a seat twice (webhook sets sold)",
            "the seat is still sold twice",
            [["still sold twice"], ["webhook", "ran out"], ["webhook sets", "sold"], ["hold is gone"]],
            {"weight": 3},
        ),
        (
            "Unanswered: A automatic refund or B extend the hold; the agent leans to B",
            "B is smaller",
            [
                ["automatic refund", "extend"],
                ["a or b", "refund"],
                ["webhook", "refund", "extend"],
                ["b is smaller"],
                ["refund", "extended"],
                ["no money moving"],
                ["refund api", "until mollie"],
            ],
            {"weight": 3},
        ),
        (
            "The commit without the sweeper isn't pushed (ahead 1)",
            "[ahead 1]",
            [["ahead 1"], ["no sweeper", "ahead"], ["not pushed", "sweep"]],
            {"weight": 2},
        ),
        ("29 tests pass on Postgres", "29 passed in 11.55s", [["29 tests"], ["29 passed"]], {"weight": 1}),
        (
            "Box office overrides holds through sell_anyway.html",
            "sell_anyway.html",
            [["sell anyway"], ["sell_anyway"], ["override a hold"]],
            {"weight": 2},
        ),
    ],
    "checks": [("python -m pytest -q", "29 passed in 11.55s", "pass")],
    "traps": [
        ("The limit is 8 seats", None, [["say 8 seats"], ["limit of 8 seats"]]),
        (
            "sweep_holds is to be built",
            None,
            [
                ["`sweep_holds` + cron"],
                ["sweep_holds from cron deletes"],
                ["to do: sweep_holds"],
                ["next: sweep_holds"],
            ],
        ),
        (
            "A hold lasts eight minutes",
            None,
            [["a hold lasts 8 minutes"], ["renew the hold, 8 minutes"], ["8 minutes or 10"]],
        ),
        (
            "The box office must refuse held seats",
            None,
            [["must refuse held seats"], ["box office refuse seats that somebody else holds"]],
        ),
        ("Both threads get the seat (mended)", None, [["the important one is red"], ["both threads get the seat"]]),
        ("Everything is pushed", None, [["everything is pushed"], ["all pushed"], ["not pushed, shall i"]]),
        ("The question whether to push is open", None, [["`hand-off.md` is committed"], ["shall i push"]]),
    ],
}
NEXT = {
    "goal": "Seat holds in Zaaltje's ticket shop, so that no seat is sold twice.",
    "next": "Get the user's answer: A (refund in the webhook) or B (hold extended until Mollie answers), and whether sell-anyway is forbidden during a payment; then do that, then htmx polling.",
    "state": "Holds (12 min, Postgres, seat row locked) and the box office's override are committed; the last commit (no sweeper) is not pushed; 29 tests pass; HANDOFF.md is out of date.",
}
CLAIMS = (
    ("State", "Seat holds live in Postgres only (`Hold` model, migration 0019), tests run on Postgres at port 5433."),
    ("State", "The last commit, 'No sweeper: expired holds are taken over', is not pushed."),
    ("State", "29 tests pass."),
    ("Decisions", "User: a hold lasts 12 minutes instead of 8."),
    ("Dead ends", "Redis, Celery and websockets were rejected by the user."),
    ("State", "`sweep_holds` runs from cron every minute.", "file", "The command was never written."),
    (
        "Decisions",
        "User chose B: the hold is extended until Mollie answers.",
        "user-said",
        "The question is unanswered.",
    ),
    ("State", "All commits are pushed to origin/seat-holds.", "push", "Ahead 1."),
    (
        "State",
        "The seat map polls every 5 s with htmx, done in e7b4410.",
        "commit",
        "Not built; e7b4410 is the override.",
    ),
    ("Dead ends", "The thread test was flaky and was deleted.", "test", "It passes; the sweeper's test was deleted."),
)
