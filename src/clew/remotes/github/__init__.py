"""GitHub and GitHub Enterprise, by `githubkit` (the extra `github`)."""
