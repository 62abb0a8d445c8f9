"""Trackers on the network, behind one port; `github/` is one. Another is a class that offers `port.Tracker`."""
