"""What a use case gives back where that is also what `--json` prints (docs/reference/json.md)."""

import msgspec


class JsonResult(msgspec.Struct, frozen=True):
    """A result whose fields are the fields of the JSON document, under their names and in their order."""
