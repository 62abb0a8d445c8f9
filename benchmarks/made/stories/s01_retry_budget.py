"""Python: a plan is rejected and then accepted, a first approach is built and superseded, a red test turns green, a short remark ends it."""

from benchmarks.made.record import Claude, filler, names, pytest_out

W = ["carrier", "label", "quote", "route", "parcel", "status"]
T = {
    "tests/test_retry.py": names("test_", ["backoff", "status_503", "timeout", "jitter", "idempotent"], 14),
    "tests/test_client.py": names("test_", ["get_label", "post_quote", "auth", "headers"], 12),
    "tests/test_budget.py": [
        "test_budget_spends",
        "test_budget_refills",
        "test_budget_empty_raises_last_error",
        "test_budget_shared_between_hosts",
        "test_budget_clock_backwards",
    ],
}
OLD = {k: v for k, v in T.items() if "budget" not in k}


def session():
    s = Claude("py-retry-budget", "/home/dev/parcelbox", "retry-budget", "2026-10-05T08:12:00", "harbourline/parcelbox")
    s.user(
        "hey so yesterday the carrier API was down for 20min and our client hammered it, ops was NOT happy. every worker retries 5x per request and we have 40 workers. "
        "i want some kind of retry budget in the client, like finagle has. make a plan first pls, dont write code. "
        "oh and: python 3.9 must keep working and no new dependencies (we ship this as a wheel to customers)"
    )
    s.say("I'll read the retry code before I plan anything.")
    s.bash(
        "git log --oneline -5 && ls src/parcelbox tests",
        "7be1d20 Bump version to 4.3.0\n1f0a9cc Retry on 503 as well\n9a77d01 Carrier quotes: round half up\nc3d8f14 Drop python 3.8\n04bb6e2 Label size A7\n__init__.py\nclient.py\nerrors.py\nmodels.py\nretry.py\nsession.py\ntransport.py\nconftest.py\ntest_client.py\ntest_retry.py",
        desc="Recent commits and layout",
    )
    s.read(
        "src/parcelbox/retry.py",
        '''"""Retry of single requests."""
import random
import time

from .errors import CarrierError, CarrierTimeout

RETRYABLE = {429, 502, 503, 504}


class RetryPolicy:
    def __init__(self, attempts=5, base=0.2, cap=8.0):
        self.attempts = attempts
        self.base = base
        self.cap = cap

    def delay(self, attempt):
        return random.uniform(0, min(self.cap, self.base * 2 ** attempt))

    def run(self, send, request):
        last = None
        for attempt in range(self.attempts):
            try:
                response = send(request)
            except CarrierTimeout as error:
                last = error
            else:
                if response.status not in RETRYABLE:
                    return response
                last = CarrierError.of(response)
            time.sleep(self.delay(attempt))
        raise last
''',
    )
    s.read("src/parcelbox/client.py", filler("py", W, 120, 1))
    s.read("src/parcelbox/transport.py", filler("py", W, 70, 2))
    s.grep(
        "RetryPolicy",
        "src/parcelbox/client.py:14:from .retry import RetryPolicy\nsrc/parcelbox/client.py:88:        self.policy = policy or RetryPolicy()\nsrc/parcelbox/retry.py:10:class RetryPolicy:\ntests/test_retry.py:9:from parcelbox.retry import RetryPolicy\ntests/test_client.py:31:    client = Client(policy=RetryPolicy(attempts=1))",
    )
    s.plan(
        "# Retry budget\n\n## Approach A\nAdd `pybreaker` as a circuit breaker around `Transport.send`.\n\n1. `Client` owns one breaker per host\n2. open after 5 failures, half-open after 30 s\n3. tests with a fake clock\n\n## Files\n- `src/parcelbox/transport.py`\n- `pyproject.toml` (new dependency)\n",
        rejected="no!! i said no new dependencies. and i asked for a budget not a circuit breaker, a breaker flaps with 40 workers. per-process is fine btw, no redis or anything shared",
    )
    s.say("Understood, no dependency and a budget instead of a breaker. Second plan.")
    s.plan(
        "# Retry budget, second version\n\n1. New `src/parcelbox/budget.py` with `RetryBudget(ratio=0.1, min_per_second=1)`\n2. Each first attempt deposits `ratio`, each retry withdraws 1; no credit means: raise the last error at once\n3. `RetryPolicy.run` asks the budget before it sleeps\n4. Budget per process, shared by all hosts of one `Client`\n5. `tests/test_budget.py` with a fake clock; nothing else in the public API changes\n"
    )
    s.todo(
        ("budget.py", "in_progress"),
        ("wire into RetryPolicy", "pending"),
        ("tests", "pending"),
        ("README section", "pending"),
    )
    s.say("I start with the simplest thing: count deposits and withdrawals in a sliding window of ten seconds.")
    s.write(
        "src/parcelbox/budget.py",
        '''"""How many retries a process may still make."""
import time
from collections import deque


class RetryBudget:
    """Sliding window: retries may be at most `ratio` of the requests of the last `window` seconds."""

    def __init__(self, ratio=0.1, window=10.0, clock=time.monotonic):
        self.ratio, self.window, self.clock = ratio, window, clock
        self.requests, self.retries = deque(), deque()

    def deposit(self):
        self.requests.append(self.clock())

    def withdraw(self):
        self._expire()
        if len(self.retries) + 1 > self.ratio * len(self.requests):
            return False
        self.retries.append(self.clock())
        return True

    def _expire(self):
        limit = self.clock() - self.window
        for queue in (self.requests, self.retries):
            while queue and queue[0] < limit:
                queue.popleft()
''',
    )
    s.edit(
        "src/parcelbox/retry.py",
        "            time.sleep(self.delay(attempt))\n        raise last",
        "            if attempt + 1 == self.attempts or not self.budget.withdraw():\n                break\n            time.sleep(self.delay(attempt))\n        raise last",
    )
    s.edit(
        "src/parcelbox/retry.py",
        "    def __init__(self, attempts=5, base=0.2, cap=8.0):",
        "    def __init__(self, attempts=5, base=0.2, cap=8.0, budget=None):\n        self.budget = budget or RetryBudget()",
    )
    s.bash(
        "python -m pytest -q tests/test_retry.py tests/test_client.py -v",
        pytest_out(
            OLD,
            failed=("test_status_503_timeout", "test_backoff_status_503"),
            detail="""    def test_backoff_status_503(fake):
        policy = RetryPolicy(attempts=3, base=0)
        fake.statuses = [503, 503, 200]
>       assert policy.run(fake.send, REQUEST).status == 200
E       parcelbox.errors.CarrierError: 503 Service Unavailable

src/parcelbox/retry.py:36: CarrierError""",
        ),
        exit=1,
        desc="Run the existing tests",
    )
    s.say(
        "Two old tests are red, and they show a real fault of the sliding window: a process that makes **few** requests never gets a retry, because 10 % of one request is below one. "
        "A window also keeps two deques per client that grow with the traffic.\n\nA token bucket fixes both: it starts with a small reserve and refills with time."
    )
    s.user("makes sense, do the token bucket. reserve of 10 or so. throw the window thing away completely")
    s.write(
        "src/parcelbox/budget.py",
        '''"""How many retries a process may still make: a token bucket."""
import threading
import time


class RetryBudget:
    def __init__(self, ratio=0.1, reserve=10, per_second=1.0, clock=time.monotonic):
        self.ratio, self.reserve, self.per_second, self.clock = ratio, reserve, per_second, clock
        self.tokens, self.seen, self.lock = float(reserve), clock(), threading.Lock()

    def deposit(self):
        with self.lock:
            self._refill()
            self.tokens = min(self.reserve, self.tokens + self.ratio)

    def withdraw(self):
        with self.lock:
            self._refill()
            if self.tokens < 1:
                return False
            self.tokens -= 1
            return True

    def _refill(self):
        now = self.clock()
        self.tokens = min(self.reserve, self.tokens + (now - self.seen) * self.per_second)
        self.seen = now
''',
    )
    s.write(
        "tests/test_budget.py",
        "from parcelbox.budget import RetryBudget\n\n\ndef budget(clock, **more):\n    return RetryBudget(reserve=3, clock=clock, **more)\n\n\ndef test_budget_spends(clock):\n    b = budget(clock)\n    assert [b.withdraw() for _ in range(4)] == [True, True, True, False]\n\n\ndef test_budget_refills(clock):\n    b = budget(clock)\n    while b.withdraw():\n        pass\n    clock.now += 2\n    assert b.withdraw() and b.withdraw() and not b.withdraw()\n\n\ndef test_budget_clock_backwards(clock):\n    b = budget(clock)\n    clock.now -= 100\n    assert b.withdraw()\n",
    )
    s.bash(
        "python -m pytest -v",
        pytest_out(
            T,
            failed=("test_budget_clock_backwards",),
            detail="""    def test_budget_clock_backwards(clock):
        b = budget(clock)
        clock.now -= 100
>       assert b.withdraw()
E       assert False
E        +  where False = withdraw()

tests/test_budget.py:23: AssertionError""",
        ),
        exit=1,
        desc="Whole suite",
    )
    s.say(
        "`test_budget_clock_backwards` is red: a clock that goes back makes the refill **negative**. `time.monotonic` can't, but a customer may pass another clock. One `max(0, …)`."
    )
    s.edit(
        "src/parcelbox/budget.py",
        "self.tokens + (now - self.seen) * self.per_second)",
        "self.tokens + max(0.0, now - self.seen) * self.per_second)",
    )
    s.bash("python -m pytest -v", pytest_out(T, secs="4.52"), desc="Whole suite again")
    s.bash("python3.9 -m pytest -q", "bash: python3.9: command not found", exit=127, desc="Suite on 3.9")
    s.bash(
        "uv run --python 3.9 python -m pytest -q",
        "Using CPython 3.9.19\n...............................                                          [100%]\n31 passed in 5.10s",
        desc="Suite on 3.9 through uv",
    )
    s.say("There's no `python3.9` on this machine, `uv run --python 3.9` fetches one: 31 passed there too.")
    s.user(
        "cool. commit it but dont push, i want to read the diff on the train. should the default ratio be 0.1 or 0.2? what does finagle do"
    )
    s.commit(
        "Client: retry budget (token bucket)",
        ["src/parcelbox/budget.py", "src/parcelbox/retry.py", "tests/test_budget.py"],
        88,
        2,
        sha="e41c7f2",
    )
    s.say(
        "Committed as `e41c7f2`, not pushed.\n\n## Ratio\n\n| | retries per request | reserve |\n| --- | --- | --- |\n| Finagle default | 0.2 | 10 per second, over a 10 s TTL |\n| Envoy | 0.2 (20 %) | 3 concurrent |\n| ours now | **0.1** | 10, refilled 1/s |\n\n"
        "With your 40 workers 0.2 means a 20 % overload in an outage, 0.1 means 10 %. I would stay with 0.1, but this is your call.\n"
    )
    s.user("0.2 then, same as the others, less to explain to customers")
    s.edit("src/parcelbox/budget.py", "ratio=0.1, reserve=10", "ratio=0.2, reserve=10")
    s.bash(
        "python -m pytest -q",
        "...............................                                          [100%]\n31 passed in 4.47s",
        desc="Suite after the new default",
    )
    remark = s.queued("ok thanks, thats it for today")
    s.bash(
        "git commit -am 'Retry budget: default ratio 0.2' && git status -sb",
        "[retry-budget 5d09b3a] Retry budget: default ratio 0.2\n 1 file changed, 1 insertion(+), 1 deletion(-)\n## retry-budget...origin/retry-budget [ahead 2]",
        desc="Commit the default",
    )
    s.say(
        "The default ratio is `0.2` now (`5d09b3a`, not pushed; the branch is two commits ahead of origin).\n\n### What is not in it yet\n\n- The **README section** of the plan isn't written.\n- `deposit()` is **not called anywhere**: `RetryPolicy.run` only withdraws. So the bucket refills by time alone and `ratio` has no effect at the moment. I noticed it while I looked at the diff; it's one line before the loop in `retry.py`.\n- The five workers' threads share one budget; I have no test for the lock.\n\n"
        "Shall I call `deposit()` at the start of `run` and add a test for it? And do you want a `parcelbox.retries_denied` counter for ops?",
        end=True,
    )
    s.dequeue(remark)
    s.say("You're welcome. Both commits are local.", end=True)
    return s


KEY = {
    "end_state": "Token bucket built and committed in two commits, nothing pushed. deposit() is never called. The user said thanks and left the two questions unanswered.",
    "goal": (
        "A retry budget in the client, so that an outage isn't answered with a storm of retries",
        "retry budget in the client",
        [["retry budget"], ["retrybudget", "client"], ["budget", "retries", "parcelbox"]],
    ),
    "decisions": [
        (
            "Token bucket with a reserve of 10 instead of the sliding window",
            "A token bucket fixes both",
            [["token bucket"], ["bucket", "sliding window"]],
        ),
        (
            "Default ratio 0.2, chosen by the user after 0.1 was proposed",
            "0.2 then, same as the others",
            [["0.2", "ratio"], ["ratio=0.2"], ["default ratio 0.2"]],
            {"by": "user"},
        ),
        (
            "Budget per process, shared by all hosts of a client",
            "shared by all hosts",
            [["per process"], ["per-process"], ["shared by all hosts"], ["no redis"]],
        ),
        (
            "A refill is never negative (max(0, …)), for clocks that go back",
            "refill **negative**",
            [["max(0"], ["clock", "negative"], ["clock_backwards"], ["clock that goes back"]],
        ),
    ],
    "failed": [
        (
            "Sliding window: a process with few requests never got a retry",
            "10 % of one request is below one",
            [["sliding window"], ["few requests", "never"], ["10 % of one request"], ["10% of one request"]],
        ),
        (
            "First plan with pybreaker, rejected: a dependency, and a breaker flaps with 40 workers",
            "a breaker flaps",
            [["pybreaker"], ["circuit breaker"], ["breaker flaps"]],
        ),
        (
            "python3.9 isn't here; uv run --python 3.9 works",
            "command not found",
            [["uv run --python 3.9"], ["python3.9", "uv"]],
        ),
    ],
    "constraints": [
        (
            "No new dependencies",
            "no new dependencies",
            [["no new dependenc"], ["no dependenc"], ["without new dependenc"]],
        ),
        ("Python 3.9 has to go on working", "python 3.9 must keep working", [["python 3.9"], ["3.9 must"], ["py3.9"]]),
        (
            "Commit, but don't push: the user reads the diff first",
            "commit it but dont push",
            [["dont push"], ["don't push"], ["not pushed"], ["not push"]],
        ),
    ],
    "open": [
        ("README section of the plan isn't written", "**README section**", [["readme"]]),
        (
            "No test for the lock",
            "no test for the lock",
            [["for the lock"], ["lock", "no test"], ["lock untested"], ["threads share"]],
        ),
        (
            "Offer, unanswered: a counter parcelbox.retries_denied",
            "retries_denied",
            [["retries_denied"], ["counter", "denied"]],
        ),
    ],
    "next": (
        "Call deposit() at the start of RetryPolicy.run (retry.py) and test it",
        "not called anywhere",
        [["deposit", "retry.py"], ["deposit", "run"], ["call `deposit()`"], ["call deposit"]],
    ),
    "needed": [
        (
            "deposit() is called nowhere, so ratio has no effect yet",
            "not called anywhere",
            [
                ["deposit", "not called"],
                ["deposit", "never called"],
                ["deposit", "nowhere"],
                ["deposit", "no effect"],
                ["only withdraws"],
            ],
            {"weight": 3},
        ),
        (
            "Two local commits, e41c7f2 and 5d09b3a, ahead of origin",
            "5d09b3a",
            [["5d09b3a"], ["e41c7f2"], ["ahead 2"], ["two commits ahead"]],
            {"weight": 2},
        ),
        ("31 tests pass after the last edit", "31 passed in 4.47s", [["31 passed"], ["31 tests"]], {"weight": 1}),
    ],
    "checks": [
        ("python -m pytest -q", "31 passed in 4.47s", "pass"),
        ("uv run --python 3.9 python -m pytest -q", "31 passed in 5.10s", "pass"),
    ],
    "traps": [
        (
            "The circuit breaker is the plan (rejected)",
            None,
            [["one breaker per host"], ["open after 5 failures, half-open"]],
        ),
        (
            "The sliding window is what is built (superseded)",
            None,
            [
                ["retries may be at most `ratio` of the requests of the last"],
                ["start with the simplest thing: count deposits"],
                ["uses a sliding window of ten"],
            ],
        ),
        (
            "The default ratio is 0.1 / stays 0.1 (changed)",
            None,
            [["i would stay with 0.1"], ["ratio=0.1, reserve"], ["default ratio is 0.1"], ["default ratio: 0.1"]],
        ),
        (
            "Two old tests are red (green since)",
            None,
            [["two old tests are red"], ["test_budget_clock_backwards` is red"]],
        ),
        ("It is pushed", None, [["both commits are pushed"], ["committed and pushed"]]),
        (
            "The last remark is the goal",
            None,
            [
                ["goal: ok thanks"],
                ["goal\n- ok thanks"],
                ["goal\nok thanks"],
                ["request: ok thanks"],
                ["task: ok thanks"],
            ],
        ),
    ],
}
NEXT = {
    "goal": {
        "text": "A retry budget in parcelbox's client; built and committed locally, but its ratio has no effect yet.",
        "match": [["retry budget"], ["retrybudget"]],
    },
    "next": {
        "text": "Call deposit() at the start of RetryPolicy.run in src/parcelbox/retry.py and add a test (offered; the user hasn't answered).",
        "match": [["deposit", "retry.py"], ["deposit", "run"], ["deposit", "test"]],
    },
}
