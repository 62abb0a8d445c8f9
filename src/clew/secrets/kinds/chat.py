"""Messages: chat, mail, telephone, social networks."""

import re

from clew.secrets.rules import LEFT, RIGHT, Rule, Span, named, token
from clew.secrets.samples import DIGITS, HEX, LOWER, hexed, text, uuid

_SK = tuple(f"sk{digit}" for digit in HEX)

SLACK = (
    token(
        "slack-token",
        ("xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
        r"(?:\d-)?\d{8,14}-\d{8,14}[\w-]{0,120}+",
        lambda: text(11, "123456789") + "-" + text(12, "123456789") + "-" + text(24),
    ),
    token("slack-workspace-token", ("xoxa-2-", "xoxr-2-", "xoxp-2-"), r"[\w-]{20,250}+", lambda: text(60)),
    token(
        "slack-refresh-token",
        ("xoxe-1-", "xoxe.xoxb-1-", "xoxe.xoxp-1-", "xoxc-", "xoxd-"),
        r"[\w%/+-]{40,400}+",
        lambda: text(146),
        entropy_min=3.0,
    ),
    token(
        "slack-app-token",
        "xapp-",
        r"\d-[A-Z0-9]{8,16}-\d{8,16}-[a-f0-9]{32,80}",
        lambda: "1-A" + text(10, DIGITS) + "-" + text(13, "123456789") + "-" + hexed(64),
    ),
    Rule(
        "slack-webhook-url",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com\\{0,2}/(?:services|workflows|triggers)\\{0,2}/"
        r"([A-Z0-9]{5,14}\\{0,2}/[A-Z0-9]{5,14}\\{0,2}/[A-Za-z0-9/]{10,64}+)",
        secret_group=1,
        must=lambda: (
            "https://hooks.slack.com/services/" + "T0" + text(8, DIGITS) + "/B0" + text(8, DIGITS) + "/" + text(24),
        ),
        must_not=lambda: (
            "https://hooks.slack.com/services/T000/B000/short",
            "https://hooks.slack.com/services/<team>/<bot>/<secret>",
        ),
    ),
)


def _digits_decode(match: re.Match[str]) -> Span | None:
    """A Discord token opens with its bot's number in base64: those bytes are digits."""
    from base64 import urlsafe_b64decode
    from binascii import Error

    first = match[1].split(".", 1)[0]
    try:
        decoded = urlsafe_b64decode(first + "=" * (-len(first) % 4))
    except (Error, ValueError):
        return None
    return match.span(1) if decoded.isdigit() or len(first) >= 24 else None


def _behind_number(match: re.Match[str]) -> Span | None:
    before = match.string[max(0, match.start() - 30) : match.start()]
    first = re.search(r"(?<![\w-])[MNO][\w-]{23,27}\Z", before)
    return (match.start() - len(first[0]), match.end()) if first else None


CHAT = (
    Rule(
        "discord-webhook-url",
        ("/api/webhooks/",),
        r"/api/webhooks/(\d{15,21}/[\w-]{55,80}+)",
        secret_group=1,
        must=lambda: ("https://discord.com/api/webhooks/" + text(18, "123456789") + "/" + text(68),),
        must_not=lambda: ("https://discord.com/api/webhooks/123/abc", "/api/webhooks/{id}/{token}"),
    ),
    named(
        "discord-bot-token",
        ("discord", "bottoken"),
        r"[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}",
        lambda: "MT" + text(22) + "." + text(6) + "." + text(38),
        entropy_min=3.5,
    ),
    # The second part is a time, which begins with one of these; the first, in front of it, the bot's number in base64.
    Rule(
        "discord-bare-token",
        (),
        r"\.[GXYZ][\w-]{5}\.[\w-]{27,38}(?![\w-])",
        literals=(".G", ".X", ".Y", ".Z"),
        must=lambda: (
            "MT" + text(22) + ".G" + text(5) + "." + text(38),
            "Nz" + text(22) + ".X" + text(5) + "." + text(27),
        ),
        must_not=lambda: ("AB" + text(22) + ".G" + text(5) + "." + text(38), "self.Graph1.render_" + text(20)),
        locate=_behind_number,
    ),
    named("discord-client-secret", "discord", r"[\w-]{32}", lambda: text(32), entropy_min=3.5),
    Rule(
        "discord-authorization",
        ("bot m", "bot n", "bot o"),
        rf"{LEFT}(?i:bot)\s([MNO][\w-]{{22,28}}\.[\w-]{{6}}\.[\w-]{{27,45}}){RIGHT}",
        secret_group=1,
        must=lambda: ("Authorization: Bot " + "MT" + text(22) + "." + text(6) + "." + text(38),),
        must_not=lambda: ("the Bot Manual.chapter.one", "Bot M" + text(9)),
        locate=_digits_decode,
    ),
    Rule(
        "telegram-bot-token",
        (":aa",),
        r"(?<=\d{8}):(AA[\w-]{33})(?![\w-])",
        secret_group=1,
        entropy_min=3.0,
        must=lambda: ("TELEGRAM=" + text(10, "123456789") + ":AA" + text(33),),
        must_not=lambda: ("a:AA" + text(33), "12345678:AA" + text(5)),
    ),
    Rule(
        "teams-webhook-url",
        ("webhook.office.com/webhookb2/",),
        r"webhook\.office\.com/webhookb2/([\w@-]{36,90}+/[A-Za-z]{5,30}/[a-f0-9]{32}/[\w/-]{36,120}+)",
        secret_group=1,
        must=lambda: (
            "https://x.webhook.office.com/webhookb2/"
            + uuid()
            + "@"
            + uuid()
            + "/IncomingWebhook/"
            + hexed(32)
            + "/"
            + uuid(),
        ),
        must_not=lambda: ("https://x.webhook.office.com/webhookb2/" + uuid(),),
    ),
    Rule(
        "google-chat-webhook-url",
        ("chat.googleapis.com/v1/spaces/",),
        r"chat\.googleapis\.com/v1/spaces/[\w-]{8,40}/messages\?key=[\w-]{30,60}+"
        r"(?:&|\\u0026|&amp;)token=([\w%-]{30,90}+)",
        secret_group=1,
        must=lambda: (
            "https://chat.googleapis.com/v1/spaces/" + text(11) + "/messages?key=" + text(39) + "&token=" + text(43),
        ),
        must_not=lambda: ("https://chat.googleapis.com/v1/spaces/AAAA/messages",),
    ),
    named("mattermost-token", "mattermost", r"[a-z0-9]{26}", lambda: text(26, HEX + LOWER), entropy_min=3.2),
    named("zulip-api-key", "zulip", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.5),
    Rule(
        "twilio-api-key",
        _SK,
        rf"{LEFT}SK[0-9a-f]{{32}}{RIGHT}",
        entropy_min=2.5,
        must=lambda: ("SK" + hexed(32),),
        must_not=lambda: ("SK" + hexed(12), "SK" + "0" * 32, "TASK" + hexed(32)),
    ),
    named("twilio-auth-token", "twilio", r"[0-9a-f]{32}", lambda: hexed(32)),
    named("line-channel-token", "linechannel", r"[A-Za-z0-9+/]{170,176}=?|[0-9a-f]{32}", lambda: text(172)),
)

MAIL = (
    token("sendgrid-api-key", "SG.", r"[\w-]{20,24}\.[\w-]{39,50}", lambda: text(22) + "." + text(43)),
    token("mailgun-api-key", ("key-", "pubkey-"), r"[a-f0-9]{32}", lambda: hexed(32)),
    named(
        "mailgun-private-key",
        ("mailgun", "mgapi"),
        r"[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}",
        lambda: hexed(32) + "-" + hexed(8) + "-" + hexed(9)[:8],
    ),
    Rule(
        "mailchimp-api-key",
        tuple(f"-us{digit}" for digit in "123456789"),
        rf"{LEFT}[0-9a-f]{{32}}-us\d{{1,2}}{RIGHT}",
        entropy_min=2.5,
        must=lambda: (hexed(32) + "-us12",),
        must_not=lambda: ("en-us1", hexed(20) + "-us12"),
        lead=32,
    ),
    named("mandrill-api-key", "mandrill", r"(?:md-)?[\w-]{22}", lambda: "md-" + text(22), entropy_min=3.5),
    named("postmark-server-token", "postmark", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid),
    token(
        "brevo-api-key", ("xkeysib-", "xsmtpsib-"), r"[a-f0-9]{64}-[A-Za-z0-9]{16}", lambda: hexed(64) + "-" + text(16)
    ),
    token("resend-api-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}", lambda: text(8) + "_" + text(24)),
    named("klaviyo-private-key", "klaviyo", r"pk_[a-f0-9]{34}", lambda: "pk_" + hexed(34)),
    named("sparkpost-api-key", "sparkpost", r"[a-f0-9]{40}", lambda: hexed(40)),
)

SOCIAL = (
    token(
        "facebook-access-token",
        "EAA",
        r"[A-Za-z0-9]{90,300}+",
        lambda: text(150),
        entropy_min=4.5,
        right=r"(?![\w+/=-])",
    ),
    named("facebook-app-secret", ("facebook", "fbapp", "fbsecret"), r"[a-f0-9]{32}", lambda: hexed(32)),
    named("instagram-access-token", ("instagram", "accesstoken"), r"IG[AQ][\w-]{60,300}+", lambda: "IGQVJ" + text(150)),
    named("twitter-bearer-token", "twitter", r"A{18,24}[A-Za-z0-9%]{40,120}+", lambda: "A" * 22 + text(80)),
    named(
        "twitter-secret",
        ("twitter", "xconsumer", "xaccesstoken"),
        r"[A-Za-z0-9]{45,50}|\d{8,20}-[A-Za-z0-9]{40}",
        lambda: text(50),
        entropy_min=3.5,
    ),
    named(
        "linkedin-client-secret",
        "linkedin",
        r"(?:WPL_AP\d\.)?[A-Za-z0-9]{16}(?:\.[\w=]{4,12})?",
        lambda: text(16),
        entropy_min=3.2,
    ),
    named("reddit-client-secret", "reddit", r"[\w-]{27,30}", lambda: text(30), entropy_min=3.5),
    named("spotify-client-secret", "spotify", r"[a-f0-9]{32}", lambda: hexed(32)),
    named("twitch-client-secret", "twitch", r"[a-z0-9]{30}", lambda: text(30, HEX + LOWER), entropy_min=3.2),
)

RULES = (*SLACK, *CHAT, *MAIL, *SOCIAL)
