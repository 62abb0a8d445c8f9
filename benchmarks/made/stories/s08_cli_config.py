"""Codex, Go: prohibitions in a long prompt, no network for modules, the first approach superseded, uncommitted on purpose."""

from benchmarks.made.record import Codex, filler, go_out, names

W = ["config", "flag", "profile", "value", "source", "key"]
L = names("TestConfig", ["Load", "Merge", "Env", "Default", "Unknown", "Profile"], 21)


def session():
    s = Codex("go-cli-config", "/home/dev/quillctl", "config-file", "2026-10-07T12:15:00", "inkwell/quillctl")
    s.user(
        "quillctl has 31 flags and people keep wrapper scripts. Add a config file.\n\nRequirements\n- ~/.config/quill/config.toml, and ./quill.toml wins over it\n- precedence: flag > env QUILL_* > ./quill.toml > home > default\n- unknown keys are an ERROR with the line number, not a warning\n- profiles: [profile.NAME], chosen with --profile\n- do not add viper. we had it, it lowercased keys and ate a weekend\n- do not change the flag names or their help texts, docs are generated from them\n- never write to the user's config file\n\nStart with a short plan in the chat, then go on without asking. Don't commit, I squash by hand."
    )
    s.say(
        "Plan:\n1. `internal/config`: load, merge, report unknown keys with line numbers.\n2. Bind the result to the existing pflag set by name; no flag changes.\n3. `--profile` and `quillctl config show` that prints each value with its source.\n4. Tests for precedence and errors.\nI’m starting with how flags are defined today."
    )
    s.update_plan(
        ("Loader with unknown-key errors", "in_progress"),
        ("Bind to flags", "pending"),
        ("Profiles and config show", "pending"),
        ("Tests", "pending"),
    )
    s.bash("git status --short --branch", "## config-file...origin/config-file")
    s.bash(
        "rg -n 'Flags\\(\\)\\.' cmd | head -60",
        "\n".join(
            f'cmd/{f}.go:{20 + i * 3}:\tcmd.Flags().{k}Var(&opts.{n.title()}, "{n}", {d}, "{h}")'
            for i, (f, k, n, d, h) in enumerate(
                [
                    ("render", "String", "paper", '"a4"', "paper size"),
                    ("render", "Int", "dpi", "300", "resolution"),
                    ("render", "Bool", "bleed", "false", "add bleed"),
                    ("render", "StringSlice", "font-dir", "nil", "font directories"),
                    ("serve", "String", "listen", '":8080"', "address"),
                    ("serve", "Duration", "idle", "60*time.Second", "idle timeout"),
                ]
                * 5
            )
        ),
    )
    s.read("cmd/root.go", filler("go", W, 150, 61))
    s.bash(
        "cat go.mod && go version && ls vendor | head",
        "module inkwell/quillctl\n\ngo 1.22\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.1\n\tgithub.com/spf13/pflag v1.0.5\n)\ngo version go1.22.5 linux/amd64\ngithub.com\nmodules.txt",
    )
    s.bash(
        "go get github.com/pelletier/go-toml/v2@v2.2.2",
        'go: github.com/pelletier/go-toml/v2@v2.2.2: Get "https://proxy.example.org/github.com/pelletier/go-toml/v2/@v/v2.2.2.info": dial tcp: lookup proxy.example.org on 127.0.0.53:53: server misbehaving',
        exit=1,
    )
    s.say(
        "The sandbox has no network, so no module can be fetched here. I’ll check whether a TOML parser is in the module cache before deciding to write anything."
    )
    s.bash(
        "ls $(go env GOMODCACHE)/github.com | head -40; ls $(go env GOMODCACHE)/cache/download/github.com/",
        "!burnt!sushi\nspf13\nstretchr\n!burnt!sushi\nspf13\nstretchr",
    )
    s.bash("ls $(go env GOMODCACHE)/github.com/\\!burnt\\!sushi", "toml@v1.3.2")
    s.bash(
        "GOFLAGS=-mod=mod GOPROXY=off go get github.com/BurntSushi/toml@v1.3.2 && go mod vendor",
        "go: added github.com/BurntSushi/toml v1.3.2",
    )
    s.say(
        "`go get` through the proxy fails here, but BurntSushi/toml v1.3.2 is in the module cache and works with `GOFLAGS=-mod=mod GOPROXY=off`. Its `MetaData.Undecoded()` lists unknown keys, so I’ll use it."
    )
    s.write(
        "internal/config/load.go",
        'package config\n\nimport "github.com/BurntSushi/toml"\n\n// Load reads one file into the struct and fails on keys it does not know.\nfunc Load(path string, into *File) error {\n\tmeta, err := toml.DecodeFile(path, into)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif rest := meta.Undecoded(); len(rest) > 0 {\n\t\treturn fmt.Errorf("%s: unknown key %s", path, rest[0])\n\t}\n\treturn nil\n}\n',
    )
    s.write("internal/config/load_test.go", "package config\n\n" + filler("go", W, 90, 62))
    s.bash(
        "go test ./internal/config -v",
        go_out(
            "inkwell/quillctl/internal/config",
            L[:12],
            failed=("TestConfigUnknown_Profile",),
            detail='    load_test.go:61: want "quill.toml:4: unknown key papper", got "quill.toml: unknown key papper"',
        ),
        exit=1,
    )
    s.say(
        "The unknown-key test is red for a real reason: `Undecoded()` gives keys without positions, so the required line number is missing. Decoding into a struct can’t give it. I’m switching: decode into a tree with `toml.Primitive`… no, v1.3.2 has no positions on primitives either.\n\nInstead I’ll keep the struct decode for types, and find the line with a small scan of the file for the key’s last part inside its table. That replaces the pure `Undecoded` approach."
    )
    s.edit(
        "internal/config/load.go",
        '\t\treturn fmt.Errorf("%s: unknown key %s", path, rest[0])',
        '\t\treturn fmt.Errorf("%s:%d: unknown key %s", path, lineOf(text, rest[0]), rest[0])',
    )
    s.write(
        "internal/config/line.go",
        'package config\n\n// lineOf finds the line of a key: inside its table, outside of strings and comments.\nfunc lineOf(text string, key toml.Key) int {\n\ttable := ""\n\tfor i, line := range strings.Split(text, "\\n") {\n\t\tif head, ok := tableHead(line); ok {\n\t\t\ttable = head\n\t\t\tcontinue\n\t\t}\n\t\tif table == strings.Join(key[:len(key)-1], ".") && assigns(line, key[len(key)-1]) {\n\t\t\treturn i + 1\n\t\t}\n\t}\n\treturn 0\n}\n',
    )
    s.bash("go test ./internal/config -v", go_out("inkwell/quillctl/internal/config", L[:14]))
    s.say("Green. Next the binding: for every flag that is not `Changed`, look up env, then the files.")
    s.write(
        "internal/config/bind.go",
        "package config\n\n// Bind sets every flag the user did not give: env first, then ./quill.toml, then home.\nfunc Bind(flags *pflag.FlagSet, env func(string) (string, bool), files ...*File) error {\n\tvar err error\n\tflags.VisitAll(func(f *pflag.Flag) {\n\t\tif err != nil || f.Changed {\n\t\t\treturn\n\t\t}\n\t\terr = set(f, env, files)\n\t})\n\treturn err\n}\n",
    )
    s.edit("cmd/root.go", "\tPersistentPreRunE: nil,", "\tPersistentPreRunE: bindConfig,")
    s.bash(
        "go test ./... 2>&1 | tail -60",
        go_out("inkwell/quillctl/internal/config", L[:18]) + "\nok  \tinkwell/quillctl/cmd\t0.391s",
    )
    s.bash(
        "go run . docs --out /tmp/docs && diff -r docs/cli /tmp/docs && echo same",
        "diff -r docs/cli/quillctl.md /tmp/docs/quillctl.md\n14a15\n>       --profile string   profile of the config file",
        exit=1,
    )
    s.say(
        "The generated docs differ only by the new `--profile` flag; the names and help texts of the 31 flags are unchanged."
    )
    s.user(
        "one thing i forgot: secrets. --token must NOT be readable from ./quill.toml (people would commit it), home file and env are fine"
    )
    s.edit("internal/config/bind.go", "\t\terr = set(f, env, files)", "\t\terr = set(f, env, allowed(f, files))")
    s.edit(
        "internal/config/load.go",
        "// Load reads one file",
        '// secret flags are refused in a project file.\nvar secret = map[string]bool{"token": true}\n\n// Load reads one file',
    )
    s.bash(
        "go test ./internal/config -run 'Secret|Token' -v",
        "testing: warning: no tests to run\nPASS\nok  \tinkwell/quillctl/internal/config\t0.004s",
    )
    s.say("That pattern matches nothing, I haven’t written the test yet. Adding it now.")
    s.edit(
        "internal/config/load_test.go",
        "func TestConfigLoad(t *testing.T) {",
        'func TestTokenInProjectFileIsAnError(t *testing.T) {\n\terr := load(t, "quill.toml", "token = \'x\'\\n")\n\trequire.ErrorContains(t, err, "quill.toml:1: token is not allowed in a project file")\n}\n\nfunc TestConfigLoad(t *testing.T) {',
    )
    s.bash(
        "go test ./internal/config -v 2>&1 | tail -70",
        go_out("inkwell/quillctl/internal/config", L[:18] + ["TestTokenInProjectFileIsAnError"]),
    )
    s.bash(
        "go vet ./... && gofmt -l cmd internal && go test ./... 2>&1 | tail -5",
        "ok  \tinkwell/quillctl/cmd\t0.402s\nok  \tinkwell/quillctl/internal/config\t0.037s",
    )
    s.bash(
        "git status --short",
        " M cmd/root.go\n M go.mod\n M go.sum\n?? internal/config/\n M vendor/modules.txt\n?? vendor/github.com/BurntSushi/",
    )
    s.say(
        "The config file works and nothing is committed.\n\n**What’s in**\n- `internal/config`: load, line numbers for unknown keys, binding with your precedence\n- `token` in `./quill.toml` is an error with file and line; home file and `QUILL_TOKEN` work\n- 19 tests in `internal/config`, `go vet` clean\n\n**What’s missing**\n- `quillctl config show` from the plan: not started\n- `--profile` is a flag and is parsed, but `[profile.NAME]` tables are **not merged yet**; today they’d be reported as unknown keys\n- Windows: the path `~/.config/quill` isn’t mapped to `%AppData%`\n\n**Risk**: `lineOf` doesn’t know multi-line strings (`'''`); a line inside one that looks like an assignment could be reported instead.\n\nNext I’d do the profiles in `internal/config/bind.go`, since `--profile` looks finished from outside but isn’t.",
        end=True,
    )
    return s


KEY = {
    "end_state": "Loader, line numbers, binding and the token rule work, 19 tests. config show isn't begun, profiles aren't merged though --profile is there. Nothing committed, as asked.",
    "goal": (
        "A config file for quillctl with precedence, errors for unknown keys and profiles",
        "Add a config file",
        [["config file"], ["config.toml"], ["quill.toml"]],
    ),
    "decisions": [
        ("BurntSushi/toml v1.3.2 from the module cache", "github.com/BurntSushi/toml v1.3.2", [["burntsushi"]]),
        (
            "Line numbers of unknown keys by lineOf, a scan of the file, beside Undecoded()",
            "find the line with a small scan",
            [["lineof"], ["line.go"], ["line number"]],
        ),
        (
            "Bind sets every flag that isn't Changed: env, ./quill.toml, home",
            "Bind sets every flag",
            [["bind.go"], ["changed", "flag"], ["config.bind"]],
        ),
        (
            "token in ./quill.toml is an error; home file and QUILL_TOKEN work",
            "must NOT be readable from ./quill.toml",
            [["token", "quill.toml"], ["quill_token"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "go get through the proxy: no network; GOFLAGS=-mod=mod GOPROXY=off with the module cache works",
            "server misbehaving",
            [["goproxy=off"], ["no network"], ["proxy.example.org"], ["module cache"]],
        ),
        (
            "Undecoded() alone has no positions",
            "gives keys without positions",
            [["undecoded"], ["without positions"], ["no positions"]],
        ),
    ],
    "constraints": [
        ("No viper", "do not add viper", [["viper"]]),
        (
            "Flag names and help texts stay, docs are generated from them",
            "do not change the flag names",
            [["flag names"], ["help text"]],
        ),
        ("Never write to the user's config file", "never write to the user", [["never write"], ["write to the user"]]),
        (
            "Precedence flag > env QUILL_* > ./quill.toml > home > default",
            "precedence: flag",
            [["flag > env"], ["precedence"]],
        ),
        (
            "No commit: the user squashes by hand",
            "I squash by hand",
            [
                ["squash"],
                ["don't commit"],
                ["don’t commit"],
                ["nothing is committed"],
                ["nothing committed"],
                ["uncommitted"],
            ],
        ),
    ],
    "open": [
        ("quillctl config show isn't begun", "config show", [["config show"]]),
        ("Windows path isn't mapped to %AppData%", "AppData", [["appdata"], ["windows"]]),
        ("lineOf doesn't know multi-line strings", "multi-line strings", [["multi-line"], ["multiline"], ["'''"]]),
    ],
    "next": (
        "Merge the profiles in internal/config/bind.go",
        "do the profiles in",
        [["profile", "bind.go"], ["profiles", "next"], ["merge", "profile"], ["profile.name"]],
    ),
    "needed": [
        (
            "--profile is parsed, but [profile.NAME] isn't merged: unknown keys today",
            "not merged yet",
            [
                ["profile", "not merged"],
                ["profile", "unknown key"],
                ["profile", "isn't"],
                ["profile", "isn’t"],
                ["profile", "not yet"],
            ],
            {"weight": 3},
        ),
        (
            "19 tests in internal/config pass, vet clean; nothing committed",
            "19 tests in",
            [["19 tests"], ["go vet"]],
            {"weight": 1},
        ),
    ],
    "checks": [("go vet ./... && gofmt -l cmd internal && go test ./...", "0.402s", "pass")],
    "traps": [
        ("Whether a TOML parser can be had is open (solved)", None, [["no module can be fetched here"]]),
        (
            "The unknown-key test is red (green)",
            None,
            [["the unknown-key test is red"], ["unknown-key test still fails"]],
        ),
        (
            "The test for the token isn't written (it is)",
            None,
            [["haven’t written the test yet"], ["haven't written the test yet"]],
        ),
        (
            "Profiles work",
            None,
            [["profiles work"], ["profiles are done"], ["profiles are merged"], ["profiles: done"]],
        ),
        ("It is committed", None, [["work is committed"], ["all committed"], ["committed as"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "quillctl reads a config file (home and ./quill.toml) with errors for unknown keys and profiles; profiles and config show are missing.",
        "match": [["config file"], ["quill.toml"], ["profile"]],
    },
    "next": {
        "text": "Merge [profile.NAME] tables in internal/config/bind.go; then config show.",
        "match": [["profile"], ["config show"]],
    },
}
