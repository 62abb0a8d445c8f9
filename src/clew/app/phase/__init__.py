"""Phases: begun, measured, validated, ended. What may happen when, `core/plan/phases.py` says."""
