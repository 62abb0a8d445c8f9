"""The kinds of secret, a file for each family. See `clew.secrets.catalogue` for all of them."""
