"""Passwords in addresses: `scheme://user:password@host`."""

from clew.secrets.judge import is_example_password
from clew.secrets.rules import Rule
from clew.secrets.samples import text
from clew.secrets.values import Value


def _is_no_example(_value: Value, password: str) -> bool:
    return not is_example_password(password)


def _address(id: str, *schemes: str) -> Rule:
    scheme = schemes[0]
    return Rule(
        id,
        (),
        r"[^\s]{4,200}",
        names=tuple(f"{scheme}://" for scheme in schemes),
        judge=_is_no_example,
        must=lambda: (
            f"{scheme}://robot:{text(14)}@db.internal:1234/shop",
            f'"{scheme}://robot:{text(9)}%21@10.0.0.7/0"',
            f"{scheme}://:" + text(20) + "@cache.internal",
        ),
        must_not=lambda: (
            f"{scheme}://user:password@localhost/db",
            f"{scheme}://$" + "{USER}:$" + "{PASSWORD}@localhost/db",
            f"{scheme}://localhost:1234/a@b",
            f"{scheme}://robot@db.internal:1234/shop",
            f"{scheme}://<user>:<password>@host/",
            f"{scheme}://" + "{user}:{password}@{host}",
        ),
    )


RULES = (
    _address("postgres-url-password", "postgres", "postgresql", "cockroachdb", "timescaledb"),
    _address("mysql-url-password", "mysql", "mysql2", "mariadb"),
    _address("mongodb-url-password", "mongodb"),
    _address("redis-url-password", "redis", "rediss", "valkey"),
    _address("amqp-url-password", "amqp", "amqps"),
    _address("sqlserver-url-password", "mssql", "sqlserver"),
    _address("clickhouse-url-password", "clickhouse"),
    _address("mail-url-password", "smtp", "smtps", "imap", "imaps"),
    _address("ftp-url-password", "ftp", "ftps", "sftp", "ssh"),
    _address("ldap-url-password", "ldap", "ldaps"),
    _address("message-url-password", "mqtt", "mqtts", "nats", "stomp", "kafka"),
    _address("proxy-url-password", "socks5", "socks5h", "socks4"),
    Rule(
        "url-password",
        (),
        r"[^\s]{4,200}",
        names=("://",),
        judge=_is_no_example,
        must=lambda: ("https://robot:" + text(14) + "@git.internal/x", "x-y://a:" + text(9) + "@host"),
        must_not=lambda: ("https://user:pass@example.com", "see https://host:8080/a and mail me@host"),
        generic=True,
    ),
    Rule(
        "url-token",
        ("://",),
        r"://([A-Za-z0-9_-]{24,200}+)(?::x-oauth-basic)?@(?=[\w.-]{3,100})(?![\w.-]*\.ingest\.)",
        secret_group=1,
        entropy_min=3.5,
        must=lambda: ("https://" + text(32) + "@git.internal/repo.git",),
        must_not=lambda: (
            "https://robot@git.internal/repo.git",
            "https://" + text(32) + "@o1.ingest.sentry.io/2",
        ),
        generic=True,
    ),
)
