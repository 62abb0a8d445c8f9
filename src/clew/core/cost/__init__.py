"""What tokens cost: prices by model, arithmetic, budgets. Pure."""
