"""Model providers and the services around them."""

from clew.secrets.rules import RIGHT, Rule, named, token
from clew.secrets.samples import LOWER, hexed, text, uuid

OPENAI = (
    # Old user keys and the project, service and admin keys; the middle spells "OpenAI" in base64.
    token(
        "openai-api-key",
        "sk-",
        r"(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,100}?T3BlbkFJ[\w-]{20,100}+",
        lambda: text(20) + "T3BlbkFJ" + text(20),
        must=lambda: ("sk-proj-" + text(74) + "T3BlbkFJ" + text(74),),
    ),
    token(
        "openai-scoped-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-"),
        r"[\w-]{40,200}+",
        lambda: text(124),
        entropy_min=3.5,
    ),
    token("openai-session-key", "sess-", r"[A-Za-z0-9]{40}", lambda: text(40)),
    # Many providers copied the shape `sk-` + 32, 48 or 51 letters and digits.
    token("sk-api-key", "sk-", r"[A-Za-z0-9]{32,64}", lambda: text(48), entropy_min=3.0),
    token("sk-plan-key", "sk-sp-", r"[A-Za-z0-9]{8,64}(?:\.[\w-]{8,120}+)?", lambda: text(32), entropy_min=3.0),
)

RULES = (
    *OPENAI,
    token(
        "anthropic-api-key",
        "sk-ant-",
        r"(?:[a-z]{3,6}\d\d-)[\w-]{80,120}+",
        lambda: "api03-" + text(93) + "AA",
        must=lambda: ("sk-ant-" + "admin01-" + text(93) + "AA", "sk-ant-" + "oat01-" + text(86) + "AA"),
    ),
    token("anthropic-short-key", "sk-ant-", r"[\w-]{32,79}", lambda: text(40), entropy_min=3.5, right=r"(?![\w-])"),
    token("openrouter-api-key", "sk-or-v1-", r"[a-f0-9]{64}", lambda: hexed(64)),
    token("huggingface-token", "hf_", r"[A-Za-z]{34}", lambda: text(34, LOWER + LOWER.upper()), entropy_min=3.0),
    token(
        "huggingface-org-token", "api_org_", r"[A-Za-z]{34}", lambda: text(34, LOWER + LOWER.upper()), entropy_min=3.0
    ),
    token("groq-api-key", "gsk_", r"[A-Za-z0-9]{52}", lambda: text(52)),
    # Two parts, of which the first is an id; a digest with an ending has no capitals and small letters behind it.
    Rule(
        "zhipu-api-key",
        (),
        r"[0-9a-f]{32}\.[A-Za-z0-9]{16}",
        names=("key", "token", "secret"),
        entropy_min=3.5,
        must=lambda: (f"ZHIPU_API_KEY={hexed(32)}.{text(16)}", f"my api key is {hexed(32)}.{text(16)}"),
        must_not=lambda: (f"key: {hexed(32)}.tar", f"cache_key={hexed(32)}"),
    ),
    token("replicate-token", "r8_", r"[A-Za-z0-9]{37}", lambda: text(37)),
    token("perplexity-api-key", "pplx-", r"[A-Za-z0-9]{48,56}", lambda: text(48)),
    token("xai-api-key", "xai-", r"[\w-]{70,120}+", lambda: text(80)),
    token("together-api-key", "tgp_v1_", r"[\w-]{43}", lambda: text(43)),
    token("fireworks-api-key", "fw_", r"[A-Za-z0-9]{22,40}", lambda: text(24), entropy_min=3.5),
    token("nvidia-api-key", "nvapi-", r"[\w-]{60,70}+", lambda: text(64)),
    token(
        "langsmith-api-key", ("lsv2_pt_", "lsv2_sk_"), r"[a-f0-9]{32}_[a-f0-9]{10}", lambda: hexed(32) + "_" + hexed(10)
    ),
    token("langfuse-secret-key", "sk-lf-", r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}", uuid),
    token("elevenlabs-api-key", "sk_", r"[a-f0-9]{48}", lambda: hexed(48)),
    token("cerebras-api-key", "csk-", r"[a-z0-9]{48}", lambda: text(48, LOWER)),
    token("tavily-api-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9]{30,44}", lambda: text(32)),
    token("pinecone-api-key", "pcsk_", r"[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,70}", lambda: text(6) + "_" + text(63)),
    token("jina-api-key", "jina_", r"[a-f0-9]{32}[\w-]{28,34}", lambda: hexed(32) + text(30)),
    token("voyage-api-key", "pa-", r"[\w-]{40,46}", lambda: text(43), entropy_min=4.2),
    token("firecrawl-key", "fc-", r"[a-f0-9]{32}", lambda: hexed(32)),
    token("friendli-token", "flp_", r"[A-Za-z0-9]{40,60}", lambda: text(46)),
    token("gemini-auth-key", "AQ.Ab8", r"[\w-]{40,60}+", lambda: text(47), right=RIGHT),
    named("cohere-api-key", ("cohere", "coapi"), r"[A-Za-z0-9]{40}", lambda: text(40), entropy_min=3.5),
    named("mistral-api-key", "mistral", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.5),
    named("together-legacy-key", "together", r"[a-f0-9]{64}", lambda: hexed(64)),
    named("deepgram-api-key", "deepgram", r"[a-f0-9]{40}", lambda: hexed(40)),
    named("assemblyai-api-key", "assemblyai", r"[a-f0-9]{32}", lambda: hexed(32)),
    named("wandb-api-key", ("wandb", "weightsand"), r"[a-f0-9]{40}", lambda: hexed(40)),
    named("pinecone-legacy-key", "pinecone", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid),
)
