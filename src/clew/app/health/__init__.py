"""What `clew doctor` looks at (docs/reference/doctor.md): each module examines one thing and gives findings."""
