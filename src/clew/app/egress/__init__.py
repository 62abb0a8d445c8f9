"""What leaves the machine: scanned, refused where it holds a secret, and who let what pass is kept."""
