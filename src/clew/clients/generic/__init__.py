"""Agents without a family of their own: what they, or tools beside them, write down where anybody can read it."""
