"""What sessions cost: an index of the tokens of all sessions, what it tells, and budgets."""
