"""What `clew doctor` looks at (docs/doctor.md): each module examines one thing and gives findings."""
