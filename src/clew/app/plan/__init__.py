"""Plans: opened, written, looked over, approved by a person, given to agents, taken in from files and clients."""
