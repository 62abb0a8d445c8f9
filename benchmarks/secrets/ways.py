"""Ways in which a text names a secret, or holds one of a published shape.

`WAYS`: name -> template. `{A36}` is a field as in `make_secrets`; `⟪…⟫` stands around what must not survive;
`‹b64:…›` and `‹pct:…›` are what stands in them, in base64 or percent-encoded. Written from what people, programs and
vendors' pages do, without looking at the rules.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from benchmarks.secrets.make_secrets import fill

KEY = "⟪{A40}⟫"
PASSWORD = "⟪{A3}7{P9}K⟫"

COMMANDS = {
    "aws-configure-set": "aws configure set aws_secret_access_key ⟪{B40}⟫ --profile prod",
    "npm-config-set": f"npm config set //registry.corp.internal/:_authToken {KEY}",
    "npm-config-equals": f"npm config set //registry.corp.internal/:_authToken={KEY}",
    "git-config": f"git config --global github.token {KEY}",
    "setx": f"setx OPENAI_API_KEY {KEY}",
    "setx-quoted": f'setx PARTNER_TOKEN "{KEY}" /M',
    "cmd-set": f"set PARTNER_API_KEY={KEY}",
    "csh-setenv": f"setenv PARTNER_API_KEY {KEY}",
    "fish-set": f"set -gx PARTNER_API_KEY {KEY}",
    "fish-set-x": f"set -x DEPLOY_TOKEN {KEY}",
    "export": f"export PARTNER_API_KEY={KEY}; ./run",
    "docker-env": f"ENV API_TOKEN {KEY}",
    "docker-arg": f"docker build --build-arg NPM_TOKEN={KEY} .",
    "docker-run-env": f"docker run -e API_KEY={KEY} shop:1",
    "apache-setenv": f"    SetEnv APP_SECRET {KEY}",
    "launchctl": f"launchctl setenv API_TOKEN {KEY}",
    "gh-secret-body": f"gh secret set NPM_TOKEN --body {KEY}",
    "gh-secret-body-quoted": f'gh secret set DEPLOY_KEY --body "{KEY}" --env prod',
    "gh-secret-b": f"gh secret set NPM_TOKEN -b {KEY}",
    "gh-secret-pipe": f"echo {KEY} | gh secret set NPM_TOKEN",
    "gh-secret-herestring": f'gh secret set NPM_TOKEN <<< "{KEY}"',
    "doppler": f"doppler secrets set PARTNER_API_KEY {KEY}",
    "heroku": f"heroku config:set SESSION_SECRET={KEY}",
    "fly": f"fly secrets set SESSION_SECRET={KEY} -a shop",
    "vercel-pipe": f"printf '{KEY}' | vercel env add API_TOKEN production",
    "pulumi": f"pulumi config set --secret shop:dbPassword {PASSWORD}",
    "poetry": f"poetry config pypi-token.pypi {KEY}",
    "composer": f"composer config http-basic.repo.corp.internal robot {KEY}",
    "firebase": f'firebase functions:config:set partner.api_key="{KEY}"',
    "kubectl-literal": f"kubectl create secret generic shop --from-literal=password={PASSWORD}",
    "kubectl-registry": f"kubectl create secret docker-registry r --docker-password={PASSWORD}",
    "helm-set": f"helm upgrade shop ./shop --set auth.password={PASSWORD}",
    "ssm": f"aws ssm put-parameter --name /shop/db/password --value {PASSWORD} --type SecureString",
    "secretsmanager": f"aws secretsmanager create-secret --name shop/db --secret-string {PASSWORD}",
    "az-keyvault": f"az keyvault secret set --vault-name v --name api-key --value {KEY}",
    "cfn-parameter": f"aws cloudformation deploy --parameter-overrides DbPassword={PASSWORD}",
    "cfn-parameters": f"--parameters ParameterKey=DbPassword,ParameterValue={PASSWORD}",
    "docker-login": f"docker login registry.corp.internal -u robot -p {PASSWORD}",
    "docker-login-first": f"docker login -u robot -p {PASSWORD} registry.corp.internal",
    "docker-login-stdin": f"echo {PASSWORD} | docker login -u robot --password-stdin",
    "helm-login": f"helm registry login -u robot -p {PASSWORD} registry.corp.internal",
    "oc-login": f"oc login https://api.corp.internal:6443 --token={KEY}",
    "az-login": f"az login --service-principal -u app -p {PASSWORD} --tenant t",
    "mysql-p": f"mysql -h db.corp.internal -u shop -p{PASSWORD} shop",
    "mysqldump-p": f"mysqldump -ushop '-p{PASSWORD}' shop > shop.sql",
    "mysqladmin": f"mysqladmin -u root -p{PASSWORD} status",
    "mongosh": f'mongosh "mongodb://db.corp.internal" -u shop -p {PASSWORD}',
    "sshpass": f"sshpass -p {PASSWORD} ssh robot@host",
    "sshpass-quoted": f"sshpass -p '{PASSWORD}' scp a robot@host:",
    "sshpass-joined": f"sshpass -p{PASSWORD} ssh robot@host",
    "redis-cli": f"redis-cli -h cache.corp.internal -a {PASSWORD} ping",
    "redis-cli-quoted": f'redis-cli -a "{PASSWORD}" KEYS "*"',
    "redis-auth": f"redis-cli AUTH {PASSWORD}",
    "redis-conf": f"requirepass {PASSWORD}",
    "redis-masterauth": f"masterauth {PASSWORD}",
    "curl-u": f"curl -u robot:{PASSWORD} https://api.corp.internal/",
    "curl-u-quoted": f"curl -s -u 'robot:{PASSWORD}' https://api.corp.internal/",
    "curl-u-joined": f"curl -urobot:{PASSWORD} https://api.corp.internal/",
    "curl-user": f'curl --user "robot:{PASSWORD}" https://api.corp.internal/',
    "curl-data": "curl -d 'grant_type=password&username=a&password=⟪{A14}7⟫' https://x/",
    "wget": f"wget --http-password={PASSWORD} https://x/",
    "httpie": f"http -a robot:{PASSWORD} https://api.corp.internal/",
    "ldapsearch": f"ldapsearch -x -D cn=admin,dc=corp -w {PASSWORD} -b dc=corp",
    "sqlcmd": f"sqlcmd -S db.corp.internal -U sa -P {PASSWORD} -Q 'select 1'",
    "rabbitmqctl": f"rabbitmqctl add_user shop {PASSWORD}",
    "htpasswd": f"htpasswd -b /etc/nginx/.htpasswd robot {PASSWORD}",
    "zip": f"7z a -p{PASSWORD} backup.7z data/",
    "unzip": f"unzip -P {PASSWORD} backup.zip",
    "mosquitto": f"mosquitto_pub -h mq -u robot -P {PASSWORD} -t a -m b",
    "smbclient": f"smbclient //nas/share -U robot%{PASSWORD}",
    "openssl-pass": f"openssl rsa -in key.pem -passin pass:{PASSWORD}",
    "keytool": f"keytool -list -keystore k.jks -storepass {PASSWORD}",
    "gpg": f"gpg --batch --passphrase {PASSWORD} -d a.gpg",
    "sudo": f"echo '{PASSWORD}' | sudo -S systemctl restart shop",
    "chpasswd": f"echo 'robot:{PASSWORD}' | chpasswd",
    "sql-alter": f"ALTER USER shop WITH PASSWORD '{PASSWORD}';",
    "sql-identified": f"CREATE USER 'shop'@'%' IDENTIFIED BY '{PASSWORD}';",
    "twine": f"twine upload -u __token__ -p {KEY} dist/*",
    "ansible": f"ansible all -m ping -e ansible_ssh_pass={PASSWORD}",
}

TRACES = {
    "set-x": f"+ PARTNER_API_KEY={KEY}",
    "set-x-export": f"++ export 'DB_PASSWORD={PASSWORD}'",
    "set-x-curl": f"+ curl -fsS -H 'X-Api-Key: {KEY}' https://api.corp.internal",
    "set-x-bearer": f"+ curl -H 'Authorization: Bearer {KEY}' https://api.corp.internal",
    "set-x-login": f"+ docker login -u robot -p {PASSWORD} registry.corp.internal",
    "env-dump": f'declare -x DEPLOY_TOKEN="{KEY}"',
    "http-trace": f"> Authorization: Bearer {KEY}",
    "http-log": f"header: x-api-key={KEY}",
    "query": f"GET /v1/items?api_key={KEY}&page=2 HTTP/1.1",
    "query-token": f"https://api.corp.internal/v1?access_token={KEY}",
    "cookie": f"Cookie: theme=dark; session={KEY}",
    "nginx-header": f'proxy_set_header Authorization "Bearer {KEY}";',
    "nginx-api-key": f"proxy_set_header X-Api-Key {KEY};",
}

CODE = {
    "js-or": f'const apiKey = process.env.PARTNER_API_KEY || "{KEY}";',
    "js-nullish": f"const token = process.env.DEPLOY_TOKEN ?? '{KEY}';",
    "python-or": f'api_key = os.environ.get("PARTNER_API_KEY") or "{KEY}"',
    "python-get": f'api_key = os.environ.get("PARTNER_API_KEY", "{KEY}")',
    "ruby-or": f'secret = ENV["APP_SECRET"] || "{KEY}"',
    "ruby-fetch": f'ENV.fetch("APP_SECRET") {{ "{KEY}" }}',
    "php-elvis": f"$password = getenv('DB_PASSWORD') ?: '{PASSWORD}';",
    "bash-default": f'TOKEN="${{DEPLOY_TOKEN:-{KEY}}}"',
    "bash-assign-default": f": ${{PARTNER_API_KEY:={KEY}}}",
    "compose-default": f"      API_TOKEN: ${{API_TOKEN:-{KEY}}}",
    "spring-default": f"spring.datasource.password=${{DB_PASSWORD:{PASSWORD}}}",
    "rust-unwrap-or": f'let key = env::var("PARTNER_API_KEY").unwrap_or("{KEY}".to_string());',
    "rust-unwrap-or-else": f'env::var("DEPLOY_TOKEN").unwrap_or_else(|_| "{KEY}".into())',
    "argparse-default": f'parser.add_argument("--api-key", default="{KEY}")',
    "pydantic-default": f'api_key: str = Field(default="{KEY}")',
    "pydantic-secret": f'password: SecretStr = SecretStr("{PASSWORD}")',
    "name-value": f'{{"name": "PARTNER_API_KEY", "value": "{KEY}"}}',
    "name-value-lines": f'{{\n  "name": "DB_PASSWORD",\n  "value": "{PASSWORD}"\n}}',
    "name-value-escaped": f'{{\\"name\\":\\"PARTNER_API_KEY\\",\\"value\\":\\"{KEY}\\"}}',
    "value-name": f'{{"value": "{KEY}", "name": "PARTNER_API_KEY"}}',
    "key-value": f'{{"Key": "DbPassword", "Value": "{PASSWORD}"}}',
    "parameter-value": f'{{"ParameterKey": "DbPassword", "ParameterValue": "{PASSWORD}"}}',
    "yaml-name-value": f"- name: DB_PASSWORD\n  value: {PASSWORD}",
    "yaml-name-value-quoted": f'- name: PARTNER_API_KEY\n  value: "{KEY}"',
    "hcl-name-value": f'  name  = "API_TOKEN"\n  value = "{KEY}"',
    "xml-add": f'<add key="PartnerApiKey" value="{KEY}" />',
    "xml-property": f'<property name="password" value="{PASSWORD}"/>',
    "xml-element": f"<password>{PASSWORD}</password>",
    "html-input": f'<input type="hidden" name="csrf_token" value="{KEY}">',
    "powershell-env": f'$env:PARTNER_API_KEY = "{KEY}"',
    "powershell-set": f'[Environment]::SetEnvironmentVariable("API_TOKEN", "{KEY}", "User")',
    "powershell-secure": f'$pw = ConvertTo-SecureString "{PASSWORD}" -AsPlainText -Force',
    "php-define": f"define('DB_PASSWORD', '{PASSWORD}');",
    "c-define": f'#define API_TOKEN "{KEY}"',
    "ruby-rocket": f':password => "{PASSWORD}"',
    "lisp-setq": f'(setq partner-api-key "{KEY}")',
    "lisp-setenv": f'(setenv "API_TOKEN" "{KEY}")',
    "rust-method": f'Client::new().api_key("{KEY}")',
    "go-struct": f'Config{{Password: "{PASSWORD}"}}',
    "list": f'API_KEYS = ["{KEY}", "⟪{{A40}}⟫"]',
    "yaml-list": f"tokens:\n  - {KEY}\n  - ⟪{{A40}}⟫",
    "plus": 'const apiKey = "⟪{A24}⟫" +\n  "⟪{A24}⟫";',
    "adjacent": 'API_KEY = (\n    "⟪{A24}⟫"\n    "⟪{A24}⟫"\n)',
    "padding": "SECRET_KEY=⟪{B43}=⟫",
    "padding-double": 'secret_key: "⟪{B22}==⟫"',
    "padding-yaml": "encryption_key: ⟪{B43}=⟫",
    "padding-json": '{"signing_secret": "⟪{B86}==⟫"}',
    "padding-comma": "Password=⟪{B22}==⟫;Timeout=3",
    "supabase": "SUPABASE_KEY=⟪{A40}⟫",
    "vendor-key": 'GEMINI_KEY="⟪{A39}⟫"',
    "vendor-key-code": 'stripe_key = "⟪{A32}⟫"',
    "bedrock": "AWS_BEARER_TOKEN_BEDROCK=⟪ABSK‹b64:BedrockAPIKey-{L4}-at-{d12}:{A40}›⟫",
    "dsn-go": f"shop:{PASSWORD}@tcp(db.corp.internal:3306)/shop",
    "jdbc": "jdbc:mysql://db/shop?user=shop&password=⟪{A13}7⟫",
    "ado": f"Server=db;Database=shop;User Id=sa;Password={PASSWORD};",
    "odbc-pwd": f"Driver=x;Server=db;Uid=sa;Pwd={PASSWORD};",
    "otpauth": "otpauth://totp/Shop:ann?secret=⟪{T32}⟫&issuer=Shop",
    "sas": "https://shop.blob.core.windows.net/c?sv=2024-11-04&se=2027-01-01&sr=c&sp=rl&sig=⟪‹pct:{B43}=›⟫",
    "sas-encoded": "url=https%3A%2F%2Fshop.blob.core.windows.net%2Fc%3Fsv%3D2024-11-04%26sig%3D⟪{A40}%252Bab%253D⟫",
    "sas-amp": "https://shop.blob.core.windows.net/c?sv=2024-11-04&amp;sig=⟪‹pct:{B43}=›⟫&amp;se=2027",
    "sas-first": "SharedAccessSignature sig=⟪‹pct:{B43}=›⟫&se=1767225600&skn=root&sr=ns",
}

FILES = {
    "pgpass": f"db.corp.internal:5432:shop:robot:{PASSWORD}",
    "pgpass-port": f"db.corp.internal:6543:*:robot:{PASSWORD}",
    "pgpass-any": f"*:*:*:postgres:{PASSWORD}",
    "yaml-block": f"api_key: |\n  {KEY}",
    "yaml-folded": f"password: >-\n  {PASSWORD}",
    "terraform": f'variable "db_password" {{\n  type    = string\n  default = "{PASSWORD}"\n}}',
    "cargo-login": "cargo login ⟪cio{A32}⟫",
    "netrc": f"machine api.corp.internal login robot password {PASSWORD}",
    "netrc-lines": f"machine api.corp.internal\n  login robot\n  password {PASSWORD}",
    "pypirc": f"[pypi]\nusername = __token__\npassword = {KEY}",
    "npmrc": f"//registry.example.org/:_authToken={KEY}",
    "my-cnf": f"[client]\nuser=shop\npassword={PASSWORD}",
    "rclone": "[s3]\ntype = s3\nsecret_access_key = ⟪{B40}⟫",
    "wifi": f"wpa_passphrase={PASSWORD}",
    "ansible-vars": f"ansible_become_pass: {PASSWORD}",
    "k8s-string-data": f"kind: Secret\nstringData:\n  password: {PASSWORD}",
    "k8s-data": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  password: ⟪‹b64:{A9}7{P5}K›⟫",
    "k8s-data-any": "kind: Secret\ntype: Opaque\ndata:\n  pgsql: ⟪‹b64:{A9}7{P7}K›⟫\n  user: cm9ib3Q=",
    "k8s-data-json": '{"kind": "Secret", "data": {"pgsql": "⟪‹b64:{A9}7{P7}K›⟫"}}',
    "k8s-data-first": "data:\n  pgsql: ⟪‹b64:{A9}7{P7}K›⟫\nkind: Secret\n",
    "base64-env": "echo ⟪‹b64:DB_PASSWORD={A14}7K›⟫ | base64 -d > .env",
    "base64-call": 'json.loads(base64.b64decode("⟪‹b64:{"api_key": "{A40}"}›⟫"))',
    "base64-atob": 'const c = atob("⟪‹b64:ghp_{A36}›⟫");',
    "base64-pem": "tls.key: ⟪‹b64:-----BEGIN PRIVATE KEY-----\n{B64}\n{B64}\n{B40}\n-----END PRIVATE KEY-----\n›⟫",
    "pem-tail": "⟪{B64}\n{B64}\n{B64}\n{B30}==⟫\n-----END PRIVATE KEY-----",
    "pem-tail-escaped": "⟪{B64}\\n{B64}\\n{B64}\\n{B30}==⟫\\n-----END RSA PRIVATE KEY-----\\n",
    "pem-tail-numbered": "    9→⟪{B64}\n   10→{B64}\n   11→{B30}==⟫\n   12→-----END EC PRIVATE KEY-----",
    "csv": "user,password,email\nann,⟪{A3}7{A9}K⟫,a@corp.internal\nbob,⟪{A3}7{A9}K⟫,b@corp.internal",
    "aws-csv": "Access key ID,Secret access key\n⟪AKIA{T16}⟫,⟪{B40}⟫",
    "tsv": "service\tapi_key\npartner\t⟪{A40}⟫",
}

PROSE = {
    "said": f"Set it up. My api key is {KEY} and that is it.",
    "said-colon": f"my API key: {KEY}",
    "said-was": f"the password was {PASSWORD}, change it",
    "said-set-to": f"I set the password to {PASSWORD} yesterday",
    "said-staging": f"the password for staging is {PASSWORD}",
    "said-use-as": f"use {KEY} as the api key",
    "said-as-password": f"log in as ann with {PASSWORD} as the password",
    "said-front": f"use the {KEY} key for staging",
    "said-equals": f"api key = {KEY}",
    "said-dash": f"API key - {KEY}",
    "said-arrow": f"password → {PASSWORD}",
    "said-here": f"here is the token: {KEY}",
    "said-line": f"The access token:\n\n{KEY}\n",
    "said-fence": f"Use this API key:\n```\n{KEY}\n```\n",
    "said-pw": f"user ann, pw: {PASSWORD}",
    "said-pass": f"login: ann pass: {PASSWORD}",
    "said-still": f"the token is still {KEY}",
    "said-pat": f"my PAT is {KEY}",
    "html-cells": f"<td>API key</td>\n  <td>{KEY}</td>",
    "said-pair": f"credentials: ann / {PASSWORD}",
    "said-slack": f"*Password:* `{PASSWORD}`",
    "said-bold": f"**API key**: `{KEY}`",
    "table-row": f"| OPENAI_API_KEY | {KEY} |",
    "table-row-code": f"| `DB_PASSWORD`   | `{PASSWORD}` |",
    "table-column": f"| to | api key | by |\n| --- | --- | --- |\n| a | {KEY} | ann |\n| b | ⟪{{A40}}⟫ | bob |",
    "table-password": f"| user | password |\n|------|----------|\n| ann | {PASSWORD} |",
    "german": f"Passwort: {PASSWORD}",
    "german-said": f"das Passwort für staging ist {PASSWORD}",
    "german-lautet": f"das Kennwort lautet {PASSWORD}",
    "german-kennwort": f"Kennwort: {PASSWORD}",
    "spanish": f"contraseña: {PASSWORD}",
    "spanish-said": f"la contraseña es {PASSWORD}",
    "french": f"mot de passe : {PASSWORD}",
    "french-said": f"le mot de passe est {PASSWORD}",
    "portuguese": f"senha: {PASSWORD}",
    "italian": f"La parola d'ordine / password è {PASSWORD}",
    "dutch": f"wachtwoord: {PASSWORD}",
    "polish": f"hasło: {PASSWORD}",
    "swedish": f"lösenord: {PASSWORD}",
    "russian": f"пароль: {PASSWORD}",
    "russian-said": f"Пароль от базы {PASSWORD}",
    "chinese": f"密码：{PASSWORD}",
    "chinese-said": f"密码是 {PASSWORD}",
    "japanese": f"パスワード: {PASSWORD}",
    "korean": f"비밀번호: {PASSWORD}",
}

BARE = {
    "bare-google": "AIza{W34}x",
    "bare-google-refresh": "1//0{A1}{W98}x",
    "bare-bedrock": "ABSK‹b64:BedrockAPIKey-{L4}-at-{d12}:{A40}›",
    "bare-bedrock-short": "bedrock-api-key-‹b64:bedrock.amazonaws.com/?Action=x&X-Amz-Signature={h64}›",
    "bare-azure-openai": "{A52}JQQJ99BEACYeBjFXJ3w3AAABACOG{A4}",
    "bare-azure-devops": "{A76}AZDO{A4}",
    "bare-azure-acr": "{B42}+ACRD{A5}",
    "bare-azure-storage": "{B76}+ASt{A5}A==",
    "bare-azure-cosmos": "{B76}ACDb{A5}A==",
    "bare-azure-search": "{A42}AzSeD{A5}",
    "bare-huggingface": "hf_{a34}",
    "bare-supabase": "sb_secret_{W22}_{A8}",
    "bare-supabase-access": "sbp_{h40}",
    "bare-vercel-blob": "vercel_blob_rw_{A16}_{A30}",
    "bare-notion": "ntn_{d11}{A35}",
    "bare-sentry": 'sntrys_‹b64:{"iat":17{d8},"url":"https://sentry.io"}›_{A43}',
    "bare-sentry-user": "sntryu_{h64}",
    "bare-resend": "re_{A8}_{A24}",
    "bare-replicate": "r8_{A37}",
    "bare-bitbucket": "ATBB{A32}",
    "bare-render": "rnd_{A32}",
    "bare-discord": "MT{A2}{A20}.G{A5}.{W37}x",
    "bare-discord-old": "Nz{A22}.X{A5}.{W26}x",
    "bare-nuget": "oy2{L43}",
    "bare-newrelic": "NRAK-{U27}",
    "bare-alibaba": "LTAI5t{A18}",
    "bare-crates": "cio{A32}",
    "bare-plaid": "access-production-{h8}-{h4}-{h4}-{h4}-{h12}",
    "bare-facebook": "EAAG{A160}",
    "bare-github": "ghp_{A36}",
    "bare-openai": "sk-proj-{W74}T3BlbkFJ{W73}x",
    "bare-anthropic": "sk-ant-api03-{W93}AA",
    "bare-stripe": "sk_live_{A24}",
}

# A password may begin with a sign: those that YAML, shells, templates and addresses use for something else, too.
_BODY = "{A4}7{A4}K{A3}"
SIGNED = {
    f"sign-{ord(sign)}-{name}": template.replace("•", f"⟪{sign}{_BODY}⟫")
    for sign in "!@$%^&*~?(|"
    for name, template in (
        ("env", "DB_PASSWORD=•"),
        ("export", "export DB_PASSWORD='•'"),
        ("yaml", "db:\n  password: •\n  port: 5432"),
        ("json", '{"password": "•"}'),
        ("flag", "tool --password '•' --yes"),
        ("said", "the password is • for now"),
        ("address", "postgres://shop:•@db.corp.internal/shop"),
    )
}

ESCAPED = {
    "percent": f"https%3A%2F%2Fx%2Fcb%3Fapi_key%3D{KEY}%26a%3D1",
    "percent-twice": f"state=api_key%253D{KEY}",
    "html-quotes": f"&quot;token&quot;: &quot;{KEY}&quot;",
    "html-twice": f"&amp;quot;password&amp;quot;: &amp;quot;{PASSWORD}&amp;quot;",
    "html-numbers": f"&#34;api_key&#34;:&#34;{KEY}&#34;",
    "unicode": f"\\u0022token\\u0022:\\u0022{KEY}\\u0022",
    "hexadecimal": f"api_key\\x3d{KEY}",
    "zero-width": f"api\u200b_key={KEY}",
    "soft-hyphen": f"pass\u00adword: {PASSWORD}",
    "colours": f"\x1b[32mAPI_KEY\x1b[0m=\x1b[33m{KEY}\x1b[0m",
}

PRINTED = {
    "bearer-alone": f"auth header: Bearer {KEY}",
    "har": f'{{"name":"Authorization","value":"Bearer {KEY}"}}',
    "yaml-header": f"- name: Authorization\n  value: Bearer {KEY}",
    "vault-login": f"vault login {KEY}",
    "useradd": f"useradd -m -p {KEY} bob",
    "keychain": f"security add-generic-password -a bob -s shop -w {KEY}",
    "incorrect": f"Incorrect API key provided: {KEY}. You can find yours in the settings.",
    "expired": f"401 Unauthorized: token {KEY} has expired",
    "client-secret-said": f"client secret {KEY}",
    "creds": f"creds: {KEY}",
    "in-brackets": f"I pasted my token ({KEY}) into the chat",
    "id-and-secret": "FAL_KEY=⟪{h8}-{h4}-{h4}-{h4}-{h12}:{h32}⟫",
    "stage-and-secret": "CONVEX_DEPLOY_KEY=⟪prod:happy-otter-123|{A60}⟫",
}

WAYS: dict[str, str] = {
    **COMMANDS,
    **TRACES,
    **CODE,
    **FILES,
    **PROSE,
    **SIGNED,
    **ESCAPED,
    **PRINTED,
    **{name: f"it said ⟪{template}⟫ and went on" for name, template in BARE.items()},
}

_ENCODED = re.compile(r"‹(b64|pct):(.*?)›", re.S)
# After so many, a kind that may have no digit (`hf_…`) stays as it is.
TRIES = 20
_MARKED = re.compile(r"⟪(.*?)⟫", re.S)


class Way(NamedTuple):
    """One text, and what must not survive in it."""

    name: str
    text: str
    secrets: tuple[str, ...]


def _encode(match: re.Match[str]) -> str:
    if match[1] == "pct":
        return quote(match[2], safe="")
    return base64.b64encode(match[2].encode()).decode()


def made(name: str, template: str, rng: random.Random) -> Way:
    """Fill a template. A value without a digit is drawn again: such a one is not told from words."""
    for _ in range(TRIES):
        text = _ENCODED.sub(_encode, fill(template, rng))
        secrets = tuple(match[1] for match in _MARKED.finditer(text))
        if all(any(map(str.isdigit, secret)) for secret in secrets):
            break
    return Way(name, _MARKED.sub(r"\1", text), secrets)


def ways(seed: int = 1, each: int = 1) -> Iterator[Way]:
    """Yield every way `each` times, the same for the same seed."""
    rng = random.Random(seed)
    for name, template in WAYS.items():
        for _ in range(each):
            yield made(name, template, rng)
