"""Attacks: what an adversary, a bad disk or a dying machine does to clew, and how often it got through."""
