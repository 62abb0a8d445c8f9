"""Further ways to change something by a shell line, by kind of trick; each was seen to change the scratch tree when run.

`PLAIN` holds words of tools; what stands in `TRICKS` leans on how a shell reads a line. A trick is told with the shell
that it fools. `forms` puts them behind, before and into lines that only read, so that every run has the same.
"""

# ruff: noqa: E501 - a form stands on one line

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

# One command of each kind, which the tricks hide.
PLAIN = ("rm keep.txt", "touch new.txt", "cp a.txt keep.txt", "mv keep.txt new.txt")
# `{c}` is a command of PLAIN, `{w}` its words with a comma between.
TRICKS: dict[str, tuple[str, ...]] = {
    "bash": (
        # where a line ends, and what a comment is
        "echo a\r# ; {c}\n{c}", "ls #\n{c}", "ls \\\n;{c}", "ls;\n\n\n{c}", "echo 'a\n'\n{c}", "echo \"a\n\"\n{c}", "ls # x \\\n{c}", "ls;#x\n{c}",
        "echo a#b;{c}", "echo '#';{c}", "ls |\n{c}", "ls &&\n\n{c}", "false ||\n{c}", "ls&{c}", "ls&\n{c}", "{c}&", "ls|{c}", "ls|&{c}", "ls;{c};ls", "!\\\n {c}",
        # here-documents that end where nobody thinks
        "cat <<'E'\nE\n{c}", "cat <<'E' ; {c}\nx\nE", "cat <<'E' | cat\nx\nE\n{c}", "cat <<-'E'\n\tE\n{c}", "cat <<\\E\nx\nE\n{c}", "cat <<E''\nx\nE\n{c}",
        "cat <<'A' <<'B'\nA\nx\nB\n{c}", "cat <<\"E F\"\nE F\n{c}", "cat <<'E\nF'\nE\nF\n{c}", "cat <<E\n$({c})\nE", "cat <<E\n`{c}`\nE", "cat <<'E'\\\n\nx\nE\n{c}",
        "bash <<'E'\n{c}\nE", "cat <<'E' | sh\n{c}\nE", "sh <<< '{c}'", ". /dev/stdin <<'E'\n{c}\nE", "source <(echo '{c}')", "cat <<''\nx\n\n{c}", "bash -s <<'E'\n{c}\nE", "cat <<'E'\nE \nE\n{c}",
        # substitutions
        "echo $({c})", "echo `{c}`", "echo \"`{c}`\"", "echo \"$({c})\"", "echo $(( $({c}; echo 1) ))", "echo `echo \\`{c}\\``", "echo ${{x:-$({c})}}", "echo ${{x:=`{c}`}}", "cat <({c})", "ls > >({c})",
        "echo ${{x[$({c})]}}", "echo $[ $({c}; echo 1) ]", "echo \"${{x:-\"$({c})\"}}\"", "[[ $({c}) ]]", "case $({c}) in *) ;; esac", "for i in $({c}; echo 1); do :; done", "x=$({c})", "x=`{c}` ls", "ls $({c})", "ls {{a,$({c})}}",
        "echo ${{x+$({c})}}${{PATH+$({c})}}", "echo \"${{#x}}$({c})\"", "echo $'a'$({c})", "echo $\"$({c})\"", "test -n \"$({c})\"", "[ -f $({c}) ]", "cat < $({c}; echo a.txt)", "cat <<< $({c})",
        # words of the shell
        "eval {c}", "eval '{c}'", "eval e\\val {c}", "command {c}", "command eval {c}", "builtin eval {c}", "exec {c}", "time {c}", "! {c}", "coproc {c}; wait", "( {c} )", "{{ {c}; }}", "if {c}; then :; fi", "while {c}; do break; done", "until {c}; do break; done",
        "f() {{ {c}; }}; f", "function ls {{ {c}; }}; ls", "cat() ( {c} ); cat a.txt", "alias ls='{c} #'\nshopt -s expand_aliases\neval ls", "trap '{c}' EXIT", "trap '{c}' DEBUG; ls", "trap '{c}' ERR; false", "trap '{c}' USR1; kill -USR1 $$",
        "set -- {c}; \"$@\"", "set {c}; $@", "x='{c}'; $x", "x='{c}'; eval \"$x\"", "read -r x <<< '{c}'; $x", "x=({c}); \"${{x[@]}}\"", "printf -v x %s '{c}'; $x", "mapfile -t x <<< '{c}'; ${{x[0]}}", "mapfile -C '{c} #' -c 1 x < a.txt", "getopts a: x -a '{c}'; $OPTARG",
        "declare x='{c}'; $x", "export x='{c}'; bash -c '$x'", "local x; {c}", "select i in 1; do {c}; break; done <<< 1", "case x in x) {c};; esac", "[[ x ]] && {c}", "(( 1 )) && {c}", "for ((;;)); do {c}; break; done", "let x=1 && {c}", "hash -p /bin/rm ls; ls keep.txt",
        "enable -n echo; {c}", "compgen -C '{c}' x", "bind -x '\"a\":x'; {c}", "PS4='$({c})'; set -x; ls", "BASH_ENV=wr.sh bash -c ls", "ENV=wr.sh bash --posix -ic ls", "PROMPT_COMMAND='{c}' bash -ic :", "IFS=,; x={w}; $x", "x[$({c})]=1", "unset 'x[$({c})]'", "declare -n x='y[$({c})]'; echo $x",
        "printf %d 'x[$({c})]'; [[ 'x[$({c})]' -eq 0 ]]", "test -v 'x[$({c})]'", "printf -v 'x[$({c})]' 1", "read 'x[$({c})]' <<< 1", "wait -n -p 'x[$({c})]'; {c}", "echo ${{!x}}; {c}", "x='y[$({c})]'; echo $((x))", "x='$({c})'; echo \"${{x@P}}\"", "exec 3> keep.txt", "exec 3<> keep.txt 4> new.txt",
        # words that are not what they look like
        "{{{w}}}", "r\\m keep.txt", "r''m keep.txt", "\"rm\" keep.txt", "$'\\x72m' keep.txt", "/bin/r? keep.txt", "/bin/[r]m keep.txt", "~/../../../../../../../../bin/rm keep.txt", "/usr/bin/env rm keep.txt", "$SHELL -c '{c}'; bash -c '{c}'", "\\command {c}", "'command' {c}", "c\\ommand -p {c}",
        # redirections
        "ls >keep.txt", "ls 2> keep.txt", "ls >>keep.txt", "ls >|keep.txt", "ls &>keep.txt", "ls &>>keep.txt", "ls >&keep.txt", "ls >&1keep", "ls 3>keep.txt", "ls {{x}}>keep.txt", "ls <>new.txt", ">keep.txt", ">keep.txt ls", "ls > \"keep.txt\"", "ls > k*.txt", "ls >\\\nkeep.txt", "ls>'keep.txt'", "ls 2>&1>keep.txt", "ls >/dev/null >keep.txt",
        "ls >/dev/null2", "ls >/dev/../$PWD/keep.txt", "ls 2>/dev/null>keep.txt", "ls 1>keep.txt 2>/dev/null", "[[ a > keep.txt ]]; ls [[ > keep.txt", "echo '[[' > keep.txt", "time ls > keep.txt", "! ls > keep.txt", "ls > keep.txt | cat", "ls |& cat > keep.txt", "echo x >& keep.txt", "ls 0<>new.txt", "cat a.txt > ./keep.txt 2>&1",
        # wrappers
        "env {c}", "env -i {c}", "env -S '{c}'", "env A=1 {c}", "env -u A {c}", "timeout 5 {c}", "timeout -s 9 5 {c}", "nice {c}", "nice -n 5 {c}", "nohup {c}", "stdbuf -oL {c}", "setsid -w {c}", "ionice {c}", "chrt -o 0 {c}", "taskset 1 {c}", "flock a.txt {c}", "script -qc '{c}' /dev/null", "timeout 5 timeout 5 nice nice {c}", "env env env {c}",
        "echo {c} | xargs env", "echo keep.txt | xargs rm", "xargs -a n.txt rm", "find . -name keep.txt -exec rm {{}} +", "find . -maxdepth 0 -exec {c} ';'", "find -maxdepth 0 -ok {c} ';' < y.txt", "bash -c '{c}'", "bash -c -- '{c}'", "bash +x -c '{c}'", "bash -O extglob -c '{c}'", "sh -c '{c}'", "dash -c '{c}'", "busybox sh -c '{c}'", "prlimit {c}", "unshare {c}", "chroot / sh -c \"cd $PWD; {c}\"",
        # options, bundled, in the middle, as another one's value
        "sort a.txt -o keep.txt", "sort -ro keep.txt a.txt", "sort -k1 -okeep.txt a.txt", "sort --o=keep.txt a.txt", "sort -t -o -okeep.txt a.txt", "sort -t, -nro keep.txt a.txt", "sort -S1M -okeep.txt a.txt", "uniq a.txt keep.txt", "uniq -c a.txt new.txt", "uniq -- a.txt keep.txt", "uniq -f 0 a.txt keep.txt", "uniq -c - keep.txt < a.txt",
        "tree -o keep.txt", "tree -ao keep.txt", "tree -Lo 2 keep.txt", "tree -L 2 -o keep.txt", "tree -PHo '*' x keep.txt", "git diff --output=keep.txt", "git diff --output keep.txt", "git log --output=keep.txt -1", "git show --outp=keep.txt", "git diff-tree -p --output=keep.txt HEAD~1 HEAD", "git stash show --output=keep.txt || git diff --output=keep.txt",
        "git config user.email x@y && {c}", "git branch new old", "git branch -f new HEAD", "git branch -m main new", "git branch -- new", "git branch --no-track new", "git branch --list x; git branch new", "git tag new", "git tag -f new", "git tag -m x new", "git tag -a -m x new HEAD", "git symbolic-ref HEAD refs/heads/new", "git symbolic-ref -m x HEAD refs/heads/new",
        "git update-ref refs/heads/new HEAD", "git stash", "git stash push", "git stash -q", "git checkout old -- keep.txt", "git restore -s old keep.txt", "git rm -q --cached a.txt; git rm -qf keep.txt", "git clean -fd; {c}", "git -c alias.x='!{c}' x", "git --no-pager -c alias.y='!{c}' y", "git -C . branch new", "git --git-dir=.git branch new", "git grep -O'{c};:' keep", "git grep --open='{c};:' keep",
        "git -c core.fsmonitor='{c};false' status", "git -c diff.external='sh -c \"{c}\"' diff old", "git reflog delete HEAD@{{0}}; git branch new", "git switch -q -c new", "git worktree add -q sub/new old", "git notes add -m x; git branch new", "git bisect start -q; git bisect run sh -c '{c}' || {c}", "git archive -o new.tar HEAD", "git format-patch -q -1 -o sub", "git bundle create -q new.b HEAD",
        "sed -i 1d keep.txt", "sed -ni 1p keep.txt", "sed -i.b 1d keep.txt", "sed 1d -i keep.txt", "sed -e 1d -i keep.txt", "sed -e w -e keep.txt a.txt; {c}", "sed 'w keep.txt' a.txt", "sed '1w keep.txt' a.txt", "sed -n '/a/w new.txt' a.txt", "sed 's/a/b/w keep.txt' a.txt", "sed 's/a/b/gw keep.txt' a.txt", "sed 's/a/{c}/e' a.txt; {c}", "sed '1e {c}' a.txt", "sed -n '1{{e {c}\n}}' a.txt",
        "sed 's/[/]/x/;w keep.txt' a.txt", "sed 's|a|b|;w keep.txt' a.txt", "sed '1!w keep.txt' a.txt", "sed --in-place 1d keep.txt", "sed --i 1d keep.txt", "sed -f wr.sed a.txt", "sed -s 'w keep.txt' a.txt", "sed 'y/a/b/;w keep.txt' a.txt", "sed -l1ep 'w keep.txt' a.txt", "sed -E -i 1d keep.txt", "sed -z 'w keep.txt' a.txt", "sed 1,2w\\ keep.txt a.txt; {c}", "sed '$!N;w keep.txt' a.txt",
        "find . -name keep.txt -delete", "find . -fprint new.txt", "find . -fprintf new.txt x", "find . -fls new.txt", "find . -maxdepth 0 -fprint0 new.txt", "find -execdir {c} ';'", "find . -name 'x' -o -name keep.txt -delete", "find . '(' -name keep.txt ')' -exec rm '{{}}' \\;", "date -r a.txt; {c}", "file -C -m a.txt; {c}", "printf %s > keep.txt", "xxd a.txt keep.txt", "xxd -r hex.txt keep.txt",
        "tee keep.txt < a.txt", "tee < a.txt -- keep.txt", "dd if=a.txt of=keep.txt", "base64 a.txt > keep.txt", "split -l1 a.txt new", "csplit -s a.txt 1", "iconv -o keep.txt a.txt", "gzip keep.txt", "gzip -f -k keep.txt", "gzip -- keep.txt", "tar cf new.tar a.txt", "tar -cf new.tar a.txt", "ln -s a.txt new", "mkdir new", "mkfifo new", "mktemp -p .", "install a.txt new", "truncate -s0 keep.txt", "chmod 600 keep.txt",
        "jq . data.json > keep.txt; {c}", "cp a.txt new", "shred -u keep.txt", "unlink keep.txt", "python3 -c 'open(\"new.txt\",\"w\")'", "perl -e 'unlink \"keep.txt\"'", "node -e 'require(\"fs\").writeFileSync(\"new.txt\",\"\")'", "awk 'BEGIN{{system(\"{c}\")}}'", "awk '{{print > \"new.txt\"}}' a.txt", "awk 'BEGIN{{\"{c}\" | getline}}'", "awk -v x=1 'BEGIN{{print | \"{c}\"}}'", "make -f wr.mk", "make wr",
        "rg --pre ./wr.sh a a.txt", "rg --pre=./wr.sh a a.txt", "rg -e a --pre ./wr.sh a.txt", "rg -e -- --pre=./wr.sh a.txt", "rg -n --hostname-bin ./wr.sh --hyperlink-format '{{host}}' a a.txt; {c}", "cat a.txt | ./wr.sh", "./bin/cat a.txt", "bin/ls", "PATH=bin:$PATH ls", "PATH=./bin ls", "env PATH=bin ls", "cd bin && ./ls; cd ..; {c}", ". wr.sh", "source ./wr.sh", ". ./wr.sh version", "bash wr.sh --version", "sh ./wr.sh --help",
    ),
    "dash": (
        "ls &>keep.txt", "ls >&1; {c}", "ls >keep.txt", "cat <<'E'\nE\n{c}", "x='{c}'; $x", "eval {c}", "echo '\\c'; {c}", "trap '{c}' EXIT", "trap '{c}' 0", ". ./wr.sh", "command {c}", "f() {c}; f", "echo $(({{x=1}})) || {c}; {c}", "echo \"$({c})\"", "echo `{c}`", "set -- {c}; \"$@\"", "ls>|keep.txt", "ls <>new.txt", "alias l='{c}'\nl", "exec {c}", "{c} &\nwait", "read x <<E\n{c}\nE\n$x", "test -f a.txt && {c}",
    ),
    "zsh": (
        "=rm keep.txt; {c}", "echo *(e:'{c}':)", "echo a.txt(e:'{c}':)", "ls **/*(+l) || {c}", "noglob {c}", "nocorrect {c}", "- {c}", "command {c}", "builtin eval '{c}'", "repeat 1 {c}", "repeat 1; {c}", "for i (1) {c}", "if [[ 1 ]] {{ {c} }}", "{{ ls }} always {{ {c} }}", "ls > new.txt > new2.txt", "> new.txt", "ls >! keep.txt", "ls >>! new.txt", "ls >&| keep.txt", "cat =({c})", "print -rn x > new.txt", "eval ${{:-{c}}}", "x=({c}); $x", "${{=x-{c}}}",
        "ls 1>&2 2>new.txt", "echo ${{(e):-'$({c})'}}", "x='{c}'; eval $x", "x='{c}'; ${{=x}}", "print ${{(%):-%x}} > new.txt", "printf '%d' 'x[$({c})]' ; {c}", "(( x[$({c})] )) || {c}", "[[ -n $({c}) ]]", "zmodload zsh/files && zf_rm keep.txt", "zmodload zsh/system; sysopen -w -o creat -u 3 new.txt", "autoload -X x || {c}", "TRAPEXIT() {{ {c} }}", "precmd() {{ {c} }}; precmd", "function {{ {c} }}", "() {{ {c} }}", "alias -g Z='; {c}'; eval 'ls Z'", "alias -s txt='{c};:'; eval ./a.txt", "setopt braceccl; {c}",
        "echo a 'b''c'; {c}", "cat <<<$({c})", "ls |& tee new.txt", "exec {c}", "exec -a x {c}", "while {c}; do break; done", "foreach i (1); {c}; end", "select i in 1; do {c}; break; done <<< 1", "coproc {c}; wait", "{c} &!\nsleep 0.2", "{c} &|\nsleep 0.2", "time {c}", "case x {{ x) {c} ;; }}", "[ -f a.txt ] && {c}", "PATH=./bin ls", "path=(./bin $path); ls", "hash ls=./wr.sh; ls", "ls <(touch new.txt)", "ls 2> new.txt", "ls {{fd}}> new.txt",
    ),
}  # fmt: skip
READING = ("ls -la", "git status --short", "cat a.txt | head -3", "grep -rn a .", "sed -n '1,3p' a.txt")


def forms(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Pairs of a shell and a line that changes something in it: every trick with every command, then beside lines that
    read; none twice, and no more than `count`.
    """
    chance = random.Random(seed)
    made = dict.fromkeys(
        (shell, trick.format(c=command, w=command.replace(" ", ",")))
        for (shell, tricks), command in itertools.product(TRICKS.items(), PLAIN)
        for trick in tricks
    )
    first = list(made)
    while len(made) < count:
        shell, line = chance.choice(first)
        beside = chance.choice(("{1}; {0}", "{1}\n{0}", "{0}\n{1}", "{1} 2>/dev/null; {0}"))
        made[shell, beside.format(line, chance.choice(READING))] = None
    yield from list(made)[:count]
