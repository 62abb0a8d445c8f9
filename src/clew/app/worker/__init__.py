"""Phases of a plan carried out on any number of machines."""
