"""Help of the form where it is not that of the command line: there people write hours, not seconds."""

from __future__ import annotations

import re
from typing import Any


def add_form_help(schema: dict[str, Any]) -> None:
    """Give the durations of a kind's JSON Schema a help that speaks of times as people write them, in place."""
    for name, field in schema["properties"].items():
        branches = [branch.get("type") for branch in field.get("anyOf", [field])]
        if name.endswith("_seconds") and "integer" in branches:
            field["help"] = _of_a_time(field.get("description", ""), never="null" in branches)


def _of_a_time(description: str, *, never: bool) -> str:
    text = re.sub(r"^Seconds after which (.)", lambda found: found[1].upper(), description)
    text = re.sub(r" stops itself; none: never\.", " stops itself after this time.", text)
    return f"{text} Write '30 min', '2 h' or 'never'." if never else f"{text} Write '30 min' or '2 h'."
