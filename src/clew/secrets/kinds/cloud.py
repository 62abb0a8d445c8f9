"""Cloud providers and hosting."""

import re

from clew.secrets.prefilter import is_rooted
from clew.secrets.rules import LEFT, Rule, named, token
from clew.secrets.samples import BASE32, HEX, base64ish, hexed, text, uuid

_AWS_ID = ("AKIA", "ASIA")

AWS = (
    # AWS documents its keys with one whose last letters spell `EXAMPLE` or `EXAMPLEKEY`.
    token(
        "aws-access-key-id",
        _AWS_ID,
        r"(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}",
        lambda: text(16, BASE32),
        entropy_min=2.0,
        must_not=lambda: ("AKIA" + "IOSFODNN7" + "EXAMPLE",),
    ),
    named(
        "aws-secret-access-key",
        ("secretaccesskey", "awssecret", "secretkey"),
        r"(?!.{30}EXAMPLEKEY)[A-Za-z0-9/+]{40}",
        lambda: base64ish(40),
        entropy_min=3.5,
        must=lambda: ("AWS_SECRET_ACCESS_KEY=" + base64ish(40), '"SecretAccessKey": "' + base64ish(40) + '"'),
        must_not=lambda: (
            "aws_secret_access_key = wJalr" + "XUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
            "AWS_SECRET_ACCESS_KEY=" + base64ish(44),
        ),
    ),
    named(
        "aws-session-token",
        ("sessiontoken", "securitytoken"),
        r"[A-Za-z0-9/+=]{100,2000}",
        lambda: base64ish(300),
        entropy_min=4.0,
        must=lambda: ("X-Amz-Security-Token: " + base64ish(300),),
    ),
    token(
        "aws-bedrock-api-key", "ABSK", r"[A-Za-z0-9+/]{90,300}+={0,2}", lambda: text(132), right=r"(?![A-Za-z0-9+/=])"
    ),
    token("aws-bedrock-short-key", "bedrock-api-key-", r"[A-Za-z0-9+/]{60,2000}+={0,2}", lambda: text(300)),
)

GOOGLE = (
    token("gcp-api-key", "AIzaSy", r"[\w-]{33}", lambda: text(33), entropy_min=3.0, right=r"(?![\w-])"),
    token("gcp-any-api-key", "AIza", r"[\w-]{35}", lambda: text(35), entropy_min=3.5, right=r"(?![\w-])"),
    token("gcp-oauth-client-secret", "GOCSPX-", r"[\w-]{28}", lambda: text(28)),
    token("gcp-oauth-access-token", "ya29.", r"[\w-]{20,1000}+", lambda: text(120)),
    token("gcp-refresh-token", "1//0", r"[\w-]{40,200}+", lambda: text(98), entropy_min=3.5),
)


def _annotated(id: str, signatures: tuple[str, ...], before: int, after: str, sample: str) -> Rule:
    """A key of Azure with its service's signature in it: `before` counts the characters in front of it."""
    either = "|".join(map(re.escape, signatures))
    return Rule(
        id,
        tuple(signature.lower() for signature in signatures if is_rooted(signature)),
        rf"(?<![A-Za-z0-9+/])[\w+/-]{{{before}}}(?:{either}){after}(?![A-Za-z0-9+/=])",
        entropy_min=4.0,
        literals=tuple(signature for signature in signatures if not is_rooted(signature)),
        lead=before,
        must=lambda: tuple(text(before) + signature + sample for signature in signatures),
        must_not=lambda: (
            text(before - 9) + signatures[0] + sample,
            text(before + 4) + signatures[0] + sample,
            text(before) + signatures[0] + sample + text(9),
        ),
    )


# The 64-byte keys of storage, batch, machine learning and Cosmos; the 32-byte ones of
# service bus, event hub, relay and IoT; 39 bytes for search and registries.
_ANNOTATED = (
    _annotated("azure-devops-token", ("AZDO",), 76, r"[A-Za-z0-9]{4}", text(4)),
    _annotated("azure-account-key", ("+ASt", "+ABa", "+AMl", "ACDb"), 76, r"[\w+/]{5}[AQgw]==", text(5) + "A=="),
    _annotated("azure-bus-key", ("+ASb", "+AEh", "+ARm", "AIoT"), 33, r"[A-P][\w+/]{5}=", "D" + text(5) + "="),
    _annotated("azure-service-key", ("+ACR", "AzSe"), 42, r"[A-D][\w+/]{5}", "D" + text(5)),
    _annotated("azure-function-key", ("AzFu",), 44, r"[\w-]{5}[AQgw]==", text(5) + "A=="),
    _annotated("azure-cache-key", ("AzCa",), 33, r"[A-P][\w+/]{5}=", "D" + text(5) + "="),
    # What Azure OpenAI and the other services of Cognitive Services hand out since 2024.
    _annotated("azure-ai-key", ("JQQJ9",), 52, r"[A-Za-z0-9]{27}(?:[A-Za-z0-9]{2}==)?", text(27)),
)

AZURE = (
    *_ANNOTATED,
    named(
        "azure-storage-key",
        ("accountkey", "sharedaccesskey", "azurestorage", "storagekey"),
        r"[A-Za-z0-9+/]{42,88}={1,2}",
        lambda: base64ish(86) + "==",
        entropy_min=4.0,
        must=lambda: (
            "AccountName=store;AccountKey=" + base64ish(86) + "==;EndpointSuffix=x",
            "SharedAccessKeyName=Root;SharedAccessKey=" + base64ish(43) + "=",
        ),
        must_not=lambda: ("AccountKey={0};",),
    ),
    Rule(
        "azure-client-secret",
        tuple(f"{digit}q~" for digit in range(10)),
        rf"{LEFT}[A-Za-z0-9_~.]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}(?![\w~.-])",
        entropy_min=3.5,
        must=lambda: (text(3) + "8Q~" + text(34), "AZURE_CLIENT_SECRET=" + text(3) + "8Q~" + text(31)),
        must_not=lambda: (text(3) + "8Q~" + text(12), "abQ~" + text(34)),
        lead=3,
    ),
    Rule(
        "azure-sas-signature",
        ("sig=", "sig%3d"),
        r"(?i)(?:(?<=[&?;\s])|(?<=u0026)|(?<=%26)|(?<=%3F))sig(?:=|%3D)([A-Za-z0-9%+/]{43,120}+={0,2})",
        secret_group=1,
        entropy_min=3.5,
        must=lambda: ("https://store/c?sv=2023-01-03&sig=" + text(40) + "%2Bab%3D",),
        must_not=lambda: ("?sig=" + text(12), "&sig=" + "x" * 44),
    ),
    named("azure-devops-pat", ("azuredevops", "azdo"), r"[a-z2-7]{52}", lambda: text(52, BASE32.lower())),
    named("azure-openai-key", ("azureopenai", "ocpapim"), r"[a-f0-9]{32}", lambda: hexed(32)),
)

HOSTS = (
    token("alibaba-access-key-id", "LTAI", r"[A-Za-z0-9]{12,21}", lambda: text(20), entropy_min=3.0),
    named("alibaba-secret-key", "alibaba", r"[A-Za-z0-9]{30}", lambda: text(30), entropy_min=3.5),
    named("tencent-secret-id", ("tencent", "secretid", "secretkey"), r"AKID[A-Za-z0-9]{32}", lambda: "AKID" + text(32)),
    token("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{64}", lambda: hexed(64)),
    token("heroku-api-key", "HRKU-", r"[\w-]{36,70}+", lambda: text(60)),
    named("heroku-api-key-uuid", "heroku", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", uuid),
    token("cloudflare-token", ("cfat_", "cfut_", "cfk_"), r"[A-Za-z0-9]{40}[a-f0-9]{8}", lambda: text(40) + hexed(8)),
    token("cloudflare-origin-ca-key", "v1.0-", r"[a-f0-9]{24}-[a-f0-9]{146}", lambda: hexed(24) + "-" + hexed(146)),
    named(
        "cloudflare-api-token", ("cloudflare", "cfapi"), r"[\w-]{40}|[a-f0-9]{37}", lambda: text(40), entropy_min=3.2
    ),
    named("fastly-api-token", "fastly", r"[\w-]{32}", lambda: text(32), entropy_min=3.5),
    named("linode-token", "linode", r"[a-f0-9]{64}", lambda: hexed(64)),
    named("hetzner-token", ("hcloud", "hetzner"), r"[A-Za-z0-9]{64}", lambda: text(64)),
    named("vultr-api-key", "vultr", r"[A-Z0-9]{36}", lambda: text(36, BASE32)),
    named("scaleway-secret-key", ("scw", "scaleway"), r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid),
    named("ibm-cloud-api-key", "ibmcloud", r"[\w-]{44}", lambda: text(44), entropy_min=3.5),
    token("yandex-api-key", "AQVN", r"[\w-]{35,38}", lambda: text(36), entropy_min=3.5),
    token(
        "fly-access-token",
        ("FlyV1 fm1r_", "FlyV1 fm2_", "fm2_", "fo1_"),
        r"[A-Za-z0-9+/_-]{40,700}+={0,3}",
        lambda: text(90),
        entropy_min=3.5,
    ),
    token("render-api-key", "rnd_", r"[A-Za-z0-9]{28,40}", lambda: text(32)),
    token(
        "vercel-blob-token", "vercel_blob_rw_", r"[A-Za-z0-9]{16}_[A-Za-z0-9]{30,48}", lambda: f"{text(16)}_{text(30)}"
    ),
    token(
        "vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"[\w-]{24,80}+", lambda: text(56), entropy_min=3.2
    ),
    named("vercel-api-token", "vercel", r"[A-Za-z0-9]{24}", lambda: text(24), entropy_min=3.2),
    token("netlify-token", ("nfp_", "nfc_", "nfo_"), r"[A-Za-z0-9]{36}", lambda: text(36)),
    named("netlify-access-token", "netlify", r"[\w-]{40,46}", lambda: text(43), entropy_min=3.5),
    named("railway-token", "railway", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid),
    token(
        "tailscale-key",
        "tskey-",
        r"[a-z]{2,12}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{16,40}",
        lambda: "auth-" + text(12) + "-" + text(24),
        right=r"(?![\w-])",
    ),
    named("ngrok-token", "ngrok", r"[A-Za-z0-9]{27}_[A-Za-z0-9]{20,24}", lambda: text(27) + "_" + text(21)),
    token("zerotier-token", "zt_", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.8),
)

DATA = (
    token(
        "databricks-token",
        "dapi",
        r"[a-fA-F0-9]{32}(?:-\d)?",
        lambda: hexed(32),
        must=lambda: ("dapi" + hexed(32).upper() + "-3",),
    ),
    token("planetscale-token", ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"), r"[\w.=-]{32,64}+", lambda: text(43)),
    token("supabase-token", ("sbp_", "sbp_oauth_"), r"[a-f0-9]{40}", lambda: hexed(40)),
    token("supabase-secret-key", "sb_secret_", r"[\w-]{22}_[\w-]{8}", lambda: text(22) + "_" + text(8)),
    token("neon-api-key", "napi_", r"[A-Za-z0-9]{40,72}+", lambda: text(64, HEX)),
    token("aiven-password", "AVNS_", r"[\w-]{16,32}+", lambda: text(19)),
    token("mongodb-atlas-client-secret", "mdb_sa_sk_", r"[\w-]{36,44}", lambda: text(40)),
    named("upstash-token", "upstash", r"A[A-Za-z0-9+/=_-]{50,120}", lambda: "A" + text(55), entropy_min=3.5),
    named("confluent-secret", "confluent", r"[A-Za-z0-9+/]{64}", lambda: base64ish(64), entropy_min=4.0),
    named("snowflake-password", "snowflakepass", r"[^\s\"'`\\]{8,64}", lambda: text(14) + "9!"),
)

RULES = (*AWS, *GOOGLE, *AZURE, *HOSTS, *DATA)
