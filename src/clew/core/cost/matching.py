"""Which row of a price list is a model's. Pure, and imports nothing: hooks ask as well."""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def ways(model: str) -> "list[str]":
    """The names that a model may stand under, the likeliest first: as it is, without a vendor, without `[1m]`."""
    name = model.strip().lower()
    found = (name, name.rpartition("/")[2], name.removesuffix("[1m]"))
    return [way for way in dict.fromkeys(found) if way]


def fits(match: "Mapping[str, Any]", model: str) -> bool:
    """Whether a model's name (in small letters) fits, as the price list says it: one clause, or several of which one or
    all must fit. Raises `TypeError`, `AttributeError` or `re.error` for what is no such thing.
    """
    for clause, wanted in match.items():
        if clause in ("or", "and"):
            found = (fits(one, model) for one in wanted)
            return any(found) if clause == "or" else all(found)
        if clause == "regex":
            import re  # here: a hook asks of few models

            return re.search(wanted, model) is not None
        text = wanted.lower()
        return (
            (clause == "equals" and model == text)
            or (clause == "starts_with" and model.startswith(text))
            or (clause == "ends_with" and model.endswith(text))
            or (clause == "contains" and text in model)
        )
    return False
