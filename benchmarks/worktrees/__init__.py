"""Work trees in every state that git and people bring them to, and what removing does to them."""
