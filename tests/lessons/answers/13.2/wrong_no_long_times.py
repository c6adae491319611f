"""Wrong: reads the first number and its unit only: 3m 20s becomes 180 seconds, 1d 4hr one day."""

import re

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 3600, "d": 86400}


def facts(text):
    def seconds(label):
        found = re.search(label + r": ([\d.]+)\s*([a-z]+)", text)
        return float(found[1]) * UNITS[found[2]] if found else 0.0

    return {
        "seconds": seconds("Duration"),
        "tasks": int(re.search(r"number of tasks: (\d+)", text)[1]),
        "compute": seconds("compute time"),
        "threads": int(re.search(r"Threads: (\d+)", text)[1]),
    }
