"""What others need to test a member of a family of theirs: conformance suites and a clock to set. Needs pytest."""
