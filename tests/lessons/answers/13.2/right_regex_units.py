"""Right: one regular expression for numbers with units, a dictionary of seconds per unit."""

import re

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 3600, "d": 86400}


def facts(text):
    def seconds(label):
        found = re.search(label + r":\s*((?:[\d.]+\s*(?:us|ms|hr|s|m|d)\b\s*)+)", text)
        if not found:
            return 0.0
        return float(sum(float(n) * UNITS[unit] for n, unit in re.findall(r"([\d.]+)\s*(us|ms|hr|s|m|d)\b", found[1])))

    def count(label):
        return int(re.search(label + r":\s*(\d+)", text)[1])

    return {
        "seconds": seconds("Duration"),
        "tasks": count("number of tasks"),
        "compute": seconds("compute time"),
        "threads": count("Threads"),
    }
