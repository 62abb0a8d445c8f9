"""What filled a session's context, and what is wrong with the rules files of a project."""
