"""Fabricate secrets of many kinds, each in six contexts, in files.

    python -m benchmarks.secrets.make_secrets DIR [--seed 1] [--each 2]

The formats are the vendors' published ones, written here a second time and on purpose without
looking at the table of rules: a benchmark made from the rules would only find what they find.
A template is a text with fields: `{A36}` is 36 letters and digits, `{h32}` small hexadecimal; see
`ALPHABETS`. So nothing in this file looks like a secret.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

ALPHABETS = {
    "A": ascii_letters + digits,
    "B": ascii_letters + digits + "+/",
    "W": ascii_letters + digits + "-_",
    "L": ascii_lowercase + digits,
    "U": ascii_uppercase + digits,
    "T": ascii_uppercase + "234567",
    "a": ascii_letters,
    "h": "0123456789abcdef",
    "D": digits,
    "d": "123456789",
    "P": ascii_letters + digits + "!#%^*_+",
}
FIELD = re.compile(r"\{([A-Za-z])(\d+)\}")

# kind: (name of the variable, template)
KINDS: dict[str, tuple[str, str]] = {
    "aws-id": ("AWS_ACCESS_KEY_ID", "AKIA{T16}"),
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", "{B40}"),
    "gcp-api": ("GOOGLE_API_KEY", "AIza{W35}"),
    "gcp-oauth": ("GOOGLE_CLIENT_SECRET", "GOCSPX-{W28}"),
    "gcp-access": ("GOOGLE_TOKEN", "ya29.{W130}"),
    "azure-storage": ("AZURE_STORAGE_ACCOUNT_KEY", "{B86}=="),
    "azure-client": ("AZURE_CLIENT_SECRET", "{A3}8Q~{A34}"),
    "digitalocean": ("DIGITALOCEAN_TOKEN", "dop_v1_{h64}"),
    "heroku": ("HEROKU_API_KEY", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", "{W40}"),
    "fastly": ("FASTLY_API_TOKEN", "{W32}"),
    "linode": ("LINODE_TOKEN", "{h64}"),
    "alibaba": ("ALIBABA_ACCESS_KEY_ID", "LTAI5t{A18}"),
    "databricks": ("DATABRICKS_TOKEN", "dapi{h32}"),
    "planetscale": ("PLANETSCALE_TOKEN", "pscale_tkn_{W43}"),
    "supabase": ("SUPABASE_ACCESS_TOKEN", "sbp_{h40}"),
    "vercel": ("VERCEL_TOKEN", "{A24}"),
    "netlify": ("NETLIFY_AUTH_TOKEN", "nfp_{A36}"),
    "fly": ("FLY_API_TOKEN", "fo1_{W43}"),
    "tailscale": ("TAILSCALE_AUTHKEY", "tskey-auth-{A17}-{A32}"),
    "vault": ("VAULT_TOKEN", "hvs.{W95}"),
    "terraform": ("TF_TOKEN", "{A14}.atlasv1.{W67}"),
    "pulumi": ("PULUMI_ACCESS_TOKEN", "pul-{h40}"),
    "doppler": ("DOPPLER_TOKEN", "dp.pt.{A43}"),
    "github-pat": ("GITHUB_TOKEN", "ghp_{A36}"),
    "github-oauth": ("GH_OAUTH", "gho_{A36}"),
    "github-app": ("GH_APP_TOKEN", "ghs_{A36}"),
    "github-fine": ("GITHUB_PAT", "github_pat_{A22}_{A59}"),
    "gitlab-pat": ("GITLAB_TOKEN", "glpat-{W19}x"),
    "gitlab-deploy": ("GITLAB_DEPLOY_TOKEN", "gldt-{W19}x"),
    "gitlab-runner": ("CI_RUNNER_TOKEN", "glrt-{W19}x"),
    "bitbucket": ("BITBUCKET_CLIENT_SECRET", "{A32}"),
    "atlassian": ("JIRA_API_TOKEN", "ATATT3xFfGF0{W170}={h8}"),
    "npm": ("NPM_TOKEN", "npm_{A36}"),
    "pypi": ("PYPI_TOKEN", "pypi-AgEIcHlwaS5vcmc{W150}"),
    "rubygems": ("GEM_HOST_API_KEY", "rubygems_{h48}"),
    "dockerhub": ("DOCKER_TOKEN", "dckr_pat_{W26}x"),
    "jfrog": ("ARTIFACTORY_API_KEY", "AKCp{A69}"),
    "circleci": ("CIRCLECI_TOKEN", "CCIPAT_{A22}_{h40}"),
    "buildkite": ("BUILDKITE_TOKEN", "bkua_{h40}"),
    "sonar": ("SONAR_TOKEN", "sqp_{h40}"),
    "openai": ("OPENAI_API_KEY", "sk-{A20}T3BlbkFJ{A20}"),
    "openai-project": ("OPENAI_API_KEY", "sk-proj-{W74}T3BlbkFJ{W73}x"),
    "anthropic": ("ANTHROPIC_API_KEY", "sk-ant-api03-{W93}AA"),
    "huggingface": ("HF_TOKEN", "hf_{a34}"),
    "groq": ("GROQ_API_KEY", "gsk_{A52}"),
    "replicate": ("REPLICATE_API_TOKEN", "r8_{A37}"),
    "perplexity": ("PERPLEXITY_API_KEY", "pplx-{A48}"),
    "xai": ("XAI_API_KEY", "xai-{A80}"),
    "cohere": ("COHERE_API_KEY", "{A40}"),
    "mistral": ("MISTRAL_API_KEY", "{A32}"),
    "openrouter": ("OPENROUTER_API_KEY", "sk-or-v1-{h64}"),
    "slack-bot": ("SLACK_BOT_TOKEN", "xoxb-{d11}-{d12}-{A24}"),
    "slack-user": ("SLACK_USER_TOKEN", "xoxp-{d11}-{d12}-{d12}-{h32}"),
    "slack-app": ("SLACK_APP_TOKEN", "xapp-1-A{U10}-{d13}-{h64}"),
    "slack-webhook": ("SLACK_WEBHOOK", "https://hooks.slack.com/services/T{U10}/B{U10}/{A24}"),
    "discord-bot": ("DISCORD_BOT_TOKEN", "MT{A22}.G{A5}.{W37}x"),
    "discord-webhook": ("DISCORD_WEBHOOK", "https://discord.com/api/webhooks/{d18}/{W67}x"),
    "telegram": ("TELEGRAM_BOT_TOKEN", "{d10}:AA{W32}x"),
    "twilio": ("TWILIO_API_KEY", "SK{h32}"),
    "twilio-auth": ("TWILIO_AUTH_TOKEN", "{h32}"),
    "sendgrid": ("SENDGRID_API_KEY", "SG.{W22}.{W42}x"),
    "mailgun": ("MAILGUN_API_KEY", "key-{h32}"),
    "mailchimp": ("MAILCHIMP_API_KEY", "{h32}-us12"),
    "postmark": ("POSTMARK_SERVER_TOKEN", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    "brevo": ("BREVO_API_KEY", "xkeysib-{h64}-{A16}"),
    "stripe": ("STRIPE_SECRET_KEY", "sk_live_{A24}"),
    "stripe-restricted": ("STRIPE_KEY", "rk_live_{A99}"),
    "stripe-webhook": ("STRIPE_WEBHOOK_SECRET", "whsec_{A32}"),
    "square": ("SQUARE_ACCESS_TOKEN", "sq0atp-{W21}x"),
    "shopify": ("SHOPIFY_TOKEN", "shpat_{h32}"),
    "plaid": ("PLAID_SECRET", "{h30}"),
    "linear": ("LINEAR_API_KEY", "lin_api_{A40}"),
    "notion": ("NOTION_TOKEN", "ntn_{d11}{A35}"),
    "figma": ("FIGMA_TOKEN", "figd_{W39}x"),
    "airtable": ("AIRTABLE_TOKEN", "pat{A14}.{h64}"),
    "asana": ("ASANA_TOKEN", "{h32}"),
    "dropbox": ("DROPBOX_TOKEN", "sl.B{W134}x"),
    "hubspot": ("HUBSPOT_TOKEN", "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    "postman": ("POSTMAN_API_KEY", "PMAK-{h24}-{h34}"),
    "algolia": ("ALGOLIA_ADMIN_KEY", "{h32}"),
    "okta": ("OKTA_API_TOKEN", "00{W39}x"),
    "auth0": ("AUTH0_CLIENT_SECRET", "{W63}x"),
    "grafana": ("GRAFANA_TOKEN", "glsa_{A32}_{h8}"),
    "grafana-cloud": ("GRAFANA_CLOUD_KEY", "glc_eyJ{A100}"),
    "newrelic": ("NEW_RELIC_API_KEY", "NRAK-{U27}"),
    "datadog": ("DD_API_KEY", "{h32}"),
    "datadog-app": ("DATADOG_APP_KEY", "{h40}"),
    "sentry": ("SENTRY_AUTH_TOKEN", "sntryu_{h64}"),
    "dynatrace": ("DT_TOKEN", "dt0c01.{T24}.{T64}"),
    "age": ("AGE_KEY", "AGE-SECRET-KEY-1{U58}"),
    "jwt": ("SESSION_JWT", "{jwt}"),
    "pem": ("TLS_PRIVATE_KEY", "{pem}"),
    "openssh": ("SSH_PRIVATE_KEY", "{openssh}"),
    "url-https": ("MIRROR_URL", "https://robot:{A16}@git.corp.internal/repo.git"),
    "url-postgres": ("DATABASE_URL", "postgres://shop:{A16}@db.corp.internal:5432/shop"),
    "url-mysql": ("DATABASE_URL", "mysql://shop:{A12}@db.corp.internal/shop"),
    "url-mongodb": ("MONGO_URL", "mongodb+srv://shop:{A14}@cluster0.corp.net/shop"),
    "url-redis": ("REDIS_URL", "redis://:{A20}@cache.corp.internal:6379/0"),
    "url-amqp": ("BROKER_URL", "amqp://shop:{A16}@mq.corp.internal:5672/v"),
    "basic-auth": ("AUTHORIZATION", "{basic}"),
    "generic-password": ("ADMIN_PASSWORD", "{A2}7{P13}"),
    "generic-secret": ("SESSION_SECRET", "{A48}"),
    "generic-api-key": ("PARTNER_API_KEY", "{A32}"),
    "generic-token": ("DEPLOY_TOKEN", "{h40}"),
}

# Where in the value the secret stands, if it is not the whole of it.
INNER = {
    "slack-webhook": r"services/(.+)",
    "discord-webhook": r"webhooks/(.+)",
    "basic-auth": r"Basic (.+)",
    **dict.fromkeys((kind for kind in KINDS if kind.startswith("url-")), r"://[^:]*:([^@]+)@"),
}
CONTEXTS = ("env", "python", "yaml", "json", "escaped", "header")


class Case(NamedTuple):
    """One secret in one file."""

    kind: str
    context: str
    file: str
    secret: str
    text: str


def _base64url(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data, separators=(",", ":")).encode()).decode().rstrip("=")


def fill(template: str, rng: random.Random) -> str:
    """Return the template with characters of its alphabet for each field."""

    def field(match: re.Match[str]) -> str:
        return "".join(rng.choices(ALPHABETS[match[1]], k=int(match[2])))

    return FIELD.sub(field, template)


def _value(template: str, rng: random.Random) -> str:
    if template == "{jwt}":
        claims = {"sub": str(rng.randrange(10**9)), "name": "Robot", "iat": 1767225600, "exp": 1767229200}
        return ".".join((_base64url({"alg": "HS256", "typ": "JWT"}), _base64url(claims), fill("{W42}x", rng)))
    if template == "{basic}":
        return "Basic " + base64.b64encode(fill("robot:{A16}", rng).encode()).decode()
    if template in ("{pem}", "{openssh}"):
        title = "OPENSSH PRIVATE KEY" if template == "{openssh}" else "RSA PRIVATE KEY"
        body = [fill("{B64}", rng) for _ in range(12)]
        return "\n".join((f"-----BEGIN {title}-----", *body, f"-----END {title}-----"))
    return fill(template, rng)


def _in_context(context: str, name: str, value: str, number: int) -> str:
    lower = name.lower()
    if context == "env":
        quoted = f'"{value}"' if "\n" in value or " " in value else value
        return f"LOG_LEVEL=info\n{name}={quoted}\nPORT=8080\n"
    if context == "python":
        return (
            f'import os\n\nDEBUG = False\n{name} = """{value}"""\n'
            if "\n" in value
            else (f'import os\n\nDEBUG = False\n{name} = "{value}"\n')
        )
    if context == "yaml":
        if "\n" in value:
            return f"service:\n  {lower}: |\n" + "".join(f"    {line}\n" for line in value.split("\n"))
        return f"service:\n  port: 8080\n  {lower}: {value}\n  replicas: 2\n"
    if context == "json":
        return json.dumps({"port": 8080, lower: value, "debug": False}, indent=2) + "\n"
    if context == "escaped":
        # Every other one in quotes, which the transcript then has as `\\"`.
        written = f'"{value}"' if number % 2 or "\n" in value else value
        output = f"$ cat .env\nLOG_LEVEL=info\n{name}={written}\nPORT=8080\n"
        return json.dumps({"type": "user", "toolUseResult": {"stdout": output, "exit": 0}}) + "\n"
    if name == "AUTHORIZATION":
        return f'curl -sS -H "Authorization: {value}" https://api.corp.internal/v1/items\n'
    header = "-".join(part.capitalize() for part in name.split("_"))
    one_line = value.replace("\n", "\\n")
    return f'curl -sS -H "X-{header}: {one_line}" https://api.corp.internal/v1/items\n'


def cases(seed: int = 1, each: int = 2) -> Iterator[Case]:
    """Yield every kind in every context, `each` times, the same for the same seed."""
    rng = random.Random(seed)
    for kind, (name, template) in KINDS.items():
        for context in CONTEXTS:
            for number in range(each):
                value = _value(template, rng)
                inner = re.search(INNER[kind], value) if kind in INNER else None
                text = _in_context(context, name, value, number)
                yield Case(kind, context, f"{kind}-{context}-{number}.txt", inner[1] if inner else value, text)


def write(folder: Path, seed: int = 1, each: int = 2) -> list[Case]:
    """Write the files and return what is in them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = list(cases(seed, each))
    for case in made:
        (folder / case.file).write_text(case.text, encoding="utf-8")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="Fabricate secrets in files.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=2)
    options = parser.parse_args()
    made = write(options.folder, options.seed, options.each)
    print(f"{len(made)} files, {len(KINDS)} kinds, {len(CONTEXTS)} contexts")


if __name__ == "__main__":
    main()
