"""Sessions made for measuring: recordings, answer keys, hand-offs, planted lies. See `__main__.py`."""
