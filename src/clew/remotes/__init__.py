"""Trackers on the network, behind one port. Members: `github/`; another one is a class that offers `port.Tracker`."""
