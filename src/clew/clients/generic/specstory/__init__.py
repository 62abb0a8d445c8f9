"""SpecStory: Markdown that it writes of sessions of other clients. Format: docs/clients/generic.md."""
