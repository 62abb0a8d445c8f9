"""Plans: what is to be done in which phases, how far each has come, and what may happen to it next."""
