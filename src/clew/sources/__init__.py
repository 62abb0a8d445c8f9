"""Where stacks take text from: `port.py` says what a source offers, `registry.py` finds them, one module a kind."""
