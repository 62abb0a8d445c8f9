"""How many secrets are found, how many things are mistaken for one, and how long it takes."""
