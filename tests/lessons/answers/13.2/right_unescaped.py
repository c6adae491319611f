"""Make HTML of it first, then look for items."""

import html
import re


def facts(text):
    page = html.unescape(text).replace("\\n", "\n")

    def written(label):
        found = re.search(label + r": (.*?) </", page)
        return found.group(1) if found else ""

    def as_seconds(time):
        total = 0
        for value, unit in re.findall(r"(\d+\.?\d*) ?(us|ms|s|m|hr|d)\b", time):
            total += float(value) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 60 * 60, "d": 24 * 60 * 60}[unit]
        return total

    return {
        "seconds": as_seconds(written("Duration")),
        "tasks": float(written("number of tasks")),
        "compute": as_seconds(written("compute time")),
        "threads": int(written("Threads")),
    }
