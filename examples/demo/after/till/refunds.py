"""Refunds of orders."""

from decimal import ROUND_DOWN, Decimal


def split(total_cents, parts):
    """Shares of a refund, one a part, in cents. They add up to the total: the largest part takes what is left."""
    whole = Decimal(sum(parts))
    shares = [int((Decimal(total_cents) * part / whole).to_integral_value(ROUND_DOWN)) for part in parts]
    shares[parts.index(max(parts))] += total_cents - sum(shares)
    return shares
