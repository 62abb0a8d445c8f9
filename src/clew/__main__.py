"""`python -m clew`."""

from clew.interfaces.cli.main import main

main()
