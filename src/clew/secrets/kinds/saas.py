"""Work tools, identity, monitoring."""

from clew.secrets.rules import Rule, named, token
from clew.secrets.samples import BASE32, HEX, LOWER, hexed, text, uuid

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

WORK = (
    token("linear-api-key", ("lin_api_", "lin_oauth_", "lin_wh_"), r"[A-Za-z0-9]{32,64}", lambda: text(40)),
    token("notion-token", "ntn_", r"[A-Za-z0-9]{40,60}", lambda: text(46)),
    named("notion-legacy-token", "notion", r"secret_[A-Za-z0-9]{40,60}", lambda: "secret_" + text(43)),
    token("notion-secret", "secret_", r"[A-Za-z0-9]{43}", lambda: text(43), entropy_min=3.8),
    token("figma-token", ("figd_", "figu_", "figo_"), r"[\w-]{40,64}", lambda: text(40)),
    named(
        "airtable-token", "airtable", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", lambda: "pat" + text(14) + "." + hexed(64)
    ),
    named("airtable-api-key", "airtable", r"key[A-Za-z0-9]{14}", lambda: "key" + text(14), entropy_min=3.0),
    named(
        "asana-token",
        "asana",
        r"[012]/[\d/]{12,40}:[a-f0-9]{32}|[a-z0-9]{32}",
        lambda: text(32, LOWER + HEX),
        entropy_min=3.2,
    ),
    token("dropbox-token", ("sl.u.", "sl.B", "sl.A"), r"[\w-]{100,2000}+", lambda: text(140), entropy_min=3.5),
    named("dropbox-secret", "dropbox", r"[a-z0-9]{15}|[\w-]{64}", lambda: text(15, LOWER + HEX), entropy_min=3.0),
    token("hubspot-token", ("pat-na1-", "pat-na2-", "pat-eu1-"), _UUID, uuid),
    token("postman-api-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}", lambda: hexed(24) + "-" + hexed(34)),
    token("postman-collection-key", "PMAT-", r"[A-Z0-9]{26}", lambda: text(26, BASE32)),
    token("contentful-token", "CFPAT-", r"[\w-]{43}", lambda: text(43)),
    named("contentful-delivery-token", "contentful", r"[\w-]{43}", lambda: text(43), entropy_min=3.5),
    named("algolia-api-key", "algolia", r"[a-f0-9]{32}", lambda: hexed(32)),
    token("typeform-token", "tfp_", r"[\w.=-]{44,64}+", lambda: text(59)),
    token("readme-api-key", "rdme_", r"[a-z0-9]{70}", lambda: text(70, HEX)),
    token("launchdarkly-key", ("sdk-", "api-"), _UUID, uuid),
    token("mapbox-secret-token", "sk.eyJ", r"[\w-]{60,200}\.[\w-]{22}", lambda: text(80) + "." + text(22)),
    named("trello-token", "trello", r"ATTA[A-Za-z0-9]{60,80}|[a-f0-9]{64}|[a-f0-9]{32}", lambda: hexed(64)),
    Rule(
        "zapier-webhook-url",
        ("hooks.zapier.com/hooks/catch/",),
        r"hooks\.zapier\.com/hooks/catch/(\d{4,10}/[a-z0-9]{5,12})",
        secret_group=1,
        must=lambda: ("https://hooks.zapier.com/hooks/catch/" + "1234567/" + "o" + text(6, LOWER),),
        must_not=lambda: ("https://hooks.zapier.com/hooks/catch/",),
    ),
    named("zendesk-token", "zendesk", r"[A-Za-z0-9]{40}", lambda: text(40), entropy_min=3.5),
    named("intercom-token", "intercom", r"dG9r[\w=:/+]{40,70}", lambda: "dG9r" + text(55)),
    named("freshdesk-key", "freshdesk", r"[A-Za-z0-9]{20}", lambda: text(20), entropy_min=3.2),
    token("clickup-token", "pk_", r"\d{6,10}_[A-Z0-9]{32}", lambda: "12345678_" + text(32, BASE32)),
    named("webflow-token", "webflow", r"[a-f0-9]{64}", lambda: hexed(64)),
    token("cal-com-key", ("cal_live_",), r"[a-f0-9]{32}", lambda: hexed(32)),
    token("frameio-token", "fio-u-", r"[\w=-]{64}", lambda: text(64)),
    named("adafruit-io-key", ("adafruit", "aiokey"), r"aio_[A-Za-z0-9]{28}", lambda: "aio_" + text(28)),
    token("knock-token", "knock_", r"[\w-]{40,60}", lambda: text(43), entropy_min=3.8),
    token("apify-token", "apify_api_", r"[A-Za-z0-9]{34,46}", lambda: text(36)),
    token("scrapfly-key", "scp-live-", r"[a-f0-9]{32}", lambda: hexed(32)),
    token("liveblocks-key", ("sk_dev_",), r"[\w-]{40,80}+", lambda: text(64), entropy_min=3.5),
    token("uploadthing-key", "uploadthing_", r"[\w-]{40,80}+", lambda: text(64), entropy_min=3.5),
    token("1password-service-token", "ops_eyJ", r"[\w-]{200,1200}+={0,2}", lambda: text(260)),
    named(
        "1password-secret-key",
        ("1password", "onepassword", "opsecret", "secretkey"),
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        lambda: "A3-" + "-".join(text(size, BASE32) for size in (6, 11, 5, 5, 5)),
    ),
    token(
        "doppler-token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
        lambda: text(43),
    ),
    named(
        "infisical-token",
        "infisical",
        r"st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}",
        lambda: "st." + hexed(24) + "." + hexed(32) + "." + hexed(33)[:32],
    ),
)

IDENTITY = (
    named("okta-api-token", "okta", r"00[\w-]{40}", lambda: "00" + text(40), entropy_min=3.5),
    token("okta-ssws-token", "SSWS ", r"00[\w-]{40}", lambda: "00" + text(40)),
    named("auth0-client-secret", "auth0", r"[\w-]{48,86}", lambda: text(64), entropy_min=3.5),
    token("clerk-secret-key", ("sk_live_", "sk_test_"), r"[A-Za-z0-9]{40,50}", lambda: text(42), entropy_min=3.0),
    token("workos-key", ("sk_live_", "sk_test_"), r"a2V5X[A-Za-z0-9+/=]{40,90}+", lambda: "a2V5X" + text(60)),
    token("stytch-secret", ("secret-test-", "secret-live-"), r"[\w=-]{30,48}", lambda: text(36)),
    named("firebase-secret", "firebase", r"[A-Za-z0-9]{40}|[a-f0-9]{64}", lambda: text(40), entropy_min=3.5),
    Rule(
        "firebase-cloud-messaging-key",
        (":apa91b",),
        r"(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{130,150}+",
        must=lambda: ("AAAA" + text(7) + ":APA91b" + text(134),),
        must_not=lambda: ("AAAA" + text(7) + ":APA91b",),
        lead=11,
    ),
)

MONITORING = (
    token(
        "grafana-service-account-token", "glsa_", r"[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", lambda: text(32) + "_" + hexed(8)
    ),
    token("grafana-cloud-token", "glc_", r"[A-Za-z0-9+/]{32,400}+={0,3}", lambda: text(100)),
    token("grafana-api-key", "eyJrIjoi", r"[A-Za-z0-9]{60,400}+={0,3}", lambda: text(90)),
    token("newrelic-user-key", "NRAK-", r"[A-Z0-9]{27}", lambda: text(27, BASE32)),
    named("newrelic-insert-key", ("newrelic", "insertkey"), r"NRI[IQ]-[\w-]{32}", lambda: "NRII-" + text(32)),
    token("newrelic-browser-key", "NRJS-", r"[a-f0-9]{19}", lambda: hexed(19)),
    named(
        "newrelic-license-key",
        "newrelic",
        r"[a-f0-9]{36}(?:NRAL|FFFFNRAL)?|[a-f0-9]{32}FFFFNRAL|[a-f0-9]{40}",
        lambda: hexed(40),
    ),
    named(
        "datadog-key",
        ("datadog", "ddapikey", "ddappkey", "ddapplicationkey"),
        r"[a-f0-9]{40}|[a-f0-9]{32}",
        lambda: hexed(32),
        must=lambda: ("DD_APP_KEY=" + hexed(40),),
    ),
    token("datadog-app-key", ("ddapp_", "ddpat_"), r"[A-Za-z0-9]{34}", lambda: text(34)),
    token("sentry-org-token", "sntrys_", r"[A-Za-z0-9+/=_]{60,400}+", lambda: "eyJ" + text(150)),
    token("sentry-user-token", "sntryu_", r"[a-f0-9]{64}", lambda: hexed(64)),
    named("sentry-auth-token", "sentry", r"[a-f0-9]{64}", lambda: hexed(64)),
    token("posthog-personal-key", ("phx_", "phs_"), r"[\w-]{40,60}+", lambda: text(47), entropy_min=3.2),
    token(
        "honeycomb-key", ("hcaik_", "hcbik_", "hcxik_", "hcxmk_"), r"[a-z0-9_]{50,70}+", lambda: text(58, HEX + LOWER)
    ),
    named(
        "honeycomb-legacy-key", ("honeycomb", "hny"), r"[A-Za-z0-9]{22}|[a-f0-9]{32}", lambda: text(22), entropy_min=3.0
    ),
    token(
        "dynatrace-token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}", lambda: text(24, BASE32) + "." + text(64, BASE32)
    ),
    named("pagerduty-key", ("pagerduty", "pdapi"), r"[\w+-]{20}|[a-f0-9]{32}", lambda: text(20), entropy_min=3.2),
    named("opsgenie-key", "opsgenie", _UUID, uuid),
    named("rollbar-token", "rollbar", r"[a-f0-9]{32,128}", lambda: hexed(32)),
    named("splunk-hec-token", "splunk", _UUID, uuid),
    named("sumologic-key", "sumo", r"[A-Za-z0-9]{64}", lambda: text(64), entropy_min=3.5),
    named("bugsnag-key", ("bugsnag", "honeybadger"), r"[a-f0-9]{32}|hbp_\w{36}", lambda: hexed(32)),
    named(
        "log-service-token",
        ("logdna", "logzio", "loggly", "papertrail"),
        r"[A-Za-z]{32}|[a-f0-9]{32}|" + _UUID,
        lambda: hexed(32),
    ),
    named("elastic-api-key", ("elastic", "kibana"), r"[A-Za-z0-9+/_-]{56,80}={0,2}", lambda: text(60), entropy_min=3.8),
    token("statsig-key", "secret-", r"[A-Za-z0-9]{40,48}", lambda: text(43), entropy_min=3.8),
    named("analytics-secret", ("amplitude", "mixpanel"), r"[a-f0-9]{32}", lambda: hexed(32)),
    named("shodan-key", "shodan", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.5),
    named("virustotal-key", ("virustotal", "vtapi"), r"[a-f0-9]{64}", lambda: hexed(64)),
    named(
        "maxmind-license-key",
        ("maxmind", "geoip"),
        r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk|[a-f0-9]{14}",
        lambda: text(6) + "_" + text(29) + "_mmk",
        entropy_min=2.8,
    ),
    named("weather-api-key", ("openweather", "weatherapi"), r"[a-f0-9]{30,32}", lambda: hexed(32)),
)

RULES = (*WORK, *IDENTITY, *MONITORING)
