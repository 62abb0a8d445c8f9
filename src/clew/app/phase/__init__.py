"""Phases: begun, measured, validated, ended. What may happen when is the phase machine's to say (`core/plan/phases.py`)."""
