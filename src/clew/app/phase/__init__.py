"""Phases: begun, measured, validated, ended. What may happen when, `core/plan/phase_machine.py` says."""
