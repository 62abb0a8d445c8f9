"""Gates measured: what passes while a plan is open, what is noticed by effect, and which repeats are named."""
