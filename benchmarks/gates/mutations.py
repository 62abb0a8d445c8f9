"""Shell lines that change something, made: deeds, each in many ways of writing it.

Made from two lists by a seeded chance, so that every run has the same. A form counts as mutating where a shell that
really runs it in the scratch tree leaves that changed; what needs a program that is not installed is only read.
"""

# ruff: noqa: E501 - a form stands on one line

from __future__ import annotations

import base64
import random
import shlex
from collections.abc import Callable, Iterator

# Of the scratch tree: `keep.txt` is off limits, `a.txt` is another file. Each deed changes `keep.txt`.
KEEP = "keep.txt"
DEEDS = (
    *("echo x > keep.txt", "echo x >> keep.txt", "> keep.txt", ": >| keep.txt", "ls &> keep.txt", "ls >& keep.txt"),
    *("cat a.txt > keep.txt", "cat > keep.txt <<'E'\nx\nE", "printf x | tee keep.txt", "tee -a keep.txt < a.txt"),
    *("cp a.txt keep.txt", "cp -t . sub/keep.txt", "mv a.txt keep.txt", "mv keep.txt b.txt", "rm keep.txt"),
    *("rm -rf keep.txt sub", "unlink keep.txt", "ln -sf a.txt keep.txt", "ln -f a.txt keep.txt", "shred -u keep.txt"),
    *("install -m 644 a.txt keep.txt", "dd if=a.txt of=keep.txt status=none", "truncate -s 0 keep.txt"),
    *("rsync a.txt keep.txt", "chmod 600 keep.txt", "sed -i s/keep/gone/ keep.txt", "sed --in-place=.b 1d keep.txt"),
    *("sed -n 'w keep.txt' a.txt", "sed 's/a/b/w keep.txt' a.txt", "sed -n '1e rm keep.txt' a.txt", "sed -ni p keep.txt"),
    *("sed -e 1d -i keep.txt", "sed 's/.*/rm keep.txt/e' a.txt", "sed -f wr.sed a.txt", "sed 1W'\n'd a.txt; rm keep.txt"),
    *("perl -i -pe s/k/x/ keep.txt", "perl -e 'unlink \"keep.txt\"'", "python3 -c 'open(\"keep.txt\",\"w\")'"),
    *("python3 wr.py", "python3 - <<'E'\nopen('keep.txt','w')\nE", "node -e 'require(\"fs\").writeFileSync(\"keep.txt\",\"\")'"),
    *("ruby -e 'File.write(\"keep.txt\",\"\")'", "awk '{print > \"keep.txt\"}' a.txt", "awk 'BEGIN{system(\"rm keep.txt\")}'"),
    *("awk '{print | \"cat > keep.txt\"}' a.txt", "awk 'BEGIN{\"rm keep.txt\" | getline}'", "awk -f wr.awk a.txt"),
    *("awk 'BEGIN{printf \"x\" >> \"keep.txt\"}'", "awk -v c='rm keep.txt' 'BEGIN{system(c)}'", "sort -o keep.txt a.txt"),
    *("sort a.txt -okeep.txt", "sort --output=keep.txt a.txt", "sort --outp keep.txt a.txt", "uniq a.txt keep.txt"),
    *("shuf -o keep.txt a.txt", "split -l 1 a.txt keep.txt", "xxd -r -p hex.txt keep.txt", "base64 -d b64.txt > keep.txt"),
    *("find . -name keep.txt -delete", "find . -name keep.txt -exec rm {} ';'", "find . -name keep.txt -exec rm {} +"),
    *("find . -maxdepth 0 -fprint keep.txt", "find . -maxdepth 0 -fprintf keep.txt x", "find . -name keep.txt -ok rm {} ';' < y.txt"),
    *("find . -name keep.txt -execdir rm {} ';'", "find . -name keep.txt -exec sh -c 'rm \"$0\"' {} ';'"),
    *("echo keep.txt | xargs rm", "echo a.txt keep.txt | xargs cp", "xargs rm < n.txt", "find . -name keep.txt | xargs -I{} mv {} b.txt"),
    *("git rm -qf keep.txt", "git mv keep.txt b.txt", "git checkout -q old -- keep.txt", "git restore -q --source=old keep.txt"),
    *("git reset -q --hard old", "git stash -q", "git apply keep.patch", "git checkout -q old", "git switch -q --detach old"),
    *("git diff --output=keep.txt", "git log -1 --output keep.txt", "git diff --outp=keep.txt HEAD", "git show --output=keep.txt"),
    *("git archive -o keep.txt HEAD", "git bundle create keep.txt HEAD", "git -c alias.z='!rm keep.txt' z"),
    *("git -c core.pager='rm keep.txt; cat' -p log -1", "git -c diff.external='sh -c \"rm keep.txt\"' diff HEAD~1"),
    *("git grep -O'rm keep.txt; true' a", "git rebase -q -x 'rm keep.txt' HEAD~1", "git -c core.fsmonitor='rm keep.txt;false' status"),
    *("git bisect start -q HEAD old && git bisect run sh -c 'rm keep.txt'", "git clean -qfd -e nothing; git stash -q"),
    *("git cat-file blob HEAD:a.txt > keep.txt", "git show HEAD:a.txt>keep.txt", "git branch --format=x made; git checkout -q old"),
    *("patch -s -p1 < keep.patch", "patch -s keep.txt keep.patch", "tar xf keep.tar", "tar cf keep.txt a.txt"),
    *("tar tf keep.tar --checkpoint=1 --checkpoint-action=exec='rm keep.txt'", "tar xf keep.tar --to-command='rm keep.txt'"),
    *("tar -I 'sh -c \"rm keep.txt; cat\"' -tf keep.tar", "gzip keep.txt", "gunzip -f keep.txt.gz", "bzip2 keep.txt", "xz keep.txt"),
    *("ed -s keep.txt <<'E'\n1d\nw\nE", "ex -s keep.txt <<'E'\n1d\nx\nE", "vim -es -c '1d|x' keep.txt", "bash wr.sh", "sh ./wr.sh", "./wr.sh"),
    *("source ./wr.sh", ". ./wr.sh", "make -s wr", "make -f wr.mk -s", "env ./wr.sh", "script -qc 'rm keep.txt' /dev/null", "script -q keep.txt -c ls"),
    *("flock keep.txt rm keep.txt", "setsid -w rm keep.txt", "timeout 5 rm keep.txt", "nice rm keep.txt", "stdbuf -o0 rm keep.txt"),
    *("command rm keep.txt", "builtin eval 'rm keep.txt'", "env rm keep.txt", "env -i rm keep.txt", "env -S 'rm keep.txt'", "exec rm keep.txt"),
    *("nohup rm keep.txt", "/bin/rm keep.txt", "\\rm keep.txt", "r''m keep.txt", "'rm' keep.txt", "r\\m keep.txt", "$'rm' keep.txt"),
    *("$'\\x72\\x6d' keep.txt", "x=rm; $x keep.txt", "x=keep.txt; rm \"$x\"", "$(echo rm) keep.txt", "`echo rm` keep.txt", "{rm,keep.txt}"),
    *("/bin/r[m] keep.txt", "/bin/r? keep.txt", "IFS=,; c=rm,keep.txt; $c", "a=(rm keep.txt); \"${a[@]}\"", "set -- rm keep.txt; \"$@\""),
    *("x='a[$(rm keep.txt)]'; echo $((x))", "x='a[$(rm keep.txt)]'; (( x )) || :", "[[ -v 'a[$(rm keep.txt)]' ]]", "test -v 'a[$(rm keep.txt)]'"),
    *("x='a[$(rm keep.txt)]'; [[ $x -eq 0 ]]", "printf -v 'a[$(rm keep.txt)]' x", "read 'a[$(rm keep.txt)]' <<< x", "unset 'a[$(rm keep.txt)]'"),
    *("x='$(rm keep.txt)'; echo \"${x@P}\"", "x='a[$(rm keep.txt)]'; echo ${!x}", "let 'a[$(rm keep.txt)]=1'", "declare 'a[$(rm keep.txt)]=1'"),
    *("echo $[a[$(rm keep.txt)]]", "x='a[$(rm keep.txt)]'; y=abc; echo ${y:x}", "cat <<E\n$(rm keep.txt)\nE", "cat <<-E\n`rm keep.txt`\nE"),
    *("alias ls='rm keep.txt'\nshopt -s expand_aliases\nls", "shopt -s expand_aliases; alias cat='rm keep.txt #'\ncat a.txt", "ls() { rm keep.txt; }; ls"),
    *("function cat { rm keep.txt; }; cat a.txt", "trap 'rm keep.txt' EXIT", "PROMPT_COMMAND='rm keep.txt' bash -ic true", "PATH=./bin:$PATH; cat a.txt"),
    *("PATH=./bin:$PATH cat a.txt", "export PATH=./bin:$PATH; ls", "printf -v PATH %s ./bin; cat a.txt", "read PATH <<< ./bin; cat a.txt"),
    *("for PATH in ./bin; do cat a.txt; done", "BASH_ENV=./wr.sh bash -c true", "ENV=./wr.sh sh -ic true", "hash -p ./bin/cat cat; cat a.txt"),
    *("env PATH=./bin cat a.txt", "GIT_EXTERNAL_DIFF='rm keep.txt;true' git diff HEAD~1", "GIT_PAGER='rm keep.txt;cat' git -p log -1", "PAGER='rm keep.txt;cat' git -p log"),
    *("LESSOPEN='|rm keep.txt' less a.txt", "coproc rm keep.txt; wait", "exec 3> keep.txt", "exec > keep.txt; ls", "echo x <> keep.txt >&0", "case a in a) rm keep.txt;; esac"),
    *("echo 'rm keep.txt' | sh", "sh <<< 'rm keep.txt'", "bash <<'E'\nrm keep.txt\nE", "cat wr.sh | bash", "bash < wr.sh", "bash -s < wr.sh", "xargs -a n.txt rm"),
    *("diff a.txt <(rm keep.txt)", "ls > >(cat > keep.txt); sleep 0.1", "echo $(> keep.txt)", "rg --pre ./wr.sh a a.txt", "tree -o keep.txt", "file -C -m keep.txt"),
    *("date > keep.txt", "curl -s -o keep.txt file:///etc/hostname", "curl -sO file://$PWD/sub/keep.txt", "wget -qO keep.txt file:///x; rm keep.txt", "zip -qm x.zip keep.txt"),
    *("openssl rand -out keep.txt 4", "sqlite3 keep.txt 'create table t(x)'", "busybox rm keep.txt", "cpio -id < keep.cpio", "env bash wr.sh", "less -okeep.txt a.txt"),
    *("iconv -f utf8 -o keep.txt a.txt", "mapfile -C 'rm keep.txt #' -c 1 x < a.txt", "compgen -C 'rm keep.txt' x", "enable -n ls; rm keep.txt", "sdiff -o keep.txt a.txt a.txt"),
    *("base64 a.txt | tee keep.txt >/dev/null", "top -b -n1 | head -1 > keep.txt", "npm exec -- rm keep.txt", "git submodule foreach 'rm keep.txt'; rm keep.txt", "unzip -oq keep.zip"),
)  # fmt: skip


def _b64(line: str) -> str:
    return f"echo {base64.b64encode(line.encode()).decode()} | base64 -d | bash"


Q = shlex.quote
# Ways to write a line.
WAYS: tuple[Callable[[str], str], ...] = (
    lambda c: c,
    lambda c: f"({c}\n)",
    lambda c: f"{{ {c}\n}}",
    lambda c: f"! {c}",
    lambda c: f"ls; {c}",
    lambda c: f"ls && {c}",
    lambda c: f"false || {c}",
    lambda c: f"cat a.txt | head -1\n{c}",
    lambda c: f"ls # look\n{c}",
    lambda c: f"grep -rn foo . ; {c}",
    lambda c: f"{c}\nls",
    lambda c: f"cd sub/.. && {c}",
    lambda c: f"if true; then {c}\nfi",
    lambda c: f"for i in 1; do {c}\ndone",
    lambda c: f"while :; do {c}\nbreak; done",
    lambda c: f"echo $({c}\n)",
    lambda c: f'echo "$({c}\n)"',
    lambda c: f"x=$({c}\n)",
    lambda c: f": ${{y:-$({c}\n)}}",
    lambda c: f"[ -n \"$({c}\n)\" ]",
    lambda c: f"cat <({c}\n)",
    lambda c: f"{c} &\nwait",
    lambda c: f"bash -c {Q(c)}",
    lambda c: f"bash -euc {Q(c)}",
    lambda c: f"bash -lc {Q('ls; ' + c)}",
    lambda c: f"eval {Q(c)}",
    lambda c: f"eval \"$(echo {Q(c)})\"",
    lambda c: f"echo {Q(c)} | bash",
    lambda c: f"bash <<< {Q(c)}",
    lambda c: f"bash <<'EOF'\n{c}\nEOF",
    lambda c: f"cat <<EOF2\n$({c}\n)\nEOF2",
    lambda c: f"f() {{ {c}\n}}; f",
    lambda c: f"trap {Q(c)} EXIT",
    lambda c: f"env bash -c {Q(c)}",
    lambda c: f"env LC_ALL=C bash -c {Q(c)}",
    lambda c: f"timeout 9 bash -c {Q(c)}",
    lambda c: f"nice -n 1 bash -c {Q(c)}",
    lambda c: f"command bash -c {Q(c)}",
    lambda c: f"exec bash -c {Q(c)}",
    lambda c: f"echo x | xargs -I{{}} bash -c {Q(c)}",
    lambda c: f"find . -maxdepth 0 -exec bash -c {Q(c)} ';'",
    lambda c: f"bash -c \"$(cat <<'EOF3'\n{c}\nEOF3\n)\"",
    lambda c: f"c={Q(c)}; bash -c \"$c\"",
    lambda c: f"c={Q(c)}; eval $c",
    lambda c: f"case x in x) {c}\n;; esac",
    _b64,
)  # fmt: skip


def forms(count: int, seed: int) -> Iterator[str]:
    """All deeds as they are, then each in ways that chance picks, up to two in each other; none twice."""
    chance = random.Random(seed)
    seen: set[str] = set()
    for deed in DEEDS:
        if deed not in seen:
            seen.add(deed)
            yield deed
    while len(seen) < count:
        line = chance.choice(DEEDS)
        for _ in range(chance.choice((1, 1, 2))):
            line = chance.choice(WAYS)(line)
        if line not in seen:
            seen.add(line)
            yield line


# Reading programs of which an impostor is put somewhere on the PATH, and a line that runs each.
IMPOSTORS = {
    "cat": "cat a.txt", "ls": "ls -la", "head": "head -3 a.txt", "grep": "grep -n a a.txt", "wc": "wc -l a.txt",
    "sed": "sed -n 1,3p a.txt", "awk": "awk '{print $1}' a.txt", "find": "find . -name a.txt", "git": "git status",
    "sort": "sort a.txt", "stat": "stat a.txt", "tail": "tail -1 a.txt", "diff": "diff a.txt a.txt", "env": "env",
    "xargs": "echo a.txt | xargs cat", "cut": "cut -c1 a.txt", "tr": "tr a b < a.txt", "uniq": "uniq a.txt",
}  # fmt: skip
PLACES = ("./bin", "bin", "", "{root}/bin", "{root}/node_modules/.bin", "{home}/bin", "/tmp/{unique}")
