"""All rules. Order matters only between rules that claim the very same text: the first has it."""

from clew.secrets.kinds import ai, chat, cloud, commands, generic, keys, payment, prefixed, saas, urls, vcs, wrapped
from clew.secrets.rules import Rule

RULES: tuple[Rule, ...] = (
    *ai.RULES,
    *vcs.RULES,
    *payment.RULES,
    *cloud.RULES,
    *chat.RULES,
    *saas.RULES,
    *prefixed.RULES,
    *keys.RULES,
    *urls.RULES,
    *commands.RULES,
    *wrapped.RULES,
    *generic.RULES,
)
