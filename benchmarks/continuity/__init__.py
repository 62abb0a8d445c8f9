"""What a compaction loses and what a successor pays, with and without clew. See docs/reference/continuity.md."""
