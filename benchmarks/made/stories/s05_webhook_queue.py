"""Elixir: the session is killed in mid-turn, a test is still red, a migration is only half there."""

from benchmarks.made.record import Claude, filler

W = ["webhook", "delivery", "attempt", "endpoint", "payload", "tenant"]


def mix(n, failures=(), seed=402113):
    dots = "." * (n - len(failures))
    out = ["Compiling 4 files (.ex)", f"Running ExUnit with seed: {seed}, max_cases: 16", "", dots]
    for i, f in enumerate(failures, 1):
        out += ["", f"  {i}) {f}"]
    return "\n".join(
        out
        + [
            "",
            "Finished in 2.8 seconds (1.1s async, 1.7s sync)",
            f"{n} tests, {len(failures)} failure{'' if len(failures) == 1 else 's'}",
        ]
    )


RED = """test cancels jobs of a disabled endpoint (Heron.DeliveryTest)
     test/heron/delivery_test.exs:142
     Assertion with == failed
     code:  assert Repo.aggregate(jobs(), :count) == 0
     left:  3
     right: 0
     stacktrace:
       test/heron/delivery_test.exs:151: (test)"""


def session():
    s = Claude(
        "ex-webhook-queue",
        "/home/dev/heron",
        "webhooks-oban",
        "2026-11-03T15:20:00",
        "larkfield/heron",
        version="2.1.197",
    )
    s.user(
        "we deliver webhooks from a GenServer with an in-memory queue, every deploy loses what is queued. move it to Oban. "
        "things that must not change: the signature header (customers verify it!!), the retry schedule 1m 5m 30m 2h 12h, and order per endpoint. "
        "do NOT run migrations against the staging db, my .env points to it at the moment. use the test db only"
    )
    s.say("I'll read the queue, then propose the job's shape.")
    s.bash(
        "ls lib/heron lib/heron/webhooks test/heron priv/repo/migrations | head -60",
        "lib/heron:\napplication.ex\nrepo.ex\nwebhooks\nwebhooks.ex\n\nlib/heron/webhooks:\ndelivery.ex\nendpoint.ex\nqueue.ex\nsigner.ex\n\npriv/repo/migrations:\n20260110_create_endpoints.exs\n20260302_create_deliveries.exs\n\ntest/heron:\ndelivery_test.exs\nqueue_test.exs\nsigner_test.exs",
        desc="Layout",
    )
    s.read("lib/heron/webhooks/queue.ex", filler("ex", W, 140, 31))
    s.read("lib/heron/webhooks/delivery.ex", filler("ex", W, 90, 32))
    s.read(
        "lib/heron/webhooks/signer.ex",
        'defmodule Heron.Webhooks.Signer do\n  @moduledoc false\n\n  # customers check t=..., v1=... ; see docs/webhooks.md\n  def header(secret, body, at) do\n    mac = :crypto.mac(:hmac, :sha256, secret, "#{at}.#{body}")\n    "t=#{at},v1=#{Base.encode16(mac, case: :lower)}"\n  end\nend\n',
    )
    s.bash("mix test", mix(63), desc="Tests before")
    s.ask(
        (
            "How shall the order per endpoint be kept?",
            "Order",
            [
                ("Queue per endpoint", "One Oban queue with limit 1 for each endpoint"),
                ("Unique + snooze", "One queue; a job snoozes while an older one of its endpoint is unfinished"),
                ("Oban Pro", "Partitioned rate limits, needs a licence"),
            ],
            "Unique + snooze",
        )
    )
    s.say("One queue, and a job snoozes while an older one of the same endpoint is unfinished. So no Oban Pro.")
    s.edit("mix.exs", '      {:req, "~> 0.5"},', '      {:req, "~> 0.5"},\n      {:oban, "~> 2.18"},')
    s.bash(
        "mix deps.get",
        "Resolving Hex dependencies...\nResolution completed in 0.061s\nNew:\n  oban 2.18.3\n* Getting oban (Hex package)",
        desc="Fetch Oban",
    )
    s.write(
        "priv/repo/migrations/20261103_add_oban.exs",
        "defmodule Heron.Repo.Migrations.AddOban do\n  use Ecto.Migration\n\n  def up, do: Oban.Migration.up(version: 12)\n  def down, do: Oban.Migration.down(version: 1)\nend\n",
    )
    s.bash(
        "MIX_ENV=test mix ecto.migrate",
        "** (DBConnection.ConnectionError) tcp recv (idle): closed\nDATABASE_URL=ecto://heron@staging-db.internal/heron is used",
        exit=1,
        desc="Migrate the test db",
    )
    s.say(
        "Stop: `MIX_ENV=test` **still takes DATABASE_URL** from your `.env` (config/runtime.exs reads it in every environment), so that went towards staging. The connection was closed before a statement ran, nothing was changed there. From here I use `env -u DATABASE_URL MIX_ENV=test`."
    )
    s.bash(
        "env -u DATABASE_URL MIX_ENV=test mix ecto.migrate",
        "15:31:02.110 [info] == Running 20261103 Heron.Repo.Migrations.AddOban.up/0 forward\n15:31:02.412 [info] == Migrated 20261103 in 0.2s",
        desc="Migrate the local test db",
    )
    s.write(
        "lib/heron/webhooks/delivery_worker.ex",
        'defmodule Heron.Webhooks.DeliveryWorker do\n  use Oban.Worker, queue: :webhooks, max_attempts: 6\n\n  @schedule [60, 300, 1_800, 7_200, 43_200]\n\n  @impl Oban.Worker\n  def backoff(%Oban.Job{attempt: attempt}), do: Enum.at(@schedule, attempt - 1, 43_200)\n\n  @impl Oban.Worker\n  def perform(%Oban.Job{args: %{"delivery_id" => id}} = job) do\n    if older_unfinished?(job), do: {:snooze, 5}, else: deliver(id)\n  end\nend\n',
    )
    s.bash(
        "env -u DATABASE_URL mix test",
        mix(
            66,
            (
                "test retry schedule is 1m 5m 30m 2h 12h (Heron.DeliveryWorkerTest)\n     test/heron/delivery_worker_test.exs:31\n     left:  [60, 300, 1800, 7200]\n     right: [60, 300, 1800, 7200, 43200]",
            ),
        ),
        exit=2,
        desc="Tests",
    )
    s.say(
        'The schedule test is red: Oban counts a snooze as an attempt, so the last step was never reached. In 2.18 `{:snooze, n}` raises `max_attempts`; I take the attempt from `meta["tries"]` instead.'
    )
    s.edit(
        "lib/heron/webhooks/delivery_worker.ex",
        "  def backoff(%Oban.Job{attempt: attempt}), do: Enum.at(@schedule, attempt - 1, 43_200)",
        '  def backoff(%Oban.Job{meta: meta}), do: Enum.at(@schedule, Map.get(meta, "tries", 1) - 1, 43_200)',
    )
    s.bash("env -u DATABASE_URL mix test", mix(66), desc="Tests")
    s.commit(
        "Webhooks: deliver through Oban",
        [
            "mix.exs",
            "mix.lock",
            "lib/heron/webhooks/delivery_worker.ex",
            "priv/repo/migrations/20261103_add_oban.exs",
            "test/heron/delivery_worker_test.exs",
        ],
        141,
        2,
        sha="70c5ab9",
    )
    s.user(
        "great. what happens when a customer disables an endpoint, do the queued ones still go out? they shouldnt. and dont delete the rows, support looks at them. also rm the old queue.ex when done but keep the telemetry event names [:heron, :webhook, :sent] and [:heron, :webhook, :failed], grafana uses them"
    )
    s.grep(
        "telemetry.execute",
        "lib/heron/webhooks/queue.ex:71:    :telemetry.execute([:heron, :webhook, :sent], %{ms: ms}, meta)\nlib/heron/webhooks/queue.ex:79:    :telemetry.execute([:heron, :webhook, :failed], %{}, meta)",
    )
    s.read("lib/heron/webhooks.ex", filler("ex", W, 110, 33))
    s.say(
        "At the moment they would still go out: nothing cancels them. I'll cancel the jobs (state `cancelled`, the rows stay) when the endpoint is disabled."
    )
    s.write(
        "test/heron/delivery_test.exs",
        '  test "cancels jobs of a disabled endpoint", %{endpoint: endpoint} do\n    for _ <- 1..3, do: Webhooks.enqueue(endpoint, %{})\n    {:ok, _} = Webhooks.disable(endpoint)\n    assert Repo.aggregate(jobs(), :count) == 0\n  end\n',
    )
    s.edit(
        "lib/heron/webhooks.ex",
        "  def disable(%Endpoint{} = endpoint) do",
        '  def disable(%Endpoint{} = endpoint) do\n    Oban.cancel_all_jobs(from(j in Oban.Job, where: j.args["endpoint_id"] == ^endpoint.id))',
    )
    s.bash("env -u DATABASE_URL mix test", mix(67, (RED,), 77120), exit=2, desc="Tests")
    s.say("`cancels jobs of a disabled endpoint` is red, 3 instead of 0. Is it the query or the test?")
    s.bash(
        "env -u DATABASE_URL MIX_ENV=test mix run -e 'import Ecto.Query; IO.inspect Heron.Repo.all(from j in Oban.Job, select: {j.state, j.args})'",
        '[\n  {"available", %{"delivery_id" => 11}},\n  {"available", %{"delivery_id" => 12}},\n  {"available", %{"delivery_id" => 13}}\n]',
        desc="Look at the jobs",
    )
    s.say(
        "The job's args hold only `delivery_id`, there is **no** `endpoint_id` in them: my query can't match. Either the args get the endpoint, or the query joins over deliveries. I put `endpoint_id` in the args, `older_unfinished?` needs it as well."
    )
    s.edit(
        "lib/heron/webhooks.ex",
        "    %{delivery_id: delivery.id}",
        "    %{delivery_id: delivery.id, endpoint_id: endpoint.id}",
    )
    s.bash(
        "env -u DATABASE_URL mix test test/heron/delivery_test.exs",
        mix(12, (RED,), 5519),
        exit=2,
        desc="Tests of deliveries",
    )
    s.say(
        "Still 3. Now it's the test: `jobs()` counts rows of every state, and cancelled rows stay on purpose. It must count `available` and `scheduled` only. I fix the helper, then move the telemetry events into the worker before `queue.ex` goes."
    )
    s.edit(
        "lib/heron/webhooks/delivery_worker.ex",
        "if older_unfinished?(job), do: {:snooze, 5}, else: deliver(id)",
        "if older_unfinished?(job), do: {:snooze, 5}, else: deliver(id, &emit/2)",
    )
    s.bash(
        "env -u DATABASE_URL mix test test/heron/delivery_worker_test.exs 2>&1 | tail -30", None, desc="Worker tests"
    )
    return s


KEY = {
    "end_state": "Killed in the middle of a turn: a test run has no result. One commit; the work on disabled endpoints and telemetry is uncommitted and partly done, a test is red.",
    "goal": (
        "Move webhook delivery to Oban; queued jobs of a disabled endpoint don't go out; then remove queue.ex",
        "move it to Oban",
        [["oban"]],
    ),
    "decisions": [
        (
            "One queue; a job snoozes while an older one of its endpoint is unfinished",
            "Unique + snooze",
            [["snooze"]],
            {"by": "user"},
        ),
        (
            'Number of tries comes from meta["tries"], since a snooze counts as an attempt',
            "counts a snooze as an attempt",
            [['meta["tries"]'], ["`tries`"], ['"tries"'], ["snooze", "attempt"]],
        ),
        (
            "On disable the jobs are cancelled, rows stay",
            "state `cancelled`, the rows stay",
            [["cancel_all_jobs"], ["cancel", "rows"], ["cancelled"]],
        ),
        ("endpoint_id goes into the job's args", "I put `endpoint_id` in the args", [["endpoint_id"]]),
    ],
    "failed": [
        (
            "MIX_ENV=test still took DATABASE_URL of .env, towards staging; env -u DATABASE_URL works",
            "still takes DATABASE_URL",
            [["env -u database_url"], ["database_url"]],
        ),
        (
            "The cancel query could not match: args held only delivery_id",
            "my query can't match",
            [["delivery_id"], ["args", "endpoint_id"], ["query can't match"]],
        ),
    ],
    "constraints": [
        (
            "No migration against the staging database",
            "do NOT run migrations against the staging",
            [["migration", "staging"], ["staging db"], ["staging database"], ["test db only"]],
        ),
        (
            "Signature header unchanged",
            "signature header",
            [["signature header"], ["signature", "unchanged"], ["signature", "change"]],
        ),
        (
            "Retry schedule 1m 5m 30m 2h 12h and order per endpoint unchanged",
            "1m 5m 30m 2h 12h",
            [["1m 5m 30m 2h 12h"], ["1m, 5m, 30m, 2h, 12h"], ["retry schedule"]],
        ),
        (
            "Rows are not deleted, support looks at them",
            "dont delete the rows",
            [["dont delete the rows"], ["don't delete the rows"], ["delete", "rows"], ["rows stay"]],
        ),
        (
            "Telemetry names [:heron, :webhook, :sent] and :failed stay",
            "keep the telemetry event names",
            [["telemetry event names"], ["telemetry", "grafana"], ["telemetry", "keep"], [":heron, :webhook"]],
        ),
    ],
    "open": [
        (
            "queue.ex is still there; it goes when all is done",
            "rm the old queue.ex",
            [
                ["rm the old queue.ex"],
                ["queue.ex", "remov"],
                ["queue.ex", "delet"],
                ["queue.ex", "still"],
                ["before `queue.ex` goes"],
            ],
        ),
        (
            "The telemetry events are being moved into the worker; emit/2 is passed, not shown to exist",
            "deliver(id, &emit/2)",
            [["emit/2"], ["&emit"], ["telemetry", "worker"]],
        ),
    ],
    "next": (
        "Fix the helper jobs() in delivery_test.exs to count available and scheduled only, and run the tests",
        "It must count `available` and `scheduled` only",
        [["jobs()", "available"], ["available", "scheduled"], ["jobs()", "helper"], ["delivery_test"]],
    ),
    "needed": [
        (
            "Red: 'cancels jobs of a disabled endpoint', 3 instead of 0; now the test's helper is wrong, since cancelled rows are counted",
            "Now it's the test",
            [
                ["cancels jobs of a disabled endpoint"],
                ["delivery_test.exs:142"],
                ["left:  3"],
                ["jobs()", "every state"],
            ],
            {"weight": 3},
        ),
        (
            "Last command (worker tests) has no result",
            "Worker tests",
            [
                ["no result"],
                ["interrupted"],
                ["did not finish"],
                ["outcome unknown"],
                ["killed"],
                ["without a result"],
                ["unfinished command"],
                ["broke off"],
                ["cut off"],
                ["mid-turn"],
                ["no output"],
                ["still running"],
                ["delivery_worker_test.exs 2>&1"],
            ],
            {"weight": 2},
        ),
        ("Committed: 70c5ab9; what came after is uncommitted", "70c5ab9", [["70c5ab9"]], {"weight": 2}),
    ],
    "checks": [
        ("env -u DATABASE_URL mix test", "67 tests, 1 failure", "fail"),
        ("env -u DATABASE_URL mix test (before the commit)", "66 tests, 0 failures", "pass"),
    ],
    "traps": [
        (
            "The retry schedule test is red (green)",
            None,
            [["the schedule test is red"], ["the last step was never reached"]],
        ),
        ("Everything passes", None, [["all tests are green"], ["67 tests, 0 failures"], ["12 tests, 0 failures"]]),
        (
            "queue.ex is removed",
            None,
            [["removed queue.ex"], ["queue.ex is removed"], ["queue.ex was removed"], ["deleted queue.ex"]],
        ),
        (
            "They would still go out, nothing cancels them (changed)",
            None,
            [["they would still go out"], ["nothing cancels them"]],
        ),
        (
            "How the order is kept is open (answered)",
            None,
            [["how shall the order per endpoint be kept?"], ["queue per endpoint or"]],
        ),
        (
            "The args lack endpoint_id (added since)",
            None,
            [["there is **no** `endpoint_id` in them"], ["the job's args hold only `delivery_id`"]],
        ),
        ("Cancelling must be built into the query still", None, [["is it the query or the test?"]]),
        ("The helper is fixed", None, [["fixed the helper"], ["helper is fixed"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "Webhooks through Oban: jobs of a disabled endpoint are cancelled (rows kept), telemetry moved, then queue.ex removed.",
        "match": [["oban"], ["disabled endpoint"], ["disables an endpoint"]],
    },
    "next": {
        "text": "Make jobs() in test/heron/delivery_test.exs count available and scheduled only, then run env -u DATABASE_URL mix test.",
        "match": [["jobs()"], ["available", "scheduled"], ["delivery_test"], ["delivery_worker_test"]],
    },
}
