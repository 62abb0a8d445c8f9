"""What the page of `clew serve` costs."""
