"""What a form needs of a kind's JSON Schema beside what the command line does."""

from __future__ import annotations

import re
from typing import Any

GENERAL = frozenset({"Cluster", "Memory", "GPU memory", "Network"})
"""Sections that many kinds have. What is in others makes the kind what it is: hosts, partition, GPUs."""


def prepare_for_form(schema: dict[str, Any]) -> None:
    """Put what makes the kind what it is first, and speak of durations as people write them there, in place."""
    fields = schema["properties"].items()
    ordered = sorted(fields, key=lambda item: item[0] != "backend" and item[1].get("group", "Cluster") in GENERAL)
    schema["properties"] = dict(ordered)
    for name, field in ordered:
        branches = [branch.get("type") for branch in field.get("anyOf", [field])]
        if name.endswith("_seconds") and "integer" in branches:
            field["help"] = _of_a_time(field.get("description", ""), never="null" in branches)


def _of_a_time(description: str, *, never: bool) -> str:
    text = re.sub(r"^Seconds after which (.)", lambda found: found[1].upper(), description)
    text = re.sub(r" stops itself; none: never\.", " stops itself after this time.", text)
    return f"{text} Write '30 min', '2 h' or 'never'." if never else f"{text} Write '30 min' or '2 h'."
