"""Tests of the lint of rules files."""
