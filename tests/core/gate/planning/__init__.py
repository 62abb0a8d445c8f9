"""What only reads while a plan is open."""
