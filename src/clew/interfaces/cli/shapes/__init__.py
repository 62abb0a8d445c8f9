"""The JSON shapes of commands (docs/json.md): fields are added, never renamed or removed."""
