"""Stories with the real clients: `make test-clients`. Plain `make test` does not gather them."""
