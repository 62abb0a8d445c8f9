"""Programs that only read, with the options with which they do: what `readonly` holds a shell line against.

Nothing in here makes a program write a file, run another program or open the network (but for `gh`): not those of GNU,
macOS and busybox, nor ugrep and bfs, which clients put in the place of grep and find. What is not sure is left out:
`awk`, `xargs`, `less` and `man` run programs, `arch` does so on macOS, `go env` may fetch a compiler, `xxd` and `tee`
write. Whoever adds a row looks for options that write, run or connect, also by their beginning, in a bundle of letters,
as the value of another option, and behind a file's name.
"""

# Programs that only read, whatever their words are.
FREE = frozenset(
    """: b2sum basename cat cd cksum cmp column comm cut df diff dir dirname du echo expand expr false fmt fold free
    groups head hexdump id join ls md5sum nl nproc od paste pgrep printenv ps pwd readlink realpath rev seq sha1sum
    sha224sum sha256sum sha384sum sha512sum shasum sleep strings sum tac tail tr true tty type uname unexpand uptime wc
    which who whoami""".split()
)
_GREP = """--after-context= --before-context= --color= --colour= --context= --count --exclude-dir= --exclude=
    --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --include=
    --invert-match --line-number --line-regexp --max-count= --no-filename --no-messages --null --only-matching
    --perl-regexp --quiet --recursive --regexp= --text --version --with-filename --word-regexp"""
_REFS = "--contains= --format= --ignore-case --merged= --no-color --no-column --no-contains= --no-merged= --sort="
# Common to the commands by which git shows history and differences.
_HISTORY = """--abbrev-commit --abbrev= --after= --all --ancestry-path --author= --before= --boundary --branches
    --branches= --cached --cc --check --cherry --cherry-pick --color --color-words --color= --committer=
    --compact-summary --count --date-order --date= --decorate --decorate= --diff-algorithm= --diff-filter= --dirstat
    --exit-code
    --find-renames --find-renames= --first-parent --follow --format= --full-index --function-context --graph --grep=
    --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --invert-grep --left-right
    --max-count= --merge-base --merges --minimal --name-only --name-status --no-abbrev-commit --no-color
    --no-commit-id --no-decorate --no-ext-diff --no-index --no-merges --no-notes --no-patch --no-prefix --no-renames
    --no-textconv --no-walk --not --numstat --objects --oneline --parents --patch --patch-with-stat --patience
    --pickaxe-all --pickaxe-regex --porcelain --pretty --pretty= --quiet --raw --relative --remotes --reverse --root
    --shortstat --show-email --simplify-by-decoration --since= --skip= --staged --stat --stat= --submodule
    --submodule= --summary --tags --tags= --text --topo-order --unified= --until= --walk-reflogs --word-diff
    --word-diff="""

# By program, or by program and sub-command (a comma stands between several): the letters of its options; the letters
# with a value, which may stand in the same word; how many other words it may have at most; whole options, where
# `--name=` may have a value. `_`: none, `*`: any number.
_TABLE = {
    "grep, egrep, fgrep": f"EFGHILPRTUabchilnoqrsvwxyz0123456789 ABCDdefm * {_GREP}",
    "rg":
        "FHILNPSUacilnopqsuvwx.0123456789 ABCEMTdefgjmrt * --after-context= --before-context= --case-sensitive "
        "--color= --column --context= --count --count-matches --files --files-with-matches --files-without-match "
        "--fixed-strings --follow --glob= --heading --hidden --iglob= --ignore-case --invert-match --json "
        "--line-number --line-regexp --max-columns= --max-count= --max-depth= --multiline --multiline-dotall "
        "--no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --null --only-matching --passthru "
        "--pcre2 --pretty --regexp= --replace= --smart-case --sort= --sortr= --stats --text --trim --type-list "
        "--type-not= --type= --version --vimgrep --with-filename --word-regexp",
    # A test has one dash; a number may be below zero (`-mtime -7`, `-size -10k`).
    "find":
        "0123456789kMGcbw _ * -a -and -o -or -not -true -false -depth -daystart -follow -mount -xdev -E -H -L -P "
        "-empty -executable -readable -writable -nouser -nogroup -print -print0 -ls -prune -quit -name -iname -path "
        "-ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -perm -user -group -uid "
        "-gid -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -maxdepth -mindepth -links "
        "-inum -samefile -fstype -regextype -printf",
    "sort":
        "CMRVbcdfghimnrsuz kt * --reverse --unique --numeric-sort --human-numeric-sort --version-sort "
        "--general-numeric-sort --month-sort --ignore-case --stable --check --key= --field-separator=",
    "stat": "FLflnqrstx c * --format= --printf= --terse --dereference --file-system",
    "file": "LNbhiknr0 _ * --brief --mime --mime-type --mime-encoding --dereference",
    # Behind a letter that takes the next word as its value, tree reads on in the same one (`-Lo 2 FILE` writes), and
    # `-R` writes, too: so it has no letters but those that are safe in any place.
    "tree":
        "ACDFILNPQSUacdfghilnpqrstuvx0123456789 _ * --noreport --dirsfirst --filesfirst --gitignore --filelimit= "
        "--prune --du --si --charset= --sort= --ignore-case",
    "jq":
        "CMRSacehjnrs Lf * --arg --argjson --args --compact-output --exit-status --indent= --join-output "
        "--null-input --raw-input --raw-output --slurp --sort-keys --tab --version",
    "base64": "Dd _ * --decode",
    # A further word sets the clock, and names the file that is written.
    "date": "u _ 0",
    "uniq": "cdiu _ 0 --count --repeated --unique --ignore-case",
    "zcat, gzcat, bzcat, xzcat, zstdcat, command -v, command -V": "_ _ *",
    # A further word of these would set what they show.
    "env, hostname, gh auth status, git version, git --version, git symbolic-ref HEAD, git symbolic-ref "
    "--short HEAD, git clean -n, git clean -nd, git clean -dn, git clean -nfd, git clean --dry-run, git "
    "config user.name, git config user.email, git config core.hooksPath, git config remote.origin.url, set "
    "-e, set -u, set -eu, set -o pipefail, set -euo pipefail, set -eo pipefail, python --version, python3 "
    "--version, node --version, make --version, ruby --version, gh --version, docker --version, rg --version, "
    "clew --version, clew --help": "_ _ 0",
    "git log, git show, git diff, git blame, git shortlog, git whatchanged, git rev-list, git range-diff, git "
    "cherry, git diff-tree, git diff-index, git diff-files, git reflog show, git stash list, git stash show":
        f"EFPRWabcefgimpqrstuvwz0123456789 CGLMSUln * {_HISTORY}",
    "git reflog": f"EFPRWabcefgimpqrstuvwz0123456789 CGLMSUln 0 {_HISTORY}",
    "git status":
        "bsvz u * --short --branch --show-stash --porcelain --porcelain= --long --ignored --ignored= "
        "--untracked-files --untracked-files= --no-renames --ahead-behind --no-ahead-behind --verbose",
    "git ls-files":
        "cdikmostuvz x * --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard "
        "--exclude= --error-unmatch --full-name --directory --eol --abbrev",
    "git ls-tree": "dlrtz _ * --name-only --name-status --full-name --full-tree --long --abbrev --format=",
    "git grep":
        f"EFGHILPWachilnpqrvwz0123456789 ABCefm * {_GREP} --cached --untracked --and --or --not --show-function "
        "--function-context --name-only --heading --break --column --all-match",
    "git rev-parse":
        "q _ * --show-toplevel --abbrev-ref --short --short= --verify --quiet --git-dir --git-path --git-common-dir "
        "--absolute-git-dir --is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --symbolic "
        "--symbolic-full-name --all --branches --tags --remotes",
    "git for-each-ref, git show-ref":
        f"ds _ * {_REFS} --count= --points-at= --merged --no-merged --contains --heads --tags --head --hash "
        "--dereference --abbrev --verify --quiet",
    "git cat-file": "epst _ * --batch --batch-check --batch-all-objects",
    "git describe": "_ _ * --tags --always --all --long --dirty --abbrev= --contains --exact-match --match=",
    "git merge-base, git name-rev, git check-ignore, git count-objects":
        "Hanvz _ * --all --is-ancestor --fork-point --octopus --name-only --tags --refs= --verbose --no-index",
    # A further word would make a branch, a tag or a remote.
    "git branch": f"arv _ 0 {_REFS} --all --remotes --verbose --show-current --list --merged --no-merged --points-at=",
    "git branch --list, git branch -a --list, git branch -r --list": f"arv _ * {_REFS}",
    "git branch --contains, git branch -a --contains, git branch -r --contains, git branch --merged, git "
    "branch --no-merged, git branch -r --merged, git branch -a --merged": f"arv _ 1 {_REFS}",
    "git tag": f"ln0123456789 _ 0 {_REFS} --list --points-at=",
    "git tag -l, git tag --list": f"n0123456789 _ * {_REFS}",
    "git tag --contains, git tag --points-at": f"_ _ 1 {_REFS}",
    "git remote": "v _ 0 --verbose",
    "git remote get-url": "_ _ * --all --push",
    "git worktree list, git submodule status, git notes list, git notes show, git bisect log":
        "v _ * --porcelain --verbose --recursive --cached",
    "git config --get, git config --get-all, git config --get-regexp, git config --list, git config -l, git "
    "config --global --get, git config --global --list, git config --local --get, git config --local --list":
        "z _ * --global --local --system --show-origin --show-scope --name-only --null --includes",
    "gh pr view, gh pr list, gh pr diff, gh pr checks, gh pr status, gh issue view, gh issue list, gh issue "
    "status, gh run view, gh run list, gh repo view, gh repo list, gh release view, gh release list, gh label "
    "list, gh workflow list, gh search issues, gh search prs, gh search code, gh search repos, gh search "
    "commits":
        "civ ABHLRSabejlqstu * --all --assignee= --attempt= --author= --base= --branch= --color= --comments --draft "
        "--event= --exit-status --head= --include --job= --jq= --json= --label= --language= --limit= --log "
        "--log-failed --match= --name-only --order= --owner= --paginate --patch --repo= --required --search= "
        "--slurp --sort= --state= --status= --template= --user= --verbose --workflow=",
    # A GET, as long as it has no field.
    "gh api": "i qt * --jq= --template= --paginate --slurp --include",
    # They keep the task's record, in no file of the work tree. What only a person may do, clew itself refuses.
    "clew status, clew drift, clew confirm, clew pressure, clew gate, clew worktree list, "
    "clew stack list, clew task list, clew plan questions, clew plan lint, clew show, clew log, clew resume, "
    "clew sessions, clew plan show, clew stack show, clew task show, clew phase diff, clew search, clew lint, "
    "clew note, clew decide, clew reject, clew learn, clew ask, clew answer, clew resolve, clew supersede, "
    "clew retract, clew pin, clew checkpoint, clew validate, clew trust, clew plan new, clew plan edit, clew "
    "plan prompt, clew plan approve, clew plan reopen, clew gate restore, clew gate allow":
        "h m * --all --always --at= --blocking --budget= --ci --client= --draft= --dry-run --exit-code --file= "
        "--from= --goal= --guard= --help --ids --json --keep-going --key= --kind= --limit= --list --lock --message= "
        "--names --no-stack --owner= --profile= --rule= --session= --since= --stat --status= --tag= --task= "
        "--template= --topic= --until= --user --why= --by= --revoke=",
}  # fmt: skip
ROWS = {tuple(name.split()): row for names, row in _TABLE.items() for name in names.split(",")}

# They read, ask, plan, or start what is asked itself (a sub-agent's tools). Sources: docs/clients.
TOOLS = frozenset(
    (
        # Claude Code
        "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoWrite TodoRead Task Agent ExitPlanMode EnterPlanMode "
        "AskUserQuestion Skill SlashCommand BashOutput KillShell KillBash TaskCreate TaskUpdate TaskList TaskGet "
        "TaskOutput TaskStop ToolSearch ListMcpResourcesTool ReadMcpResourceTool StructuredOutput SendMessage LSP "
        # Codex
        "update_plan view_image spawn_agent wait_agent wait close_agent send_input resume_agent list_mcp_resources "
        "list_mcp_resource_templates read_mcp_resource request_user_input web_search tool_search list_dir grep_files "
        # Gemini CLI
        "read_file read_many_files list_directory glob search_file_content grep_search google_web_search web_fetch "
        "write_todos ask_user enter_plan_mode exit_plan_mode codebase_investigator get_internal_docs activate_skill "
        "delegate_to_agent complete_task "
        # OpenCode
        "read grep list task todowrite todoread webfetch websearch codesearch skill question lsp plan_enter plan_exit "
        "invalid"
    ).split()
)
# Those of clew's own MCP server, as clients name them.
OWN_TOOLS = ("mcp__clew__", "mcp_clew_", "clew_")
