"""Passwords that stand where a command or statement expects one: `mysql -p…`, `sshpass -p …`, `echo … | docker login`.

The place names the value as well as a name would, so the value itself is judged as a password or token is.
"""

import re

from clew.secrets.judge import is_example_password, is_password, is_random, stands_out
from clew.secrets.rules import LEFT, Rule, Span
from clew.secrets.samples import hexed, text

# The rest of the command: to the end of its line, at most to the next command.
_REST = r"(?:(?!\\n)[^\n|;&]){0,160}?\s"
_QUOTE = r"(?:\\{0,3}[\"'])?"
_VALUE = rf"{_QUOTE}([^\s\"'`\\]{{6,200}}+)"


def _argument(match: re.Match[str]) -> Span | None:
    value = match[1]
    if is_example_password(value) or not (is_password(value) or is_random(value)):
        return None
    return match.span(1)


def _among_words(match: re.Match[str]) -> Span | None:
    return match.span(1) if len(match[1]) >= 12 and stands_out(match[1]) else None


def _dsn(match: re.Match[str]) -> Span | None:
    """`user:password@tcp(` in front of a Go driver's host."""
    start = max(0, match.start() - 240)
    pattern = r"(?<![A-Za-z0-9_.])[\w.-]{1,60}:([^\s\"'`\\{}<>]{4,90})@tcp\([\w.-]{1,80}\Z"
    found = re.search(pattern, match.string[start : match.start()])
    if found is None or is_example_password(found[1]):
        return None
    return start + found.start(1), start + found.end(1)


def _command(id: str, keywords: tuple[str, ...], after: str, *must: str, must_not: tuple[str, ...] = ()) -> Rule:
    """One place: a keyword, then `after` (a pattern), then the value. In examples `@` stands for a password."""
    either = "|".join(map(re.escape, keywords))
    return Rule(
        id,
        keywords,
        rf"{LEFT}(?i:{either}){after}{_VALUE}",
        secret_group=1,
        must=lambda: tuple(
            example.replace("@", value) for example in must for value in (text(9) + "7Kq", text(11) + "!5x")
        ),
        must_not=lambda: (
            *(example.replace("@", value) for example in must for value in ("$PASSWORD", "<password>", "hunter2", "x")),
            *must_not,
        ),
        locate=_argument,
    )


RULES = (
    _command(
        "mysql-argument",
        ("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb-dump", "mariadb -"),
        rf"(?:{_REST}{_QUOTE}-|(?<=-))p",
        "mysql -h db -u shop -p@ shop",
        "mysqldump -ushop '-p@' shop",
        must_not=("mysql -P 3306 -p shop_2025a",),
    ),
    _command(
        "login-argument",
        ("docker login", "podman login", "registry login", "az login", "twine upload", "mongosh", "mongodump"),
        rf"{_REST}-p(?:\s|=)",
        "docker login -u robot -p @ registry.internal",
        must_not=("docker login then docker run -p 127.0.0.1:8080", "mongosh --port 27017 -p"),
    ),
    _command("sshpass-argument", ("sshpass",), r"\s{1,3}-p\s?", "sshpass -p @ ssh host"),
    _command(
        "redis-argument",
        ("redis-cli",),
        rf"{_REST}(?:-a|--pass|(?i:auth))\s(?:default\s)?",
        "redis-cli -h cache -a @ ping",
        "redis-cli AUTH @",
        must_not=("redis-cli -h cache-a1b2c3d4e5.internal ping",),
    ),
    _command("ldap-argument", ("ldapsearch", "ldapadd", "ldapmodify"), rf"{_REST}-w\s", "ldapsearch -x -w @ -b dc=a"),
    _command(
        "capital-p-argument",
        ("sqlcmd", "mosquitto_pub", "mosquitto_sub", "unzip", "zip -"),
        rf"{_REST}-P\s?",
        "sqlcmd -S db -U sa -P @ -Q x",
        must_not=("mosquitto_pub -p 18830 -t a",),
    ),
    Rule(
        "short-flag-argument",
        ("login ", " -p ", " -w ", " -k ", " -t "),
        rf"(?i:login(?:\s-\S{{1,30}}){{0,2}}|\s-[pwkt])\s{{1,3}}{_VALUE}",
        secret_group=1,
        must=lambda: (
            "vault login " + text(24),
            "tool login --token-only " + text(24),
            "useradd -p " + text(24) + " bob",
            "security add-generic-password -a bob -s a -w " + text(24),
        ),
        must_not=lambda: (
            "grep -w parseUtf8TextOfLines a.py",
            "docker run -p 8080:80 shop",
            "git log -p " + hexed(40),
            "the login LoginPageV2Component",
        ),
        locate=_among_words,
        generic=True,
    ),
    _command("archive-argument", ("7z a", "7z x", "7za a", "7za x"), rf"{_REST}-p", "7z a -p@ backup.7z data/"),
    _command("broker-argument", ("add_user ", "change_password "), r"[\w.-]{1,40}\s", "rabbitmqctl add_user shop @"),
    _command("htpasswd-argument", ("htpasswd -",), r"\w{0,4}b\w{0,4}\s\S{1,80}\s\S{1,40}\s", "htpasswd -b a.txt bob @"),
    _command(
        "gh-secret-body",
        ("secret set ", "variable set "),
        r"[\w-]{1,80}\s(?:(?!\\n)[^\n|;&]){0,80}?(?:--body|-b)[\s=]?",
        'gh secret set DEPLOY -b"@"',
        "gh secret set DEPLOY --env live --body @",
        must_not=("fly secrets set --app shop-2025a",),
    ),
    _command(
        "openssl-password",
        ("openssl ",),
        rf"{_REST}(?:-k\s|-pass(?:in|out)?\s{_QUOTE}pass:)",
        "openssl enc -aes-256-cbc -k @ -in a",
        "openssl rsa -in a.pem -passin pass:@",
        must_not=("openssl enc -kfile secret2025.txt -in a",),
    ),
    _command("keygen-passphrase", ("ssh-keygen",), rf"{_REST}-[NP]\s", "ssh-keygen -t ed25519 -N @ -f k"),
    _command("lftp-password", ("lftp -",), r"u\s[\w.-]{1,40},", "lftp -u robot,@ ftp.internal"),
    _command("samba-argument", ("smbclient",), rf"{_REST}-U\s?[\w.\\-]{{1,40}}%", "smbclient //nas/x -U bob%@"),
    _command("server-password", ("requirepass", "masterauth"), r"\s", "requirepass @"),
    _command(
        "sql-password",
        ("identified by", "with password", "set password", "encrypted password"),
        r"\s{1,3}(?:=\s?)?(?=\\{0,3}')",
        "CREATE USER shop IDENTIFIED BY '@';",
        "ALTER USER shop WITH PASSWORD '@';",
    ),
    _command("composer-argument", ("config http-basic.",), r"\S{1,80}\s\S{1,40}\s", "composer config http-basic.a b @"),
    _command("http-argument", ("http -a ", "https -a "), r"[\w.-]{1,40}:", "http -a robot:@ https://a/"),
    _command(
        "secure-string",
        ("convertto-securestring ",),
        r"(?:-String\s)?(?=\\{0,3}[\"'])",
        'ConvertTo-SecureString "@" -AsPlainText',
    ),
    Rule(
        "go-dsn-password",
        (":3306)", ":3307)"),
        r":330[67]\)",
        must=lambda: ("shop:" + text(14) + "@tcp(db.internal:3306)/shop",),
        must_not=lambda: ("user:password@tcp(localhost:3306)/db", "{user}:{password}@tcp({host}:3306)/db"),
        locate=_dsn,
    ),
    Rule(
        "piped-secret",
        ("echo ", "printf "),
        rf"{LEFT}(?:echo|printf)\s(?:-n\s)?{_QUOTE}(?:[\w.-]{{1,40}}:)?([^\s\"'`\\|]{{8,512}}+){_QUOTE}(?:\\n{_QUOTE})?\s"
        r"\|\s(?:sudo -S|(?:sudo\s)?chpasswd|(?:gh|fly|vercel|wrangler|docker|podman|helm|kubectl|gcloud|npx|aws|az)\s"
        r"(?:(?!\\n)[^\n|;&]){0,80}?(?:secret|login|env add|password|token))",
        secret_group=1,
        must=lambda: (
            "echo " + text(40) + " | gh secret set NPM_TOKEN",
            "echo 'robot:" + text(12) + "' | chpasswd",
            "echo " + text(12) + " | docker login -u robot --password-stdin",
        ),
        must_not=lambda: (
            "echo $TOKEN | gh secret set NPM_TOKEN",
            "echo " + text(40) + " | sha256sum",
            "echo hello-world-2025 | docker login",
        ),
        locate=_argument,
    ),
)
