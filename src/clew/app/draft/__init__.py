"""Drafts: hand-offs that agents write when they are asked for one. Kept, found again, asked for
(docs/guide/03-hand-offs.md).
"""
