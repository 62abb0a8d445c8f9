"""Money and shops."""

from clew.secrets.rules import named, token
from clew.secrets.samples import DIGITS, HEX, hexed, text, uuid

RULES = (
    token(
        "stripe-secret-key",
        ("sk_live_", "sk_test_", "sk_prod_"),
        r"[A-Za-z0-9]{16,128}",
        lambda: text(24),
        entropy_min=2.5,
        must=lambda: ("sk_live_" + "51" + text(97),),
    ),
    token(
        "stripe-restricted-key",
        ("rk_live_", "rk_test_", "rk_prod_"),
        r"[A-Za-z0-9]{16,128}",
        lambda: text(24),
        entropy_min=2.5,
    ),
    token("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/]{32,64}+={0,2}", lambda: text(32)),
    token("square-token", ("sq0atp-", "sq0csp-", "sq0idp-"), r"[\w-]{22,60}", lambda: text(43)),
    named("square-access-token", "square", r"EAAA[\w-]{60}", lambda: "EAAA" + text(60), entropy_min=3.5),
    token(
        "paypal-braintree-token",
        ("access_token$production$", "access_token$sandbox$"),
        r"[a-z0-9]{16}\$[a-f0-9]{32}",
        lambda: text(16, HEX) + "$" + hexed(32),
    ),
    named("paypal-secret", "paypal", r"E[A-Za-z0-9_-]{79}|[A-Z][\w-]{59,79}", lambda: "E" + text(79), entropy_min=3.5),
    named("braintree-private-key", "braintree", r"[a-f0-9]{32}", lambda: hexed(32)),
    token(
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shpua_"),
        r"[A-Za-z0-9]{32,40}",
        lambda: hexed(32),
        must=lambda: ("shpca_" + text(38),),
    ),
    token(
        "plaid-access-token",
        ("access-production-", "access-development-", "access-sandbox-"),
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        uuid,
    ),
    named("plaid-secret", "plaid", r"[a-z0-9]{30}|access-[a-z]+-[0-9a-f-]{36}", lambda: hexed(30)),
    named("adyen-api-key", "adyen", r"AQE[\w+/=.-]{60,200}+", lambda: "AQEyhmfxL" + text(100)),
    token("razorpay-key", ("rzp_live_", "rzp_test_"), r"[A-Za-z0-9]{14,24}", lambda: text(14)),
    token("flutterwave-secret-key", ("FLWSECK-", "FLWSECK_TEST-"), r"[a-zA-Z0-9]{12,40}-X", lambda: hexed(32) + "-X"),
    named("mollie-api-key", "mollie", r"(?:live|test)_[A-Za-z0-9]{30}", lambda: "live_" + text(30)),
    token("lemonsqueezy-key", ("lmnsq_", "lmsq_"), r"[A-Za-z0-9]{32,64}", lambda: text(40)),
    token("shippo-token", ("shippo_live_", "shippo_test_"), r"[a-f0-9]{40}", lambda: hexed(40)),
    token("easypost-key", ("EZAK", "EZTK"), r"[A-Za-z0-9]{54}", lambda: text(54)),
    token("duffel-token", ("duffel_live_", "duffel_test_"), r"[\w=-]{43}", lambda: text(43)),
    named("gocardless-token", "gocardless", r"(?:live|sandbox)_[\w-]{40}", lambda: "live_" + text(40)),
    named("coinbase-secret", "coinbase", r"[A-Za-z0-9+/]{64,88}={0,2}", lambda: text(64), entropy_min=3.5),
    named("binance-secret", "binance", r"[A-Za-z0-9]{64}", lambda: text(64), entropy_min=3.5),
    named("kraken-secret", "kraken", r"[A-Za-z0-9+/]{86}==", lambda: text(86) + "==", entropy_min=3.5),
    named("alchemy-api-key", "alchemy", r"(?:alch_)?[\w-]{28,36}", lambda: text(32), entropy_min=3.5),
    named("infura-secret", "infura", r"[a-f0-9]{32}", lambda: hexed(32)),
    named(
        "squarespace-key",
        "squarespace",
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        lambda: "-".join((hexed(8), "1" + text(3, DIGITS), hexed(4), hexed(4), hexed(12))),
    ),
)
