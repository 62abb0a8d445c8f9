"""Codex, Laravel: production log pasted, a queue changed twice, commits squashed, a migration plan put off; ends with a question."""

from benchmarks.made.record import Codex, explore, filler, log

W = ["member", "mailing", "bounce", "address", "queue", "letter"]


def pest(bad=(), n=88, detail=""):
    rows = log("   PASS  Tests\\Feature\\{a}{b}Test", W, 9, n) + (
        "\n" + "\n".join(f"   FAIL  Tests\\Feature\\{t}" for t in bad) if bad else ""
    )
    return f"\n{rows}\n{detail}\n  Tests:    {f'{len(bad)} failed, ' if bad else ''}{n - len(bad)} passed (301 assertions)\n  Duration: 7.84s"


def session():
    s = Codex("php-mail-bounces", "/var/www/vereniging", "bounces", "2026-11-10T14:02:00", "deurne-sport/vereniging")
    s.user(
        "Laravel 11 app for sports clubs. Postmaster of our mail provider wrote that we get blocked if bounce rate stays > 5% (now 9). We must stop sending to dead addresses. Log of last night:\n\n"
        + log(
            '[2026-11-10 02:1{i}:07] production.ERROR: 550 5.1.1 <{a}{n}@club.example>: user unknown {{"mailing":{n}}}',
            W,
            12,
            81,
        )
        + "\n[2026-11-10 02:31:44] production.ERROR: 452 4.2.2 <jan@club.example>: mailbox full\n[2026-11-10 02:33:02] production.ERROR: Symfony\\\\Component\\\\Mailer\\\\Exception\\\\TransportException: Connection timed out\n\nPHP 8.2 on the server, no 8.3. Dont change the templates, marketing does them."
    )
    s.say("I'll look at how mails are sent and whether bounces come back anywhere.")
    s.bash(
        "git log --oneline -5 && ls app/Mail app/Jobs app/Models && php -v | head -1",
        "7f0aa12 Mailing: segments\nb8e00d1 horizon 5.24\n2f3c1ac fix typo in footer\n91d7b6e Import: umlauts\n0c1e2fa laravel 11\nMailingMail.php\nSendMailing.php\nMailing.php  Member.php  Segment.php\nPHP 8.3.11 (cli)",
    )
    s.read("app/Jobs/SendMailing.php", filler("ts", W, 60, 82))
    s.grep(
        "catch",
        "app/Jobs/SendMailing.php:48:        } catch (TransportExceptionInterface $e) {\napp/Jobs/SendMailing.php:49:            Log::error($e->getMessage(), ['mailing' => $this->mailing->id]);",
    )
    explore(s, W, 5, "ts", "php", "app")
    s.bash(
        "mysql --defaults-file=~/.my-ro.cnf -e 'select count(*), count(distinct email) from members where unsubscribed_at is null'",
        "+----------+-----------------------+\n| count(*) | count(distinct email) |\n+----------+-----------------------+\n|    41870 |                 38112 |\n+----------+-----------------------+",
    )
    s.say(
        "Errors are logged and forgotten; nothing marks the member. 3,758 addresses are there more than once (families).\n\nProposal: table `email_suppressions` by **address**, not a column of members: so a family's four members are stopped together, and imports that recreate members don't lose it. 5xx user unknown → suppressed at once; 4xx → after 3 in 14 days; timeouts never count.",
        end=True,
    )
    s.user("why not let the provider do it, they have a suppression list too i think")
    s.say(
        "They have, I looked at what their SDK offers (the composer package is there, in version 3.2): `GET /suppressions` gives the list, and mails to those addresses are dropped on their side. Three reasons why I'd still keep our own:\n\n1. a dropped mail counts as *sent* for us, so clubs see 41,870 sent and wonder why nobody came\n2. the provider was changed twice in four years, says the git log (`mandrill`, then `postal`); the list would stay behind each time\n3. a club can't clear an address there without you\n\nWhat is useful there is the webhook, since bounces that come minutes later never show in our log. And once, at the beginning, their list could be taken over. I don't know how far back it goes.",
        end=True,
    )
    s.user("ok own list. mandrill was a nightmare, dont remind me")
    s.user(
        "by address yes. 4xx after 5 not 3, mailbox full happens in holidays. clubs must see it in the member list (red icon) and can clear it"
    )
    s.update_plan(
        ("suppressions table + model", "in_progress"),
        ("classify SMTP errors", "pending"),
        ("SendMailing skips", "pending"),
        ("icon + clear", "pending"),
        ("webhook of the provider", "pending"),
    )
    s.write(
        "database/migrations/2026_11_10_000001_create_email_suppressions.php",
        "<?php\nreturn new class extends Migration {\n    public function up(): void {\n        Schema::create('email_suppressions', function (Blueprint $t) {\n            $t->string('address')->primary();\n            $t->string('reason');\n            $t->unsignedTinyInteger('soft')->default(0);\n            $t->timestamps();\n        });\n    }\n};\n",
    )
    s.write(
        "app/Mail/BounceClassifier.php",
        "<?php\n// 5.1.x and 550 user unknown: hard. 4.x.x: soft. Anything without a code: not a bounce.\n"
        + filler("ts", W, 36, 83),
    )
    s.write("tests/Feature/SuppressionTest.php", "<?php\n" + filler("ts", W, 50, 84))
    s.bash(
        "php artisan test",
        pest(
            ("SuppressionTest",),
            detail="  ⨯ mailbox full five times suppresses\n  Failed asserting that 1 is identical to 5.\n  at tests/Feature/SuppressionTest.php:44",
        ),
        1,
    )
    s.say("`soft` stays 1, since `updateOrCreate` sets instead of adding. An upsert with `soft = soft + 1`.")
    s.edit(
        "app/Models/EmailSuppression.php",
        "        static::updateOrCreate(['address' => $a], ['soft' => 1]);",
        "        static::upsert([['address' => $a, 'soft' => 1]], 'address', ['soft' => DB::raw('soft + 1')]);",
    )
    s.bash("php artisan test", pest())
    s.edit(
        "app/Jobs/SendMailing.php",
        "        foreach ($members as $member) {",
        "        foreach ($members->reject(fn ($m) => EmailSuppression::holds($m->email)) as $member) {",
    )
    s.bash("php artisan test", pest(n=90))
    s.bash("git add -A && git commit -q -m 'suppressions: table, classifier, skip'", "")
    s.bash(
        "git commit -q --allow-empty -m wip && git log --oneline -2",
        "a3391fd wip\n4be1c77 suppressions: table, classifier, skip",
    )
    s.user("wait reject() with a query per member?? 41k queries")
    s.say(
        "Right, that is one query for each of 41,870 members. A `whereNotExists` in the segment's query does it in one."
    )
    s.edit(
        "app/Jobs/SendMailing.php",
        "        foreach ($members->reject(fn ($m) => EmailSuppression::holds($m->email)) as $member) {",
        "        foreach ($this->segment->members()->notSuppressed()->lazyById(500) as $member) {",
    )
    s.edit(
        "app/Models/Member.php",
        "class Member extends Model {",
        "class Member extends Model {\n    public function scopeNotSuppressed($q) {\n        return $q->whereNotExists(fn ($s) => $s->from('email_suppressions')->whereColumn('address', 'members.email')->where('active', true));\n    }\n",
    )
    s.bash(
        "php artisan test",
        pest(
            ("SuppressionTest",),
            90,
            "  ⨯ suppressed member gets nothing\n  SQLSTATE[HY000]: General error: 1 no such column: active",
        ),
        1,
    )
    s.edit(
        "app/Models/Member.php",
        "->where('active', true)",
        "->where(fn ($w) => $w->where('reason', 'hard')->orWhere('soft', '>=', 5))",
    )
    s.bash("php artisan test", pest(n=90))
    s.say("Green. Members list: red icon and *clear*.")
    s.edit(
        "resources/views/members/row.blade.php",
        "<td>{{ $member->email }}</td>",
        '<td>{{ $member->email }} @if($member->suppressed)<x-icon.bounce :reason="$member->suppression->reason" />@endif</td>',
    )
    s.user("row.blade.php is OK that is ours. mail templates (emails/*) not")
    s.bash("php artisan test && git add -A && git commit -q -m 'members: bounce icon, clear; one query'", pest(n=93))
    s.say(
        "Bounces that come back **later** (after the provider has taken the mail) never show in our log; the provider has a webhook for them. I'd add `POST /hooks/mail` with signature check."
    )
    s.write("app/Http/Controllers/MailHookController.php", "<?php\n" + filler("ts", W, 40, 85))
    s.bash(
        "php artisan test",
        pest(
            ("MailHookTest",),
            97,
            "  ⨯ wrong signature is refused\n  Expected response status code [403] but received 419.",
        ),
        1,
    )
    s.say("419 is Laravel's CSRF check: the route has to be excepted, else also right calls are refused.")
    explore(s, W, 3, "ts", "php", "app")
    s.say(
        "Some words on what the webhook believes, since it's open to the internet: the signature is an HMAC over the raw body with `MAIL_HOOK_SECRET`, compared with `hash_equals`, and the timestamp in it may be at most five minutes old, so a recorded call can't be replayed later. An event for an address that we have no member for is answered with 200 and dropped, otherwise one could find out who is a member by trying. Complaints (*marked as spam*) are counted as hard as well, because the provider does so in the rate that it measures."
    )
    s.edit(
        "bootstrap/app.php",
        "        $middleware->validateCsrfTokens(except: [",
        "        $middleware->validateCsrfTokens(except: [\n            'hooks/mail',",
    )
    s.bash("php artisan test", pest(n=97))
    s.bash(
        "git add -A && git commit -q -m 'webhook of the provider' && git log --oneline origin/main..",
        "e2d90f5 webhook of the provider\nc01ba6e members: bounce icon, clear; one query\na3391fd wip\n4be1c77 suppressions: table, classifier, skip",
    )
    s.user(
        "our data protection lady asks if we may keep addresses of people in such a list, also after they left the club?"
    )
    explore(s, W, 3, "ts", "php", "app")
    s.say(
        "I'm no lawyer; what I can say is what the table holds and what would be less:\n\n- now: plain address, reason, counter, dates\n- a **hash** of the address would be enough to *skip* sending, since we hash the member's address and compare\n- but the icon's tooltip shows the reason only, so it would work with the hash, too; only the list *all dead addresses of this club* that you mentioned needs the plain text\n\nAfter somebody has left, nothing needs the row any more: if the same address is imported again it will bounce once and be there again. So deleting the suppression together with the last member of that address looks right to me in any case."
    )
    s.user("no hash, clubs must read them. but delete with the last member yes")
    s.write(
        "app/Observers/MemberObserver.php",
        "<?php\n// The last member of an address takes its suppression along.\n" + filler("ts", W, 20, 86),
    )
    s.bash("php artisan test && git add -A && git commit -q -m 'suppression goes with the last member'", pest(n=98))
    s.user("horizon shows 212 failed jobs, is that from you?")
    s.bash(
        'php artisan horizon:failed --limit 5 2>&1 | head; mysql --defaults-file=~/.my-ro.cnf -e "select date(failed_at), count(*) from failed_jobs group by 1 order by 1 desc limit 5"',
        "+------------------+----------+\n| date(failed_at)  | count(*) |\n+------------------+----------+\n| 2026-11-10       |      198 |\n| 2026-11-03       |        9 |\n| 2026-10-27       |        5 |\n+------------------+----------+",
    )
    s.say(
        "No: nothing of this branch runs anywhere yet. 198 of them are of last night and are the timeouts in your log (`Connection timed out` at 02:33): the provider throttled us, the job ran into its 60 seconds and was marked as failed as a whole. Attention before anybody presses *retry all*: `SendMailing` starts from the first member again, so the ones who got the mail get it twice. They should be deleted, not retried."
    )
    s.user("ok deleted them")
    s.user("squash all to one pls, our reviewers want 1 commit per PR. and push")
    s.bash(
        "git reset -q --soft origin/main && git commit -q -m 'Stop sending to dead addresses' && git push -q -u origin bounces && git log --oneline -1",
        "0fb62d8 Stop sending to dead addresses",
    )
    s.say("One commit, `0fb62d8`, pushed.")
    s.bash(
        "gh pr create --fill && gh pr checks --watch",
        "https://github.com/deurne-sport/vereniging/pull/204\ntests (8.2)\tfail\t1m2s\ntests (8.3)\tpass\t58s",
        1,
    )
    s.bash(
        "gh run view --log-failed | tail -4",
        'PHP Parse error:  syntax error, unexpected identifier "HARD", expecting "=" in app/Mail/BounceClassifier.php on line 9',
    )
    s.say(
        "`const string HARD` is a typed class constant, PHP 8.3 only. The server has 8.2 (you said so), this machine 8.3, so I didn't notice."
    )
    s.edit("app/Mail/BounceClassifier.php", "    const string HARD = 'hard';", "    const HARD = 'hard';")
    s.bash(
        "git commit -q -a --amend --no-edit && git push -q --force-with-lease && gh pr checks --watch",
        "tests (8.2)\tpass\t1m1s\ntests (8.3)\tpass\t57s",
    )
    s.say("Both green; PR 204.", end=True)
    s.user(
        "good. the old bounces: can we take them from the log? 14 months of laravel logs in S3. and what about moving mails to an own queue on horizon so a slow smtp doesnt block invoices? think about both, plan only"
    )
    s.bash(
        "aws s3 ls s3://vereniging-logs/laravel/ --summarize | tail -2",
        "Total Objects: 427\n   Total Size: 19327352832",
    )
    s.say(
        "**Old bounces** (plan)\n\n1. `php artisan bounces:import --from=s3` reads 427 files (19 GB) line by line, only `production.ERROR` with an SMTP code\n2. counts hard ones only; soft ones are too old to say anything\n3. writes to `email_suppressions` with reason `hard`, dry run first: a list by club\n4. estimate: about 3,400 addresses, which is the 9 %\n\n**Own queue** (plan)\n\n1. queue `mail` in `config/horizon.php`, 4 processes, timeout 120\n2. `SendMailing` → `onQueue('mail')`, one job per 500 members instead of one per mailing\n3. invoices stay on `default`\n\nThe import is what brings the rate below 5 %; the queue is comfort.",
        end=True,
    )
    s.user("import: yes but after board meeting 19 nov, clubs must be told first. queue: not now")
    s.say(
        "Noted: the import waits until after November 19th, the queue isn't done now.\n\nOne thing is needed before it can help at all: the webhook's secret has to be in the server's `.env` (`MAIL_HOOK_SECRET`), and the provider must be told the URL. Shall I write that into the PR's description for whoever deploys, or do you set it yourself?",
        end=True,
    )
    return s


KEY = {
    "end_state": "PR 204 (one squashed and amended commit) is green on 8.2 and 8.3. Import of old bounces is planned for after November 19th; own queue not now. Question: who sets MAIL_HOOK_SECRET / PR description?",
    "goal": (
        "Stop sending to dead addresses, so that the bounce rate falls below 5 %",
        "We must stop sending to dead addresses",
        [["dead addresses"], ["bounce rate", "5%"], ["bounce rate", "blocked"]],
    ),
    "decisions": [
        (
            "Own list instead of the provider's: counts, changes of provider, clubs can clear",
            "ok own list",
            [["own list"], ["provider", "mandrill"]],
            {"by": "user"},
        ),
        ("Spam complaints count as hard", "are counted as hard as well", [["complaints", "hard"], ["marked as spam"]]),
        (
            "Addresses stay in plain text, but the suppression is deleted with the last member of the address",
            "but delete with the last member yes",
            [["last member"], ["no hash", "read"]],
            {"by": "user"},
        ),
        (
            "Suppression by address in a table of its own, not a column of members",
            "table `email_suppressions` by **address**",
            [
                ["suppress", "table", "address"],
                ["email_suppressions", "address"],
                ["by address", "families"],
                ["suppressions", "by address"],
                ["by address yes"],
            ],
        ),
        (
            "Hard at once, soft after five, timeouts never",
            "4xx after 5 not 3",
            [["4xx after 5"], ["soft", "five"], ["after 5 not 3"], ["mailbox full", "holidays"]],
        ),
        (
            "One query (whereNotExists / notSuppressed) instead of one per member",
            "does it in one",
            [["wherenotexists", "query"], ["notsuppressed", "members"], ["one query"], ["41,870", "query"]],
        ),
        ("Clubs see a red icon and can clear it", "can clear it", [["icon", "members", "clear"], ["red icon"]]),
        (
            "Provider's webhook POST /hooks/mail, signature checked, excepted from CSRF",
            "with signature check",
            [["webhook", "signature"], ["hooks/mail", "provider"], ["webhook", "csrf"]],
        ),
        (
            "No own queue for mails now",
            "queue: not now",
            [
                ["queue", "put off"],
                ["no own queue"],
                ["queue", "declined"],
                ["queue", "not now"],
                ["queue isn't done"],
                ["horizon", "not now"],
            ],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "Retrying failed SendMailing jobs sends mails twice: they start from the first member",
            "starts from the first member again",
            [["first member", "twice"], ["deleted, not retried"], ["retry all"]],
        ),
        (
            "reject() made one query for each of 41,870 members",
            "41k queries",
            [["41k queries"], ["reject", "query"], ["query", "41,870"]],
        ),
        (
            "Typed class constants need PHP 8.3: CI on 8.2 failed",
            "PHP 8.3 only",
            [["typed class constant"], ["8.3 only"], ["8.2", "const string"], ["8.2", "parse error"]],
        ),
        (
            "updateOrCreate sets soft instead of adding",
            "sets instead of adding",
            [["updateorcreate", "sets"], ["soft + 1"], ["upsert", "soft"]],
        ),
    ],
    "constraints": [
        ("PHP 8.2 on the server", "PHP 8.2 on the server", [["php 8.2"], ["8.2 on the server"], ["8.2", "no 8.3"]]),
        (
            "Don't change the mail templates (emails/*)",
            "Dont change the templates",
            [["templates", "marketing"], ["mail templates"], ["emails/*", "not"], ["dont change the templates"]],
        ),
        (
            "One commit per PR",
            "1 commit per PR",
            [
                ["one commit per pr"],
                ["single commit", "pr"],
                ["1 commit per pr"],
                ["squash", "one"],
                ["one commit", "0fb62d8"],
            ],
        ),
        (
            "Import only after the board meeting on 19 November, clubs are told first",
            "after board meeting 19 nov",
            [["19 nov"], ["november 19"], ["board meeting"]],
        ),
    ],
    "open": [
        (
            "Import of old bounces from 14 months of logs (427 files, 19 GB)",
            "`php artisan bounces:import",
            [["bounces:import", "logs"], ["427 files"], ["old bounces", "import"]],
        ),
        (
            "The provider must be told the webhook's URL",
            "the provider must be told the URL",
            [["provider must be told"], ["provider", "webhook", "url"]],
        ),
        ("PR 204 isn't merged", "PR 204", [["pr 204"], ["pull/204", "bounces"]]),
    ],
    "next": (
        "Answer: MAIL_HOOK_SECRET into the PR description or set by the user?",
        "Shall I write that into the PR",
        [
            ["mail_hook_secret", "webhook"],
            ["mail_hook_secret", "pr"],
            ["shall i write that into the pr"],
            ["webhook's secret"],
        ],
    ),
    "needed": [
        (
            "PR 204 is open, one commit, green on 8.2 and 8.3",
            "last:tests (8.2)",
            [["pr 204"], ["both green"], ["pull/204", "bounces"]],
            {"weight": 3},
        ),
        (
            "The webhook needs MAIL_HOOK_SECRET in the server's .env",
            "`MAIL_HOOK_SECRET`",
            [["mail_hook_secret", "webhook"], ["mail_hook_secret", "pr"], ["webhook's secret", ".env"]],
            {"weight": 3},
        ),
        (
            "The import waits until after November 19th",
            "waits until after November 19th",
            [["november 19"], ["19 nov"], ["board meeting"]],
            {"weight": 2},
        ),
        (
            "The import brings the rate below 5 % (about 3,400 addresses)",
            "about 3,400 addresses",
            [["3,400"], ["below 5 %"], ["import", "brings the rate"]],
            {"weight": 1},
        ),
        ("98 tests pass", "last:98 passed", [["98 tests"], ["98 passed"]], {"weight": 1}),
    ],
    "checks": [("gh pr checks --watch", "last:tests (8.2)", "pass")],
    "traps": [
        ("Items of the old plan are open", None, [["classify smtp errors"], ["sendmailing skips"]]),
        ("Five commits / wip are on the branch", None, [["a3391fd"], ["4be1c77"], ["e2d90f5"]]),
        ("Soft bounces count after three", None, [["after 3 in 14 days"]]),
        (
            "The mail queue is a next step",
            None,
            [["next: queue"], ["next: own queue"], ["queue `mail` in `config/horizon.php`"]],
        ),
        ("The tests on 8.2 fail (mended)", None, [["tests (8.2) fail"], ["(8.2)\tfail"]]),
        ("419 is open", None, [["received 419"]]),
        ("The import can start now", None, [["next: import old bounces now"], ["import is running"]]),
    ],
}
NEXT = {
    "goal": "Stop mailings to dead addresses, so that the bounce rate falls from 9 % to below 5 %.",
    "next": "Get the answer about MAIL_HOOK_SECRET (PR description or user sets it); the import of old bounces after November 19th.",
    "state": "PR 204 is open with one commit, green on PHP 8.2 and 8.3; import planned and put off, own queue declined for now.",
}
CLAIMS = (
    ("State", "PR 204 is open with one squashed commit, checks are green on 8.2 and 8.3."),
    ("Decisions", "User: the import of old bounces only after the board meeting on 19 November."),
    ("Decisions", "User: no own queue for mails now."),
    ("Dead ends", "A typed class constant broke CI on PHP 8.2."),
    ("State", "98 tests passed before the squash."),
    ("State", "`bounces:import` was run as a dry run over 427 files.", "run", "It is a plan only."),
    ("State", "`MAIL_HOOK_SECRET` is set on the server.", "run", "Nobody set it."),
    ("Decisions", "Mailings go through their own `mail` queue on Horizon.", "file", "Plan, put off."),
    ("Decisions", "User: soft bounces count after 3.", "user-said", "After 5."),
    ("State", "The branch has five commits.", "commit", "They were squashed."),
)
