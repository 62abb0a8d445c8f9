"""Screens in the terminal, made with Textual (the extra `tui`). Texts go in as they are: no markup is read in them."""
