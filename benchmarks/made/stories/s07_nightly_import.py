"""Python: topics change in mid-session; the last one is the goal, the earlier ones are done, dropped or deferred."""

from benchmarks.made.record import Claude, filler, names, pytest_out

W = ["feed", "row", "batch", "station", "sensor", "gap"]
T = {
    "tests/test_import.py": names("test_", ["row", "gap", "batch", "dst", "dup"], 19),
    "tests/test_cli.py": names("test_", ["run", "dry", "since"], 6),
}


def session():
    s = Claude(
        "py-nightly-import",
        "/home/dev/tidegauge",
        "main",
        "2026-10-25T18:02:00",
        "seawall/tidegauge",
        model="claude-haiku-4-5",
    )
    s.user("the nightly import of last night has 3 stations with an hour missing: 02:00-03:00. why")
    s.bash(
        "python -m tidegauge report --night 2026-10-25 --missing",
        "station  from                 to\nHL-02    2026-10-25T02:00     2026-10-25T03:00\nHL-07    2026-10-25T02:00     2026-10-25T03:00\nNB-11    2026-10-25T02:00     2026-10-25T03:00",
        desc="Report",
    )
    s.read("tidegauge/importer.py", filler("py", W, 140, 51))
    s.grep(
        "tzinfo|ZoneInfo|fold",
        "tidegauge/importer.py:71:    when = datetime.strptime(row[0], FORMAT).replace(tzinfo=BERLIN)\ntidegauge/importer.py:96:    seen = {r.when for r in rows}",
        path="tidegauge",
    )
    s.say(
        "It was the night of the clock change. 02:00-03:00 exists **twice**; the importer makes no difference (`fold` is never set), so the second hour has the same key as the first and `seen` drops it as a duplicate. Only stations that send local time are hit: HL-02, HL-07 and NB-11; the others send UTC."
    )
    s.edit(
        "tidegauge/importer.py",
        "    when = datetime.strptime(row[0], FORMAT).replace(tzinfo=BERLIN)",
        "    when = datetime.strptime(row[0], FORMAT).replace(tzinfo=BERLIN, fold=fold_of(row, before))",
    )
    s.edit(
        "tidegauge/importer.py",
        "def parse(row):",
        'def fold_of(row, before):\n    """1 when local time went back against the row before, else what the row before had."""\n    if before is None:\n        return 0\n    return 1 if row[0] < before.text else before.fold\n\n\ndef parse(row, before=None):',
    )
    s.bash(
        "python -m pytest -v",
        pytest_out(
            T,
            failed=("test_dst_gap",),
            detail="    def test_dst_gap():\n>       assert [r.fold for r in rows] == [0, 0, 1, 1, 0]\nE       assert [0, 0, 1, 1, 1] == [0, 0, 1, 1, 0]\n\ntests/test_import.py:88: AssertionError",
        ),
        exit=1,
        desc="Tests",
    )
    s.say("fold has to go back to 0 after 03:00. It only matters while the local time is ambiguous.")
    s.edit(
        "tidegauge/importer.py",
        "    return 1 if row[0] < before.text else before.fold",
        "    if not ambiguous(row[0]):\n        return 0\n    return 1 if row[0] < before.text else before.fold",
    )
    s.bash("python -m pytest -v", pytest_out(T), desc="Tests")
    s.commit(
        "Import: tell the two hours of the clock change apart",
        ["tidegauge/importer.py", "tests/test_import.py"],
        31,
        3,
        sha="18be0f4",
    )
    s.bash("git push", "To git.example.org:seawall/tidegauge.git\n   e0c21aa..18be0f4  main -> main", desc="Push")
    s.say(
        "Fixed and pushed (`18be0f4`). The three hours of last night aren't imported again yet: `python -m tidegauge run --since 2026-10-25T00:00 --station HL-02,HL-07,NB-11` would do it."
    )
    s.user("i did the reimport, worked. other thing: CI takes 11 minutes, 8 of it is pip install. can we cache that")
    s.bash(
        "cat .github/workflows/ci.yml",
        "name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-python@v5\n        with:\n          python-version: '3.12'\n      - run: pip install -r requirements.txt\n      - run: python -m pytest",
        desc="Workflow",
    )
    s.bash(
        "pip download --no-deps -r requirements.txt 2>&1 | grep -i 'building\\|sdist' | head",
        "  Downloading netcdf4-1.7.1.tar.gz (sdist)\n  Building wheel for netcdf4 (pyproject.toml): started",
        desc="What is built",
    )
    s.say(
        "Caching helps with the downloads, but most of the 8 minutes is `netcdf4` being **built from source** (the pin 1.7.1 has no wheel for 3.12 there). 1.7.2 has one."
    )
    s.edit("requirements.txt", "netcdf4==1.7.1", "netcdf4==1.7.2")
    s.edit(
        ".github/workflows/ci.yml",
        "          python-version: '3.12'",
        "          python-version: '3.12'\n          cache: pip",
    )
    s.bash(
        "pip install -r requirements.txt -q && python -m pytest -q",
        ".........................                                                [100%]\n25 passed in 3.01s",
        desc="With the new pin",
        secs=22,
    )
    s.commit(
        "CI: cache pip, netcdf4 with a wheel", [".github/workflows/ci.yml", "requirements.txt"], 2, 1, sha="d77a3c0"
    )
    s.bash(
        "git push && sleep 100 && gh run list --limit 1",
        "To git.example.org:seawall/tidegauge.git\n   18be0f4..d77a3c0  main -> main\ncompleted\tsuccess\tCI: cache pip, netcdf4 with a wheel\tci\tmain\tpush\t9920113311\t1m48s",
        desc="Push and watch",
        secs=104,
    )
    s.say("CI is down from 11 min to **1 min 48 s**.")
    s.user("wow. ok. while we are at it, could the importer run in parallel per station? its 40 min for 300 stations")
    s.bash(
        "python -X importtime -m tidegauge run --dry --station HL-02 2>&1 | tail -3; python -m cProfile -s cumtime -m tidegauge run --dry --station HL-02 | head -20",
        "   ncalls  tottime  cumtime filename:lineno(function)\n        1    0.001    8.020 cli.py:31(run)\n      288    7.110    7.110 {method 'recv' of '_socket.socket'}\n      288    0.402    0.410 importer.py:66(parse)",
        desc="Where is the time",
    )
    s.say(
        "It waits on the network: 288 requests, one every five minutes of data, 7.1 of 8.0 s. Options:\n\n- **A** threads over stations: `ThreadPoolExecutor(8)`, 40 min → about 5 min. The provider's terms say at most 4 connections, though.\n- **B** ask for whole days: the provider has `/v2/day`, one request instead of 288. 40 min → below 2 min, no threads. Needs a new parser, since v2 answers JSON.\n\nI would do B."
    )
    s.user(
        "B sounds right but not now, the provider wants to change v2 in december, lets wait for that. put it in TODO.md. "
        "what i really need today is a docker image, the new server has no python. slim, non root user, cron inside is ok, config via env. dont bake the token in!! and dont publish it anywhere, i build it on the server"
    )
    s.bash(
        "cat TODO.md; ls",
        "# TODO\n\n- plots per harbour\nREADME.md\nTODO.md\nrequirements.txt\ntidegauge\ntests",
        desc="TODO and layout",
    )
    s.edit(
        "TODO.md",
        "- plots per harbour",
        "- plots per harbour\n- import whole days through /v2/day (wait for the provider's change of v2 in December)",
    )
    s.grep(
        "TOKEN",
        "tidegauge/config.py:12:TOKEN = open(Path.home() / '.tidegauge-token').read().strip()",
        path="tidegauge",
    )
    s.say(
        "The token is read from a file in the home directory at **import time**. For a container it has to come from the environment; I keep the file as fallback."
    )
    s.edit(
        "tidegauge/config.py",
        "TOKEN = open(Path.home() / '.tidegauge-token').read().strip()",
        "def token():\n    found = os.environ.get('TIDEGAUGE_TOKEN')\n    return found or (Path.home() / '.tidegauge-token').read_text().strip()",
    )
    s.write(
        "Dockerfile",
        'FROM python:3.12-slim\nRUN useradd --create-home gauge\nWORKDIR /app\nCOPY requirements.txt .\nRUN pip install --no-cache-dir -r requirements.txt\nCOPY tidegauge tidegauge\nUSER gauge\nCMD ["python", "-m", "tidegauge", "run"]\n',
    )
    s.write(".dockerignore", ".git\ntests\n*.nc\n.tidegauge-token\n")
    s.bash(
        "docker build -t tidegauge .",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        exit=1,
        desc="Build",
    )
    s.bash(
        "which podman buildah && podman build -t tidegauge .",
        '/usr/bin/podman\n/usr/bin/buildah\nSTEP 1/8: FROM python:3.12-slim\nSTEP 5/8: RUN pip install --no-cache-dir -r requirements.txt\nSTEP 8/8: CMD ["python", "-m", "tidegauge", "run"]\nCOMMIT tidegauge\nSuccessfully tagged localhost/tidegauge:latest\nd41b7702',
        desc="Build with podman",
        secs=64,
    )
    s.bash(
        "podman run --rm --env-file dummy.env tidegauge python -m tidegauge run --dry --station HL-02",
        "PermissionError: [Errno 13] Permission denied: '/app/state.json'",
        exit=1,
        desc="Try it",
    )
    s.say(
        "Docker's daemon isn't running here, `podman` works. The image builds; the run fails since `state.json` is written to the working directory, which belongs to root. The state has to live on a volume anyway."
    )
    s.edit(
        "tidegauge/config.py",
        "STATE = Path('state.json')",
        "STATE = Path(os.environ.get('TIDEGAUGE_STATE', 'state.json'))",
    )
    s.edit(
        "Dockerfile",
        "USER gauge",
        "RUN mkdir /state && chown gauge /state\nENV TIDEGAUGE_STATE=/state/state.json\nVOLUME /state\nUSER gauge",
    )
    s.bash(
        "podman build -q -t tidegauge . && podman run --rm --env-file dummy.env tidegauge python -m tidegauge run --dry --station HL-02",
        "9f3310aa\nHL-02: 288 rows (dry)",
        desc="Build and try again",
        secs=31,
    )
    s.say(
        "The image runs now. Cron: `slim` has none, and cron as a non-root user is awkward (it drops the environment). I'd rather not put it in the image: **supercronic** is one static binary made for that, or the server's own systemd timer starts `podman run`. Which one?",
        end=True,
    )
    s.user("systemd timer on the server then. write me the unit files into deploy/, i copy them over tomorrow")
    s.write(
        "deploy/tidegauge.service",
        "[Unit]\nDescription=Nightly tide gauge import\n\n[Service]\nType=oneshot\nEnvironmentFile=/etc/tidegauge.env\nExecStart=/usr/bin/podman run --rm --env-file /etc/tidegauge.env -v tidegauge-state:/state tidegauge\n",
    )
    s.write(
        "deploy/tidegauge.timer",
        "[Unit]\nDescription=Nightly tide gauge import\n\n[Timer]\nOnCalendar=*-*-* 04:30:00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
    )
    s.bash(
        "systemd-analyze verify deploy/tidegauge.service deploy/tidegauge.timer; git status --short",
        "deploy/tidegauge.service: Command /usr/bin/podman is executable\n M TODO.md\n M tidegauge/config.py\n?? .dockerignore\n?? Dockerfile\n?? deploy/",
        desc="Check units",
    )
    s.say(
        "`deploy/tidegauge.service` and `deploy/tidegauge.timer` are there (04:30, after the clock change's hour). The token goes into `/etc/tidegauge.env` on the server, it's nowhere in the image.\n\nNot committed yet: Dockerfile, .dockerignore, deploy/, config.py, TODO.md. I have **not run the test suite** since the change of `config.py`; `tests/test_cli.py` patches `config.TOKEN`, which is a function `token()` now, so I expect it to break. That comes first next time, then the commit.",
        end=True,
    )
    return s


KEY = {
    "end_state": "Import bug and CI cache are done and pushed; parallel import is deferred. The container work (Dockerfile, units, config) is uncommitted, tests not run since config.py changed.",
    "goal": (
        "A Docker image for the new server, run by a systemd timer; unit files in deploy/",
        "what i really need today is a docker image",
        [["docker image"], ["dockerfile"], ["systemd timer"], ["deploy/"]],
    ),
    "decisions": [
        (
            "Clock change: fold is set for the second 02:00-03:00 hour, 18be0f4",
            "18be0f4",
            [["18be0f4"], ["fold_of"], ["fold`"], ["fold", "03:00"], ["clock change"]],
        ),
        (
            "CI: netcdf4 1.7.2 has a wheel, pip cache; 11 min to 1 min 48 s, d77a3c0",
            "1 min 48 s",
            [["d77a3c0"], ["netcdf4"], ["1 min 48"], ["1m48"]],
        ),
        (
            "Whole days through /v2/day instead of threads; in TODO.md, not now",
            "B sounds right but not now",
            [["/v2/day"], ["v2", "december"], ["whole days"]],
            {"by": "user"},
        ),
        (
            "systemd timer on the server instead of cron in the image",
            "systemd timer on the server then",
            [["systemd timer"], ["tidegauge.timer"]],
            {"by": "user"},
        ),
        (
            "Token from TIDEGAUGE_TOKEN, state from TIDEGAUGE_STATE on a volume",
            "TIDEGAUGE_STATE",
            [["tidegauge_token"], ["tidegauge_state"]],
        ),
    ],
    "failed": [
        ("Docker's daemon isn't running here, podman build works", "Cannot connect to the Docker daemon", [["podman"]]),
        (
            "state.json in the working directory: permission denied as non-root",
            "Permission denied: '/app/state.json'",
            [["state.json"], ["/state", "volume"]],
        ),
    ],
    "constraints": [
        (
            "Slim, non root user, config through the environment",
            "non root user",
            [["non root"], ["non-root"], ["slim"]],
        ),
        ("Token not in the image", "dont bake the token in", [["bake the token"], ["token", "image"]]),
        ("Don't publish the image anywhere", "dont publish it anywhere", [["publish"]]),
    ],
    "open": [
        (
            "test_cli.py patches config.TOKEN, which is token() now: expected to break",
            "patches `config.TOKEN`",
            [["config.token"], ["test_cli.py"]],
        ),
        (
            "The user copies the unit files to the server tomorrow",
            "i copy them over tomorrow",
            [["copy them over"], ["copies them"], ["copy", "server"], ["/etc/tidegauge.env"]],
        ),
    ],
    "next": (
        "Run the tests, adapt tests/test_cli.py to token(), then commit the container work",
        "That comes first next time",
        [["test_cli"], ["run the test", "commit"], ["test suite", "config.py"], ["config.token"]],
    ),
    "needed": [
        (
            "Uncommitted: Dockerfile, .dockerignore, deploy/, tidegauge/config.py, TODO.md",
            "Not committed yet",
            [["not committed"], ["uncommitted"], ["dockerfile", "deploy/", "config.py"]],
            {"weight": 3},
        ),
        (
            "Suite not run since the change of config.py",
            "not run the test suite",
            [["not run the test"], ["tests not run"], ["not been run"], ["suite since"], ["untested", "config.py"]],
            {"weight": 3},
        ),
    ],
    "checks": [
        ("python -m pytest -q", "25 passed in 3.01s", "pass"),
        ("podman run … tidegauge run --dry", "HL-02: 288 rows (dry)", "pass"),
    ],
    "traps": [
        (
            "The three hours aren't imported again (the user did it)",
            None,
            [["aren't imported again yet"], ["reimport is pending"], ["still to reimport"]],
        ),
        (
            "The goal is the missing hour",
            None,
            [["goal: the nightly import of last night"], ["request: the nightly import of last night has 3"]],
        ),
        (
            "Cron or supercronic is undecided (answered)",
            None,
            [["which one?"], ["supercronic is one static binary"], ["**supercronic**"]],
        ),
        (
            "The run fails for state.json (fixed)",
            None,
            [["the run fails since `state.json`"], ["the image does not run"]],
        ),
        (
            "The test of the clock change is red (green)",
            None,
            [["fold has to go back to 0 after 03:00"], ["test_dst_gap is red"]],
        ),
        ("The importer shall run in parallel now", None, [["threadpoolexecutor(8)"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "A container for the new server with systemd units in deploy/; files are there, uncommitted and not tested after the change of config.py.",
        "match": [["docker"], ["systemd"], ["deploy/"]],
    },
    "next": {
        "text": "Run python -m pytest, fix tests/test_cli.py for token(), commit the container work.",
        "match": [["test_cli"], ["pytest"], ["config.token"], ["config.py", "test"]],
    },
}
