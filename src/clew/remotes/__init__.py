"""Trackers on the network, behind one port. Members: `github/`, and `memory.py`, the reference; another one is a class
that offers `port.Tracker`.
"""
