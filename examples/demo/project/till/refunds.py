"""Refunds of orders."""


def split(total_cents, parts):
    """Shares of a refund, one a part, in cents."""
    share = total_cents / sum(parts)
    return [round(share * part) for part in parts]
