"""Texts of limits in the forms that the four clients and their providers use, and when each lets go.

All are told at NOW: a Wednesday, 19:23 in Berlin, where the machine stands.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

NOW: Final = datetime(2026, 11, 25, 19, 23, 0, tzinfo=ZoneInfo("Europe/Berlin"))

# (who says it, what, when it lets go: with the zone's offset, "" where it does not say)
TEXTS: Final = (
    ("claude-code", "You've hit your limit · resets 9pm (Europe/Berlin)", "2026-11-25T21:00:00+01:00"),
    ("claude-code", "You've hit your session limit · resets 9:45pm (America/New_York)", "2026-11-25T21:45:00-05:00"),
    ("claude-code", "You've hit your limit · resets 3pm (Europe/Berlin)", "2026-11-26T15:00:00+01:00"),
    ("claude-code", "You've hit your weekly limit · resets Nov 28, 3pm (UTC)", "2026-11-28T15:00:00+00:00"),
    ("claude-code", "You've hit your weekly limit · resets Nov 28 at 10:30am (UTC)", "2026-11-28T10:30:00+00:00"),
    ("claude-code", "You've hit your limit · resets Jan 2, 2027, 8am (UTC)", "2027-01-02T08:00:00+00:00"),
    ("claude-code", "You've hit your weekly limit · resets Jan 2, 8am (UTC)", "2027-01-02T08:00:00+00:00"),
    ("claude-code", "Claude AI usage limit reached|1795650000", "2026-11-25T23:40:00+00:00"),
    ("claude-code", "5-hour limit reached ∙ resets 11pm", "2026-11-25T23:00:00+01:00"),
    ("claude-code", "Weekly limit reached ∙ resets Mon 10:00 AM", "2026-11-30T10:00:00+01:00"),
    ("claude-code", "Fast limit reached, fast mode paused · resets in 4m 20s", "2026-11-25T19:27:20+01:00"),
    ("claude-code", "API Error: Request rejected (429) · This request would exceed your rate limit.", ""),
    (
        "claude-code",
        "Your API usage limit is reached. You will regain access on 2026-12-01 at 00:00 UTC.",
        "2026-12-01T00:00:00+00:00",
    ),
    ("codex", "You’ve hit your usage limit. Upgrade or try again at 9:22 PM.", "2026-11-25T21:22:00+01:00"),
    ("codex", "You've hit your usage limit. Try again at Nov 27th, 2026 9:22 PM.", "2026-11-27T21:22:00+01:00"),
    ("codex", "You've hit your usage limit. Try again in 2 days 3 hours 5 minutes.", "2026-11-27T22:28:00+01:00"),
    ("codex", "You've hit your usage limit. Try again in 4 hours 1 minute.", "2026-11-25T23:24:00+01:00"),
    (
        "codex",
        "Rate limit reached for a model (TPM): Limit 30000. Please try again in 11s.",
        "2026-11-25T19:23:11+01:00",
    ),
    ("codex", "Rate limit reached. Please try again in 6m0s.", "2026-11-25T19:29:00+01:00"),
    ("codex", "exceeded retry limit, last status: 429 Too Many Requests", ""),
    ("codex", '{"type":"usage_limit_reached","resets_at":1795650000}', "2026-11-25T23:40:00+00:00"),
    ("codex", '{"type":"usage_limit_reached","resets_in_seconds":7200}', "2026-11-25T21:23:00+01:00"),
    ("gemini", "Quota exceeded for metric: requests, limit: 50\nPlease retry in 34.5s.", "2026-11-25T19:23:34+01:00"),
    ("gemini", "Attempt 1 failed with status 429. Suggested retry after 34s.", "2026-11-25T19:23:34+01:00"),
    ("gemini", "Usage limit reached for a model. Access resets at 11:00 PM GMT+2.", "2026-11-25T23:00:00+02:00"),
    ("gemini", "You have exhausted your capacity. Your quota will reset after 21h8m49s.", "2026-11-26T16:31:49+01:00"),
    ("gemini", '{"code":429,"details":[{"retryDelay":"7200s"}]}', "2026-11-25T21:23:00+01:00"),
    ("gemini", "[API Error: You have exhausted your daily quota on this model.]", "2026-11-26T00:00:00-08:00"),
    ("gemini", "Attempt 2 failed with status 429. Retrying with backoff...", ""),
    ("opencode", "Rate limit reached. Please try again in 2h13m.", "2026-11-25T21:36:00+01:00"),
    ("opencode", "Weekly usage limit reached. It will reset in 2 hours 13 minutes.", "2026-11-25T21:36:00+01:00"),
    ("opencode", "Usage limit reached. It will reset in less than a minute.", "2026-11-25T19:24:00+01:00"),
    ("opencode", "Too Many Requests; retry-after: 7200", "2026-11-25T21:23:00+01:00"),
    ("opencode", "Rate limited. Quota available again tomorrow at 9:00", "2026-11-26T09:00:00+01:00"),
    ("opencode", "This model's daily limit resets at midnight UTC", "2026-11-26T00:00:00+00:00"),
    ("opencode", "429: rate limit exceeded, resets at 2026-11-26T03:00:00Z", "2026-11-26T03:00:00+00:00"),
)

# What is no limit, or names no time though numbers stand in it.
OTHERS: Final = (
    "The file refunds.py was changed in 3 places",
    "Error: Reached maximum budget ($1)",
    "model not found: scripted",
    "invalid_request_error: prompt is too long: 210000 tokens > 200000 maximum",
    "tests failed after 12 of 30",
)
