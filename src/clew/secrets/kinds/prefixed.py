"""Tokens that begin with a word of their own, of vendors who have nothing else in common."""

import re

from clew.secrets.judge import is_wordy
from clew.secrets.rules import RIGHT, Rule, Span, named, token
from clew.secrets.samples import BASE32, DIGITS, LOWER, base64ish, hexed, text, uuid

_SMALL = LOWER + DIGITS


def _of_stage(match: re.Match[str]) -> Span | None:
    """A token that tells which stage it is for (`xy_live_…`), its own word in front. What is published says so."""
    before = match.string[max(0, match.start() - 16) : match.start()]
    word = before[len(before.rstrip(_SMALL)) :]
    body = match[1]
    if not 2 <= len(word) <= 12 or not word[0].isalpha() or word.startswith(("pk", "pub")):
        return None
    digits = sum(map(str.isdigit, body))
    is_mixed = body.lower() != body and body.upper() != body
    if digits < 2 or digits == len(body) or not (is_mixed or len(body) >= 48) or is_wordy(body):
        return None
    return match.start() - len(word), match.end()


MODELS = (
    Rule(
        "stage-token",
        ("_live_", "_prod_", "-live-", "-prod-", "_production_"),
        rf"[_-](?i:live|prod|production)[_-]([A-Za-z0-9]{{20,128}}+){RIGHT}",
        entropy_min=3.5,
        must=lambda: ("bb_live_" + text(28), "tr_prod_" + text(24), "signkey-prod-" + hexed(64)),
        must_not=lambda: ("pk_live_" + text(24), "build-prod-" + hexed(40), "sk_prod_" + "x" * 30),
        locate=_of_stage,
        generic=True,
    ),
    # `sk-` with the name of who made it, and keys that end so: `sk-kimi-…`, `ctx7sk-…`.
    token("sk-maker-key", "sk-", r"[a-z]{2,12}-[A-Za-z0-9]{40,100}", lambda: "kimi-" + text(64), entropy_min=3.5),
    token("context7-key", "ctx7sk-", r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}", uuid),
    token("cursor-api-key", "crsr_", r"[a-f0-9]{64}", lambda: hexed(64)),
    token("e2b-api-key", "e2b_", r"[a-f0-9]{40}", lambda: hexed(40)),
    token("minimax-api-key", "sk-api-", r"[\w-]{100,140}+", lambda: text(118), entropy_min=3.5),
    token("runpod-api-key", "rpa_", r"[A-Z0-9]{32,60}", lambda: text(46, BASE32), entropy_min=3.5),
    token("wandb-key", "wandb_v1_", r"[A-Za-z0-9_]{70,90}+", lambda: text(77)),
    token("devin-api-key", "apk_user_", r"[A-Za-z0-9+/_-]{60,200}+={0,2}", lambda: base64ish(78)),
    token("devin-service-key", "cog_", r"[a-z0-9]{52}", lambda: text(52, _SMALL), entropy_min=3.5),
    token("cartesia-api-key", "sk_car_", r"[A-Za-z0-9_]{20,40}+", lambda: text(20), entropy_min=3.2),
    named("brave-search-key", "brave", r"BSA[\w-]{24,40}", lambda: "BSA" + text(28), entropy_min=3.5),
)

BUILDS = (
    token("bitbucket-server-token", "BBDC-", r"[A-Za-z0-9+/]{40,64}+={0,2}", lambda: base64ish(44)),
    token("cloudsmith-key", "csa_", r"[a-f0-9]{30}[A-Za-z0-9]{6}", lambda: hexed(30) + text(6)),
    token("deno-token", ("ddp_", "ddo_", "ddw_"), r"[A-Za-z0-9]{36}", lambda: text(36)),
    token(
        "packagist-token", ("packagist_ort_", "packagist_out_", "packagist_acs_"), r"[a-f0-9]{60,96}", lambda: hexed(68)
    ),
    token("mergify-key", "mergify_application_key_", r"[\w-]{60,90}+", lambda: text(74)),
    token(
        "docker-swarm-token",
        "SWMTKN-1-",
        r"[a-z0-9]{45,52}-[a-z0-9]{24,26}",
        lambda: text(50, _SMALL) + "-" + text(25, _SMALL),
    ),
    token("docker-swarm-key", "SWMKEY-1-", r"[A-Za-z0-9+/]{43}", lambda: base64ish(43)),
    token(
        "harness-token",
        ("pat.", "sat."),
        r"[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}",
        lambda: text(22) + "." + hexed(24) + "." + text(20),
    ),
    token("aikido-token", ("AIK_CI_", "AIK_SECRET_"), r"[A-Za-z0-9]{20,64}", lambda: text(44)),
)

CLOUDS = (
    token("upcloud-token", "ucat_", r"[0-9A-Za-z]{24,32}", lambda: text(26), entropy_min=3.5),
    token("astra-token", "AstraCS:", r"[A-Za-z]{24}:[a-f0-9]{64}", lambda: text(24, LOWER) + ":" + hexed(64)),
    token("cockroach-api-key", "CCDB1_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{40}", lambda: text(22) + "_" + text(40)),
    token("val-town-token", "vtwn_", r"[\w-]{20,80}+", lambda: text(32), entropy_min=3.5),
    token("unkey-root-key", "unkey_", r"[A-Za-z0-9]{20,32}", lambda: text(24), entropy_min=3.5),
    token("configcat-key", "configcat-sdk-1/", r"[\w-]{22}/[\w-]{22}", lambda: text(22) + "/" + text(22)),
    token("devcycle-server-key", "dvc_server_", r"[\w]{16,44}+", lambda: text(32), entropy_min=3.5),
    token("zuplo-key", "zpka_", r"[a-z0-9]{32}_[a-f0-9]{8}", lambda: text(32, _SMALL) + "_" + hexed(8)),
    token("pscale-oauth-token", ("pscale_oauth_", "pscale_pw_"), r"[\w.=-]{32,64}+", lambda: text(43), entropy_min=3.5),
)

MONEY = (
    token(
        "paddle-api-key",
        ("pdl_live_apikey_", "pdl_sdbx_apikey_"),
        r"[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}",
        lambda: text(26, _SMALL) + "_" + text(22) + "_" + text(3),
    ),
    token("asaas-token", ("aact_prod_", "aact_hmlg_"), r"[\w:-]{20,160}+", lambda: text(60), entropy_min=3.5),
    token("xendit-key", ("xnd_production_", "xnd_development_"), r"[A-Za-z0-9]{48,72}", lambda: text(58)),
    token("mercury-token", "mercury_production_", r"[a-z]{2,10}_[\w]{40,90}+", lambda: "wma_" + text(60)),
    token(
        "polar-token", ("polar_oat_", "polar_at_", "polar_pat_"), r"[\w-]{32,64}+", lambda: text(43), entropy_min=3.5
    ),
    token("midtrans-key", "Mid-server-", r"[\w-]{24}", lambda: text(24), entropy_min=3.5),
    token("persona-key", "persona_production_", r"[\w-]{32,80}+", lambda: hexed(36)),
)

SERVICES = (
    named("llama-cloud-key", "llamacloud", r"llx-[A-Za-z0-9]{40,64}", lambda: "llx-" + text(48), entropy_min=3.5),
    named("octopus-api-key", "octopus", r"API-[A-Z0-9]{25,36}", lambda: "API-" + text(30, BASE32), entropy_min=3.2),
    named("rootly-key", "rootly", r"(?:rootly_)?[a-f0-9]{64}", lambda: "rootly_" + hexed(64)),
    token("onesignal-key", ("os_v2_app_", "os_v2_org_"), r"[a-z2-7]{90,120}", lambda: text(103, BASE32.lower())),
    token("nylas-key", "nyk_v0_", r"[A-Za-z0-9]{50,70}", lambda: text(60)),
    token("samsara-token", "samsara_api_", r"[A-Za-z0-9]{27,34}", lambda: text(30)),
    token("pinterest-token", "pina_", r"[\w-]{64,140}+", lambda: text(100), entropy_min=3.5),
    token("wakatime-key", "waka_", r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}", uuid),
    token(
        "workato-token",
        ("wrka-eyJ", "wrkaeu-eyJ"),
        r"[\w-]{8,400}\.[\w-]{16,800}\.[\w-]{64,800}+",
        lambda: text(20) + "." + text(40) + "." + text(86),
    ),
    token(
        "onfido-token",
        ("api_live.", "api_live_us.", "api_live_ca."),
        r"[\w-]{20,32}\.[\w-]{24,40}",
        lambda: text(11) * 2 + "." + text(32),
    ),
    token("mailersend-token", "mlsn.", r"[a-f0-9]{64}", lambda: hexed(64)),
    token(
        "settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), r"[A-Za-z0-9]{16,24}", lambda: text(16), entropy_min=3.0
    ),
    token("adobe-secret", "p8e-", r"[A-Za-z0-9-]{32}", lambda: text(32), entropy_min=3.5),
)

RULES: tuple[Rule, ...] = (*MODELS, *BUILDS, *CLOUDS, *MONEY, *SERVICES)
