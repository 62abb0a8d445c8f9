"""What filled the context of a session: the pieces of it, and the bill of them. Pure."""
