"""SpecStory: Markdown that it writes of sessions of other clients. Format: README.md."""
