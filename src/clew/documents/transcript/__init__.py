"""A session's record as a document for people: Markdown or one HTML page. Pure; the records are clean and redacted."""
